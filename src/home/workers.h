#ifndef TEND_HOME_WORKERS_H
#define TEND_HOME_WORKERS_H

#include <stdbool.h>

#include "base/list.h"

struct loop;
struct workers;

/*
 * Threads for work that would block a loop.  Each running task has a thread of
 * its own, which then waits some seconds for another one; beyond the limit of
 * threads, tasks wait in the order in which they came.  With one thread, tasks
 * also end in that order.
 */
struct task {
	/* The caller sets these: */
	void (*run)(struct task *t);  /* in a thread */
	void (*done)(struct task *t); /* later, in the loop; may free it */
	bool reads; /* it changes nothing: workers_destroy may leave it */

	int error; /* positive errno: it was not run */

	/* Private: */
	struct workers *workers;
	struct list link, ended;
	bool began;
};

/* NULL with errno set if there is no descriptor left. */
struct workers *workers_create(struct loop *loop, unsigned threads,
    unsigned queue);

/*
 * Call `done` for tasks that wait, with ECANCELED; wait for running ones.  A
 * task that only reads is left running with all that it uses if it takes
 * longer than a second; its `done` is never called.
 */
void workers_destroy(struct workers *w); /* NULL is fine */

/* 0, -EAGAIN if the queue is full, or -errno if there is no thread. */
int workers_add(struct workers *w, struct task *t);

bool workers_are_idle(const struct workers *w); /* there is no task */

/* Remove a task that has not begun; false if it has. */
bool workers_withdraw(struct task *t);

#endif
