#include "look.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rig.h"
#include "script.h"
#include "vt/cell.h"
#include "vt/input_modes.h"
#include "vt/program_status.h"
#include "vt/text.h"
#include "vt/vt.h"

#define TEXT_MAX (16 << 20)

static void
put_quoted(struct buf *out, const char *s)
{
	script_quote(out, s, strlen(s));
}

static void
put_yes(struct buf *out, bool yes)
{
	buf_puts(out, yes ? "yes" : "no");
}

/* Rows */

typedef int look_row_fn(struct rig *rig, unsigned y, struct vt_row *row,
    void *arg);

/* Call fn for each row of the history. */
static void
each_history_row(struct rig *rig, look_row_fn *fn, void *arg)
{
	struct vt_history_iter *it = vt_history_begin(rig->vt);
	struct vt_row row;

	for (unsigned y = 0; vt_history_next(it, &row); y++) {
		if (fn(rig, y, &row, arg) != 0)
			break;
	}
	vt_history_end(it);
}

static void
each_screen_row(struct rig *rig, look_row_fn *fn, void *arg)
{
	struct vt_row row;

	for (unsigned y = 0; y < vt_rows(rig->vt); y++) {
		vt_screen_row(rig->vt, y, &row);
		if (fn(rig, y, &row, arg) != 0)
			break;
	}
}

static int
add_row_text(struct rig *rig, unsigned y, struct vt_row *row, void *arg)
{
	struct buf *text = arg;

	(void)rig;
	if (y > 0)
		buf_putc(text, '\n');
	vt_row_text(row, text);
	return 0;
}

struct flagged {
	struct buf *out;
	unsigned flag;
	unsigned n;
};

static int
add_flagged(struct rig *rig, unsigned y, struct vt_row *row, void *arg)
{
	struct flagged *f = arg;

	(void)rig;
	if ((row->flags & f->flag) != 0)
		buf_printf(f->out, "%s%u", f->n++ > 0 ? " " : "", y);
	return 0;
}

static int
count_row(struct rig *rig, unsigned y, struct vt_row *row, void *arg)
{
	(void)rig;
	(void)row;
	*(unsigned *)arg = y + 1;
	return 0;
}

static int
screen_row(struct rig *rig, const char *arg, struct vt_row *row,
    struct error *err)
{
	char *end;
	unsigned long y = strtoul(arg, &end, 10);

	if (end == arg || *end != '\0' || y >= vt_rows(rig->vt))
		return error_set(err, EINVAL, "no row \"%s\"", arg);
	vt_screen_row(rig->vt, (unsigned)y, row);
	return 0;
}

static int
answer_row(struct rig *rig, const char *arg, struct buf *out, struct error *err)
{
	struct vt_row row;
	struct buf text;
	int ret = screen_row(rig, arg, &row, err);

	if (ret < 0)
		return ret;
	buf_init(&text, TEXT_MAX);
	vt_row_text(&row, &text);
	script_quote(out, text.data, text.len);
	buf_finish(&text);
	return 0;
}

/* The rows from the first to the last that is not blank. */
static void
answer_text(struct rig *rig, struct buf *out)
{
	struct buf text;
	size_t len;

	buf_init(&text, TEXT_MAX);
	vt_text(rig->vt, &text);
	for (len = text.len; len > 0 && text.data[len - 1] == '\n';)
		len--;
	script_quote(out, text.data, len);
	buf_finish(&text);
}

static void
put_flagged(struct rig *rig, bool history, unsigned flag, struct buf *out)
{
	struct flagged f = { .out = out, .flag = flag };

	if (history)
		each_history_row(rig, add_flagged, &f);
	else
		each_screen_row(rig, add_flagged, &f);
	if (f.n == 0)
		buf_puts(out, "none");
}

static void
answer_wrapped(struct rig *rig, struct buf *out)
{
	put_flagged(rig, false, ROW_CONTINUES, out);
}

