#ifndef TEND_VT_TYPES_H
#define TEND_VT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "vt/cell.h"

struct clusters;

/* The types of the terminal, for vt.h and the parts below it. */

#define VT_COLS_MIN 2 /* a wide character has to fit */
#define VT_COLS_MAX 2000
#define VT_ROWS_MAX 2000
#define VT_CELLS_MAX (1 << 20) /* cols x rows */

#define VT_HISTORY_LINES 2000
#define VT_HISTORY_BYTES (256u << 10)

enum vt_event_type {
	VT_EVENT_BELL,
	VT_EVENT_TITLE,     /* text: the new title (OSC 0, 2; title stack) */
	VT_EVENT_ICON,      /* text: the new icon name (OSC 0, 1) */
	VT_EVENT_CWD,       /* text: the URI or path (OSC 7) */
	VT_EVENT_MARK,      /* number: 'A' prompt, 'B' input, 'C' output,
			       'D' done (OSC 133); value: exit status or -1 */
	VT_EVENT_NOTIFY,    /* title, text (OSC 9, 99, 777) */
	VT_EVENT_PROGRESS,  /* number: 0 off 1 on 2 error 3 busy 4 paused,
			       value: percent or -1 (OSC 9;4) */
	VT_EVENT_CLIPBOARD, /* title: which selections; text: base64 as it came,
			       or "?" for a question (OSC 52); never answered */
	VT_EVENT_RESIZE,    /* number, value: rows, cols asked for (CSI 8 t) */
	VT_EVENT_PROGRAM,   /* the program's status is another (OSC 7501) */
};

/* Strings are valid UTF-8 without control characters, and borrowed. */
struct vt_event {
	enum vt_event_type type;
	int number;
	int value;
	const char *title;
	const char *text;
};

/*
 * Rows of the primary screen that are about to be gone, other than by leaving
 * the top into the history.  Rows count from 0.
 */
enum vt_loss_how {
	VT_LOSS_ERASED,  /* rows top to bottom, all of them */
	VT_LOSS_UP,      /* of these, the first n: the others move up */
	VT_LOSS_DOWN,    /* of these, the last n: the others move down */
	VT_LOSS_LINE,    /* row top, a line that the cursor had finished, by a
			    sequence that erases within a line */
	VT_LOSS_HISTORY, /* the history */
};

struct vt_loss {
	enum vt_loss_how how;
	unsigned top, bottom, n;
};

/*
 * The callbacks of the terminal.  Each may be NULL.  `reply` has bytes for the
 * program's input: only digits and our constants, never bytes that the program
 * printed.  `lose` is called before rows are lost, so that they can still be
 * read.  No callback may change the terminal, except that `reply` may call
 * vt_pause.
 */
struct vt_ops {
	void (*reply)(void *arg, const char *p, size_t len);
	void (*event)(void *arg, const struct vt_event *ev);
	void (*lose)(void *arg, const struct vt_loss *loss);
};

struct vt_config {
	uint16_t cols, rows;    /* within the limits above */
	uint32_t history_lines; /* logical lines; 0: no history */
	size_t history_bytes;   /* and their packed size */
	const struct vt_ops *ops;
	void *arg;
};

enum cursor_shape { CURSOR_BLOCK, CURSOR_UNDERLINE, CURSOR_BAR };

/* The default colours. */
enum vt_colour_role { VT_FOREGROUND, VT_BACKGROUND, VT_CURSOR_COLOUR };

enum row_flags {
	ROW_CONTINUES = 1 << 0, /* the line of the row above goes on here */
	ROW_PROMPT = 1 << 1,    /* OSC 133;A was printed here */
	ROW_OUTPUT = 1 << 2,    /* OSC 133;C */
};

/* A row to look at, borrowed until the terminal is next fed or resized. */
struct vt_row {
	const struct cell *cells;
	unsigned used; /* cells from here to the margin are zero */
	unsigned flags;
	const struct clusters *clusters; /* what CELL_CLUSTER ids mean */
};

#endif
