#ifndef TEND_HOST_SYSTEM_THREAD_H
#define TEND_HOST_SYSTEM_THREAD_H

#include <pthread.h>
#include <stdint.h>

/* A named thread with a small stack that gets no signals; 0 or -errno. */
int thread_start(pthread_t *out, const char *name, void *(*fn)(void *),
    void *arg);

/* A condition that is waited for by the monotonic clock. */
void thread_cond_init(pthread_cond_t *cond);

/* Wait until woken, or until that moment in ms; -1: for ever. */
void thread_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until_ms);

/* Run and use the disk only when nobody else wants to. */
void thread_be_idle(void);

#endif
