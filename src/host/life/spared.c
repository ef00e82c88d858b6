#include "host/life/spared.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "host/core/session.h"
#include "host/system/proc.h"
#include "session/confinement.h"

#define KEEPER "tend-keeper"
#define HOST "tend-host"

static bool
find_program(pid_t pid, struct stat *st)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return stat(path, st) == 0;
}

static bool
is_one_program(pid_t a, pid_t b)
{
	struct stat one, other;

	return find_program(a, &one) && find_program(b, &other) &&
	    one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* After an upgrade of tend, a newer keeper runs another program. */
static bool
is_recorded(const struct session *session, const struct confinement *c,
    const struct proc *p)
{
	char path[ID_SIZE + 4];
	auto_close int dir = -1;
	struct manifest m;
	bool found;

	snprintf(path, sizeof(path), "../%s", c->id);
	dir = openat(session->dirfd, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || manifest_read(dir, &m, NULL) < 0)
		return false;
	found = m.keeper.pid == p->pid && m.keeper.start == p->start;
	manifest_finish(&m);
	return found;
}

static bool
confines(const struct session *session, const struct proc *p)
{
	char words[CONFINEMENT_BYTES_MAX];
	struct confinement c;

	confinement_read(&c, words,
	    proc_command_line(p->pid, words, sizeof(words)));
	return c.confined && c.id[0] != '\0' &&
	    (is_one_program(p->pid, session->manifest.keeper.pid) ||
		is_recorded(session, &c, p));
}

bool
spared_is(const struct session *session, const struct proc *p)
{
	bool keeper = strcmp(p->name, KEEPER) == 0;
	bool host = strcmp(p->name, HOST) == 0;

	if (!session->manifest.confined)
		return keeper || host;
	return (keeper && confines(session, p)) ||
	    (host && is_one_program(p->pid, getpid()));
}
