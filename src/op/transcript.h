#ifndef TEND_OP_TRANSCRIPT_H
#define TEND_OP_TRANSCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct transcript;
struct vt;
struct vt_row;

/*
 * All lines that a terminal has shown on its primary screen, as text, in the
 * order in which they were shown, from top to bottom.
 *
 * A line is written when it disappears: when it has left the top of the screen,
 * when it was erased, deleted or scrolled away, or at the end.  The lines above
 * it are written at the same time, so that all are in order; they are written
 * again only if they change afterwards.
 *
 * A line that is redrawn in place, after a carriage return or by a sequence
 * that moves the cursor or erases within a line, is one line: the transcript
 * has its last state.  If it was ended by a line feed, then erased, and a frame
 * shows it blank, the transcript has its state before that.
 *
 * Lines of the alternate screen are not written, except those that are on it at
 * the end: they come last.  Lines broken at the margin are joined again.
 *
 * A reader of the whole log and one that follows it live get the same
 * transcript, except for lines that change after transcript_pause() has written
 * them: these appear twice.
 */
struct transcript *transcript_create(struct buf *out);
void transcript_destroy(struct transcript *t);

/*
 * Call fn for each row that is written, with its style: `at` is the start of
 * its text in `out`.  A row that continues the line before has no '\n' before
 * it there.  If the row is NULL, only its text is known.
 */
typedef void transcript_row_fn(void *arg, const struct vt *vt,
    const struct vt_row *row, size_t at);
void transcript_on_row(struct transcript *t, transcript_row_fn *fn, void *arg);

/*
 * Continue with this terminal, which the transcript takes over.  The lines of
 * the previous one are written.  With `written`, the lines above its cursor
 * count as written.
 */
void transcript_take(struct transcript *t, struct vt *vt, bool written);
bool transcript_has_screen(const struct transcript *t);

/* Start to write: lines shown before this call are not written. */
void transcript_want(struct transcript *t);

void transcript_feed(struct transcript *t, const void *p, size_t len);
void transcript_frame(struct transcript *t); /* the fed output ends a frame */
int transcript_resize(struct transcript *t, unsigned cols, unsigned rows);

/* Output pauses: write the lines above the line of the cursor. */
void transcript_pause(struct transcript *t);
void transcript_end(struct transcript *t);

/*
 * Another transcript continues from this screen with transcript_want(): write
 * the lines that it will count as written.
 */
void transcript_part(struct transcript *t);

#endif
