#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "cmd/label.h"
#include "cmd/operands.h"
#include "cmd/opt.h"
#include "cmd/out.h"
#include "cmd/target.h"
#include "cmd/words.h"
#include "vt/uni.h"

#define DEFAULT_WIDTH 80
#define NAME_WIDTH_MAX 24
#define STATUS_WIDTH 10
#define AGE_WIDTH 4
#define DIMS_WIDTH 9

struct args {
	bool all;
	struct opt_list labels;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, all, "all", 'a',
	    "those that have ended as well, with their ids"),
	OPT_LIST(struct args, labels, "label", 'l', "KEY=VALUE",
	    "only those with this label; may be repeated"),
	{ 0 },
};

/* The sessions found, newest first. */
struct list {
	struct call *call;
	const struct args *args;
	struct manifest *items;
	size_t n;
};

static bool
is_wanted(const struct list *l, const struct manifest *m)
{
	if (!l->args->all && !status_is_active(m->status))
		return false;
	for (size_t i = 0; i < l->args->labels.n; i++)
		if (!label_matches(m, l->args->labels.items[i].value))
			return false;
	return true;
}

/* One that cannot be read is told of, and does not hide the others. */
static int
on_session(void *arg, const char *id)
{
	struct list *l = arg;
	struct manifest m;
	struct error err = { 0 };
	auto_close int dirfd = home_session_dir(&l->call->target->home, id,
	    &err);

	manifest_init(&m);
	if (dirfd < 0 || manifest_read(dirfd, &m, &err) < 0) {
		out_note(l->call->out, "session %s: %s", id, err.msg);
		manifest_finish(&m);
		return 0;
	}
	manifest_reconcile(&m);
	if (!is_wanted(l, &m)) {
		manifest_finish(&m);
		return 0;
	}
	l->items = xrealloc(l->items, l->n + 1, sizeof(*l->items));
	l->items[l->n++] = m;
	return 0;
}

static unsigned
terminal_width(void)
{
	struct winsize ws;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col >= 40)
		return ws.ws_col;
	return DEFAULT_WIDTH;
}

/* Append as much of s as fits into so many columns; how many it took. */
static unsigned
put_columns(struct buf *out, const char *s, unsigned width)
{
	struct utf8 u = { 0 };
	const char *from = s;
	unsigned used = 0;
	uint32_t cp;

	for (; *s != '\0'; s++) {
		unsigned w;

		if (utf8_step(&u, (uint8_t)*s, &cp) != UTF8_DONE)
			continue;
		w = uni_width(cp);
		/* The last column is kept for the sign that something went. */
		if (used + w > width || (used + w == width && s[1] != '\0')) {
			buf_puts(out, "…");
			return used + 1;
		}
		used += w;
		buf_append(out, from, (size_t)(s + 1 - from));
		from = s + 1;
	}
	return used;
}

/* A column of the table, and the two blanks behind it. */
static void
put_column(struct buf *out, const char *s, unsigned width)
{
	unsigned used = put_columns(out, s, width);

	buf_printf(out, "%*s", (int)(width - used) + 2, "");
}

static void
put_rest(struct buf *out, const char *s, unsigned width, size_t before)
{
	unsigned used = (unsigned)before;

	put_columns(out, s, width > used + 1 ? width - used : 1);
	buf_putc(out, '\n');
}

struct layout {
	unsigned name, width;
	bool ids;
	int64_t now_ms;
};

static void
put_session(struct buf *out, const struct manifest *m, const struct layout *l)
{
	unsigned before = l->name + STATUS_WIDTH + AGE_WIDTH + 6;
	char status[WORDS_MAX], age[16], size[16];
	auto_free char *text = NULL;
	struct buf command;

	words_status(m, status, sizeof(status));
	words_age(l->now_ms - m->created_ms, age, sizeof(age));
	snprintf(size, sizeof(size), "%ux%u", m->cols, m->rows);
	if (l->ids)
		put_column(out, m->id, sizeof(m->id) - 1);
	put_column(out, m->name, l->name);
	put_column(out, status, STATUS_WIDTH);
	put_column(out, age, AGE_WIDTH);
	if (!l->ids)
		put_column(out, size, DIMS_WIDTH);
	before += l->ids ? sizeof(m->id) + 1 : DIMS_WIDTH + 2;
	buf_init(&command, 8 * MANIFEST_MAX);
	words_command(m->command, &command);
	text = buf_take(&command);
	put_rest(out, text, l->width, before);
}

static void
put_heading(struct buf *out, const struct layout *l)
{
	if (l->ids)
		put_column(out, "ID", 26);
	put_column(out, "NAME", l->name);
	put_column(out, "STATUS", STATUS_WIDTH);
	put_column(out, "AGE", AGE_WIDTH);
	if (!l->ids)
		put_column(out, "SIZE", DIMS_WIDTH);
	buf_puts(out, "COMMAND\n");
}

static void
put_table(const struct list *list, struct buf *out)
{
	struct layout l = {
		.name = 4,
		.width = terminal_width(),
		.ids = list->args->all,
	};
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	l.now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	for (size_t i = 0; i < list->n; i++) {
		size_t len = strlen(list->items[i].name);

		if (len > l.name)
			l.name = (unsigned)len;
	}
	if (l.name > NAME_WIDTH_MAX)
		l.name = NAME_WIDTH_MAX;
	if (l.ids && l.name > 14)
		l.name = 14;
	if (list->n > 0)
		put_heading(out, &l);
	for (size_t i = 0; i < list->n; i++)
		put_session(out, &list->items[i], &l);
}

static void
put_json(const struct list *list, struct out *out)
{
	struct json_out j;

	out_begin(out, &j);
	json_out_open(&j, '[');
	for (size_t i = 0; i < list->n; i++)
		manifest_json(&list->items[i], -1, &j);
	json_out_close(&j, ']');
}

static int
show(const struct list *list, struct out *out)
{
	if (out->json)
		put_json(list, out);
	else
		put_table(list, &out->buf);
	return out_send(out);
}

static int
run(struct call *call)
{
	struct list list = { .call = call, .args = call->args };
	struct error err;
	int status;

	status = operands_check(call, 0, 0, "");
	if (status != 0)
		return status;
	if (home_each(&call->target->home, on_session, &list, &err) < 0)
		status = out_fail(call->out, FAIL_STORAGE, "%s", err.msg);
	else
		status = show(&list, call->out);
	for (size_t i = 0; i < list.n; i++)
		manifest_finish(&list.items[i]);
	free(list.items);
	return status;
}

const struct cmd cmd_ls = {
	.name = "ls",
	.usage = "[-a] [--label KEY=VALUE]... [--json]",
	.summary = "list sessions",
	.details = "Those that run, the newest first; with -a all there are.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME,
	.run = run,
};
