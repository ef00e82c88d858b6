#include "op/snapshot.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "op/extract.h"
#include "op/ops.h"
#include "op/screen.h"
#include "paint/html.h"
#include "paint/span.h"
#include "paint/svg.h"
#include "vt/render.h"
#include "vt/text.h"
#include "vt/vt.h"

#define TEXT_MAX (64u << 20)

#define IN(format) (1u << SNAPSHOT_##format)

/* ------------------------------------------------------------- arguments */

/* Options that only some formats have, and options that exclude each other. */
static const struct {
	size_t flag;
	const char *names[2]; /* by enum snapshot_names */
	unsigned formats;
	const char *which;
} needs[] = {
	{ offsetof(struct snapshot, cells), { "'cells'", "--cells" }, IN(JSON),
	    "json" },
	{ offsetof(struct snapshot, hidden), { "'hidden'", "--hidden" },
	    IN(JSON), "json" },
	{ offsetof(struct snapshot, has_since), { "'since'", "--since" },
	    IN(JSON) | IN(TEXT), "text or json" },
	{ offsetof(struct snapshot, last_command),
	    { "'last_command'", "--last-command" }, IN(JSON) | IN(TEXT),
	    "text or json" },
};

static bool
has(const struct snapshot *s, size_t flag)
{
	return *(const bool *)((const char *)s + flag);
}

static int
check_together(const struct snapshot *s, enum snapshot_names names,
    struct error *err)
{
	static const char *const of[][3] = {
		{ "'since'", "'last_command'", "'scrollback'" },
		{ "--since", "--last-command", "--scrollback" },
	};
	const bool given[] = { s->has_since, s->last_command, s->scrollback };

	for (size_t i = 0; i < 3; i++) {
		for (size_t k = i + 1; k < 3; k++) {
			if (given[i] && given[k])
				return error_set(err, EINVAL,
				    "give only one of %s and %s", of[names][i],
				    of[names][k]);
		}
	}
	return 0;
}

int
snapshot_check(const struct snapshot *s, enum snapshot_names names,
    struct error *err)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		if (has(s, needs[i].flag) &&
		    !(needs[i].formats & 1u << s->format))
			return error_set(err, EINVAL, "%s needs %s %s, not %s",
			    needs[i].names[names],
			    names == SNAPSHOT_OPTIONS ? "--format" : "'format'",
			    needs[i].which, format_name(s->format));
	}
	return check_together(s, names, err);
}

int
snapshot_read(struct snapshot *s, const json_t *args, struct error *err)
{
	const char *format = op_string(args, "format", "json");

	*s = (struct snapshot){
		.format = format_find(format),
		.scrollback = op_bool(args, "scrollback", false),
		.cells = op_bool(args, "cells", false),
		.hidden = op_bool(args, "hidden", false),
		.last_command = op_bool(args, "last_command", false),
		.has_since = op_number(args, "since", UINT64_MAX) != UINT64_MAX,
		.since = op_number(args, "since", 0),
		.max_bytes = op_number(args, "max_bytes", 0),
	};
	if (s->format == SNAPSHOT_FORMATS)
		return error_set(err, EINVAL,
		    "session.snapshot: 'format' must be " FORMAT_LIST
		    ", not '%.20s'",
		    format);
	return snapshot_check(s, SNAPSHOT_ARGUMENTS, err);
}

/* ----------------------------------------------------------------- lines */

/* The requested lines, being written. */
struct taking {
	const struct snapshot *s;
	const struct snapshot_of *of;
	struct extract lines;
	bool running; /* of the last command */
};

static bool
shows_prompt(const struct vt *vt)
{
	struct vt_row row;

	for (unsigned y = 0; y < vt_rows(vt); y++) {
		vt_screen_row(vt, y, &row);
		if (row.flags & ROW_PROMPT)
			return true;
	}
	return false;
}

