#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/loop.h"
#include "host/ask/exec_state.h"
#include "host/core/session.h"

/*
 * The runs: when output is held back, and why.
 *
 * Only this file sets or drops a hold.  The pump calls execs_hold() whenever
 * it is about to leave bytes in the ring, also at the end of each turn; so
 * dropping a hold on any path releases them.  The end of the program ends all
 * holds.
 */

#define ECHO_SURE 6           /* matching characters that prove an echo */
#define ECHO_KNOWN (8u << 10) /* of longer text, all output is held back */

bool
execs_hold(const struct execs *r)
{
	return r->hold.why != HOLD_NOTHING && !r->session->exited;
}

static void
hold(struct execs *r, enum exec_hold_why why)
{
	r->hold.why = why;
	r->hold.yielded = false;
	r->hold.until_ms = clock_ms(CLOCK_MONOTONIC) + EXEC_ECHO_MS;
	watch_rearm(r->hold.end, EXEC_HOLD_MS);
}

void
exec_hold_on(struct execs *r)
{
	hold(r, HOLD_ECHO);
}

void
exec_hold_mark(struct execs *r)
{
	if (r->hold.why != HOLD_MARK)
		hold(r, HOLD_MARK);
}

void
exec_hold_drop(struct execs *r)
{
	if (r->hold.why == HOLD_NOTHING)
		return;
	r->hold.why = HOLD_NOTHING;
	watch_rearm(r->hold.end, -1);
	exec_note(r);
}

void
exec_hold_marked(struct execs *r)
{
	r->hold.impatient = false;
	exec_hold_drop(r);
}

/*
 * A slow shell gets more time: while it has shown nothing, because then nobody
 * misses output, and when it has begun to echo and reads keys itself.  Echo
 * from the terminal driver may be for a program that never reads the input.
 */
static bool
is_slow(const struct execs *r)
{
	const struct session *session = r->session;
	bool waits = atomic_load(&session->terminal.ring.shared->head) <=
	    r->hold.from;

	if (r->hold.why != HOLD_ECHO ||
	    clock_ms(CLOCK_MONOTONIC) >= r->hold.until_ms)
		return false;
	return waits ||
	    (r->hold.begun && !r->hold.entered &&
		tty_reads_keys(session->terminal.master));
}

/*
 * If the pump itself paused, look first at the output that has come meanwhile.
 */
static void
on_end(void *arg)
{
	struct execs *r = arg;

	r->hold.yielded = !r->hold.yielded;
	if (r->hold.yielded) {
		watch_yield(r->hold.end);
	} else if (is_slow(r)) {
		watch_rearm(r->hold.end, EXEC_HOLD_MS);
	} else {
		r->hold.impatient = true;
		exec_hold_drop(r);
	}
}

void
exec_hold_init(struct execs *r)
{
	r->hold.end = loop_timer(r->session->loop, -1, on_end, r);
	buf_init(&r->hold.typed, ECHO_KNOWN);
}

void
exec_hold_finish(struct execs *r)
{
	watch_remove(r->hold.end);
	buf_finish(&r->hold.typed);
}

/* -------------------------------------------------------- finding the echo */

/* Escape sequences and control characters, which are not part of any text. */
struct skipper {
	enum { IN_TEXT, IN_ESCAPE, IN_CSI, IN_STRING } in;
};

/* True if this byte is text. */
static bool
is_text(struct skipper *s, uint8_t c)
{
	switch (s->in) {
	case IN_TEXT:
		if (c == '\033')
			s->in = IN_ESCAPE;
		return c > 0x20 && c != 0x7f;
	case IN_ESCAPE:
		s->in = c == '[' ? IN_CSI :
		    c == ']'     ? IN_STRING :
		    c == '('     ? IN_ESCAPE :
				   IN_TEXT;
		return false;
	case IN_CSI:
		if (c >= 0x40 && c < 0x7f)
			s->in = IN_TEXT;
		return false;
	case IN_STRING:
		if (c == '\a' || c == '\033')
			s->in = c == '\a' ? IN_TEXT : IN_ESCAPE;
		return false;
	}
	return false;
}

/* True if ECHO_SURE characters match the typed ones. */
static bool
is_typed(const struct exec_hold *hold, const uint8_t *p)
{
	return memmem(hold->typed.data, hold->typed.len, p, ECHO_SURE) != NULL;
}

/*
 * The beginning of the line that may be the echo; *begun: it certainly is.  A
 * line editor may show any part of the typed text.
 */
static size_t
find_echo(const struct exec_hold *hold, const uint8_t *p, size_t len,
    bool *begun)
{
	struct skipper s = { IN_TEXT };
	uint8_t last[ECHO_SURE] = { 0 };
	size_t line = 0, n = 0;

	for (size_t i = 0; i < len && !*begun; i++) {
		if (p[i] == '\n') {
			line = i + 1;
			n = 0;
		} else if (is_text(&s, p[i])) {
			memmove(last, last + 1, ECHO_SURE - 1);
			last[ECHO_SURE - 1] = p[i];
			*begun = ++n >= ECHO_SURE && is_typed(hold, last);
		}
	}
	return line;
}

/*
 * Every wrapper ends in these characters and has them nowhere else; Enter is a
 * new line.
 */
static bool
is_entered(const uint8_t *p, size_t len)
{
	const uint8_t *end = memmem(p, len, ")\"", 2);

	return end != NULL &&
	    memchr(end, '\n', len - (size_t)(end - p)) != NULL;
}

/* The typed text, without blanks and without the brackets of a paste. */
static void
note_typed(struct exec_hold *hold, const struct buf *typed)
{
	struct skipper s = { IN_TEXT };

	buf_clear(&hold->typed);
	hold->begun = typed == NULL || typed->len > hold->typed.max;
	for (size_t i = 0; !hold->begun && i < typed->len; i++)
		if (is_text(&s, typed->data[i]))
			buf_putc(&hold->typed, (char)typed->data[i]);
}

void
exec_hold_echo(struct execs *r, uint64_t from, const struct buf *typed)
{
	r->hold.impatient = false;
	r->hold.entered = r->hold.keyed = false;
	r->hold.from = from;
	note_typed(&r->hold, typed);
	hold(r, HOLD_ECHO);
}

size_t
exec_hold_look(struct execs *r, const uint8_t *p, size_t len)
{
	bool entered;
	size_t lines;

	if (!r->hold.begun) {
		lines = find_echo(&r->hold, p, len, &r->hold.begun);
		r->hold.from += lines;
		if (lines > 0)
			return lines;
	}
	entered = is_entered(p, len);
	if (entered && !r->hold.entered)
		watch_rearm(r->hold.end, EXEC_HOLD_MS);
	r->hold.entered = entered;
	r->hold.keyed |= memmem(p, len, r->run.key, strlen(r->run.key)) != NULL;
	return 0;
}
