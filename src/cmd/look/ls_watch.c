#include "cmd/look/ls_watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "client/term.h"
#include "cmd/line/cmd.h"
#include "cmd/line/out.h"
#include "cmd/line/signals.h"
#include "cmd/look/listing.h"
#include "home/home_watch.h"

#define WRITE_MS 10000
#define CTRL_C 3

/* Event sources: the home, a signal, the terminal or the reader. */
enum { HOME, SIGNAL, PEER, SOURCES };

struct watching {
	struct ls_watch *w;
	struct home_watch watch;
	struct term term;
	bool on_terminal, done;
	int signals, status;
	struct buf last; /* the last output, to detect changes */
};

static int
list(struct watching *g, unsigned cols, bool ages, struct buf *out)
{
	return g->w->list(g->w->arg, cols, ages, &g->watch, out);
}

/* ------------------------------------------------------------ a terminal */

/* This many lines, each cleared to the end of its row; count the rest. */
static void
put_rows(struct buf *out, char *text, unsigned rows)
{
	unsigned left = 0;
	char *save = NULL;

	for (const char *p = text; *p != '\0'; p++)
		left += *p == '\n';
	for (char *line = strtok_r(text, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		if (rows-- == 1 && left > 1) {
			buf_printf(out, "… and %u more\033[K", left);
			return;
		}
		left--;
		buf_printf(out, "%s\033[K%s", line,
		    rows > 0 && left > 0 ? "\r\n" : "");
	}
}

static int
draw(struct watching *g)
{
	unsigned cols, rows;
	struct buf text, out;
	char *copy;
	int status;

	term_size(&g->term, &cols, &rows);
	buf_init(&text, OUT_MAX);
	status = list(g, cols, true, &text);
	copy = buf_take(&text);
	buf_init(&out, OUT_MAX);
	buf_puts(&out, "\033[?2026h\033[?25l\033[H");
	put_rows(&out, copy, rows);
	buf_puts(&out, "\033[J\033[?2026l");
	free(copy);
	if (status == 0 &&
	    term_write_all(&g->term, out.data, out.len, WRITE_MS) < 0)
		g->done = true;
	buf_finish(&out);
	return status;
}

static void
read_keys(struct watching *g)
{
	char keys[64];
	ssize_t n = read(g->term.fd, keys, sizeof(keys));

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		g->done = true;
	for (ssize_t i = 0; i < n; i++)
		g->done |= keys[i] == 'q' || keys[i] == CTRL_C;
}

/* ------------------------------------------------------------ elsewhere */

/* Print only real differences; the passing of time is not one. */
static int
tell(struct watching *g)
{
	struct out *out = g->w->call->out;
	struct buf now;
	bool changed;
	int status;

	buf_init(&now, OUT_MAX);
	status = list(g, LISTING_WIDTH, false, &now);
	changed = now.len != g->last.len ||
	    (now.len > 0 && memcmp(now.data, g->last.data, now.len) != 0);
	if (status == 0 && changed) {
		if (g->last.len > 0 && !out->json)
			buf_putc(&out->buf, '\n');
		status = list(g, LISTING_WIDTH, true, &out->buf);
		buf_clear(&g->last);
		buf_append(&g->last, now.data, now.len);
	}
	buf_finish(&now);
	return status == 0 && changed ? out_flush(out) : status;
}

/* ------------------------------------------------------------ both */

static void
on_signal(struct watching *g)
{
	struct signalfd_siginfo info;

	if (read(g->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == (uint32_t)SIGWINCH)
		return;
	g->status = 128 + (int)info.ssi_signo;
	g->done = true;
}

static void
wait_for_change(struct watching *g)
{
	struct pollfd p[SOURCES] = {
		[HOME] = { .fd = g->watch.fd, .events = POLLIN },
		[SIGNAL] = { .fd = g->signals, .events = POLLIN },
		[PEER] = { .fd = g->on_terminal ? g->term.fd : STDOUT_FILENO,
		    .events = g->on_terminal ? POLLIN : 0 },
	};

	if (poll(p, SOURCES, home_watch_wait_ms(&g->watch)) <= 0)
		return;
	if (p[SIGNAL].revents != 0)
		on_signal(g);
	if (p[PEER].revents != 0 && g->on_terminal)
		read_keys(g);
	else if (p[PEER].revents & (POLLERR | POLLHUP))
		g->done = true;
	if (p[HOME].revents != 0 && !g->done)
		home_watch_drain(&g->watch);
}

static int
go(struct watching *g)
{
	int status = 0;

	while (status == 0 && !g->done) {
		status = g->on_terminal ? draw(g) : tell(g);
		if (status == 0 && !g->done)
			wait_for_change(g);
	}
	return status != 0 ? status : g->status;
}

static int
take_terminal(struct watching *g)
{
	struct error err = { 0 };

	if (term_open(&g->term, false, &err) == 0 &&
	    term_take(&g->term, &err) == 0)
		return 0;
	return out_fail(g->w->call->out, FAIL_INPUT, "%s", err.msg);
}

int
ls_watch(struct ls_watch *w)
{
	struct watching g = { .w = w, .signals = signals_catch_sizes() };
	int status = 0;

	g.on_terminal = !w->call->out->json && isatty(STDIN_FILENO) &&
	    isatty(STDOUT_FILENO);
	home_watch_init(&g.watch);
	buf_init(&g.last, OUT_MAX);
	if (g.on_terminal)
		status = take_terminal(&g);
	if (status == 0)
		status = go(&g);
	if (g.on_terminal)
		term_close(&g.term);
	buf_finish(&g.last);
	home_watch_finish(&g.watch);
	fd_close(&g.signals);
	return status;
}
