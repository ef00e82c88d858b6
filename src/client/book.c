#include "client/book.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_field.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/version.h"
#include "client/conn.h"
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
