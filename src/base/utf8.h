#ifndef TEND_BASE_UTF8_H
#define TEND_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xFFFDu

/*
 * A decoder that takes a byte at a time and so does not care how the bytes
 * were cut.  All zero is its start.  A broken sequence gives one U+FFFD for
 * each maximal subpart, as the Unicode standard recommends and every browser's
 * TextDecoder does: "\xE2\x82A" is U+FFFD, 'A'.
 */
struct utf8 {
	uint32_t cp;  /* bits gathered so far */
	uint8_t need; /* bytes still missing; 0 between characters */
	uint8_t lo;   /* range that the next byte must be in */
	uint8_t hi;
};

enum utf8_step {
	UTF8_MORE,      /* the character is not complete */
	UTF8_DONE,      /* *cp is the character */
	UTF8_BAD,       /* *cp is U+FFFD; the byte is used up */
	UTF8_BAD_AGAIN, /* *cp is U+FFFD; give the same byte again */
};

/* *cp is untouched by UTF8_MORE. */
enum utf8_step utf8_step(struct utf8 *u, uint8_t byte, uint32_t *cp);

/*
 * Write the bytes of cp and return their number, 1 to 4.  A surrogate, or a
 * value above U+10FFFF, becomes U+FFFD.
 */
size_t utf8_encode(char out[4], uint32_t cp);

/*
 * True if a terminal that is given the character does something else than to
 * show it: controls (C0, DEL, C1), what turns the direction of text around, and
 * what breaks a line.  A stranger's text is shown without these.
 */
bool utf8_acts(uint32_t cp);

/* True if the bytes are complete, well-formed UTF-8. */
bool utf8_valid(const void *p, size_t len);

#endif