static void
answer_prompts(struct rig *rig, struct buf *out)
{
	put_flagged(rig, false, ROW_PROMPT, out);
}

static void
answer_outputs(struct rig *rig, struct buf *out)
{
	put_flagged(rig, false, ROW_OUTPUT, out);
}

/* Cells */

static const struct {
	unsigned bit;
	const char *word;
} attr_words[] = {
	{ ATTR_BOLD, "bold" },
	{ ATTR_FAINT, "faint" },
	{ ATTR_ITALIC, "italic" },
	{ ATTR_INVERSE, "inverse" },
	{ ATTR_BLINK, "blink" },
	{ ATTR_CONCEAL, "conceal" },
	{ ATTR_STRIKE, "strike" },
	{ ATTR_OVERLINE, "overline" },
	{ ATTR_PROTECTED, "protected" },
};

static void
put_colour(struct buf *out, const char *word, uint32_t colour)
{
	if (COLOUR_KIND(colour) == COLOUR_PALETTE)
		buf_printf(out, " %s=p%u", word, COLOUR_VALUE(colour));
	else if (COLOUR_KIND(colour) == COLOUR_RGB)
		buf_printf(out, " %s=#%06x", word, COLOUR_VALUE(colour));
}

static void
put_style(struct rig *rig, const struct cell *c, struct buf *out)
{
	static const char *const kinds[] = { "", " wide", " tail", " pad" };
	static const char *const lines[] = { "", "single", "double", "curly",
		"dotted", "dashed", "6", "7" };
	const char *link = vt_cell_link(rig->vt, c);
	const char *id = vt_cell_link_id(rig->vt, c);

	buf_puts(out, kinds[cell_kind(c)]);
	for (size_t i = 0; i < sizeof(attr_words) / sizeof(*attr_words); i++) {
		if ((c->attr & attr_words[i].bit) != 0)
			buf_printf(out, " %s", attr_words[i].word);
	}
	if (cell_underline(c) != UNDERLINE_NONE)
		buf_printf(out, " ul=%s", lines[cell_underline(c)]);
	put_colour(out, "ulc", vt_cell_underline_colour(rig->vt, c));
	put_colour(out, "fg", c->fg);
	put_colour(out, "bg", c->bg);
	if (link[0] != '\0') {
		buf_puts(out, " link=");
		put_quoted(out, link);
	}
	if (id[0] != '\0') {
		buf_puts(out, " id=");
		put_quoted(out, id);
	}
}

static void
put_cell(struct rig *rig, const struct vt_row *row, unsigned x, struct buf *out)
{
	static const struct cell zero;
	char text[VT_TEXT_MAX];
	size_t len = 0;

	if (x < row->used)
		len = vt_cell_text(row, x, text);
	script_quote(out, text, len);
	put_style(rig, x < row->used ? &row->cells[x] : &zero, out);
}

struct place {
	unsigned y, x0, x1;
	struct buf *out;
	int n; /* rows found: 0 or 1 */
};

/*
 * One description for all cells of a place, or the position of the first cell
 * that differs.
 */
static int
put_cells(struct rig *rig, unsigned y, struct vt_row *row, void *arg)
{
	struct place *place = arg;
	struct buf one, first;

	if (y != place->y)
		return 0;
	place->n = 1;
	buf_init(&first, TEXT_MAX);
	buf_init(&one, TEXT_MAX);
	put_cell(rig, row, place->x0, &first);
	buf_append(place->out, first.data, first.len);
	for (unsigned x = place->x0 + 1; x <= place->x1; x++) {
		buf_clear(&one);
		put_cell(rig, row, x, &one);
		if (one.len == first.len &&
		    memcmp(one.data, first.data, one.len) == 0)
			continue;
		buf_printf(place->out, " but %u,%u is %.*s", y, x, (int)one.len,
		    (const char *)one.data);
		break;
	}
	buf_finish(&one);
	buf_finish(&first);
	return 1;
}

