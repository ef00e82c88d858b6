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

/* A home that the registry knows, and what is true of it now. */
struct homes_row {
	const struct registry_entry *entry;
	enum registry_state state;
	bool here; /* it is the caller's own home */
	unsigned active, sessions;
	uint64_t log_bytes;
	struct disk disk; /* kind is NULL when it is not known */
	const char *moved_to;
	char note[HOMES_NOTE_MAX]; /* "" for none */
};

struct homes {
	struct registry registry;
	struct homes_row *rows; /* the last used first */
	size_t n;
};

/*
 * All homes of this user on this machine, or those with an active session.
 * `here` is the caller's own and is among them.  A registry that cannot be read
 * is reported.
 */
void homes_read(struct homes *l, const struct home *here, bool all,
    struct report *r);
void homes_finish(struct homes *l);

/* The array that `tend homes --json` has as its result. */
void homes_json(const struct homes *l, struct json_out *j);

/*
 * Take a home off the list, by its path in the list or by any other that leads
 * there, or that would if the home were not gone.  *path is the entry's.
 */
int homes_forget(const char *dir, char path[PATH_MAX], struct fault *f);

#endif
