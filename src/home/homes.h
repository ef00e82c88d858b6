#ifndef TEND_HOME_HOMES_H
#define TEND_HOME_HOMES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/disk.h"
#include "session/registry.h"

struct fault;
struct home;
struct json_out;
struct report;

#define HOMES_NOTE_MAX (PATH_MAX + 256)

/* A home in the registry, and its current state. */
struct homes_row {
	const struct registry_entry *entry;
	enum registry_state state;
	bool here; /* this is the caller's own home */
	unsigned active, sessions;
	uint64_t log_bytes;
	struct disk disk; /* kind is NULL if unknown */
	const char *moved_to;
	char note[HOMES_NOTE_MAX]; /* "": none */
};

struct homes {
	struct registry registry;
	struct homes_row *rows; /* most recently used first */
	size_t n;
};

/*
 * All homes of this user on this machine, or those with an active session.  The
 * list includes `here`, the caller's own home.  An unreadable registry is
 * reported.
 */
void homes_read(struct homes *l, const struct home *here, bool all,
    struct report *r);
void homes_finish(struct homes *l);

/* The result array of `tend homes --json`. */
void homes_json(const struct homes *l, struct json_out *j);

/*
 * Remove a home from the registry, by its path in the list or by another path
 * that leads there.  The home itself may be missing.  *path is the path of the
 * removed entry; homes_json_forgotten puts it in the result object.
 */
int homes_forget(const char *dir, char path[PATH_MAX], struct fault *f);
void homes_json_forgotten(const char *path, struct json_out *j);

#endif