/* "row,col" or "row,col..col" */
static int
read_place(struct rig *rig, const char *arg, struct place *place,
    struct error *err)
{
	int end = 0;

	if (sscanf(arg, "%u,%u..%u%n", &place->y, &place->x0, &place->x1,
		&end) != 3) {
		if (sscanf(arg, "%u,%u%n", &place->y, &place->x0, &end) != 2)
			return error_set(err, EINVAL, "no place \"%s\"", arg);
		place->x1 = place->x0;
	}
	if (arg[end] != '\0' || place->x1 >= vt_cols(rig->vt))
		return error_set(err, EINVAL, "no place \"%s\"", arg);
	return 0;
}

static int
answer_cells(struct rig *rig, const char *arg, struct buf *out, bool history,
    struct error *err)
{
	struct place place = { .out = out };
	int ret = read_place(rig, arg, &place, err);

	if (ret < 0)
		return ret;
	if (history)
		each_history_row(rig, put_cells, &place);
	else
		each_screen_row(rig, put_cells, &place);
	if (place.n == 0)
		return error_set(err, EINVAL, "no row %u", place.y);
	return 0;
}

static int
answer_cell(struct rig *rig, const char *arg, struct buf *out,
    struct error *err)
{
	return answer_cells(rig, arg, out, false, err);
}

/* ?history, ?history wrapped, ?history rows, ?history cell 0,0 */
static int
answer_history(struct rig *rig, const char *arg, struct buf *out,
    struct error *err)
{
	unsigned n = 0;
	struct buf text;

	if (strcmp(arg, "wrapped") == 0) {
		put_flagged(rig, true, ROW_CONTINUES, out);
		return 0;
	}
	if (strncmp(arg, "cell ", 5) == 0)
		return answer_cells(rig, arg + 5, out, true, err);
	if (strcmp(arg, "rows") == 0) {
		each_history_row(rig, count_row, &n);
		buf_printf(out, "%u", n);
		return 0;
	}
	if (arg[0] != '\0')
		return error_set(err, EINVAL, "no ?history %s", arg);
	buf_init(&text, TEXT_MAX);
	each_history_row(rig, add_row_text, &text);
	script_quote(out, text.data, text.len);
	buf_finish(&text);
	return 0;
}

/* The rest of the terminal */

static int
answer_cursor(struct rig *rig, const char *arg, struct buf *out,
    struct error *err)
{
	static const char *const shapes[] = { "block", "underline", "bar" };
	struct vt_cursor c;

	vt_cursor(rig->vt, &c);
	if (strcmp(arg, "shape") == 0) {
		buf_printf(out, "%s%s", shapes[c.shape],
		    c.blink ? " blinking" : "");
	} else if (strcmp(arg, "visible") == 0) {
		put_yes(out, c.visible);
	} else if (arg[0] != '\0') {
		return error_set(err, EINVAL, "no ?cursor %s", arg);
	} else {
		buf_printf(out, "%u,%u%s", c.row, c.col,
		    c.pending_wrap ? " wrap" : "");
	}
	return 0;
}

static void
answer_size(struct rig *rig, struct buf *out)
{
	buf_printf(out, "%u %u", vt_cols(rig->vt), vt_rows(rig->vt));
}

static void
answer_title(struct rig *rig, struct buf *out)
{
	put_quoted(out, vt_title(rig->vt));
}

static void
answer_icon(struct rig *rig, struct buf *out)
{
	put_quoted(out, vt_icon(rig->vt));
}

static void
answer_cwd(struct rig *rig, struct buf *out)
{
	put_quoted(out, vt_cwd(rig->vt));
}

static void
answer_program(struct rig *rig, struct buf *out)
{
	const struct program_status *s = vt_program_status(rig->vt);
	const char *kind = program_kind_name(s->kind);

	if (s->state == PROGRAM_SILENT) {
		buf_puts(out, "none");
		return;
	}
	buf_puts(out, program_state_name(s->state));
	if (kind != NULL)
		buf_printf(out, " %s", kind);
	buf_putc(out, ' ');
	put_quoted(out, s->app);
	buf_putc(out, ' ');
	put_quoted(out, s->text);
}

