/*
 * Answers to queries.  Each consists of constants and our own numbers; no byte
 * that a program printed ever comes back to it as input.
 */
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "vt/handlers.h"
#include "vt/mode.h"
#include "vt/render.h"
#include "vt/state.h"
#include "vt/vt.h"

/* Nominal values: there is no font here, but programs divide by them. */
#define CELL_WIDTH_PX 8
#define CELL_HEIGHT_PX 16

#define TEND_NAME "tend(" TEND_VERSION ")"

/*
 * A VT420 with selective erase, horizontal scrolling, colour and rectangles.
 */
#define ATTRIBUTES "\033[?64;6;21;22;28c"

/*
 * The xterm version that this terminal reports.  From 242 on, unless it is
 * above 2000, Emacs queries colours and uses modifyOtherKeys; from 279 on, vim
 * queries the cursor's shape and reads the mouse as SGR.
 */
#define XTERM_PATCH 379

void
csi_da1(struct vt *vt, const struct seq *seq)
{
	if (seq->args[0] == 0)
		vt_reply(vt, ATTRIBUTES);
}

void
esc_decid(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	vt_reply(vt, ATTRIBUTES);
}

void
csi_da2(struct vt *vt, const struct seq *seq)
{
	if (seq->args[0] == 0)
		vt_reply(vt, "\033[>41;%d;0c", XTERM_PATCH);
}

void
csi_da3(struct vt *vt, const struct seq *seq)
{
	if (seq->args[0] == 0)
		vt_reply(vt, "\033P!|00000000\033\\");
}

void
csi_xtversion(struct vt *vt, const struct seq *seq)
{
	if (seq->args[0] == 0)
		vt_reply(vt, "\033P>|" TEND_NAME "\033\\");
}

void
csi_decreqtparm(struct vt *vt, const struct seq *seq)
{
	if (seq->args[0] <= 1)
		vt_reply(vt, "\033[%d;1;1;128;128;1;0x", seq->args[0] + 2);
}

static void
report_cursor(struct vt *vt, bool with_page)
{
	const struct screen *s = vt->screen;
	unsigned row = vt->cursor.y + 1u, col = vt->cursor.x + 1u;

	if (vt_mode(vt, MODE_DECOM)) {
		row -= s->top;
		col -= s->left;
	}
	if (with_page)
		vt_reply(vt, "\033[?%u;%u;1R", row, col);
	else
		vt_reply(vt, "\033[%u;%uR", row, col);
}

void
csi_dsr(struct vt *vt, const struct seq *seq)
{
	if (seq->args[0] == 5)
		vt_reply(vt, "\033[0n");
	else if (seq->args[0] == 6)
		report_cursor(vt, false);
}

void
csi_decdsr(struct vt *vt, const struct seq *seq)
{
	static const struct {
		uint16_t question;
		const char *answer;
	} fixed[] = {
		{ 15, "\033[?13n" },       /* no printer */
		{ 25, "\033[?21n" },       /* user keys are locked */
		{ 26, "\033[?27;1;0;0n" }, /* keyboard: North American */
		{ 53, "\033[?53n" },       /* no locator */
		{ 55, "\033[?53n" }, { 56, "\033[?57;0n" },
		{ 62, "\033[0*{" },  /* no room for macros */
		{ 75, "\033[?70n" }, /* no errors on the line */
		{ 85, "\033[?83n" }, /* one session */
	};

	if (seq->args[0] == 6)
		report_cursor(vt, true);
	else if (seq->args[0] == 996)
		vt_reply(vt, "\033[?997;%dn",
		    colours_dark(&vt->colours) ? 1 : 2);
	else if (seq->args[0] == 63) /* the checksum of no macros */
		vt_reply(vt, "\033P%u!~0000\033\\", seq_arg(seq, 1, 0));
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (fixed[i].question == seq->args[0])
			vt_reply(vt, "%s", fixed[i].answer);
}

/* 0 unknown, 1 set, 2 reset, 3 always set, 4 always reset. */
enum {
	MODE_UNKNOWN,
	MODE_IS_SET,
	MODE_IS_RESET,
	MODE_FIXED_ON,
	MODE_FIXED_OFF
};

