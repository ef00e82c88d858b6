#include "home/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_out.h"
#include "home/fault.h"

/* One log reports at most 64 damages; a home may have many logs. */
#define DAMAGE_MAX (1u << 20)
#define NOTES_MAX (64u << 10)
#define GROWTH 6 /* a byte may become \u001b */

void
report_init(struct report *r, report_fn *note, void *arg)
{
	*r = (struct report){ .note = note, .arg = arg };
	buf_init(&r->damage, DAMAGE_MAX);
	buf_init(&r->notes, NOTES_MAX);
}

void
report_finish(struct report *r)
{
	buf_finish(&r->damage);
	buf_finish(&r->notes);
}

static void
keep_note(struct report *r, const char *text)
{
	struct json_out j;

	if (r->notes.len + GROWTH * strlen(text) + 3 > NOTES_MAX)
		return;
	if (r->notes.len > 0)
		buf_putc(&r->notes, ',');
	json_out_init(&j, &r->notes);
	json_out_text(&j, text);
}

void
report_note(struct report *r, const char *fmt, ...)
{
	char text[FAULT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (r->note != NULL)
		r->note(r->arg, text);
	else
		keep_note(r, text);
}

static void
put(struct json_out *j, const char *name, const struct buf *values)
{
	if (values->len == 0)
		return;
	json_out_key(j, name);
	buf_putc(j->buf, '[');
	buf_append(j->buf, values->data, values->len);
	buf_putc(j->buf, ']');
	j->comma = true;
}

void
report_json(const struct report *r, struct json_out *j)
{
	put(j, "damage", &r->damage);
	put(j, "notes", &r->notes);
}
