#include "host/core/intake.h"

#include "base/loop.h"
#include "keep/ring.h"

static void
on_again(void *arg)
{
	struct intake *in = arg;

	ring_host_wakes(in->ring);
}

void
intake_init(struct intake *in, struct loop *loop, struct ring *ring)
{
	*in = (struct intake){ .ring = ring };
	in->again = loop_timer(loop, -1, on_again, in);
}

void
intake_finish(struct intake *in)
{
	watch_remove(in->again);
	in->again = NULL;
}

void
intake_again(struct intake *in, int64_t ms)
{
	watch_rearm(in->again, ms);
}

void
intake_hold(struct intake *in, bool hold)
{
	in->held = hold;
	if (!hold)
		intake_again(in, 0);
}

void
intake_rest(struct intake *in, bool rest)
{
	in->resting = rest;
	if (!rest)
		intake_again(in, 0);
}

void
intake_skip(struct intake *in, uint64_t from, uint64_t to)
{
	in->skip_from = from;
	in->skip_to = to;
}

void
intake_echo(struct intake *in)
{
	in->echo = true;
}

void
intake_keyframe_done(struct intake *in)
{
	in->since_keyframe = 0;
}
