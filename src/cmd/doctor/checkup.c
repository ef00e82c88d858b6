#include "cmd/doctor/checkup.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "home/words.h"

#define TEXT_MAX 8192

static const char *const levels[] = {
	[CHECKUP_OK] = "ok",
	[CHECKUP_WARNING] = "warning",
	[CHECKUP_PROBLEM] = "problem",
};

static void
put_plain(struct buf *out, const char *label, const char *text)
{
	if (text == NULL)
		return;
	buf_printf(out, "%20s %-4s ", "", label);
	words_put_safe(out, text);
	buf_putc(out, '\n');
}

static void
tell(struct checkup *c, enum checkup_level level, const char *what,
    const char *why, const char *fix)
{
	c->counts[level]++;
	if (c->json != NULL) {
		json_out_open(c->json, '{');
		json_put_text(c->json, "check", c->check);
		json_put_text(c->json, "level", levels[level]);
		json_put_text(c->json, "what", what);
		json_put_text(c->json, "why", why);
		json_put_text(c->json, "fix", fix);
		json_out_close(c->json, '}');
		return;
	}
	buf_printf(c->out, "%-8s %-10s ", levels[level], c->check);
	words_put_safe(c->out, what);
	buf_putc(c->out, '\n');
	put_plain(c->out, "why:", why);
	put_plain(c->out, "do:", fix);
}

void
checkup_ok(struct checkup *c, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tell(c, CHECKUP_OK, text, NULL, NULL);
}

void
checkup_bad(struct checkup *c, enum checkup_level level, const char *why,
    const char *fix, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tell(c, level, text, why, fix);
}
