#include "host/system/oom.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"

#define FILE_NAME "memory.events"
#define PROCS_MAX (64u << 10) /* bytes of cgroup.procs that are read */

struct oom {
	int dirfd, notify;
	struct watch *watch;
	struct oom_kill last;
	oom_fn *fn;
	void *arg;
};

static ssize_t
read_text(int dirfd, const char *name, char *out, size_t size)
{
	auto_close int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);

	out[n > 0 ? n : 0] = '\0';
	return n;
}

uint64_t
oom_count(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *s = text; s != NULL; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (strncmp(s, key, len) == 0 && s[len] == ' ')
			return strtoull(s + len, NULL, 10);
	}
	return 0;
}

/* Resident pages are the second number of statm. */
static void
weigh(struct oom_kill *largest, pid_t pid)
{
	char path[48], text[64];
	char *end;
	uint64_t rss;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	if (read_text(AT_FDCWD, path, text, sizeof(text)) <= 0)
		return;
	strtoull(text, &end, 10);
	rss = strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
	if (rss <= largest->rss)
		return;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	if (read_text(AT_FDCWD, path, text, sizeof(largest->name)) <= 0)
		return;
	text[strcspn(text, "\n")] = '\0';
	snprintf(largest->name, sizeof(largest->name), "%.31s", text);
	largest->pid = pid;
	largest->rss = rss;
}

static void
find_largest(const struct oom *o, struct oom_kill *out)
{
	auto_free char *text = xmalloc(PROCS_MAX);
	char *s = text, *end;
	long pid;

	read_text(o->dirfd, "cgroup.procs", text, PROCS_MAX);
	while ((pid = strtol(s, &end, 10)) > 0 && end != s) {
		weigh(out, (pid_t)pid);
		s = end;
	}
}

void
oom_look(struct oom *o)
{
	struct oom_kill now = { 0 };
	char text[512];

	if (read_text(o->dirfd, FILE_NAME, text, sizeof(text)) <= 0)
		return;
	now.count = oom_count(text, "oom_kill");
	find_largest(o, &now);
	if (now.count > o->last.count) {
		o->last.count = now.count;
		o->fn(o->arg, o->last.pid != 0 ? &o->last : &now);
	}
	o->last = now;
}

static void
on_change(void *arg, enum loop_events ready)
{
	struct oom *o = arg;
	char events[4096];

	(void)ready;
	while (read(o->notify, events, sizeof(events)) > 0)
		;
	oom_look(o);
}

struct oom *
oom_create(struct loop *loop, const char *cgroup, oom_fn *fn, void *arg)
{
	auto_close int dirfd = open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_close int notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	char path[4200], text[512];
	struct oom *o;

	snprintf(path, sizeof(path), "%s/" FILE_NAME, cgroup);
	if (dirfd < 0 || notify < 0 ||
	    inotify_add_watch(notify, path, IN_MODIFY) < 0)
		return NULL;
	o = xcalloc(1, sizeof(*o));
	read_text(dirfd, FILE_NAME, text, sizeof(text));
	o->last.count = oom_count(text, "oom_kill");
	o->dirfd = fd_take(&dirfd);
	o->notify = fd_take(&notify);
	o->fn = fn;
	o->arg = arg;
	o->watch = loop_fd(loop, o->notify, LOOP_READ, on_change, o);
	find_largest(o, &o->last);
	return o;
}

void
oom_destroy(struct oom *o)
{
	if (o == NULL)
		return;
	watch_remove(o->watch);
	fd_close(&o->notify);
	fd_close(&o->dirfd);
	free(o);
}
