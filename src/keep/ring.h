#ifndef TEND_KEEP_RING_H
#define TEND_KEEP_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The ring between keeper and host: the last bytes of the terminal, in memory
 * that outlives the host.  docs/protocol.md says what the fields mean and who
 * writes them.  The keeper fills it, the host empties it; neither ever waits
 * for a lock, so either may be killed at any instruction.
 *
 * Offsets are absolute.  The data is mapped twice in a row: ring_at(r, off)
 * points to r->size contiguous bytes whatever the offset.  That is RING_SIZE,
 * unless RLIMIT_FSIZE was lower, an older keeper made it, or in times to come a
 * newer one.
 */
#define RING_SIZE (1u << 20)
#define RING_SIZE_MIN (64u << 10)
#define RING_SIZE_MAX (64u << 20)
#define RING_MAGIC 0x676e6972u
#ifndef RING_VERSION /* a test makes a host of another one */
#define RING_VERSION 2
#endif
#define RING_IDLE UINT64_MAX  /* engine_at while the engine is not reading */
#define RING_AWAKE UINT64_MAX /* host_wakes_at while the host does not sleep */

/* Answers to the program that wait in the header, in a circle of bytes. */
#define RING_ANSWERS 2048

/* The bytes from begin to end (they never wrap) are not written yet, and
 * questions before `fed` are answered or among it. */
struct ring_answered {
	uint64_t fed;
	uint32_t begin, end;
};

struct ring_shared {
	uint32_t magic, version, size, reserved;
	_Atomic uint64_t head;
	_Atomic uint64_t tail;
	_Atomic uint64_t fed;
	_Atomic uint64_t engine_at;
	_Atomic uint64_t host_wakes_at;
	_Atomic uint32_t keeper_waits;
	_Atomic uint32_t sized;
	/* A keeper that does not know these has 0. */
	_Atomic uint64_t leased;
	_Atomic uint32_t shell_at;
	_Atomic uint32_t run_how;
	_Atomic uint64_t run_key;
	_Atomic uint64_t run_event;
	_Atomic uint64_t run_from;
	/* The one of the two that counts: a host changes the other and then
	 * this, so it may die at any instruction. */
	_Atomic uint32_t answered_now;
	struct ring_answered answered[2];
	uint8_t answers[RING_ANSWERS];
	_Atomic uint64_t prompt_hash;
	_Atomic uint32_t prompt_at;
	char prompt_text[256];
};

_Static_assert(sizeof(struct ring_shared) <= 4096, "the header is a page");

struct ring {
	struct ring_shared *shared;
	uint8_t *data;
	size_t size; /* of the data */
};

/* A new memfd with an empty ring in it; its descriptor, or -errno. */
int ring_create(void);

/* 0, or -errno; -EPROTO when it is no ring of ours. */
int ring_map(struct ring *r, int fd);
void ring_unmap(struct ring *r);

uint8_t *ring_at(const struct ring *r, uint64_t offset);

/*
 * The keeper: how many bytes may be written at head, and that n were.  True
 * from ring_produced when the host sleeps and wants to know of so many: its
 * eventfd must be written.
 */
size_t ring_room(const struct ring *r);
_Bool ring_produced(struct ring *r, size_t n);

/*
 * The keeper: give the memory back in which nothing is kept.  A session that
 * once printed a lot would hold all of the ring for ever.
 */
void ring_give_back(struct ring *r);

/*
 * The host: that all before `offset` may be overwritten.  True when the keeper
 * waits for room and its eventfd must be written.
 */
_Bool ring_release(struct ring *r, uint64_t offset);

/*
 * Say that this side is about to sleep, then look once more: true when it may
 * sleep, false when something has come meanwhile.  After waking, *_wakes.  The
 * host says at which head it wants to be woken: in a flood it lets some come.
 */
_Bool ring_host_sleeps(struct ring *r, uint64_t until);
void ring_host_wakes(struct ring *r);
_Bool ring_keeper_sleeps(struct ring *r);
void ring_keeper_wakes(struct ring *r);

#endif