/* Modes that cannot be changed, and have no row in mode.def. */
static const struct {
	bool private;
	uint16_t number;
	uint8_t state;
} fixed_modes[] = {
	{ false, 1, MODE_FIXED_OFF },   /* GATM */
	{ false, 3, MODE_IS_RESET },    /* CRM */
	{ false, 5, MODE_FIXED_OFF },   /* SRTM */
	{ false, 7, MODE_FIXED_OFF },   /* VEM */
	{ false, 10, MODE_FIXED_OFF },  /* HEM */
	{ false, 11, MODE_FIXED_OFF },  /* PUM */
	{ false, 13, MODE_FIXED_OFF },  /* FEAM */
	{ false, 14, MODE_FIXED_OFF },  /* FETM */
	{ false, 15, MODE_FIXED_OFF },  /* MATM */
	{ false, 16, MODE_FIXED_OFF },  /* TTM */
	{ false, 17, MODE_FIXED_OFF },  /* SATM */
	{ false, 18, MODE_FIXED_OFF },  /* TSM */
	{ false, 19, MODE_FIXED_OFF },  /* EBM */
	{ true, 2, MODE_IS_SET },       /* DECANM: no VT52 */
	{ true, 8, MODE_FIXED_OFF },    /* DECARM: keys do not repeat here */
	{ true, 14, MODE_FIXED_OFF },   /* blinking is not combined */
	{ true, 1034, MODE_FIXED_OFF }, /* Meta sets the eighth bit */
	{ true, 1035, MODE_FIXED_OFF }, /* Num Lock's modifier */
	{ true, 1036, MODE_FIXED_ON },  /* Meta sends ESC */
	{ true, 1037, MODE_FIXED_OFF }, /* Delete sends DEL */
	{ true, 1039, MODE_FIXED_ON },  /* Alt sends ESC */
};

static int
mode_state(const struct vt *vt, bool private, unsigned number)
{
	enum mode_id id = mode_find(private, number);

	if (id != MODE_COUNT)
		return vt_mode(vt, id) ? MODE_IS_SET : MODE_IS_RESET;
	for (size_t i = 0; i < sizeof(fixed_modes) / sizeof(fixed_modes[0]);
	     i++)
		if (fixed_modes[i].private == private &&
		    fixed_modes[i].number == number)
			return fixed_modes[i].state;
	return MODE_UNKNOWN;
}

static void
report_mode(struct vt *vt, const struct seq *seq, bool private)
{
	if (vt->level >= 3)
		vt_reply(vt, "\033[%s%u;%d$y", private ? "?" : "", seq->args[0],
		    mode_state(vt, private, seq->args[0]));
}

void
csi_rqm(struct vt *vt, const struct seq *seq)
{
	report_mode(vt, seq, false);
}

void
csi_decrqm(struct vt *vt, const struct seq *seq)
{
	report_mode(vt, seq, true);
}

/* DECCIR: cursor position, pen, pending wrap, character sets. */
static void
report_cursor_state(struct vt *vt)
{
	const struct charsets *c = &vt->charsets;
	uint32_t attr = vt->pen.attr;
	int rendition = 0x40 | (attr & ATTR_BOLD ? 1 : 0) |
	    (attr & ATTR_UNDERLINE ? 2 : 0) | (attr & ATTR_BLINK ? 4 : 0) |
	    (attr & ATTR_INVERSE ? 8 : 0);
	int flags = 0x40 | (vt_mode(vt, MODE_DECOM) ? 1 : 0) |
	    (c->single == 2 ? 2 : 0) | (c->single == 3 ? 4 : 0) |
	    (vt->cursor.pending ? 8 : 0);

	vt_reply(vt, "\033P1$u%d;%d;1;%c;%c;%c;%d;2;%c;%.4s\033\\",
	    vt->cursor.y + 1, vt->cursor.x + 1, rendition,
	    attr & ATTR_PROTECTED ? 'A' : '@', flags, c->current, 0x4f,
	    (const char *)c->set);
}

/* DECTABSR: as many tab stops as fit in an answer. */
static void
report_tabs(struct vt *vt)
{
	char text[400];
	size_t n = 0;

	text[0] = '\0';
	for (unsigned x = 0; x < vt->screen->cols && n + 8 < sizeof(text); x++)
		if (vt->tabs[x / 8] >> (x % 8) & 1)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
			    "%s%u", n > 0 ? "/" : "", x + 1);
	vt_reply(vt, "\033P2$u%s\033\\", text);
}

void
csi_decrqpsr(struct vt *vt, const struct seq *seq)
{
	if (seq->args[0] == 1)
		report_cursor_state(vt);
	else if (seq->args[0] == 2)
		report_tabs(vt);
}

