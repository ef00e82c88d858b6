#include "home/waiting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "home/damage.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/report.h"
#include "log/replay.h"
#include "op/ledger.h"
#include "op/sight.h"
#include "vt/story.h"
#include "vt/vt.h"

/* The extra time that a host gets beyond the timeout. */
#define MARGIN_MS 10000

bool
waiting_matched(const struct waiting_one *one)
{
	return json_is_true(json_object_get(one->result, "matched"));
}

bool
waiting_timed_out(const struct waiting_one *one)
{
	return json_is_true(json_object_get(one->result, "timed_out"));
}

/* Stop listening to the host. */
static void
leave(const struct waiting *w, struct waiting_one *one)
{
	if (one->live)
		epoll_ctl(w->epoll, EPOLL_CTL_DEL, one->handle->conn.fd, NULL);
	one->live = false;
}

/* True if some session matched, even if the first one is not known yet. */
static bool
is_decided(const struct waiting *w)
{
	return w->any && w->first != NULL;
}

/* Hosts of old versions send no time: use the time of arrival. */
static void
note_match(struct waiting *w, struct waiting_one *one)
{
	const json_t *seen = json_object_get(one->result, "time_ns");

	one->seen_ns = json_is_integer(seen) ? json_integer_value(seen) :
					       clock_ns(CLOCK_BOOTTIME);
	if (w->first == NULL)
		w->rest_until = clock_ms(CLOCK_MONOTONIC) + WAITING_REST_MS;
	if (w->first == NULL || one->seen_ns < w->first->seen_ns)
		w->first = one;
}

static int
take_result(struct waiting *w, struct waiting_one *one, char *json)
{
	leave(w, one);
	one->result = json_tree_object(json, strlen(json), NULL);
	free(json);
	if (one->result == NULL)
		return fault_set(w->fault, FAIL_PROTOCOL,
		    "session %s: the host's answer is invalid",
		    handle_name(one->handle));
	if (waiting_matched(one))
		note_match(w, one);
	return 0;
}

/* ------------------------------------------------- sessions that have ended */

struct offline {
	struct condition c;
	struct ledger ledger;
	struct glimpse glimpse;
	struct finding found;
	unsigned missed; /* matches that do not count */
	bool seen;       /* `found` was seen between frames */
	bool matched;    /* matched at a frame before the last */
	int error;
	uint64_t last_seq; /* the last event that changed a frame */
	const struct manifest *session;
};

/*
 * Convert a time of the log to CLOCK_BOOTTIME.  Times before this boot are
 * negative, computed with the wall clock.
 */
static int64_t
moment(const struct manifest *m, uint64_t time_ns)
{
	int64_t began = (int64_t)m->began_ns;
	char boot[40];

	if (boot_id(boot) == 0 && strcmp(boot, m->boot_id) != 0)
		began = clock_ns(CLOCK_BOOTTIME) - clock_ns(CLOCK_REALTIME) +
		    m->created_ms * 1000000;
	return began + (int64_t)time_ns;
}

/* A past frame: only the last one belongs to an ended session. */
static bool
on_frame(void *arg, const struct replay *at, bool frame)
{
	struct offline *o = arg;
	struct sight s;
	int rc = 0;

	if (!frame && !o->seen && o->error == 0) {
		const struct moment m = { at->vt, &o->ledger, at->seq + 1,
			false };

		rc = glimpse_look(&o->glimpse, &m, &o->c, &o->found);
		o->seen = rc == 1;
	}
	if (frame)
		glimpse_drop(&o->glimpse);
	if (frame && !o->seen && rc == 0) {
		sight_init(&s, at->vt);
		s.ledger = &o->ledger;
		s.shown_seq = o->last_seq = at->seq;
		s.happened = at->happened;
		rc = sight_test(&s, &o->c, 0, &o->found);
		o->missed |= s.missed | o->glimpse.missed;
		sight_finish(&s);
	}
	if (rc < 0)
		o->error = rc;
	o->matched = frame && (o->seen || rc == 1);
	return !o->matched && o->error == 0;
}

/* With --seen everything that was ever shown counts. */
static int
replay(struct offline *o, struct log_reader *r, struct replay *at,
    struct error *err)
{
	const struct replay_watch watch = {
		.after = o->c.after,
		.slices = o->c.seen,
		.fn = on_frame,
		.arg = o,
		.story = &ledger_story,
		.story_arg = &o->ledger,
	};
	const struct replay_watch echo = {
		.story = &ledger_story,
		.story_arg = &o->ledger,
	};

