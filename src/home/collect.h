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

/* A session in the eyes of whoever makes room. */
enum collect_state {
	COLLECT_ACTIVE,
	COLLECT_ENDED,  /* may be removed */
	COLLECT_UNSURE, /* nobody here can tell, or it fails; `why` says so */
};

struct collectable {
	char id[ID_SIZE];
	char name[NAME_SIZE_MAX + 1]; /* "" when it has none */
	char status[24];              /* as `ls` has it */
	enum collect_state state;
	char why[256];
	int64_t ended_ms; /* or when its files were last written */
	uint64_t bytes;   /* on the disk */
};

/* A home, and whether other machines may have sessions in it. */
struct collection {
	const struct home *home;
	bool network;
};

/* -ENOENT: it is gone.  What else goes wrong makes it UNSURE. */
int collect_look(const struct collection *c, const char *id,
    struct collectable *out);

/*
 * Remove a session that was seen as ENDED, if it still is, and tell whether
 * that was done.  When it fails, it is UNSURE from then on.
 */
bool collect_remove(const struct collection *c, struct collectable *s);

/*
 * Read the whole log of a session that was seen as ENDED, and tell of what it
 * lacks; whether it does.
 */
bool collect_check(const struct collection *c, const char *id,
    struct report *to);

/* Compress what an ended session has left as it was. */
int collect_compress(const struct collection *c, const char *id,
    struct compress_result *out);

#endif
