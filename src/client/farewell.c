#include "client/farewell.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "vt/text.h"
#include "vt/vt.h"

#define ROW_MAX (64u << 10)

/* If a user ended the program, do not report that SIGHUP killed it. */
static void
put_how(const struct farewell *f, struct buf *out)
{
	const char *outcome = f->outcome != NULL ? f->outcome : "";
	const char *name = f->signo > 0 ? sigabbrev_np(f->signo) : NULL;

	if (f->destroyed)
		buf_puts(out, "destroyed");
	else if (strcmp(outcome, "stopped") == 0 ||
	    strcmp(outcome, "killed") == 0)
		buf_puts(out, outcome);
	else if (name != NULL)
		buf_printf(out, "killed by SIG%s", name);
	else if (f->signo > 0)
		buf_printf(out, "killed by signal %d", f->signo);
	else if (f->code >= 0)
		buf_printf(out, "exited %d", f->code);
	else
		buf_puts(out, "lost");
}

static void
put_text(const struct farewell *f, const char *between, struct buf *out)
{
	buf_printf(out, "[%s ", f->name);
	put_how(f, out);
	if (!f->destroyed)
		buf_printf(out, "%stend log %s", between, f->name);
	if (!f->destroyed && f->was_over)
		buf_printf(out, "%stend rerun %s", between, f->name);
	buf_putc(out, ']');
}

static size_t
columns(const struct buf *b, size_t from)
{
	size_t n = 0;

	for (; from < b->len; from++)
		n += (b->data[from] & 0xc0) != 0x80;
	return n;
}

void
farewell_text(const struct farewell *f, unsigned cols, struct buf *out)
{
	size_t begin = out->len;

	put_text(f, " \u00b7 ", out);
	if (columns(out, begin) <= cols)
		return;
	out->len = begin;
	put_text(f, "\n ", out);
}

/* Replace `out` by a row's text; false if it is blank. */
static bool
take_row(const struct vt *vt, unsigned y, struct buf *out)
{
	struct vt_row row;

	buf_clear(out);
	vt_screen_row(vt, y, &row);
	(void)vt_row_text(&row, out);
	return out->len > 0;
}

void
farewell_rows(const struct vt *vt, unsigned max, struct buf *out)
{
	unsigned end = vt_rows(vt), begin;
	struct buf row;

	buf_init(&row, ROW_MAX);
	while (end > 0 && !take_row(vt, end - 1, &row))
		end--;
	begin = end > max ? end - max : 0;
	while (begin < end && !take_row(vt, begin, &row))
		begin++;
	for (; begin < end; begin++) {
		(void)take_row(vt, begin, &row);
		buf_append(out, row.data, row.len);
		buf_putc(out, '\n');
	}
	buf_finish(&row);
}
