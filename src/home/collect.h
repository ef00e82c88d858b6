#ifndef TEND_HOME_COLLECT_H
#define TEND_HOME_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id.h"
#include "session/home.h"
#include "session/manifest.h"

struct compress_result;
struct error;
struct report;

/* A session, as garbage collection sees it. */
enum collect_state {
	COLLECT_ACTIVE,
	COLLECT_ENDED,  /* may be removed */
	COLLECT_UNSURE, /* it cannot be checked or removed; see `why` */
};

struct collectable {
	char id[ID_SIZE];
	char name[NAME_SIZE_MAX + 1]; /* "" if it has none */
	char status[24];              /* the status that `ls` shows */
	enum collect_state state;
	char why[256];
	int64_t ended_ms; /* if unknown, when its files were last written */
	uint64_t bytes;   /* disk space */
};

/* A home.  `network` is true if other machines may have sessions in it. */
struct collection {
	const struct home *home;
	bool network;
};

/*
 * Returns -ENOENT if the session no longer exists.  Other errors make it
 * UNSURE.
 */
int collect_look(const struct collection *c, const char *id,
    struct collectable *out);

/*
 * Remove a session that was ENDED, if it still is; true if it was removed.
 * After a failure the session is UNSURE.
 */
bool collect_remove(const struct collection *c, struct collectable *s);

/*
 * Read the whole log of an ENDED session and report its damage; true if there
 * is any.
 */
bool collect_check(const struct collection *c, const char *id,
    struct report *to);

/* Compress the uncompressed log files of an ended session. */
int collect_compress(const struct collection *c, const char *id,
    struct compress_result *out);

#endif
