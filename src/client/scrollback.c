#include "client/scrollback.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/json_field.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/version.h"
#include "client/conn.h"
#include "log/reader.h"
#include "vt/vt.h"

struct answer {
	unsigned cols, rows;
	uint64_t offset;
	char *data;
};

static const struct json_field fields[] = {
	JSON_FIELD(struct answer, cols, "cols", UINT, VT_COLS_MAX),
	JSON_FIELD(struct answer, rows, "rows", UINT, VT_ROWS_MAX),
	JSON_FIELD(struct answer, offset, "offset", UINT, INT64_MAX),
	JSON_FIELD(struct answer, data, "data", STRING, FRAME_MAX_HOST),
	{ 0 },
};

/* Take these fields from the answer, if it has them. */
static int
ask(struct conn *c, const char *op, const char *args, struct answer *a,
    struct error *err)
{
	auto_json json_t *tree = NULL;
	auto_free char *text = NULL;
	char code[32];
	int rc = conn_call(c, op, args, &text, code, err);

	if (rc < 0)
		return rc;
	tree = json_tree_object(text, strlen(text), err);
	if (tree == NULL)
		return -EPROTO;
	return json_fields_read(fields, tree, a, err);
}

static struct vt *
read_book(const struct answer *a, struct error *err)
{
	struct vt_config config = {
		.cols = (uint16_t)a->cols,
		.rows = (uint16_t)a->rows,
		.history_lines = SCROLLBACK_LINES,
		.history_bytes = SCROLLBACK_BYTES,
	};
	struct vt *vt;

	if (a->data == NULL) {
		(void)error_set(err, EPROTO, "the host sent no history");
		return NULL;
	}
	vt = vt_create(&config, err);
	if (vt != NULL)
		vt_feed(vt, a->data, strlen(a->data));
	return vt;
}

/* Ask the host over a separate connection. */
static int
fetch(int dirfd, int timeout_ms, const char *op, const char *args,
    struct answer *a, struct error *err)
{
	struct hello hello;
	struct conn c;
	int rc;

	hello_init(&hello);
	snprintf(hello.client, sizeof(hello.client), "tend %s", TEND_VERSION);
	hello.mode = HELLO_CONTROL;
	hello.features = HELLO_HANDOVER;
	rc = conn_open(&c, dirfd, &hello, timeout_ms, err);
	if (rc < 0)
		return rc;
	rc = ask(&c, "session.get", "{}", a, err);
	if (rc == 0)
		rc = ask(&c, op, args, a, err);
	conn_close(&c);
	return rc;
}

struct vt *
scrollback_fetch(int dirfd, int timeout_ms, uint64_t *offset, struct error *err)
{
	struct answer a = { 0 };
	struct vt *vt = NULL;

	if (fetch(dirfd, timeout_ms, "session.snapshot",
		"{\"format\":\"ansi\",\"scrollback\":true}", &a, err) == 0)
		vt = read_book(&a, err);
	free(a.data);
	*offset = a.offset;
	return vt;
}

/* Places. */

static int
compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int
place_compare_rows(const struct scrollback_place *a,
    const struct scrollback_place *b)
{
	return a->seq != b->seq ? compare(a->seq, b->seq) :
				  compare(a->row, b->row);
}

int
place_compare(const struct scrollback_place *a,
    const struct scrollback_place *b)
{
	int rows = place_compare_rows(a, b);

	return rows != 0 ? rows : compare(a->col, b->col);
}

/* Chapters. */

static struct scrollback_part *
least_used(struct scrollback *b)
{
	unsigned least = 0;

	for (unsigned i = 1; i < SCROLLBACK_PARTS; i++)
		if (b->used[i] < b->used[least])
			least = i;
	b->used[least] = 0;
	scrollback_part_finish(&b->parts[least]);
	return &b->parts[least];
}

