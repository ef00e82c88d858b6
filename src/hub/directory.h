#ifndef TEND_HUB_DIRECTORY_H
#define TEND_HUB_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "base/list.h"

struct buf;
struct directory;
struct manifest;

/*
 * The sessions of the home as the hub knows them, and the events of their
 * changes.  follow.h reads the files and calls directory_take and
 * directory_drop; the rest of the hub reads this, and asks no host.
 *
 * Every change is one event, of the most specific type; a write of session.json
 * may contain several changes.  An event has the whole session as it was after
 * the change, so a client that replaces what it has is up to date.
 */
enum directory_type {
	DIRECTORY_CREATED,
	DIRECTORY_CHANGED,      /* settings, size, viewers, labels … */
	DIRECTORY_RENAMED,      /* `from` is the old name */
	DIRECTORY_ENDED,        /* the program has ended, or is lost */
	DIRECTORY_ACTIVITY,     /* only output, title, last line, own status */
	DIRECTORY_NOTIFICATION, /* a notification or a bell */
	DIRECTORY_REMOVED,      /* the files are gone; `json` is "" */
	DIRECTORY_TYPES
};

const char *directory_type_name(enum directory_type type);

struct directory_event {
	struct list link; /* the directory's */
	uint64_t number;  /* 1, 2, 3 … */
	enum directory_type type;
	char id[ID_SIZE];
	char *name;  /* after the change; of a removed one the last */
	char *from;  /* before it; the same unless it was renamed */
	char *json;  /* the session as session.list shows it; "": removed */
	char *shown; /* without what only admins may see; NULL: json */
};

/* A session; valid until the end of the turn. */
struct directory_session {
	char id[ID_SIZE];
	bool active;
	unsigned status;    /* enum status */
	int64_t changed_ms; /* its end; while it is active, its creation */
	char *name;
	char *json;  /* as session.list shows it */
	char *shown; /* without what only admins may see; NULL: json */
	/* For the comparison with the next state: */
	uint64_t calls; /* bells and notifications */
	uint64_t rest;  /* a hash of all that is no activity */
};

/*
 * The events that are kept for clients that come back: the last
 * DIRECTORY_EVENTS_MAX, and at most DIRECTORY_EVENTS_SIZE bytes of them.
 * A client that needs an older one gets the whole state instead.
 */
#define DIRECTORY_EVENTS_MAX 1024
#define DIRECTORY_EVENTS_SIZE (2u << 20)

struct directory *directory_create(void);
void directory_destroy(struct directory *d); /* NULL is fine */

/* The state of a session was read. */
void directory_take(struct directory *d, const struct manifest *m);
/* The session has gone. */
void directory_drop(struct directory *d, const char *id);

/*
 * Until this call, directory_take makes no events: the sessions that a hub
 * finds at its start are not new.
 */
void directory_begin(struct directory *d);

/* NULL: there is no such session. */
const struct directory_session *directory_find(const struct directory *d,
    const char *id);

/* The sessions by id, oldest first. */
size_t directory_count(const struct directory *d);
const struct directory_session *directory_at(const struct directory *d,
    size_t i);
/* The index of the first session with this or a later id. */
size_t directory_index(const struct directory *d, const char *id);

/*
 * Call fn for each event, from directory_take and directory_drop.  It must not
 * change the directory.  list_remove(&f->link) ends it.
 */
struct directory_follower {
	struct list link;
	void (*fn)(void *arg, const struct directory_event *e);
	void *arg;
};
void directory_follow(struct directory *d, struct directory_follower *f);

/*
 * The number of the last event, and the event after that number: NULL if it is
 * the last.  An event that is not kept any more sets *gap.
 */
uint64_t directory_last(const struct directory *d);
const struct directory_event *directory_after(const struct directory *d,
    uint64_t number, bool *gap);

#endif
