/* The session object of --json: docs/session.md lists its fields. */
#include "session/manifest.h"

#include <stdio.h>
#include <time.h>

#include "base/json_out.h"
#include "session/names.h"

static void
json_time(const char *key, int64_t ms, struct json_out *j)
{
	time_t seconds = (time_t)(ms / 1000);
	char date[40], text[64];
	struct tm tm;

	json_out_key(j, key);
	if (ms <= 0 || gmtime_r(&seconds, &tm) == NULL) {
		json_out_null(j);
		return;
	}
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%03dZ", date, (int)(ms % 1000));
	json_out_text(j, text);
}

/* The number, or null when there is none to tell. */
static void
json_maybe(const char *key, bool known, int64_t n, struct json_out *j)
{
	json_out_key(j, key);
	if (known)
		json_out_int(j, n);
	else
		json_out_null(j);
}

static void
json_name(const char *key, const char *name, struct json_out *j)
{
	json_out_key(j, key);
	if (name != NULL)
		json_out_text(j, name);
	else
		json_out_null(j);
}

static void
json_bool(const char *key, bool b, struct json_out *j)
{
	json_out_key(j, key);
	json_out_bool(j, b);
}

static void
json_what(const struct manifest *m, struct json_out *j)
{
	json_name("id", m->id, j);
	json_name("name", m->name, j);
	json_name("status", status_name(m->status), j);
	json_name("outcome", outcome_name(m->outcome), j);
	json_name("activity", "unknown", j);
	json_name("evidence", NULL, j);
	json_out_key(j, "command");
	json_out_open(j, '[');
	for (char **s = m->command; s != NULL && *s != NULL; s++)
		json_out_text(j, *s);
	json_out_close(j, ']');
	json_name("cwd", m->cwd, j);
	labels_write(m, j);
}

static void
json_numbers(const struct manifest *m, int observers, struct json_out *j)
{
	bool by_code = m->has_exit && m->exit_signal == 0;

	json_maybe("cols", true, m->cols, j);
	json_maybe("rows", true, m->rows, j);
	json_time("created_at", m->created_ms, j);
	json_time("ended_at", m->ended_ms, j);
	json_maybe("exit_code", by_code, m->exit_code, j);
	json_maybe("exit_signal", m->has_exit && !by_code, m->exit_signal, j);
	json_maybe("keeper_pid", m->keeper.pid != 0, m->keeper.pid, j);
	json_maybe("host_pid", m->host.pid != 0, m->host.pid, j);
	json_maybe("child_pid", m->child.pid != 0, m->child.pid, j);
	json_maybe("seq", true, (int64_t)m->seq, j);
	json_maybe("offset", true, (int64_t)m->offset, j);
	json_maybe("log_bytes", true, (int64_t)m->log_bytes, j);
	json_maybe("observers", observers >= 0, observers, j);
}

static void
json_settings(const struct manifest *m, struct json_out *j)
{
	json_name("input", input_policy_name(m->input), j);
	json_name("resize", size_policy_name(m->size), j);
	json_name("log_input", log_input_name(m->log_input), j);
	json_bool("durable", m->durable, j);
	json_maybe("max_log", true, (int64_t)m->max_log, j);
	json_maybe("idle_timeout_s", m->idle_timeout_s != 0, m->idle_timeout_s,
	    j);
	json_maybe("linger_ms", true, m->linger_ms, j);
	json_bool("unkept", m->unkept, j);
	json_name("last_line", m->last_line[0] != '\0' ? m->last_line : NULL,
	    j);
	json_name("degraded", m->degraded, j);
	json_bool("raw", m->raw, j);
	json_bool("unlogged", m->unlogged, j);
	json_name("post_mortem", m->post_mortem, j);
	json_maybe("memory_max", m->memory_max != 0, (int64_t)m->memory_max, j);
	json_maybe("pids_max", m->pids_max != 0, m->pids_max, j);
	json_maybe("cpu_weight", m->cpu_weight != 0, m->cpu_weight, j);
	json_name("cgroup", m->cgroup, j);
	json_name("unenforced", m->unenforced, j);
	json_name("restart", restart_policy_name(m->restart), j);
	json_maybe("restarts", true, m->restarts, j);
	json_name("gave_up", m->gave_up, j);
	json_bool("forget_env", m->forget_env, j);
	json_name("shell", m->shell[0] != '\0' ? m->shell : NULL, j);
	json_name("rerun_of", m->rerun_of[0] != '\0' ? m->rerun_of : NULL, j);
}

void
manifest_json(const struct manifest *m, int observers, struct json_out *j)
{
	json_out_open(j, '{');
	json_what(m, j);
	json_numbers(m, observers, j);
	json_settings(m, j);
	json_out_close(j, '}');
}
