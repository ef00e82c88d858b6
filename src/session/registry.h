#ifndef TEND_SESSION_REGISTRY_H
#define TEND_SESSION_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct home;

/*
 * Which homes of this user have hosted a session on this machine (K-02), for
 * whoever wants to see them all.  It is advice: what is true is in the homes,
 * nothing needs an entry, and an entry that goes comes again with the next
 * session.
 *
 *	$XDG_STATE_HOME/tend/homes.MACHINE	0600, replaced whole
 *
 *	tend homes 1
 *	DEVICE INODE USED_MS PATH		the last used first
 *
 * MACHINE is a hash of the machine's id, for a home directory may be shared by
 * several.  Control characters and backslashes of a path are written as \xNN.
 * Lines that make no sense are skipped.
 */
#define REGISTRY_MAX 1000

struct registry_entry {
	char *path;
	uint64_t dev, ino; /* of the directory, when it was used */
	int64_t used_ms;   /* since 1970, give or take a day */
};

struct registry {
	struct registry_entry *items;
	size_t n;
};

/* No file is an empty registry; so is r after a failure. */
int registry_read(struct registry *r, struct error *err);
void registry_finish(struct registry *r);

/*
 * Enter a home.  Nothing is written when it was entered less than a day ago;
 * nobody is waited for, but for a moment.  0 or -errno, which matters little.
 */
int registry_record(const struct home *h);

/* The same in r alone, unless it is there; nothing is written. */
void registry_add(struct registry *r, const struct home *h);

/* Take an entry out; the home stays as it is.  -ENOENT: there is none. */
int registry_forget(const char *path, struct error *err);

/*
 * Take out what is of no use any more: entries of homes that were moved to
 * where another entry is, and those not seen for so long that have not been
 * used since.
 */
#define REGISTRY_KEEP_DAYS 30
int registry_prune(void);

/* What is now where an entry says that a home is. */
enum registry_state {
	REGISTRY_THERE,
	REGISTRY_REPLACED, /* a home, but another directory than it was */
	REGISTRY_GONE,     /* nothing */
	REGISTRY_MOVED,    /* nothing, but the same directory is elsewhere */
	REGISTRY_NO_HOME,  /* something else, or without sessions */
	REGISTRY_CLOSED,   /* it cannot be looked at */
};

/* Whether there is a home, THERE or REPLACED. */
bool registry_is_home(enum registry_state s);
const char *registry_state_name(enum registry_state s);

/*
 * Look at an entry of r.  With MOVED, *other is the entry of the place where
 * the directory is now; with THERE, an earlier entry of the very same directory
 * under another path, or NULL.  This waits for the disk it lies on.
 */
enum registry_state registry_look(const struct registry *r,
    const struct registry_entry *e, const struct registry_entry **other);

#endif
