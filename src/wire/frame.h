#ifndef TEND_WIRE_FRAME_H
#define TEND_WIRE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Frames as docs/protocol.md lists them: type u8, length u32 BE, payload. */
#define FRAME_HEADER 5
#define FRAME_MAX_HOST (16u << 20) /* from a host */
#define FRAME_MAX_CLIENT (1u << 20)
#define FRAME_LINE_MAX (16u << 10) /* the first line, with its newline */

enum frame_type {
#define FRAME(number, NAME, name, client, host) FRAME_##NAME = number,
#include "wire/frames.def"
#undef FRAME
};

struct frame {
	uint8_t type;
	uint32_t len;
	const uint8_t *payload;
};

void frame_header(uint8_t out[FRAME_HEADER], uint8_t type, uint32_t len);

enum frame_state { FRAME_WHOLE, FRAME_PART, FRAME_TOO_LONG };

/* The frame at p, of which there are len bytes; no payload above max. */
enum frame_state frame_parse(const uint8_t *p, size_t len, uint32_t max,
    struct frame *out);

const char *frame_name(unsigned type); /* NULL for an unknown one */
/* True if this side may send it; unknown types may not. */
bool frame_from_client(unsigned type);
bool frame_from_host(unsigned type);

/*
 * Payloads of fixed shape.  Getters: false, with nothing set, when the frame is
 * not of that type or shape.
 */
struct frame_screen {
	uint64_t offset, seq;
	uint16_t cols, rows;
	uint8_t form; /* enum frame_form */
};
enum frame_form { FRAME_FORM_ANSI, FRAME_FORM_KEYFRAME };
#define FRAME_OUTPUT_PREFIX 8
#define FRAME_SCREEN_PREFIX 21

enum frame_gap_why {
	FRAME_GAP_SLOW = 1,
	FRAME_GAP_UNLOGGED,
	FRAME_GAP_TRIMMED,
	FRAME_GAP_DAMAGED,
};

struct frame_gap {
	uint64_t from, to;
	uint8_t why;
};

enum input_kind {
	INPUT_TEXT = 1,
	INPUT_KEY,
	INPUT_PASTE,
	INPUT_BYTES,
	INPUT_MOUSE,
	INPUT_FOCUS,
};
enum input_flags { INPUT_SECRET = 1 << 0 };

struct frame_input {
	uint64_t id;
	uint8_t kind;
	uint8_t flags;
	const uint8_t *p;
	size_t len;
};
#define FRAME_INPUT_PREFIX 10

enum taken_status {
	TAKEN_WRITTEN,
	TAKEN_READ_ONLY,
	TAKEN_LEASED,
	TAKEN_FULL,
	TAKEN_ENDED,
	TAKEN_NOTHING,
	TAKEN_MALFORMED,
};

struct frame_taken {
	uint64_t id, seq;
	uint8_t status;
};

struct buf;
struct key;
struct mouse_event;

/* Append whole frames; 0 or -ENOBUFS with nothing appended. */
int frame_put(struct buf *b, uint8_t type, const void *p, size_t len);
int frame_put_output(struct buf *b, uint64_t offset, const void *p, size_t len);
int frame_put_screen(struct buf *b, const struct frame_screen *s, const void *p,
    size_t len);
int frame_put_gap(struct buf *b, const struct frame_gap *g);
int frame_put_input(struct buf *b, const struct frame_input *in);
int frame_put_key(struct buf *b, uint64_t id, const struct key *k);
int frame_put_mouse(struct buf *b, uint64_t id, const struct mouse_event *ev);
int frame_put_taken(struct buf *b, const struct frame_taken *t);
int frame_put_resize(struct buf *b, unsigned cols, unsigned rows);
int frame_put_u64(struct buf *b, uint8_t type, uint64_t v); /* SEEN */

bool frame_output(const struct frame *f, uint64_t *offset, const uint8_t **p,
    size_t *len);
bool frame_screen(const struct frame *f, struct frame_screen *s,
    const uint8_t **p, size_t *len);
bool frame_gap(const struct frame *f, struct frame_gap *g);
bool frame_input(const struct frame *f, struct frame_input *in);
bool frame_taken(const struct frame *f, struct frame_taken *t);
bool frame_resize(const struct frame *f, unsigned *cols, unsigned *rows);
bool frame_u64(const struct frame *f, uint64_t *v); /* of any type */
bool frame_view(const struct frame *f, bool *visible);

/*
 * Read an INPUT of kind KEY, MOUSE or FOCUS; false if it is malformed or of
 * another kind.  A key comes in its canonical form.
 */
bool input_key(const struct frame_input *in, struct key *k);
bool input_mouse(const struct frame_input *in, struct mouse_event *ev);
bool input_focus(const struct frame_input *in, bool *focused);

#endif
