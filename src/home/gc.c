#include "home/gc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "home/fault.h"
#include "home/permit.h"
#include "home/report.h"
#include "home/words.h"
#include "session/disk.h"

#define LOCK_LIMIT_MS 5000

void
gc_init(struct gc *g, const struct home *h)
{
	struct disk d;

	*g = (struct gc){ .in.home = h, .now_ms = clock_ms(CLOCK_REALTIME) };
	g->in.network = disk_look(h->fd, &d) == 0 && d.network;
}

void
gc_finish(struct gc *g)
{
	free(g->items);
	g->items = NULL;
	g->n = 0;
}

bool
gc_acts(const struct gc_request *q)
{
	return q->all || q->age_ms >= 0 || q->budget != UINT64_MAX;
}

/* ----------------------------------------------------------------- looking */

static int
on_session(void *arg, const char *id)
{
	struct gc *g = arg;
	struct gc_item item = { 0 };

	if (collect_look(&g->in, id, &item.what) < 0)
		return 0;
	g->home_bytes += item.what.bytes;
	g->active += item.what.state == COLLECT_ACTIVE;
	g->ended += item.what.state == COLLECT_ENDED;
	g->items = xrealloc(g->items, g->n + 1, sizeof(*g->items));
	g->items[g->n++] = item;
	return 0;
}

static int
oldest_first(const void *a, const void *b)
{
	const struct collectable *x = &((const struct gc_item *)a)->what;
	const struct collectable *y = &((const struct gc_item *)b)->what;

	if (x->ended_ms != y->ended_ms)
		return x->ended_ms < y->ended_ms ? -1 : 1;
	return strcmp(x->id, y->id);
}

int
gc_look(struct gc *g, struct fault *f)
{
	struct error err;

	if (permit_home(OP_ADMIN, f) < 0)
		return -1;
	if (home_each(g->in.home, on_session, g, &err) < 0)
		return fault_set(f, FAIL_STORAGE, "%s", err.msg);
	if (g->n > 0)
		qsort(g->items, g->n, sizeof(*g->items), oldest_first);
	return 0;
}

uint64_t
gc_ended_bytes(const struct gc *g)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].what.state == COLLECT_ENDED)
			bytes += g->items[i].what.bytes;
	return bytes;
}

/* ---------------------------------------------------------------- removing */

static bool
is_left(const struct gc_item *item)
{
	return !item->removed && item->what.state == COLLECT_ENDED;
}

static void
take(struct gc *g, struct gc_item *item)
{
	item->removed = g->dry || collect_remove(&g->in, &item->what);
	if (!item->removed) {
		g->ended--;
		g->failed += item->what.state == COLLECT_UNSURE;
		return;
	}
	g->removed++;
	g->freed += item->what.bytes;
	g->home_bytes -= item->what.bytes;
}

static void
take_old(struct gc *g, const struct gc_request *q)
{
	for (size_t i = 0; i < g->n; i++) {
		int64_t age_ms = g->now_ms - g->items[i].what.ended_ms;

		if (g->items[i].what.state == COLLECT_ENDED &&
		    (q->all || (q->age_ms >= 0 && age_ms >= q->age_ms)))
			take(g, &g->items[i]);
	}
}

static void
take_over_budget(struct gc *g, uint64_t budget)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->home_bytes > budget && is_left(&g->items[i]))
			take(g, &g->items[i]);
}

/* Damaged logs are compressed too: compression loses no byte. */
static void
check_rest(struct gc *g, struct report *r)
{
	for (size_t i = 0; i < g->n; i++)
		if (is_left(&g->items[i]))
			collect_check(&g->in, g->items[i].what.id, r);
}

static void
compress_one(struct gc *g, struct collectable *s)
{
	struct compress_result r;
	struct collectable now;

	if (collect_compress(&g->in, s->id, &r) < 0 || r.segments == 0)
		return;
	g->packed.segments += r.segments;
	g->packed.before += r.before;
	g->packed.after += r.after;
	if (collect_look(&g->in, s->id, &now) == 0) {
		g->home_bytes += now.bytes - s->bytes;
		s->bytes = now.bytes;
	}
}

