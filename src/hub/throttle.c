#include "hub/throttle.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The time that is left of a minute with too many failures, or 0. */
static int64_t
left(int64_t since_ms, unsigned failures, unsigned most, int64_t now_ms)
{
	int64_t end = since_ms + THROTTLE_MS;

	return failures >= most && now_ms < end ? end - now_ms : 0;
}

static void
count(int64_t *since_ms, unsigned *failures, int64_t now_ms)
{
	if (*failures == 0 || now_ms >= *since_ms + THROTTLE_MS) {
		*since_ms = now_ms;
		*failures = 0;
	}
	(*failures)++;
}

int64_t
throttle_wait(const struct throttle *t, const char *peer, int64_t now_ms)
{
	int64_t all = left(t->since_ms, t->failures, THROTTLE_ALL, now_ms);

	for (size_t i = 0; i < THROTTLE_PEERS; i++) {
		int64_t own;

		if (t->peers[i].failures == 0 ||
		    strcmp(t->peers[i].peer, peer) != 0)
			continue;
		own = left(t->peers[i].since_ms, t->peers[i].failures,
		    THROTTLE_PEER, now_ms);
		return own > all ? own : all;
	}
	return all;
}

void
throttle_failed(struct throttle *t, const char *peer, int64_t now_ms)
{
	size_t at = 0;

	count(&t->since_ms, &t->failures, now_ms);
	for (size_t i = 0; i < THROTTLE_PEERS; i++) {
		if (t->peers[i].failures > 0 &&
		    strcmp(t->peers[i].peer, peer) == 0) {
			at = i;
			break;
		}
		if (t->peers[i].last_ms < t->peers[at].last_ms)
			at = i;
	}
	if (strcmp(t->peers[at].peer, peer) != 0) {
		snprintf(t->peers[at].peer, sizeof(t->peers[at].peer), "%s",
		    peer);
		t->peers[at].failures = 0;
	}
	count(&t->peers[at].since_ms, &t->peers[at].failures, now_ms);
	t->peers[at].last_ms = now_ms;
}
