#include "host/agent/foreground.h"

#include <sys/ioctl.h>

#include "host/system/proc.h"

pid_t
foreground_group(int master)
{
	pid_t group = 0;

	return ioctl(master, TIOCGPGRP, &group) == 0 && group > 0 ? group : 0;
}

struct members {
	pid_t group;
	pid_t pids[FOREGROUND_MAX];
	size_t n;
};

static void
add(void *arg, const struct proc *p)
{
	struct members *m = arg;

	if (p->pgrp == m->group && m->n < FOREGROUND_MAX)
		m->pids[m->n++] = p->pid;
}

static bool
spare_nothing(void *arg, const struct proc *p)
{
	(void)arg;
	(void)p;
	return false;
}

bool
foreground_each(pid_t group, pid_t program, foreground_fn *fn, void *arg)
{
	struct members m = { .group = group };
	char words[FOREGROUND_WORDS_MAX];
	struct proc first;

	if (group == 0)
		return false;
	if (proc_read(program, &first))
		add(&m, &first);
	(void)proc_each_below(program, spare_nothing, add, &m);
	for (size_t i = 0; i < m.n; i++) {
		size_t len = proc_command_line(m.pids[i], words, sizeof(words));

		if (len > 0 && fn(arg, words, len))
			return true;
	}
	return false;
}
