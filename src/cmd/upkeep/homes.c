#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/words.h"
#include "session/disk.h"
#include "session/registry.h"

#define NOTE_MAX (PATH_MAX + 256)

struct args {
	bool all;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, all, "all", 'a',
	    "those without an active session as well, and those gone"),
	{ 0 },
};

/* An entry of the registry and what is true of it. */
struct row {
	const struct registry_entry *entry;
	enum registry_state state;
	bool here; /* it is the one that --home or TEND_HOME names */
	unsigned active, sessions;
	uint64_t log_bytes;
	struct disk disk; /* kind is NULL when it is not known */
	const char *moved_to;
	char note[NOTE_MAX]; /* "" for none */
};

/* ----------------------------------------------------------------- looking */

struct tally {
	const struct home *home;
	struct row *row;
};

static int
on_session(void *arg, const char *id)
{
	struct tally *t = arg;
	auto_close int fd = home_session_dir(t->home, id, NULL);
	struct manifest m;

	t->row->sessions++;
	if (fd < 0 || manifest_read_now(fd, &m, NULL) < 0)
		return 0;
	t->row->active += status_is_active(m.status);
	t->row->log_bytes += m.log_bytes;
	manifest_finish(&m);
	return 0;
}

static void
look_inside(struct row *row)
{
	struct error err = { 0 };
	struct home h;
	struct tally t = { &h, row };

	if (home_open(&h, row->entry->path, false, &err) < 0) {
		row->state = REGISTRY_CLOSED;
		snprintf(row->note, sizeof(row->note), "%s", err.msg);
		return;
	}
	if (home_each(&h, on_session, &t, &err) < 0)
		snprintf(row->note, sizeof(row->note), "%s", err.msg);
	if (disk_look(h.fd, &row->disk) < 0)
		row->disk.kind = NULL;
	home_close(&h);
}

static void
explain(struct row *row)
{
	const char *advice = NULL;

	switch (row->state) {
	case REGISTRY_MOVED:
		snprintf(row->note, sizeof(row->note), "moved to %s",
		    row->moved_to);
		break;
	case REGISTRY_GONE:
		snprintf(row->note, sizeof(row->note),
		    "gone: moved, removed, or its disk is not mounted");
		break;
	case REGISTRY_NO_HOME:
		snprintf(row->note, sizeof(row->note),
		    "no home any more: there are no sessions in it");
		break;
	case REGISTRY_CLOSED:
		if (row->note[0] == '\0')
			snprintf(row->note, sizeof(row->note),
			    "cannot be looked at: permission denied");
		break;
	case REGISTRY_REPLACED:
	case REGISTRY_THERE:
		if (row->disk.kind != NULL)
			advice = disk_advice(&row->disk);
		if (row->note[0] == '\0' && advice != NULL)
			snprintf(row->note, sizeof(row->note), "on %s: %s",
			    row->disk.kind, advice);
		else if (row->note[0] == '\0' &&
		    row->state == REGISTRY_REPLACED)
			snprintf(row->note, sizeof(row->note),
			    "another directory than when it was used last");
		break;
	}
}

/* False when the entry has nothing to tell that another does not. */
static bool
look(const struct registry *r, size_t i, const struct stat *here,
    struct row *row)
{
	const struct registry_entry *other;

	*row = (struct row){ .entry = &r->items[i] };
	row->state = registry_look(r, row->entry, &other);
	if (registry_is_home(row->state) && other != NULL)
		return false;
	row->moved_to = other != NULL ? other->path : NULL;
	if (registry_is_home(row->state)) {
		row->here = row->entry->ino == here->st_ino &&
		    row->entry->dev == here->st_dev;
		look_inside(row);
	}
	explain(row);
	return true;
}

/* ----------------------------------------------------------------- showing */

static void
put_note(struct buf *out, const struct row *row)
{
	if (row->note[0] == '\0')
		return;
	buf_printf(out, "%32s", "");
	words_put_safe(out, row->note);
	buf_putc(out, '\n');
}

static void
put_row(struct buf *out, const struct row *row, int64_t now_ms)
{
	char active[16] = "-", sessions[16] = "-", log[24] = "-", used[16];

	if (registry_is_home(row->state)) {
		snprintf(active, sizeof(active), "%u", row->active);
		snprintf(sessions, sizeof(sessions), "%u", row->sessions);
		words_bytes(row->log_bytes, log, sizeof(log));
	}
	words_age(now_ms - row->entry->used_ms, used, sizeof(used));
	buf_printf(out, "%6s  %8s  %8s  %4s  ", active, sessions, log, used);
	words_put_safe(out, row->entry->path);
	buf_puts(out, row->here ? " (here)\n" : "\n");
	put_note(out, row);
}

