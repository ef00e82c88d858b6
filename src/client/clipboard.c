#include "client/clipboard.h"

#include <stdint.h>

#include "base/buf.h"

/* Base64 of RFC 4648. */
static void
put_base64(struct buf *out, const uint8_t *p, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		uint32_t three = (uint32_t)p[i] << 16;

		if (i + 1 < len)
			three |= (uint32_t)p[i + 1] << 8;
		if (i + 2 < len)
			three |= p[i + 2];
		buf_putc(out, digits[three >> 18]);
		buf_putc(out, digits[three >> 12 & 63]);
		buf_putc(out, i + 1 < len ? digits[three >> 6 & 63] : '=');
		buf_putc(out, i + 2 < len ? digits[three & 63] : '=');
	}
}

void
clipboard_put(struct buf *out, const void *p, size_t len)
{
	buf_puts(out, "\033]52;c;");
	put_base64(out, p, len);
	buf_puts(out, "\033\\");
}
