#include "home/sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "home/damage.h"
#include "home/fault.h"
#include "home/label.h"
#include "home/report.h"
#include "home/roster.h"
#include "session/registry.h"

/* The state of reading a list. */
struct reading {
	struct sessions *to;
	const struct home *home;
	const struct sessions_query *query;
	struct report *report;
};

static int64_t
last_change(const struct manifest *m)
{
	return m->ended_ms != 0 ? m->ended_ms : m->created_ms;
}

/* Ids are created in order and distinguish sessions with the same time. */
static int
compare(const void *pa, const void *pb)
{
	const struct manifest *a = pa, *b = pb;
	bool active = status_is_active(a->status);

	if (active != status_is_active(b->status))
		return active ? -1 : 1;
	if (!active && last_change(a) != last_change(b))
		return last_change(a) > last_change(b) ? -1 : 1;
	return strcmp(b->id, a->id);
}

void
sessions_sort(struct manifest *items, size_t n)
{
	if (n > 0)
		qsort(items, n, sizeof(*items), compare);
}

static void
count_ended(struct sessions *s, const struct manifest *m)
{
	char how[WORDS_MAX];

	if (status_is_active(m->status) || m->status == STATUS_DESTROYED)
		return;
	if (s->n_ended++ > 0 && m->ended_ms <= s->last_ms)
		return;
	s->last_ms = m->ended_ms;
	words_status(m, how, sizeof(how));
	snprintf(s->last, sizeof(s->last), "%s %s",
	    m->name[0] != '\0' ? m->name : m->id, how);
}

/* The session may have been removed since the roster was read. */
static void
report_damage(const struct reading *g, const struct roster_row *row)
{
	auto_close int fd = home_session_dir(g->home, row->id, NULL);

	if (fd >= 0)
		damage_look(g->report, &row->m, fd, DAMAGE_DETAIL);
}

static void
take_row(const struct reading *g, struct roster_row *row)
{
	const struct sessions_query *q = g->query;

	if (!label_matches_all(&row->m, q->labels))
		return;
	if (!q->all && !status_is_active(row->m.status)) {
		count_ended(g->to, &row->m);
		return;
	}
	if (!q->quiet)
		damage_report_manifest(g->report, &row->m);
	if (row->damaged)
		report_damage(g, row);
	g->to->items[g->to->n++] = roster_take(row);
}

static void
take_rows(const struct reading *g, struct roster *r)
{
	g->to->items = xcalloc(r->n > 0 ? r->n : 1, sizeof(*g->to->items));
	for (size_t i = 0; i < r->n; i++) {
		struct roster_row *row = &r->rows[i];

		if (row->rc == 0)
			take_row(g, row);
		else if (!g->query->quiet)
			report_note(g->report, "session %s: %s", row->id,
			    row->err.msg);
	}
}

int
sessions_read(struct sessions *s, const struct home *h,
    const struct sessions_query *q, struct report *r, struct fault *f)
{
	const struct reading g = { s, h, q, r };
	struct roster roster;
	struct error err;
	int rc;

	*s = (struct sessions){ 0 };
	rc = roster_read(&roster, h, q->all && !q->quiet, &err);
	if (rc == 0)
		take_rows(&g, &roster);
	sessions_sort(s->items, s->n);
	roster_finish(&roster);
	return rc < 0 ? fault_set(f, FAIL_STORAGE, "%s", err.msg) : 0;
}

void
sessions_finish(struct sessions *s)
{
	for (size_t i = 0; i < s->n; i++)
		manifest_finish(&s->items[i]);
	free(s->items);
	s->items = NULL;
	s->n = 0;
}

/* The state of visiting each home. */
struct visit {
	const struct sessions_query *query;
	struct report *report;
	sessions_fn *fn;
	void *arg;
};

static void
visit_home(const struct visit *v, const char *path)
{
	struct sessions s;
	struct error err;
	struct fault f;
	struct home h;

	if (home_open(&h, path, false, &err) < 0) {
		report_note(v->report, "%s", err.msg);
		return;
	}
	if (sessions_read(&s, &h, v->query, v->report, &f) < 0)
		report_note(v->report, "%s", f.msg);
	else if (s.n > 0)
		v->fn(v->arg, &h, &s);
	sessions_finish(&s);
	home_close(&h);
}

void
sessions_each_home(const struct home *here, const struct sessions_query *q,
    struct report *r, sessions_fn *fn, void *arg)
{
	const struct visit v = { q, r, fn, arg };
	const struct registry_entry *other;
	struct registry known;
	struct error err;

	if (registry_read(&known, &err) < 0)
		report_note(r, "%s", err.msg);
	if (here->sessions_fd >= 0)
		registry_add(&known, here);
	for (size_t i = 0; i < known.n; i++)
		if (registry_is_home(
			registry_look(&known, &known.items[i], &other)) &&
		    other == NULL)
			visit_home(&v, known.items[i].path);
	registry_finish(&known);
}

void
sessions_json(const struct sessions *s, struct json_out *j)
{
	json_out_open(j, '[');
	for (size_t i = 0; i < s->n; i++)
		manifest_json(&s->items[i], j);
	json_out_close(j, ']');
}

void
sessions_json_home(const struct home *h, const struct sessions *s,
    struct json_out *j)
{
	json_out_open(j, '{');
	json_put_text(j, "home", h->path);
	json_out_key(j, "sessions");
	sessions_json(s, j);
	json_out_close(j, '}');
}
