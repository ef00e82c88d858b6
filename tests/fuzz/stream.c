/*
 * Any bytes as a message of the stream, as text and as a binary one.  A refused
 * message has a reason, and numbers that can be answered.  An input that is
 * accepted is a frame that a host reads.
 */
#include "hub/stream_message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "fuzz.h"
#include "wire/frame.h"

static void
check_frame(const struct stream_message *m)
{
	struct frame_input in;
	struct error err = { 0 };
	struct frame f;
	struct buf b;

	buf_init(&b, FRAME_HEADER + FRAME_MAX_CLIENT);
	if (stream_message_frame(m, &b, &err) == 0) {
		MUST(frame_parse(b.data, b.len, FRAME_MAX_CLIENT, &f) ==
		    FRAME_WHOLE);
		MUST(b.len == FRAME_HEADER + f.len);
		MUST(frame_input(&f, &in) && in.kind == m->kind);
	} else {
		MUST(err.msg[0] != '\0');
	}
	buf_finish(&b);
}

static void
check_items(const struct stream_message *m)
{
	struct error err = { 0 };
	json_t *items = stream_message_items(m, &err);

	MUST((items != NULL) == (err.msg[0] == '\0'));
	json_decref(items);
}

static void
check(struct stream_message *m, int rc, const struct error *err)
{
	MUST(rc == 0 || rc == -EPROTO || rc == -EINVAL);
	MUST((rc < 0) == (err->msg[0] != '\0'));
	MUST(m->id <= STREAM_ID_MAX && m->type < STREAM_TYPES);
	if (rc == 0 && m->type == STREAM_INPUT)
		check_frame(m);
	if (rc == 0 && m->type == STREAM_INPUT && m->tree != NULL)
		check_items(m);
	if (m->tree != NULL)
		stream_clean(m->tree);
	stream_message_finish(m);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	struct stream_message m;
	struct error err = { 0 };
	int rc = stream_message_read(&m, p, len, &err);

	check(&m, rc, &err);
	err = (struct error){ 0 };
	rc = stream_message_read_binary(&m, p, len, &err);
	check(&m, rc, &err);
	return 0;
}
