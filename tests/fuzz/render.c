/* A terminal's rendering makes a fresh terminal the same. */
#include "fuzz.h"
#include "props.h"
#include "played.h"

#include "vt/render.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	struct player pl;
	struct stream s;
	struct error err;

	if (!stream_init(&s, p, len))
		return 0;
	player_init(&pl, &s);
	player_play(&pl, &s);
	fuzz_check(prop_render(pl.vt, &s.config, 0, &err), &err);
	fuzz_check(prop_render(pl.vt, &s.config, RENDER_HISTORY, &err), &err);
	fuzz_check(prop_render_probe(pl.vt, &s.config,
		       rng_below(&pl.rng, PROP_PROBES), &err),
	    &err);
	player_finish(&pl);
	return 0;
}
