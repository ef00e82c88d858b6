#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/look/listing.h"
#include "cmd/look/ls_watch.h"
#include "cmd/target/target.h"
#include "home/config.h"
#include "home/fault.h"
#include "home/home_watch.h"
#include "home/sessions.h"
#include "home/words.h"

struct args {
	bool all, all_homes, watch;
	struct opt_list labels;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, all, "all", 'a',
	    "also list ended sessions, with their ids"),
	OPT_FLAG(struct args, all_homes, "all-homes", 0,
	    "list the sessions of every home ('tend homes' lists these)"),
	OPT_FLAG(struct args, watch, "watch", 'w',
	    "keep running and list again after each change"),
	OPT_LIST(struct args, labels, "label", 'l', "KEY=VALUE",
	    "only sessions with this label; may be repeated"),
	{ 0 },
};

/* A listing and its command. */
struct list {
	struct call *call;
	const struct args *args;
	struct sessions_query query;
	const struct home *home;
	struct sessions found;
};

/* Users of tmux assume that an unlisted session is lost. */
static void
tell_ended(const struct list *l)
{
	if (l->found.n_ended == 1)
		out_note(l->call->out,
		    "1 session has ended: %s ('tend ls -a' lists it)",
		    l->found.last);
	else if (l->found.n_ended > 1)
		out_note(l->call->out,
		    "%zu sessions have ended, the last: %s ('tend ls -a' lists "
		    "them)",
		    l->found.n_ended, l->found.last);
}

static unsigned
terminal_width(void)
{
	struct winsize ws;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
		return ws.ws_col;
	return LISTING_WIDTH;
}

/* Use colours on terminals, unless the user has disabled them. */
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
put_table(const struct list *list, const struct sessions *s, struct out *out)
{
	const struct listing l = listing(list, terminal_width());

	if (s->n == 0 && isatty(STDOUT_FILENO))
		out_note(out, "%s; 'tend run -- COMMAND' starts one",
		    l.ids ? "no sessions" : "no running sessions");
	listing_put(&l, s->items, s->n, &out->buf);
}

static int
fill(struct list *list, const struct home *home, struct fault *f)
{
	list->home = home;
	return sessions_read(&list->found, home, &list->query,
	    &list->call->out->report, f);
}

static int
list_home(struct call *call, struct list *list)
{
	struct out *out = call->out;
	struct json_out j;
	struct fault f;
	int status;

	if (fill(list, &call->target->home, &f) < 0) {
		sessions_finish(&list->found);
		return out_fault(out, &f);
	}
	if (out->json) {
		out_begin(out, &j);
		sessions_json(&list->found, &j);
	} else {
		put_table(list, &list->found, out);
	}
	sessions_finish(&list->found);
	status = out_send(out);
	if (!out->json && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
		tell_ended(list);
	return status;
}

/* A listing of several homes and its array. */
struct homes_list {
	struct list *list;
	struct json_out *j;
};

static void
put_home(void *arg, const struct home *h, const struct sessions *s)
{
	const struct homes_list *l = arg;
	struct out *out = l->list->call->out;

	if (out->json) {
		sessions_json_home(h, s, l->j);
		return;
	}
	if (out->buf.len > 0)
		buf_putc(&out->buf, '\n');
	words_put_safe(&out->buf, h->path);
	buf_puts(&out->buf, ":\n");
	put_table(l->list, s, out);
}

static int
list_homes(struct call *call, struct list *list)
{
	struct json_out j;
	struct homes_list l = { list, &j };

	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_open(&j, '[');
	}
	sessions_each_home(&call->target->home, &list->query,
	    &call->out->report, put_home, &l);
	if (call->out->json)
		json_out_close(&j, ']');
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
		sessions_json(&list->found, &j);
		json_out_close(&j, '}');
		buf_putc(out, '\n');
		return;
	}
	if (!ages)
		l.now_ms = 0;
	if (list->found.n == 0)
		buf_printf(out, "%s\n",
		    l.ids ? "no sessions" : "no running sessions");
	listing_put(&l, list->found.items, list->found.n, out);
}

/* The home may be created while we watch. */
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
list_change(void *arg, unsigned cols, bool ages, struct home_watch *v,
    struct buf *out)
{
	struct list *list = arg;
	struct fault f;
	bool again;
	int rc;

	open_again(list->call);
	do {
		rc = fill(list, &list->call->target->home, &f);
		again = rc == 0 &&
		    home_watch_watch(v, list->home, list->found.items,
			(unsigned)list->found.n);
		if (again)
			sessions_finish(&list->found);
	} while (again);
	if (rc == 0)
		put_change(list, cols, ages, out);
	sessions_finish(&list->found);
	return rc == 0 ? 0 : out_fault(list->call->out, &f);
}

static int
watch(struct call *call, struct list *list)
{
	struct ls_watch w = { call, list_change, list };

	if (list->args->all_homes)
		return out_fail(call->out, FAIL_USAGE,
		    "--watch does not take --all-homes; give --home");
	list->query.quiet = true;
	return ls_watch(&w);
}

static int
run(struct call *call)
{
	const struct args *a = call->args;
	auto_free const char **labels = opt_list_values(&a->labels);
	struct list list = { .call = call,
		.args = a,
		.query = { .all = a->all, .labels = labels } };
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
	    "List the running sessions of one home, newest first.  -a also lists\n"
	    "ended sessions, last ended first.  Without -a, a terminal shows how\n"
	    "many have ended and how the last of them ended.\n"
	    "\n"
	    "LAST LINE is the lowest line with text on the screen, as of the last\n"
	    "pause in the output; until then, it is the command in brackets.\n"
	    "VIEWERS is the number of attached clients.  A terminal of 110 columns\n"
	    "also shows the size of the log and the command; a narrow terminal\n"
	    "shows only the most useful columns.  NO_COLOR is respected.\n"
	    "\n"
	    "--watch lists again after each change, on the whole terminal until q\n"
	    "or C-c.  If standard input or output is not a terminal, it prints\n"
	    "every listing that differs, with --json one per line.\n"
	    "\n"
	    "With -a, tend also checks the names and headers of the log files; if\n"
	    "some are missing, it reports them and the exit status is 10.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME | CMD_READS_CONFIG,
	.run = run,
};
