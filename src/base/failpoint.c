#include "base/failpoint.h"

#ifdef TEND_FAILPOINTS

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * The one global of the program: a failpoint stands where nobody has a context
 * to pass, and only in builds made for tests.
 */
#define POINTS_MAX 64

struct point {
	const char *name;
	unsigned hits;
};

static struct {
	pthread_mutex_t lock;
	struct point points[POINTS_MAX];
	size_t n;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Count a hit, and which one it is in this process. */
static unsigned
count(const char *name)
{
	unsigned hits = 0;

	pthread_mutex_lock(&state.lock);
	for (size_t i = 0; i < POINTS_MAX && hits == 0; i++) {
		struct point *p = &state.points[i];

		if (i == state.n) {
			p->name = name;
			state.n++;
		}
		if (strcmp(p->name, name) == 0)
			hits = ++p->hits;
	}
	pthread_mutex_unlock(&state.lock);
	return hits;
}

/* Writes the line at once: the next thing may be the end of the process. */
static void
record(const char *name)
{
	const char *path = getenv("TEND_FAILPOINT_HITS");
	char line[80];
	int fd, len;

	if (path == NULL)
		return;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	len = snprintf(line, sizeof(line), "%s\n", name);
	if (write(fd, line, (size_t)len) < 0)
		abort();
	close(fd);
}

static int
act(const char *action)
{
	int n = 0;

	if (strncmp(action, "kill", 4) == 0)
		raise(SIGKILL);
	if (strncmp(action, "abort", 5) == 0)
		abort();
	if (strncmp(action, "exit", 4) == 0)
		_exit(1);
	if (sscanf(action, "delay:%d", &n) == 1) {
		struct timespec ts = { n / 1000, n % 1000 * 1000000L };

		while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
			continue;
		return 0;
	}
	return sscanf(action, "error:%d", &n) == 1 ? -n : 0;
}

/* True if no process has been here before, all of them asked at once. */
static bool
is_first(const char *name)
{
	const char *hits = getenv("TEND_FAILPOINT_HITS");
	char path[4096];
	int fd;

	if (hits == NULL)
		return true;
	snprintf(path, sizeof(path), "%s.%s", hits, name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* True if "@N", "@N+" or "@N!", or no suffix, selects this hit. */
static bool
means(const char *at, const char *name, unsigned hit)
{
	unsigned first = 1;
	char mark = '\0';

	if (at != NULL)
		sscanf(at + 1, "%u%c", &first, &mark);
	if (mark == '!')
		return hit == first && is_first(name);
	return hit == first || (mark == '+' && hit > first);
}

/* The action for this hit in "name=action@N,...", or NULL. */
static const char *
find(const char *list, const char *name, unsigned hit)
{
	size_t len = strlen(name);
	const char *p, *end;

	for (p = list; p != NULL; p = *end == ',' ? end + 1 : NULL) {
		end = p + strcspn(p, ",");
		if (strncmp(p, name, len) == 0 && p[len] == '=' &&
		    means(memchr(p, '@', (size_t)(end - p)), name, hit))
			return p + len + 1;
	}
	return NULL;
}

int
failpoint_hit(const char *name)
{
	unsigned hit = count(name);
	const char *list, *action;

	record(name);
	list = getenv("TEND_FAILPOINTS");
	action = list == NULL ? NULL : find(list, name, hit);
	return action == NULL ? 0 : act(action);
}

#endif
