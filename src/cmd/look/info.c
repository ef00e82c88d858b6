#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/json_tree.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "cmd/look/problems.h"
#include "cmd/target/target.h"
#include "home/damage.h"
#include "home/words.h"

/* The state that only the host knows; zero or -1 if it was not asked. */
struct fresh {
	uint64_t seq, offset, log_bytes;
	int64_t observers;
	bool unlogged;
	char degraded[256];
	const json_t *session;  /* the whole answer; borrowed */
	char lease_holder[288]; /* "": none */
};

static void
take_fresh(const struct manifest *m, const json_t *tree, struct fresh *f)
{
	const json_t *observers = json_object_get(tree, "observers");

	*f = (struct fresh){ .seq = m->seq,
		.offset = m->offset,
		.log_bytes = m->log_bytes,
		.observers = -1 };
	if (tree == NULL)
		return;
	f->unlogged = json_is_true(json_object_get(tree, "unlogged"));
	if (f->unlogged)
		snprintf(f->degraded, sizeof(f->degraded), "%s",
		    json_string_value(json_object_get(tree, "degraded")));
	if (json_is_string(json_object_get(tree, "lease_holder")))
		snprintf(f->lease_holder, sizeof(f->lease_holder), "%s",
		    json_string_value(json_object_get(tree, "lease_holder")));
	f->seq = (uint64_t)json_integer_value(json_object_get(tree, "seq"));
	f->offset = (uint64_t)json_integer_value(
	    json_object_get(tree, "offset"));
	f->log_bytes = (uint64_t)json_integer_value(
	    json_object_get(tree, "log_bytes"));
	if (json_is_integer(observers))
		f->observers = json_integer_value(observers);
	f->session = tree;
}

static void
put(struct buf *out, const char *key, const char *value)
{
	buf_printf(out, "%-12s ", key);
	words_put_safe(out, value);
	buf_putc(out, '\n');
}

static void
put_time(struct buf *out, const char *key, int64_t ms)
{
	char text[WORDS_TIME_MAX];

	words_time(ms, text);
	put(out, key, text);
}

static void
put_process(struct buf *out, const char *key, const struct process *p,
    const char *absent)
{
	char text[24];

	snprintf(text, sizeof(text), "%d", (int)p->pid);
	put(out, key, p->pid != 0 ? text : absent);
}

static void
put_processes(struct buf *out, const struct manifest *m)
{
	if (!status_is_active(m->status))
		return;
	put_process(out, "program", &m->child, "none");
	put_process(out, "host", &m->host, "away");
	put_process(out, "keeper", &m->keeper, "none");
}

static void
put_labels(struct buf *out, const struct manifest *m)
{
	for (size_t i = 0; i < m->n_labels; i++) {
		buf_printf(out, "%-12s ", i == 0 ? "labels" : "");
		words_put_safe(out, m->labels[i].key);
		buf_putc(out, '=');
		words_put_safe(out, m->labels[i].value);
		buf_putc(out, '\n');
	}
}

static void
put_log(struct buf *out, const struct manifest *m, const struct fresh *f)
{
	char bytes[24], text[160];

	words_bytes(f->log_bytes, bytes, sizeof(bytes));
	snprintf(text, sizeof(text),
	    "%" PRIu64 " events, %" PRIu64 " bytes of output, %s on disk",
	    f->seq, f->offset, bytes);
	put(out, "log", text);
	words_bytes(m->max_log, bytes, sizeof(bytes));
	snprintf(text, sizeof(text), "at most %s, input %s%s", bytes,
	    log_input_name(m->log_input), m->durable ? ", durable" : "");
	put(out, "", text);
}

