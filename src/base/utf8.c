#include "base/utf8.h"

/* Begin a sequence that wants `need` more bytes, the next within lo..hi. */
static enum utf8_step
begin(struct utf8 *u, uint32_t bits, uint8_t need, uint8_t lo, uint8_t hi)
{
	u->cp = bits;
	u->need = need;
	u->lo = lo;
	u->hi = hi;
	return UTF8_MORE;
}

/*
 * The ranges of the second byte keep out what is overlong (E0, F0), the
 * surrogates (ED) and what is above U+10FFFF (F4).
 */
static enum utf8_step
first(struct utf8 *u, uint8_t byte, uint32_t *cp)
{
	if (byte < 0x80) {
		*cp = byte;
		return UTF8_DONE;
	}
	if (byte >= 0xC2 && byte <= 0xDF)
		return begin(u, byte & 0x1Fu, 1, 0x80, 0xBF);
	if (byte >= 0xE0 && byte <= 0xEF)
		return begin(u, byte & 0x0Fu, 2, byte == 0xE0 ? 0xA0 : 0x80,
		    byte == 0xED ? 0x9F : 0xBF);
	if (byte >= 0xF0 && byte <= 0xF4)
		return begin(u, byte & 0x07u, 3, byte == 0xF0 ? 0x90 : 0x80,
		    byte == 0xF4 ? 0x8F : 0xBF);
	*cp = UTF8_REPLACEMENT;
	return UTF8_BAD;
}

enum utf8_step
utf8_step(struct utf8 *u, uint8_t byte, uint32_t *cp)
{
	if (u->need == 0)
		return first(u, byte, cp);
	if (byte < u->lo || byte > u->hi) {
		u->need = 0;
		*cp = UTF8_REPLACEMENT;
		return UTF8_BAD_AGAIN;
	}
	u->cp = u->cp << 6 | (byte & 0x3Fu);
	u->lo = 0x80;
	u->hi = 0xBF;
	if (--u->need > 0)
		return UTF8_MORE;
	*cp = u->cp;
	return UTF8_DONE;
}

static char
tail(uint32_t cp, unsigned shift)
{
	return (char)(0x80 | (cp >> shift & 0x3F));
}

size_t
utf8_encode(char out[4], uint32_t cp)
{
	if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		cp = UTF8_REPLACEMENT;
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xC0 | cp >> 6);
		out[1] = tail(cp, 0);
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xE0 | cp >> 12);
		out[1] = tail(cp, 6);
		out[2] = tail(cp, 0);
		return 3;
	}
	out[0] = (char)(0xF0 | cp >> 18);
	out[1] = tail(cp, 12);
	out[2] = tail(cp, 6);
	out[3] = tail(cp, 0);
	return 4;
}

bool
utf8_acts(uint32_t cp)
{
	if (cp < 0xA0)
		return cp < 0x20 || cp >= 0x7F;
	return cp == 0x061C || cp == 0x200E || cp == 0x200F ||
	    (cp >= 0x2028 && cp <= 0x202E) || (cp >= 0x2066 && cp <= 0x2069);
}

bool
utf8_valid(const void *p, size_t len)
{
	const uint8_t *bytes = p;
	struct utf8 u = { 0 };
	uint32_t cp;

	for (size_t i = 0; i < len; i++) {
		enum utf8_step step = utf8_step(&u, bytes[i], &cp);

		if (step == UTF8_BAD || step == UTF8_BAD_AGAIN)
			return false;
	}
	return u.need == 0;
}
