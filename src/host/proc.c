#include "host/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

static void
look_at(int proc, const char *name, proc_fn *fn, void *arg)
{
	char path[32], text[STAT_MAX];
	struct proc p;
	ssize_t n;
	int fd;

	if (!isdigit((unsigned char)name[0]))
		return;
	snprintf(path, sizeof(path), "%.20s/stat", name);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return;
	text[n] = '\0';
	if (proc_parse(text, (size_t)n, &p))
		fn(arg, &p);
}

int
proc_each(proc_fn *fn, void *arg)
{
	DIR *dir = opendir("/proc");
	struct dirent *ent;

	if (dir == NULL)
		return -errno;
	while ((ent = readdir(dir)) != NULL)
		look_at(dirfd(dir), ent->d_name, fn, arg);
	closedir(dir);
	return 0;
}
