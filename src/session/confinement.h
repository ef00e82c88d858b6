#ifndef TEND_SESSION_CONFINEMENT_H
#define TEND_SESSION_CONFINEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "session/grant.h"
#include "session/manifest.h"

/*
 * The limits on a session's programs when they act on other sessions.  A
 * program in a confined session has these rights and no others:
 *
 *	- it may observe, drive and control each session that its session
 *	  created, directly or through another one
 *	- it may use a session of its home as far as a grant allows
 *
 * The confinement is in the command line of the session's keeper.  A program
 * of the session can change its own environment, but not that command line;
 * and a host can read it without waiting for a disk:
 *
 *	session=ID home=DEVICE:INODE [by=ID]... [confined] [may=GRANT]...
 *
 * A keeper without these words belongs to an older tend and confines nothing.
 * Pure.
 */
#define CONFINEMENT_CREATORS_MAX MANIFEST_CREATORS_MAX
#define CONFINEMENT_WORDS_MAX (3 + CONFINEMENT_CREATORS_MAX + GRANTS_MAX)
#define CONFINEMENT_BYTES_MAX (16u << 10) /* of all words, before the "--" */

struct confinement {
	char id[ID_SIZE];            /* "": not given */
	uint64_t home_dev, home_ino; /* of the home's sessions/; 0: not given */
	bool confined;
	/* The sessions that it was created in, nearest first. */
	char creators[CONFINEMENT_CREATORS_MAX][ID_SIZE];
	size_t n_creators;
	size_t n_grants;
	struct grant grants[GRANTS_MAX]; /* last, for confinement_shrink */
};

/*
 * Take the confinement from session.json; leave out invalid ids and grants.
 * home_dev and home_ino are those of the home's sessions/.
 */
void confinement_of(struct confinement *c, const struct manifest *m,
    uint64_t home_dev, uint64_t home_ino);

/*
 * Give back the memory of grants that it does not have: 8 KiB, most of it.  c
 * is from malloc; the result replaces it and must not be copied.
 */
struct confinement *confinement_shrink(struct confinement *c);

/*
 * Return the words for a keeper's command line, ended by NULL.  The caller
 * frees the list with one free(), which frees the words too.
 */
char **confinement_words(const struct confinement *c);

/*
 * Read a keeper's command line, in which a NUL ends each word, up to the word
 * "--".  If it has no "--" or an invalid word, the session counts as confined
 * and has no grants.
 */
void confinement_read(struct confinement *c, const char *p, size_t len);

/*
 * True if programs of the session c may do this to the session `target`, whose
 * name is `name`.
 */
bool confinement_allows(const struct confinement *c,
    const struct confinement *target, const char *name,
    enum op_permission permission);

/* True if both are of the same home; a grant holds in its own home only. */
bool confinement_is_one_home(const struct confinement *a,
    const struct confinement *b);

/*
 * True if the session is not confined, or if `made` is a session of its home
 * and one of its grants allows all that g allows.
 */
bool confinement_covers(const struct confinement *c,
    const struct confinement *made, const struct grant *g);

#endif
