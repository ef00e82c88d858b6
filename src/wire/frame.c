#include "wire/frame.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "vt/key.h"
#include "vt/mouse.h"

#define GAP_SIZE 17
#define TAKEN_SIZE 17
#define KEY_PREFIX 14
#define MOUSE_SIZE 19

/* Names are in the table: a pointer is relocated, and so takes memory in each. */
static const struct frame_info {
	char name[10];
	bool client, host;
} frames[256] = {
#define FRAME(number, NAME, name, client, host) \
	[number] = { name, client, host },
#include "wire/frames.def"
#undef FRAME
};

const char *
frame_name(unsigned type)
{
	if (type >= 256 || frames[type].name[0] == '\0')
		return NULL;
	return frames[type].name;
}

bool
frame_from_client(unsigned type)
{
	return type < 256 && frames[type].client;
}

bool
frame_from_host(unsigned type)
{
	return type < 256 && frames[type].host;
}

void
frame_header(uint8_t out[FRAME_HEADER], uint8_t type, uint32_t len)
{
	out[0] = type;
	put_u32be(out + 1, len);
}

enum frame_state
frame_parse(const uint8_t *p, size_t len, uint32_t max, struct frame *out)
{
	uint32_t size;

	if (len < FRAME_HEADER)
		return FRAME_PART;
	size = get_u32be(p + 1);
	if (size > max)
		return FRAME_TOO_LONG;
	if (len - FRAME_HEADER < size)
		return FRAME_PART;
	*out = (struct frame){ p[0], size, p + FRAME_HEADER };
	return FRAME_WHOLE;
}

/* One whole frame: its header, a head of fixed shape, and the rest. */
static int
put(struct buf *b, uint8_t type, const uint8_t *head, size_t head_len,
    const void *p, size_t len)
{
	uint8_t *out;

	if (len > FRAME_MAX_HOST - head_len)
		return -ENOBUFS;
	out = buf_reserve(b, FRAME_HEADER + head_len + len);
	if (out == NULL)
		return -ENOBUFS;
	frame_header(out, type, (uint32_t)(head_len + len));
	if (head_len > 0)
		memcpy(out + FRAME_HEADER, head, head_len);
	if (len > 0)
		memcpy(out + FRAME_HEADER + head_len, p, len);
	buf_commit(b, FRAME_HEADER + head_len + len);
	return 0;
}

int
frame_put(struct buf *b, uint8_t type, const void *p, size_t len)
{
	return put(b, type, NULL, 0, p, len);
}

int
frame_put_output(struct buf *b, uint64_t offset, const void *p, size_t len)
{
	uint8_t head[FRAME_OUTPUT_PREFIX];

	put_u64be(head, offset);
	return put(b, FRAME_OUTPUT, head, sizeof(head), p, len);
}

int
frame_put_screen(struct buf *b, const struct frame_screen *s, const void *p,
    size_t len)
{
	uint8_t head[FRAME_SCREEN_PREFIX];

	put_u64be(head, s->offset);
	put_u64be(head + 8, s->seq);
	put_u16be(head + 16, s->cols);
	put_u16be(head + 18, s->rows);
	head[20] = s->form;
	return put(b, FRAME_SCREEN, head, sizeof(head), p, len);
}

int
frame_put_gap(struct buf *b, const struct frame_gap *g)
{
	uint8_t head[GAP_SIZE];

	put_u64be(head, g->from);
	put_u64be(head + 8, g->to);
	head[16] = g->why;
	return put(b, FRAME_GAP, head, sizeof(head), NULL, 0);
}

int
frame_put_input(struct buf *b, const struct frame_input *in)
{
	uint8_t head[FRAME_INPUT_PREFIX];

	put_u64be(head, in->id);
	head[8] = in->kind;
	head[9] = in->flags;
	return put(b, FRAME_INPUT, head, sizeof(head), in->p, in->len);
}

int
frame_put_key(struct buf *b, uint64_t id, const struct key *k)
{
	uint8_t p[KEY_PREFIX + KEY_TEXT_MAX];
	size_t len = strnlen(k->text, KEY_TEXT_MAX);
	struct frame_input in = { id, INPUT_KEY, 0, p, KEY_PREFIX + len };

	put_u32be(p, k->code);
	put_u32be(p + 4, k->shifted);
	put_u32be(p + 8, k->base);
	p[12] = k->mods;
	p[13] = (uint8_t)k->event;
	memcpy(p + KEY_PREFIX, k->text, len);
	return frame_put_input(b, &in);
}

int
frame_put_mouse(struct buf *b, uint64_t id, const struct mouse_event *ev)
{
	uint8_t p[MOUSE_SIZE];
	struct frame_input in = { id, INPUT_MOUSE, 0, p, sizeof(p) };

	p[0] = (uint8_t)ev->type;
	p[1] = (uint8_t)ev->button;
	p[2] = ev->mods;
	put_u32be(p + 3, ev->row);
	put_u32be(p + 7, ev->col);
	put_u32be(p + 11, ev->px);
	put_u32be(p + 15, ev->py);
	return frame_put_input(b, &in);
}

int
frame_put_taken(struct buf *b, const struct frame_taken *t)
{
	uint8_t head[TAKEN_SIZE];

	put_u64be(head, t->id);
	head[8] = t->status;
	put_u64be(head + 9, t->seq);
	return put(b, FRAME_TAKEN, head, sizeof(head), NULL, 0);
}

