#include "session/around.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "keep/control.h"
#include "session/confinement.h"
#include "session/environ.h"

#define KEEPER "tend-keeper"
#define VARIABLE "TEND_SESSION"
#define RETRIES_MAX 64 /* parents that ended during the search */

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* since Linux 6.5 */
#endif

/* The beginning of a file in /proc/PID, NUL-terminated.  0: unreadable. */
static size_t
read_proc(pid_t pid, const char *name, struct buf *b, size_t max)
{
	char path[64], some[4096];
	auto_close int fd = -1;
	ssize_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (
	    fd >= 0 && b->len < max && (n = read(fd, some, sizeof(some))) > 0)
		buf_append(b, some, (size_t)n);
	return n < 0 ? 0 : b->len;
}

static void
copy_id(const char *text, char id[ID_SIZE])
{
	if (text == NULL || id_parse(text, id) < 0)
		id[0] = '\0';
}

/*
 * An older keeper has no words in its command line, but has TEND_SESSION in
 * its environment.
 */
static void
read_variable(pid_t keeper, char id[ID_SIZE])
{
	char *one[2] = { NULL, NULL };
	const char *value = NULL;
	struct buf b;
	size_t len;

	buf_init(&b, ENVIRON_MAX + 4097);
	len = read_proc(keeper, "environ", &b, ENVIRON_MAX);
	buf_putc(&b, '\0');
	for (size_t at = 0; at < len && value == NULL;
	     at += strlen(one[0]) + 1) {
		one[0] = (char *)b.data + at;
		value = environ_value(one, VARIABLE);
	}
	copy_id(value, id);
	buf_finish(&b);
}

bool
around_read_keeper(pid_t keeper, struct confinement *c)
{
	struct buf b;
	bool found;

	buf_init(&b, CONFINEMENT_BYTES_MAX + 4096);
	found = read_proc(keeper, "cmdline", &b, CONFINEMENT_BYTES_MAX) > 0;
	confinement_read(c, (char *)b.data, b.len);
	buf_finish(&b);
	return found;
}

static void
add_session(struct around *a, pid_t keeper)
{
	struct confinement *c;

	if (a->n == AROUND_SESSIONS_MAX) {
		a->doubtful = true;
		return;
	}
	a->sessions = xrealloc(a->sessions, a->n + 1, sizeof(*a->sessions));
	c = &a->sessions[a->n++];
	a->doubtful |= !around_read_keeper(keeper, c);
	if (c->id[0] == '\0')
		read_variable(keeper, c->id);
}

enum found {
	PARENT,  /* the process read is the parent */
	NONE,    /* no parent, or another user's hidden one */
	CHANGED, /* it has another parent now */
	LOST,    /* unknown */
};

/*
 * If a process reuses the pid of a dead parent, it began after the child.
 * Start times are in hundredths of a second, so if the parent is not older,
 * read the child's parent again.
 */
static enum found
find_parent(struct process_seen *child, struct process_seen *parent)
{
	struct process_seen again;
	bool seen, hidden;

	if (child->parent <= 0)
		return NONE;
	seen = process_see(child->parent, parent);
	if (seen && parent->start < child->start)
		return PARENT;
	hidden = !seen && kill(child->parent, 0) < 0 && errno == EPERM;
	if (!process_see(child->pid, &again) || again.start != child->start)
		return LOST;
	if (again.parent != child->parent) {
		*child = again;
		return CHANGED;
	}
	return seen ? PARENT : hidden ? NONE : LOST;
}

/* Take one step up; false at the end. */
static bool
climb(struct around *a, struct process_seen *at)
{
	struct process_seen parent;
	enum found found = CHANGED;

	for (int i = 0; found == CHANGED && i < RETRIES_MAX; i++)
		found = find_parent(at, &parent);
	if (found != PARENT) {
		a->doubtful |= found != NONE;
		return false;
	}
	if (strcmp(parent.name, KEEPER) == 0)
		add_session(a, parent.pid);
	*at = parent;
	return true;
}

static void
find(struct around *a, pid_t pid)
{
	struct process_seen at;
	int left = AROUND_ANCESTORS_MAX;

	*a = (struct around){ 0 };
	if (!process_see(pid, &at)) {
		a->doubtful = true;
		return;
	}
	while (left > 0 && climb(a, &at))
		left--;
	a->doubtful |= left == 0;
}

/*
 * True if the process that connected still exists, so that its number cannot
 * belong to another.  An older kernel cannot tell; then the number counts.
 */
static bool
is_there(int fd)
{
	auto_close int pidfd = -1;
	socklen_t len = sizeof(pidfd);
	struct pollfd p = { .events = POLLIN };

	if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &len) < 0) {
		pidfd = -1;
		return errno == ENOPROTOOPT;
	}
	p.fd = pidfd;
	return poll(&p, 1, 0) == 0;
}

/* In this order: a number that was reused meanwhile is noticed. */
void
around_find_peer(struct around *a, int fd, pid_t pid)
{
	find(a, pid);
	a->doubtful |= !is_there(fd);
}

/* getpid(2) counts in our PID namespace, and /proc may be of another. */
void
around_find_own(struct around *a)
{
	char pid[16] = "";

	if (readlink("/proc/self", pid, sizeof(pid) - 1) > 0)
		find(a, (pid_t)strtol(pid, NULL, 10));
	else
		*a = (struct around){ .doubtful = true };
}

void
around_finish(struct around *a)
{
	free(a->sessions);
	*a = (struct around){ 0 };
}

bool
around_session(char id[ID_SIZE])
{
	struct around a;
	bool inside;

	around_find_own(&a);
	inside = a.n > 0;
	id[0] = '\0';
	if (inside)
		memcpy(id, a.sessions[0].id, ID_SIZE);
	else if (a.doubtful)
		copy_id(getenv(VARIABLE), id);
	around_finish(&a);
	return inside || id[0] != '\0';
}

/* --------------------------------------------------------------- checking */

static int
refuse(const struct confinement *c, const char *name,
    enum op_permission permission, struct error *err)
{
	const char *word = op_permission_name(permission);

	if (!op_permission_is_confined(permission))
		return error_set(err, EACCES,
		    "session %s is confined, and no confined session has the "
		    "permission %s; run this outside of it",
		    c->id, word);
	return error_set(err, EACCES,
	    "session %s is confined and may not %s %s, which it did not "
	    "create; start it with tend run --may '%s:%s' to allow that",
	    c->id, word, name, word, name);
}

int
around_check(const struct around *a, const struct confinement *target,
    const char *name, enum op_permission permission, struct error *err)
{
	for (size_t i = 0; i < a->n; i++)
		if (!confinement_allows(&a->sessions[i], target, name,
			permission))
			return refuse(&a->sessions[i], name, permission, err);
	return 0;
}

/* Every grant gives observe; a test of the table checks that. */
int
around_check_any(const struct around *a, const struct confinement *target,
    const char *name, struct error *err)
{
	for (size_t i = 0; i < a->n; i++)
		if (!confinement_allows(&a->sessions[i], target, name,
			OP_OBSERVE))
			return error_set(err, EACCES,
			    "session %s is confined and may not use %s, which "
			    "it did not create; start it with tend run --may "
			    "'drive:%s' (or observe: or control:) to allow "
			    "that",
			    a->sessions[i].id, name, name);
	return 0;
}
