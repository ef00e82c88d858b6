#ifndef TEND_VT_STATE_H
#define TEND_VT_STATE_H

#include "vt/ahead.h"
#include "vt/charset.h"
#include "vt/clusters.h"
#include "vt/extras.h"
#include "vt/history.h"
#include "vt/mode_id.h"
#include "vt/parser.h"
#include "vt/program_status.h"
#include "vt/screen.h"
#include "vt/types.h"

/*
 * The state of a terminal, for the files of this folder only.  A keyframe holds
 * all of it, except for parts that can be computed from the rest.
 */

#define TITLE_MAX 1024 /* bytes */
#define TITLE_STACK_MAX 10
#define CWD_MAX 4096
#define KITTY_STACK_MAX 16
#define PALETTE_SIZE 256
#define LEVEL_MAX 4 /* a VT420 */

struct cursor {
	uint16_t x, y;
	bool pending; /* the last column was written: the next text wraps */
};

/*
 * The kind of protection.  Selective erase (DECSED, DECSEL) spares text that
 * DECSCA protects; every erase spares text that SPA protects.  The last of the
 * two to be used decides for all protected text, as in xterm.
 */
enum protection { PROTECT_SELECTIVE, PROTECT_ALWAYS };

/* DECSC, one for each screen. */
struct saved_cursor {
	uint16_t x, y;
	bool pending;
	bool origin;
	struct cell pen;
	struct charsets charsets;
};

/*
 * The character printed last, for marks that join it and for REP.  Sequences
 * make it forgotten, but for those that only change the pen (dispatch.c).
 */
struct last_char {
	uint8_t join;  /* state of uni_joins(); 0: there is none */
	uint16_t cell; /* its column, in the cursor's row */
};

struct keyboard {
	uint8_t kitty[2][KITTY_STACK_MAX]; /* stack of each screen */
	uint8_t kitty_depth[2];            /* kitty[s][depth] is in force */
	uint8_t modify_other_keys;
	uint8_t format_other_keys;
};

/* Titles are given, or told, as hexadecimal digits; the bits of XTSMTITLE. */
enum title_hex { TITLE_HEX_SET = 1 << 0, TITLE_HEX_TOLD = 1 << 1 };

enum title_kinds { TITLE = 1 << 0, ICON = 1 << 1 };

struct titles {
	char *title, *icon; /* never NULL */
	struct {
		char *title, *icon; /* NULL: not saved */
	} stack[TITLE_STACK_MAX];
	unsigned depth;
	uint8_t hex; /* enum title_hex: XTSMTITLE */
};

/* Bold, underline, blink, reverse, italic: OSC 5. */
#define SPECIAL_COLOURS 5

struct colours {
	uint32_t *palette; /* NULL until OSC 4 changes it */
	uint32_t own[3];   /* enum vt_colour_role; the terminal's */
	uint32_t set[3];   /* what OSC 10..12 set */
	bool is_set[3];
	uint32_t special[SPECIAL_COLOURS]; /* told only */
	bool special_is_set[SPECIAL_COLOURS];
};

/*
 * Rows of the primary screen that a resize left below its bottom.  They come
 * back when it grows again, unless the program has drawn in between.
 */
struct stash {
	struct buf lines; /* packed; each behind its length and flags */
	unsigned rows;
	uint64_t generation; /* of the screen that they belong under */
};

struct vt {
	const struct vt_ops *ops;
	void *arg;
	struct parser parser;

	struct screen screens[2]; /* primary, alternate: made on entering it */
	struct screen *screen;
	struct history history;
	struct ahead ahead; /* of the primary screen's rows */
	struct clusters clusters;
	struct extras extras;
	struct stash stash;

	struct cursor cursor;
	struct saved_cursor saved[2];
	struct cell pen; /* without a character */
	struct charsets charsets;
	struct last_char last;
	enum protection protection;
	uint8_t level; /* DECSCL: 1 to LEVEL_MAX, of the VT series */