const struct scrollback_part *
scrollback_loaded(struct scrollback *b, uint64_t seq)
{
	for (unsigned i = 0; i < SCROLLBACK_PARTS; i++) {
		const struct scrollback_part *c = &b->parts[i];

		if (b->used[i] != 0 &&
		    (b->log.reader == NULL ||
			(seq >= c->begin_seq && seq <= c->end_seq))) {
			b->used[i] = ++b->now;
			return c;
		}
	}
	return NULL;
}

const struct scrollback_part *
scrollback_part_at(struct scrollback *b, uint64_t seq)
{
	const struct scrollback_part *known = scrollback_loaded(b, seq);
	struct scrollback_part *c;

	if (known != NULL || b->log.reader == NULL)
		return known;
	c = least_used(b);
	if (scrollback_part_load(c, &b->log, seq, true) < 0)
		return NULL;
	b->used[c - b->parts] = ++b->now;
	return c;
}

/* The part after this one, or before it; NULL if there is none. */
static const struct scrollback_part *
turn(struct scrollback *b, const struct scrollback_place *p, bool on)
{
	const struct scrollback_part *c = scrollback_part_at(b, p->seq);
	uint64_t begin;

	if (c == NULL || b->log.reader == NULL)
		return NULL;
	if (on ? c->end_seq >= b->log.last_seq :
		 c->begin_seq <= b->log.first_seq)
		return NULL;
	begin = c->begin_seq;
	c = scrollback_part_at(b, on ? c->end_seq + 1 : c->begin_seq - 1);
	return c != NULL && c->begin_seq != begin ? c : NULL;
}

/* Move to the next existing row, in one of the later parts. */
static bool
turn_on(struct scrollback *b, struct scrollback_place *p)
{
	const struct scrollback_part *c;

	for (unsigned n = 0; n < SCROLLBACK_TURNS; n++) {
		c = turn(b, p, true);
		if (c == NULL)
			return false;
		p->seq = c->begin_seq;
		p->row = 0;
		if (c->n > 0)
			return true;
	}
	return false;
}

static bool
turn_back(struct scrollback *b, struct scrollback_place *p)
{
	const struct scrollback_part *c;

	for (unsigned n = 0; n < SCROLLBACK_TURNS; n++) {
		c = turn(b, p, false);
		if (c == NULL)
			return false;
		p->seq = c->begin_seq;
		p->row = c->n > 0 ? c->n - 1 : 0;
		if (c->n > 0)
			return true;
	}
	return false;
}

unsigned
scrollback_forward(struct scrollback *b, struct scrollback_place *p,
    unsigned rows)
{
	unsigned gone = 0;

	while (gone < rows) {
		const struct scrollback_part *c = scrollback_part_at(b, p->seq);
		struct scrollback_place before = *p;
		size_t left = c != NULL && p->row + 1 < c->n ?
		    c->n - p->row - 1 :
		    0;

		left = left < rows - gone ? left : rows - gone;
		p->row += left;
		gone += (unsigned)left;
		if (left > 0)
			continue;
		if (!turn_on(b, p)) {
			*p = before;
			break;
		}
		gone++;
	}
	return gone;
}

/* Upwards it may stop in an empty part, and continue from there. */
unsigned
scrollback_back(struct scrollback *b, struct scrollback_place *p, unsigned rows)
{
	unsigned gone = 0;

	while (gone < rows) {
		size_t left = p->row < rows - gone ? p->row : rows - gone;

		p->row -= left;
		gone += (unsigned)left;
		if (left > 0)
			continue;
		if (!turn_back(b, p))
			break;
		gone++;
	}
	return gone;
}

void
scrollback_first(struct scrollback *b, struct scrollback_place *p)
{
	const struct scrollback_part *c = scrollback_part_at(b,
	    b->log.first_seq);

	*p = (struct scrollback_place){ .seq = c != NULL ? c->begin_seq : 0 };
	if (c != NULL && c->n == 0)
		(void)turn_on(b, p);
}

