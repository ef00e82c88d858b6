#ifndef TEND_VT_LINE_H
#define TEND_VT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vt/cell.h"

struct buf;
struct clusters;
struct extras;

/*
 * Cells as bytes: the one packed form, for history and keyframes.  Text stands
 * as UTF-8, and what UTF-8 cannot say stands between as tokens below 0x20,
 * which no cell can hold:
 *
 *	0x01 n cp…   a narrow cell of n code points, 2 or more
 *	0x02 n cp…   a wide one
 *	0x03         a pad: the wide character went to the next row
 *	0x04 count   that many cells without a character
 *	0x05 mask …  style from here on; mask says which of foreground (1),
 *	             background (2), attributes (4) and extra id (8) follow,
 *	             those that do not being default
 *
 * A character alone in its cell is as wide as uni_width() says.  Numbers are
 * base 128, low part first.  A colour is 0 for the default, n + 1 for palette
 * colour n, 0xrrggbb + 257.  Packed cells begin and end in the default style,
 * so that packed pieces may be put together.
 */
void line_pack(struct buf *out, const struct cell *cells, unsigned n,
    const struct clusters *clusters);
void line_pack_blanks(struct buf *out, unsigned n);

/*
 * For callers that pack cells one at a time: the style of *c, from here on; a pad;
 * and a code point that is about to join *c, the last cell so far, which is
 * packed in [p, end).  Each returns the new end: LINE_STYLE_MAX bytes further on
 * at most, for the last two LINE_JOIN_MAX.
 */
#define LINE_STYLE_MAX 16
#define LINE_PLAIN_LEN 2 /* of the default style */
#define LINE_JOIN_MAX 6
uint8_t *line_add_style(uint8_t *end, const struct cell *c);
uint8_t *line_add_pad(uint8_t *end);
uint8_t *line_join(uint8_t *p, uint8_t *end, const struct cell *c, uint32_t cp);

/* Numbers and strings of the same kind, for others who write bytes. */
void line_put_number(struct buf *out, uint64_t n);
bool line_get_number(const uint8_t **p, const uint8_t *end, uint64_t *n);

struct line_reader {
	const uint8_t *p, *end;
	struct cell style;
	uint64_t blanks; /* cells still to come of a run without text */
	bool tail;       /* the right half of a wide cell is next */
	bool broken;     /* the bytes were not what line_pack() writes */
};
void line_read(struct line_reader *r, const void *p, size_t len);

/*
 * The next cell, false at the end.  Clusters go into `clusters`.  Bytes from
 * outside may be given: invalid bytes end the line and set broken.
 */
bool line_next(struct line_reader *r, struct clusters *clusters,
    struct cell *out);

/* Mark the extras of packed cells. */
void line_mark_extras(const void *p, size_t len, struct extras *x);

#endif
