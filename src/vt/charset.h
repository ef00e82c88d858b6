#ifndef TEND_VT_CHARSET_H
#define TEND_VT_CHARSET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The four sets that ASCII may stand for, and which of them is in use.  Known
 * are 'B' ASCII, 'A' British, '0' DEC line drawing, by the final byte of SCS.
 */
struct charsets {
	uint8_t set[4];  /* 'B', 'A' or '0' */
	uint8_t current; /* 0..3 */
	uint8_t single;  /* SS2, SS3: for one character; 0: none */
};

void charsets_init(struct charsets *c);

/* Name set n by its final byte.  False when it is not known. */
bool charsets_name(struct charsets *c, unsigned n, uint8_t final);

/* True if ASCII is not translated. */
static inline bool
charsets_plain(const struct charsets *c)
{
	return c->set[c->current] == 'B' && c->single == 0;
}

/* Translate an ASCII character; uses up a single shift. */
uint32_t charsets_map(struct charsets *c, uint8_t ch);

#endif