void
scrollback_last(struct scrollback *b, struct scrollback_place *p)
{
	const struct scrollback_part *c = scrollback_part_at(b,
	    b->log.last_seq);

	*p = (struct scrollback_place){ .seq = c != NULL ? c->begin_seq : 0 };
	if (c == NULL)
		return;
	if (c->n > 0)
		p->row = c->n - 1;
	else
		(void)turn_back(b, p);
}

unsigned
scrollback_percent_of(const struct scrollback *b, uint64_t offset)
{
	if (b->end_offset == 0)
		return 100;
	return (unsigned)(100 * (double)offset / (double)b->end_offset);
}

unsigned
scrollback_percent(struct scrollback *b, const struct scrollback_place *p)
{
	const struct scrollback_part *c = scrollback_part_at(b, p->seq);
	uint64_t done;

	if (c == NULL || c->n < 2)
		return 100;
	if (b->log.reader == NULL || b->end_offset == 0)
		return (unsigned)(100 * p->row / (c->n - 1));
	done = c->begin_offset +
	    (c->end_offset - c->begin_offset) * p->row / (c->n - 1);
	return scrollback_percent_of(b, done);
}

/* Opening. */

/* The first screen in the log; 0: none. */
static uint64_t
first_keyframe(struct log_reader *r)
{
	struct record rec;

	if (log_reader_seek(r, LOG_BY_SEQ, 0) < 0)
		return 0;
	while (log_reader_next_there(r, &rec))
		if (rec.type == RECORD_KEYFRAME)
			return rec.seq;
	return 0;
}

/* True if the log is readable and has everything shown so far. */
static bool
open_log(struct scrollback *b, int dirfd, uint64_t shown)
{
	auto_close int fd = openat(dirfd, "log",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct log_extent extent;

	if (fd < 0 || log_reader_open(&b->log.reader, fd, NULL) < 0)
		return false;
	b->log.first_seq = first_keyframe(b->log.reader);
	if (b->log.first_seq == 0 ||
	    log_reader_extent(b->log.reader, &extent) < 0 ||
	    extent.end_offset < shown)
		return false;
	b->log.last_seq = extent.last_seq;
	b->end_offset = extent.end_offset;
	return scrollback_part_at(b, b->log.last_seq) != NULL;
}

static int
open_page(struct scrollback *b, int dirfd, int timeout_ms, struct error *err)
{
	uint64_t offset;
	struct vt *vt = scrollback_fetch(dirfd, timeout_ms, &offset, err);

	log_reader_close(b->log.reader);
	b->log = (struct scrollback_part_log){ 0 };
	if (vt == NULL)
		return -EIO;
	scrollback_part_copy(&b->parts[0], vt);
	b->used[0] = 1;
	vt_destroy(vt);
	return 0;
}

int
scrollback_open(struct scrollback *b, int dirfd, int timeout_ms,
    struct error *err)
{
	struct answer a = { 0 };
	int asked, rc = 0;

	memset(b, 0, sizeof(*b));
	ruler_init(&b->ruler);
	/*
	 * If the disk hangs, the host does not answer, and reading would block
	 * us too.
	 */
	asked = fetch(dirfd, timeout_ms, "session.flush", "{}", &a, NULL);
	if (asked < 0 || !open_log(b, dirfd, a.offset))
		rc = open_page(b, dirfd, timeout_ms, err);
	if (asked < 0 && rc < 0 && open_log(b, dirfd, 0))
		rc = 0; /* there is no host */
	free(a.data);
	if (rc < 0)
		scrollback_close(b);
	return rc;
}

void
scrollback_close(struct scrollback *b)
{
	for (unsigned i = 0; i < SCROLLBACK_PARTS; i++)
		scrollback_part_finish(&b->parts[i]);
	ruler_finish(&b->ruler);
	log_reader_close(b->log.reader);
	memset(b, 0, sizeof(*b));
}

bool
scrollback_is_open(const struct scrollback *b)
{
	return b->ruler.vt != NULL;
}
