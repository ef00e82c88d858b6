/* OSC: titles, colours, links, and events for the caller. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/mem.h"
#include "vt/colour_name.h"
#include "vt/handlers.h"
#include "vt/state.h"
#include "vt/vt.h"

#define TEXT_MAX 4096 /* of a notification, in bytes */

/* Decode hexadecimal digits; the caller frees the result. */
static char *
from_hex(const char *p, size_t len)
{
	char *out = xmalloc(len / 2 + 1);

	for (size_t i = 0; i < len / 2; i++) {
		int high = hex_digit(p[2 * i]), low = hex_digit(p[2 * i + 1]);
		if (high < 0 || low < 0) {
			free(out);
			return NULL;
		}
		out[i] = (char)(high << 4 | low);
	}
	return out;
}

static void
set_one(struct vt *vt, char **slot, const struct seq *seq)
{
	if (!(vt->titles.hex & TITLE_HEX_SET)) {
		titles_set(slot, seq->str, seq->len, TITLE_MAX);
		return;
	}
	auto_free char *bytes = from_hex(seq->str, seq->len);
	if (bytes != NULL)
		titles_set(slot, bytes, seq->len / 2, TITLE_MAX);
}

static void
set_title(struct vt *vt, const struct seq *seq)
{
	set_one(vt, &vt->titles.title, seq);
	vt_touch(vt);
	vt_emit(vt,
	    &(struct vt_event){ .type = VT_EVENT_TITLE,
		.text = vt->titles.title });
}

static void
set_icon(struct vt *vt, const struct seq *seq)
{
	set_one(vt, &vt->titles.icon, seq);
	vt_emit(vt,
	    &(struct vt_event){ .type = VT_EVENT_ICON,
		.text = vt->titles.icon });
}

static void
set_title_modes(struct vt *vt, const struct seq *seq, bool on)
{
	for (unsigned i = 0; i < seq->nargs; i++) {
		uint8_t bit = seq->args[i] < 2 ? (uint8_t)(1u << seq->args[i]) :
						 0;
		vt->titles.hex = on ? vt->titles.hex | bit :
				      vt->titles.hex & (uint8_t)~bit;
	}
}

void
csi_xtsmtitle(struct vt *vt, const struct seq *seq)
{
	set_title_modes(vt, seq, true);
}

void
csi_xtrmtitle(struct vt *vt, const struct seq *seq)
{
	set_title_modes(vt, seq, false);
}

void
osc_title_and_icon(struct vt *vt, const struct seq *seq)
{
	set_icon(vt, seq);
	set_title(vt, seq);
}

void
osc_icon(struct vt *vt, const struct seq *seq)
{
	set_icon(vt, seq);
}

void
osc_title(struct vt *vt, const struct seq *seq)
{
	set_title(vt, seq);
}

void
osc_cwd(struct vt *vt, const struct seq *seq)
{
	titles_set(&vt->cwd, seq->str, seq->len, CWD_MAX);
	vt_emit(vt,
	    &(struct vt_event){ .type = VT_EVENT_CWD, .text = vt->cwd });
}

/* End the answer as the query ended: BEL or ST. */
static void
reply_colour(struct vt *vt, const struct seq *seq, const char *what,
    uint32_t rgb)
{
	unsigned r = rgb >> 16, g = rgb >> 8 & 0xff, b = rgb & 0xff;

	vt_reply(vt, "\033]%s;rgb:%02x%02x/%02x%02x/%02x%02x%s", what, r, r, g,
	    g, b, b, seq->bel ? "\a" : "\033\\");
}

/* A number up to `end`; -1 if it is invalid, or above max. */
static int
parse_number(const char *p, size_t len, int max)
{
	int n = 0;

	if (len == 0 || len > 5)
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (p[i] < '0' || p[i] > '9')
			return -1;
		n = n * 10 + p[i] - '0';
	}
	return n <= max ? n : -1;
}

/* The next part of a string that is split at ';'. */
static const char *
next_part(const char **p, size_t *len)
{
	const char *part = *p;

	*len = 0;
	if (part == NULL)
		return NULL;
	*len = strcspn(part, ";");
	*p = part[*len] == ';' ? part + *len + 1 : NULL;
	return part;
}

/* Colour i of the palette; higher numbers are the special colours. */
static uint32_t
colour_at(const struct vt *vt, unsigned i)
{
	if (i < PALETTE_SIZE)
		return colours_palette(&vt->colours, i);
	return colours_special(&vt->colours, i - PALETTE_SIZE);
}

static void
set_colour_at(struct vt *vt, unsigned i, uint32_t rgb)
{
	if (i < PALETTE_SIZE) {
		colours_set_palette(&vt->colours, i, rgb);
	} else {
		vt->colours.special[i - PALETTE_SIZE] = rgb;
		vt->colours.special_is_set[i - PALETTE_SIZE] = true;
	}
	vt_touch(vt);
}

static void
reset_colour_at(struct vt *vt, unsigned i)
{
	struct colours standard;

	colours_init(&standard);
	if (i >= PALETTE_SIZE)
		vt->colours.special_is_set[i - PALETTE_SIZE] = false;
	else if (vt->colours.palette != NULL)
		vt->colours.palette[i] = colours_palette(&standard, i);
	vt_touch(vt);
}

