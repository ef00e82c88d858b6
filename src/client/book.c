#include "client/book.h"

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
#include "client/paint.h"
#include "log/reader.h"
#include "log/replay.h"
#include "vt/vt.h"

/*
 * A key may pass so many stretches in which nothing left the screen, as those
 * of a full-screen program; then it has gone that far, and the next goes on.
 */
#define TURNS_MAX 64

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

/* What the answer says of these is taken; the rest stays as it was. */
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
		.history_lines = BOOK_LINES,
		.history_bytes = BOOK_BYTES,
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

struct vt *
book_fetch(int dirfd, int timeout_ms, uint64_t *offset, struct error *err)
{
	struct answer a = { 0 };
	struct vt *vt = NULL;
	struct hello hello;
	struct conn c;

	hello_init(&hello);
	snprintf(hello.client, sizeof(hello.client), "tend %s", TEND_VERSION);
	hello.mode = HELLO_CONTROL;
	hello.features = HELLO_HANDOVER;
	if (conn_open(&c, dirfd, &hello, timeout_ms, err) < 0)
		return NULL;
	if (ask(&c, "session.get", "{}", &a, err) == 0 &&
	    ask(&c, "session.snapshot",
		"{\"format\":\"ansi\",\"scrollback\":true}", &a, err) == 0)
		vt = read_book(&a, err);
	conn_close(&c);
	free(a.data);
	*offset = a.offset;
	return vt;
}

/* Pages. */

static void
show(struct book *b, const struct vt *page)
{
	b->page = page;
	b->rows = history_rows(page);
	b->old = page == b->stretch;
}

/* Turn to the stretch that this is in; whether there is another one. */
static bool
turn_to(struct book *b, enum log_by by, uint64_t value)
{
	struct log_extent extent;
	struct replay r;

	if (b->log == NULL || replay_stretch(b->log, by, value, &r, NULL) < 0)
		return false;
	if (b->stretch != NULL && r.begin_seq == b->begin_seq) {
		vt_destroy(r.vt);
		return false;
	}
	vt_destroy(b->stretch);
	b->stretch = r.vt;
	b->begin_seq = r.begin_seq;
	b->end_seq = r.seq;
	b->offset = r.begin_offset;
	if (log_reader_extent(b->log, &extent) == 0)
		b->end = extent.end_offset;
	show(b, b->stretch);
	return true;
}

/* From the host's page to the log: rows count back from the same place. */
static bool
turn_back(struct book *b)
{
	if (b->stretch == NULL)
		return turn_to(b, LOG_BY_OFFSET, b->taken);
	return turn_to(b, LOG_BY_SEQ, b->begin_seq - 1);
}

/* What is left of a log may be less than the host knows. */
static void
leaf_back(struct book *b, int64_t back)
{
	int64_t known = b->stretch == NULL ? b->rows : 0, passed = 0;

	for (unsigned n = 0; back - passed > b->rows && n < TURNS_MAX; n++) {
		unsigned rows = b->stretch != NULL ? b->rows : 0;

		if (!turn_back(b))
			break;
		passed += rows;
	}
	if (back - passed > b->rows)
		back = passed + b->rows;
	if (b->stretch != NULL && back < known) {
		book_last(b);
		passed = 0;
		back = known;
	}
	b->back = (unsigned)(back - passed);
}

static void
leaf_on(struct book *b, int64_t back)
{
	for (unsigned n = 0; back < 0 && n < TURNS_MAX; n++) {
		if (b->stretch == NULL ||
		    !turn_to(b, LOG_BY_SEQ, b->end_seq + 1)) {
			book_last(b);
			return;
		}
		back += b->rows;
	}
	b->back = back < 0 ? 0 : (unsigned)back;
}

void
book_leaf(struct book *b, int64_t rows)
{
	int64_t back = (int64_t)b->back + rows;

	if (back < 0)
		leaf_on(b, back);
	else
		leaf_back(b, back);
}

void
book_first(struct book *b)
{
	(void)turn_to(b, LOG_BY_SEQ, 0);
	b->back = b->rows;
}

void
book_last(struct book *b)
{
	vt_destroy(b->stretch);
	b->stretch = NULL;
	show(b, b->newest);
	b->back = 0;
}

/* A log that cannot be read has no pages; the host's is there all the same. */
static struct log_reader *
open_log(int dirfd)
{
	auto_close int fd = openat(dirfd, "log",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct log_reader *log = NULL;

	if (fd < 0 || log_reader_open(&log, fd, NULL) < 0)
		return NULL;
	return log;
}

int
book_open(struct book *b, int dirfd, int timeout_ms, struct error *err)
{
	struct error why = { .code = EIO };

	memset(b, 0, sizeof(*b));
	b->newest = book_fetch(dirfd, timeout_ms, &b->taken, &why);
	if (b->newest == NULL)
		return error_set(err, why.code, "%s", why.msg);
	b->log = open_log(dirfd);
	book_last(b);
	return 0;
}

void
book_close(struct book *b)
{
	vt_destroy(b->newest);
	vt_destroy(b->stretch);
	log_reader_close(b->log);
	memset(b, 0, sizeof(*b));
}
