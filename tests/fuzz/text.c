/* Any text: a stream of characters with hardly a control among them. */
#include "fuzz.h"
#include "props.h"
#include "played.h"

#include "base/mem.h"

/*
 * Of the controls, only those that lay out text are left, and sometimes ESC.
 */
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

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	check_text(p, len);
	return 0;
}
