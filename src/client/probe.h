#ifndef TEND_CLIENT_PROBE_H
#define TEND_CLIENT_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct key_reply;

/*
 * What the user's terminal can do, learnt by asking it.  Nobody waits: the
 * questions are written before the first picture, answers come when they come.
 * The last question is one that every terminal answers (DA1), so that one that
 * knows nothing else is known as soon as it has answered that.
 *
 * Two characters are drawn, looked at and erased again: an emoji made of two
 * with a joiner, and a heart with the selector that makes it an emoji.  Ours
 * are two columns wide; whether the terminal agrees, the cursor tells.
 */
#define PROBE_MS 150 /* a terminal that has not answered by then will not */

struct probe {
	bool done;   /* it has answered all it will */
	bool widths; /* measured, and not as we count */
	bool kitty;  /* it knows kitty's keyboard protocol */
	bool sync;   /* it knows mode 2026 */
	bool has_fg, has_bg;
	uint32_t fg, bg;   /* its colours, 0xrrggbb */
	unsigned measured; /* cursor reports that have come */
};

#define PROBE_REPORTS 2 /* cursor reports that are asked for */

/* The questions; the cursor must stand at the start of a blank line. */
void probe_ask(struct buf *out);

/* Take in an answer; others are ignored. */
void probe_answer(struct probe *p, const struct key_reply *r);

#endif
