#ifndef TEND_HOST_STORE_REQUEST_KEYS_H
#define TEND_HOST_STORE_REQUEST_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/list.h"

struct buf;
struct record;

/*
 * The keys of requests that are carried out at most once, with their answers.
 * All of it is in the log too (docs/log-format.md, `key`, `key-end` and
 * `keys`), so the next host remembers the same.
 *
 * Limits: the last REQUEST_KEYS_MAX keys; the oldest key that is not under way
 * is forgotten first.  The last answers, REQUEST_KEYS_BYTES in all and each of
 * at most REQUEST_KEY_ANSWER_MAX; a key whose answer is dropped is still
 * remembered.
 */
#define REQUEST_KEY_MAX 128 /* bytes */
#define REQUEST_KEYS_MAX 1024
#define REQUEST_KEYS_BYTES (1u << 20)
#define REQUEST_KEY_ANSWER_MAX (64u << 10)
#define REQUEST_KEY_DIGEST_SIZE 33 /* with the NUL */

enum request_key_state {
	REQUEST_KEY_OPEN, /* under way */
	REQUEST_KEY_DONE,
	REQUEST_KEY_LOST, /* a host died while it was under way */
};

struct request_key {
	struct list link;
	char key[REQUEST_KEY_MAX + 1];
	char op[32];
	char digest[REQUEST_KEY_DIGEST_SIZE]; /* of the arguments, or "" */
	enum request_key_state state;
	char *answer; /* JSON object {"ok",…}; NULL: none, or dropped */
	size_t len;
};

struct request_keys {
	struct list entries; /* oldest first */
	size_t count, bytes;
};

void request_keys_init(struct request_keys *m);
void request_keys_finish(struct request_keys *m);

struct request_key *request_keys_find(struct request_keys *m, const char *key);

/* Add a key that is under way.  NULL if all remembered keys are under way. */
struct request_key *request_keys_add(struct request_keys *m, const char *key,
    const char *op, const char *digest);
void request_keys_done(struct request_keys *m, struct request_key *e,
    const char *answer, size_t len);
void request_keys_forget(struct request_keys *m, struct request_key *e);

/* The payloads of its events.  With e->state OPEN, key-end frees the key. */
void request_keys_put(const struct request_key *e, const char *by,
    struct buf *out);
void request_keys_put_end(const struct request_key *e, struct buf *out);
void request_keys_put_all(const struct request_keys *m, struct buf *out);

/*
 * request_keys_read takes in a record about keys and ignores others.  After the
 * last record, request_keys_lose marks keys that were under way as lost.
 */
void request_keys_read(struct request_keys *m, const struct record *rec);
void request_keys_lose(struct request_keys *m);

#endif
