#ifndef TEND_VT_CHARSET_H
#define TEND_VT_CHARSET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The four sets that ASCII may stand for, and which of them is in use.  Known
 * are 'B' ASCII, 'A' British, '0' DEC line drawing, by the final byte of SCS;
 * all others count as ASCII.
 */
struct charsets {
	uint8_t set[4];  /* 'B', 'A' or '0' */
	uint8_t current; /* 0..3 */
	uint8_t single;  /* SS2, SS3: for one character; 0: none */
};

void charsets_init(struct charsets *c);

/* Name set n by its final byte.  False when it is not known. */
bool charsets_name(struct charsets *c, unsigned n, uint8_t final);

/* Whether ASCII is itself. */
bool charsets_plain(const struct charsets *c);

/* What an ASCII character stands for; uses up a single shift. */
uint32_t charsets_map(struct charsets *c, uint8_t ch);

#endif
