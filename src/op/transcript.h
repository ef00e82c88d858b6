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
 * order from top to bottom in which they were shown.
 *
 * A line is written when it is gone: when it has left the top of the screen,
 * when it was erased, deleted or scrolled away, or at the end.  The lines above
 * one that is gone are written with it, so that none comes out of order, and
 * written again only if they are changed afterwards.
 *
 * A line that is drawn again in its place, from a carriage return or by a
 * sequence that moves the cursor or erases within a line, is one line: the
 * transcript has it as it was last.  If it was ended by a line feed, then
 * erased within, and a frame shows it blank, it is written as it was before.
 *
 * The alternate screen has no lines, but for those that stand on it at the end:
 * they come last.  Lines that the margin broke are put together again.
 *
 * A reader of all bytes and a reader that follows them live get the same
 * transcript, except for lines that change after transcript_pause() has written
 * them: these are there twice.
 */
struct transcript *transcript_create(struct buf *out);
void transcript_destroy(struct transcript *t);

/*
 * Tell somebody of each row that is written, with its style: `at` is where in
 * `out` its text begins.  A row that goes on with the line before has no '\n'
 * before it there.  Of a row that is NULL nothing is known but its text.
 */
typedef void transcript_row_fn(void *arg, const struct vt *vt,
    const struct vt_row *row, size_t at);
void transcript_tell(struct transcript *t, transcript_row_fn *fn, void *arg);

/*
 * Go on with this terminal, which is the transcript's from now on.  The lines
 * of the one before are written.  With `written`, what stands above its cursor
 * is taken for written.
 */
void transcript_take(struct transcript *t, struct vt *vt, bool written);
bool transcript_has_screen(const struct transcript *t);

/* Write from now on what is shown from now on; before, nothing is written. */
void transcript_want(struct transcript *t);

void transcript_feed(struct transcript *t, const void *p, size_t len);
void transcript_frame(struct transcript *t); /* what was fed is a frame */
int transcript_resize(struct transcript *t, unsigned cols, unsigned rows);

/* Nothing comes for now: write what stands above the line of the cursor. */
void transcript_pause(struct transcript *t);
void transcript_end(struct transcript *t);

/*
 * Another transcript goes on from this screen with transcript_want(): write
 * what that one takes for written.
 */
void transcript_part(struct transcript *t);

#endif