static void
answer_alt(struct rig *rig, struct buf *out)
{
	put_yes(out, vt_alt_screen(rig->vt));
}

static void
answer_reverse(struct rig *rig, struct buf *out)
{
	put_yes(out, vt_reverse_video(rig->vt));
}

static void
answer_sync(struct rig *rig, struct buf *out)
{
	put_yes(out, vt_in_sync(rig->vt));
}

static void
answer_hash(struct rig *rig, struct buf *out)
{
	char hash[65];

	vt_hash(rig->vt, hash);
	buf_puts(out, hash);
}

/* fg, bg, cursor, or a number of the palette */
static int
answer_colour(struct rig *rig, const char *arg, struct buf *out,
    struct error *err)
{
	enum vt_colour_role role = VT_FOREGROUND;
	uint32_t colour = COLOUR_DEFAULT;
	char *end;

	if (strcmp(arg, "bg") == 0) {
		role = VT_BACKGROUND;
	} else if (strcmp(arg, "cursor") == 0) {
		role = VT_CURSOR_COLOUR;
	} else if (strcmp(arg, "fg") != 0) {
		colour = COLOUR_PALETTE | (uint32_t)strtoul(arg, &end, 10);
		if (end == arg || *end != '\0')
			return error_set(err, EINVAL, "no colour %s", arg);
	}
	buf_printf(out, "#%06x", vt_colour(rig->vt, colour, role));
	return 0;
}

/* Replies and events */

static void
answer_reply(struct rig *rig, struct buf *out)
{
	if (rig->replies.len == 0)
		buf_puts(out, "none");
	else
		script_quote(out, rig->replies.data, rig->replies.len);
	buf_clear(&rig->replies);
}

static void
answer_event(struct rig *rig, struct buf *out)
{
	rig_take_event(rig, out);
}

static const char *
mode_state(char digit)
{
	switch (digit) {
	case '0':
		return "unknown";
	case '1':
		return "on";
	case '2':
		return "off";
	case '3':
		return "always on";
	case '4':
		return "always off";
	default:
		return "?";
	}
}

/*
 * "25" or "4 ANSI": asked with DECRQM. Its answer is removed again so that the
 * script does not see it.
 */
static int
answer_mode(struct rig *rig, const char *arg, struct buf *out,
    struct error *err)
{
	size_t before = rig->replies.len;
	char question[40], answer[40];
	char *end;
	unsigned long number = strtoul(arg, &end, 10);
	const char *mark = strcmp(end, " ANSI") == 0 ? "" : "?";
	int len;

	if (end == arg || (*end != '\0' && *mark != '\0'))
		return error_set(err, EINVAL, "no mode %s", arg);
	snprintf(question, sizeof(question), "\033[%s%lu$p", mark, number);
	len = snprintf(answer, sizeof(answer), "\033[%s%lu;", mark, number);
	vt_feed(rig->vt, question, strlen(question));
	if (rig->replies.len != before + (size_t)len + 3 ||
	    memcmp(rig->replies.data + before, answer, (size_t)len) != 0)
		buf_puts(out, "not answered");
	else
		buf_puts(out,
		    mode_state((char)rig->replies.data[before + (size_t)len]));
	rig->replies.len = before;
	return 0;
}

/* The modes of the encoders */

