#ifndef TEND_SESSION_CONFINEMENT_H
#define TEND_SESSION_CONFINEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "session/grant.h"
#include "session/manifest.h"

/*
 * What a session's programs may do to other sessions.  A confined one's may
 * observe, drive and control the sessions that it created, directly or through
 * these, and those of its home that a grant names; nothing else.
 *
 * It stands in the command line of the session's keeper, where a program of the
 * session cannot change it as it can its own environment, and where a host can
 * read it without waiting for a disk:
 *
 *	session=ID home=DEVICE:INODE [by=ID]... [confined] [may=GRANT]...
 *
 * A keeper without these words is of an older tend and confines nothing.  Pure.
 */
#define CONFINEMENT_CREATORS_MAX MANIFEST_CREATORS_MAX
#define CONFINEMENT_WORDS_MAX (3 + CONFINEMENT_CREATORS_MAX + GRANTS_MAX)
#define CONFINEMENT_BYTES_MAX (16u << 10) /* of all words, before the "--" */

struct confinement {
	char id[ID_SIZE];            /* "": not said */
	uint64_t home_dev, home_ino; /* of the home's sessions/; 0: not said */
	bool confined;
	/* The sessions it was created in, the nearest first. */
	char creators[CONFINEMENT_CREATORS_MAX][ID_SIZE];
	size_t n_creators;
	struct grant grants[GRANTS_MAX];
	size_t n_grants;
};

/* As session.json says it; grants that are none are left out. */
void confinement_of(struct confinement *c, const struct manifest *m,
    uint64_t home_dev, uint64_t home_ino);

/* The words, ended by NULL; one block for free(). */
char **confinement_words(const struct confinement *c);

/*
 * From a keeper's command line, each word ended by a NUL.  One that is damaged
 * confines, without a grant.
 */
void confinement_read(struct confinement *c, const char *p, size_t len);

/* Whether its programs may do this to a session. */
bool confinement_allows(const struct confinement *c,
    const struct confinement *target, const char *name,
    enum op_permission permission);

/* Whether one of its grants covers this one. */
bool confinement_covers(const struct confinement *c, const struct grant *g);

#endif
