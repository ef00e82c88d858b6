#ifndef TEND_VT_KEY_DECODE_H
#define TEND_VT_KEY_DECODE_H

#include "base/utf8.h"
#include "vt/key_seq.h"

/*
 * Decodes the bytes that a terminal sends to its program to key, mouse, paste
 * and focus events: the client's side of key_encode, mouse_encode, paste_encode and
 * focus_encode.
 *
 * However the bytes are cut, the events are the same, but for the pieces of a
 * paste.  A call may come from any event but must not feed the same decoder.
 * Pointers hold during the call only.  An event without a handler is dropped.
 */
enum key_paste { KEY_PASTE_BEGIN, KEY_PASTE_DATA, KEY_PASTE_END };

struct key_decoder_ops {
	/* In its canonical form. */
	void (*key)(void *arg, const struct key *k);
	void (*mouse)(void *arg, const struct mouse_event *ev);
	/*
	 * A bracketed paste: BEGIN, any number of DATA with the bytes exactly
	 * as they came, END.  Only DATA has bytes.  It is never gathered.
	 */
	void (*paste)(void *arg, enum key_paste what, const uint8_t *p,
	    size_t len);
	void (*focus)(void *arg, bool in);
	/* An answer of the terminal, which must not be typed anywhere. */
	void (*reply)(void *arg, const struct key_reply *r);
	/*
	 * Bytes without a meaning, unchanged: an unknown sequence, one that
	 * was cut off, broken UTF-8.  One that is
	 * longer than KEY_DECODER_MAX comes in pieces of that size.
	 */
	void (*unknown)(void *arg, const uint8_t *p, size_t len);
};

#define KEY_DECODER_MAX 1024

struct key_decoder {
	/* The caller may set these at any time. */
	enum mouse_format mouse_format; /* what its terminal was asked for */
	unsigned cpr_expected; /* cursor reports asked for and not come yet */

	/* The rest is the decoder's. */
	const struct key_decoder_ops *ops;
	void *arg;
	unsigned state;
	bool alt;        /* what is held began with two ESC */
	bool overflow;   /* the beginning was reported as unknown */
	uint8_t matched; /* bytes of the end of a paste seen */
	struct utf8 utf8;
	uint8_t missing; /* characters of a packed mouse report */
	size_t len;
	uint8_t held[KEY_DECODER_MAX];
};

/* ops and arg must outlive the decoder.  There is nothing to finish. */
void key_decoder_init(struct key_decoder *d, const struct key_decoder_ops *ops,
    void *arg);

void key_decoder_feed(struct key_decoder *d, const void *p, size_t len);

/*
 * An ESC may be the Escape key or the beginning of anything.  There is no
 * clock here: the caller asks what is held after each feed, waits as it sees
 * fit for more bytes, and then says that there are none.
 */
enum key_pending {
	KEY_PENDING_NOTHING,
	KEY_PENDING_KEY,      /* a key already (ESC, or M-[): wait shortly */
	KEY_PENDING_SEQUENCE, /* cut off in the middle: wait long, or on */
};

enum key_pending key_decoder_pending(const struct key_decoder *d);

/* No more bytes belong to what is held: report it as keys, or as unknown. */
void key_decoder_flush(struct key_decoder *d);

#endif