static int
answer_keys(const struct input_modes *m, const char *arg, struct buf *out)
{
	if (strcmp(arg, "cursor-keys") == 0)
		return buf_puts(out, m->app_cursor ? "app" : "normal");
	if (strcmp(arg, "keypad") == 0)
		return buf_puts(out, m->app_keypad ? "app" : "numeric");
	if (strcmp(arg, "backspace") == 0)
		return buf_puts(out, m->backarrow_bs ? "BS" : "DEL");
	if (strcmp(arg, "enter") == 0)
		return buf_puts(out, m->newline ? "CR LF" : "CR");
	if (strcmp(arg, "modify-other-keys") == 0)
		return buf_printf(out, "%u", m->modify_other_keys);
	if (strcmp(arg, "format-other-keys") == 0)
		return buf_printf(out, "%u", m->format_other_keys);
	if (strcmp(arg, "kitty") == 0)
		return buf_printf(out, "%u", m->kitty_flags);
	return -EINVAL;
}

static int
answer_pointer(const struct input_modes *m, const char *arg, struct buf *out)
{
	static const char *const mice[] = { "off", "x10", "normal", "button",
		"any" };
	static const char *const formats[] = { "legacy", "utf8", "sgr", "urxvt",
		"pixels" };

	if (strcmp(arg, "mouse") == 0)
		return buf_puts(out, mice[m->mouse]);
	if (strcmp(arg, "mouse-format") == 0)
		return buf_puts(out, formats[m->mouse_format]);
	if (strcmp(arg, "paste") == 0)
		return buf_puts(out,
		    m->bracketed_paste ? "bracketed" : "plain");
	if (strcmp(arg, "focus") == 0)
		return buf_puts(out, m->focus_events ? "on" : "off");
	if (strcmp(arg, "alt-scroll") == 0)
		return buf_puts(out, m->alt_scroll ? "on" : "off");
	if (strcmp(arg, "alt-screen") == 0)
		return buf_puts(out, m->alt_screen ? "yes" : "no");
	return -EINVAL;
}

static int
answer_input(struct rig *rig, const char *arg, struct buf *out,
    struct error *err)
{
	struct input_modes m;

	vt_input_modes(rig->vt, &m);
	if (answer_keys(&m, arg, out) == 0 || answer_pointer(&m, arg, out) == 0)
		return 0;
	return error_set(err, EINVAL, "no ?input %s", arg);
}

/* Damage, since ?changed was last asked; "?changed rows" does not reset it. */
static int
answer_changed(struct rig *rig, const char *arg, struct buf *out,
    struct error *err)
{
	unsigned n = 0;

	if (strcmp(arg, "rows") == 0) {
		for (unsigned y = 0; y < vt_rows(rig->vt); y++) {
			if (vt_row_generation(rig->vt, y) > rig->generation)
				buf_printf(out, "%s%u", n++ > 0 ? " " : "", y);
		}
		if (n == 0)
			buf_puts(out, "none");
		return 0;
	}
	if (arg[0] != '\0')
		return error_set(err, EINVAL, "no ?changed %s", arg);
	put_yes(out, vt_generation(rig->vt) > rig->generation);
	rig->generation = vt_generation(rig->vt);
	return 0;
}

static int
answer_memory(struct rig *rig, const char *arg, struct buf *out,
    struct error *err)
{
	char *end;
	unsigned long limit = strtoul(arg, &end, 10);

	if (strcmp(end, " KiB") != 0)
		return error_set(err, EINVAL, "?memory wants: ?memory N KiB");
	if (vt_memory(rig->vt) <= limit << 10)
		buf_puts(out, "enough");
	else
		buf_printf(out, "%zu bytes", vt_memory(rig->vt));
	return 0;
}

/*
 * ?frames "…": feed a string up to the end of each synchronized update in
 * turn. The answer is the number of bytes each time, and whether an update is
 * still open.
 */
static int
answer_frames(struct rig *rig, const char *arg, struct buf *out,
    struct error *err)
{
	struct buf bytes;
	size_t done = 0;

