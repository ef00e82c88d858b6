#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cast/cast.h"
#include "cmd/line/cmd.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "home/units.h"
#include "op/screen.h"
#include "op/snapshot.h"
#include "vt/text.h"
#include "vt/vt.h"

#define DEFAULT_COLS 80
#define DEFAULT_ROWS 24
#define HISTORY_LINES 10000
#define HISTORY_BYTES (16u << 20)
#define PIECE (64u << 10)

/* This many plain bytes show if they passed through a terminal. */
#define NEWLINE_PROBE CAST_PROBE_MAX

struct args {
	const char *size, *format, *newline, *until, *at;
	bool scrollback, cells;
};

static const struct opt options[] = {
	OPT_VALUE(struct args, size, "size", 's', "COLSxROWS",
	    "size of the terminal (80x24, or as recorded)"),
	OPT_CHOICE(struct args, format, "format", 'f', "FORMAT", FORMAT_CHOICES,
	    FORMAT_LIST " (default: text)"),
	OPT_FLAG(struct args, scrollback, "scrollback", 0,
	    "also show the lines that scrolled off the top"),
	OPT_FLAG(struct args, cells, "cells", 0,
	    "json: also each cell's style, links and modes"),
	OPT_CHOICE(struct args, newline, "newline", 0, "WHAT", "auto|lf|crlf",
	    "a line feed only moves down (lf), or also returns (crlf)"),
	OPT_VALUE(struct args, until, "until", 0, "BYTES",
	    "stop after this many bytes of output"),
	OPT_VALUE(struct args, at, "at", 0, "DURATION",
	    "show this moment of an asciicast recording"),
	{ 0 },
};

enum newline { AUTO, LF, CRLF, NEWLINES };

static const char *const newlines[NEWLINES] = { "auto", "lf", "crlf" };

/* The state of a render. */
struct render {
	struct out *out;
	enum snapshot_format format;
	bool scrollback, cells;
	enum newline newline;
	unsigned cols, rows; /* 0: not given */
	uint64_t until;      /* UINT64_MAX: to the end */
	double at;           /* infinite: to the end */
	const char *name;    /* name of the input, for messages */
	struct vt *vt;       /* NULL until the size is known */
	struct cast *cast;   /* NULL if the input is plain bytes */
	struct buf head;     /* the beginning, until its kind is known */
	uint64_t offset;     /* bytes fed so far */
};

/* The command line. */

static int
parse_size(struct render *r, const char *s)
{
	struct error err;

	if (units_dims(s, &r->cols, &r->rows, &err) < 0)
		return out_fail(r->out, FAIL_USAGE, "--size %s", err.msg);
	return 0;
}

static int
parse_until(struct render *r, const char *s)
{
	if (!units_number(s, UINT64_MAX, &r->until))
		return out_fail(r->out, FAIL_USAGE,
		    "--until %s: give a number of bytes, as in 4096", s);
	return 0;
}

static int
parse_at(struct render *r, const char *s)
{
	struct error err;
	uint64_t ns;

	if (units_duration_with_unit(s, &ns, &err) < 0)
		return out_fail(r->out, FAIL_USAGE,
		    "--at: %s; give the time since the recording began",
		    err.msg);
	r->at = (double)ns / 1e9;
	return 0;
}

/* The index of a word in a list, or -1. */
static int
place_of(const char *s, const char *const *words, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(s, words[i]) == 0)
			return i;
	return -1;
}

static int
parse_newline(struct render *r, const char *s)
{
	int i = place_of(s, newlines, NEWLINES);

	if (i < 0)
		return out_fail(r->out, FAIL_USAGE,
		    "--newline %s: give auto, lf or crlf", s);
	r->newline = (enum newline)i;
	return 0;
}

static int
parse_format(struct render *r, const char *s)
{
	r->format = format_find(s);
	if (r->format == SNAPSHOT_FORMATS)
		return out_fail(r->out, FAIL_USAGE,
		    "--format %s: give " FORMAT_LIST, s);
	return 0;
}

