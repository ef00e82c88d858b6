#ifndef TEND_BASE_SHA256_H
#define TEND_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE 32
#define SHA256_HEX_SIZE (2 * SHA256_SIZE + 1) /* with the NUL */

/* SHA-256 (FIPS 180-4) of bytes given in any number of pieces. */
struct sha256 {
	uint32_t h[8];
	uint64_t len;      /* bytes given so far */
	uint8_t block[64]; /* the len % 64 bytes not yet hashed */
};

void sha256_init(struct sha256 *s);
void sha256_update(struct sha256 *s, const void *p, size_t len);

/* Afterwards s must be begun again before it is used. */
void sha256_final(struct sha256 *s, uint8_t out[SHA256_SIZE]);

/* The digest in lower case hexadecimal, with a NUL. */
void sha256_hex(const uint8_t d[SHA256_SIZE], char out[SHA256_HEX_SIZE]);

#endif
