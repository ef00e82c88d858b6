#include "host/stream/wall_clock.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/core/events.h"
#include "host/core/session.h"

#define MINUTE_MS 60000

struct wall_clock {
	struct session *session;
	int fd; /* timer, cancelled when the clock is set */
	struct watch *watch;
	int64_t written_ms; /* CLOCK_MONOTONIC of the last event */
};

static void
arm(struct wall_clock *w)
{
	/* The timer never expires; only its cancellation matters. */
	struct itimerspec never = { .it_value.tv_sec = (time_t)1 << 33 };

	timerfd_settime(w->fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET,
	    &never, NULL);
}

static void
on_set(void *arg, enum loop_events ready)
{
	struct wall_clock *w = arg;
	uint64_t count;

	(void)ready;
	if (read(w->fd, &count, sizeof(count)) < 0 && errno == ECANCELED)
		event_clock(w->session, CLOCK_SET);
	arm(w);
}

struct wall_clock *
wall_clock_create(struct session *session)
{
	struct wall_clock *w = xcalloc(1, sizeof(*w));

	w->session = session;
	w->written_ms = clock_ms(CLOCK_MONOTONIC);
	w->fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (w->fd >= 0) {
		arm(w);
		w->watch = loop_fd(session->loop, w->fd, LOOP_READ, on_set, w);
	}
	return w;
}

void
wall_clock_destroy(struct wall_clock *w)
{
	if (w == NULL)
		return;
	watch_remove(w->watch);
	fd_close(&w->fd);
	free(w);
}

void
wall_clock_activity(struct wall_clock *w)
{
	int64_t now = clock_ms(CLOCK_MONOTONIC_COARSE);

	if (now - w->written_ms < MINUTE_MS)
		return;
	w->written_ms = now;
	event_clock(w->session, CLOCK_MINUTE);
}
