/*
 * A hostile report of OSC 7501.  An accepted status is within its limits and
 * safe to show, and the report that repeats it gives the same status.
 */
#include "vt/program_status.h"

#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "fuzz.h"

static void
is_fit(const struct program_status *s)
{
	struct utf8 u = { 0 };
	uint32_t cp;

	MUST(s->state < PROGRAM_STATES && s->kind < PROGRAM_KINDS);
	MUST(s->kind == PROGRAM_NO_KIND || s->state == PROGRAM_BLOCKED);
	MUST(memchr(s->app, '\0', sizeof(s->app)) != NULL);
	MUST(memchr(s->text, '\0', sizeof(s->text)) != NULL);
	MUST(utf8_valid(s->text, strlen(s->text)));
	MUST(s->app[strspn(s->app,
		 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		 "0123456789_.+-")] == '\0');
	for (const char *p = s->text; *p != '\0'; p++)
		if (utf8_step(&u, (uint8_t)*p, &cp) == UTF8_DONE)
			MUST(!utf8_acts(cp));
}

static void
say(const struct program_status *s, struct buf *out)
{
	const char *state = program_state_name(s->state);

	buf_printf(out, "state=%s", state != NULL ? state : "clear");
	if (s->app[0] != '\0')
		buf_printf(out, ":app=%s", s->app);
	if (s->kind != PROGRAM_NO_KIND)
		buf_printf(out, ":kind=%s", program_kind_name(s->kind));
	buf_puts(out, ":msg=");
	base64_encode(out, s->text, strlen(s->text));
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	struct program_status s, again;
	struct buf out;

	if (!program_status_parse((const char *)p, len, &s))
		return 0;
	MUST(len < 4096);
	is_fit(&s);
	buf_init(&out, 4096);
	say(&s, &out);
	MUST(program_status_parse((const char *)out.data, out.len, &again));
	MUST(program_status_same(&s, &again));
	buf_finish(&out);
	return 0;
}