/* --json is --format json; errors are in JSON from here on. */
static int
settle_format(struct render *r, const struct args *a)
{
	int status = 0;

	if (a->format != NULL)
		status = parse_format(r, a->format);
	else if (r->out->json)
		r->format = SNAPSHOT_JSON;
	if (status != 0)
		return status;
	if (r->out->json && r->format != SNAPSHOT_JSON)
		return out_fail(r->out, FAIL_USAGE,
		    "give only one of --format %s and --json", a->format);
	r->out->json = r->format == SNAPSHOT_JSON;
	if (r->cells && r->format != SNAPSHOT_JSON)
		return out_fail(r->out, FAIL_USAGE,
		    "--cells needs --format json; %s has no cells",
		    format_name(r->format));
	return 0;
}

static int
settle(struct render *r, const struct args *a)
{
	int status = settle_format(r, a);

	if (status == 0 && a->size != NULL)
		status = parse_size(r, a->size);
	if (status == 0 && a->newline != NULL)
		status = parse_newline(r, a->newline);
	if (status == 0 && a->until != NULL)
		status = parse_until(r, a->until);
	if (status == 0 && a->at != NULL)
		status = parse_at(r, a->at);
	return status;
}

/* The terminal. */

static int
create(struct render *r, unsigned cols, unsigned rows, struct error *err)
{
	static const struct vt_ops quiet;
	struct vt_config config = {
		.cols = (uint16_t)(r->cols > 0 ? r->cols : cols),
		.rows = (uint16_t)(r->cols > 0 ? r->rows : rows),
		.history_lines = HISTORY_LINES,
		.history_bytes = HISTORY_BYTES,
		.ops = &quiet,
	};

	r->vt = vt_create(&config, err);
	return r->vt != NULL ? 0 : -EINVAL;
}

/* A terminal driver puts a CR before every LF that a program writes (ONLCR). */
static void
feed_returning(struct vt *vt, const char *p, size_t len)
{
	const char *lf;

	while (len > 0 && (lf = memchr(p, '\n', len)) != NULL) {
		vt_feed(vt, p, (size_t)(lf - p));
		vt_feed(vt, "\r\n", 2);
		len -= (size_t)(lf - p) + 1;
		p = lf + 1;
	}
	vt_feed(vt, p, len);
}

/* Returns 1 if no more input is needed, otherwise 0. */
static int
feed(struct render *r, const void *p, size_t len)
{
	uint64_t room = r->until - r->offset;
	size_t n = len < room ? len : (size_t)room;

	if (r->newline == CRLF)
		feed_returning(r->vt, p, n);
	else
		vt_feed(r->vt, p, n);
	r->offset += n;
	return r->offset == r->until;
}

static int
on_cast_event(void *arg, const struct cast_event *ev, struct error *err)
{
	struct render *r = arg;

	if (ev->time > r->at)
		return 1;
	switch (ev->type) {
	case CAST_HEADER:
		return create(r, ev->cols, ev->rows, err);
	case CAST_OUTPUT:
		return feed(r, ev->data, ev->len);
	case CAST_RESIZE:
		/* An explicit size has precedence. */
		return r->cols > 0 ? 0 :
				     vt_resize(r->vt, ev->cols, ev->rows, err);
	case CAST_INPUT:
	case CAST_MARKER:
	case CAST_EXIT:
		break;
	}
	return 0;
}

/* The input. */

static int
bad_cast(struct render *r, const struct error *err)
{
	return out_fail(r->out, FAIL_INPUT,
	    "cannot play %s as an asciicast recording: %s; fix it "
	    "there, or show an earlier moment with --at or --until",
	    r->name, err->msg);
}

/* Feed a piece.  0: continue; 1: done; -1: failed, with *status. */
static int
take(struct render *r, const void *p, size_t len, int *status)
{
	struct error err;
	int result;

	if (r->cast == NULL)
		return feed(r, p, len);
	result = cast_feed(r->cast, p, len, &err);
	if (result >= 0)
		return result;
	*status = bad_cast(r, &err);
	return -1;
}

