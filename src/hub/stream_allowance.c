#include "hub/stream_allowance.h"

#define CREDIT_MAX (INT64_MAX / 2)

void
stream_allowance_init(struct stream_allowance *a, bool has_credit,
    uint64_t credit, uint32_t rate, int64_t now_ms)
{
	*a = (struct stream_allowance){ .has_credit = has_credit,
		.rate = rate,
		.tokens = rate,
		.at_ms = now_ms };
	stream_allowance_grant(a, credit);
}

void
stream_allowance_grant(struct stream_allowance *a, uint64_t bytes)
{
	uint64_t room = (uint64_t)(CREDIT_MAX - a->credit);

	a->credit += (int64_t)(bytes < room ? bytes : room);
}

void
stream_allowance_spend(struct stream_allowance *a, uint64_t bytes)
{
	if (a->has_credit)
		a->credit -= (int64_t)bytes;
	if (a->rate > 0)
		a->tokens -= (int64_t)bytes;
}

static void
refill(struct stream_allowance *a, int64_t now_ms)
{
	int64_t passed = now_ms - a->at_ms;
	int64_t more;

	/* Whole bytes, so that nothing of the time is lost. */
	if (passed > 600000)
		passed = 600000;
	more = passed * a->rate / 1000;
	if (more <= 0)
		return;
	a->at_ms = now_ms;
	a->tokens += more;
	if (a->tokens > a->rate)
		a->tokens = a->rate;
}

int64_t
stream_allowance_wait(struct stream_allowance *a, int64_t now_ms)
{
	if (a->has_credit && a->credit <= 0)
		return -1;
	if (a->rate == 0)
		return 0;
	refill(a, now_ms);
	return a->tokens > 0 ? 0 : (1 - a->tokens) * 1000 / a->rate + 1;
}
