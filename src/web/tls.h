#ifndef TEND_WEB_TLS_H
#define TEND_WEB_TLS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct error;
struct tls;
struct tls_context;

/*
 * TLS 1.2 and 1.3 for the server's side of a connection: bytes in, bytes out.
 * There is no renegotiation, no compression and no session ticket.
 */
struct tls_context *tls_context_create(const char *certificate, const char *key,
    struct error *err);                          /* NULL and err */
void tls_context_destroy(struct tls_context *c); /* NULL is fine */

/*
 * New connections use the certificate and key of `with`, which is freed; those
 * that there are go on.
 */
void tls_context_replace(struct tls_context *c, struct tls_context *with);

bool tls_has_expired(const struct tls_context *c);

/* The SHA-256 of the certificate, as in "AB:CD:…". */
#define TLS_FINGERPRINT_SIZE 96
void tls_fingerprint(const struct tls_context *c,
    char out[TLS_FINGERPRINT_SIZE]);

/*
 * Make a key and a self-signed certificate for these names and addresses, and
 * write them, mode 0600, as key.pem and cert.pem into a directory.
 */
int tls_make_certificate(int dirfd, const char *const *names, size_t n,
    struct error *err);

struct tls *tls_create(struct tls_context *c);
void tls_destroy(struct tls *t); /* NULL is fine */

/*
 * Take bytes from the client.  Decrypted ones are appended to `plain`, answers
 * of the protocol to `out`.  0; 1 if the client will send no more; -EPROTO:
 * close after `out` was sent, and ignore `plain`.
 */
int tls_feed(struct tls *t, const void *p, size_t len, struct buf *plain,
    struct buf *out);

/* Encrypt bytes for the client; 0, or -EPROTO also if they do not fit. */
int tls_send(struct tls *t, const void *p, size_t len, struct buf *out);

/* Append the announcement that nothing follows, so that no end is forged. */
void tls_close(struct tls *t, struct buf *out);

#endif
