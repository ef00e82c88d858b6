#include "host/core/output_flow.h"

#include "base/loop.h"
#include "keep/ring.h"

static void
on_again(void *arg)
{
	struct output_flow *in = arg;

	ring_host_wakes(in->ring);
}

void
output_flow_init(struct output_flow *in, struct loop *loop, struct ring *ring)
{
	*in = (struct output_flow){ .ring = ring };
	in->again = loop_timer(loop, -1, on_again, in);
}

void
output_flow_finish(struct output_flow *in)
{
	watch_remove(in->again);
	in->again = NULL;
}

void
output_flow_again(struct output_flow *in, int64_t ms)
{
	watch_rearm(in->again, ms);
}

void
output_flow_hold(struct output_flow *in, bool hold)
{
	in->held = hold;
	if (!hold)
		output_flow_again(in, 0);
}

void
output_flow_rest(struct output_flow *in, bool rest)
{
	in->resting = rest;
	if (!rest)
		output_flow_again(in, 0);
}

void
output_flow_skip(struct output_flow *in, uint64_t from, uint64_t to)
{
	in->skip_from = from;
	in->skip_to = to;
}

void
output_flow_echo(struct output_flow *in)
{
	in->echo = true;
}

void
output_flow_keyframe_done(struct output_flow *in)
{
	in->since_keyframe = 0;
}