/* Pairs of a number, counted from `base` on, and a colour or a query. */
static void
set_colours(struct vt *vt, const struct seq *seq, unsigned base)
{
	const char *p = seq->str, *number, *spec;
	size_t number_len, spec_len;
	char what[24];
	uint32_t rgb;

	while ((number = next_part(&p, &number_len)) != NULL &&
	    (spec = next_part(&p, &spec_len)) != NULL) {
		int n = parse_number(number, number_len,
		    (int)(PALETTE_SIZE + SPECIAL_COLOURS - base) - 1);
		if (n < 0)
			continue;
		unsigned i = base + (unsigned)n;
		if (spec_len == 1 && spec[0] == '?') {
			snprintf(what, sizeof(what), "%u;%d", seq->args[0], n);
			reply_colour(vt, seq, what, colour_at(vt, i));
		} else if (colour_name_parse(spec, spec_len, &rgb)) {
			set_colour_at(vt, i, rgb);
		}
	}
}

/* The given numbers, counted from `base` on. */
static void
reset_colours(struct vt *vt, const struct seq *seq, unsigned base)
{
	const char *p = seq->str, *part;
	size_t len;

	while ((part = next_part(&p, &len)) != NULL) {
		int n = parse_number(part, len,
		    (int)(PALETTE_SIZE + SPECIAL_COLOURS - base) - 1);
		if (n >= 0)
			reset_colour_at(vt, base + (unsigned)n);
	}
}

void
osc_palette(struct vt *vt, const struct seq *seq)
{
	set_colours(vt, seq, 0);
}

void
osc_special(struct vt *vt, const struct seq *seq)
{
	set_colours(vt, seq, PALETTE_SIZE);
}

void
osc_palette_reset(struct vt *vt, const struct seq *seq)
{
	vt_touch(vt);
	if (seq->len == 0)
		colours_finish(&vt->colours);
	else
		reset_colours(vt, seq, 0);
}

void
osc_special_reset(struct vt *vt, const struct seq *seq)
{
	if (seq->len == 0)
		memset(vt->colours.special_is_set, 0,
		    sizeof(vt->colours.special_is_set));
	else
		reset_colours(vt, seq, PALETTE_SIZE);
}

/* OSC 10;a;b;c sets 10, 11 and 12. */
void
osc_dynamic(struct vt *vt, const struct seq *seq)
{
	static const char *const what[] = { "10", "11", "12" };
	const char *p = seq->str, *part;
	unsigned role = seq->args[0] - 10u;
	size_t len;

	for (; role < 3 && (part = next_part(&p, &len)) != NULL; role++) {
		uint32_t rgb;
		if (len == 1 && part[0] == '?') {
			reply_colour(vt, seq, what[role],
			    colours_role(&vt->colours,
				(enum vt_colour_role)role));
		} else if (colour_name_parse(part, len, &rgb)) {
			vt->colours.set[role] = rgb;
			vt->colours.is_set[role] = true;
			vt_touch(vt);
		}
	}
}

void
osc_dynamic_reset(struct vt *vt, const struct seq *seq)
{
	vt->colours.is_set[seq->args[0] - 110] = false;
	vt_touch(vt);
}

/*
 * True if a URI may be kept: printable ASCII, as the specification requires.
 */
static bool
link_is_clean(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((uint8_t)p[i] < 0x21 || (uint8_t)p[i] > 0x7e)
			return false;
	return true;
}

/* The value of id= among the parameters key=value:key=value. */
static const char *
link_id(const char *params, size_t len, size_t *id_len)
{
	while (len > 0) {
		const char *colon = memchr(params, ':', len);
		size_t part = colon != NULL ? (size_t)(colon - params) : len;
		if (part > 3 && memcmp(params, "id=", 3) == 0) {
			*id_len = part - 3;
			return params + 3;
		}
		part += colon != NULL;
		params += part;
		len -= part;
	}
	*id_len = 0;
	return params;
}

/* OSC 8 ; parameters ; URI.  An empty URI ends the link. */
void
osc_link(struct vt *vt, const struct seq *seq)
{
	const char *semi = memchr(seq->str, ';', seq->len);
	uint32_t underline = vt_cell_underline_colour(vt, &vt->pen);
	size_t id_len;

	if (semi == NULL)
		return;
	const char *uri = semi + 1;
	size_t uri_len = seq->len - (size_t)(uri - seq->str);
	const char *id = link_id(seq->str, (size_t)(semi - seq->str), &id_len);
	if (uri_len == 0 || uri_len > LINK_URI_MAX || id_len > LINK_ID_MAX ||
	    !link_is_clean(uri, uri_len) || !link_is_clean(id, id_len)) {
		vt_set_pen_extra(vt, underline, NULL, NULL);
		return;
	}
	auto_free char *id_copy = xmemdup(id, id_len + 1);
	id_copy[id_len] = '\0';
	vt_set_pen_extra(vt, underline, uri, id_copy);
}

