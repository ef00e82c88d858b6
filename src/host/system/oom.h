#ifndef TEND_HOST_SYSTEM_OOM_H
#define TEND_HOST_SYSTEM_OOM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct loop;

/*
 * Watches memory.events of a session's cgroup, and tells when the kernel has
 * ended a process there because memory ran out.  The kernel does not say which.
 * It takes the largest, and the file also changes when the limit is reached,
 * which is before; so whoever was the largest then is named.
 */
struct oom_kill {
	uint64_t count; /* so far */
	pid_t pid;      /* of the largest process; 0: nobody was seen */
	uint64_t rss;   /* bytes it had */
	char name[32];
};

struct oom;
typedef void oom_fn(void *arg, const struct oom_kill *k);

/* NULL where there is no such file to watch. */
struct oom *oom_create(struct loop *loop, const char *cgroup, oom_fn *fn,
    void *arg);
void oom_destroy(struct oom *o); /* NULL is fine */

/* Look now; the file is looked at by itself when it changes. */
void oom_look(struct oom *o);

/* The number behind `key` in the text of memory.events; 0 when not there. */
uint64_t oom_count(const char *text, const char *key);

#endif