/* "uid:1000#3" is a user and the number of a connection. */
static void
put_input(struct buf *out, const struct manifest *m, const struct fresh *f)
{
	const struct passwd *pw = NULL;
	unsigned uid = 0, number = 0;
	char text[sizeof(f->lease_holder) + 32];

	if (sscanf(f->lease_holder, "uid:%u#%u", &uid, &number) == 2)
		pw = getpwuid(uid);
	if (pw != NULL)
		snprintf(text, sizeof(text), "%s, held by %.60s (client %u)",
		    input_policy_name(m->input), pw->pw_name, number);
	else if (f->lease_holder[0] != '\0')
		snprintf(text, sizeof(text), "%s, held by %s",
		    input_policy_name(m->input), f->lease_holder);
	else
		snprintf(text, sizeof(text), "%s", input_policy_name(m->input));
	put(out, "input", text);
}

static const char *
text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* "user:ann via uid:1000, read-only, since ..." */
static void
put_viewers(struct buf *out, const json_t *viewers)
{
	const json_t *v;
	size_t i;

	json_array_foreach(viewers, i, v)
	{
		const char *by = text_of(v, "by"), *peer = text_of(v, "peer");
		const char *access = text_of(v, "access");
		const char *since = text_of(v, "since");
		char text[512];

		if (by == NULL || peer == NULL || access == NULL ||
		    since == NULL)
			continue;
		snprintf(text, sizeof(text), "%s%s%s%s, since %s", by,
		    strcmp(by, peer) != 0 ? " via " : "",
		    strcmp(by, peer) != 0 ? peer : "",
		    strcmp(access, "readonly") == 0 ? ", read-only" : "",
		    since);
		put(out, i == 0 ? "viewers" : "", text);
	}
}

static void
put_confinement(struct buf *out, const struct manifest *m)
{
	if (m->created_by != NULL)
		put(out, "created in", m->created_by[0]);
	if (m->confined)
		put(out, "confined",
		    m->may == NULL ? "to sessions that it creates" :
				     "to sessions that it creates, but may");
	for (char **may = m->may; may != NULL && *may != NULL; may++)
		put(out, "", *may);
}

static void
put_policies(struct buf *out, const struct manifest *m, const struct fresh *f)
{
	char text[64];

	snprintf(text, sizeof(text), "%ux%u (%s)", m->cols, m->rows,
	    size_policy_name(m->size));
	put(out, "size", text);
	put_input(out, m, f);
	if (f->observers >= 0) {
		snprintf(text, sizeof(text), "%" PRId64, f->observers);
		put(out, "observers", text);
	}
	put_viewers(out, json_object_get(f->session, "viewers"));
}

/* The program's own status, which cannot be verified. */
static void
put_program(struct buf *out, const json_t *program)
{
	const char *kind = text_of(program, "kind");
	const char *app = text_of(program, "app");
	const char *text = text_of(program, "text");
	char line[160];

	if (!json_is_object(program))
		return;
	snprintf(line, sizeof(line), "%s%s%s%s%s, since %s",
	    text_of(program, "state"), kind != NULL ? ": " : "",
	    kind != NULL ? kind : "", app != NULL ? ", by " : "",
	    app != NULL ? app : "", text_of(program, "since"));
	put(out, "says", line);
	if (text != NULL)
		put(out, "", text);
}

/* "claude 2.1.325, idle since ...", and the evidence for it. */
static void
put_agent(struct buf *out, const json_t *session)
{
	const json_t *agent = json_object_get(session, "agent");
	const json_t *evidence = json_object_get(session, "evidence");
	const char *version = text_of(agent, "version");
	char line[160];

	if (!json_is_object(agent) || !json_is_object(evidence))
		return;
	snprintf(line, sizeof(line), "%s%s%s, %s since %s",
	    text_of(agent, "name"), version != NULL ? " " : "",
	    version != NULL ? version : "", text_of(session, "activity"),
	    text_of(evidence, "since"));
	put(out, "agent", line);
	put(out, "", text_of(evidence, "why"));
}

static void
put_limits(struct buf *out, const struct manifest *m)
{
	char bytes[24], text[64];

	if (m->memory_max != 0) {
		words_bytes(m->memory_max, bytes, sizeof(bytes));
		put(out, "memory limit", bytes);
	}
	if (m->pids_max != 0) {
		snprintf(text, sizeof(text), "%" PRIu32 " processes",
		    m->pids_max);
		put(out, "pids limit", text);
	}
	if (m->cpu_weight != 0) {
		snprintf(text, sizeof(text), "%" PRIu32, m->cpu_weight);
		put(out, "cpu weight", text);
	}
	if (m->unenforced != NULL) {
		buf_printf(out, "%-12s not enforced: ", "limits");
		words_put_safe(out, m->unenforced);
		buf_putc(out, '\n');
	}
}