static int
no_command(const struct vt *vt, struct error *err)
{
	if (vt_alt_screen(vt))
		return error_set(err, ENOENT,
		    "the last command is not visible: a full-screen program is "
		    "running");
	if (shows_prompt(vt))
		return error_set(err, ENOENT,
		    "no command above the prompt: none has run yet, or its "
		    "output was cleared or has left the scrollback; the log "
		    "has it");
	return error_set(err, ENOENT,
	    "no command is known: the shell does not mark its commands "
	    "(OSC 133)");
}

static int
take(struct taking *t, struct error *err)
{
	const struct snapshot *s = t->s;
	const struct vt *vt = t->of->vt;

	if (s->scrollback)
		extract_add_scrollback(&t->lines, vt);
	if (s->last_command && !extract_add_command(&t->lines, vt, &t->running))
		return no_command(vt, err);
	if (!s->last_command)
		extract_add_screen(&t->lines, vt,
		    s->has_since ? t->of->is_new : NULL, t->of->arg);
	if (s->max_bytes > 0)
		extract_limit(&t->lines, s->max_bytes, !s->has_since);
	return 0;
}

static void
put_strings(const struct extract *l, size_t from, size_t to, const char *key,
    struct json_out *j)
{
	json_out_key(j, key);
	json_out_open(j, '[');
	extract_put(l, from, to, j);
	json_out_close(j, ']');
}

