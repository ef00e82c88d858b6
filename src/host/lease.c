#include "host/lease.h"

enum lease_taken
lease_take(struct lease *l, uint64_t who, bool steal, int64_t now_ms)
{
	uint64_t holder = lease_holder(l, now_ms);

	if (holder != 0 && holder != who && !steal)
		return LEASE_DENIED;
	l->holder = who;
	l->until_ms = now_ms + LEASE_IDLE_MS;
	return holder == who ? LEASE_KEPT : LEASE_GAINED;
}

bool
lease_release(struct lease *l, uint64_t who)
{
	if (l->holder != who)
		return false;
	l->holder = 0;
	return true;
}

uint64_t
lease_holder(const struct lease *l, int64_t now_ms)
{
	return now_ms < l->until_ms ? l->holder : 0;
}
