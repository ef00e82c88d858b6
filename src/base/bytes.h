#ifndef TEND_BASE_BYTES_H
#define TEND_BASE_BYTES_H

#include <stdint.h>

/*
 * Numbers in byte arrays of any alignment, on any machine: little-endian ones
 * in files, big-endian ones on the wire.  Compilers make a single move of each.
 */
static inline void
put_u16le(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static inline void
put_u32le(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	p[2] = (uint8_t)(v >> 16);
	p[3] = (uint8_t)(v >> 24);
}

static inline void
put_u64le(uint8_t *p, uint64_t v)
{
	put_u32le(p, (uint32_t)v);
	put_u32le(p + 4, (uint32_t)(v >> 32));
}

static inline uint16_t
get_u16le(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t
get_u32le(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	    (uint32_t)p[3] << 24;
}

static inline uint64_t
get_u64le(const uint8_t *p)
{
	return get_u32le(p) | (uint64_t)get_u32le(p + 4) << 32;
}

static inline void
put_u16be(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void
put_u32be(uint8_t *p, uint32_t v)
{
	put_u16be(p, (uint16_t)(v >> 16));
	put_u16be(p + 2, (uint16_t)v);
}

static inline void
put_u64be(uint8_t *p, uint64_t v)
{
	put_u32be(p, (uint32_t)(v >> 32));
	put_u32be(p + 4, (uint32_t)v);
}

static inline uint16_t
get_u16be(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t
get_u32be(const uint8_t *p)
{
	return (uint32_t)get_u16be(p) << 16 | get_u16be(p + 2);
}

static inline uint64_t
get_u64be(const uint8_t *p)
{
	return (uint64_t)get_u32be(p) << 32 | get_u32be(p + 4);
}

#endif