	if (!o->c.has_after && !o->c.seen)
		return replay_end_watched(r, true, &echo, at, err);
	return replay_watched(r, UINT64_MAX, &watch, at, err);
}

/* The time without output and input before the end; -1: unknown. */
static int64_t
quiet_ms(struct log_reader *r, uint64_t end_offset)
{
	uint64_t active = 0, ended = 0;
	struct record rec;

	if (log_reader_seek(r, LOG_BY_OFFSET,
		end_offset > 0 ? end_offset - 1 : 0) < 0)
		return -1;
	while (log_reader_next_there(r, &rec)) {
		if (rec.type == RECORD_OUTPUT || rec.type == RECORD_INPUT)
			active = rec.time_ns;
		else if (rec.type == RECORD_EXIT)
			ended = rec.time_ns;
	}
	return ended >= active ? (int64_t)((ended - active) / 1000000) : -1;
}

/*
 * Check the last screen, as it was at the session's end.  One screen does not
 * show how long it was stable (K-13), and no command ends any more; earlier
 * ones count if `after` asks for them.
 */
static int
judge(struct offline *o, struct log_reader *r, const struct replay *at,
    char **json)
{
	struct verdict v = { .conditions = o->c.wanted, .seq = at->shown_seq };
	struct json_out j;
	struct sight s;
	struct buf b;
	int rc = o->error;

	sight_init(&s, at->vt);
	s.ended = true;
	s.ledger = &o->ledger;
	s.shown_seq = o->last_seq;
	s.happened = at->happened;
	if (o->session->has_exit) {
		s.exit_code = o->session->exit_code;
		s.exit_signal = o->session->exit_signal;
	}
	s.shown_ns = s.now_ns = moment(o->session, at->time_ns);
	if (condition_wants(&o->c, CONDITION_IDLE))
		s.idle_ms = quiet_ms(r, at->offset);
	if (rc == 0 && (o->matched || o->seen))
		rc = 1;
	else if (rc == 0)
		rc = sight_test(&s, &o->c, UINT64_MAX, &o->found);
	v.matched = rc == 1;
	v.found = o->found;
	if (rc == 0)
		v.conditions = sight_unmet(&s, &o->c, UINT64_MAX);
	v.missed = o->missed | s.missed;
	buf_init(&b, SIZE_MAX);
	json_out_init(&j, &b);
	verdict_json(&v, &s, &j);
	*json = buf_take(&b);
	sight_finish(&s);
	return rc;
}

static int
look_into_log(struct waiting *w, struct handle *h, struct offline *o,
    char **json)
{
	struct replay at = { 0 };
	struct log_reader *r;
	struct error err;
	int status, rc;

	status = handle_open_log(h, &r, w->fault);
	if (status != 0)
		return status;
	rc = replay(o, r, &at, &err);
	if (rc == 0 && vt_in_sync(at.vt)) /* the end completes the update */
		ledger_story.frame(&o->ledger, at.vt, at.seq,
		    (int64_t)(at.time_ns / 1000000));
	if (rc < 0)
		damage_explain(w->report, &h->session, r);
	else if (!handle_is_gone(h))
		damage_report_all(w->report, &h->session, r);
	if (rc < 0)
		status = fault_set(w->fault, FAIL_REPLAY,
		    "cannot show session %s: %s", handle_name(h), err.msg);
	else if (judge(o, r, &at, json) < 0)
		status = fault_set(w->fault, FAIL_USAGE,
		    "'regex' takes too long on the output of session %s",
		    handle_name(h));
	vt_destroy(at.vt);
	log_reader_close(r);
	return status;
}

static int
ask_log(struct waiting *w, struct waiting_one *one)
{
	struct offline o = { .session = &one->handle->session };
	char *json = NULL;
	int status;

	if (condition_read(&o.c, w->args, CONDITION_ARGUMENTS, NULL) < 0)
		return fault_set(w->fault, FAIL_INTERNAL,
		    "the conditions were checked earlier");
	glimpse_init(&o.glimpse);
	status = look_into_log(w, one->handle, &o, &json);
	glimpse_finish(&o.glimpse);
	ledger_finish(&o.ledger);
	finding_finish(&o.found);
	condition_finish(&o.c);
	if (status != 0) {
		free(json);
		return status;
	}
	return take_result(w, one, json);
}

