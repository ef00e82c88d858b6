/*
 * Valid and invalid keyframes.  The first byte chooses: arbitrary bytes, or
 * the keyframe of a stream with some bytes changed.  Either is refused, or it
 * gives a sound terminal that keeps working and stays the same when it is
 * saved and restored again.
 */
#include "fuzz.h"
#include "props.h"
#include "played.h"

#include "base/mem.h"
#include "vt/keyframe.h"

#define BUF_MAX (64u << 20)
#define CHANGES_MAX 8

/*
 * Bytes for a terminal restored from a hostile keyframe: it must keep working.
 */
static const char probe[] = "\030a\r\n\033[?1049hb\033[?1049lc\0338d\tx";

/* Without its history it looks the same. */
static void
check_screen_alone(const struct vt *vt)
{
	struct error err = { 0 };
	struct vt *copy;
	struct buf k;

	buf_init(&k, BUF_MAX);
	if (keyframe_save_screen(vt, &k) == 0) {
		copy = keyframe_restore(k.data, k.len, NULL, NULL, &err);
		fuzz_check(copy == NULL ? -1 : 0, &err);
		fuzz_check(prop_alike(vt, copy, &err), &err);
		vt_destroy(copy);
	}
	buf_finish(&k);
}

static void
check_keyframe(const uint8_t *p, size_t len)
{
	struct vt *vt = keyframe_restore(p, len, NULL, NULL, NULL);
	struct vt *copy;
	struct error err;

	if (vt == NULL)
		return;
	fuzz_check(prop_structure(vt, &err), &err);
	fuzz_check(prop_text(vt, &err), &err);
	check_screen_alone(vt);
	copy = prop_restored(vt, NULL, NULL, &err);
	fuzz_check(copy == NULL ? -1 : 0, &err);
	vt_feed(vt, probe, sizeof(probe) - 1);
	vt_feed(copy, probe, sizeof(probe) - 1);
	fuzz_check(prop_same(vt, copy, &err), &err);
	fuzz_check(vt_resize(copy, 20, 5, &err), &err);
	fuzz_check(prop_structure(copy, &err), &err);
	vt_destroy(copy);
	vt_destroy(vt);
}

/* Places and bytes at the front of the input; the rest is the stream. */
static void
check_changed(const uint8_t *p, size_t len)
{
	unsigned changes = len > 0 ? p[0] % CHANGES_MAX : 0;
	const uint8_t *change = p + 1;
	struct player pl;
	struct stream s;
	struct buf k;

	if (len < 1 + 3 * changes ||
	    !stream_init(&s, p + 1 + 3 * changes, len - 1 - 3 * changes))
		return;
	player_init(&pl, &s);
	player_play(&pl, &s);
	buf_init(&k, BUF_MAX);
	if (keyframe_save(pl.vt, &k) == 0) {
		for (unsigned i = 0; i < changes; i++, change += 3)
			k.data[(change[0] << 8 | change[1]) %
			    k.len] = change[2];
		check_keyframe(k.data, k.len);
	}
	buf_finish(&k);
	player_finish(&pl);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	if (len == 0)
		return 0;
	if (p[0] % 2 == 0)
		check_keyframe(p + 1, len - 1);
	else
		check_changed(p + 1, len - 1);
	return 0;
}
