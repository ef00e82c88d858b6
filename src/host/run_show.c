#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/loop.h"
#include "host/host.h"
#include "host/run_state.h"
#include "host/scribe.h"

/* The runs: what of the output is for anybody's eyes. */

/* The length of a sequence at p that sets or resets modes, or 0. */
static size_t
mode_len(const uint8_t *p, size_t len)
{
	size_t n = 3;

	if (len >= 2 && p[0] == '\033' && (p[1] == '=' || p[1] == '>'))
		return 2;
	if (len < 4 || memcmp(p, "\033[?", 3) != 0)
		return 0;
	while (n < len && ((p[n] >= '0' && p[n] <= '9') || p[n] == ';'))
		n++;
	return n < len && (p[n] == 'h' || p[n] == 'l') ? n + 1 : 0;
}

/* Nothing is left but the modes that a line editor sets or gives up. */
static void
blank(uint8_t *p, size_t len)
{
	size_t i = 0;

	while (i < len) {
		size_t n = mode_len(p + i, len - i);

		if (n == 0)
			p[i++] = 0;
		i += n;
	}
}

/*
 * In place of a mark with our key, one as any shell's: so that a wait for the
 * end of a command, and who looks for its output, knows of this one too.
 */
static void
leave_mark(uint8_t *p, const struct mark *m)
{
	char text[MARK_MAX];
	int n;

	if (m->kind == 'D' && m->status >= 0)
		n = snprintf(text, sizeof(text), "\033]133;D;%d\a", m->status);
	else
		n = snprintf(text, sizeof(text), "\033]133;%c\a", m->kind);
	memset(p, 0, m->len);
	memcpy(p, text, (size_t)n);
}

/*
 * What a wrapping prints: up to its next mark it is the program's; the mark is
 * hidden and counts when it is whole.
 */
static size_t
look_for_own(struct runs *r, uint8_t *p, size_t len, bool *hidden)
{
	struct mark_scan scan = { 0 };
	struct mark m;
	size_t at = 0, n;

	while (at < len && mark_next(&scan, p + at, len - at, &n, &m)) {
		at += n;
		if (strcmp(m.key, r->run.key) != 0)
			continue;
		if (at > m.len)
			return at - m.len;
		leave_mark(p, &m);
		*hidden = true;
		r->impatient = false;
		run_on_mark(r, &m, r->h->shown + at, scribe_seq(r->h->scribe));
		return at;
	}
	/* The beginning of what may become one waits, but not for long. */
	if (scan.n == 0 || r->impatient)
		return len;
	if (scan.n == len)
		watch_rearm(r->hold_end, RUN_HOLD_MS);
	return len - scan.n;
}

static void
hold_on(struct runs *r)
{
	r->yielded = false;
	r->hold_until_ms = clock_ms(CLOCK_MONOTONIC) + RUN_ECHO_MS;
	watch_rearm(r->hold_end, RUN_HOLD_MS);
}

void
run_hold(struct runs *r, uint64_t from)
{
	r->holds = true;
	r->impatient = r->echoes = false;
	r->hold_from = from;
	hold_on(r);
}

/*
 * A slow shell has more time: while it has shown nothing, for nobody misses
 * that, and when it has begun to echo and reads keys itself.  What the terminal
 * echoes by itself may be for a program that never reads it.
 */
static bool
is_slow(const struct runs *r)
{
	const struct host *h = r->h;
	bool waits = atomic_load(&h->ring.shared->head) <= r->hold_from;

	return clock_ms(CLOCK_MONOTONIC) < r->hold_until_ms &&
	    (waits || (r->echoes && tty_reads_keys(h->master)));
}

/* If it was we who paused, what has come meanwhile is looked at first. */
bool
run_holds_on(struct runs *r)
{
	if (!r->holds)
		return false;
	r->yielded = !r->yielded;
	if (r->yielded)
		watch_yield(r->hold_end);
	else if (is_slow(r))
		watch_rearm(r->hold_end, RUN_HOLD_MS);
	else
		return false;
	return true;
}

/*
 * The echo of a wrapping, up to its first mark.  One that is too long to be
 * held is an echo all the same when the key has been seen in it.
 */
static size_t
look_at_echo(struct runs *r, uint8_t *p, size_t len, bool *hidden)
{
	struct mark_scan scan = { 0 };
	struct mark m;
	size_t at = 0, n;

	if (r->h->shown < r->hold_from) {
		uint64_t before = r->hold_from - r->h->shown;

		return before < len ? (size_t)before : len;
	}
	while (at < len && mark_next(&scan, p + at, len - at, &n, &m)) {
		at += n;
		if (strcmp(m.key, r->run.key) != 0)
			continue;
		blank(p, at);
		*hidden = true;
		r->holds = false;
		run_note(r);
		watch_rearm(r->hold_end, -1);
		return at;
	}
	r->echoes |= memmem(p, len, r->run.key, strlen(r->run.key)) != NULL;
	if (len < RUN_HOLD_BYTES)
		return 0;
	if (!r->echoes) {
		r->holds = false;
		run_note(r);
		return len;
	}
	hold_on(r);
	blank(p, len - MARK_MAX);
	*hidden = true;
	return len - MARK_MAX;
}

size_t
runs_look(struct runs *r, uint8_t *p, size_t len, bool *hidden)
{
	bool wrapped = r->run.stage >= RUN_TYPED && run_is_wrapped(&r->run);
	size_t n;

	*hidden = false;
	if (!run_is_followed(r))
		return len;
	if (wrapped)
		len = r->holds ? look_at_echo(r, p, len, hidden) :
				 look_for_own(r, p, len, hidden);
	if (*hidden || len == 0)
		return len;
	r->next.scan = r->scan;
	r->next.found = mark_next(&r->next.scan, p, len, &n, &r->next.mark);
	r->next.len = n;
	return n;
}
