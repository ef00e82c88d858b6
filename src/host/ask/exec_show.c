#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "host/ask/exec_state.h"
#include "host/core/session.h"
#include "host/store/event_log.h"

/* The runs: hiding wrappers and their marks from the output. */

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

/* Blank the bytes, except for modes that a line editor sets or resets. */
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
 * Replace a mark with our key by one as any shell prints it, so that waits for
 * the end of a command and searches for its output find it too.
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

/* No more output will come. */
static bool
is_over(const struct execs *r)
{
	return r->session->exited;
}

/*
 * Output of a wrapper: the bytes before its next mark are the program's.  The
 * mark is hidden, and counts once it is complete.
 */
static size_t
look_for_own(struct execs *r, uint8_t *p, size_t len, bool *hidden)
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
		exec_hold_marked(r);
		exec_on_mark(r, &m, r->session->display.shown + at,
		    event_log_seq(r->session->event_log));
		return at;
	}
	/* The possible beginning of a mark waits, but not for long. */
	if (scan.n == 0 || r->hold.impatient || is_over(r)) {
		exec_hold_drop(r);
		return len;
	}
	exec_hold_mark(r);
	return len - scan.n;
}

/* True if the session's shell reports that it is done with the line. */
static bool
is_shell_back(const struct execs *r, const struct mark *m)
{
	return m->kind == 'D' && m->key[0] != '\0' &&
	    strcmp(m->key, r->session->manifest.shell_key) == 0;
}

/*
 * An echo that is too long to be held is still an echo if it has the key in
 * it.
 */
static size_t
look_at_long(struct execs *r, uint8_t *p, size_t len, bool *hidden)
{
	if (!r->hold.keyed) {
		exec_hold_drop(r);
		return len;
	}
	exec_hold_on(r);
	r->hold.from += len - MARK_MAX;
	blank(p, len - MARK_MAX);
	*hidden = true;
	return len - MARK_MAX;
}

/*
 * The echo of a wrapper, up to its first mark.  If the shell shows a prompt
 * instead, or no more can come, there is no echo to hide.
 */
static size_t
look_at_echo(struct execs *r, uint8_t *p, size_t len, bool *hidden)
{
	struct mark_scan scan = { 0 };
	struct mark m;
	size_t at = 0, n;

	if (r->session->display.shown < r->hold.from) {
		uint64_t before = r->hold.from - r->session->display.shown;

		return before < len ? (size_t)before : len;
	}
	while (at < len && mark_next(&scan, p + at, len - at, &n, &m)) {
		at += n;
		if (strcmp(m.key, r->run.key) == 0) {
			blank(p, at);
			*hidden = true;
			exec_hold_drop(r);
			return at;
		}
		if (is_shell_back(r, &m)) {
			exec_hold_drop(r);
			return len;
		}
	}
	n = exec_hold_look(r, p, len);
	if (n > 0 || (len < EXEC_HOLD_BYTES && !is_over(r)))
		return n;
	if (len < EXEC_HOLD_BYTES)
		exec_hold_drop(r);
	return len < EXEC_HOLD_BYTES ? len : look_at_long(r, p, len, hidden);
}

size_t
execs_look(struct execs *r, uint8_t *p, size_t len, bool *hidden)
{
	bool wrapped = r->run.stage >= EXEC_TYPED && exec_is_wrapped(&r->run);
	size_t n;

	*hidden = false;
	if (!exec_is_followed(r))
		return len;
	if (wrapped)
		len = r->hold.why == HOLD_ECHO ?
		    look_at_echo(r, p, len, hidden) :
		    look_for_own(r, p, len, hidden);
	if (*hidden || len == 0)
		return len;
	r->next.scan = r->scan;
	r->next.found = mark_next(&r->next.scan, p, len, &n, &r->next.mark);
	r->next.len = n;
	return n;
}
