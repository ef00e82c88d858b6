#ifndef TEND_HOST_STORE_OPENER_H
#define TEND_HOST_STORE_OPENER_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct log_end;
struct log_writer;

/* log/ in a session's directory, which is made if it is not there. */
int opener_directory(int dirfd); /* or -errno */

/* Open the log in it to write; see log_writer_open. */
int opener_open(int dirfd, struct log_writer **writer, struct log_end *end,
    struct error *err);

/*
 * Tries that in a thread of its own, and again every second, until it succeeds.
 * The descriptor stays the caller's.
 */
struct opener;

struct opener *opener_create(int dirfd); /* NULL: no thread */
void opener_destroy(struct opener *o);   /* NULL is fine */

/*
 * Wait for the first try.  0: it has been opened.  Otherwise -errno and why; if
 * one may give up, -ETIMEDOUT when the disk has not answered in time.
 */
#define OPENER_HANGS_MS 300
int opener_wait(struct opener *o, bool give_up, struct error *err);

/* From now on write to this eventfd when the log is open. */
void opener_notify(struct opener *o, int fd);

/*
 * What it has opened becomes the caller's; false: nothing yet, or a log that
 * ends behind this offset.
 */
bool opener_take(struct opener *o, uint64_t offset, struct log_writer **writer,
    struct log_end *end);

#endif
