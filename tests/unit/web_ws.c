#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "heap.h"
#include "web/http.h"
#include "web/ws.h"

#define MAX 4096
#define FIN 0x80
#define TEXT 1
#define BINARY 2
#define CLOSE 8
#define PING 9
#define PONG 10

/* A server's side, and the text of what it reports. */
struct side {
	struct ws *ws;
	struct buf out, seen;
	bool destroys; /* in the handler of a message */
	bool closes;   /* likewise, with 1000 */
};

static void
on_message(void *arg, bool binary, const uint8_t *p, size_t len)
{
	struct side *s = arg;

	buf_printf(&s->seen, "%s %.*s\n", binary ? "binary" : "text",
	    (int)(len < 40 ? len : 40), (const char *)p);
	if (s->destroys) {
		ws_destroy(s->ws);
		s->ws = NULL;
	} else if (s->closes) {
		ws_close(s->ws, 1000, "enough");
	}
}

static void
on_close(void *arg, unsigned code)
{
	struct side *s = arg;

	buf_printf(&s->seen, "close %u\n", code);
}

static void
begin(struct side *s)
{
	static const struct ws_handlers handlers = { on_message, on_close };

	*s = (struct side){ .destroys = false };
	buf_init(&s->out, SIZE_MAX);
	buf_init(&s->seen, SIZE_MAX);
	s->ws = ws_create(MAX, &handlers, s, &s->out);
}

static void
finish(struct side *s)
{
	ws_destroy(s->ws);
	buf_finish(&s->out);
	buf_finish(&s->seen);
}

static void
must_have_seen(struct side *s, const char *want)
{
	buf_putc(&s->seen, '\0');
	assert_string_equal((char *)s->seen.data, want);
	buf_clear(&s->seen);
}

/* The head of a client's frame, and the mask. */
static size_t
put_head(struct buf *b, unsigned first, uint64_t len)
{
	static const uint8_t mask[4] = { 1, 2, 0x80, 0xff };
	uint8_t h[10] = { (uint8_t)first, 0x80 };
	size_t n = 2;

	if (len < 126) {
		h[1] |= (uint8_t)len;
	} else if (len <= UINT16_MAX) {
		h[1] |= 126;
		put_u16be(h + 2, (uint16_t)len);
		n = 4;
	} else {
		h[1] |= 127;
		put_u64be(h + 2, len);
		n = 10;
	}
	buf_append(b, h, n);
	buf_append(b, mask, sizeof(mask));
	return b->len;
}

static void
put_frame(struct buf *b, unsigned first, const void *p, size_t len)
{
	static const uint8_t mask[4] = { 1, 2, 0x80, 0xff };

	put_head(b, first, len);
	for (size_t i = 0; i < len; i++)
		buf_putc(b, (char)(((const uint8_t *)p)[i] ^ mask[i % 4]));
}

/* The status of the close frame that was sent last; 0: none. */
static unsigned
status_sent(const struct buf *out)
{
	unsigned status = 0;

	for (size_t at = 0; at < out->len;) {
		const uint8_t *f = out->data + at;
		size_t len = f[1], head = 2;

		assert_int_equal(status, 0); /* nothing follows a close */
		assert_true(f[0] & FIN);
		assert_false(f[1] & 0x80);
		if (len == 126) {
			len = get_u16be(f + 2);
			head = 4;
		} else if (len == 127) {
			len = (size_t)get_u64be(f + 2);
			head = 10;
		}
		assert_true(len <= out->len - at - head);
		if ((f[0] & 15) == CLOSE)
			status = len >= 2 ? get_u16be(f + head) : 1005;
		at += head + len;
	}
	return status;
}

/* The bytes, whole and one by one, give this result and close status. */
static void
closes(const struct buf *in, int rc, unsigned status, const char *seen)
{
	for (int pass = 0; pass < 2; pass++) {
		size_t step = pass == 0 ? in->len : 1;
		struct side s;
		int got = 0;

		begin(&s);
		for (size_t at = 0; at < in->len && got == 0; at += step)
			got = ws_feed(s.ws, in->data + at, step);
		assert_int_equal(got, rc);
		assert_int_equal(status_sent(&s.out), status);
		must_have_seen(&s, seen);
		ws_send(s.ws, false, NULL, 0, "late", 4);
		assert_int_equal(status_sent(&s.out), status);
		finish(&s);
	}
}