static void
put_changed(const struct taking *t, struct json_out *j)
{
	const struct extract *l = &t->lines;

	json_out_key(j, "since");
	json_out_number(j, t->s->since);
	json_out_key(j, "changed");
	json_out_open(j, '[');
	for (size_t i = l->first; i < l->n; i++) {
		size_t len;
		const char *text = extract_at(l, i, &len);

		json_out_open(j, '{');
		json_out_key(j, "row");
		json_out_number(j, l->all[i].row);
		json_out_key(j, "text");
		json_out_string(j, text, len);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

static void
put_command(const struct taking *t, struct json_out *j)
{
	json_out_key(j, "last_command");
	json_out_open(j, '{');
	json_out_key(j, "running");
	json_out_bool(j, t->running);
	put_strings(&t->lines, t->lines.first, t->lines.n, "lines", j);
	json_out_close(j, '}');
}

/* The scrollback comes first, from its top. */
static void
put_screen(const struct taking *t, struct json_out *j)
{
	const struct extract *l = &t->lines;
	size_t scrolled = 0, first;

	while (scrolled < l->n && l->all[scrolled].row == EXTRACT_SCROLLED)
		scrolled++;
	first = l->first > scrolled ? l->first : scrolled;
	json_out_key(j, "first_row");
	json_out_number(j, first - scrolled);
	put_strings(l, first, l->n, "lines", j);
	if (t->s->scrollback)
		put_strings(l, l->first < scrolled ? l->first : scrolled,
		    scrolled, "scrollback", j);
}

static void
put_lines(const void *arg, const struct vt *vt, struct json_out *j)
{
	const struct taking *t = arg;

	(void)vt;
	if (t->s->has_since)
		put_changed(t, j);
	else if (t->s->last_command)
		put_command(t, j);
	else
		put_screen(t, j);
	if (t->s->max_bytes > 0) {
		json_out_key(j, "truncated");
		json_out_bool(j, t->lines.first > 0);
	}
}

/* ------------------------------------------------------------------ JSON */

static int
too_large(const struct snapshot *s, size_t len, struct error *err)
{
	return error_set(err, ERANGE,
	    "the screen takes %zu bytes as %s%s, more than the limit "
	    "of %zu, and cannot be cut",
	    len, format_name(s->format), s->cells ? " with cells" : "",
	    s->max_bytes);
}

static int
put_json(const struct snapshot *s, const struct snapshot_of *of,
    struct json_out *j, struct error *err)
{
	struct taking t = { .s = s, .of = of };
	bool part = s->has_since || s->last_command || s->max_bytes > 0;
	struct screen_look look = {
		.flags = (s->cells ? SCREEN_CELLS : 0) |
		    (s->hidden ? SCREEN_HIDDEN : 0) |
		    (s->scrollback && !part ? SCREEN_SCROLLBACK : 0),
		.seq = of->seq,
		.offset = of->offset,
		.lines = part ? put_lines : NULL,
		.arg = &t,
	};
	size_t before = j->buf->len;
	int rc = 0;

	extract_init(&t.lines, TEXT_MAX);
	if (part)
		rc = take(&t, err);
	if (rc == 0)
		screen_put(of->vt, &look, j);
	extract_finish(&t.lines);
	if (rc == 0 && s->cells && s->max_bytes > 0 &&
	    j->buf->len - before > s->max_bytes)
		rc = too_large(s, j->buf->len - before, err);
	return rc;
}

/* ------------------------------------------------------------------ data */

static int
put_text(const struct snapshot *s, const struct snapshot_of *of,
    struct buf *out, bool *truncated, struct error *err)
{
	struct taking t = { .s = s, .of = of };
	int rc;

	extract_init(&t.lines, TEXT_MAX);
	rc = take(&t, err);
	if (rc == 0 && extract_join(&t.lines, out) < 0)
		rc = error_set(err, ERANGE, "the screen is too large");
	*truncated = t.lines.first > 0;
	extract_finish(&t.lines);
	return rc;
}

static int
paint_ansi(const struct vt *vt, unsigned paint, struct buf *out)
{
	return vt_render(vt, paint & PAINT_SCROLLBACK ? RENDER_HISTORY : 0,
	    out);
}

/* Text and JSON have lines, which may be limited. */
static int (*const painters[SNAPSHOT_FORMATS])(const struct vt *vt,
    unsigned paint, struct buf *out) = {
	[SNAPSHOT_ANSI] = paint_ansi,
	[SNAPSHOT_HTML] = paint_html,
	[SNAPSHOT_SVG] = paint_svg,
};

int
snapshot_paint(enum snapshot_format f, const struct vt *vt, bool scrollback,
    struct buf *out)
{
	if (painters[f] == NULL)
		return -EINVAL;
	return painters[f](vt, scrollback ? PAINT_SCROLLBACK : 0, out);
}

int
snapshot_data(const struct snapshot *s, const struct snapshot_of *of,
    struct buf *out, bool *truncated, struct error *err)
{
	size_t before = out->len;

	*truncated = false;
	if (s->format == SNAPSHOT_TEXT)
		return put_text(s, of, out, truncated, err);
	if (snapshot_paint(s->format, of->vt, s->scrollback, out) < 0)
		return error_set(err, ERANGE, "the screen is too large");
	if (s->max_bytes > 0 && out->len - before > s->max_bytes)
		return too_large(s, out->len - before, err);
	return 0;
}

static void
put_data(const struct snapshot *s, const struct snapshot_of *of,
    const struct buf *data, bool truncated, struct json_out *j)
{
	char hash[65];

	vt_hash(of->vt, hash);
	json_out_open(j, '{');
	json_out_key(j, "data");
	json_out_string(j, (const char *)data->data, data->len);
	json_out_key(j, "hash");
	json_out_text(j, hash);
	json_out_key(j, "seq");
	json_out_number(j, of->seq);
	json_out_key(j, "offset");
	json_out_number(j, of->offset);
	if (s->max_bytes > 0) {
		json_out_key(j, "truncated");
		json_out_bool(j, truncated);
	}
	json_out_close(j, '}');
}

int
snapshot_put(const struct snapshot *s, const struct snapshot_of *of,
    struct json_out *j, struct error *err)
{
	struct buf data;
	bool truncated;
	int rc;

	if (s->format == SNAPSHOT_JSON)
		return put_json(s, of, j, err);
	buf_init(&data, j->buf->max);
	rc = snapshot_data(s, of, &data, &truncated, err);
	if (rc == 0)
		put_data(s, of, &data, truncated, j);
	buf_finish(&data);
	return rc;
}
