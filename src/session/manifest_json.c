/* The session object of --json: docs/session.md lists its fields. */
#include "session/manifest.h"

#include "base/json_out.h"
#include "session/manifest_state.h"

/* After a program has ended, its agent has ended too. */
static bool
has_agent(const struct manifest *m)
{
	return m->agent.name[0] != '\0' && status_is_active(m->status);
}

void
manifest_evidence_json(const struct manifest *m, struct json_out *j)
{
	const struct manifest_agent *a = &m->agent;

	if (!has_agent(m)) {
		json_out_null(j);
		return;
	}
	json_out_open(j, '{');
	json_put_text(j, "source", a->source);
	json_put_text(j, "confidence", a->confidence);
	json_put_text(j, "why", a->why);
	json_put_time(j, "since", a->since_ms);
	json_out_close(j, '}');
}

void
manifest_agent_json(const struct manifest *m, struct json_out *j)
{
	if (!has_agent(m)) {
		json_out_null(j);
		return;
	}
	json_out_open(j, '{');
	json_put_text(j, "name", m->agent.name);
	json_put_text(j, "version", json_filled(m->agent.version));
	json_out_close(j, '}');
}

enum activity
manifest_activity(const struct manifest *m)
{
	return has_agent(m) ? m->agent.activity : ACTIVITY_UNKNOWN;
}

void
manifest_put_agent(const struct manifest *m, struct json_out *j)
{
	json_out_key(j, "agent");
	manifest_agent_json(m, j);
	json_put_text(j, "activity", activity_name(manifest_activity(m)));
	json_out_key(j, "evidence");
	manifest_evidence_json(m, j);
}

static void
json_what(const struct manifest *m, struct json_out *j)
{
	json_put_text(j, "id", m->id);
	json_put_text(j, "name", m->name);
	json_put_text(j, "status", status_name(m->status));
	json_put_text(j, "outcome", outcome_name(m->outcome));
	manifest_put_agent(m, j);
	json_put_open(j, "command", '[');
	for (char **s = m->command; s != NULL && *s != NULL; s++)
		json_out_text(j, *s);
	json_out_close(j, ']');
	json_put_text(j, "cwd", m->cwd);
	labels_write(m, j);
}

static void
json_numbers(const struct manifest *m, struct json_out *j)
{
	bool by_code = m->has_exit && m->exit_signal == 0;

	json_put_int(j, "cols", m->cols);
	json_put_int(j, "rows", m->rows);
	json_put_time(j, "created_at", m->created_ms);
	json_put_time(j, "ended_at", m->ended_ms);
	json_put_maybe(j, "exit_code", by_code, m->exit_code);
	json_put_maybe(j, "exit_signal", m->has_exit && !by_code,
	    m->exit_signal);
	json_put_maybe(j, "keeper_pid", m->keeper.pid != 0, m->keeper.pid);
	json_put_maybe(j, "host_pid", m->host.pid != 0, m->host.pid);
	json_put_maybe(j, "child_pid", m->child.pid != 0, m->child.pid);
	json_put_int(j, "seq", (int64_t)m->seq);
	json_put_int(j, "offset", (int64_t)m->offset);
	json_put_int(j, "log_bytes", (int64_t)m->log_bytes);
	json_put_maybe(j, "observers", m->observers >= 0, m->observers);
}

/* After a program has ended, only its exit status is known. */
void
manifest_said_json(const struct manifest *m, struct json_out *j)
{
	const struct said *s = &m->said;

	if (s->state[0] == '\0' || !status_is_active(m->status)) {
		json_out_null(j);
		return;
	}
	json_out_open(j, '{');
	json_put_text(j, "state", s->state);
	json_put_text(j, "kind", json_filled(s->kind));
	json_put_text(j, "app", json_filled(s->app));
	json_put_text(j, "text", s->text);
	json_put_time(j, "since", s->since_ms);
	json_out_close(j, '}');
}