/* One frame of raw bytes breaks the protocol. */
static void
breaks(const char *bytes, size_t len, unsigned status)
{
	struct buf in;

	buf_init(&in, SIZE_MAX);
	buf_append(&in, bytes, len);
	closes(&in, -EPROTO, status, "");
	buf_finish(&in);
}

static void
breaks_frame(unsigned first, const void *p, size_t len, unsigned status)
{
	struct buf in;

	buf_init(&in, SIZE_MAX);
	put_frame(&in, first, p, len);
	closes(&in, -EPROTO, status, "");
	buf_finish(&in);
}

/* ------------------------------------------------------------------ upgrade */

static struct http_request
upgrade_request(void)
{
	return (struct http_request){ .method = "GET",
		.fields = { { "connection", "keep-alive, Upgrade" },
		    { "upgrade", "websocket" },
		    { "sec-websocket-version", "13" },
		    { "sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==" },
		    { "sec-websocket-protocol", "other, tend.v1" } },
		.n_fields = 5,
		.upgrade = true };
}

static void
an_upgrade_is_answered_with_its_key(void **state)
{
	struct http_request r = upgrade_request();
	const char *why = NULL;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	assert_int_equal(ws_upgrade(&r, "tend.v1", &out, &why), 0);
	buf_putc(&out, '\0');
	/* The key and its answer are those of RFC 6455, 1.3. */
	assert_non_null(strstr((char *)out.data,
	    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
	assert_non_null(
	    strstr((char *)out.data, "Sec-WebSocket-Protocol: tend.v1\r\n"));
	assert_non_null(strstr((char *)out.data,
	    "\r\nX-Content-Type-Options: nosniff\r\n"));
	assert_null(strstr((char *)out.data, "Extensions"));
	buf_clear(&out);
	r.n_fields = 4;
	assert_int_equal(ws_upgrade(&r, "tend.v1", &out, &why), 0);
	buf_putc(&out, '\0');
	assert_null(strstr((char *)out.data, "Protocol:"));
	buf_finish(&out);
}

static void
upgrades_that_are_wrong_are_refused(void **state)
{
	static const struct {
		unsigned field;
		const char *value;
		int status;
	} cases[] = {
		{ 0, "keep-alive", 426 },
		{ 0, "upgraded", 426 },
		{ 0, "", 426 },
		{ 2, "8", 426 },
		{ 2, "13, 8", 426 },
		{ 3, "", 400 },
		{ 3, "dGhlIHNhbXBsZSBub25jZQ=", 400 },
		{ 3, "dGhlIHNhbXBsZSBub25jZQ===", 400 },
		{ 3, "dGhlIHNhbXBsZSBub25jZ===", 400 },
		{ 3, "dGhlIHNhbXBs\r\nBub25jZQ==", 400 },
		{ 4, "other", 400 },
		{ 4, "TEND.V1", 400 },
		{ 4, "tend.v11", 400 },
		{ 4, "", 400 },
	};
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct http_request r = upgrade_request();
		const char *why = NULL;

		r.fields[cases[i].field].value = cases[i].value;
		assert_int_equal(ws_upgrade(&r, "tend.v1", &out, &why),
		    cases[i].status);
		assert_non_null(why);
	}
	{
		struct http_request r = upgrade_request();
		const char *why = NULL;

		r.upgrade = false;
		assert_int_equal(ws_upgrade(&r, "x", &out, &why), 426);
		r.upgrade = true;
		r.method = "POST";
		assert_int_equal(ws_upgrade(&r, "x", &out, &why), 426);
		r.method = "GET";
		for (unsigned i = 2; i < 4; i++) {
			r = upgrade_request();
			r.fields[i].name = "x";
			assert_true(ws_upgrade(&r, "tend.v1", &out, &why) > 0);
		}
	}
	assert_int_equal(out.len, 0);
	buf_finish(&out);
}

/* ----------------------------------------------------------------- messages */

static void
messages_arrive_whole(void **state)
{
	struct buf in;

	(void)state;
	buf_init(&in, SIZE_MAX);
	put_frame(&in, FIN | TEXT, "one", 3);
	put_frame(&in, FIN | BINARY, "two", 3);
	put_frame(&in, TEXT, "thr", 3);
	put_frame(&in, FIN | PING, "p", 1);
	put_frame(&in, 0, "", 0);
	put_frame(&in, FIN, "ee", 2);
	put_frame(&in, FIN | TEXT, "", 0);
	put_frame(&in, FIN | PONG, "x", 1);
	closes(&in, 0, 0, "text one\nbinary two\ntext three\ntext \n");
	buf_finish(&in);
}

static void
a_ping_is_answered_with_its_bytes(void **state)
{
	char payload[125];
	struct buf in;
	struct side s;

	(void)state;
	memset(payload, 'p', sizeof(payload));
	buf_init(&in, SIZE_MAX);
	put_frame(&in, FIN | PING, payload, sizeof(payload));
	begin(&s);
	assert_int_equal(ws_feed(s.ws, in.data, in.len), 0);
	assert_int_equal(s.out.len, 2 + sizeof(payload));
	assert_int_equal(s.out.data[0], FIN | PONG);
	assert_memory_equal(s.out.data + 2, payload, sizeof(payload));
	finish(&s);
	buf_finish(&in);
}

static void
messages_to_the_client_have_the_shortest_length(void **state)
{
	static const struct {
		size_t head, len, frame_head;
	} cases[] = { { 0, 0, 2 }, { 5, 120, 2 }, { 0, 126, 4 },
		{ 6, 65529, 4 }, { 6, 65530, 10 } };
	static char bytes[70000];
	struct side s;

	(void)state;
	begin(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t total = cases[i].head + cases[i].len;

		buf_clear(&s.out);
		ws_send(s.ws, i % 2 == 0, bytes, cases[i].head, bytes,
		    cases[i].len);
		assert_int_equal(s.out.len, cases[i].frame_head + total);
		assert_int_equal(s.out.data[0],
		    FIN | (i % 2 == 0 ? BINARY : TEXT));
		assert_int_equal(status_sent(&s.out), 0);
	}
	finish(&s);
}

static void
a_message_that_does_not_fit_is_left_out_whole(void **state)
{
	static char bytes[200];
	struct side s;

	(void)state;
	begin(&s);
	s.out.max = 100;
	ws_send(s.ws, true, bytes, 10, bytes, 200);
	assert_int_equal(s.out.len, 0);
	assert_true(s.out.full);
	finish(&s);
}

/* ------------------------------------------------------------------- hostile */

/* S8: the length is refused before any memory is taken. */
static void
a_message_beyond_the_maximum_is_refused_by_its_head(void **state)
{
	static const uint64_t lengths[] = { MAX + 1, 1u << 20, 1ull << 40,
		INT64_MAX };
	static char part[MAX];
	struct buf in;

	(void)state;
	buf_init(&in, SIZE_MAX);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		size_t before = heap_used();
		struct side s;

		buf_clear(&in);
		put_head(&in, FIN | BINARY, lengths[i]);
		buf_putc(&in, 'x');
		begin(&s);
		assert_int_equal(ws_feed(s.ws, in.data, in.len), -EPROTO);
		assert_int_equal(status_sent(&s.out), 1009);
		assert_true(heap_used() < before + 65536);
		finish(&s);
		closes(&in, -EPROTO, 1009, "");
	}
	buf_clear(&in);
	put_frame(&in, BINARY, part, MAX);
	put_frame(&in, FIN, "x", 1);
	closes(&in, -EPROTO, 1009, "");
	buf_clear(&in);
	memset(part, 'm', sizeof(part));
	put_frame(&in, FIN | TEXT, part, MAX);
	closes(&in, 0, 0, "text mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm\n");
	buf_finish(&in);
}

