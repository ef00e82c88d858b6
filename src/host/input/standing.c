#include "host/input/standing.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sha256.h"
#include "keep/ring.h"

static_assert(sizeof(((struct ring_shared *)0)->prompt_text) ==
	STANDING_TEXT_MAX,
    "the ring has room for the text");

static uint64_t
hash_of(const char *text)
{
	uint8_t digest[SHA256_SIZE];
	struct sha256 s;

	sha256_init(&s);
	sha256_update(&s, text, strlen(text));
	sha256_final(&s, digest);
	return get_u64le(digest);
}

enum standing
standing_now(const struct ring_shared *ring)
{
	uint32_t at = atomic_load(&ring->prompt_at);

	return at <= STANDING_SUBMITTING ? (enum standing)at : STANDING_TYPING;
}

bool
standing_is(const struct ring_shared *ring, const char *text)
{
	return atomic_load(&ring->prompt_hash) == hash_of(text);
}

void
standing_text(const struct ring_shared *ring, char out[STANDING_TEXT_MAX])
{
	memcpy(out, ring->prompt_text, STANDING_TEXT_MAX);
	out[STANDING_TEXT_MAX - 1] = '\0';
}

/* As much of the text as fits, and no part of a character. */
static size_t
cut_len(const char *text)
{
	size_t len = strnlen(text, STANDING_TEXT_MAX);

	if (len < STANDING_TEXT_MAX)
		return len;
	len--;
	while (len > 0 && ((uint8_t)text[len] & 0xc0) == 0x80)
		len--;
	return len;
}

void
standing_prepare(struct ring_shared *ring, const char *text, bool secret)
{
	memset(ring->prompt_text, 0, sizeof(ring->prompt_text));
	if (!secret)
		memcpy(ring->prompt_text, text, cut_len(text));
	atomic_store(&ring->prompt_hash, hash_of(text));
}

void
standing_begins(struct ring_shared *ring, enum standing_part part)
{
	if (part == STANDING_TEXT)
		atomic_store(&ring->prompt_at, STANDING_TYPING);
	else if (part == STANDING_SUBMIT && standing_now(ring) != STANDING_NONE)
		atomic_store(&ring->prompt_at, STANDING_SUBMITTING);
}

/* Where each piece leads, by how much of it was written. */
void
standing_done(struct ring_shared *ring, enum standing_part part,
    enum standing_extent extent)
{
	static const enum standing next[][3] = {
		[STANDING_TEXT] = { STANDING_NONE, STANDING_TYPING,
		    STANDING_TYPED },
		[STANDING_SUBMIT] = { STANDING_TYPED, STANDING_SUBMITTING,
		    STANDING_NONE },
	};

	if (part == STANDING_OTHER && extent != STANDING_NOTHING)
		standing_clear(ring);
	else if (part == STANDING_TEXT ||
	    (part == STANDING_SUBMIT && standing_now(ring) != STANDING_NONE))
		atomic_store(&ring->prompt_at, next[part][extent]);
}

void
standing_clear(struct ring_shared *ring)
{
	atomic_store(&ring->prompt_at, STANDING_NONE);
	memset(ring->prompt_text, 0, sizeof(ring->prompt_text));
}
