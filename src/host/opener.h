#ifndef TEND_HOST_OPENER_H
#define TEND_HOST_OPENER_H

#include <stdbool.h>

struct error;
struct log_end;
struct log_writer;

/* log/ in a session's directory, which is made if it is not there. */
int opener_directory(int dirfd); /* or -errno */

/* Open the log in it to write; see log_writer_open. */
int opener_open(int dirfd, struct log_writer **writer, struct log_end *end,
    struct error *err);

/*
 * Tries that again once a second, in a thread of its own, until it succeeds;
 * then writes to notify_fd.  Both descriptors stay the caller's.
 */
struct opener;

struct opener *opener_create(int dirfd, int notify_fd);
void opener_destroy(struct opener *o); /* NULL is fine */

/* What it has opened becomes the caller's; false: nothing yet. */
bool opener_take(struct opener *o, struct log_writer **writer,
    struct log_end *end);

#endif