static void
the_maximum_can_be_raised(void **state)
{
	static char part[MAX + 1];
	struct buf in;
	struct side s;

	(void)state;
	buf_init(&in, SIZE_MAX);
	memset(part, 'm', sizeof(part));
	put_frame(&in, FIN | TEXT, part, sizeof(part));
	begin(&s);
	ws_set_max(s.ws, MAX + 1);
	assert_int_equal(ws_feed(s.ws, in.data, in.len), 0);
	assert_true(s.seen.len > 0);
	finish(&s);
	buf_finish(&in);
}

/* S8 */
static void
frames_that_break_the_protocol_are_refused(void **state)
{
	char large[126] = { 0 };

	(void)state;
	breaks("\x81\x01x", 3, 1002);        /* unmasked */
	breaks("\x81\x00", 2, 1002);         /* unmasked and empty */
	breaks("\xff\xff\xff\xff", 4, 1002); /* all bits */
	breaks_frame(FIN | 0x40 | TEXT, "x", 1, 1002);
	breaks_frame(FIN | 0x20 | TEXT, "x", 1, 1002);
	breaks_frame(FIN | 0x10 | TEXT, "x", 1, 1002);
	for (unsigned opcode = 3; opcode < 8; opcode++)
		breaks_frame(FIN | opcode, "x", 1, 1002);
	for (unsigned opcode = 11; opcode < 16; opcode++)
		breaks_frame(FIN | opcode, "x", 1, 1002);
	for (unsigned opcode = CLOSE; opcode <= PONG; opcode++) {
		breaks_frame(opcode, "", 0, 1002); /* in fragments */
		breaks_frame(FIN | opcode, large, sizeof(large), 1002);
	}
	breaks_frame(FIN, "x", 1, 1002); /* continues nothing */
	breaks_frame(0, "x", 1, 1002);
	breaks("\x81\xfe\x00\x05\1\2\3\4hello", 13, 1002); /* too long a head */
	breaks("\x81\xff\0\0\0\0\0\0\0\5\1\2\3\4hello", 19, 1002);
	breaks("\x81\xff\x80\0\0\0\0\0\0\0\1\2\3\4", 14, 1002); /* negative */
}