/* ------------------------------------------------------- sessions that run */

static uint64_t
time_left(int64_t until)
{
	int64_t left = until - clock_ms(CLOCK_MONOTONIC);

	return left > 0 ? (uint64_t)left : 0;
}

/* Listen to the host; after a retry it may be watched already. */
static int
watch(const struct waiting *w, int fd, struct waiting_one *one)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = one };

	if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 && errno != EEXIST)
		return fault_set(w->fault, FAIL_INTERNAL, "cannot wait: %s",
		    strerror(errno));
	return 0;
}

/* If a session can only replace an existing match, the timeout is short. */
static int
reach(const struct waiting *w, struct waiting_one *one, struct error *err)
{
	if (!is_decided(w))
		return handle_reach(one->handle, err);
	return handle_reach_within(one->handle, (int)time_left(w->rest_until),
	    err);
}

/* Ask the session's host, or search the log if it has ended. */
static int
ask(struct waiting *w, struct waiting_one *one, int64_t until)
{
	auto_free char *args = NULL;
	struct error err = { 0 };
	int rc = 0;

	one->live = false;
	if (!status_has_live_host(one->handle->session.status))
		return ask_log(w, one);
	json_object_set_new(w->args, "timeout_ms",
	    json_integer((json_int_t)time_left(until)));
	args = json_dumps(w->args, JSON_COMPACT);
	if (one->handle->conn.fd < 0)
		rc = reach(w, one, &err);
	if (rc == 0)
		rc = conn_ask(&one->handle->conn, "session.wait", args,
		    &one->id, &err);
	if (rc == 0) {
		one->live = true;
		return watch(w, one->handle->conn.fd, one);
	}
	/* The session may have ended meanwhile. */
	if (handle_refresh(one->handle, NULL) == 0 &&
	    !status_has_live_host(one->handle->session.status))
		return ask_log(w, one);
	if (is_decided(w))
		return 0;
	return fault_set(w->fault, handle_conn_failure(rc),
	    "cannot reach session %s: %s", handle_name(one->handle), err.msg);
}

/* The host has exited: another one follows, or the session has ended. */
static int
ask_again(struct waiting *w, struct waiting_one *one, int64_t until)
{
	struct error err;

	conn_close(&one->handle->conn);
	if (handle_refresh(one->handle, &err) < 0)
		return fault_set(w->fault, FAIL_STORAGE, "session %s: %s",
		    handle_name(one->handle), err.msg);
	return ask(w, one, until);
}

static int
hear(struct waiting *w, struct waiting_one *one, int64_t until)
{
	struct conn *conn = &one->handle->conn;
	struct error err = { 0 };
	char *json = NULL, code[32];
	int rc = conn_fill(conn, false, &err);

	if (rc > 0)
		rc = conn_answer(conn, one->id, &json, code, &err);
	if (rc == 0)
		return 0;
	if (rc > 0)
		return take_result(w, one, json);
	if (conn_was_left(conn, rc, code))
		return ask(w, one, until);
	if (rc == -EREMOTEIO)
		return fault_set(w->fault, failure_called(code), "%s: %s",
		    handle_name(one->handle), err.msg);
	return ask_again(w, one, until);
}

/* ------------------------------------------------------------- all of them */

static size_t
count_live(const struct waiting *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += w->ones[i].live;
	return n;
}

/* True while some session may still match. */
static bool
goes_on(const struct waiting *w)
{
	return !is_decided(w) && count_live(w) > 0;
}

/*
 * The next host that has sent something, in order of arrival; NULL after the
 * timeout, or with a status.
 */
static struct waiting_one *
next_to_hear(struct waiting *w, int64_t until, int *status)
{
	struct epoll_event ev = { 0 };
	int n;

	do
		n = epoll_wait(w->epoll, &ev, 1, (int)time_left(until));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		*status = fault_set(w->fault, FAIL_INTERNAL, "cannot wait: %s",
		    strerror(errno));
	else if (n > 0 && ev.data.ptr == NULL) /* cancelled */
		*status = fault_set(w->fault, FAIL_CANCELLED, "cancelled");
	return n > 0 ? ev.data.ptr : NULL;
}

