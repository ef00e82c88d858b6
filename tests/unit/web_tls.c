#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "web/tls.h"

/* A folder with a certificate, and a context that uses it. */
struct world {
	char path[64];
	int dir;
	char certificate[96], key[96];
	struct tls_context *context;
};

static const char *const names[] = { "localhost", "127.0.0.1", "::1",
	"build.example.net" };

static int
setup(void **state)
{
	static struct world w = { .path = "/tmp/web_tls.XXXXXX" };
	struct error err;

	assert_non_null(mkdtemp(w.path));
	w.dir = open(w.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* An old key that everybody may read does not stay so. */
	close(openat(w.dir, "key.pem", O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
	assert_int_equal(tls_make_certificate(w.dir, names, 4, &err), 0);
	snprintf(w.certificate, sizeof(w.certificate), "%s/cert.pem", w.path);
	snprintf(w.key, sizeof(w.key), "%s/key.pem", w.path);
	w.context = tls_context_create(w.certificate, w.key, &err);
	assert_non_null(w.context);
	*state = &w;
	return 0;
}

static int
teardown(void **state)
{
	struct world *w = *state;

	tls_context_destroy(w->context);
	tls_context_destroy(NULL);
	(void)unlinkat(w->dir, "key.pem", 0);
	(void)unlinkat(w->dir, "cert.pem", 0);
	close(w->dir);
	return rmdir(w->path);
}

/* A server's side, and the client of another implementation. */
struct pair {
	struct tls *server;
	struct buf plain, out;
	SSL_CTX *context;
	SSL *client;
	BIO *in, *to_server;
	size_t piece; /* bytes of each call of tls_feed */
	int result;   /* of the last one */
};

static void
begin(struct pair *p, const struct world *w)
{
	memset(p, 0, sizeof(*p));
	p->server = tls_create(w->context);
	buf_init(&p->plain, SIZE_MAX);
	buf_init(&p->out, SIZE_MAX);
	p->context = SSL_CTX_new(TLS_client_method());
	p->client = SSL_new(p->context);
	p->in = BIO_new(BIO_s_mem());
	p->to_server = BIO_new(BIO_s_mem());
	BIO_set_mem_eof_return(p->in, -1);
	SSL_set_bio(p->client, p->in, p->to_server);
	SSL_set_connect_state(p->client);
	p->piece = SIZE_MAX;
}

static void
finish(struct pair *p)
{
	tls_destroy(p->server);
	tls_destroy(NULL);
	buf_finish(&p->plain);
	buf_finish(&p->out);
	SSL_free(p->client);
	SSL_CTX_free(p->context);
	ERR_clear_error();
}

/* Carry what both sides have to send, until nothing is left. */
static void
carry(struct pair *p)
{
	uint8_t bytes[4096];
	int n;

	while (p->result == 0 &&
	    (n = BIO_read(p->to_server, bytes, sizeof(bytes))) > 0) {
		size_t len = (size_t)n;

		for (size_t at = 0; at < len && p->result == 0;) {
			size_t part = len - at < p->piece ? len - at : p->piece;

			p->result = tls_feed(p->server, bytes + at, part,
			    &p->plain, &p->out);
			at += part;
		}
	}
	if (p->out.len > 0)
		assert_int_equal(BIO_write(p->in, p->out.data, (int)p->out.len),
		    p->out.len);
	buf_clear(&p->out);
}

static bool
shake_hands(struct pair *p)
{
	for (int i = 0; i < 10; i++) {
		(void)SSL_do_handshake(p->client);
		carry(p);
		if (p->result != 0)
			return false;
	}
	return SSL_is_init_finished(p->client);
}

static void
must_receive(struct pair *p, const char *want)
{
	char got[256] = "";

	assert_int_equal(SSL_read(p->client, got, sizeof(got)), strlen(want));
	assert_string_equal(got, want);
}

static void
bytes_pass_however_they_are_cut(void **state)
{
	static const size_t pieces[] = { SIZE_MAX, 1, 3, 17 };

	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		struct pair p;

		begin(&p, *state);
		p.piece = pieces[i];
		assert_true(shake_hands(&p));
		assert_int_equal(SSL_write(p.client, "hello", 5), 5);
		assert_int_equal(SSL_write(p.client, " world", 6), 6);
		carry(&p);
		assert_int_equal(p.plain.len, 11);
		assert_memory_equal(p.plain.data, "hello world", 11);
		assert_int_equal(tls_send(p.server, "answer", 6, &p.out), 0);
		carry(&p);
		must_receive(&p, "answer");
		finish(&p);
	}
}

static void
large_messages_pass_both_ways(void **state)
{
	size_t size = 3u << 20, got = 0;
	char *large = calloc(1, size), part[65536];
	struct pair p;

	begin(&p, *state);
	assert_true(shake_hands(&p));
	assert_int_equal(SSL_write(p.client, large, (int)size), size);
	carry(&p);
	assert_int_equal(p.plain.len, size);
	assert_int_equal(tls_send(p.server, large, size, &p.out), 0);
	carry(&p);
	while (got < size) {
		int n = SSL_read(p.client, part, sizeof(part));

		assert_true(n > 0);
		got += (size_t)n;
	}
	free(large);
	finish(&p);
}

/* Lost bytes in the middle of a stream would go unnoticed. */
static void
what_does_not_fit_is_an_error(void **state)
{
	char bytes[4096] = "";
	struct pair p;

	begin(&p, *state);
	assert_true(shake_hands(&p));
	p.out.max = 1000;
	assert_int_equal(tls_send(p.server, bytes, sizeof(bytes), &p.out),
	    -EPROTO);
	finish(&p);
}

static void
a_close_is_announced_in_both_directions(void **state)
{
	char byte;
	struct pair p;

	begin(&p, *state);
	assert_true(shake_hands(&p));
	assert_int_equal(SSL_write(p.client, "last", 4), 4);
	assert_int_equal(SSL_shutdown(p.client), 0);
	carry(&p);
	assert_int_equal(p.result, 1);
	assert_int_equal(p.plain.len, 4);
	assert_int_equal(tls_send(p.server, "x", 1, &p.out), 0);
	tls_close(p.server, &p.out);
	carry(&p);
	assert_int_equal(SSL_read(p.client, &byte, 1), 1);
	assert_int_equal(SSL_read(p.client, &byte, 1), 0);
	assert_int_equal(SSL_get_error(p.client, 0), SSL_ERROR_ZERO_RETURN);
	finish(&p);
	begin(&p, *state);
	tls_close(p.server, &p.out); /* before the handshake */
	assert_int_equal(p.out.len, 0);
	assert_int_equal(tls_send(p.server, "x", 1, &p.out), -EPROTO);
	finish(&p);
}

static void
old_versions_are_refused(void **state)
{
	static const int versions[] = { TLS1_VERSION, TLS1_1_VERSION,
		TLS1_2_VERSION, TLS1_3_VERSION };

	for (size_t i = 0; i < 4; i++) {
		struct pair p;

		begin(&p, *state);
		SSL_set_security_level(p.client, 0);
		SSL_set_min_proto_version(p.client, versions[i]);
		SSL_set_max_proto_version(p.client, versions[i]);
		assert_true(shake_hands(&p) == (i >= 2));
		if (i < 2)
			assert_int_equal(p.result, -EPROTO);
		finish(&p);
	}
}

static void
a_session_is_neither_resumed_nor_renegotiated(void **state)
{
	struct pair p;

	begin(&p, *state);
	SSL_set_max_proto_version(p.client, TLS1_2_VERSION);
	assert_true(shake_hands(&p));
	assert_false(SSL_SESSION_has_ticket(SSL_get_session(p.client)));
	assert_int_equal(SSL_renegotiate(p.client), 1);
	assert_false(shake_hands(&p) &&
	    SSL_renegotiate_pending(p.client) == 0 &&
	    SSL_num_renegotiations(p.client) > 1);
	assert_int_equal(SSL_write(p.client, "x", 1), -1);
	finish(&p);
	begin(&p, *state);
	assert_true(shake_hands(&p));
	assert_int_equal(tls_send(p.server, "x", 1, &p.out), 0);
	carry(&p);
	must_receive(&p, "x");
	assert_false(SSL_SESSION_is_resumable(SSL_get_session(p.client)));
	finish(&p);
}

static void
other_protocols_get_an_alert_or_nothing(void **state)
{
	static const char *const texts[] = { "GET / HTTP/1.1\r\n\r\n",
		"SSH-2.0-x\r\n", "\x80\x2e\x01\x00\x02",
		"\x16\x03\x01\xff\xff" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		char bytes[200] = { 0 };
		struct pair p;

		begin(&p, *state);
		memcpy(bytes, texts[i], strlen(texts[i]));
		assert_int_equal(tls_feed(p.server, bytes, sizeof(bytes),
				     &p.plain, &p.out),
		    -EPROTO);
		assert_int_equal(p.plain.len, 0);
		assert_true(p.out.len < 16);
		finish(&p);
	}
}

static void
a_changed_record_ends_the_connection(void **state)
{
	uint8_t bytes[256];
	struct pair p;
	int n;

	begin(&p, *state);
	assert_true(shake_hands(&p));
	assert_int_equal(SSL_write(p.client, "hello", 5), 5);
	n = BIO_read(p.to_server, bytes, sizeof(bytes));
	bytes[n - 1] ^= 1;
	assert_int_equal(tls_feed(p.server, bytes, (size_t)n, &p.plain, &p.out),
	    -EPROTO);
	assert_int_equal(p.plain.len, 0);
	finish(&p);
}

/* An error that somebody else left behind is not the connection's. */
static void
older_errors_of_openssl_are_ignored(void **state)
{
	struct pair p;

	begin(&p, *state);
	assert_true(shake_hands(&p));
	ERR_raise(ERR_LIB_X509, X509_R_BAD_SELECTOR);
	assert_int_equal(tls_feed(p.server, NULL, 0, &p.plain, &p.out), 0);
	ERR_raise(ERR_LIB_X509, X509_R_BAD_SELECTOR);
	assert_int_equal(tls_send(p.server, "x", 1, &p.out), 0);
	finish(&p);
}

static void
the_certificate_has_its_names_and_nobody_reads_the_key(void **state)
{
	const struct world *w = *state;
	FILE *f = fopen(w->certificate, "re");
	X509 *cert = PEM_read_X509(f, NULL, NULL, NULL);
	char text[TLS_FINGERPRINT_SIZE];
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned len = 0;
	struct stat st;

	assert_non_null(cert);
	assert_int_equal(X509_check_host(cert, "localhost", 0, 0, NULL), 1);
	assert_int_equal(X509_check_host(cert, names[3], 0, 0, NULL), 1);
	assert_int_equal(X509_check_ip_asc(cert, "127.0.0.1", 0), 1);
	assert_int_equal(X509_check_ip_asc(cert, "::1", 0), 1);
	assert_int_equal(X509_check_host(cert, "example.net", 0, 0, NULL), 0);
	assert_int_equal(X509_check_ip_asc(cert, "127.0.0.2", 0), 0);
	X509_digest(cert, EVP_sha256(), digest, &len);
	tls_fingerprint(w->context, text);
	assert_int_equal(strlen(text), 95);
	for (unsigned i = 0; i < len; i++)
		assert_int_equal(strtoul(text + 3 * i, NULL, 16), digest[i]);
	assert_int_equal(fstatat(w->dir, "key.pem", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(fstatat(w->dir, "cert.pem", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	X509_free(cert);
	fclose(f);
}

static void
a_wrong_certificate_has_a_reason(void **state)
{
	const struct world *w = *state;
	struct error err;

	assert_null(tls_context_create("/no/such.pem", w->key, &err));
	assert_non_null(strstr(err.msg, "cannot use the certificate"));
	assert_null(tls_context_create(w->key, w->key, &err));
	assert_null(tls_context_create(w->certificate, w->certificate, &err));
	assert_int_equal(ERR_peek_error(), 0);
	assert_true(tls_make_certificate(-1, names, 1, &err) < 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_pass_however_they_are_cut),
		cmocka_unit_test(large_messages_pass_both_ways),
		cmocka_unit_test(what_does_not_fit_is_an_error),
		cmocka_unit_test(a_close_is_announced_in_both_directions),
		cmocka_unit_test(old_versions_are_refused),
		cmocka_unit_test(a_session_is_neither_resumed_nor_renegotiated),
		cmocka_unit_test(other_protocols_get_an_alert_or_nothing),
		cmocka_unit_test(a_changed_record_ends_the_connection),
		cmocka_unit_test(older_errors_of_openssl_are_ignored),
		cmocka_unit_test(
		    the_certificate_has_its_names_and_nobody_reads_the_key),
		cmocka_unit_test(a_wrong_certificate_has_a_reason),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
