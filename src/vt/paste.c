#include "vt/paste.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "vt/input_modes.h"

#define BEGIN "\033[200~"
#define END "\033[201~"

/* The destination; with p NULL the bytes are only counted. */
struct sink {
	uint8_t *p;
	size_t len;
	bool brackets;
	bool after_cr; /* the last character was CR */
};

static void
put(struct sink *s, const void *p, size_t len)
{
	if (s->p != NULL)
		memcpy(s->p + s->len, p, len);
	s->len += len;
}

/* The replacement of a character that must not pass. */
static uint32_t
harmless(uint32_t cp)
{
	if (cp == '\t' || cp == '\r' || cp == '\n')
		return cp;
	if (cp < 0x20)
		return 0x2400 + cp;
	if (cp == 0x7f)
		return 0x2421;
	return cp >= 0x80 && cp <= 0x9f ? UTF8_REPLACEMENT : cp;
}

static void
put_char(struct sink *s, uint32_t cp)
{
	bool follows_cr = s->after_cr;
	char bytes[4];

	s->after_cr = cp == '\r';
	if (!s->brackets && cp == '\n') {
		if (follows_cr)
			return;
		cp = '\r';
	}
	put(s, bytes, utf8_encode(bytes, harmless(cp)));
}

static void
put_text(struct sink *s, const uint8_t *p, size_t len)
{
	struct utf8 u = { 0 };
	enum utf8_step step;
	uint32_t cp;

	for (size_t i = 0; i < len; i++)
		do {
			step = utf8_step(&u, p[i], &cp);
			if (step != UTF8_MORE)
				put_char(s, cp);
		} while (step == UTF8_BAD_AGAIN);
	if (u.need > 0)
		put_char(s, UTF8_REPLACEMENT);
}

static void
put_paste(struct sink *s, const void *p, size_t len)
{
	if (s->brackets)
		put(s, BEGIN, strlen(BEGIN));
	put_text(s, p, len);
	if (s->brackets)
		put(s, END, strlen(END));
}

int
paste_encode(const void *p, size_t len, const struct input_modes *m,
    struct buf *out)
{
	struct sink count = { .brackets = m->bracketed_paste };
	struct sink write = count;

	put_paste(&count, p, len);
	if (count.len == 0)
		return 0;
	write.p = buf_reserve(out, count.len);
	if (write.p == NULL)
		return -ENOBUFS;
	put_paste(&write, p, len);
	buf_commit(out, write.len);
	return 0;
}

int
focus_encode(bool in, const struct input_modes *m, struct buf *out)
{
	if (!m->focus_events)
		return 0;
	return buf_puts(out, in ? "\033[I" : "\033[O");
}
