#ifndef TEND_HOST_LIFE_POISON_H
#define TEND_HOST_LIFE_POISON_H

#include <stddef.h>
#include <stdint.h>

struct control_death;

/*
 * Bytes that crash the engine must not end a session because every new host
 * shows them again.  Decides from the deaths of earlier hosts how this one
 * treats such bytes.  Pure.
 */
enum poison_mode {
	POISON_NONE,
	POISON_SKIP, /* log [from, to), but do not show it to the engine */
	POISON_RAW,  /* no engine at all */
};

struct poison {
	enum poison_mode mode;
	uint64_t from, to;
	unsigned deaths; /* that led to this */
};

#define POISON_NEAR (64u << 10) /* deaths this close together count */
#define POISON_SKIP_AT 2
#define POISON_RAW_AT 4

/*
 * `deaths`: the latest last.  Hosts that were killed from outside, and deaths
 * outside the engine, do not count.
 */
struct poison poison_judge(const struct control_death *deaths, size_t n);

#endif
