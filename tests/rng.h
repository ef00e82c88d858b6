#ifndef TEND_TESTS_RNG_H
#define TEND_TESTS_RNG_H

#include <stdint.h>

/*
 * Random numbers that are the same on every machine for the same seed, so that
 * a benchmark's input and a failing test can be had again (SplitMix64).
 */
struct rng {
	uint64_t state;
};

static inline uint64_t
rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* A number below n, which must not be 0. */
static inline unsigned
rng_below(struct rng *r, unsigned n)
{
	return (unsigned)(rng_next(r) % n);
}

/* A number from lo to hi, both included. */
static inline unsigned
rng_between(struct rng *r, unsigned lo, unsigned hi)
{
	return lo + rng_below(r, hi - lo + 1);
}

#endif
