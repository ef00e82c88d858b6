#include "client/help.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "client/keys.h"
#include "client/scrollback_mode.h"
#include "vt/key.h"
#include "vt/vt.h"

#define TWO_COLUMNS 80 /* for terminals at least this wide */
#define COMMAND_KEYS 7 /* columns; the rest of 40 is the description */
#define SCROLLBACK_MODE_KEYS 15
#define LINES_MAX 64
#define LINE_MAX 128
#define HELP_BYTES (64u << 10)

struct list {
	char lines[LINES_MAX][LINE_MAX];
	unsigned n;
};

static void
add(struct list *l, int width, const char *keys, const char *does)
{
	if (l->n < LINES_MAX)
		snprintf(l->lines[l->n++], LINE_MAX, " %-*s %s", width, keys,
		    does);
}

static void
add_title(struct list *l, const char *title, const char *rest)
{
	if (l->n < LINES_MAX)
		snprintf(l->lines[l->n++], LINE_MAX, "\033[1m %s%s\033[m",
		    title, rest);
}

static void
list_commands(struct list *l, const char *pressed, const char *prefix,
    const struct keys_bound *bound)
{
	char text[KEY_NAME_MAX + 16];

	add_title(l, "After ", pressed);
	for (unsigned c = 0; c < KEYS_UNKNOWN; c++)
		add(l, COMMAND_KEYS, keys_of(bound, c), keys_does(c));
	snprintf(text, sizeof(text), "type %s itself", prefix);
	add(l, COMMAND_KEYS, pressed, text);
}

static void
list_history(struct list *l)
{
	const char *keys, *does;

	add_title(l, "In the history", "");
	for (size_t i = 0; scrollback_mode_help(i, &keys, &does); i++)
		add(l, SCROLLBACK_MODE_KEYS, keys, does);
}

/* The lines from `top` on, in the column that begins at x. */
static void
put_list(const struct list *l, unsigned top, unsigned x, unsigned rows,
    struct buf *out)
{
	for (unsigned y = 0; y < rows && top + y < l->n; y++)
		buf_printf(out, "\033[%u;%uH%s", y + 1, x + 1,
		    l->lines[top + y]);
}

static unsigned
last_top(const struct help *h)
{
	return h->lines > h->rows ? h->lines - h->rows : 0;
}

static void
put_bar(struct help *h)
{
	unsigned last = h->top + h->rows < h->lines ? h->top + h->rows :
						      h->lines;

	if (last_top(h) == 0)
		snprintf(h->bar, sizeof(h->bar), " any key closes this help");
	else
		snprintf(h->bar, sizeof(h->bar),
		    " %u\u2013%u of %u \u00b7 Down Up \u00b7 q closes",
		    h->top + 1, last, h->lines);
}

void
help_draw(struct help *h, const char *pressed, const char *prefix,
    const struct keys_bound *bound, unsigned cols, unsigned rows)
{
	struct vt_config config = { .cols = (uint16_t)cols,
		.rows = (uint16_t)rows };
	struct list left = { .n = 0 }, right = { .n = 0 };
	bool two = cols >= TWO_COLUMNS;
	struct buf bytes;

	vt_destroy(h->vt);
	h->vt = vt_create(&config, NULL);
	h->rows = rows > 1 ? rows - 1 : 1;
	list_commands(&left, pressed, prefix, bound);
	if (!two)
		add(&left, 0, "", "");
	list_history(two ? &right : &left);
	h->lines = left.n > right.n ? left.n : right.n;
	if (h->top > last_top(h))
		h->top = last_top(h);
	buf_init(&bytes, HELP_BYTES);
	buf_puts(&bytes, "\033[?7l\033[?25l");
	put_list(&left, h->top, 0, h->rows, &bytes);
	put_list(&right, h->top, cols / 2, h->rows, &bytes);
	if (h->vt != NULL)
		vt_feed(h->vt, bytes.data, bytes.len);
	buf_finish(&bytes);
	put_bar(h);
}

void
help_finish(struct help *h)
{
	vt_destroy(h->vt);
	*h = (struct help){ 0 };
}

void
help_scroll(struct help *h, int lines)
{
	int64_t top = (int64_t)h->top + lines;

	h->top = top < 0 ? 0 : top > last_top(h) ? last_top(h) : (unsigned)top;
}

bool
help_key(struct help *h, const struct key *k)
{
	static const struct {
		const char *keys;
		int pages, lines;
	} moves[] = {
		{ "Up k", 0, -1 },
		{ "Down j", 0, 1 },
		{ "PageUp b", -1, 0 },
		{ "PageDown f Space", 1, 0 },
	};

	if (last_top(h) == 0)
		return false;
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		if (keys_match(k, moves[i].keys)) {
			help_scroll(h,
			    moves[i].pages * (int)h->rows + moves[i].lines);
			return true;
		}
	return false;
}
