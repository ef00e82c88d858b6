#include "host/core/turn.h"

#include "base/clock.h"
#include "base/loop.h"

static void
on_wake(void *arg)
{
	struct turn *t = arg;

	t->wake_at_ms = INT64_MAX;
}

void
turn_init(struct turn *t, struct loop *loop)
{
	t->wake_at_ms = INT64_MAX;
	t->wake = loop_timer(loop, -1, on_wake, t);
	turn_look(t);
}

void
turn_finish(struct turn *t)
{
	watch_remove(t->wake);
	t->wake = NULL;
}

void
turn_look(struct turn *t)
{
	t->now_ms = clock_ms(CLOCK_MONOTONIC);
}

void
turn_wake_at(struct turn *t, int64_t ms)
{
	if (ms >= t->wake_at_ms)
		return;
	t->wake_at_ms = ms;
	watch_rearm(t->wake, ms > t->now_ms ? ms - t->now_ms : 0);
}
