#ifndef TEND_HUB_INBOX_H
#define TEND_HUB_INBOX_H

#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

/*
 * A file that arrives in the directory `files` of a session.  It has a hidden
 * name until it is complete, so nobody reads a part of it.  The hub makes the
 * name: the readable part of the wished one and eight characters of chance.
 * Nothing follows a symbolic link or leaves the directory, no file is ever
 * replaced, and all are 0600.
 *
 * Limits: the files of a session take at most INBOX_TOTAL_MAX; a small one
 * counts as INBOX_LEAST, one that still arrives as INBOX_FILE_MAX.  The logs of
 * the home's sessions keep INBOX_FREE of the disk.  Hidden
 * files that are older than INBOX_DRAFT_S are from a hub that was killed, and
 * are removed.
 *
 * All of this blocks; no two threads may use one inbox at once.
 */
#define INBOX_FILE_MAX (8u << 20)
#define INBOX_TOTAL_MAX (1ull << 30)
#define INBOX_LEAST 4096u
#define INBOX_FREE (16u << 20)
#define INBOX_DRAFT_S 600
#define INBOX_NAME_SIZE 96

struct inbox {
	int dir, fd;                /* -1: none */
	char unique[ID_SIZE];       /* of this file */
	char draft[ID_SIZE + 8];    /* its hidden name, or "" */
	char name[INBOX_NAME_SIZE]; /* its name, once it is kept */
};

/* Before everything else; unique is an id of its own. */
void inbox_init(struct inbox *b, const char *unique);

/* Begin a file.  0, -EDQUOT if the session has too many, or another -errno. */
int inbox_open(struct inbox *b, int session_dirfd);
int inbox_write(struct inbox *b, const void *p, size_t len);

/* It is complete: give it its name.  `wished` may be anything, or NULL. */
int inbox_keep(struct inbox *b, const char *wished);

/* Close it, and remove it, kept or not. */
void inbox_drop(struct inbox *b);

/* Close it. */
void inbox_finish(struct inbox *b);

/*
 * The name that a wished one becomes: letters, digits, dots, dashes and
 * underscores of ASCII, not hidden, no option, with its ending.
 */
void inbox_name(char out[INBOX_NAME_SIZE], const char *wished,
    const char *unique);

#endif
