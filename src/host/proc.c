#include "host/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAT_MAX 1024

/*
 * The name of the program stands in parentheses and may hold anything, other
 * parentheses and newlines too; behind the last one come plain numbers.
 */
bool
proc_parse(const char *p, size_t len, struct proc *out)
{
	const char *close = memrchr(p, ')', len);
	char text[STAT_MAX];
	unsigned long long start;
	size_t rest;

	if (close == NULL || sscanf(p, "%d (", &out->pid) != 1)
		return false;
	rest = len - (size_t)(close + 1 - p);
	if (rest >= sizeof(text))
		return false;
	memcpy(text, close + 1, rest);
	text[rest] = '\0';
	/* Fields 3 to 6, and 22: see proc(5). */
	if (sscanf(text,
		" %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
		"%*d %*d %*d %*d %llu",
		&out->state, &out->ppid, &out->pgrp, &out->session,
		&start) != 5)
		return false;
	out->start = start;
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
proc_thread_runs(pid_t tid)
{
	char path[64];
	struct proc p;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	return read_stat(AT_FDCWD, path, &p) && p.state == 'R';
}

/* `session` 0: of any. */
static int
each(pid_t session, proc_fn *fn, void *arg)
{
	DIR *dir = opendir("/proc");
	struct dirent *ent;

	if (dir == NULL)
		return -errno;
	while ((ent = readdir(dir)) != NULL) {
		pid_t pid = (pid_t)strtol(ent->d_name, NULL, 10);
		char path[32];
		struct proc p;

		if (pid <= 0 || (session != 0 && getsid(pid) != session))
			continue;
		snprintf(path, sizeof(path), "%d/stat", pid);
		if (read_stat(dirfd(dir), path, &p))
			fn(arg, &p);
	}
	closedir(dir);
	return 0;
}

int
proc_each(proc_fn *fn, void *arg)
{
	return each(0, fn, arg);
}

int
proc_each_in(pid_t session, proc_fn *fn, void *arg)
{
	return each(session, fn, arg);
}
