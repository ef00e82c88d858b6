#ifndef TEND_PAINT_SPAN_H
#define TEND_PAINT_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "vt/cell.h"
#include "vt/vt.h"

/*
 * Shared by all painters: splits a row into spans of one look, with every
 * colour resolved, so that a painter only has to write them in its format.
 */
enum paint_flags {
	PAINT_SCROLLBACK = 1 << 0, /* the history above the screen */
};

/* Colours are 0xrrggbb; inverse, faint, reverse video, cursor are in them. */
struct look {
	uint32_t fg, bg;
	uint32_t line; /* colour of the underline */
	enum underline underline;
	bool bold, italic, blink, conceal, strike, overline;
	const char *link; /* URI, "" for none; borrowed from the terminal */
};

enum span_kind {
	SPAN_TEXT,  /* characters that a monospaced font has in one width */
	SPAN_BOX,   /* U+2500..U+259F, which must meet their neighbours */
	SPAN_ALONE, /* one character of whatever width the font gives it */
};

struct span {
	enum span_kind kind;
	unsigned col, cols;
	bool cursor; /* the cell under the cursor, and nothing else */
	struct look look;
	const char *text; /* UTF-8, borrowed until the next span */
	size_t len;
};

/* A walk over the spans of a row. */
struct spans {
	const struct vt *vt;
	struct vt_row row;
	struct vt_cursor cursor; /* not visible: none in this row */
	unsigned at, end;
	struct buf text;
};

/* y is the screen's row, for the cursor; -1 for one of the history. */
void spans_begin(struct spans *s, const struct vt *vt, const struct vt_row *row,
    int y);
bool spans_next(struct spans *s, struct span *out);
void spans_end(struct spans *s);

/* The default colours of text and background. */
uint32_t paint_foreground(const struct vt *vt);
uint32_t paint_background(const struct vt *vt);

/*
 * True if a link may be followed from a page: only http, https, ftp and
 * mailto.  A program may print any URI; javascript: must not become one.
 */
bool paint_link_is_safe(const char *uri);

/*
 * Text for HTML and XML, in content and in quoted attributes alike.  Nothing
 * in it can end either.  Characters that XML does not allow (control
 * characters, U+FFFE, U+FFFF) and bytes that are not UTF-8 become U+FFFD.
 */
void paint_escape(struct buf *out, const char *p, size_t len);

#endif
