#ifndef TEND_HOST_STORE_MANIFEST_WRITER_H
#define TEND_HOST_STORE_MANIFEST_WRITER_H

#include <stdbool.h>

struct error;
struct log;
struct manifest;

/*
 * Writes session.json and host.log in a thread of its own, because the loop
 * must not wait for a disk that hangs.  The queue is bounded: one manifest,
 * the newest, and a pipe full of lines.  Lines that do not fit are lost.
 */
struct manifest_writer;

/* `dirfd` is the session's directory and stays the caller's. */
struct manifest_writer *manifest_writer_create(int dirfd, struct error *err);

/* Waits until all is written. */
void manifest_writer_destroy(struct manifest_writer *c); /* NULL is fine */

/* Send the lines of this log to host.log. */
void manifest_writer_take_log(const struct manifest_writer *c, struct log *log);

/*
 * Write session.json.  After this returns, a reader finds the present
 * manifest, unless the disk takes longer than MANIFEST_WRITER_WAIT_MS.  If it
 * does, later calls return at once until the disk has caught up.  With `sync`
 * this waits without a limit, and the file is safe on the disk.
 */
#define MANIFEST_WRITER_WAIT_MS 50

/*
 * True if the disk has accepted all manifests, or does so before it is behind
 * for MANIFEST_WRITER_ANSWER_MS; for steps that must not begin on a disk that
 * hangs, and for changes that the file must have before their answer.  A disk that is behind for longer is not waited for.
 */
#define MANIFEST_WRITER_ANSWER_MS 500
bool manifest_writer_has_saved(struct manifest_writer *c);
void manifest_writer_save(struct manifest_writer *c, const struct manifest *m,
    bool sync);

/* Like manifest_writer_save, without waiting. */
void manifest_writer_save_later(struct manifest_writer *c,
    const struct manifest *m);

#endif
