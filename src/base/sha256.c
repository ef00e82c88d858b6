#include "base/sha256.h"

#include <string.h>

#define BLOCK 64

/* Fractional parts of the cube roots of the first 64 primes. */
/* clang-format off */
static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
/* clang-format on */

static uint32_t
rotr(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static uint32_t
get_u32be(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | p[3];
}

static void
put_u32be(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

/* Spread the block's 16 words over the 64 rounds. */
static void
schedule(uint32_t w[64], const uint8_t block[BLOCK])
{
	for (int i = 0; i < 16; i++)
		w[i] = get_u32be(block + 4 * i);
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] +
		    (rotr(a, 7) ^ rotr(a, 18) ^ a >> 3) +
		    (rotr(b, 17) ^ rotr(b, 19) ^ b >> 10);
	}
}

/* One round; v is a..h, moved down a place. */
static void
mix(uint32_t v[8], uint32_t kw)
{
	uint32_t a = v[0], e = v[4];
	uint32_t t1 = v[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
	    ((e & v[5]) ^ (~e & v[6])) + kw;
	uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) +
	    ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

	memmove(v + 1, v, 7 * sizeof(*v));
	v[4] += t1;
	v[0] = t1 + t2;
}

static void
hash_block(struct sha256 *s, const uint8_t block[BLOCK])
{
	uint32_t w[64], v[8];

	schedule(w, block);
	memcpy(v, s->h, sizeof(v));
	for (int i = 0; i < 64; i++)
		mix(v, k[i] + w[i]);
	for (int i = 0; i < 8; i++)
		s->h[i] += v[i];
}

void
sha256_init(struct sha256 *s)
{
	/* Fractional parts of the square roots of the first 8 primes. */
	*s = (struct sha256){ .h = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
				  0xa54ff53a, 0x510e527f, 0x9b05688c,
				  0x1f83d9ab, 0x5be0cd19 } };
}

void
sha256_update(struct sha256 *s, const void *p, size_t len)
{
	const uint8_t *next = p;

	while (len > 0) {
		size_t held = s->len % BLOCK;
		size_t n = BLOCK - held < len ? BLOCK - held : len;

		memcpy(s->block + held, next, n);
		s->len += n;
		next += n;
		len -= n;
		if (s->len % BLOCK == 0)
			hash_block(s, s->block);
	}
}

void
sha256_final(struct sha256 *s, uint8_t out[SHA256_SIZE])
{
	static const uint8_t padding[BLOCK] = { 0x80 };
	uint64_t bits = s->len * 8;
	uint8_t tail[8];

	/* One to 64 bytes, so that with the length the last block is whole. */
	sha256_update(s, padding, 1 + (119 - s->len % BLOCK) % BLOCK);
	put_u32be(tail, (uint32_t)(bits >> 32));
	put_u32be(tail + 4, (uint32_t)bits);
	sha256_update(s, tail, sizeof(tail));
	for (int i = 0; i < 8; i++)
		put_u32be(out + 4 * i, s->h[i]);
}

void
sha256_hex(const uint8_t d[SHA256_SIZE], char out[SHA256_HEX_SIZE])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < SHA256_SIZE; i++) {
		out[2 * i] = digits[d[i] >> 4];
		out[2 * i + 1] = digits[d[i] & 15];
	}
	out[2 * SHA256_SIZE] = '\0';
}