static void
put_json(struct json_out *j, const struct row *row)
{
	char used[WORDS_TIME_MAX];

	words_time(row->entry->used_ms, used);
	json_out_open(j, '{');
	json_put_text(j, "path", row->entry->path);
	json_put_text(j, "state", registry_state_name(row->state));
	json_put_bool(j, "here", row->here);
	json_put_number(j, "active", row->active);
	json_put_number(j, "sessions", row->sessions);
	json_put_number(j, "log_bytes", row->log_bytes);
	json_put_text(j, "used_at", used);
	json_put_text(j, "disk", row->disk.kind);
	json_put_text(j, "moved_to", row->moved_to);
	json_put_text(j, "note", row->note[0] != '\0' ? row->note : NULL);
	json_out_close(j, '}');
}

static void
put_rows(struct call *call, const struct registry *r)
{
	const struct args *a = call->args;
	struct buf *out = &call->out->buf;
	const struct home *home = &call->target->home;
	int64_t now_ms = clock_ms(CLOCK_REALTIME);
	struct stat here = { 0 };
	struct json_out j;
	struct row row;

	if (home->fd >= 0)
		(void)fstat(home->fd, &here);
	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_open(&j, '[');
	}
	for (size_t i = 0; i < r->n; i++) {
		if (!look(r, i, &here, &row))
			continue;
		/* It may have been moved here, with what runs in it. */
		if (row.here && row.active > 0)
			(void)registry_record(home);
		if (!a->all && row.active == 0)
			continue;
		if (call->out->json) {
			put_json(&j, &row);
			continue;
		}
		if (out->len == 0)
			buf_puts(out,
			    "ACTIVE  SESSIONS       LOG  USED  HOME\n");
		put_row(out, &row, now_ms);
	}
	if (call->out->json)
		json_out_close(&j, ']');
}

static int
list(struct call *call)
{
	const struct home *here = &call->target->home;
	struct registry r;
	struct error err;

	if (registry_read(&r, &err) < 0)
		out_note(call->out, "%s", err.msg);
	if (here->sessions_fd >= 0)
		registry_add(&r, here);
	put_rows(call, &r);
	registry_finish(&r);
	/* What was shown once as moved, or long ago as gone, need not stay. */
	(void)registry_prune();
	return out_send(call->out);
}

/*
 * By its path as it is in the list, or by any other that leads there, or that
 * would if the home were not gone.
 */
static int
forget_path(const char *arg, char path[PATH_MAX], struct error *err)
{
	char real[PATH_MAX];
	int rc = home_path(arg, path, err);

	if (rc < 0)
		return rc;
	rc = registry_forget(path, err);
	if (rc != -ENOENT)
		return rc;
	if (realpath(arg, real) != NULL)
		memcpy(path, real, sizeof(real));
	else
		path_clean(path);
	return registry_forget(path, err);
}

static int
forget(struct call *call, const char *arg)
{
	char path[PATH_MAX];
	struct error err;
	struct json_out j;
	int rc;

	rc = forget_path(arg, path, &err);
	if (rc == -ENOENT)
		return out_fail(call->out, FAIL_NOT_FOUND,
		    "%s; 'tend homes --all' shows it", err.msg);
	if (rc < 0)
		return out_fail(call->out, FAIL_STORAGE, "%s", err.msg);
	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_open(&j, '{');
		json_put_text(&j, "forgotten", path);
		json_out_close(&j, '}');
	}
	return out_send(call->out);
}

static int
run(struct call *call)
{
	int status;

	if (call->argc == 0)
		return list(call);
	if (strcmp(call->argv[0], "forget") != 0)
		return out_fail(call->out, FAIL_USAGE,
		    "%s: there is only 'tend homes' and 'tend homes forget "
		    "DIR'",
		    call->argv[0]);
	status = operands_check(call, 2, 2, "the directory to forget");
	return status != 0 ? status : forget(call, call->argv[1]);
}

const struct cmd cmd_homes = {
	.name = "homes",
	.usage = "[-a] [forget DIR] [--json]",
	.summary = "list the homes that sessions are in",
	.details =
	    "Those with an active session; with -a every one on this machine\n"
	    "that has hosted a session, and what became of it.  'forget' takes\n"
	    "one off the list and touches no file of it; its next session enters\n"
	    "it again.  What was moved leaves the list by itself, and what is\n"
	    "gone after 30 days.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME,
	.run = run,
};
