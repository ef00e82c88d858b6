#include "host/stream/last_line.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "host/core/session.h"
#include "vt/text.h"
#include "vt/vt.h"

#define PAUSE_MS 1000
#define LEAST_MS 5000 /* between two writes */
#define MOST_MS 10000 /* while there is no pause */
#define ROW_MAX (64u << 10)

struct last_line {
	struct session *session;
	struct watch *timer;
	bool waits;         /* there is output that is not written */
	uint64_t shown;     /* end of the output when the timer was set */
	int64_t written_ms; /* CLOCK_MONOTONIC */
};

static bool
is_blank(uint32_t cp)
{
	return cp <= ' ' || cp == 0xa0;
}

/* Lines, boxes and blocks, which surround words. */
static bool
is_frame(uint32_t cp)
{
	return cp >= 0x2500 && cp <= 0x259f;
}

static bool
is_word(uint32_t cp)
{
	return (cp >= '0' && cp <= '9') || (cp >= 'A' && cp <= 'Z') ||
	    (cp >= 'a' && cp <= 'z') ||
	    (cp >= 0x80 && !is_frame(cp) && !is_blank(cp));
}

struct line {
	char *out;
	size_t size, len;
	bool gap;   /* something was left out before the next character */
	bool words; /* there is a word */
	bool full;
};

static void
put(struct line *l, uint32_t cp)
{
	char text[4];
	size_t n = utf8_encode(text, cp);
	size_t gap = l->gap && l->len > 0 ? 1 : 0;

	if (l->full || l->len + gap + n >= l->size) {
		l->full = true;
		return;
	}
	if (gap > 0)
		l->out[l->len++] = ' ';
	memcpy(l->out + l->len, text, n);
	l->len += n;
	l->gap = false;
}

static void
take(struct line *l, const char *p, size_t len)
{
	struct utf8 u = { 0 };
	uint32_t cp;

	for (size_t i = 0; i < len; i++) {
		if (utf8_step(&u, (uint8_t)p[i], &cp) != UTF8_DONE)
			continue;
		l->words |= is_word(cp);
		if (is_blank(cp) || is_frame(cp))
			l->gap = true;
		else
			put(l, cp);
	}
}

void
last_line_of(const struct vt *vt, char *out, size_t size)
{
	struct line l = { .out = out, .size = size };
	struct buf text;
	struct vt_row row;

	buf_init(&text, ROW_MAX);
	for (unsigned y = vt_rows(vt); y > 0 && !l.words; y--) {
		l = (struct line){ .out = out, .size = size };
		buf_clear(&text);
		vt_screen_row(vt, y - 1, &row);
		(void)vt_row_text(&row, &text); /* or as much as fitted */
		take(&l, (char *)text.data, text.len);
	}
	out[l.words ? l.len : 0] = '\0';
	buf_finish(&text);
}

static void
on_time(void *arg)
{
	struct last_line *g = arg;
	int64_t since = clock_ms(CLOCK_MONOTONIC) - g->written_ms;
	bool paused = g->shown == g->session->display.shown;

	if (since < (paused ? LEAST_MS : MOST_MS)) {
		g->shown = g->session->display.shown;
		watch_rearm(g->timer, PAUSE_MS);
		return;
	}
	g->waits = false;
	g->written_ms += since;
	if (!g->session->ended)
		session_save_later(g->session);
}

struct last_line *
last_line_create(struct session *session)
{
	struct last_line *g = xcalloc(1, sizeof(*g));

	g->session = session;
	g->written_ms = clock_ms(CLOCK_MONOTONIC) - LEAST_MS;
	g->timer = loop_timer(session->loop, -1, on_time, g);
	return g;
}

void
last_line_destroy(struct last_line *g)
{
	if (g == NULL)
		return;
	watch_remove(g->timer);
	free(g);
}

void
last_line_output(struct last_line *g)
{
	if (g->waits)
		return;
	g->waits = true;
	g->shown = g->session->display.shown;
	watch_rearm(g->timer, PAUSE_MS);
}
