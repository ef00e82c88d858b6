#ifndef TEND_VT_PARSER_H
#define TEND_VT_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/utf8.h"

/*
 * Bytes to text and sequences, after the state machine that Paul Williams drew
 * for DEC's terminals (vt100.net/emu/dec_ansi_parser).  It differs:
 *
 *  - The bytes are UTF-8 throughout.  U+0080..U+009F are the C1 controls;
 *    as single bytes they are invalid.
 *  - A parameter may have sub-parameters, joined by ':'.
 *  - OSC also ends with BEL.  A string that ESC and something other than '\'
 *    follows was cut off and has no effect.
 *  - A character that is not ASCII ends a sequence it cannot be part of, and
 *    is then shown.
 *  - SOS, PM and APC are swallowed.
 *
 * Limits: parameters beyond SEQ_ARGS_MAX are dropped and values cut to
 * SEQ_ARG_MAX; a string longer than SEQ_STRING_MAX is swallowed to its end and
 * has no effect.
 */
#define SEQ_ARGS_MAX 32
#define SEQ_ARG_MAX 65535
#define SEQ_STRING_MAX (64 << 10)

struct seq {
	uint8_t private;      /* '<' '=' '>' '?', or 0 */
	uint8_t intermediate; /* 0x20..0x2f, 0, or SEQ_INTERMEDIATES */
	uint8_t final;
	uint8_t nargs;               /* at least 1 */
	bool bare;                   /* CSI: no parameter was written */
	bool bel;                    /* OSC: ended with BEL, not ST */
	uint16_t args[SEQ_ARGS_MAX]; /* 0 when left out; OSC: its number */
	uint32_t sub;                /* bit i: args[i] is a sub-parameter */
	const char *str; /* OSC, DCS: NUL-terminated, may hold anything */
	size_t len;
};

/* More than one intermediate: nothing we know has that. */
#define SEQ_INTERMEDIATES 0xff

/* The i-th parameter, or fallback when it is 0 or left out. */
static inline unsigned
seq_arg(const struct seq *s, unsigned i, unsigned fallback)
{
	return i < s->nargs && s->args[i] != 0 ? s->args[i] : fallback;
}

/*
 * Characters beyond ASCII, and single ones of it in between, both as code
 * points and as UTF-8: cps[i] is the bytes from utf8 + at[i] to at[i + 1].
 */
struct text {
	const uint32_t *cps;
	size_t n; /* at least 1 */
	const uint8_t *utf8;
	const uint16_t *at; /* n + 1 of them */
};

/* The callbacks of the parser.  All are required. */
struct parser_ops {
	void (*ascii)(void *arg, const uint8_t *p, size_t len);
	void (*text)(void *arg, const struct text *text);
	void (*control)(void *arg, uint8_t code); /* C0, C1 */
	void (*esc)(void *arg, const struct seq *seq);
	void (*csi)(void *arg, const struct seq *seq);
	void (*osc)(void *arg, const struct seq *seq);
	void (*dcs)(void *arg, const struct seq *seq);
};

enum parser_state {
	PARSER_GROUND,
	PARSER_ESC,
	PARSER_CSI,
	PARSER_CSI_IGNORE,
	PARSER_DCS,     /* up to its final byte */
	PARSER_STRING,  /* of OSC or DCS */
	PARSER_SWALLOW, /* SOS, PM, APC, and DCS that went wrong */
	PARSER_STATES
};

struct parser {
	const struct parser_ops *ops;
	void *arg;
	enum parser_state state;
	struct utf8 utf8; /* a character that is not complete */
	struct seq seq;
	bool is_osc;   /* whose string it is */
	bool started;  /* CSI, DCS: past the place for a private marker */
	bool overflow; /* the string, or the parameters, are too long */
	bool escaped;  /* in a string: ESC came, '\' may follow */
	bool lead_c2;  /* in a string: C2 came, and with 9C makes U+009C */
	bool stop;     /* parser_stop() was called */
	char *string;
	size_t string_len, string_cap;
};

void parser_init(struct parser *ps, const struct parser_ops *ops, void *arg);
void parser_finish(struct parser *ps);

/* Returns how many bytes were taken: all, unless it was stopped. */
size_t parser_feed(struct parser *ps, const uint8_t *p, size_t len);

/* From inside an operation: return right after this sequence. */
void parser_stop(struct parser *ps);

/* Put back the string of an unfinished sequence.  0 or -EINVAL. */
int parser_set_string(struct parser *ps, const void *p, size_t len);

#endif
