/*
 * Any bytes as a recording. Read whole or in pieces, they give the same events
 * and the same end. Time does not go back, text is UTF-8, and sizes are in
 * range.
 */
#include "cast/cast.h"

#include <string.h>

#include "base/sha256.h"
#include "base/utf8.h"

#include "fuzz.h"
#include "rng.h"

/* The result of a reading, in a form that can be compared. */
struct outcome {
	struct sha256 events;
	unsigned count;
	double time;
	int rc;
	struct error err;
};

static void
check_event(const struct outcome *o, const struct cast_event *ev)
{
	struct error err;

	if ((o->count == 0) != (ev->type == CAST_HEADER))
		fuzz_check(error_set(&err, 1, "event %u has type %d", o->count,
			       ev->type),
		    &err);
	if (!(ev->time >= o->time))
		fuzz_check(error_set(&err, 1, "time goes from %f to %f",
			       o->time, ev->time),
		    &err);
	if (ev->cols > CAST_SIZE_MAX || ev->rows > CAST_SIZE_MAX)
		fuzz_check(error_set(&err, 1, "a size of %ux%u", ev->cols,
			       ev->rows),
		    &err);
	if (ev->len > 0 && !utf8_valid(ev->data, ev->len))
		fuzz_check(error_set(&err, 1, "data is no UTF-8"), &err);
}

static int
on_cast_event(void *arg, const struct cast_event *ev, struct error *err)
{
	struct outcome *o = arg;

	(void)err;
	check_event(o, ev);
	o->count++;
	o->time = ev->time;
	sha256_update(&o->events, &ev->type, sizeof(ev->type));
	sha256_update(&o->events, &ev->time, sizeof(ev->time));
	sha256_update(&o->events, &ev->len, sizeof(ev->len));
	if (ev->len > 0)
		sha256_update(&o->events, ev->data, ev->len);
	if (ev->type == CAST_HEADER || ev->type == CAST_RESIZE) {
		sha256_update(&o->events, &ev->cols, sizeof(ev->cols));
		sha256_update(&o->events, &ev->rows, sizeof(ev->rows));
	}
	return 0;
}

static void
read_cast(struct outcome *o, const uint8_t *p, size_t len, struct rng *rng)
{
	struct cast *c = cast_create(on_cast_event, o);
	size_t n;

	*o = (struct outcome){ 0 };
	sha256_init(&o->events);
	for (; len > 0 && o->rc == 0; p += n, len -= n) {
		n = rng == NULL ? len : 1 + rng_below(rng, 40);
		n = n < len ? n : len;
		o->rc = cast_feed(c, p, n, &o->err);
	}
	if (o->rc == 0)
		o->rc = cast_end(c, &o->err);
	cast_destroy(c);
}

static void
compare(struct outcome *a, struct outcome *b)
{
	uint8_t da[SHA256_SIZE], db[SHA256_SIZE];
	struct error err;

	sha256_final(&a->events, da);
	sha256_final(&b->events, db);
	if (a->count != b->count || memcmp(da, db, sizeof(da)) != 0)
		fuzz_check(error_set(&err, 1,
			       "in pieces the events are others (%u and %u)",
			       a->count, b->count),
		    &err);
	if (a->rc != b->rc || strcmp(a->err.msg, b->err.msg) != 0)
		fuzz_check(
		    error_set(&err, 1,
			"in pieces the end is another: %d \"%.90s\" and %d "
			"\"%.90s\"",
			a->rc, a->err.msg, b->rc, b->err.msg),
		    &err);
}

/* A guess does not change when the reader sees more of the file. */
static void
check_probe(const uint8_t *p, size_t len, struct rng *rng)
{
	size_t part = rng_next(rng) % (len + 1);
	enum cast_guess early = cast_probe(p, part);
	enum cast_guess late = cast_probe(p, len);
	struct error err;

	if (early != CAST_MAYBE && early != late)
		fuzz_check(error_set(&err, 1,
			       "guess %d after %zu bytes, %d after %zu", early,
			       part, late, len),
		    &err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	struct rng rng = { len > 0 ? p[len - 1] + len : 0 };
	struct outcome whole, pieces;

	check_probe(p, len, &rng);
	read_cast(&whole, p, len, NULL);
	read_cast(&pieces, p, len, &rng);
	compare(&whole, &pieces);
	return 0;
}
