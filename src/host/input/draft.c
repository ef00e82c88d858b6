#include "host/input/draft.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sha256.h"
#include "keep/ring.h"

static_assert(sizeof(((struct ring_shared *)0)->prompt_text) == DRAFT_TEXT_MAX,
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

enum draft
draft_now(const struct ring_shared *ring)
{
	uint32_t at = atomic_load(&ring->prompt_at);

	return at <= DRAFT_SUBMITTING ? (enum draft)at : DRAFT_TYPING;
}

bool
draft_is(const struct ring_shared *ring, const char *text)
{
	return atomic_load(&ring->prompt_hash) == hash_of(text);
}

void
draft_text(const struct ring_shared *ring, char out[DRAFT_TEXT_MAX])
{
	memcpy(out, ring->prompt_text, DRAFT_TEXT_MAX);
	out[DRAFT_TEXT_MAX - 1] = '\0';
}

/* The length of the text that fits, without cutting a character. */
static size_t
cut_len(const char *text)
{
	size_t len = strnlen(text, DRAFT_TEXT_MAX);

	if (len < DRAFT_TEXT_MAX)
		return len;
	len--;
	while (len > 0 && ((uint8_t)text[len] & 0xc0) == 0x80)
		len--;
	return len;
}

void
draft_prepare(struct ring_shared *ring, const char *text, bool secret)
{
	memset(ring->prompt_text, 0, sizeof(ring->prompt_text));
	if (!secret)
		memcpy(ring->prompt_text, text, cut_len(text));
	atomic_store(&ring->prompt_hash, hash_of(text));
}

void
draft_begins(struct ring_shared *ring, enum draft_part part)
{
	if (part == DRAFT_TEXT)
		atomic_store(&ring->prompt_at, DRAFT_TYPING);
	else if (part == DRAFT_SUBMIT && draft_now(ring) != DRAFT_NONE)
		atomic_store(&ring->prompt_at, DRAFT_SUBMITTING);
}

/* The next state after each piece, by how much of it was written. */
void
draft_done(struct ring_shared *ring, enum draft_part part,
    enum draft_extent extent)
{
	static const enum draft next[][3] = {
		[DRAFT_TEXT] = { DRAFT_NONE, DRAFT_TYPING, DRAFT_TYPED },
		[DRAFT_SUBMIT] = { DRAFT_TYPED, DRAFT_SUBMITTING, DRAFT_NONE },
	};

	if (part == DRAFT_OTHER && extent != DRAFT_NOTHING)
		draft_clear(ring);
	else if (part == DRAFT_TEXT ||
	    (part == DRAFT_SUBMIT && draft_now(ring) != DRAFT_NONE))
		atomic_store(&ring->prompt_at, next[part][extent]);
}

void
draft_clear(struct ring_shared *ring)
{
	atomic_store(&ring->prompt_at, DRAFT_NONE);
	memset(ring->prompt_text, 0, sizeof(ring->prompt_text));
}
