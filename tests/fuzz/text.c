/*
 * Text of any kind, and keyframes of any kind.  The first byte says which: a
 * stream of characters with hardly a control among them; bytes that pretend to
 * be a keyframe; or a real keyframe with some bytes of it changed.
 */
#include "fuzz.h"
#include "props.h"
#include "stream.h"

#include "base/mem.h"
#include "vt/keyframe.h"

#define BUF_MAX (64u << 20)

/* Fed to what came out of a strange keyframe: it must go on working. */
static const char probe[] = "\030a\r\n\033[?1049hb\033[?1049lc\0338d\tx";

/* Of the controls only those that lay out text are left, and ESC at times. */
static uint8_t
tame(uint8_t c, bool escapes)
{
	if (c >= 0x20 || c == '\r' || c == '\n' || c == '\t' || c == '\b' ||
	    (c == 0x1b && escapes))
		return c;
	return '.';
}

static void
check_text(const uint8_t *p, size_t len)
{
	auto_free uint8_t *text = xmalloc(len + 1);
	struct player pl;
	struct stream s;
	struct error err;

	if (!stream_init(&s, p, len))
		return;
	for (size_t i = 0; i < s.len; i++)
		text[i] = tame(s.p[i], (p[2] & 4) != 0);
	s.p = text;
	player_init(&pl, &s);
	player_play(&pl, &s);
	fuzz_check(prop_structure(pl.vt, &err), &err);
	fuzz_check(prop_text(pl.vt, &err), &err);
	fuzz_check(prop_memory(pl.vt, &s.config, &err), &err);
	if (s.ample && !vt_alt_screen(pl.vt))
		fuzz_check(prop_resize_back(pl.vt, 2 + (unsigned)s.seed % 80,
			       1 + (unsigned)s.seed % 20, &err),
		    &err);
	player_finish(&pl);
}

/* Refused, or a terminal that is sound, works and can be saved again. */
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
	copy = prop_restored(vt, NULL, NULL, &err);
	fuzz_check(copy == NULL ? -1 : 0, &err);
	vt_feed(copy, probe, sizeof(probe) - 1);
	fuzz_check(vt_resize(copy, 20, 5, &err), &err);
	fuzz_check(prop_structure(copy, &err), &err);
	vt_destroy(copy);
	vt_destroy(vt);
}

/* Pairs of (place, byte) at the front of the input; the rest is the stream. */
static void
check_changed(const uint8_t *p, size_t len)
{
	unsigned changes = len > 0 ? p[0] % 8 : 0;
	const uint8_t *pairs = p + 1;
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
		for (unsigned i = 0; i < changes; i++, pairs += 3)
			k.data[(pairs[0] << 8 | pairs[1]) % k.len] = pairs[2];
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
	switch (p[0] % 3) {
	case 0:
		check_text(p + 1, len - 1);
		break;
	case 1:
		check_keyframe(p + 1, len - 1);
		break;
	default:
		check_changed(p + 1, len - 1);
		break;
	}
	return 0;
}
