/*
 * Hostile bytes from a client over a WebSocket.  The first byte chooses how the
 * rest is cut; the messages and the end are the same as for all of it at once, but
 * for pongs right before an error.  If a close frame has two errors, either may
 * be reported, and one in its reason only when it is complete.  A second reader, below, finds the same messages in the bytes.
 */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "web/ws.h"

#define MAX 512
#define INPUT_MAX 5000 /* with fewer than WS_CONTROLS_MAX frames */

/* ---------------------------------------------------------- a second reader */

struct reading {
	const uint8_t *p;
	size_t len, at;
	struct buf message;
	unsigned opcode; /* of the message; 0: none has begun */
	struct buf *seen;
	bool cut; /* it ends inside a close frame */
};

struct frame {
	bool fin;
	unsigned opcode;
	uint64_t len;
	const uint8_t *mask;
};

static void
put_message(struct buf *b, bool binary, const uint8_t *p, size_t len)
{
	buf_printf(b, "%d %zu ", binary, len);
	buf_append(b, p, len);
}

/* The head of the next frame; false if it is incomplete or wrong. */
static bool
read_head(struct reading *r, struct frame *f)
{
	const uint8_t *p = r->p + r->at;
	size_t left = r->len - r->at, n = 2;

	if (left < 2 || (p[0] & 0x70) != 0 || (p[1] & 0x80) == 0)
		return false;
	f->fin = (p[0] & 0x80) != 0;
	f->opcode = p[0] & 15;
	f->len = p[1] & 0x7f;
	if (f->len > 125)
		n = f->len == 126 ? 4 : 10;
	if (left < n + 4)
		return false;
	if (n > 2)
		f->len = 0;
	for (size_t i = 2; i < n; i++)
		f->len = f->len << 8 | p[i];
	f->mask = p + n;
	r->at += n + 4;
	return f->len >> 63 == 0 && (n != 4 || f->len > 125) &&
	    (n != 10 || f->len > UINT16_MAX);
}

static bool
is_allowed(const struct reading *r, const struct frame *f)
{
	if (f->opcode >= 8)
		return f->opcode <= 10 && f->fin && f->len <= 125;
	if (f->opcode > 2 || (f->opcode == 0) != (r->opcode != 0))
		return false;
	return f->len <= MAX - r->message.len;
}

static void
unmask(const struct reading *r, const struct frame *f, struct buf *out)
{
	for (size_t i = 0; i < f->len; i++)
		buf_putc(out, (char)(r->p[r->at + i] ^ f->mask[i % 4]));
}

/* False after the last frame that counts. */
static bool
read_frame(struct reading *r)
{
	struct frame f;

	if (!read_head(r, &f) || !is_allowed(r, &f))
		return false;
	r->cut = f.opcode == 8 && f.len > r->len - r->at;
	if (f.opcode == 8 || f.len > r->len - r->at)
		return false;
	if (f.opcode < 8) {
		if (f.opcode != 0)
			r->opcode = f.opcode;
		unmask(r, &f, &r->message);
	}
	r->at += (size_t)f.len;
	if (f.opcode >= 8 || !f.fin)
		return true;
	if (r->opcode == 1 && !utf8_valid(r->message.data, r->message.len))
		return false;
	put_message(r->seen, r->opcode == 2, r->message.data, r->message.len);
	buf_clear(&r->message);
	r->opcode = 0;
	return true;
}

/* --------------------------------------------------------------------- ours */

static void
on_message(void *arg, bool binary, const uint8_t *p, size_t len)
{
	put_message(arg, binary, p, len);
}

static void
on_close(void *arg, unsigned code)
{
	(void)arg;
	MUST(code >= 1000 && code < 5000);
}

/*
 * Frames to the client are whole, and nothing follows a close: leave the close
 * alone in the buffer.
 */
static void
keep_close(struct buf *out)
{
	size_t at = 0, size = 0;

	while (at < out->len) {
		const uint8_t *f = out->data + at;

		MUST(out->len - at >= 2);
		MUST(f[0] == (0x80 | 8) || f[0] == (0x80 | 10));
		MUST(f[1] <= 125 && out->len - at >= 2u + f[1]);
		size = 2u + f[1];
		if (f[0] == (0x80 | 8))
			break;
		at += size;
	}
	MUST(at == out->len || at + size == out->len);
	buf_consume(out, at);
	if (out->len >= 4 &&
	    (get_u16be(out->data + 2) == 1002 ||
		get_u16be(out->data + 2) == 1007)) {
		buf_clear(out);
		buf_puts(out, "broken");
	}
}

/* Feed it in pieces of a size that depends on the seed; 0: all at once. */
static int
feed(const uint8_t *p, size_t len, unsigned seed, struct buf *seen,
    struct buf *out)
{
	static const struct ws_handlers handlers = { on_message, on_close };
	struct ws *w;
	int rc = 0;

	buf_init(seen, SIZE_MAX);
	buf_init(out, SIZE_MAX);
	w = ws_create(MAX, &handlers, seen, out);
	for (size_t at = 0, n; at < len && rc == 0; at += n) {
		seed = seed * 1103515245 + 12345;
		n = seed == 12345 ? len : 1 + (seed >> 16) % 17;
		n = n < len - at ? n : len - at;
		rc = ws_feed(w, p + at, n);
	}
	ws_destroy(w);
	keep_close(out);
	return rc;
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	struct buf whole, cut, again, whole_out, cut_out;
	struct reading r = { .p = p + 1, .len = len - 1, .seen = &again };
	int one, many;

	if (len == 0 || len > INPUT_MAX)
		return 0;
	buf_init(&again, SIZE_MAX);
	buf_init(&r.message, MAX);
	while (read_frame(&r))
		continue;
	one = feed(p + 1, len - 1, 0, &whole, &whole_out);
	many = feed(p + 1, len - 1, 1 + p[0], &cut, &cut_out);
	MUST(r.cut || (one == many && buf_equals(&whole_out, &cut_out)));
	MUST(buf_equals(&whole, &again) && buf_equals(&cut, &again));
	buf_finish(&r.message);
	buf_finish(&again);
	buf_finish(&whole);
	buf_finish(&cut);
	buf_finish(&whole_out);
	buf_finish(&cut_out);
	return 0;
}
