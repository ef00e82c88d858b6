#include "cast/cast.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cast/json_in.h"

#define KEY_SIZE 16 /* longer names than this matter nowhere */

enum state {
	AT_HEADER,   /* gathering the first line */
	IN_LINES,    /* gathering an event's line */
	IN_DOCUMENT, /* gathering all of it: v1 */
	OVER,
};

struct cast {
	cast_fn *fn;
	void *arg;
	enum state state;
	unsigned version;
	unsigned long line;       /* of the beginning of text */
	const struct json_in *in; /* walking over text, or NULL */
	double time;
	struct buf text; /* the line or document so far */
	struct buf data; /* of the present event, decoded */
};

/* The fields of a header that matter here. */
struct header {
	double version, cols, rows; /* 0 when it does not say */
	bool has_version;
	bool has_events;
	struct json_in events; /* at the value of "stdout" */
};

struct cast *
cast_create(cast_fn *fn, void *arg)
{
	struct cast *c = xcalloc(1, sizeof(*c));

	c->fn = fn;
	c->arg = arg;
	c->line = 1;
	buf_init(&c->text, CAST_V1_MAX);
	buf_init(&c->data, CAST_V1_MAX);
	return c;
}

void
cast_destroy(struct cast *c)
{
	if (c == NULL)
		return;
	buf_finish(&c->text);
	buf_finish(&c->data);
	free(c);
}

/* The line that is being read; a document has many. */
static unsigned long
where(const struct cast *c)
{
	unsigned long line = c->line;

	if (c->in != NULL)
		for (const uint8_t *p = c->in->start; p < c->in->p; p++)
			line += *p == '\n';
	return line;
}

static int
bad_line(const struct cast *c, struct error *err, const char *why)
{
	return error_set(err, EINVAL, "line %lu: %s", where(c), why);
}

/* A mistake in the JSON itself. */
static int
bad_json(const struct cast *c, struct error *err)
{
	const struct json_in *j = c->in;
	const uint8_t *bol = j->p;

	while (bol > j->start && bol[-1] != '\n')
		bol--;
	return error_set(err, EINVAL, "line %lu, byte %zu: %s%s", where(c),
	    (size_t)(j->p - bol) + 1, j->why,
	    j->ended ? " but the text ends here; is the file cut off?" : "");
}

/* Hand an event to the caller; its refusal gets the number of the line. */
static int
emit(struct cast *c, const struct cast_event *ev, struct error *err)
{
	struct error why = { 0 };
	int r = c->fn(c->arg, ev, &why);

	if (r < 0)
		return error_set(err, -r, "line %lu: %.200s", where(c),
		    why.msg);
	return r;
}

static bool
good_size(double cols, double rows)
{
	return cols >= 1 && cols <= CAST_SIZE_MAX && cols == floor(cols) &&
	    rows >= 1 && rows <= CAST_SIZE_MAX && rows == floor(rows);
}

/* The "term" object of v3. */
static void
read_term(struct json_in *j, struct header *h)
{
	char key[KEY_SIZE];

	json_in_enter(j, '{');
	while (json_in_more(j)) {
		json_in_key(j, key, sizeof(key));
		if (strcmp(key, "cols") == 0)
			h->cols = json_in_number(j);
		else if (strcmp(key, "rows") == 0)
			h->rows = json_in_number(j);
		else
			json_in_skip(j);
	}
}

static void
read_member(struct json_in *j, const char *key, struct header *h)
{
	if (strcmp(key, "version") == 0) {
		h->version = json_in_number(j);
		h->has_version = j->why == NULL;
	} else if (strcmp(key, "width") == 0) {
		h->cols = json_in_number(j);
	} else if (strcmp(key, "height") == 0) {
		h->rows = json_in_number(j);
	} else if (strcmp(key, "term") == 0 && json_in_peek(j) == '{') {
		read_term(j, h);
	} else {
		if (strcmp(key, "stdout") == 0) {
			h->has_events = true;
			h->events = *j;
		}
		json_in_skip(j);
	}
}

static void
read_header(struct json_in *j, struct header *h)
{
	char key[KEY_SIZE];

	json_in_enter(j, '{');
	while (json_in_more(j)) {
		json_in_key(j, key, sizeof(key));
		read_member(j, key, h);
	}
	json_in_end(j);
}

static int
check_header(const struct cast *c, const struct header *h, struct error *err)
{
	if (!h->has_version)
		return bad_line(c, err, "the header has no \"version\"");
	if (h->version != 1 && h->version != 2 && h->version != 3)
		return error_set(err, EINVAL,
		    "line %lu: asciicast version %g "
		    "is not known; 1, 2 and 3 are",
		    where(c), h->version);
	if (!good_size(h->cols, h->rows))
		return error_set(err, EINVAL,
		    "line %lu: the header needs "
		    "%s from 1 to %d",
		    where(c),
		    h->version == 3 ? "\"term\" with \"cols\" and \"rows\"" :
				      "\"width\" and \"height\"",
		    CAST_SIZE_MAX);
	return 0;
}

