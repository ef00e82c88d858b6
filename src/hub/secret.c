#include "hub/secret.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/buf.h"
#include "base/base64.h"
#include "base/mem.h"
#include "base/sha256.h"

void
secret_make(const char *prefix, char out[SECRET_SIZE])
{
	uint8_t bytes[32];
	auto_free char *text = NULL;
	struct buf b;

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		abort(); /* a weak secret is worse than none */
	buf_init(&b, 128);
	base64_encode(&b, bytes, sizeof(bytes));
	text = buf_take(&b);
	/* As in a URL, and without the padding. */
	for (char *p = text; *p != '\0'; p++) {
		if (*p == '+')
			*p = '-';
		else if (*p == '/')
			*p = '_';
		else if (*p == '=')
			*p = '\0';
	}
	snprintf(out, SECRET_SIZE, "%s%s", prefix, text);
	explicit_bzero(bytes, sizeof(bytes));
}

void
secret_hash(const char *secret, uint8_t out[SECRET_HASH])
{
	struct sha256 s;

	sha256_init(&s);
	sha256_update(&s, secret, strlen(secret));
	sha256_final(&s, out);
}

bool
secret_equals(const uint8_t a[SECRET_HASH], const uint8_t b[SECRET_HASH])
{
	unsigned differ = 0;

	for (unsigned i = 0; i < SECRET_HASH; i++)
		differ |= (unsigned)(a[i] ^ b[i]);
	return differ == 0;
}
