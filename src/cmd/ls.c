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
#include "session/registry.h"
#include "vt/uni.h"

#define DEFAULT_WIDTH 80
#define NAME_WIDTH_MAX 24
#define STATUS_WIDTH 10
#define AGE_WIDTH 4
#define DIMS_WIDTH 9

struct args {
	bool all, all_homes;
	struct opt_list labels;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, all, "all", 'a',
	    "those that have ended as well, with their ids"),
	OPT_FLAG(struct args, all_homes, "all-homes", 0,
	    "of every home there is ('tend homes' lists them)"),
	OPT_LIST(struct args, labels, "label", 'l', "KEY=VALUE",
	    "only those with this label; may be repeated"),
	{ 0 },
};

/* The sessions found, newest first. */
struct list {
	struct call *call;
	const struct args *args;
	const struct home *home;
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
	auto_close int dirfd = home_session_dir(l->home, id, &err);

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
put_sessions(const struct list *list, struct json_out *j)
{
	json_out_open(j, '[');
	for (size_t i = 0; i < list->n; i++)
		manifest_json(&list->items[i], -1, j);
	json_out_close(j, ']');
}

static int
fill(struct list *list, const struct home *home, struct error *err)
{
	list->home = home;
	return home_each(home, on_session, list, err);
}

static void
empty(struct list *list)
{
	for (size_t i = 0; i < list->n; i++)
		manifest_finish(&list->items[i]);
	free(list->items);
	list->items = NULL;
	list->n = 0;
}

static int
list_home(struct call *call, struct list *list)
{
	struct out *out = call->out;
	struct json_out j;
	struct error err;
	int status;

	if (fill(list, &call->target->home, &err) < 0) {
		status = out_fail(out, FAIL_STORAGE, "%s", err.msg);
		empty(list);
		return status;
	}
	if (out->json) {
		out_begin(out, &j);
		put_sessions(list, &j);
	} else {
		put_table(list, &out->buf);
	}
	empty(list);
	return out_send(out);
}

static void
put_home(const struct list *list, struct out *out, struct json_out *j)
{
	if (out->json) {
		json_out_open(j, '{');
		json_out_key(j, "home");
		json_out_text(j, list->home->path);
		json_out_key(j, "sessions");
		put_sessions(list, j);
		json_out_close(j, '}');
		return;
	}
	if (out->buf.len > 0)
		buf_putc(&out->buf, '\n');
	out_put_safe(&out->buf, list->home->path);
	buf_puts(&out->buf, ":\n");
	put_table(list, &out->buf);
}

/* A home that cannot be read is told of, and does not hide the others. */
static void
list_known(struct list *list, const char *path, struct json_out *j)
{
	struct out *out = list->call->out;
	struct error err;
	struct home h;

	if (home_open(&h, path, false, &err) < 0) {
		out_note(out, "%s", err.msg);
		return;
	}
	if (fill(list, &h, &err) < 0)
		out_note(out, "%s", err.msg);
	else if (list->n > 0)
		put_home(list, out, j);
	empty(list);
	home_close(&h);
}

static int
list_homes(struct call *call, struct list *list)
{
	const struct home *here = &call->target->home;
	const struct registry_entry *other;
	struct registry r;
	struct json_out j;
	struct error err;

	if (registry_read(&r, &err) < 0)
		out_note(call->out, "%s", err.msg);
	if (here->sessions_fd >= 0)
		registry_add(&r, here);
	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_open(&j, '[');
	}
	for (size_t i = 0; i < r.n; i++)
		if (registry_is_home(registry_look(&r, &r.items[i], &other)) &&
		    other == NULL)
			list_known(list, r.items[i].path, &j);
	if (call->out->json)
		json_out_close(&j, ']');
	registry_finish(&r);
	return out_send(call->out);
}

static int
run(struct call *call)
{
	struct list list = { .call = call, .args = call->args };
	int status;

	status = operands_check(call, 0, 0, "");
	if (status != 0)
		return status;
	if (list.args->all_homes)
		return list_homes(call, &list);
	return list_home(call, &list);
}

const struct cmd cmd_ls = {
	.name = "ls",
	.usage = "[-a] [--all-homes] [--label KEY=VALUE]... [--json]",
	.summary = "list sessions",
	.details =
	    "Those that run, the newest first; with -a all there are.  They are\n"
	    "those of one home; --all-homes adds every other that hosts some.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME,
	.run = run,
};