static int
begin(struct cast *c, const struct header *h, struct error *err)
{
	struct cast_event ev = {
		.type = CAST_HEADER,
		.cols = (unsigned)h->cols,
		.rows = (unsigned)h->rows,
	};

	c->version = (unsigned)h->version;
	return emit(c, &ev, err);
}

/* Go on by an absolute time or a delay; a step back counts as none. */
static int
advance(struct cast *c, double t, struct error *err)
{
	double now = c->version == 2 ? t : c->time + t;

	if (!isfinite(now))
		return bad_line(c, err, "the time is out of range");
	if (t < 0)
		return bad_line(c, err, "the time is negative");
	if (now > c->time)
		c->time = now;
	return 0;
}

static bool
parse_size(const struct buf *b, unsigned *cols, unsigned *rows)
{
	char text[16];
	int used = 0;

	if (b->len == 0 || b->len >= sizeof(text))
		return false;
	memcpy(text, b->data, b->len);
	text[b->len] = '\0';
	if (strspn(text, "0123456789x") != b->len)
		return false;
	if (sscanf(text, "%5ux%5u%n", cols, rows, &used) != 2 ||
	    (size_t)used != b->len)
		return false;
	return good_size(*cols, *rows);
}

/* The event with this code; 0 at once for a code that is not known. */
static int
emit_code(struct cast *c, char code, struct error *err)
{
	static const char codes[] = "oimrx";
	static const enum cast_type types[] = { CAST_OUTPUT, CAST_INPUT,
		CAST_MARKER, CAST_RESIZE, CAST_EXIT };
	const char *at = strchr(codes, code);
	struct cast_event ev = {
		.time = c->time,
		.data = c->data.len > 0 ? (const char *)c->data.data : "",
		.len = c->data.len,
	};

	if (at == NULL || code == '\0')
		return 0;
	ev.type = types[at - codes];
	if (ev.type == CAST_RESIZE && !parse_size(&c->data, &ev.cols, &ev.rows))
		return bad_line(c, err, "a resize needs COLSxROWS");
	return emit(c, &ev, err);
}

/* The data of an event; only codes that are not known may lack a string. */
static void
read_data(struct cast *c, struct json_in *j, char code)
{
	buf_clear(&c->data);
	if (code == '\0' || strchr("oimrx", code) == NULL)
		json_in_skip(j);
	else
		json_in_string(j, &c->data);
}

static int
read_event(struct cast *c, struct json_in *j, struct error *err)
{
	char code = '\0';
	double t = 0;
	int n = 0, r;

	json_in_enter(j, '[');
	while (json_in_more(j)) {
		if (n == 0) {
			t = json_in_number(j);
		} else if (n == 1) {
			json_in_string(j, &c->data);
			code = c->data.len == 1 ? (char)c->data.data[0] : '\0';
		} else if (n == 2) {
			read_data(c, j, code);
		} else {
			json_in_skip(j);
		}
		n += n < 3;
	}
	json_in_end(j);
	if (j->why != NULL)
		return bad_json(c, err);
	if (n < 3)
		return bad_line(c, err, "an event needs time, code and data");
	r = advance(c, t, err);
	return r != 0 ? r : emit_code(c, code, err);
}

static bool
is_blank(const struct buf *b)
{
	for (size_t i = 0; i < b->len; i++)
		if (strchr(" \t\r", b->data[i]) == NULL || b->data[i] == '\0')
			return false;
	return true;
}

static int
event_line(struct cast *c, struct error *err)
{
	struct json_in j;
	int r;

	if (is_blank(&c->text))
		return 0;
	if (!utf8_valid(c->text.data, c->text.len))
		return bad_line(c, err, "the line is not valid UTF-8");
	if (c->version == 3 && c->text.data[0] == '#')
		return 0;
	json_in_init(&j, c->text.data, c->text.len);
	c->in = &j;
	r = read_event(c, &j, err);
	c->in = NULL;
	return r;
}

/* After the header: events, a line each. */
static int
begin_lines(struct cast *c, const struct header *h, struct error *err)
{
	int r = check_header(c, h, err);

	if (r == 0)
		r = begin(c, h, err);
	c->state = IN_LINES;
	c->text.max = CAST_LINE_MAX;
	return r;
}

/*
 * The first line.  When it is not a whole object, or says that it is of
 * version 1, it is the beginning of a document and stays in c->text.
 */
static int
header_line(struct cast *c, struct error *err)
{
	struct header h = { 0 };
	struct json_in j;
	int r = 0;

	if (!utf8_valid(c->text.data, c->text.len))
		return bad_line(c, err, "the line is not valid UTF-8");
	json_in_init(&j, c->text.data, c->text.len);
	c->in = &j;
	read_header(&j, &h);
	if ((j.why != NULL && j.ended) || (j.why == NULL && h.version == 1))
		c->state = IN_DOCUMENT;
	else if (j.why != NULL)
		r = bad_json(c, err);
	else
		r = begin_lines(c, &h, err);
	c->in = NULL;
	return r;
}

