#ifndef TEND_SESSION_REGISTRY_H
#define TEND_SESSION_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct home;

/*
 * The homes of this user that have had sessions on this machine (K-02), for
 * listing them all.  The registry is a hint: the homes themselves hold the
 * truth, nothing needs an entry, and a lost entry comes back with the next
 * session.
 *
 *	$XDG_STATE_HOME/tend/homes.MACHINE	0600, replaced whole
 *
 *	tend homes 1
 *	DEVICE INODE USED_MS PATH		the last used first
 *
 * MACHINE is a hash of the machine's id, because several machines may share a
 * home directory.  Control characters and backslashes in a path are written as
 * \xNN.  Invalid lines are skipped.
 */
#define REGISTRY_MAX 1000

struct registry_entry {
	char *path;
	uint64_t dev, ino; /* of the directory, at that time */
	int64_t used_ms;   /* since 1970, to within a day */
};

struct registry {
	struct registry_entry *items;
	size_t n;
};

/* A missing file is an empty registry.  r is also empty after a failure. */
int registry_read(struct registry *r, struct error *err);
void registry_finish(struct registry *r);

/*
 * Enter a home.  Nothing is written if it was entered less than a day ago.
 * The wait for the lock is short.  0 or -errno, which callers may ignore.
 */
int registry_record(const struct home *h);

/* The same in r alone, if it is missing there; nothing is written. */
void registry_add(struct registry *r, const struct home *h);

/* Remove an entry; the home itself stays.  -ENOENT: no such entry. */
int registry_forget(const char *path, struct error *err);

/*
 * Remove useless entries: homes that moved to a path that has its own entry,
 * and homes missing for REGISTRY_KEEP_DAYS and not used since.
 */
#define REGISTRY_KEEP_DAYS 30
int registry_prune(void);

/* The state of an entry's path now. */
enum registry_state {
	REGISTRY_THERE,
	REGISTRY_REPLACED, /* a home, but another directory */
	REGISTRY_GONE,     /* nothing there */
	REGISTRY_MOVED,    /* nothing there; it is elsewhere */
	REGISTRY_NO_HOME,  /* no home, or one without sessions */
	REGISTRY_CLOSED,   /* not accessible */
};

/* True if a home is there: THERE or REPLACED. */
bool registry_is_home(enum registry_state s);
const char *registry_state_name(enum registry_state s);

/*
 * Check an entry of r.  With MOVED, *other is the entry of the directory's
 * present path.  With THERE, *other is an earlier entry for the same directory
 * under another path, or NULL.  This waits for the entry's disk.
 */
enum registry_state registry_look(const struct registry *r,
    const struct registry_entry *e, const struct registry_entry **other);

#endif
