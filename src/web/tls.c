#include "web/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"

#define DAYS 825
#define PIECE 16384

struct tls_context {
	SSL_CTX *ctx;
};

struct tls {
	SSL *ssl;
	BIO *in, *out; /* of the SSL */
};

/* The first reason of OpenSSL. */
static int
failed(struct error *err, const char *what, const char *file)
{
	const char *text = ERR_reason_error_string(ERR_get_error());

	ERR_clear_error();
	return error_set(err, EBADMSG, "%s%s: %s", what, file,
	    text != NULL ? text : "unknown reason");
}

/* A key with a passphrase is refused: nobody is there to type it. */
static int
no_passphrase(char *out, int size, int writes, void *arg)
{
	(void)out;
	(void)size;
	(void)writes;
	(void)arg;
	return -1;
}

static int
take_files(SSL_CTX *ctx, const char *certificate, const char *key,
    struct error *err)
{
	SSL_CTX_set_default_passwd_cb(ctx, no_passphrase);
	if (SSL_CTX_use_certificate_chain_file(ctx, certificate) != 1)
		return failed(err, "cannot use the certificate ", certificate);
	if (SSL_CTX_use_PrivateKey_file(ctx, key, SSL_FILETYPE_PEM) != 1 ||
	    SSL_CTX_check_private_key(ctx) != 1)
		return failed(err, "cannot use the key ", key);
	return 0;
}

struct tls_context *
tls_context_create(const char *certificate, const char *key, struct error *err)
{
	struct tls_context *c = xcalloc(1, sizeof(*c));

	c->ctx = SSL_CTX_new(TLS_server_method());
	if (c->ctx == NULL)
		abort(); /* there is no memory */
	SSL_CTX_set_min_proto_version(c->ctx, TLS1_2_VERSION);
	SSL_CTX_set_options(c->ctx,
	    SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET |
		SSL_OP_CIPHER_SERVER_PREFERENCE);
	SSL_CTX_set_session_cache_mode(c->ctx, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_num_tickets(c->ctx, 0);
	SSL_CTX_set_mode(c->ctx, SSL_MODE_RELEASE_BUFFERS);
	if (SSL_CTX_set_cipher_list(c->ctx, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1)
		abort(); /* there is no memory */
	if (take_files(c->ctx, certificate, key, err) < 0) {
		tls_context_destroy(c);
		return NULL;
	}
	return c;
}

void
tls_context_destroy(struct tls_context *c)
{
	if (c == NULL)
		return;
	SSL_CTX_free(c->ctx);
	free(c);
}

void
tls_context_replace(struct tls_context *c, struct tls_context *with)
{
	SSL_CTX *old = c->ctx;

	/* Each connection has a reference of its own. */
	c->ctx = with->ctx;
	with->ctx = old;
	tls_context_destroy(with);
}

bool
tls_has_expired(const struct tls_context *c)
{
	const X509 *cert = SSL_CTX_get0_certificate(c->ctx);

	return X509_cmp_current_time(X509_get0_notAfter(cert)) <= 0;
}

void
tls_fingerprint(const struct tls_context *c, char out[TLS_FINGERPRINT_SIZE])
{
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	out[0] = '\0';
	if (X509_digest(SSL_CTX_get0_certificate(c->ctx), EVP_sha256(), digest,
		&len) != 1)
		return;
	for (unsigned i = 0; i < len; i++)
		snprintf(out + i * 3, TLS_FINGERPRINT_SIZE - i * 3,
		    i + 1 < len ? "%02X:" : "%02X", digest[i]);
}

/* -------------------------------------------------------------- certificate */

static int
add_names(X509 *cert, const char *const *names, size_t n)
{
	GENERAL_NAMES *list = sk_GENERAL_NAME_new_null();
	int rc = 1;

	for (size_t i = 0; i < n && rc == 1; i++) {
		uint8_t address[16];
		bool four = inet_pton(AF_INET, names[i], address) == 1;
		bool six = !four && inet_pton(AF_INET6, names[i], address) == 1;
		GENERAL_NAME *name = GENERAL_NAME_new();

		if (four || six) {
			ASN1_OCTET_STRING *ip = ASN1_OCTET_STRING_new();

			ASN1_OCTET_STRING_set(ip, address, four ? 4 : 16);
			GENERAL_NAME_set0_value(name, GEN_IPADD, ip);
		} else {
			ASN1_IA5STRING *dns = ASN1_IA5STRING_new();

			ASN1_STRING_set(dns, names[i], -1);
			GENERAL_NAME_set0_value(name, GEN_DNS, dns);
		}
		rc = sk_GENERAL_NAME_push(list, name) > 0;
	}
	if (rc == 1)
		rc = X509_add1_ext_i2d(cert, NID_subject_alt_name, list, 0, 0);
	GENERAL_NAMES_free(list);
	return rc;
}

static X509 *
make(EVP_PKEY *key, const char *const *names, size_t n)
{
	X509 *cert = X509_new();
	X509_NAME *name = X509_get_subject_name(cert);
	BIGNUM *serial = BN_new();

	BN_rand(serial, 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY);
	BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(cert));
	BN_free(serial);
	X509_set_version(cert, 2);
	X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
	X509_gmtime_adj(X509_getm_notAfter(cert), 86400L * DAYS);
	X509_set_pubkey(cert, key);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
	    (const uint8_t *)"tend hub", -1, -1, 0);
	X509_set_issuer_name(cert, name);
	if (add_names(cert, names, n) != 1 ||
	    X509_sign(cert, key, EVP_sha256()) == 0) {
		X509_free(cert);
		return NULL;
	}
	return cert;
}

