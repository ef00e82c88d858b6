#ifndef TEND_HOST_STORE_CLERK_H
#define TEND_HOST_STORE_CLERK_H

#include <stdbool.h>

struct error;
struct log;
struct manifest;

/*
 * Writes session.json and host.log in a thread of its own, for the loop must
 * not wait for a disk that hangs.  Of both, only so much waits: one manifest,
 * the newest, and a pipe full of lines; lines for which there is no room are
 * lost.
 */
struct clerk;

/* `dirfd` is the session's directory and stays the caller's. */
struct clerk *clerk_create(int dirfd, struct error *err);

/* When all was written. */
void clerk_destroy(struct clerk *c); /* NULL is fine */

/* Let lines of this log go to host.log. */
void clerk_take_log(const struct clerk *c, struct log *log);

/*
 * Write session.json.  Whoever reads it after this has returned finds what is
 * in it now, unless the disk takes longer than CLERK_WAIT_MS; once it has, it
 * is not waited for until it has done what it was given.  With `sync` it is
 * waited for however long it takes, and it is safe on the disk then.
 */
#define CLERK_WAIT_MS 50

/*
 * Whether the disk has taken all that was to be saved, or does so within
 * CLERK_ANSWER_MS: for what must not begin on a disk that hangs.
 */
#define CLERK_ANSWER_MS 500
bool clerk_has_saved(struct clerk *c);
void clerk_save(struct clerk *c, const struct manifest *m, bool sync);

/* The same without waiting. */
void clerk_save_later(struct clerk *c, const struct manifest *m);

#endif