/*
 * Guess the meaning of line feeds in plain bytes.  Output of a terminal driver
 * has CR LF; a line feed without CR then comes from emacs or tmux, and moves
 * down in the same column.  In output written to a pipe or file most line feeds
 * have no CR: a driver would have added it.
 */
static enum newline
guess_newline(const char *p, size_t len)
{
	size_t bare = 0, returning = 0;

	for (size_t i = 0; i < len; i++)
		if (p[i] == '\n')
			(*(i > 0 && p[i - 1] == '\r' ? &returning : &bare))++;
	return bare > returning ? CRLF : LF;
}

/* The length of the line that script(1) writes first, or 0. */
static size_t
typescript_line(const char *p, size_t len)
{
	static const char begin[] = "Script started on ";
	const char *lf = memchr(p, '\n', len);

	if (lf == NULL || len < sizeof(begin) ||
	    memcmp(p, begin, sizeof(begin) - 1) != 0)
		return 0;
	return (size_t)(lf - p) + 1;
}

/* The number of bytes for the guess, independent of how they arrive. */
static size_t
probe_len(const struct render *r)
{
	return r->until < NEWLINE_PROBE ? (size_t)r->until : NEWLINE_PROBE;
}

static bool
knows_newline(const struct render *r)
{
	return r->newline != AUTO || r->head.len >= probe_len(r);
}

/* `head` is the beginning of plain bytes; recordings passed a terminal. */
static int
settle_newline(struct render *r)
{
	const char *p = (const char *)r->head.data;
	size_t len = r->head.len < probe_len(r) ? r->head.len : probe_len(r);
	size_t line;

	if (r->newline != AUTO || len == 0)
		return 0;
	line = typescript_line(p, len);
	r->newline = CRLF;
	if (line > 0 && feed(r, p, line) != 0)
		return 1;
	r->newline = guess_newline(p + line, len - line);
	buf_consume(&r->head, line);
	return 0;
}

/* The kind of input is known: feed the part that was held back. */
static int
begin(struct render *r, bool is_cast, int *status)
{
	struct error err;
	int result = 0;

	if (is_cast) {
		r->cast = cast_create(on_cast_event, r);
	} else if (isfinite(r->at)) {
		*status = out_fail(r->out, FAIL_USAGE,
		    "--at needs an asciicast recording, and %s is not one; use "
		    "--until BYTES for plain bytes",
		    r->name);
		return -1;
	} else if (create(r, DEFAULT_COLS, DEFAULT_ROWS, &err) < 0) {
		*status = out_fail(r->out, FAIL_INTERNAL, "%s", err.msg);
		return -1;
	} else {
		result = settle_newline(r);
	}
	if (result == 0 && r->head.len > 0)
		result = take(r, r->head.data, r->head.len, status);
	buf_finish(&r->head);
	return result;
}

static bool
has_begun(const struct render *r)
{
	return r->cast != NULL || r->vt != NULL;
}

static int
on_input(struct render *r, const void *p, size_t len, int *status)
{
	enum cast_guess guess;

	if (has_begun(r))
		return take(r, p, len, status);
	buf_append(&r->head, p, len);
	guess = cast_probe(r->head.data, r->head.len);
	if (guess == CAST_MAYBE || (guess == CAST_NO && !knows_newline(r)))
		return 0;
	return begin(r, guess == CAST_YES, status);
}

static int
on_input_end(struct render *r, int *status)
{
	struct error err;
	int result = 0;

	if (!has_begun(r))
		result = begin(r, false, status);
	if (result != 0 || r->cast == NULL)
		return result;
	result = cast_end(r->cast, &err);
	if (result < 0)
		*status = bad_cast(r, &err);
	return result;
}

