#include "hub/verifier.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "hub/secret.h"

struct entry {
	uint8_t digest[SECRET_HASH]; /* of kind, secret and key */
	int64_t until_ms;            /* CLOCK_MONOTONIC; 0: forgotten */
	int64_t known_ms;            /* the same for verifier_knows */
	struct identity who;
};

struct verifier {
	struct store *store;
	struct entry entries[VERIFIER_ENTRIES];
	unsigned next;       /* to be replaced */
	uint64_t generation; /* of verifier_clear */
};

struct verifying {
	struct verifier *verifier;
	uint8_t digest[SECRET_HASH];
	uint64_t generation;
	struct identity who;
	verifier_fn *fn; /* NULL: cancelled */
	void *arg;
};

struct verifier *
verifier_create(struct store *store)
{
	struct verifier *v = xcalloc(1, sizeof(*v));

	v->store = store;
	return v;
}

void
verifier_destroy(struct verifier *v)
{
	free(v);
}

void
verifier_clear(struct verifier *v)
{
	for (size_t i = 0; i < VERIFIER_ENTRIES; i++)
		v->entries[i].until_ms = 0;
	v->generation++;
}

static void
digest_of(enum store_kind kind, const char *secret, const char *key,
    uint8_t out[SECRET_HASH])
{
	struct buf b;

	buf_init(&b, SIZE_MAX);
	(void)buf_printf(&b, "%u %s %s", (unsigned)kind, secret,
	    key != NULL ? key : "");
	(void)buf_putc(&b, '\0');
	secret_hash((const char *)b.data, out);
	explicit_bzero(b.data, b.len);
	buf_finish(&b);
}

static const struct identity *
recall(const struct verifier *v, const uint8_t digest[SECRET_HASH])
{
	int64_t now = clock_ms(CLOCK_MONOTONIC);
	int64_t wall = clock_ms(CLOCK_REALTIME);

	for (size_t i = 0; i < VERIFIER_ENTRIES; i++) {
		const struct entry *e = &v->entries[i];

		if (e->until_ms > now && e->who.until_ms > wall &&
		    secret_equals(e->digest, digest))
			return &e->who;
	}
	return NULL;
}

/* The entry of this secret, or the next one to be replaced. */
static struct entry *
place(struct verifier *v, const uint8_t digest[SECRET_HASH])
{
	for (size_t i = 0; i < VERIFIER_ENTRIES; i++) {
		if (v->entries[i].known_ms != 0 &&
		    secret_equals(v->entries[i].digest, digest))
			return &v->entries[i];
	}
	return &v->entries[v->next++ % VERIFIER_ENTRIES];
}

static void
remember(struct verifier *v, const struct verifying *w)
{
	struct entry *e = place(v, w->digest);
	int64_t now = clock_ms(CLOCK_MONOTONIC);

	memcpy(e->digest, w->digest, SECRET_HASH);
	e->until_ms = now + VERIFIER_MS;
	e->known_ms = now + VERIFIER_KNOWN_MS;
	e->who = w->who;
}

bool
verifier_knows(const struct verifier *v, enum store_kind kind,
    const char *secret, const char *key)
{
	uint8_t digest[SECRET_HASH];
	int64_t now = clock_ms(CLOCK_MONOTONIC);

	digest_of(kind, secret, key, digest);
	for (size_t i = 0; i < VERIFIER_ENTRIES; i++) {
		if (v->entries[i].known_ms > now &&
		    secret_equals(v->entries[i].digest, digest))
			return true;
	}
	return false;
}

static void
on_verified(void *arg, int rc, json_t *result)
{
	struct verifying *w = arg;

	(void)result;
	if (rc == 0 && w->generation == w->verifier->generation &&
	    strcmp(w->who.verified, "code") != 0)
		remember(w->verifier, w);
	if (w->fn != NULL)
		w->fn(w->arg, rc, &w->who);
	free(w);
}

struct verifying *
verifier_check(struct verifier *v, enum store_kind kind, const char *secret,
    const char *key, verifier_fn *fn, void *arg)
{
	struct verifying *w = xcalloc(1, sizeof(*w));
	const struct identity *known;

	digest_of(kind, secret, key, w->digest);
	known = recall(v, w->digest);
	if (known != NULL) {
		free(w);
		fn(arg, 0, known);
		return NULL;
	}
	w->verifier = v;
	w->generation = v->generation;
	w->fn = fn;
	w->arg = arg;
	store_verify(v->store, kind, secret, key, &w->who, on_verified, w);
	return w;
}

void
verifier_cancel(struct verifying *w)
{
	w->fn = NULL;
}
