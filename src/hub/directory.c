#include "hub/directory.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "session/manifest.h"

#define JSON_MAX (1u << 20) /* session.json has at most a quarter of that */

struct directory {
	struct directory_session **sessions; /* by id */
	size_t n, cap;
	bool begun;
	struct list followers;
	struct list events; /* oldest first */
	size_t n_events, events_size;
	uint64_t last;
};

static const char *const type_names[DIRECTORY_TYPES] = {
	[DIRECTORY_CREATED] = "created",
	[DIRECTORY_CHANGED] = "changed",
	[DIRECTORY_RENAMED] = "renamed",
	[DIRECTORY_ENDED] = "ended",
	[DIRECTORY_ACTIVITY] = "activity",
	[DIRECTORY_NOTIFICATION] = "notification",
	[DIRECTORY_REMOVED] = "removed",
};

const char *
directory_type_name(enum directory_type type)
{
	return type_names[type];
}

/* ------------------------------------------------------------------ events */

static struct directory_event *
event_of(struct list *link)
{
	return container_of(link, struct directory_event, link);
}

static size_t
size_of(const struct directory_event *e)
{
	return sizeof(*e) + strlen(e->name) + strlen(e->from) +
	    strlen(e->json) + (e->shown != NULL ? strlen(e->shown) : 0) + 4;
}

static void
forget_oldest(struct directory *d)
{
	struct directory_event *e = event_of(d->events.next);

	d->n_events--;
	d->events_size -= size_of(e);
	list_remove(&e->link);
	free(e->name);
	free(e->from);
	free(e->json);
	free(e->shown);
	free(e);
}

static void
emit(struct directory *d, enum directory_type type,
    const struct directory_session *s, const char *from)
{
	struct directory_event *e = xcalloc(1, sizeof(*e));

	e->number = ++d->last;
	e->type = type;
	memcpy(e->id, s->id, ID_SIZE);
	e->name = xstrdup(s->name);
	e->from = xstrdup(from);
	e->json = xstrdup(type == DIRECTORY_REMOVED ? "" : s->json);
	if (type != DIRECTORY_REMOVED && s->shown != NULL)
		e->shown = xstrdup(s->shown);
	list_append(&d->events, &e->link);
	d->n_events++;
	d->events_size += size_of(e);
	while (d->n_events > DIRECTORY_EVENTS_MAX ||
	    (d->n_events > 1 && d->events_size > DIRECTORY_EVENTS_SIZE))
		forget_oldest(d);
	list_for_each_safe(it, &d->followers) {
		struct directory_follower *f = container_of(it,
		    struct directory_follower, link);

		f->fn(f->arg, e);
	}
}

void
directory_follow(struct directory *d, struct directory_follower *f)
{
	list_append(&d->followers, &f->link);
}

uint64_t
directory_last(const struct directory *d)
{
	return d->last;
}

const struct directory_event *
directory_after(const struct directory *d, uint64_t number, bool *gap)
{
	uint64_t first = d->last - d->n_events + 1;

	*gap = number > d->last || number + 1 < first;
	if (*gap || number == d->last)
		return NULL;
	/* Clients that follow are near the end. */
	for (struct list *it = d->events.prev;; it = it->prev) {
		if (event_of(it)->number == number + 1)
			return event_of(it);
	}
}

/* ---------------------------------------------------------------- sessions */

static void
free_session(struct directory_session *s)
{
	free(s->name);
	free(s->json);
	free(s->shown);
	free(s);
}

struct directory *
directory_create(void)
{
	struct directory *d = xcalloc(1, sizeof(*d));

	list_init(&d->followers);
	list_init(&d->events);
	return d;
}

void
directory_destroy(struct directory *d)
{
	if (d == NULL)
		return;
	while (d->n_events > 0)
		forget_oldest(d);
	for (size_t i = 0; i < d->n; i++)
		free_session(d->sessions[i]);
	free(d->sessions);
	free(d);
}

void
directory_begin(struct directory *d)
{
	d->begun = true;
}

size_t
directory_count(const struct directory *d)
{
	return d->n;
}

const struct directory_session *
directory_at(const struct directory *d, size_t i)
{
	return d->sessions[i];
}

