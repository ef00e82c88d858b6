#ifndef TEND_VT_VT_H
#define TEND_VT_VT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vt/cell.h"
#include "vt/input_modes.h"
#include "vt/types.h"

struct buf;
struct error;
struct program_status;

/*
 * A terminal: bytes in, state out.  It has no descriptor, no clock and no
 * loop, and depends only on the bytes it is fed.  So the same bytes give the
 * same screen at any time and in any chunking.
 *
 *	parser  bytes to text and sequences      parser.h
 *	vt      cursor, modes, pen               this header; handlers by table
 *	screen  rows of cells, scrolling         screen.h
 *	history lines that left the top          history.h
 *
 * Everything that grows has a limit.  At the limit, the terminal drops the
 * oldest lines of history, cuts strings and parameters, and removes links and
 * combined characters that are on no screen.  If that is not enough, it shows
 * text without its link or combining marks.
 */
struct vt;

/* Increased whenever the same bytes may give another screen. */
#define VT_ENGINE_VERSION 3

/*
 * Also answer queries that reveal text of other programs: checksums of the
 * screen (DECRQCRA) and titles (CSI 20 t, 21 t).  This is for tests of
 * terminals; a terminal that was created or restored does not answer them.
 */
void vt_answer_all(struct vt *vt, bool answer);

/* 0, or -EINVAL and *err when no screen can have this size. */
int vt_check_size(unsigned cols, unsigned rows, struct error *err);

/* NULL and *err when the size is out of bounds. */
struct vt *vt_create(const struct vt_config *config, struct error *err);
void vt_destroy(struct vt *vt); /* NULL is fine */

/* Use other callbacks from now on; NULL: none.  *ops must stay valid. */
void vt_set_ops(struct vt *vt, const struct vt_ops *ops, void *arg);

/* Process all len bytes. */
void vt_feed(struct vt *vt, const void *p, size_t len);

/*
 * Process bytes up to the end of the first synchronized update (mode 2026), or
 * all bytes if no update ends in them.  Returns the number of processed bytes.
 * The screen is then a complete frame, unless vt_in_sync() is true.
 */
size_t vt_feed_frame(struct vt *vt, const void *p, size_t len);

/*
 * The callback `reply` calls this if it can store no more answers:
 * vt_feed_frame then returns after this sequence.
 */
void vt_pause(struct vt *vt);

/* True while a synchronized update is unfinished. */
bool vt_in_sync(const struct vt *vt);

/* True if the bytes so far end with a complete character or sequence. */
bool vt_is_between(const struct vt *vt);

/*
 * End an unfinished synchronized update.  The caller decides when, because the
 * terminal has no clock.
 */
void vt_end_sync(struct vt *vt);

/*
 * Change the size.  The primary screen is reflowed: the cursor stays on its
 * character, and changing the size back loses no text.  The alternate screen
 * is cut or padded; its program redraws it.  Returns 0, or -EINVAL and *err as
 * vt_check_size does; then nothing has changed.
 */
int vt_resize(struct vt *vt, unsigned cols, unsigned rows, struct error *err);

/*
 * Reading the state.  Rows and columns count from 0.  The terminal owns the
 * strings and rows; they are valid until it is next fed or resized.
 */

unsigned vt_cols(const struct vt *vt);
unsigned vt_rows(const struct vt *vt);
bool vt_alt_screen(const struct vt *vt);
const char *vt_title(const struct vt *vt); /* UTF-8, never NULL */
const char *vt_icon(const struct vt *vt);
const char *vt_cwd(const struct vt *vt);    /* as OSC 7 gave it, or "" */
bool vt_reverse_video(const struct vt *vt); /* DECSCNM */

/*
 * The status that the program reports (OSC 7501), never NULL.  A shell's
 * prompt (OSC 133;A) resets it, unless the status is `done` or `error`.
 */
const struct program_status *vt_program_status(const struct vt *vt);

/* The program has ended: reset its status. */
void vt_end_program(struct vt *vt);

struct vt_cursor {
	uint16_t row, col; /* col < cols also while a wrap is pending */
	bool pending_wrap;
	bool visible;
	bool blink;
	enum cursor_shape shape;
};
void vt_cursor(const struct vt *vt, struct vt_cursor *out);

/* The modes that the input encoders need. */
void vt_input_modes(const struct vt *vt, struct input_modes *out);

/*
 * Colours, as 0xrrggbb.  vt_colour resolves a cell's colour; `role` selects
 * the colour that COLOUR_DEFAULT stands for.
 */
uint32_t vt_colour(const struct vt *vt, uint32_t colour,
    enum vt_colour_role role);

/*
 * Set the terminal's own colours: those that a program finds by queries and
 * gets back by a reset.  The cursor has the colour fg.
 */
void vt_set_default_colours(struct vt *vt, uint32_t fg, uint32_t bg);

/* A row of the current screen; y is less than vt_rows(). */
void vt_screen_row(const struct vt *vt, unsigned y, struct vt_row *out);

/* The text of a cell as UTF-8 ("" when blank); returns its length. */
#define VT_TEXT_MAX 128
size_t vt_cell_text(const struct vt_row *row, unsigned x,
    char out[VT_TEXT_MAX]);

/* The underline colour of a cell (COLOUR_DEFAULT: that of the text). */
uint32_t vt_cell_underline_colour(const struct vt *vt, const struct cell *c);
/* The hyperlink of a cell: URI and the id= of its OSC 8 ("" if none). */
const char *vt_cell_link(const struct vt *vt, const struct cell *c);
const char *vt_cell_link_id(const struct vt *vt, const struct cell *c);

/*
 * The rows of the history, oldest first, wrapped at the present width.  Do not
 * feed or resize the terminal between begin and end.  vt_history_next returns
 * false after the last row; its row is borrowed until the next call.
 */
struct vt_history_iter;
struct vt_history_iter *vt_history_begin(const struct vt *vt);
bool vt_history_next(struct vt_history_iter *it, struct vt_row *out);
void vt_history_end(struct vt_history_iter *it);

/* The number of logical lines in the history. */
uint32_t vt_history_lines(const struct vt *vt);

/* The default byte limit of a history with this line limit. */
size_t vt_history_bytes(uint32_t lines);

/* Write the limits of the history to the history_ fields of *config. */
void vt_history_limits(const struct vt *vt, struct vt_config *config);

/*
 * Set the limits of the history; lines beyond them are dropped at once, the
 * oldest first.
 */
void vt_limit_history(struct vt *vt, uint32_t lines, size_t bytes);

/*
 * Damage.  The generation grows with every feed that changed something.  A row
 * has changed after generation g if vt_row_generation() > g.  If something
 * visible (text, style, cursor, title, screen) has, vt_generation() > g.
 * vt_generation() does not grow during a synchronized update.
 */
uint64_t vt_generation(const struct vt *vt);
uint64_t vt_row_generation(const struct vt *vt, unsigned y);

/* True if the last feed wrote on this row, even if the row has moved since. */
bool vt_row_is_new(const struct vt *vt, unsigned y);

/*
 * The number of rows that have left the top of the primary screen by scrolling
 * since this terminal was created or restored.  Text that was in row y when
 * this was n is now in row y - (vt_scrolled() - n), unless it was overwritten.
 */
uint64_t vt_scrolled(const struct vt *vt);

/* Total memory in bytes. */
size_t vt_memory(const struct vt *vt);

#endif
