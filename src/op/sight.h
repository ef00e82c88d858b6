#ifndef TEND_OP_SIGHT_H
#define TEND_OP_SIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "op/condition.h"
#include "op/typed.h"

struct json_out;
struct ledger;
struct vt;

/*
 * A frame as conditions look at it.  Its text and hash are made when the first
 * of them asks, and serve all that look at the same one.
 *
 * Text and patterns are looked for in logical lines first, in which what the
 * margin has broken is whole, and then in the rows as they are.  Most screens
 * have no broken line, and then the two are the same.
 *
 * A match counts if the ledger says so (ledger.h): with `after` it must be new,
 * and without `echo` it must not be the echo of what was typed.  That the text
 * of an absence is old does not make it absent.
 */
struct sight {
	const struct vt *vt; /* NULL: there is no screen */
	uint64_t shown_seq;  /* of the event that showed it; 0: not known */
	uint64_t done_seq;   /* of the last end of a command; 0: none */
	int done_status;     /* of that command; -1: it is not known */
	int exit_code;       /* of a session that has ended; -1: none */
	int exit_signal;     /* that ended it; 0: none */
	int64_t stable_ms;   /* the text has been the same; -1: unknown */
	int64_t idle_ms;     /* nothing was written or typed; -1 */
	int64_t shown_ns;    /* CLOCK_BOOTTIME: the frame; 0: not known */
	int64_t now_ns;      /* likewise: when it is looked at, or its end */
	bool ended;
	const struct ledger *ledger; /* of this frame; NULL: all is new */

	unsigned missed; /* what text and regex have found that does not count:
			    bits of enum ledger_says */
	bool has_text, has_lines, has_hash;
	struct buf text;  /* as vt_text gives it */
	struct buf lines; /* logical ones; empty: the margin broke none */
	char hash[65];
};

/* The rest is for the caller to set. */
void sight_init(struct sight *s, const struct vt *vt);
void sight_finish(struct sight *s);

/* The text of the screen; "" without one. */
const struct buf *sight_text(struct sight *s);
const char *sight_hash(struct sight *s);

/* Where and what a condition has found. */
struct finding {
	bool has_place;
	unsigned row, col;
	char *text; /* NULL: it looks for none */
};

void finding_finish(struct finding *f);

/*
 * Test all conditions.  1 and the finding, 0, or -ELOOP when the
 * regular expression takes too long on this screen.  done_after is for
 * CONDITION_DONE without `after`: when the wait began.
 */
int sight_test(struct sight *s, const struct condition *c, uint64_t done_after,
    struct finding *f);

/* The conditions that do not hold, as bits. */
unsigned sight_unmet(struct sight *s, const struct condition *c,
    uint64_t done_after);

/*
 * For `seen`: what is gone by the next frame.  Between frames the rows that the
 * last feed has written on are looked at, or all.  Rows that follow each other
 * are looked at together, and with all of the line that they are parts of.
 *
 * A line that is only half drawn may read like none before.  So what was found
 * is kept until it is overwritten or has scrolled off; if it goes on instead,
 * what it has become is looked at, and at a frame sight_test tells.
 */
struct glimpse {
	bool pending;
	struct finding found;
	struct typed_place place; /* of the row it was found in */
	struct buf line;          /* what stood there */
	unsigned missed;          /* as in struct sight */
};

void glimpse_init(struct glimpse *g);
void glimpse_finish(struct glimpse *g);

/* At a frame: what is still there is no glimpse. */
void glimpse_drop(struct glimpse *g);

/*
 * Look after a slice of output that will be event seq: 1 when all was seen that
 * is wanted, and *f, 0, or -ELOOP.
 */
struct moment {
	const struct vt *vt;
	const struct ledger *ledger; /* of the frame before; NULL: all is new */
	uint64_t seq;
	bool all;
};
int glimpse_look(struct glimpse *g, const struct moment *m,
    const struct condition *c, struct finding *f);

/*
 * The result of a wait: docs/operations.md.  A result without a match
 * has the screen.
 */
struct verdict {
	bool matched, timed_out;
	unsigned conditions; /* that held; if it did not match, that did not */
	struct finding found;
	unsigned missed; /* as in struct sight */
	uint64_t seq;
};
void verdict_json(const struct verdict *v, struct sight *s, struct json_out *j);

#endif
