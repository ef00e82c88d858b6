#include "host/serve/lease.h"

static bool
is_free(const struct lease *l, int64_t now_ms)
{
	return now_ms >= l->until_ms || (l->holder == 0 && l->who == 0);
}

enum lease_taken
lease_take(struct lease *l, uint64_t by, uint64_t who, bool steal,
    int64_t now_ms)
{
	bool had = lease_holder(l, now_ms) == by;

	if (!had && !is_free(l, now_ms) && !lease_is_of(l, who, now_ms) &&
	    !steal)
		return LEASE_DENIED;
	*l = (struct lease){ .holder = by,
		.who = who,
		.until_ms = now_ms + LEASE_IDLE_MS };
	return had ? LEASE_KEPT : LEASE_GAINED;
}

bool
lease_release(struct lease *l, uint64_t by)
{
	if (l->holder != by)
		return false;
	*l = (struct lease){ 0 };
	return true;
}

bool
lease_lose(struct lease *l, uint64_t by, int64_t now_ms)
{
	struct lease was = *l;

	if (!lease_release(l, by))
		return false;
	if (was.who != 0 && !is_free(&was, now_ms))
		lease_keep(l, was.who, now_ms);
	return true;
}

void
lease_keep(struct lease *l, uint64_t who, int64_t now_ms)
{
	*l = (struct lease){ .who = who, .until_ms = now_ms + LEASE_RETURN_MS };
}

bool
lease_is_of(const struct lease *l, uint64_t who, int64_t now_ms)
{
	return who != 0 && l->who == who && now_ms < l->until_ms;
}

uint64_t
lease_holder(const struct lease *l, int64_t now_ms)
{
	return now_ms < l->until_ms ? l->holder : 0;
}