static int
await(struct waiting *w, int64_t until)
{
	int status = 0;
	struct waiting_one *one = next_to_hear(w, until + MARGIN_MS, &status);

	if (status != 0)
		return status;
	if (one == NULL)
		return fault_set(w->fault, FAIL_TIMEOUT,
		    "the hosts of %zu sessions do not answer", count_live(w));
	return hear(w, one, until);
}

/* Check ended sessions first, since they answer at once. */
static int
ask_all(struct waiting *w, int64_t until)
{
	int status = 0;

	for (int live = 0; live < 2; live++)
		for (size_t i = 0; status == 0 && i < w->n; i++) {
			struct waiting_one *one = &w->ones[i];

			if (one->result == NULL && !one->live &&
			    (live ||
				!status_has_live_host(
				    one->handle->session.status)))
				status = ask(w, one, until);
		}
	return status;
}

/* --------------------------------------------------------- the first match */

/* Get the time of a possible earlier match, or that there is none. */
static int
hear_rest(struct waiting *w, struct waiting_one *one)
{
	struct conn *conn = &one->handle->conn;
	char *json = NULL, code[32];
	int rc = conn_fill(conn, false, NULL);

	if (rc > 0)
		rc = conn_answer(conn, one->id, &json, code, NULL);
	if (rc > 0)
		return take_result(w, one, json);
	if (rc < 0 || conn->pongs > 0)
		leave(w, one);
	return 0;
}

/* Read answers that have already arrived even after the timeout. */
static int
hear_the_rest(struct waiting *w)
{
	int status = 0;

	/* A host that takes no PING may have answered before it exited. */
	for (size_t i = 0; i < w->n; i++)
		if (w->ones[i].live)
			(void)conn_ping(&w->ones[i].handle->conn, NULL);
	while (status == 0 && count_live(w) > 0) {
		struct waiting_one *one = next_to_hear(w, w->rest_until,
		    &status);

		if (one == NULL)
			break;
		status = hear_rest(w, one);
	}
	return status;
}

int
waiting_run(struct waiting *w)
{
	const json_t *limit = json_object_get(w->args, "timeout_ms");
	int64_t until = clock_ms(CLOCK_MONOTONIC) + json_integer_value(limit);
	int status = 0;

	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (w->epoll < 0)
		return fault_set(w->fault, FAIL_INTERNAL, "cannot wait: %s",
		    strerror(errno));
	if (w->cancel_fd > 0)
		status = watch(w, w->cancel_fd, NULL);
	if (status == 0)
		status = ask_all(w, until);
	while (status == 0 && goes_on(w))
		status = await(w, until);
	if (status == 0 && is_decided(w))
		status = hear_the_rest(w);
	close(w->epoll);
	return status;
}

/* ------------------------------------------------------------- the answer */

enum waiting_end
waiting_end(const struct waiting *w)
{
	bool timed_out = false, all = true;

	if (w->any && w->first != NULL)
		return WAITING_MATCHED;
	for (size_t i = 0; i < w->n; i++) {
		all = all && waiting_matched(&w->ones[i]);
		timed_out |= waiting_timed_out(&w->ones[i]);
	}
	if (all)
		return WAITING_MATCHED;
	return timed_out ? WAITING_TIMED_OUT : WAITING_ENDED;
}

bool
waiting_shows(const struct waiting *w, const struct waiting_one *one)
{
	if (w->any && w->first != NULL)
		return one == w->first;
	return one->result != NULL;
}

static void
put_one(const struct waiting_one *one, struct json_out *j)
{
	auto_json json_t *o = json_object();
	auto_free char *text = NULL;

	json_object_set_new(o, "session", json_string(one->handle->session.id));
	json_object_set_new(o, "name", json_string(one->handle->session.name));
	json_object_update(o, one->result);
	text = json_dumps(o, JSON_COMPACT);
	json_out_json(j, text != NULL ? text : "null");
}

void
waiting_json(const struct waiting *w, struct json_out *j)
{
	enum waiting_end end = waiting_end(w);

	json_out_open(j, '{');
	json_put_bool(j, "matched", end == WAITING_MATCHED);
	json_put_bool(j, "timed_out", end == WAITING_TIMED_OUT);
	json_put_open(j, "sessions", '[');
	for (size_t i = 0; i < w->n; i++)
		if (waiting_shows(w, &w->ones[i]))
			put_one(&w->ones[i], j);
	json_out_close(j, ']');
	json_out_close(j, '}');
}