/* This precedes the budget: a compressed log may fit in it. */
static void
compress_rest(struct gc *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (is_left(&g->items[i]))
			compress_one(g, &g->items[i].what);
}

static void
collect(struct gc *g, const struct gc_request *q, struct report *r)
{
	struct error err;

	take_old(g, q);
	check_rest(g, r);
	if (!g->dry)
		compress_rest(g);
	take_over_budget(g, q->budget);
	if (!g->dry && home_sweep(g->in.home, &err) < 0)
		report_note(r, "%s", err.msg);
}

/* The lock excludes other collections; a running session takes none. */
static int
lock(const struct gc *g, struct fault *f)
{
	const char *path = g->in.home->path;
	int rc = home_lock(g->in.home->sessions_fd, LOCK_LIMIT_MS);

	if (rc == -EBUSY)
		return fault_set(f, FAIL_BUSY, "another gc is running in %s",
		    path);
	if (rc < 0)
		return fault_set(f, FAIL_STORAGE, "cannot lock %s/sessions: %s",
		    path, strerror(-rc));
	return 0;
}

int
gc_preview(struct gc *g, const struct gc_request *q, struct fault *f)
{
	if (gc_look(g, f) < 0)
		return -1;
	g->dry = true;
	take_old(g, q);
	take_over_budget(g, q->budget);
	return 0;
}

static int
check_done(const struct gc *g, struct fault *f)
{
	size_t i = 0;

	if (g->failed == 0 || g->removed > 0)
		return 0;
	while (g->items[i].what.state != COLLECT_UNSURE)
		i++;
	return fault_set(f, FAIL_STORAGE, "session %s: %s", g->items[i].what.id,
	    g->items[i].what.why);
}

int
gc_run(struct gc *g, const struct gc_request *q, struct report *r,
    struct fault *f)
{
	bool has_sessions = g->in.home->sessions_fd >= 0;

	g->dry = q->dry;
	if (has_sessions && !g->dry && lock(g, f) < 0)
		return -1;
	if (gc_look(g, f) < 0)
		return -1;
	if (has_sessions)
		collect(g, q, r);
	return check_done(g, f);
}

/* -------------------------------------------------------------------- JSON */

static void
put_removed(struct json_out *j, const struct collectable *s)
{
	char ended[WORDS_TIME_MAX];

	words_time(s->ended_ms, ended);
	json_out_open(j, '{');
	json_put_text(j, "id", s->id);
	json_put_text(j, "name", s->name);
	json_put_text(j, "status", s->status);
	json_put_text(j, "ended_at", ended);
	json_put_number(j, "bytes", s->bytes);
	json_out_close(j, '}');
}

static void
put_skipped(struct json_out *j, const struct collectable *s)
{
	json_out_open(j, '{');
	json_put_text(j, "id", s->id);
	json_put_text(j, "why", s->why);
	json_out_close(j, '}');
}

void
gc_json(const struct gc *g, struct json_out *j)
{
	json_out_open(j, '{');
	json_put_bool(j, "dry_run", g->dry);
	json_put_open(j, "removed", '[');
	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].removed)
			put_removed(j, &g->items[i].what);
	json_out_close(j, ']');
	json_put_number(j, "freed_bytes", g->freed);
	json_put_number(j, "compressed_segments", g->packed.segments);
	json_put_number(j, "compressed_bytes",
	    g->packed.before - g->packed.after);
	json_put_number(j, "active", g->active);
	json_put_number(j, "ended", g->ended - g->removed);
	json_put_number(j, "home_bytes", g->home_bytes);
	json_put_open(j, "skipped", '[');
	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].what.state == COLLECT_UNSURE)
			put_skipped(j, &g->items[i].what);
	json_out_close(j, ']');
	json_out_close(j, '}');
}
