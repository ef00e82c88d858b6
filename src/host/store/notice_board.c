#include "host/store/notice_board.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"

struct notice_board {
	struct watch *timer;
	loop_fn *write;
	void *arg;
	bool waits;         /* a change is not written yet */
	int64_t written_ms; /* CLOCK_MONOTONIC of the last write */
};

static void
on_time(void *arg)
{
	struct notice_board *b = arg;

	notice_board_written(b);
	b->write(b->arg);
}

struct notice_board *
notice_board_create(struct loop *loop, loop_fn *write, void *arg)
{
	struct notice_board *b = xcalloc(1, sizeof(*b));

	b->write = write;
	b->arg = arg;
	b->written_ms = clock_ms(CLOCK_MONOTONIC) - NOTICE_BOARD_EVERY_MS;
	b->timer = loop_timer(loop, -1, on_time, b);
	return b;
}

void
notice_board_destroy(struct notice_board *b)
{
	if (b == NULL)
		return;
	watch_remove(b->timer);
	free(b);
}

void
notice_board_changed(struct notice_board *b)
{
	int64_t left;

	if (b->waits)
		return;
	b->waits = true;
	left = b->written_ms + NOTICE_BOARD_EVERY_MS -
	    clock_ms(CLOCK_MONOTONIC);
	watch_rearm(b->timer,
	    left > NOTICE_BOARD_SOON_MS ? left : NOTICE_BOARD_SOON_MS);
}

void
notice_board_written(struct notice_board *b)
{
	if (b == NULL)
		return;
	b->written_ms = clock_ms(CLOCK_MONOTONIC);
	if (b->waits)
		watch_rearm(b->timer, -1);
	b->waits = false;
}
