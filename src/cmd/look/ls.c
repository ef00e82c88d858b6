#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "home/config.h"
#include "home/damage.h"
#include "cmd/describe/label.h"
#include "cmd/look/listing.h"
#include "cmd/look/ls_watch.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "home/roster.h"
#include "cmd/target/target.h"
#include "home/vigil.h"
#include "home/words.h"
#include "session/registry.h"

struct args {
	bool all, all_homes, watch;
	struct opt_list labels;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, all, "all", 'a',
	    "those that have ended as well, with their ids"),
	OPT_FLAG(struct args, all_homes, "all-homes", 0,
	    "of every home there is ('tend homes' lists them)"),
	OPT_FLAG(struct args, watch, "watch", 'w',
	    "go on, and list again when something changes"),
	OPT_LIST(struct args, labels, "label", 'l', "KEY=VALUE",
	    "only those with this label; may be repeated"),
	{ 0 },
};

/* The sessions found. */
struct list {
	struct call *call;
	const struct args *args;
	const struct home *home;
	struct manifest *items;
	size_t n;
	bool quiet; /* what cannot be read, or lacks something, is not told */
	/* Those left out because they have ended; a person wants to know. */
	bool counts_ended;
	size_t n_ended;
	int64_t last_ms; /* when the last of them did */
	char last[NAME_SIZE_MAX + 2 + WORDS_MAX];
};

static bool
has_labels(const struct list *l, const struct manifest *m)
{
	for (size_t i = 0; i < l->args->labels.n; i++)
		if (!label_matches(m, l->args->labels.items[i].value))
			return false;
	return true;
}

static bool
is_wanted(const struct list *l, const struct manifest *m)
{
	return (l->args->all || status_is_active(m->status)) &&
	    has_labels(l, m);
}

static void
count_ended(struct list *l, const struct manifest *m)
{
	char how[WORDS_MAX];

	if (!l->counts_ended || status_is_active(m->status) ||
	    m->status == STATUS_DESTROYED || !has_labels(l, m))
		return;
	if (l->n_ended++ > 0 && m->ended_ms <= l->last_ms)
		return;
	l->last_ms = m->ended_ms;
	words_status(m, how, sizeof(how));
	snprintf(l->last, sizeof(l->last), "%s %s",
	    m->name[0] != '\0' ? m->name : m->id, how);
}

/* Who knows tmux takes what is not listed for gone, and its output too. */
static void
tell_ended(const struct list *l)
{
	if (l->n_ended == 1)
		out_note(l->call->out,
		    "1 has ended: %s ('tend ls -a' lists it)", l->last);
	else if (l->n_ended > 1)
		out_note(l->call->out,
		    "%zu have ended, the last: %s ('tend ls -a' lists them)",
		    l->n_ended, l->last);
}

/* It may have been removed since it was looked at. */
static void
tell_damage(const struct list *l, const struct roster_row *row)
{
	auto_close int fd = home_session_dir(l->home, row->id, NULL);

	if (fd >= 0)
		damage_look(&l->call->out->report, &row->m, fd, DAMAGE_DETAIL);
}

static void
tell_unread(const struct list *l, const struct roster_row *row)
{
	if (!l->quiet)
		out_note(l->call->out, "session %s: %s", row->id, row->err.msg);
}

/* One that cannot be read is told of, and does not hide the others. */
static void
take(struct list *l, struct roster *r)
{
	l->items = xcalloc(r->n > 0 ? r->n : 1, sizeof(*l->items));
	for (size_t i = 0; i < r->n; i++) {
		struct roster_row *row = &r->rows[i];

		if (row->rc < 0)
			tell_unread(l, row);
		else if (is_wanted(l, &row->m)) {
			if (!l->quiet)
				damage_tell_manifest(&l->call->out->report,
				    &row->m);
			if (row->damaged)
				tell_damage(l, row);
			l->items[l->n++] = roster_take(row);
		} else
			count_ended(l, &row->m);
	}
}

static unsigned
terminal_width(void)
{
	struct winsize ws;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
		return ws.ws_col;
	return LISTING_WIDTH;
}

/* Colours are for terminals, and for who has not said otherwise. */
static bool
wants_colours(const struct config *c)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	const char *set = config_or(c, CONFIG_COLOURS, NULL);

	if (set != NULL && strcmp(set, "auto") != 0)
		return strcmp(set, "always") == 0;
	return isatty(STDOUT_FILENO) && (no == NULL || *no == '\0') &&
	    term != NULL && strcmp(term, "dumb") != 0;
}

static struct listing
listing(const struct list *list, unsigned width)
{
	return (struct listing){
		.width = width,
		.ids = list->args->all,
		.colours = wants_colours(list->call->config),
		.now_ms = clock_ms(CLOCK_REALTIME),
	};
}

static void
put_table(const struct list *list, struct out *out)
{
	const struct listing l = listing(list, terminal_width());

	if (list->n == 0 && isatty(STDOUT_FILENO))
		out_note(out, "nothing %s; 'tend run -- COMMAND' starts one",
		    l.ids ? "there" : "runs");
	listing_put(&l, list->items, list->n, &out->buf);
}