size_t
directory_index(const struct directory *d, const char *id)
{
	size_t low = 0, high = d->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(d->sessions[middle]->id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct directory_session *
directory_find(const struct directory *d, const char *id)
{
	size_t i = directory_index(d, id);

	return i < d->n && strcmp(d->sessions[i]->id, id) == 0 ?
	    d->sessions[i] :
	    NULL;
}

static void
insert(struct directory *d, size_t i, struct directory_session *s)
{
	if (d->n == d->cap) {
		d->cap = d->cap == 0 ? 64 : 2 * d->cap;
		d->sessions = xrealloc(d->sessions, d->cap,
		    sizeof(*d->sessions));
	}
	memmove(d->sessions + i + 1, d->sessions + i,
	    (d->n - i) * sizeof(*d->sessions));
	d->sessions[i] = s;
	d->n++;
}

/* ---------------------------------------------------------------- changes */

static char *
json_of(const struct manifest *m)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, JSON_MAX);
	json_out_init(&j, &b);
	manifest_json(m, &j);
	return buf_take(&b);
}

/* FNV-1a */
static uint64_t
hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *s != '\0'; s++)
		h = (h ^ (uint8_t)*s) * 0x100000001b3;
	return h;
}

/* A hash of the session without its name and all that is activity. */
static uint64_t
hash_rest(const struct manifest *m)
{
	struct manifest calm = *m; /* borrows what m owns */
	auto_free char *json = NULL;

	calm.name[0] = calm.title[0] = calm.last_line[0] = '\0';
	calm.seq = calm.offset = calm.log_bytes = 0;
	calm.said.state[0] = calm.agent.name[0] = '\0';
	calm.notices = (struct notices){ 0 };
	json = json_of(&calm);
	return hash(json);
}

/* Only administrators may know about captures of failures (B-45). */
static char *
shown_of(const struct manifest *m)
{
	struct manifest open = *m; /* borrows what m owns */

	if (m->post_mortem == NULL)
		return NULL;
	open.post_mortem = NULL;
	return json_of(&open);
}

static struct directory_session *
session_of(const struct manifest *m)
{
	struct directory_session *s = xcalloc(1, sizeof(*s));

	memcpy(s->id, m->id, ID_SIZE);
	s->active = status_is_active(m->status);
	s->status = m->status;
	s->changed_ms = m->ended_ms != 0 ? m->ended_ms : m->created_ms;
	s->name = xstrdup(m->name);
	s->json = json_of(m);
	s->shown = shown_of(m);
	s->calls = m->notices.bells + m->notices.count;
	s->rest = hash_rest(m);
	return s;
}

static void
compare(struct directory *d, const struct directory_session *was,
    const struct directory_session *is)
{
	uint64_t before = d->last;

	if (strcmp(was->name, is->name) != 0)
		emit(d, DIRECTORY_RENAMED, is, was->name);
	if (is->calls > was->calls)
		emit(d, DIRECTORY_NOTIFICATION, is, is->name);
	if (was->active && !is->active)
		emit(d, DIRECTORY_ENDED, is, is->name);
	else if (was->rest != is->rest)
		emit(d, DIRECTORY_CHANGED, is, is->name);
	else if (d->last == before)
		emit(d, DIRECTORY_ACTIVITY, is, is->name);
}

void
directory_take(struct directory *d, const struct manifest *m)
{
	size_t i = directory_index(d, m->id);
	struct directory_session *s = session_of(m), *was = NULL;

	if (i < d->n && strcmp(d->sessions[i]->id, s->id) == 0) {
		was = d->sessions[i];
		d->sessions[i] = s;
	} else {
		insert(d, i, s);
	}
	if (d->begun && was == NULL)
		emit(d, DIRECTORY_CREATED, s, s->name);
	else if (d->begun && strcmp(was->json, s->json) != 0)
		compare(d, was, s);
	if (was != NULL)
		free_session(was);
}

void
directory_drop(struct directory *d, const char *id)
{
	size_t i = directory_index(d, id);
	struct directory_session *s;

	if (i == d->n || strcmp(d->sessions[i]->id, id) != 0)
		return;
	s = d->sessions[i];
	d->n--;
	memmove(d->sessions + i, d->sessions + i + 1,
	    (d->n - i) * sizeof(*d->sessions));
	if (d->begun)
		emit(d, DIRECTORY_REMOVED, s, s->name);
	free_session(s);
}