	buf_init(&bytes, TEXT_MAX);
	if (script_string(&arg, &bytes) < 0 || *arg != '\0') {
		buf_finish(&bytes);
		return error_set(err, EINVAL, "?frames wants a string");
	}
	while (done < bytes.len) {
		size_t n = vt_feed_frame(rig->vt, bytes.data + done,
		    bytes.len - done);

		buf_printf(out, "%s%zu", done > 0 ? " " : "", n);
		if (n == 0)
			break;
		done += n;
	}
	if (vt_in_sync(rig->vt))
		buf_puts(out, " open");
	buf_finish(&bytes);
	return 0;
}

typedef void plain_fn(struct rig *rig, struct buf *out);
typedef int asking_fn(struct rig *rig, const char *arg, struct buf *out,
    struct error *err);

/*
 * A question has one of the two: the first without an argument, the second
 * with one.
 */
static const struct question {
	const char *name;
	plain_fn *plain;
	asking_fn *asking;
} questions[] = {
	{ "alt", answer_alt, NULL },
	{ "cell", NULL, answer_cell },
	{ "cells", NULL, answer_cell },
	{ "changed", NULL, answer_changed },
	{ "colour", NULL, answer_colour },
	{ "cursor", NULL, answer_cursor },
	{ "cwd", answer_cwd, NULL },
	{ "event", answer_event, NULL },
	{ "frames", NULL, answer_frames },
	{ "hash", answer_hash, NULL },
	{ "history", NULL, answer_history },
	{ "icon", answer_icon, NULL },
	{ "input", NULL, answer_input },
	{ "memory", NULL, answer_memory },
	{ "mode", NULL, answer_mode },
	{ "outputs", answer_outputs, NULL },
	{ "program", answer_program, NULL },
	{ "prompts", answer_prompts, NULL },
	{ "reply", answer_reply, NULL },
	{ "reverse", answer_reverse, NULL },
	{ "row", NULL, answer_row },
	{ "size", answer_size, NULL },
	{ "sync", answer_sync, NULL },
	{ "text", answer_text, NULL },
	{ "title", answer_title, NULL },
	{ "wrapped", answer_wrapped, NULL },
};

static const struct question *
find_question(const char *name)
{
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
		if (strcmp(questions[i].name, name) == 0)
			return &questions[i];
	}
	return NULL;
}

int
look(struct rig *rig, const char *name, const char *arg, struct buf *out,
    struct error *err)
{
	const struct question *q = find_question(name);

	if (q == NULL)
		return error_set(err, EINVAL, "no question ?%s", name);
	if (q->asking != NULL)
		return q->asking(rig, arg, out, err);
	if (arg[0] != '\0')
		return error_set(err, EINVAL, "?%s takes no \"%s\"", name, arg);
	q->plain(rig, out);
	return 0;
}

/* Generations count from the start of a terminal, also of a restored one. */
bool
look_applies(const struct rig *rig, const char *name)
{
	return rig->way != WAY_KEYFRAME || strcmp(name, "changed") != 0;
}

static void
put_screen_row(struct rig *rig, unsigned y, struct buf *out)
{
	struct vt_row row;

	vt_screen_row(rig->vt, y, &row);
	buf_printf(out, "%3u%c|", y, row.flags & ROW_CONTINUES ? '>' : ' ');
	for (unsigned x = 0; x < row.used; x++) {
		char text[VT_TEXT_MAX];
		size_t len = vt_cell_text(&row, x, text);

		if (cell_kind(&row.cells[x]) == CELL_TAIL)
			continue;
		buf_append(out, len > 0 ? text : " ", len > 0 ? len : 1);
	}
	buf_puts(out, "|\n");
}

void
look_screen(struct rig *rig, const char *prefix, struct buf *out)
{
	struct vt_cursor c;

	for (unsigned y = 0; y < vt_rows(rig->vt); y++) {
		buf_puts(out, prefix);
		put_screen_row(rig, y, out);
	}
	vt_cursor(rig->vt, &c);
	buf_printf(out, "%scursor %u,%u%s, history ", prefix, c.row, c.col,
	    c.pending_wrap ? " wrap" : "");
	answer_history(rig, "rows", out, NULL);
	buf_puts(out, " rows\n");
}
