#include "base/base64.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "abcdefghijklmnopqrstuvwxyz0123456789+/";

void
base64_encode(struct buf *out, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	for (; len > 0; p += 3, len -= len < 3 ? len : 3) {
		uint32_t v = (uint32_t)p[0] << 16 |
		    (len > 1 ? (uint32_t)p[1] << 8 : 0) | (len > 2 ? p[2] : 0u);

		buf_putc(out, digits[v >> 18]);
		buf_putc(out, digits[v >> 12 & 63]);
		buf_putc(out, len > 1 ? digits[v >> 6 & 63] : '=');
		buf_putc(out, len > 2 ? digits[v & 63] : '=');
	}
}

static int
digit(char c)
{
	const char *at = c != '\0' ? strchr(digits, c) : NULL;

	return at != NULL ? (int)(at - digits) : -1;
}

/* Without the = that fill up the last group; -EINVAL for a wrong number. */
static ssize_t
without_padding(const char *p, size_t len)
{
	size_t n = len;

	while (n > 0 && len - n < 2 && p[n - 1] == '=')
		n--;
	if (n % 4 == 1 || (n < len && len % 4 != 0))
		return -EINVAL;
	return (ssize_t)n;
}

ssize_t
base64_decode(const char *p, size_t len, void *out, size_t max)
{
	ssize_t n = without_padding(p, len);
	uint8_t *to = out;
	uint32_t bits = 0;
	size_t done = 0;

	for (ssize_t i = 0; i < n; i++) {
		int d = digit(p[i]);

		if (d < 0)
			return -EINVAL;
		bits = bits << 6 | (uint32_t)d;
		if (i % 4 == 0)
			continue;
		if (done == max)
			return -E2BIG;
		to[done++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
	}
	return n < 0 ? n : (ssize_t)done;
}