void
csi_decscusr(struct vt *vt, const struct seq *seq)
{
	static const enum cursor_shape shapes[] = { CURSOR_BLOCK, CURSOR_BLOCK,
		CURSOR_BLOCK, CURSOR_UNDERLINE, CURSOR_UNDERLINE, CURSOR_BAR,
		CURSOR_BAR };
	unsigned n = seq->args[0];

	if (n > 6)
		return;
	vt->shape = shapes[n];
	mode_set(vt, MODE_CURSOR_BLINK, n % 2 == 1);
}

/* The window is the screen, and both fill the display. */
static bool
report_window(struct vt *vt, unsigned what)
{
	unsigned rows = vt->screen->rows, cols = vt->screen->cols;
	unsigned height = rows * CELL_HEIGHT_PX, width = cols * CELL_WIDTH_PX;

	if (what == 11)
		vt_reply(vt, "\033[1t"); /* it is no icon */
	else if (what == 13)
		vt_reply(vt, "\033[3;0;0t");
	else if (what == 14 || what == 15)
		vt_reply(vt, "\033[%u;%u;%ut", what - 10, height, width);
	else if (what == 16)
		vt_reply(vt, "\033[6;%d;%dt", CELL_HEIGHT_PX, CELL_WIDTH_PX);
	else if (what == 18 || what == 19)
		vt_reply(vt, "\033[%u;%u;%ut", what - 10, rows, cols);
	else
		return false;
	return true;
}

/* 20 and 21: a title that another program may have written. */
static void
report_title(struct vt *vt, unsigned what)
{
	const char *text = what == 20 ? vt->titles.icon : vt->titles.title;
	bool hex = vt->titles.hex & TITLE_HEX_TOLD;
	char out[400];
	size_t n = 0;

	if (!vt->answers_all)
		return;
	for (; *text != '\0' && n + 2 < sizeof(out); text++)
		n += (size_t)snprintf(out + n, sizeof(out) - n,
		    hex ? "%02X" : "%c", (uint8_t)*text);
	out[n] = '\0';
	vt_reply(vt, "\033]%c%s\033\\", what == 20 ? 'L' : 'l', out);
}

/* The titles of 22 and 23: both, the icon's, the window's. */
static enum title_kinds
title_kinds(const struct seq *seq)
{
	unsigned n = seq_arg(seq, 1, 0);

	return n == 1 ? ICON : n == 2 ? TITLE : ICON | TITLE;
}

static void
pop_title(struct vt *vt, enum title_kinds which)
{
	titles_pop(&vt->titles, which);
	vt_touch(vt);
	vt_emit(vt,
	    &(struct vt_event){ .type = VT_EVENT_TITLE,
		.text = vt->titles.title });
}

void
csi_xtwinops(struct vt *vt, const struct seq *seq)
{
	unsigned what = seq->args[0];

	if (report_window(vt, what))
		return;
	if (what == 20 || what == 21)
		report_title(vt, what);
	else if (what == 22)
		titles_push(&vt->titles, title_kinds(seq));
	else if (what == 23 && vt->titles.depth > 0)
		pop_title(vt, title_kinds(seq));
	else if (what == 8)
		vt_emit(vt,
		    &(struct vt_event){ .type = VT_EVENT_RESIZE,
			.number = (int)seq_arg(seq, 1, 0),
			.value = (int)seq_arg(seq, 2, 0) });
}

/* A colour as SGR parameters: base is 30, 40 or 50 for underlines. */
static void
put_colour(struct buf *out, uint32_t c, unsigned base, enum sgr_form form)
{
	unsigned v = COLOUR_VALUE(c);
	char sep = form == SGR_COLONS ? ':' : ';';

	if (COLOUR_KIND(c) == COLOUR_RGB)
		buf_printf(out, ";%u%c2%s%u%c%u%c%u", base + 8, sep,
		    form == SGR_COLONS ? "::" : ";", v >> 16, sep,
		    v >> 8 & 0xff, sep, v & 0xff);
	else if (COLOUR_KIND(c) != COLOUR_PALETTE)
		return;
	else if (base == 50 || v >= 16)
		buf_printf(out, ";%u%c5%c%u", base + 8, sep, sep, v);
	else
		buf_printf(out, ";%u", v < 8 ? base + v : base + 52 + v);
}

