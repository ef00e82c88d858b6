/*
 * Any stream, in any pieces, saved and restored in the middle, gives the same
 * terminal. Its rows are whole, its answers follow the grammar, its memory is
 * bounded, and resizing to another size and back loses no text.
 */
#include "fuzz.h"
#include "props.h"
#include "played.h"

#include <string.h>

static void
check_state(const struct vt *vt, const struct stream *s)
{
	struct error err;

	fuzz_check(prop_structure(vt, &err), &err);
	fuzz_check(prop_text(vt, &err), &err);
	fuzz_check(prop_memory(vt, &s->config, &err), &err);
}

static void
check_same(const char *how, const struct player *a, const struct player *b)
{
	struct error why, err;

	if (prop_same(a->vt, b->vt, &why) < 0)
		fuzz_check(error_set(&err, 1, "%s: %s", how, why.msg), &err);
	if (a->replies.len != b->replies.len ||
	    (a->replies.len > 0 &&
		memcmp(a->replies.data, b->replies.data, a->replies.len) != 0))
		fuzz_check(error_set(&err, 1, "%s: other replies", how), &err);
}

/* Once more, cut differently, and with a keyframe at a random place. */
static void
check_again(const struct player *whole, const struct stream *s, bool restore)
{
	struct player pl;

	player_init(&pl, s);
	pl.restore = restore;
	pl.restore_at = s->len > 0 ? rng_next(&pl.rng) % s->len : 0;
	pl.piece = restore ? SIZE_MAX : 1 + rng_below(&pl.rng, 16);
	pl.frames = rng_below(&pl.rng, 2) == 0;
	player_play(&pl, s);
	check_same(restore ? "restored" : "in pieces", whole, &pl);
	player_finish(&pl);
}

static void
check_resize(const struct vt *vt, const struct stream *s)
{
	struct rng rng = { s->seed };
	unsigned cols = rng_between(&rng, 2, 100);
	unsigned rows = rng_between(&rng, 1, 40);
	struct error err;

	if (s->ample && !vt_alt_screen(vt))
		fuzz_check(prop_resize_back(vt, cols, rows, &err), &err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	struct player whole;
	struct stream s;

	if (!stream_init(&s, p, len))
		return 0;
	player_init(&whole, &s);
	player_play(&whole, &s);
	check_state(whole.vt, &s);
	check_again(&whole, &s, false);
	check_again(&whole, &s, true);
	check_resize(whole.vt, &s);
	player_finish(&whole);
	return 0;
}
