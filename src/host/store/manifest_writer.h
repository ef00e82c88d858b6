#ifndef TEND_HOST_STORE_MANIFEST_WRITER_H
#define TEND_HOST_STORE_MANIFEST_WRITER_H

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
struct manifest_writer;

/* `dirfd` is the session's directory and stays the caller's. */
struct manifest_writer *manifest_writer_create(int dirfd, struct error *err);

/* When all was written. */
void manifest_writer_destroy(struct manifest_writer *c); /* NULL is fine */

/* Let lines of this log go to host.log. */
void manifest_writer_take_log(const struct manifest_writer *c, struct log *log);

/*
 * Write session.json.  Whoever reads it after this has returned finds what is
 * in it now, unless the disk takes longer than MANIFEST_WRITER_WAIT_MS; once it has, it
 * is not waited for until it has done what it was given.  With `sync` it is
 * waited for however long it takes, and it is safe on the disk then.
 */
#define MANIFEST_WRITER_WAIT_MS 50

/*
 * Whether the disk has taken all that was to be saved, or does so within
 * MANIFEST_WRITER_ANSWER_MS: for what must not begin on a disk that hangs.
 */
#define MANIFEST_WRITER_ANSWER_MS 500
bool manifest_writer_has_saved(struct manifest_writer *c);
void manifest_writer_save(struct manifest_writer *c, const struct manifest *m,
    bool sync);

/* The same without waiting. */
void manifest_writer_save_later(struct manifest_writer *c,
    const struct manifest *m);

#endif
