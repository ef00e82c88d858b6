#ifndef TEND_HOST_SYSTEM_THREAD_H
#define TEND_HOST_SYSTEM_THREAD_H

#include <pthread.h>
#include <stdint.h>

/*
 * Start a named thread with a small stack.  It gets no signals but those of a
 * crash and SIGSYS.  Returns 0 or -errno.
 */
int thread_start(pthread_t *out, const char *name, void *(*fn)(void *),
    void *arg);

/* Initialize a condition that uses the monotonic clock. */
void thread_cond_init(pthread_cond_t *cond);

/* Wait until woken, or until this time in ms; -1: without a limit. */
void thread_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until_ms);

/* Use the processor and the disk only when they are idle. */
void thread_be_idle(void);

#endif
