#ifndef TEND_OP_SIGHT_H
#define TEND_OP_SIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "op/condition.h"
#include "op/typed.h"
#include "vt/happenings.h"

struct json_out;
struct ledger;
struct vt;

/*
 * A frame, as conditions see it.  Its text and hash are computed on first use
 * and shared by all conditions that test this frame.
 *
 * Text and patterns are first searched in logical lines, in which lines broken
 * at the margin are whole, and then in the single rows.  Most screens have no
 * broken line; then one search is enough.
 *
 * The ledger decides if a match counts (ledger.h): with `after` it must be new,
 * and without `echo` it must not be the echo of typed text.  For `absent`, old
 * text counts as present.
 */
struct sight {
	const struct vt *vt; /* NULL: no screen */
	uint64_t shown_seq;  /* event that showed the frame; 0: unknown */
	struct happenings happened;
	enum activity activity;
	int exit_code;     /* of an ended session; -1: none */
	int exit_signal;   /* that ended the session; 0: none */
	int64_t stable_ms; /* time without a change of text; -1: unknown */
	int64_t idle_ms;   /* time without output or input; -1 */
	int64_t shown_ns;  /* CLOCK_BOOTTIME of the frame; 0: unknown */
	int64_t now_ns;    /* of the test, or of the session's end */
	bool ended;
	const struct ledger *ledger; /* of this frame; NULL: all is new */

	unsigned missed; /* why matches of text and regex did not count:
	                    bits of enum ledger_says */
	bool has_text, has_lines, has_hash;
	struct buf text;  /* from vt_text */
	struct buf lines; /* logical lines; empty: no line is broken */
	char hash[65];
};

/* The caller sets the other fields. */
void sight_init(struct sight *s, const struct vt *vt);
void sight_finish(struct sight *s);

/* The text of the screen; "" if there is none. */
const struct buf *sight_text(struct sight *s);
const char *sight_hash(struct sight *s);

/* A match: its place and text. */
struct finding {
	bool has_place;
	unsigned row, col;
	char *text; /* NULL: the condition has no text */
};

void finding_finish(struct finding *f);

/*
 * Test all conditions.  Returns 1 and the finding, 0, or -ELOOP if the regular
 * expression takes too long on this screen.  `begun`, the start of the wait, is
 * for conditions on events without `after`.
 */
int sight_test(struct sight *s, const struct condition *c, uint64_t begun,
    struct finding *f);

/* The conditions that do not hold, as bits. */
unsigned sight_unmet(struct sight *s, const struct condition *c,
    uint64_t begun);

/*
 * The time until a duration in the condition may be over, if nothing changes;
 * INT64_MAX if there is none.
 */
int64_t sight_left_ms(const struct sight *s, const struct condition *c);

/*
 * For `seen`: text that has disappeared by the next frame.  Between frames,
 * glimpse_look searches the rows that the last feed has written, or all.
 * Adjacent rows are searched together, with the whole logical lines around
 * them.
 *
 * A half-drawn line may match by accident.  So a match is kept until it is
 * overwritten or has scrolled off.  If the line grows instead, its new text is
 * searched, and at the next frame sight_test decides.
 */
struct glimpse {
	bool pending;
	struct finding found;
	struct typed_place place; /* of the row of the match */
	struct buf line;          /* the line at that time */
	unsigned missed;          /* as in struct sight */
};

void glimpse_init(struct glimpse *g);
void glimpse_finish(struct glimpse *g);

/* Call this at a frame: a match that is still visible is not a glimpse. */
void glimpse_drop(struct glimpse *g);

/*
 * Search after a slice of output that becomes event seq.  Returns 1 and *f if
 * all conditions have been seen, 0, or -ELOOP.
 */
struct moment {
	const struct vt *vt;
	const struct ledger *ledger; /* of the last frame; NULL: all is new */
	uint64_t seq;
	bool all;
};
int glimpse_look(struct glimpse *g, const struct moment *m,
    const struct condition *c, struct finding *f);

/*
 * The result of a wait: docs/operations.md.  Without a match it contains the
 * screen.
 */
struct verdict {
	bool matched, timed_out;
	unsigned conditions; /* those that hold; without a match, the others */
	struct finding found;
	unsigned missed; /* as in struct sight */
	uint64_t seq;
};
void verdict_json(const struct verdict *v, struct sight *s, struct json_out *j);

#endif
