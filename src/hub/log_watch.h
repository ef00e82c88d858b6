#ifndef TEND_HUB_LOG_WATCH_H
#define TEND_HUB_LOG_WATCH_H

#include <stdbool.h>

#include "base/list.h"

struct log_watches;
struct loop;

/*
 * Learn when the log of a session grows, from the kernel (inotify), without a
 * connection to its host.  One descriptor serves all watchers.  A watcher is
 * called once, and asks again before it reads: so a flood costs one call for
 * each reading, and nothing is missed.
 */
struct log_watcher {
	struct list link;
	int wd; /* -1: not watched now */
	void (*fn)(void *arg);
	void *arg;
};

struct log_watches *log_watches_create(struct loop *loop);
void log_watches_destroy(struct log_watches *w); /* NULL is fine */

void log_watcher_init(struct log_watcher *who, void (*fn)(void *arg),
    void *arg);

/*
 * Call it once when the log changes; dirfd is the session's directory.  False if
 * the kernel cannot tell: look from time to time.
 */
bool log_watch_ask(struct log_watches *w, struct log_watcher *who, int dirfd);

void log_watch_forget(struct log_watcher *who);

#endif