/* Read the input as far as needed.  Returns the exit status. */
static int
read_input(struct render *r, int fd)
{
	auto_free char *piece = xmalloc(PIECE);
	int result = 0, status = 0;

	while (result == 0) {
		ssize_t n = read(fd, piece, PIECE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return out_fail(r->out, FAIL_INPUT,
			    "cannot read %s: "
			    "%s; give a file of terminal output, or - for "
			    "standard input",
			    r->name, strerror(errno));
		if (n == 0) {
			on_input_end(r, &status);
			break;
		}
		result = on_input(r, piece, (size_t)n, &status);
	}
	return status;
}

static int
read_file(struct render *r, const char *path)
{
	auto_close int fd = -1;

	if (path == NULL && isatty(STDIN_FILENO))
		return out_fail(r->out, FAIL_USAGE,
		    "nothing to show: standard "
		    "input is a terminal; give a FILE, or pipe a program's "
		    "output here");
	if (path == NULL || strcmp(path, "-") == 0) {
		r->name = "standard input";
		return read_input(r, STDIN_FILENO);
	}
	r->name = path;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return out_fail(r->out, FAIL_INPUT,
		    "cannot open %s: %s; give "
		    "a file of terminal output, or - for standard input",
		    path, strerror(errno));
	return read_input(r, fd);
}

/* The output. */

static void
put_text(const struct render *r)
{
	struct buf *out = &r->out->buf;
	struct vt_history_iter *it;
	struct vt_row row;

	if (r->scrollback) {
		it = vt_history_begin(r->vt);
		while (vt_history_next(it, &row)) {
			vt_row_text(&row, out);
			buf_putc(out, '\n');
		}
		vt_history_end(it);
	}
	vt_text(r->vt, out);
	buf_putc(out, '\n');
}

static void
put_json(const struct render *r)
{
	unsigned flags = (r->scrollback ? SCREEN_SCROLLBACK : 0) |
	    (r->cells ? SCREEN_CELLS : 0);
	struct json_out j;

	out_begin(r->out, &j);
	screen_json(r->vt, flags, 0, r->offset, &j);
}

/* Painters do not report a full buffer; check it here. */
static int
show(const struct render *r)
{
	if (r->format == SNAPSHOT_TEXT)
		put_text(r);
	else if (r->format == SNAPSHOT_JSON)
		put_json(r);
	else
		snapshot_paint(r->format, r->vt, r->scrollback, &r->out->buf);
	return out_send(r->out);
}

static int
run(struct call *call)
{
	const struct args *a = call->args;
	struct render r = {
		.out = call->out,
		.scrollback = a->scrollback,
		.cells = a->cells,
		.until = UINT64_MAX,
		.at = INFINITY,
	};
	int status;

	buf_init(&r.head, CAST_PROBE_MAX + PIECE);
	status = settle(&r, a);
	if (status == 0 && call->argc > 1)
		status = out_fail(r.out, FAIL_USAGE,
		    "render takes one FILE, not %d; call it for each",
		    call->argc);
	if (status == 0)
		status = read_file(&r, call->argv[0]);
	if (status == 0)
		status = show(&r);
	buf_finish(&r.head);
	cast_destroy(r.cast);
	vt_destroy(r.vt);
	return status;
}

const struct cmd cmd_render = {
	.name = "render",
	.usage =
	    "[FILE|-] [--size COLSxROWS] "
	    "[--format " FORMAT_CHOICES "]\n"
	    "            [--newline auto|lf|crlf] [--scrollback] [--cells]\n"
	    "            [--until BYTES] [--at DURATION] [--json]",
	.summary = "show terminal output as it looks on a screen",
	.details =
	    "FILE holds output that a program wrote to its terminal, or an\n"
	    "asciicast recording (v1, v2, v3), recognised by its content.  Without\n"
	    "FILE, or with -, tend reads standard input.\n"
	    "\n"
	    "If most line feeds come without a carriage return, as in a pipe, a\n"
	    "line feed also returns to the first column, as with a terminal driver.\n"
	    "Recordings, and bytes that have passed through a terminal, are shown\n"
	    "unchanged.  --newline lf or crlf overrides this.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