static void
a_message_inside_another_is_refused(void **state)
{
	struct buf in;

	(void)state;
	buf_init(&in, SIZE_MAX);
	put_frame(&in, TEXT, "half", 4);
	put_frame(&in, FIN | TEXT, "x", 1);
	closes(&in, -EPROTO, 1002, "");
	buf_finish(&in);
}

/* S8 */
static void
text_that_is_no_utf8_is_refused(void **state)
{
	static const char *const bad[] = { "\xff", "a\x80", "\xc0\x80", "\xc3",
		"\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82" };
	struct buf in;

	(void)state;
	buf_init(&in, SIZE_MAX);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		breaks_frame(FIN | TEXT, bad[i], strlen(bad[i]), 1007);
	put_frame(&in, TEXT, "\xe2\x82", 2); /* a character in two frames */
	put_frame(&in, FIN, "\xac", 1);
	put_frame(&in, FIN | BINARY, "\xff", 1);
	closes(&in, 0, 0, "text \xe2\x82\xac\nbinary \xff\n");
	buf_clear(&in);
	put_frame(&in, TEXT, "\xe2\x82", 2);
	put_frame(&in, FIN, "x", 1);
	closes(&in, -EPROTO, 1007, "");
	buf_finish(&in);
}

/* Feed a frame again and again, behind others. */
static void
floods(const char *first, size_t first_len, const char *again, size_t len,
    size_t times, unsigned status)
{
	size_t before = heap_used();
	struct side s;
	int rc = 0;

	begin(&s);
	if (first_len > 0)
		assert_int_equal(ws_feed(s.ws, first, first_len), 0);
	for (size_t i = 0; i < times && rc == 0; i++)
		rc = ws_feed(s.ws, again, len);
	assert_int_equal(rc, status != 0 ? -EPROTO : 0);
	assert_int_equal(status_sent(&s.out), status);
	assert_true(heap_used() < before + (512u << 10));
	finish(&s);
}

/* S8 */
static void
floods_of_frames_without_content_end(void **state)
{
	static const char text[] = "\x01\x81\0\0\0\0x",
			  empty[] = "\0\x80\0\0\0\0",
			  tiny[] = "\0\x81\0\0\0\0x",
			  ping[] = "\x89\x80\0\0\0\0",
			  pong[] = "\x8a\x80\0\0\0\0",
			  nothing[] = "\x81\x80\0\0\0\0",
			  one[] = "\x81\x81\0\0\0\0x\x89\x80\0\0\0\0";

	(void)state;
	floods(text, 7, empty, 6, 100000, 1008);
	floods(text, 7, tiny, 7, 100000, 1008);
	floods("", 0, ping, 6, 100000, 1008);
	floods("", 0, pong, 6, 100000, 1008);
	floods("", 0, nothing, 6, 100000, 1008);
	/* Exactly at the limit, and beyond it with messages between. */
	floods("", 0, ping, 6, WS_CONTROLS_MAX, 0);
	floods("", 0, ping, 6, WS_CONTROLS_MAX + 1, 1008);
	floods("", 0, one, 13, 3 * WS_CONTROLS_MAX, 0);
}

/* -------------------------------------------------------------------- close */

static void
a_close_is_answered_with_its_code(void **state)
{
	struct buf in;

	(void)state;
	buf_init(&in, SIZE_MAX);
	put_frame(&in, FIN | TEXT, "last", 4);
	put_frame(&in, FIN | CLOSE,
	    "\x03\xe8"
	    "bye",
	    5);
	put_frame(&in, FIN | TEXT, "after", 5);
	closes(&in, 1, 1000, "text last\nclose 1000\n");
	buf_clear(&in);
	put_frame(&in, FIN | CLOSE, "", 0);
	closes(&in, 1, 1005, "close 1005\n");
	buf_finish(&in);
}

