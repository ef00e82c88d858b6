#include "host/life/poison.h"

#include <signal.h>
#include <stdbool.h>

#include "keep/control.h"
#include "keep/ring.h"

/* True if the engine is to blame: a signal from outside proves nothing. */
static bool
counts(const struct control_death *d)
{
	if (d->engine_at == RING_IDLE)
		return false;
	switch (d->signal) {
	case SIGKILL:
	case SIGTERM:
	case SIGINT:
	case SIGHUP:
	case SIGQUIT:
		return false;
	default:
		return true;
	}
}

static bool
is_near(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) <= POISON_NEAR;
}

static const struct control_death *
latest(const struct control_death *deaths, size_t n)
{
	while (n > 0)
		if (counts(&deaths[--n]))
			return &deaths[n];
	return NULL;
}

/* The engine was between its last position and the head that it could see. */
static void
widen(struct poison *p, const struct control_death *d)
{
	if (p->deaths == 0 || d->engine_at < p->from)
		p->from = d->engine_at;
	if (d->head > p->to)
		p->to = d->head;
	p->deaths++;
}

struct poison
poison_judge(const struct control_death *deaths, size_t n)
{
	const struct control_death *last = latest(deaths, n);
	struct poison p = { POISON_NONE, 0, 0, 0 };

	for (size_t i = 0; last != NULL && i < n; i++)
		if (counts(&deaths[i]) &&
		    is_near(deaths[i].engine_at, last->engine_at))
			widen(&p, &deaths[i]);
	if (p.deaths >= POISON_RAW_AT)
		p.mode = POISON_RAW;
	else if (p.deaths >= POISON_SKIP_AT)
		p.mode = POISON_SKIP;
	return p;
}