	uint64_t modes, saved_modes; /* enum mode_id */
	uint8_t *tabs;               /* a bit for each column */
	enum cursor_shape shape;
	struct keyboard keyboard;
	struct titles titles;
	char *cwd;
	struct program_status program;
	struct colours colours;
	bool answers_all; /* see vt_answer_all(); its user's, not saved */

	uint64_t now;       /* counts feeds and resizes */
	uint64_t changed;   /* last change but of cells */
	uint64_t published; /* what vt_generation() says */
	uint64_t scrolled;  /* rows that left the top of the primary screen */
};

static inline bool
vt_mode(const struct vt *vt, enum mode_id id)
{
	return vt->modes >> id & 1;
}

static inline bool
vt_on_alt(const struct vt *vt)
{
	return vt->screen == &vt->screens[1];
}

/* The cell that erasing leaves: the pen's background. */
static inline struct cell
vt_blank(const struct vt *vt)
{
	return (struct cell){ .bg = vt->pen.bg };
}

/* Something other than cells changed that can be seen. */
static inline void
vt_touch(struct vt *vt)
{
	vt->changed = vt->now;
}

/* vt.c */
void vt_reply(struct vt *vt, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void vt_emit(struct vt *vt, const struct vt_event *ev);
void vt_publish(struct vt *vt);
void vt_set_program_status(struct vt *vt, const struct program_status *s);
/* Rows, or the history, are about to be gone; see struct vt_loss. */
void vt_lose(const struct vt *vt, enum vt_loss_how how, unsigned top,
    unsigned bottom, unsigned n);
void vt_sweep_clusters(struct vt *vt);

/* An extra for the pen, sweeping when there is no room. */
void vt_set_pen_extra(struct vt *vt, uint32_t underline, const char *uri,
    const char *id);

/* print.c */
void vt_print_ascii(struct vt *vt, const uint8_t *p, size_t len);
void vt_print_text(struct vt *vt, const struct text *text);

/* cursor.c */
void vt_move_to(struct vt *vt, unsigned x, unsigned y); /* clamped */
void vt_home(struct vt *vt);
/* True if x is between the left and right margins. */
bool vt_between_sides(const struct vt *vt, unsigned x);
/* After the place, the margins or the cells under a waiting wrap changed. */
void vt_check_wait(struct vt *vt);
void vt_linefeed(struct vt *vt);
/* The rows from top to the bottom margin; none of them becomes history. */
void vt_scroll_down(struct vt *vt, unsigned top, unsigned n);
void vt_delete_rows(struct vt *vt, unsigned top, unsigned n);
void vt_save_cursor(struct vt *vt);
void vt_restore_cursor(struct vt *vt);
void vt_reset_saved_cursor(struct vt *vt, unsigned which);
void vt_default_tabs(struct vt *vt, unsigned from);

/* alt.c */
void vt_enter_alt(struct vt *vt);
void vt_leave_alt(struct vt *vt);

/* title.c */
void titles_init(struct titles *t);
void titles_finish(struct titles *t);
void titles_set(char **slot, const char *s, size_t len, size_t max);
size_t titles_memory(const struct titles *t);
void titles_push(struct titles *t, enum title_kinds which);
void titles_pop(struct titles *t, enum title_kinds which);

/* colour.c */
void colours_init(struct colours *c);
void colours_finish(struct colours *c);
void colours_reset(struct colours *c);
uint32_t colours_palette(const struct colours *c, unsigned i);
uint32_t colours_role(const struct colours *c, enum vt_colour_role role);
uint32_t colours_special(const struct colours *c, unsigned i);
void colours_set_palette(struct colours *c, unsigned i, uint32_t rgb);
bool colours_dark(const struct colours *c);

/* reset.c */
void vt_reset(struct vt *vt);

/* resize.c */
void stash_init(struct stash *s);
void stash_finish(struct stash *s);
/* True if bytes from outside are so many rows. */
bool stash_check(const void *p, size_t len, unsigned rows);
void stash_mark_extras(const struct stash *s, struct extras *x);

#endif