int
frame_put_resize(struct buf *b, unsigned cols, unsigned rows)
{
	uint8_t head[4];

	put_u16be(head, (uint16_t)cols);
	put_u16be(head + 2, (uint16_t)rows);
	return put(b, FRAME_RESIZE, head, sizeof(head), NULL, 0);
}

int
frame_put_u64(struct buf *b, uint8_t type, uint64_t v)
{
	uint8_t head[8];

	put_u64be(head, v);
	return put(b, type, head, sizeof(head), NULL, 0);
}

bool
frame_output(const struct frame *f, uint64_t *offset, const uint8_t **p,
    size_t *len)
{
	if (f->type != FRAME_OUTPUT || f->len < FRAME_OUTPUT_PREFIX)
		return false;
	*offset = get_u64be(f->payload);
	*p = f->payload + FRAME_OUTPUT_PREFIX;
	*len = f->len - FRAME_OUTPUT_PREFIX;
	return true;
}

bool
frame_screen(const struct frame *f, struct frame_screen *s, const uint8_t **p,
    size_t *len)
{
	const uint8_t *head = f->payload;

	if (f->type != FRAME_SCREEN || f->len < FRAME_SCREEN_PREFIX ||
	    head[20] > FRAME_FORM_KEYFRAME)
		return false;
	*s = (struct frame_screen){ get_u64be(head), get_u64be(head + 8),
		get_u16be(head + 16), get_u16be(head + 18), head[20] };
	*p = head + FRAME_SCREEN_PREFIX;
	*len = f->len - FRAME_SCREEN_PREFIX;
	return true;
}

bool
frame_gap(const struct frame *f, struct frame_gap *g)
{
	if (f->type != FRAME_GAP || f->len != GAP_SIZE ||
	    get_u64be(f->payload) > get_u64be(f->payload + 8))
		return false;
	*g = (struct frame_gap){ get_u64be(f->payload),
		get_u64be(f->payload + 8), f->payload[16] };
	return true;
}

bool
frame_input(const struct frame *f, struct frame_input *in)
{
	if (f->type != FRAME_INPUT || f->len < FRAME_INPUT_PREFIX)
		return false;
	*in = (struct frame_input){ get_u64be(f->payload), f->payload[8],
		f->payload[9], f->payload + FRAME_INPUT_PREFIX,
		f->len - FRAME_INPUT_PREFIX };
	return true;
}

bool
frame_taken(const struct frame *f, struct frame_taken *t)
{
	if (f->type != FRAME_TAKEN || f->len != TAKEN_SIZE)
		return false;
	*t = (struct frame_taken){ .id = get_u64be(f->payload),
		.status = f->payload[8],
		.seq = get_u64be(f->payload + 9) };
	return true;
}

bool
frame_resize(const struct frame *f, unsigned *cols, unsigned *rows)
{
	if (f->type != FRAME_RESIZE || f->len != 4)
		return false;
	*cols = get_u16be(f->payload);
	*rows = get_u16be(f->payload + 2);
	return true;
}

bool
frame_u64(const struct frame *f, uint64_t *v)
{
	if (f->len != 8)
		return false;
	*v = get_u64be(f->payload);
	return true;
}

bool
frame_view(const struct frame *f, bool *visible)
{
	if (f->type != FRAME_VIEW || f->len != 1)
		return false;
	*visible = f->payload[0] != 0;
	return true;
}

/* The key must be one, or none with a text: what an input method made. */
bool
input_key(const struct frame_input *in, struct key *k)
{
	size_t len = in->len - KEY_PREFIX;
	struct key key = { 0 };

	if (in->kind != INPUT_KEY || in->len < KEY_PREFIX ||
	    len >= KEY_TEXT_MAX || in->p[13] > KEY_RELEASE ||
	    !utf8_valid(in->p + KEY_PREFIX, len) ||
	    memchr(in->p + KEY_PREFIX, '\0', len) != NULL)
		return false;
	key.code = get_u32be(in->p);
	key.shifted = get_u32be(in->p + 4);
	key.base = get_u32be(in->p + 8);
	key.mods = in->p[12];
	key.event = (enum key_event)in->p[13];
	memcpy(key.text, in->p + KEY_PREFIX, len);
	if (!key_is_valid(&key) && (key.code != KEY_NONE || len == 0))
		return false;
	key_canonical(&key);
	*k = key;
	return true;
}

bool
input_mouse(const struct frame_input *in, struct mouse_event *ev)
{
	const uint8_t *p = in->p;

	if (in->kind != INPUT_MOUSE || in->len != MOUSE_SIZE ||
	    p[0] > MOUSE_SCROLL || p[1] >= MOUSE_BUTTONS)
		return false;
	*ev = (struct mouse_event){ (enum mouse_type)p[0],
		(enum mouse_button)p[1], p[2], get_u32be(p + 3),
		get_u32be(p + 7), get_u32be(p + 11), get_u32be(p + 15) };
	return true;
}

bool
input_focus(const struct frame_input *in, bool *focused)
{
	if (in->kind != INPUT_FOCUS || in->len != 1)
		return false;
	*focused = in->p[0] != 0;
	return true;
}
