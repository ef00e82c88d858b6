#include "client/await.h"

#include <stdint.h>
#include <time.h>

#define ECHO_NS 150000

static int64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

void
await_typed(struct await *w)
{
	w->typed = true;
}

/* Whether to try it for what was typed just now. */
static bool
may_try(struct await *w)
{
	if (!w->typed)
		return false;
	w->typed = false;
	if (w->skip == 0)
		return true;
	w->skip--;
	return false;
}

static void
learn(struct await *w, bool came)
{
	unsigned more = w->failed * 2 + 1;

	w->failed = came ? 0 : more < AWAIT_SKIP_MAX ? more : AWAIT_SKIP_MAX;
	w->skip = w->failed;
}

int
await_poll(struct await *w, struct pollfd *fds, nfds_t n, int timeout_ms)
{
	int64_t until;
	int rc = 0;

	if (may_try(w)) {
		until = now_ns() + ECHO_NS;
		while (rc == 0 && now_ns() < until)
			rc = poll(fds, n, 0);
		learn(w, rc != 0);
	}
	return rc != 0 ? rc : poll(fds, n, timeout_ms);
}
