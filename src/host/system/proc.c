#include "host/system/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

#define STAT_MAX 1024

/* Flags of the kernel: PF_EXITING and PF_FORKNOEXEC. */
#define EXITING 0x4
#define FORKED 0x40
#define BELOW_MAX 65536 /* processes of one session */

/*
 * The name of the program is in parentheses and may contain anything,
 * including parentheses and newlines.  Plain numbers follow the last
 * parenthesis.
 */
bool
proc_parse(const char *p, size_t len, struct proc *out)
{
	const char *close = memrchr(p, ')', len);
	const char *open = memchr(p, '(', len);
	char text[STAT_MAX];
	unsigned long long start;
	unsigned flags;
	size_t rest;

	if (close == NULL || open == NULL || sscanf(p, "%d (", &out->pid) != 1)
		return false;
	snprintf(out->name, sizeof(out->name), "%.*s", (int)(close - open - 1),
	    open + 1);
	rest = len - (size_t)(close + 1 - p);
	if (rest >= sizeof(text))
		return false;
	memcpy(text, close + 1, rest);
	text[rest] = '\0';
	/* Fields 3 to 6, 9, 20 and 22: see proc(5). */
	if (sscanf(text,
		" %c %d %d %d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d "
		"%*d %*d %ld %*d %llu",
		&out->state, &out->ppid, &out->pgrp, &out->session, &flags,
		&out->threads, &start) != 7)
		return false;
	out->start = start;
	out->forked = (flags & (FORKED | EXITING)) == FORKED;
	return true;
}

static bool
read_stat(int dir, const char *path, struct proc *out)
{
	char text[STAT_MAX];
	ssize_t n;
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return proc_parse(text, (size_t)n, out);
}

bool
proc_read(pid_t pid, struct proc *out)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return read_stat(AT_FDCWD, path, out);
}

size_t
proc_command_line(pid_t pid, char *out, size_t size)
{
	char path[32];
	auto_close int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, out, size) : -1;
	if (n <= 0)
		return 0;
	out[n - 1] = '\0'; /* a long one is cut */
	return (size_t)n;
}

bool
proc_thread_runs(pid_t tid)
{
	char path[64];
	struct proc p;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	return read_stat(AT_FDCWD, path, &p) && p.state == 'R';
}

int
proc_each(proc_fn *fn, void *arg)
{
	DIR *dir = opendir("/proc");
	struct dirent *ent;

	if (dir == NULL)
		return -errno;
	while ((ent = readdir(dir)) != NULL) {
		char path[32];
		struct proc p;
		pid_t pid = (pid_t)strtol(ent->d_name, NULL, 10);

		if (pid <= 0)
			continue;
		snprintf(path, sizeof(path), "%d/stat", pid);
		if (read_stat(dirfd(dir), path, &p))
			fn(arg, &p);
	}
	closedir(dir);
	return 0;
}

/* ------------------------------------------------ descendants of a process */

struct below {
	proc_spare_fn *spare;
	void *arg;
	struct proc *found;
	size_t n, cap;
};

static void
add_child(struct below *b, pid_t pid)
{
	struct proc p;

	if (!proc_read(pid, &p) || b->spare(b->arg, &p) || b->n == BELOW_MAX)
		return;
	if (b->n == b->cap) {
		b->cap = b->cap == 0 ? 16 : 2 * b->cap;
		b->found = xrealloc(b->found, b->cap, sizeof(*b->found));
	}
	b->found[b->n++] = p;
}

/* The children of one thread: numbers, each followed by a space. */
static int
add_children(struct below *b, int tasks, const char *tid)
{
	char path[64], text[4096];
	auto_close int fd = -1;
	pid_t pid = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "%.20s/children", tid);
	fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((n = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (text[i] != ' ') {
				pid = pid * 10 + (text[i] - '0');
				continue;
			}
			add_child(b, pid);
			pid = 0;
		}
	return 0;
}

/* Most processes have one thread; opendir(3) would allocate 32 KiB. */
static int
add_children_of_thread(struct below *b, pid_t pid, const char *path)
{
	auto_close int tasks = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char tid[16];

	if (tasks < 0)
		return -ENOENT;
	snprintf(tid, sizeof(tid), "%d", pid);
	return add_children(b, tasks, tid);
}

/* A child belongs to the thread that created it. */
static int
add_children_of(struct below *b, pid_t pid, long threads)
{
	char path[32];
	struct dirent *ent;
	DIR *dir;
	int rc = -ENOENT;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	if (threads == 1)
		return add_children_of_thread(b, pid, path);
	dir = opendir(path);
	if (dir == NULL)
		return -ENOENT;
	while ((ent = readdir(dir)) != NULL)
		if (ent->d_name[0] != '.' &&
		    add_children(b, dirfd(dir), ent->d_name) == 0)
			rc = 0;
	closedir(dir);
	return rc;
}

int
proc_each_below(pid_t root, proc_spare_fn *spare, proc_fn *fn, void *arg)
{
	struct below b = { .spare = spare, .arg = arg };
	struct proc first;
	int rc = -ENOENT;

	if (proc_read(root, &first))
		rc = add_children_of(&b, root, first.threads);
	for (size_t i = 0; i < b.n; i++)
		add_children_of(&b, b.found[i].pid, b.found[i].threads);
	for (size_t i = 0; i < b.n; i++)
		fn(arg, &b.found[i]);
	free(b.found);
	return rc;
}
