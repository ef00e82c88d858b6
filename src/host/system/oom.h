#ifndef TEND_HOST_SYSTEM_OOM_H
#define TEND_HOST_SYSTEM_OOM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct loop;

/*
 * Watches memory.events of a session's cgroup, and reports when the kernel has
 * killed a process there because memory ran out.  The kernel does not say
 * which process.  It kills the largest one, and the file also changes earlier,
 * when the limit is reached.  So the process that was the largest then is
 * named.
 */
struct oom_kill {
	uint64_t count; /* so far */
	pid_t pid;      /* of the largest process; 0: none was seen */
	uint64_t rss;   /* its size in bytes */
	char name[32];
};

struct oom;
typedef void oom_fn(void *arg, const struct oom_kill *k);

/* NULL if there is no such file to watch. */
struct oom *oom_create(struct loop *loop, const char *cgroup, oom_fn *fn,
    void *arg);
void oom_destroy(struct oom *o); /* NULL is fine */

/* Check now; this happens by itself when the file changes. */
void oom_look(struct oom *o);

/*
 * The number after `key` in the text of memory.events; 0 if it is not there.
 */
uint64_t oom_count(const char *text, const char *key);

#endif
