#ifndef TEND_VT_KEY_SEQ_H
#define TEND_VT_KEY_SEQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vt/key.h"
#include "vt/mouse.h"

/* The kinds of complete sequences from a terminal. */
enum key_seq_kind {
	KEY_SEQ_UNKNOWN,
	KEY_SEQ_KEY,
	KEY_SEQ_MOUSE,
	KEY_SEQ_FOCUS_IN,
	KEY_SEQ_FOCUS_OUT,
	KEY_SEQ_PASTE, /* the beginning of a bracketed paste */
	KEY_SEQ_REPLY,
};

/* Answers a terminal gives to questions, and reports that were asked for. */
enum key_reply_kind {
	KEY_REPLY_CPR,          /* CSI row ; column R */
	KEY_REPLY_DECXCPR,      /* CSI ? row ; column ; page R */
	KEY_REPLY_DA1,          /* CSI ? … c */
	KEY_REPLY_DA2,          /* CSI > … c */
	KEY_REPLY_DA3,          /* DCS ! | … ST */
	KEY_REPLY_DSR,          /* CSI … n */
	KEY_REPLY_SCHEME,       /* CSI ? 997 ; n n: 1 dark, 2 light */
	KEY_REPLY_DECRPM,       /* CSI [?] mode ; state $ y */
	KEY_REPLY_WINDOW,       /* CSI … t */
	KEY_REPLY_RESIZE,       /* CSI 48 ; rows ; columns ; height ; width t */
	KEY_REPLY_KITTY_FLAGS,  /* CSI ? flags u */
	KEY_REPLY_MODIFY_OTHER, /* CSI > 4 ; level m */
	KEY_REPLY_GRAPHICS,     /* CSI ? … S */
	KEY_REPLY_COLOR,        /* OSC 4, 10 to 19 */
	KEY_REPLY_OSC,          /* any other OSC: clipboard, … */
	KEY_REPLY_XTVERSION,    /* DCS > | … ST */
	KEY_REPLY_DECRQSS,      /* DCS n $ r … ST */
	KEY_REPLY_XTGETTCAP,    /* DCS n + r … ST */
	KEY_REPLY_KITTY_GRAPHICS, /* APC G … ST */
};

#define KEY_SEQ_PARAMS 32

/* A reply: its bytes as they came and, of a CSI, its numbers. */
struct key_reply {
	enum key_reply_kind kind;
	const uint8_t *raw;
	size_t len;
	uint32_t params[KEY_SEQ_PARAMS];
	unsigned nparams;
};

struct key_seq {
	enum key_seq_kind kind;
	union {
		struct key key;
		struct mouse_event mouse;
		struct key_reply reply;
	} u;
};

/* Context that the bytes do not contain. */
struct key_seq_hints {
	enum mouse_format mouse_format; /* what the terminal was asked for */
	bool cpr; /* a cursor report is due: CSI 1 ; 2 R is one, not S-F3 */
};

/*
 * Say what a whole sequence means, from its ESC to its last byte.  Knows
 * xterm, kitty, modifyOtherKeys in both formats, rxvt, and the Linux console.
 */
void key_seq_read(const uint8_t *p, size_t len,
    const struct key_seq_hints *hints, struct key_seq *out);

#endif
