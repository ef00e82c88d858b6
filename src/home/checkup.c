#include "home/checkup.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json_out.h"
#include "home/checkup_state.h"

#define TEXT_MAX 8192

static const struct {
	const char *name;
	checkup_look_fn *look;
} checks[] = {
	{ "config", checkup_config },
	{ "home", checkup_home },
	{ "disk", checkup_disk },
	{ "sessions", checkup_sessions },
};

void
checkup_run(struct checkup *c)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		c->check = checks[i].name;
		checks[i].look(c);
	}
}

static void
tell(struct checkup *c, const struct checkup_finding *f)
{
	c->counts[f->level]++;
	c->fn(c->arg, f);
}

void
checkup_ok(struct checkup *c, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tell(c, &(struct checkup_finding){ .check = c->check, .what = text });
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
	tell(c, &(struct checkup_finding){ c->check, level, text, why, fix });
}

const char *
checkup_level_name(enum checkup_level level)
{
	static const char *const names[] = {
		[CHECKUP_OK] = "ok",
		[CHECKUP_WARNING] = "warning",
		[CHECKUP_PROBLEM] = "problem",
	};

	return names[level];
}

void
checkup_finding_json(const struct checkup_finding *f, struct json_out *j)
{
	json_out_open(j, '{');
	json_put_text(j, "check", f->check);
	json_put_text(j, "level", checkup_level_name(f->level));
	json_put_text(j, "what", f->what);
	json_put_text(j, "why", f->why);
	json_put_text(j, "fix", f->fix);
	json_out_close(j, '}');
}

void
checkup_counts_json(const struct checkup *c, struct json_out *j)
{
	json_put_number(j, "warnings", c->counts[CHECKUP_WARNING]);
	json_put_number(j, "problems", c->counts[CHECKUP_PROBLEM]);
}
