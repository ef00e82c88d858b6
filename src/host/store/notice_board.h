#ifndef TEND_HOST_STORE_NOTICE_BOARD_H
#define TEND_HOST_STORE_NOTICE_BOARD_H

#include "base/loop.h"

/*
 * The times at which session.json is written because something changed that
 * listings show: the size, the title, the program's status, notices, viewers,
 * the last line.  One inotify watch on the session's directory then tells a reader all
 * of it.
 *
 * After a quiet second a change is written within NOTICE_BOARD_SOON_MS; the
 * delay lets changes that belong together go into one file.  Until a second
 * has passed since the last write, changes wait, and only the newest state is
 * written: at most one write a second, however often the program changes its
 * title.  Without a change nothing is written.
 */
#define NOTICE_BOARD_SOON_MS 20
#define NOTICE_BOARD_EVERY_MS 1000

struct notice_board;

/* `write` passes the present state to the disk and must not wait for it. */
struct notice_board *notice_board_create(struct loop *loop, loop_fn *write,
    void *arg);
void notice_board_destroy(struct notice_board *b); /* NULL is fine */

/* Something changed that listings show. */
void notice_board_changed(struct notice_board *b);

/* session.json was written for another reason and has all changes so far. */
void notice_board_written(struct notice_board *b); /* NULL is fine */

#endif
