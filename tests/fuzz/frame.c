/*
 * Hostile bytes on a session's socket.  Each input is read in three ways:
 *
 * as frames, whole and one byte at a time: both give the same frames, no frame
 * reaches beyond its bytes, and a frame that a getter understands is written
 * back unchanged;
 *
 * as a client's first line and as a host's: a line that is understood can be
 * written and understood again.
 */
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "vt/key.h"
#include "vt/mouse.h"
#include "wire/frame.h"
#include "wire/hello.h"

/* The buffer holds exactly this frame, and is emptied. */
static void
must_be(struct buf *b, const struct frame *f)
{
	struct frame again;

	MUST(frame_parse(b->data, b->len, FRAME_MAX_HOST, &again) ==
	    FRAME_WHOLE);
	MUST(again.type == f->type && again.len == f->len);
	MUST(b->len == FRAME_HEADER + f->len);
	MUST(f->len == 0 || memcmp(again.payload, f->payload, f->len) == 0);
	buf_clear(b);
}

static void
what_the_host_sends_comes_back(const struct frame *f, struct buf *b)
{
	struct frame_screen s;
	struct frame_taken t;
	struct frame_gap g;
	const uint8_t *p;
	uint64_t offset;
	size_t len;

	if (frame_output(f, &offset, &p, &len)) {
		frame_put_output(b, offset, p, len);
		must_be(b, f);
	}
	if (frame_screen(f, &s, &p, &len)) {
		frame_put_screen(b, &s, p, len);
		must_be(b, f);
	}
	if (frame_gap(f, &g)) {
		MUST(g.from <= g.to);
		frame_put_gap(b, &g);
		must_be(b, f);
	}
	if (frame_taken(f, &t)) {
		frame_put_taken(b, &t);
		must_be(b, f);
	}
}

/* Each key has one spelling, so the same key comes back. */
static void
an_input_comes_back(const struct frame_input *in, struct buf *b)
{
	struct frame_input again;
	struct mouse_event ev;
	struct key k, k2;
	struct frame f;

	if (input_mouse(in, &ev)) {
		MUST(ev.button < MOUSE_BUTTONS);
		frame_put_mouse(b, in->id, &ev);
		frame_parse(b->data, b->len, FRAME_MAX_CLIENT, &f);
		MUST(frame_input(&f, &again) && again.len == in->len);
		MUST(memcmp(again.p, in->p, in->len) == 0);
		buf_clear(b);
	}
	if (!input_key(in, &k))
		return;
	MUST(utf8_valid(k.text, strlen(k.text)));
	k2 = k;
	key_canonical(&k2);
	MUST(key_equal(&k, &k2));
	frame_put_key(b, in->id, &k);
	frame_parse(b->data, b->len, FRAME_MAX_CLIENT, &f);
	MUST(frame_input(&f, &again));
	if (input_key(&again, &k2))
		MUST(key_equal(&k, &k2));
	buf_clear(b);
}

static void
what_a_client_sends_comes_back(const struct frame *f, struct buf *b)
{
	struct frame_input in;
	unsigned cols, rows;
	uint64_t v;

	if (frame_resize(f, &cols, &rows)) {
		frame_put_resize(b, cols, rows);
		must_be(b, f);
	}
	if (frame_u64(f, &v)) {
		frame_put_u64(b, f->type, v);
		must_be(b, f);
	}
	if (frame_input(f, &in)) {
		frame_put_input(b, &in);
		must_be(b, f);
		an_input_comes_back(&in, b);
	}
}

static void
frames_are_told_once_they_are_whole(const uint8_t *p, size_t len)
{
	size_t at = 0;
	struct frame f;
	struct buf b;

	buf_init(&b, FRAME_HEADER + FRAME_MAX_HOST);
	while (frame_parse(p + at, len - at, FRAME_MAX_CLIENT, &f) ==
	    FRAME_WHOLE) {
		struct frame part;

		MUST(f.payload == p + at + FRAME_HEADER);
		MUST(f.len <= len - at - FRAME_HEADER);
		MUST(frame_parse(p + at, FRAME_HEADER + f.len - 1,
			 FRAME_MAX_CLIENT, &part) == FRAME_PART);
		MUST((frame_name(f.type) != NULL) ==
		    (frame_from_client(f.type) || frame_from_host(f.type)));
		what_the_host_sends_comes_back(&f, &b);
		what_a_client_sends_comes_back(&f, &b);
		at += FRAME_HEADER + f.len;
	}
	buf_finish(&b);
}

static void
a_hello_comes_back(const char *p, size_t len)
{
	struct hello h, again;
	struct buf one, two;

	if (hello_read(&h, p, len, NULL) < 0)
		return;
	MUST(h.version > 0 && h.cols <= UINT16_MAX && h.flow_ms <= 10000);
	MUST(utf8_valid(h.client, strlen(h.client)));
	buf_init(&one, 2 * FRAME_LINE_MAX);
	buf_init(&two, 2 * FRAME_LINE_MAX);
	MUST(hello_write(&h, &one) == 0 && one.len <= FRAME_LINE_MAX);
	MUST(hello_read(&again, (char *)one.data, one.len, NULL) == 0);
	MUST(hello_write(&again, &two) == 0 && one.len == two.len);
	MUST(memcmp(one.data, two.data, one.len) == 0);
	buf_finish(&one);
	buf_finish(&two);
}

static void
a_welcome_comes_back(const char *p, size_t len)
{
	struct welcome w, again;
	struct buf one, two;

	if (welcome_read(&w, p, len, NULL) < 0)
		return;
	buf_init(&one, 2 * FRAME_LINE_MAX);
	buf_init(&two, 2 * FRAME_LINE_MAX);
	MUST(welcome_write(&w, &one) == 0 && one.len <= FRAME_LINE_MAX);
	MUST(welcome_read(&again, (char *)one.data, one.len, NULL) == 0);
	MUST(welcome_write(&again, &two) == 0 && one.len == two.len);
	MUST(memcmp(one.data, two.data, one.len) == 0);
	buf_finish(&one);
	buf_finish(&two);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	if (len == 0)
		return 0;
	frames_are_told_once_they_are_whole(p, len);
	a_hello_comes_back((const char *)p, len);
	a_welcome_comes_back((const char *)p, len);
	return 0;
}