/* A pair of v1. */
static int
read_pair(struct cast *c, struct json_in *j, struct error *err)
{
	double t = 0;
	int n = 0, r;

	json_in_enter(j, '[');
	while (json_in_more(j)) {
		if (n == 0)
			t = json_in_number(j);
		else if (n == 1)
			json_in_string(j, &c->data);
		else
			json_in_skip(j);
		n += n < 2;
	}
	if (j->why != NULL)
		return bad_json(c, err);
	if (n < 2)
		return bad_line(c, err, "a pair needs delay and data");
	r = advance(c, t, err);
	return r != 0 ? r : emit_code(c, 'o', err);
}

static int
read_pairs(struct cast *c, struct json_in *j, struct error *err)
{
	int r = 0;

	json_in_enter(j, '[');
	while (r == 0 && json_in_more(j))
		r = read_pair(c, j, err);
	if (r == 0 && j->why != NULL)
		return bad_json(c, err);
	return r;
}

/*
 * All of a v1 recording.  It is walked twice, because the size may stand
 * behind the events.
 */
static int
read_document(struct cast *c, struct json_in *j, struct error *err)
{
	struct header h = { 0 };
	int r;

	read_header(j, &h);
	if (j->why != NULL)
		return bad_json(c, err);
	c->in = NULL;
	r = check_header(c, &h, err);
	if (r != 0)
		return r;
	if (h.version != 1)
		return bad_line(c, err, "the header must be on one line");
	if (!h.has_events)
		return bad_line(c, err, "there is no \"stdout\"");
	c->in = &h.events;
	r = begin(c, &h, err);
	if (r == 0)
		r = read_pairs(c, &h.events, err);
	return r;
}

static int
document(struct cast *c, struct error *err)
{
	struct json_in j;
	int r;

	if (!utf8_valid(c->text.data, c->text.len))
		return bad_line(c, err, "the document is not valid UTF-8");
	json_in_init(&j, c->text.data, c->text.len);
	c->in = &j;
	r = read_document(c, &j, err);
	c->in = NULL;
	return r;
}

static int
too_large(const struct cast *c, struct error *err)
{
	if (c->state != IN_LINES)
		return error_set(err, EFBIG,
		    "line %lu: the document is larger "
		    "than %u MiB",
		    c->line, CAST_V1_MAX >> 20);
	return error_set(err, EFBIG, "line %lu: it is longer than %u MiB",
	    c->line, CAST_LINE_MAX >> 20);
}

/* A whole line, without its end, is in c->text. */
static int
end_line(struct cast *c, struct error *err)
{
	int r = 0;

	if (c->state == IN_LINES)
		r = event_line(c, err);
	else if (!is_blank(&c->text))
		r = header_line(c, err);
	if (c->state == IN_DOCUMENT)
		return buf_putc(&c->text, '\n') == 0 ? r : too_large(c, err);
	buf_clear(&c->text);
	c->line++;
	return r;
}

/* Take what belongs to the present line, and say how much that was. */
static size_t
gather(struct cast *c, const char *p, size_t len, bool *whole)
{
	const char *eol = memchr(p, '\n', len);
	size_t n = eol != NULL ? (size_t)(eol - p) : len;

	buf_append(&c->text, p, n);
	*whole = eol != NULL;
	return n + *whole;
}

int
cast_feed(struct cast *c, const void *bytes, size_t len, struct error *err)
{
	const char *p = bytes;
	int r = 0;

	while (r == 0 && len > 0) {
		bool whole = false;
		size_t n = len;

		if (c->state == IN_DOCUMENT)
			buf_append(&c->text, p, len);
		else
			n = gather(c, p, len, &whole);
		if (c->text.full)
			r = too_large(c, err);
		else if (whole)
			r = end_line(c, err);
		p += n;
		len -= n;
	}
	if (r != 0)
		c->state = OVER;
	return r;
}

int
cast_end(struct cast *c, struct error *err)
{
	int r = 0;

	if (c->state == AT_HEADER || c->state == IN_LINES)
		r = end_line(c, err);
	if (r == 0 && c->state == AT_HEADER)
		r = error_set(err, EINVAL, "there is no header, only blanks");
	if (r == 0 && c->state == IN_DOCUMENT)
		r = document(c, err);
	c->state = OVER;
	return r;
}

/* True if the text so far allows an answer, which more of it cannot change. */
static enum cast_guess
guess(const struct json_in *j, bool found)
{
	if (j->why != NULL ? j->ended : j->p >= j->end && found)
		return CAST_MAYBE;
	return j->why == NULL && found ? CAST_YES : CAST_NO;
}

enum cast_guess
cast_probe(const void *p, size_t len)
{
	bool found = false;
	char key[KEY_SIZE];
	struct json_in j;
	enum cast_guess g;

	json_in_init(&j, p, len < CAST_PROBE_MAX ? len : CAST_PROBE_MAX);
	json_in_enter(&j, '{');
	while (!found && json_in_more(&j)) {
		json_in_key(&j, key, sizeof(key));
		found = j.why == NULL && strcmp(key, "version") == 0;
		if (found)
			json_in_number(&j);
		else
			json_in_skip(&j);
	}
	g = guess(&j, found);
	return g == CAST_MAYBE && len >= CAST_PROBE_MAX ? CAST_NO : g;
}