static int
write_file(int dirfd, const char *name, BIO *bio, struct error *err)
{
	char *p;
	long len = BIO_get_mem_data(bio, &p);
	auto_close int fd = openat(dirfd, name,
	    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	/* An older file may have let others read it. */
	if (fd < 0 || fchmod(fd, 0600) < 0 ||
	    fd_write_all(fd, p, (size_t)len) < 0)
		return error_set(err, errno, "cannot write %s: %s", name,
		    strerror(errno));
	return 0;
}

int
tls_make_certificate(int dirfd, const char *const *names, size_t n,
    struct error *err)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = key != NULL ? make(key, names, n) : NULL;
	BIO *bio = BIO_new(BIO_s_mem());
	int rc = 0;

	if (cert == NULL ||
	    PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) != 1)
		rc = failed(err, "cannot make a certificate", "");
	if (rc == 0)
		rc = write_file(dirfd, "key.pem", bio, err);
	(void)BIO_reset(bio);
	if (rc == 0 && PEM_write_bio_X509(bio, cert) != 1)
		rc = failed(err, "cannot make a certificate", "");
	if (rc == 0)
		rc = write_file(dirfd, "cert.pem", bio, err);
	BIO_free(bio);
	X509_free(cert);
	EVP_PKEY_free(key);
	return rc;
}

/* --------------------------------------------------------------- connection */

struct tls *
tls_create(struct tls_context *c)
{
	struct tls *t = xcalloc(1, sizeof(*t));

	t->ssl = SSL_new(c->ctx);
	t->in = BIO_new(BIO_s_mem());
	t->out = BIO_new(BIO_s_mem());
	if (t->ssl == NULL || t->in == NULL || t->out == NULL)
		abort(); /* there is no memory */
	BIO_set_mem_eof_return(t->in, -1);
	SSL_set_bio(t->ssl, t->in, t->out);
	SSL_set_accept_state(t->ssl);
	return t;
}

void
tls_destroy(struct tls *t)
{
	if (t == NULL)
		return;
	SSL_free(t->ssl);
	free(t);
}

/* Move everything that OpenSSL wants to send, or fail. */
static int
drain(struct tls *t, struct buf *out)
{
	char *p;
	long len = BIO_get_mem_data(t->out, &p);
	int rc = 0;

	if (len > 0)
		rc = buf_append(out, p, (size_t)len);
	(void)BIO_reset(t->out);
	return rc < 0 ? -EPROTO : 0;
}

/* The result of a call of OpenSSL that returned n; its queue was empty. */
static int
outcome(struct tls *t, int n)
{
	int why = SSL_get_error(t->ssl, n);

	ERR_clear_error();
	if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)
		return 0;
	return why == SSL_ERROR_ZERO_RETURN ? 1 : -EPROTO;
}

int
tls_feed(struct tls *t, const void *p, size_t len, struct buf *plain,
    struct buf *out)
{
	int n, rc;

	if (len > 0 && BIO_write(t->in, p, (int)len) != (int)len)
		return -EPROTO;
	ERR_clear_error();
	for (;;) {
		uint8_t *room = buf_reserve(plain, PIECE);

		if (room == NULL)
			return -EPROTO;
		n = SSL_read(t->ssl, room, PIECE);
		if (n <= 0)
			break;
		buf_commit(plain, (size_t)n);
	}
	rc = outcome(t, n);
	return drain(t, out) < 0 ? -EPROTO : rc;
}

int
tls_send(struct tls *t, const void *p, size_t len, struct buf *out)
{
	const uint8_t *at = p;

	ERR_clear_error();
	while (len > 0) {
		int part = len < (1u << 20) ? (int)len : 1 << 20;
		int n = SSL_write(t->ssl, at, part);

		if (n <= 0) {
			ERR_clear_error();
			return -EPROTO;
		}
		at += n;
		len -= (size_t)n;
		if (drain(t, out) < 0)
			return -EPROTO;
	}
	return 0;
}

void
tls_close(struct tls *t, struct buf *out)
{
	ERR_clear_error();
	if (SSL_is_init_finished(t->ssl))
		(void)SSL_shutdown(t->ssl);
	ERR_clear_error();
	(void)drain(t, out);
}