static void
put_sessions(const struct list *list, struct json_out *j)
{
	json_out_open(j, '[');
	for (size_t i = 0; i < list->n; i++)
		manifest_json(&list->items[i],
		    status_has_live_host(list->items[i].status) ?
			list->items[i].observers :
			-1,
		    j);
	json_out_close(j, ']');
}

static int
fill(struct list *list, const struct home *home, struct error *err)
{
	struct roster roster;
	int rc = roster_read(&roster, home, list->args->all && !list->quiet,
	    err);

	list->home = home;
	if (rc == 0)
		take(list, &roster);
	listing_sort(list->items, list->n);
	roster_finish(&roster);
	return rc;
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

	list->counts_ended = !out->json && !list->args->all &&
	    isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
	if (fill(list, &call->target->home, &err) < 0) {
		status = out_fail(out, FAIL_STORAGE, "%s", err.msg);
		empty(list);
		return status;
	}
	if (out->json) {
		out_begin(out, &j);
		put_sessions(list, &j);
	} else {
		put_table(list, out);
	}
	empty(list);
	status = out_send(out);
	tell_ended(list);
	return status;
}

static void
put_home(const struct list *list, struct out *out, struct json_out *j)
{
	if (out->json) {
		json_out_open(j, '{');
		json_put_text(j, "home", list->home->path);
		json_out_key(j, "sessions");
		put_sessions(list, j);
		json_out_close(j, '}');
		return;
	}
	if (out->buf.len > 0)
		buf_putc(&out->buf, '\n');
	words_put_safe(&out->buf, list->home->path);
	buf_puts(&out->buf, ":\n");
	put_table(list, out);
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

/* ------------------------------------------------------------ --watch */

static void
put_change(const struct list *list, unsigned cols, bool ages, struct buf *out)
{
	struct listing l = listing(list, cols);
	struct json_out j;

	if (list->call->out->json) {
		json_out_init(&j, out);
		json_out_open(&j, '{');
		json_put_bool(&j, "ok", true);
		json_put_text(&j, "command", "ls");
		json_out_key(&j, "result");
		put_sessions(list, &j);
		json_out_close(&j, '}');
		buf_putc(out, '\n');
		return;
	}
	if (!ages)
		l.now_ms = 0;
	if (list->n == 0)
		buf_printf(out, "nothing %s\n", l.ids ? "is there" : "runs");
	listing_put(&l, list->items, list->n, out);
}

/* The home may be made while we watch. */
static void
open_again(struct call *call)
{
	struct handle *t = call->target;
	struct home now;

	if (t->home.sessions_fd >= 0 ||
	    home_open(&now, t->home_option, false, NULL) < 0)
		return;
	home_close(&t->home);
	t->home = now;
}

static int
list_change(void *arg, unsigned cols, bool ages, struct vigil *v,
    struct buf *out)
{
	struct list *list = arg;
	struct error err;
	bool again;
	int rc;

	open_again(list->call);
	do {
		rc = fill(list, &list->call->target->home, &err);
		again = rc == 0 &&
		    vigil_watch(v, list->home, list->items, (unsigned)list->n);
		if (again)
			empty(list);
	} while (again);
	if (rc == 0)
		put_change(list, cols, ages, out);
	empty(list);
	return rc == 0 ? 0 :
			 out_fail(list->call->out, FAIL_STORAGE, "%s", err.msg);
}

static int
watch(struct call *call, struct list *list)
{
	struct ls_watch w = { call, list_change, list };

	if (list->args->all_homes)
		return out_fail(call->out, FAIL_USAGE,
		    "--watch looks at one home; give --home instead of "
		    "--all-homes");
	list->quiet = true;
	return ls_watch(&w);
}

static int
run(struct call *call)
{
	struct list list = { .call = call, .args = call->args };
	int status;

	status = operands_check(call, 0, 0, "");
	if (status != 0)
		return status;
	if (list.args->watch)
		return watch(call, &list);
	if (list.args->all_homes)
		return list_homes(call, &list);
	return list_home(call, &list);
}

const struct cmd cmd_ls = {
	.name = "ls",
	.usage = "[-a] [-w] [--all-homes] [--label KEY=VALUE]... [--json]",
	.summary = "list sessions",
	.details =
	    "Those of one home that run, the newest first; with -a also those\n"
	    "that have ended, the last to end first.  Without -a, a terminal\n"
	    "shows how many those are, and how the last of them ended.\n"
	    "\n"
	    "LAST LINE is the lowest line with a word in it on the\n"
	    "screen, as of the last pause in its output; what runs, in brackets,\n"
	    "where there is none yet.  VIEWERS is how many are attached.  A\n"
	    "terminal of 110 columns shows the size of the log and the command as\n"
	    "well; on a narrow one, the columns of least value are left out.\n"
	    "NO_COLOR is respected.\n"
	    "--all-homes lists those of every other home as well.\n"
	    "\n"
	    "--watch goes on and lists again when something changes, on the whole\n"
	    "terminal until q or C-c is pressed.  Elsewhere every listing that\n"
	    "differs is written, with --json one a line.\n"
	    "\n"
	    "With -a the names and headers of the logs' files are looked at: when\n"
	    "some are missing, that is told and the status is 10.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME | CMD_READS_CONFIG,
	.run = run,
};
