#ifndef TEND_KEEP_RING_H
#define TEND_KEEP_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The ring between keeper and host: the last bytes of the terminal, in memory
 * that outlives the host.  docs/protocol.md describes each field of the header
 * and its writer.  The keeper fills the ring, the host empties it.  Neither
 * takes a lock, so either may be killed at any instruction.
 *
 * Offsets are absolute.  The data is mapped twice in a row, so ring_at(r, off)
 * points to r->size contiguous bytes for every offset.  The size is RING_SIZE;
 * it differs if RLIMIT_FSIZE was lower, or if a keeper of another version
 * created the ring.
 */
#define RING_SIZE (1u << 20)
#define RING_SIZE_MIN (64u << 10)
#define RING_SIZE_MAX (64u << 20)
#define RING_MAGIC 0x676e6972u
#ifndef RING_VERSION /* a test builds a host with another version */
#define RING_VERSION 2
#endif
#define RING_IDLE UINT64_MAX  /* engine_at while the engine is not reading */
#define RING_AWAKE UINT64_MAX /* host_wakes_at while the host does not sleep */

/* The size of `answers`: a circular buffer of answers not written yet. */
#define RING_ANSWERS 2048

/*
 * Queries in the output before `fed` are answered: their answers are written,
 * or are the bytes from begin to end of `answers`.  begin and end count all
 * bytes so far; their place in `answers` is the count modulo RING_ANSWERS.
 */
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
	/* These are 0 if the keeper does not know them. */
	_Atomic uint64_t leased;
	_Atomic uint32_t shell_at;
	_Atomic uint32_t run_how;
	_Atomic uint64_t run_key;
	_Atomic uint64_t run_event;
	_Atomic uint64_t run_from;
	/*
	 * The index of the valid one of `answered`.  A host changes the other
	 * one and then this, so it may die at any instruction.
	 */
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

/*
 * Create an empty ring in a memfd.  Returns its descriptor, which the caller
 * closes, or -errno.
 */
int ring_create(void);

/*
 * Map the ring; fd may be closed afterwards.  Returns 0, -ENOMEM, or -EPROTO
 * if fd is not a ring of this version.
 */
int ring_map(struct ring *r, int fd);
void ring_unmap(struct ring *r); /* a ring of zeros is fine */

/* The address of a byte; the caller checks that the ring holds it. */
uint8_t *ring_at(const struct ring *r, uint64_t offset);

/*
 * For the keeper, or for the host after the keeper has died.  ring_room
 * returns the number of bytes that may be written at head.  After writing n of
 * them, call ring_produced.  If that returns true, the host sleeps and must be
 * woken: write its eventfd.
 */
size_t ring_room(const struct ring *r);
_Bool ring_produced(struct ring *r, size_t n);

/*
 * For the keeper only: return unused pages to the system.  Otherwise a session
 * that once printed a lot would keep the memory of the whole ring.
 */
void ring_give_back(struct ring *r);

/*
 * For the host: allow the keeper to overwrite all bytes before `offset`.  If
 * this returns true, the keeper waits for room: write its eventfd.
 */
_Bool ring_release(struct ring *r, uint64_t offset);

/*
 * Announce that this side is about to sleep, and check once more.  Returns
 * true if it may sleep; false if there is output (for the host) or room (for
 * the keeper) already.  After waking, call *_wakes.  The host is woken when
 * head reaches `until`; during a flood it waits for more than one byte.
 */
_Bool ring_host_sleeps(struct ring *r, uint64_t until);
void ring_host_wakes(struct ring *r);
_Bool ring_keeper_sleeps(struct ring *r);
void ring_keeper_wakes(struct ring *r);

#endif