/* Text for display, cleaned; the caller frees it. */
static char *
clean(const char *p, size_t len)
{
	char *out = NULL;

	titles_set(&out, p, len, TEXT_MAX);
	return out;
}

static void
notify(struct vt *vt, const char *title, size_t title_len, const char *text,
    size_t text_len)
{
	auto_free char *clean_title = clean(title, title_len);
	auto_free char *clean_text = clean(text, text_len);

	vt_emit(vt,
	    &(struct vt_event){ .type = VT_EVENT_NOTIFY,
		.title = clean_title,
		.text = clean_text });
}

/* 9;4;state;percent, as ConEmu has it. */
static void
progress(struct vt *vt, const char *p)
{
	size_t len;
	const char *part = next_part(&p, &len);
	int state = parse_number(part, len, 4);
	int percent = -1;

	if (state < 0)
		return;
	if ((part = next_part(&p, &len)) != NULL)
		percent = parse_number(part, len, 99999);
	if (percent > 100)
		percent = 100;
	vt_emit(vt,
	    &(struct vt_event){ .type = VT_EVENT_PROGRESS,
		.number = state,
		.value = percent });
}

void
osc_notify(struct vt *vt, const struct seq *seq)
{
	if (seq->len >= 3 && memcmp(seq->str, "4;", 2) == 0) {
		progress(vt, seq->str + 2);
	} else if (seq->len >= 3 && memcmp(seq->str, "9;", 2) == 0) {
		titles_set(&vt->cwd, seq->str + 2, seq->len - 2, CWD_MAX);
		vt_emit(vt,
		    &(struct vt_event){ .type = VT_EVENT_CWD,
			.text = vt->cwd });
	} else {
		notify(vt, "", 0, seq->str, seq->len);
	}
}

/* 99;metadata;text: complete plain payloads; others are ignored. */
void
osc_kitty_notify(struct vt *vt, const struct seq *seq)
{
	const char *semi = memchr(seq->str, ';', seq->len);

	if (semi == NULL)
		return;
	size_t meta = (size_t)(semi - seq->str);
	if (memmem(seq->str, meta, "e=1", 3) != NULL ||
	    memmem(seq->str, meta, "p=?", 3) != NULL)
		return;
	const char *text = semi + 1;
	size_t len = seq->len - meta - 1;
	if (memmem(seq->str, meta, "p=body", 6) != NULL)
		notify(vt, "", 0, text, len);
	else
		notify(vt, text, len, "", 0);
}

/* 777;notify;title;text */
void
osc_urxvt_notify(struct vt *vt, const struct seq *seq)
{
	const char *p = seq->str, *part, *title;
	size_t len, title_len = 0;

	part = next_part(&p, &len);
	if (len != 6 || memcmp(part, "notify", 6) != 0)
		return;
	title = next_part(&p, &title_len);
	if (title == NULL)
		return;
	notify(vt, title, title_len, p != NULL ? p : "",
	    p != NULL ? strlen(p) : 0);
}

/* 52;selections;base64 or "?" */
void
osc_clipboard(struct vt *vt, const struct seq *seq)
{
	const char *p = seq->str, *which;
	size_t len;

	which = next_part(&p, &len);
	if (p == NULL)
		return;
	for (const char *c = p; *c != '\0'; c++)
		if ((uint8_t)*c < 0x21 || (uint8_t)*c > 0x7e)
			return;
	auto_free char *clean_which = clean(which, len);
	vt_emit(vt,
	    &(struct vt_event){ .type = VT_EVENT_CLIPBOARD,
		.title = clean_which,
		.text = p });
}

/* 7501;? or 7501;key=value:… */
void
osc_program_status(struct vt *vt, const struct seq *seq)
{
	struct program_status said;

	if (seq->len == 1 && seq->str[0] == '?')
		vt_reply(vt, "\033]7501;?%s", seq->bel ? "\a" : "\033\\");
	else if (program_status_parse(seq->str, seq->len, &said))
		vt_set_program_status(vt, &said);
}

/* The shell shows its prompt: a working or waiting program has ended. */
static void
end_at_prompt(struct vt *vt)
{
	if (vt->program.state != PROGRAM_DONE &&
	    vt->program.state != PROGRAM_ERROR)
		vt_end_program(vt);
}

/* 133;A|B|C|D[;status…] */
void
osc_shell_mark(struct vt *vt, const struct seq *seq)
{
	const char *p = seq->str, *part;
	struct row *row = screen_row(vt->screen, vt->cursor.y);
	int status = -1;
	size_t len;

	part = next_part(&p, &len);
	if (len != 1 || part[0] < 'A' || part[0] > 'D')
		return;
	char kind = part[0];
	if (kind == 'A')
		row->flags |= ROW_PROMPT;
	else if (kind == 'C')
		row->flags |= ROW_OUTPUT;
	else if (kind == 'D' && (part = next_part(&p, &len)) != NULL)
		status = parse_number(part, len, 99999);
	vt_emit(vt,
	    &(struct vt_event){ .type = VT_EVENT_MARK,
		.number = kind,
		.value = status });
	if (kind == 'A')
		end_at_prompt(vt);
}
