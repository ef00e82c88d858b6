#ifndef TEND_CLIENT_PROBE_H
#define TEND_CLIENT_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct key_reply;

/*
 * Finds out the features of the user's terminal by queries.  This does not
 * block: the queries are written before the first picture, and the replies
 * come later.  Every terminal answers the last query (DA1), so its reply means
 * that no other will come.
 *
 * Two characters are drawn, measured and erased: an emoji of two joined by
 * ZWJ, and a heart with the emoji selector.  Our engine counts two columns for
 * each; the cursor report shows the terminal's count.
 */
#define PROBE_MS 150 /* a terminal that answers at all does so sooner */

struct probe {
	bool done;   /* no more replies will come */
	bool widths; /* measured, and different from ours */
	bool kitty;  /* it has kitty's keyboard protocol */
	bool sync;   /* it has mode 2026 */
	bool has_fg, has_bg;
	uint32_t fg, bg;   /* its colours, 0xrrggbb */
	unsigned measured; /* cursor reports received */
};

#define PROBE_REPORTS 2 /* cursor reports requested */

/* Append the queries; the cursor must be at the start of a blank line. */
void probe_ask(struct buf *out);

/* Process a reply; others are ignored. */
void probe_answer(struct probe *p, const struct key_reply *r);

#endif