/* The last notification; null: none. */
static void
put_notice(struct json_out *j, const struct notices *n)
{
	json_out_key(j, "notice");
	if (n->count == 0) {
		json_out_null(j);
		return;
	}
	json_out_open(j, '{');
	json_put_text(j, "title", n->title);
	json_put_text(j, "text", n->text);
	json_put_time(j, "at", n->ms);
	json_out_close(j, '}');
}

static void
json_notices(const struct manifest *m, struct json_out *j)
{
	json_put_text(j, "title", json_filled(m->title));
	json_put_int(j, "bells", (int64_t)m->notices.bells);
	json_put_time(j, "bell_at", m->notices.bell_ms);
	json_put_int(j, "notices", (int64_t)m->notices.count);
	put_notice(j, &m->notices);
}

static void
json_settings(const struct manifest *m, struct json_out *j)
{
	json_put_text(j, "input", input_policy_name(m->input));
	json_put_text(j, "lease_holder", m->lease_holder);
	json_put_text(j, "resize", size_policy_name(m->size));
	json_put_text(j, "log_input", log_input_name(m->log_input));
	json_put_bool(j, "durable", m->durable);
	json_put_int(j, "max_log", (int64_t)m->max_log);
	json_put_maybe(j, "idle_timeout_s", m->idle_timeout_s != 0,
	    m->idle_timeout_s);
	json_put_int(j, "linger_ms", m->linger_ms);
	json_put_int(j, "scrollback", m->scrollback);
	json_put_bool(j, "unkept", m->unkept);
	json_put_text(j, "last_line", json_filled(m->last_line));
	json_out_key(j, "program_status");
	manifest_said_json(m, j);
	json_notices(m, j);
	json_put_text(j, "degraded", m->degraded);
	json_put_bool(j, "raw", m->raw);
	json_put_bool(j, "unlogged", m->unlogged);
	json_put_text(j, "post_mortem", m->post_mortem);
	json_put_maybe(j, "memory_max", m->memory_max != 0,
	    (int64_t)m->memory_max);
	json_put_maybe(j, "pids_max", m->pids_max != 0, m->pids_max);
	json_put_maybe(j, "cpu_weight", m->cpu_weight != 0, m->cpu_weight);
	json_put_text(j, "cgroup", m->cgroup);
	json_put_text(j, "unenforced", m->unenforced);
	json_put_text(j, "restart", restart_policy_name(m->restart));
	json_put_int(j, "restarts", m->restarts);
	json_put_text(j, "gave_up", m->gave_up);
	json_put_bool(j, "forget_env", m->forget_env);
	json_put_text(j, "shell", json_filled(m->shell));
	json_put_text(j, "rerun_of", json_filled(m->rerun_of));
	json_put_bool(j, "confined", m->confined);
	json_put_open(j, "may", '[');
	for (char **s = m->may; s != NULL && *s != NULL; s++)
		json_out_text(j, *s);
	json_out_close(j, ']');
	json_put_text(j, "created_by",
	    m->created_by != NULL ? m->created_by[0] : NULL);
}

static void
json_viewer(const struct manifest_viewer *v, struct json_out *j)
{
	json_out_open(j, '{');
	json_put_int(j, "client", (int64_t)v->client);
	json_put_text(j, "by",
	    v->principal[0] != '\0' ? v->principal : v->peer);
	json_put_text(j, "verified", json_filled(v->verified));
	json_put_text(j, "peer", v->peer);
	json_put_text(j, "access", v->readonly ? "readonly" : "readwrite");
	json_put_time(j, "since", v->since_ms);
	json_out_close(j, '}');
}

static void
json_viewers(const struct manifest *m, struct json_out *j)
{
	if (m->viewers == NULL) {
		json_put_text(j, "viewers", NULL);
		return;
	}
	json_put_open(j, "viewers", '[');
	for (size_t i = 0; i < m->n_viewers; i++)
		json_viewer(&m->viewers[i], j);
	json_out_close(j, ']');
}

void
manifest_json(const struct manifest *m, struct json_out *j)
{
	json_out_open(j, '{');
	json_what(m, j);
	json_numbers(m, j);
	json_settings(m, j);
	json_viewers(m, j);
	json_out_close(j, '}');
}