static void
a_close_that_is_wrong_is_refused(void **state)
{
	(void)state;
	breaks_frame(FIN | CLOSE, "\x03", 1, 1002);
	breaks_frame(FIN | CLOSE, "\x00\x00", 2, 1002);
	breaks_frame(FIN | CLOSE, "\x03\xed", 2, 1002); /* 1005 */
	breaks_frame(FIN | CLOSE, "\x03\xee", 2, 1002); /* 1006 */
	breaks_frame(FIN | CLOSE, "\xff\xff", 2, 1002);
	breaks_frame(FIN | CLOSE, "\x03\xe8\xff", 3, 1007);
}

static void
a_close_of_ours_is_sent_once_and_ends_the_messages(void **state)
{
	struct buf in;
	struct side s;

	(void)state;
	buf_init(&in, SIZE_MAX);
	begin(&s);
	ws_close(s.ws, 4001, "your token has ended");
	ws_close(s.ws, 1000, "again");
	ws_send(s.ws, false, NULL, 0, "late", 4);
	assert_int_equal(status_sent(&s.out), 4001);
	assert_memory_equal(s.out.data + 4, "your token has ended", 20);
	put_frame(&in, FIN | TEXT, "late", 4);
	assert_int_equal(ws_feed(s.ws, in.data, in.len), 0);
	buf_clear(&in);
	put_frame(&in, FIN | CLOSE, "\x0f\xa1", 2);
	assert_int_equal(ws_feed(s.ws, in.data, in.len), 1);
	assert_int_equal(status_sent(&s.out), 4001);
	must_have_seen(&s, "close 4001\n");
	finish(&s);
	buf_finish(&in);
}

static void
a_reason_is_cut_to_fit_a_control_frame(void **state)
{
	char reason[200];
	struct side s;

	(void)state;
	memset(reason, 'r', sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = '\0';
	begin(&s);
	ws_close(s.ws, 1000, reason);
	assert_int_equal(s.out.data[1], 125);
	assert_int_equal(status_sent(&s.out), 1000);
	finish(&s);
}

static void
a_handler_may_close_or_destroy(void **state)
{
	struct buf in;

	(void)state;
	buf_init(&in, SIZE_MAX);
	put_frame(&in, FIN | TEXT, "one", 3);
	put_frame(&in, FIN | PING, "x", 1);
	put_frame(&in, FIN | TEXT, "two", 3);
	put_frame(&in, FIN | CLOSE, "", 0);
	for (int destroys = 0; destroys < 2; destroys++) {
		struct side s;

		begin(&s);
		s.destroys = destroys;
		s.closes = !destroys;
		assert_int_equal(ws_feed(s.ws, in.data, in.len),
		    destroys ? -EPROTO : 1);
		must_have_seen(&s,
		    destroys ? "text one\n" : "text one\nclose 1005\n");
		assert_int_equal(status_sent(&s.out), destroys ? 0 : 1000);
		finish(&s);
	}
	buf_finish(&in);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_upgrade_is_answered_with_its_key),
		cmocka_unit_test(upgrades_that_are_wrong_are_refused),
		cmocka_unit_test(messages_arrive_whole),
		cmocka_unit_test(a_ping_is_answered_with_its_bytes),
		cmocka_unit_test(
		    messages_to_the_client_have_the_shortest_length),
		cmocka_unit_test(a_message_that_does_not_fit_is_left_out_whole),
		cmocka_unit_test(
		    a_message_beyond_the_maximum_is_refused_by_its_head),
		cmocka_unit_test(the_maximum_can_be_raised),
		cmocka_unit_test(frames_that_break_the_protocol_are_refused),
		cmocka_unit_test(a_message_inside_another_is_refused),
		cmocka_unit_test(text_that_is_no_utf8_is_refused),
		cmocka_unit_test(floods_of_frames_without_content_end),
		cmocka_unit_test(a_close_is_answered_with_its_code),
		cmocka_unit_test(a_close_that_is_wrong_is_refused),
		cmocka_unit_test(
		    a_close_of_ours_is_sent_once_and_ends_the_messages),
		cmocka_unit_test(a_reason_is_cut_to_fit_a_control_frame),
		cmocka_unit_test(a_handler_may_close_or_destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
