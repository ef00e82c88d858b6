#ifndef TEND_HOST_STORE_LOG_OPENER_H
#define TEND_HOST_STORE_LOG_OPENER_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct log_end;
struct log_writer;

/* Open log/ in a session's directory; create it if it does not exist. */
int log_opener_directory(int dirfd); /* or -errno */

/*
 * Opens the log in a thread of its own, and retries every second until it
 * succeeds.  The descriptor stays the caller's.
 */
struct log_opener;

struct log_opener *log_opener_create(int dirfd); /* NULL: no thread */
void log_opener_destroy(struct log_opener *o);   /* NULL is fine */

/*
 * Wait for the first try.  0: the log is open.  Otherwise -errno and the
 * reason; with `give_up`, -ETIMEDOUT if the disk has not responded in time.
 */
#define LOG_OPENER_HANGS_MS 300
int log_opener_wait(struct log_opener *o, bool give_up, struct error *err);

/* From now on write to this eventfd when the log is open. */
void log_opener_notify(struct log_opener *o, int fd);

/*
 * Take over the opened log.  False: it is not open yet, or it ends after this
 * offset.
 */
bool log_opener_take(struct log_opener *o, uint64_t offset,
    struct log_writer **writer, struct log_end *end);

#endif