void
vt_put_sgr(struct buf *out, const struct cell *c, uint32_t underline_colour,
    enum sgr_form form)
{
	static const struct {
		uint16_t attr;
		uint8_t code;
	} simple[] = { { ATTR_BOLD, 1 }, { ATTR_FAINT, 2 }, { ATTR_ITALIC, 3 },
		{ ATTR_BLINK, 5 }, { ATTR_INVERSE, 7 }, { ATTR_CONCEAL, 8 },
		{ ATTR_STRIKE, 9 }, { ATTR_OVERLINE, 53 } };

	buf_puts(out, "0");
	for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++)
		if (c->attr & simple[i].attr)
			buf_printf(out, ";%u", simple[i].code);
	if (cell_underline(c) == UNDERLINE_SINGLE)
		buf_puts(out, ";4");
	else if (cell_underline(c) != UNDERLINE_NONE)
		buf_printf(out, ";4:%u", cell_underline(c));
	put_colour(out, c->fg, 30, form);
	put_colour(out, c->bg, 40, form);
	put_colour(out, underline_colour, 50, form);
}

static void
report_sgr(struct vt *vt)
{
	struct buf sgr;

	buf_init(&sgr, 256);
	vt_put_sgr(&sgr, &vt->pen, vt_cell_underline_colour(vt, &vt->pen),
	    SGR_COLONS);
	vt_reply(vt, "\033P1$r%.*sm\033\\", (int)sgr.len, (char *)sgr.data);
	buf_finish(&sgr);
}

static unsigned
cursor_style(const struct vt *vt)
{
	return 2 + 2 * (unsigned)vt->shape - vt_mode(vt, MODE_CURSOR_BLINK);
}

void
dcs_decrqss(struct vt *vt, const struct seq *seq)
{
	const struct screen *s = vt->screen;

	if (strcmp(seq->str, "m") == 0)
		report_sgr(vt);
	else if (strcmp(seq->str, "r") == 0)
		vt_reply(vt, "\033P1$r%d;%dr\033\\", s->top + 1, s->bottom + 1);
	else if (strcmp(seq->str, "s") == 0)
		vt_reply(vt, "\033P1$r%d;%ds\033\\", s->left + 1, s->right + 1);
	else if (strcmp(seq->str, " q") == 0)
		vt_reply(vt, "\033P1$r%u q\033\\", cursor_style(vt));
	else if (strcmp(seq->str, "\"q") == 0)
		vt_reply(vt, "\033P1$r%d\"q\033\\",
		    (vt->pen.attr & ATTR_PROTECTED) != 0);
	else if (strcmp(seq->str, "\"p") == 0)
		vt_reply(vt, "\033P1$r%d;1\"p\033\\", 60 + vt->level);
	else
		vt_reply(vt, "\033P0$r\033\\");
}

/* Names and values as XTGETTCAP encodes them, in hexadecimal. */
static const struct {
	const char *name, *value;
} capabilities[] = {
	{ "544E", "787465726D2D323536636F6C6F72" },     /* TN xterm-256color */
	{ "6E616D65", "787465726D2D323536636F6C6F72" }, /* name */
	{ "436F", "323536" },                           /* Co 256 */
	{ "636F6C6F7273", "323536" },                   /* colors */
	{ "524742", "382F382F38" },                     /* RGB 8/8/8 */
	{ "5463", "" },                                 /* Tc */
	{ "5375", "" }, /* Su: styled underlines */
};

static bool
same_hex(const char *a, size_t len, const char *b)
{
	if (len != strlen(b))
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = a[i];
		if (c >= 'a' && c <= 'f')
			c = (char)(c - 'a' + 'A');
		if (c != b[i])
			return false;
	}
	return true;
}

static void
report_capability(struct vt *vt, const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]);
	     i++)
		if (same_hex(name, len, capabilities[i].name)) {
			const char *value = capabilities[i].value;
			vt_reply(vt, "\033P1+r%s%s%s\033\\",
			    capabilities[i].name, *value != '\0' ? "=" : "",
			    value);
			return;
		}
	vt_reply(vt, "\033P0+r\033\\");
}

void
dcs_xtgettcap(struct vt *vt, const struct seq *seq)
{
	const char *p = seq->str;

	for (unsigned n = 0; n < 16; n++) {
		size_t len = strcspn(p, ";");
		report_capability(vt, p, len);
		p += len;
		if (*p++ == '\0')
			break;
	}
}
