#ifndef TEND_HOST_STORE_KEY_MEMORY_H
#define TEND_HOST_STORE_KEY_MEMORY_H

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
 * Limits: the last KEY_MEMORY_MAX keys; the oldest key that is not under way is
 * forgotten first.  The last answers, KEY_MEMORY_BYTES in all and each of at
 * most KEY_ANSWER_MAX; a key whose answer is dropped is still remembered.
 */
#define KEY_MAX 128 /* bytes */
#define KEY_MEMORY_MAX 1024
#define KEY_MEMORY_BYTES (1u << 20)
#define KEY_ANSWER_MAX (64u << 10)
#define KEY_DIGEST_SIZE 33 /* with the NUL */

enum key_state {
	KEY_OPEN, /* under way */
	KEY_DONE,
	KEY_LOST, /* a host died while it was under way */
};

struct key_entry {
	struct list link;
	char key[KEY_MAX + 1];
	char op[32];
	char digest[KEY_DIGEST_SIZE]; /* of the arguments; "": unknown */
	enum key_state state;
	char *answer; /* JSON object {"ok",…}; NULL: none, or dropped */
	size_t len;
};

struct key_memory {
	struct list entries; /* oldest first */
	size_t count, bytes;
};

void key_memory_init(struct key_memory *m);
void key_memory_finish(struct key_memory *m);

struct key_entry *key_memory_find(struct key_memory *m, const char *key);

/* Add a key that is under way.  NULL if all remembered keys are under way. */
struct key_entry *key_memory_add(struct key_memory *m, const char *key,
    const char *op, const char *digest);
void key_memory_done(struct key_memory *m, struct key_entry *e,
    const char *answer, size_t len);
void key_memory_forget(struct key_memory *m, struct key_entry *e);

/* The payloads of its events.  With e->state OPEN, key-end frees the key. */
void key_memory_put(const struct key_entry *e, const char *by, struct buf *out);
void key_memory_put_end(const struct key_entry *e, struct buf *out);
void key_memory_put_all(const struct key_memory *m, struct buf *out);

/*
 * key_memory_read takes in a record about keys and ignores others.  After the
 * last record, key_memory_lose marks keys that were under way as lost.
 */
void key_memory_read(struct key_memory *m, const struct record *rec);
void key_memory_lose(struct key_memory *m);

#endif