static void
put_restart(struct buf *out, const struct manifest *m)
{
	char text[96];

	if (m->restart == RESTART_NEVER)
		return;
	snprintf(text, sizeof(text), "%s, %" PRIu32 " so far%s",
	    restart_policy_name(m->restart), m->restarts,
	    status_is_active(m->status) && m->child.pid == 0 ?
		"; waiting to restart" :
		"");
	put(out, "restarts", text);
	if (m->gave_up != NULL)
		put(out, "stays down", m->gave_up);
}

/* Problems and their remedies. */
static void
put_problems(struct buf *out, const struct manifest *m, const struct fresh *f)
{
	problems_put(m, f->unlogged ? f->degraded : NULL, out);
	if (m->post_mortem != NULL)
		put(out, "post-mortem", m->post_mortem);
}

static void
put_command(struct buf *out, const struct manifest *m)
{
	buf_printf(out, "%-12s ", "command");
	words_command(m->command, out);
	buf_putc(out, '\n');
	put(out, "directory", m->cwd != NULL ? m->cwd : "");
}

static void
put_words(struct buf *out, const struct manifest *m, const struct fresh *f)
{
	char how[WORDS_MAX];

	words_outcome(m, how, sizeof(how));
	put(out, "name", m->name);
	put(out, "id", m->id);
	put(out, "status", status_name(m->status));
	if (!status_is_active(m->status))
		put(out, "", how);
	put_command(out, m);
	if (m->rerun_of[0] != '\0')
		put(out, "rerun of", m->rerun_of);
	put_labels(out, m);
	put_confinement(out, m);
	put_policies(out, m, f);
	put_time(out, "created", m->created_ms);
	if (m->ended_ms != 0)
		put_time(out, "ended", m->ended_ms);
	put_processes(out, m);
	put_agent(out, f->session);
	put_program(out, json_object_get(f->session, "program_status"));
	put_log(out, m, f);
	put_limits(out, m);
	put_restart(out, m);
	put_problems(out, m, f);
}

static int
show(struct call *call, const char *from_host)
{
	const struct manifest *m = &call->target->session;
	auto_json json_t *tree = NULL;
	struct json_out j;
	struct fresh f;

	if (call->out->json) {
		out_begin(call->out, &j);
		if (from_host != NULL)
			json_out_json(&j, from_host);
		else
			manifest_json(m, &j);
		return out_send(call->out);
	}
	if (from_host != NULL)
		tree = json_loads(from_host, 0, NULL);
	take_fresh(m, tree, &f);
	put_words(&call->out->buf, m, &f);
	return out_send(call->out);
}

/*
 * K-18: ask the host if the session runs, otherwise read its files.  If the
 * host does not answer, session.json is used.
 */
static int
run(struct call *call)
{
	struct handle *t = call->target;
	auto_free char *result = NULL;
	int status;

	status = operands_check(call, 0, 0, "");
	if (status != 0)
		return status;
	if (status_has_live_host(t->session.status))
		result = handle_try(t, "session.get", "{}");
	if (!handle_is_gone(t))
		damage_look(&call->out->report, &t->session, t->dirfd,
		    DAMAGE_DEEP);
	return show(call, result);
}

const struct cmd cmd_info = {
	.name = "info",
	.usage = "[SESSION] [--json]",
	.summary = "show a session's details",
	.details =
	    "Without SESSION, show the session this is typed in, otherwise the\n"
	    "newest.  For an ended session tend also checks the log files; if some\n"
	    "of the log is missing, it reports that and the exit status is 10.\n",
	.needs = CMD_NEEDS_SESSION | CMD_NEWEST | CMD_FINDS_DESTROYED,
	.run = run,
};
