#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/ask/message_state.h"
#include "host/core/session.h"
#include "host/input/draft.h"
#include "host/input/input.h"
#include "host/serve/connection.h"
#include "host/serve/requests.h"
#include "host/serve/server.h"
#include "host/store/event_log.h"
#include "op/profile.h"
#include "vt/vt.h"

/* The prompts: their order and their answers. */

#define DEFAULT_MS 10000
#define RESULT_MAX (64u << 10)

int64_t
message_now_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

static struct message *
message_of(struct list *link)
{
	return container_of(link, struct message, link);
}

struct message *
messages_first(const struct messages *all)
{
	return list_is_empty(&all->queue) ? NULL : message_of(all->queue.next);
}

const struct vt *
message_screen(const struct message *p)
{
	return p->all->session->display.vt;
}

/* The end of the output. */
static uint64_t
head_of(const struct message *p)
{
	return atomic_load(&p->all->session->terminal.ring.shared->head);
}

void
message_look(struct message *p)
{
	witness_look(&p->witness, head_of(p),
	    input_answers_written(p->all->input), message_now_ms());
}

static void
message_destroy(struct message *p)
{
	list_remove(&p->link);
	cursor_line_finish(&p->at);
	free(p->text);
	free(p);
}

/* One timer for all: for the phase of the first, and for the end of each. */
void
messages_set_timer(struct messages *all)
{
	int64_t next = MESSAGE_NEVER, now = message_now_ms();

	list_for_each(it, &all->queue) {
		const struct message *p = message_of(it);

		next = p->until_ms < next ? p->until_ms : next;
		next = p->due_ms < next ? p->due_ms : next;
	}
	watch_rearm(all->timer,
	    next == MESSAGE_NEVER ? -1 :
		next > now        ? next - now :
				    0);
}

/*
 * After a pause of our own, a timeout and the awaited output may have come
 * together.  Look at the output first, once: an extra key is worse than a late
 * one.
 */
static bool
yields(struct messages *all)
{
	const struct session *session = all->session;

	all->yielded = !all->yielded &&
	    atomic_load(&session->terminal.ring.shared->head) !=
		session->display.shown;
	if (all->yielded)
		watch_yield(all->timer);
	return all->yielded;
}

static void
on_timer(void *arg)
{
	struct messages *all = arg;
	int64_t now = message_now_ms();
	struct message *p;

	if (yields(all))
		return;
	list_for_each_safe(it, &all->queue) {
		p = message_of(it);
		if (p->phase == PHASE_WAITING && p->until_ms <= now)
			message_late(p);
	}
	p = messages_first(all);
	if (p != NULL && p->until_ms <= now)
		message_late(p);
	else if (p != NULL && p->due_ms <= now)
		message_due(p);
	messages_set_timer(all);
	turn_wake_at(&all->session->turn, 0);
}

void
messages_mark(struct messages *all, int mark)
{
	all->mark = mark;
	all->commands += mark == 'C';
}

/* ------------------------------------------------------------------ ending */

enum result { DELIVERED, UNCONFIRMED, REFUSED };

static const struct {
	enum result result;
	const char *code, *reason;
} outcomes[] = {
#define OUTCOME(name, result, code, reason) { result, code, reason },
#include "host/ask/message_outcome.def"
};

static void
put_text(struct json_out *j, const char *text)
{
	if (text == NULL)
		json_out_null(j);
	else
		json_out_text(j, text);
}

/* The text that was typed and not submitted, by any client. */
static void
put_standing(struct json_out *j, const struct ring_shared *ring)
{
	char text[DRAFT_TEXT_MAX];

	draft_text(ring, text);
	put_text(j, draft_now(ring) == DRAFT_NONE ? NULL : text);
}

/* The evidence; null where there is none. */
static void
put_evidence(struct json_out *j, const struct message *p)
{
	const struct session *session = p->all->session;
	const struct witness *w = &p->witness;
	bool submitted = p->seq != 0;
	bool known = submitted && witness_is_known(w);
	bool read = known && witness_has_read(w);

	json_out_open(j, '{');
	json_out_key(j, "submitted");
	json_out_bool(j, submitted);
	json_out_key(j, "read");
	json_out_json(j, !known ? "null" : read ? "true" : "false");
	json_out_key(j, "unread");
	if (known)
		json_out_int(j, w->unread);
	else
		json_out_null(j);
	json_out_key(j, "answered");
	json_out_bool(j,
	    read && p->moved &&
		witness_has_answered(w, session->display.shown));
	json_out_key(j, "command");
	json_out_bool(j, submitted && p->all->commands > p->commands);
	json_out_key(j, "standing");
	put_standing(j, session->terminal.ring.shared);
	json_out_key(j, "question");
	put_text(j, question_name(p->question));
	json_out_close(j, '}');
}

static void
put_result(struct json_out *j, const struct message *p, uint64_t seq)
{
	static const char *const results[] = { "delivered", "unconfirmed",
		"refused" };

	json_out_open(j, '{');
	json_out_key(j, "result");
	json_out_text(j, results[outcomes[p->outcome].result]);
	json_out_key(j, "code");
	json_out_text(j, outcomes[p->outcome].code);
	json_out_key(j, "reason");
	json_out_text(j, outcomes[p->outcome].reason);
	json_out_key(j, "evidence");
	put_evidence(j, p);
	json_out_key(j, "seq");
	json_out_number(j, seq);
	json_out_key(j, "offset");
	json_out_number(j, p->all->session->display.shown);
	json_out_close(j, '}');
}

static void
answer(struct message *p)
{
	const struct session *session = p->all->session;
	const struct server_request who = { p->client, p->request };
	bool typed = outcomes[p->outcome].result != REFUSED;
	uint64_t seq = p->seq != 0 ? p->seq : event_log_seq(session->event_log);
	struct json_out j;
	struct buf b;

	buf_init(&b, RESULT_MAX);
	json_out_init(&j, &b);
	put_result(&j, p, seq);
	server_answer(p->all->server, &who, typed, &b, seq);
	buf_finish(&b);
}

/* Leave the queue: others may type again, and the next message begins. */
static void
leave(struct message *p)
{
	struct messages *all = p->all;
	bool first = p == messages_first(all);
	struct message *next;

	p->phase = PHASE_DONE;
	list_remove(&p->link);
	if (!first)
		return;
	input_drop(all->input, p->reservation);
	input_reserve(all->input, 0);
	next = messages_first(all);
	if (next != NULL && next->phase == PHASE_WAITING)
		message_begin(next);
	messages_set_timer(all);
}

/* Set another size, then the real one again: the program reacts to both. */
static void
wake(const struct session *session)
{
	struct winsize ws;

	if (ioctl(session->terminal.master, TIOCGWINSZ, &ws) < 0 ||
	    ws.ws_row < 2)
		return;
	ws.ws_row--;
	ioctl(session->terminal.master, TIOCSWINSZ, &ws);
	ws.ws_row++;
	ioctl(session->terminal.master, TIOCSWINSZ, &ws);
}

void
message_finish(struct message *p, enum message_outcome outcome)
{
	if (p->profile->wake && p->seq != 0)
		wake(p->all->session);
	p->outcome = outcome;
	leave(p);
	answer(p);
	message_destroy(p);
}

void
message_fail(struct message *p, int error, const char *why)
{
	const struct server_request who = { p->client, p->request };
	bool typed = p->phase > PHASE_WAITING && error == ESRCH;
	struct error err;

	error_set(&err, error, "%s", why);
	leave(p);
	server_fail(p->all->server, &who, typed, failure_of_errno(error), &err);
	message_destroy(p);
}

/*
 * The last prompt may or may not have ended the program: unread input is
 * discarded with the terminal.
 */
void
messages_ended(struct messages *all)
{
	struct message *p;

	draft_clear(all->session->terminal.ring.shared);
	while ((p = messages_first(all)) != NULL) {
		if (p->phase == PHASE_CONFIRMING)
			message_finish(p, OUTCOME_ENDED);
		else
			message_fail(p, ESRCH, "the program has ended");
	}
}

/* --------------------------------------------------------------- beginning */

/* True if the message must not be typed on this screen, and the outcome. */
static bool
objects(const struct message *p, enum message_outcome *why)
{
	struct input_modes modes;

	if (p->profile->guard == PROFILE_ANY)
		return false;
	vt_input_modes(message_screen(p), &modes);
	*why = OUTCOME_SEVERAL_LINES;
	if (strchr(p->text, '\n') != NULL && !modes.bracketed_paste)
		return true;
	if (p->profile->guard != PROFILE_SHELL)
		return false;
	*why = OUTCOME_FULL_SCREEN;
	if (vt_alt_screen(message_screen(p)))
		return true;
	*why = OUTCOME_RUNNING;
	return p->all->mark == 'C';
}

/*
 * True if there is text that this message must not be typed behind.  The same
 * text again only needs its key: at worst that is one extra Enter.  If the
 * host died while typing a text, its length on the screen is unknown.
 */
static bool
is_behind(const struct message *p, enum message_outcome *why)
{
	const struct ring_shared *ring = p->all->session->terminal.ring.shared;
	enum draft at = draft_now(ring);

	if (at == DRAFT_NONE || p->force)
		return false;
	*why = at == DRAFT_TYPING ? OUTCOME_PART_TYPED : OUTCOME_UNSUBMITTED;
	return at == DRAFT_TYPING || !draft_is(ring, p->text);
}

static bool
stands_already(const struct message *p)
{
	const struct ring_shared *ring = p->all->session->terminal.ring.shared;

	return draft_now(ring) != DRAFT_NONE && !p->force;
}

/* True if the message must not be typed now, and the outcome. */
static bool
is_refused(struct message *p, enum message_outcome *why)
{
	if (objects(p, why))
		return true;
	*why = OUTCOME_QUESTION;
	if (message_is_asked(p, stands_already(p) ? p->text : NULL))
		return true;
	return is_behind(p, why);
}

static int
check_client(const struct messages *all, struct connection *c,
    struct error *err)
{
	int rc = connection_check(c, OP_DRIVE, err);

	if (rc == 0 && !server_take_lease(all->server, c, false))
		rc = error_set(err, EBUSY,
		    "another client has the lease to type");
	return rc;
}

/*
 * A message waits for others, and meanwhile its client may have lost the lease
 * or its permission.  A client that has left still sends its message.
 */
static int
check_again(const struct message *p, struct error *err)
{
	struct connection *c = server_connection(p->all->server, p->client);

	return c != NULL ? check_client(p->all, c, err) : 0;
}

/* While the program draws, it is unknown whether it shows a question. */
void
message_begin(struct message *p)
{
	struct session *session = p->all->session;
	enum message_outcome why;
	struct error err;

	if (session->display.vt == NULL) {
		message_fail(p, ENOENT,
		    "the session has no screen: its engine is off");
		return;
	}
	if (vt_in_sync(session->display.vt))
		return;
	if (check_again(p, &err) < 0) {
		message_fail(p, err.code, err.msg);
		return;
	}
	if (is_refused(p, &why)) {
		message_finish(p, why);
		return;
	}
	cursor_line_look(&p->at, session->display.vt);
	witness_begin(&p->witness, session->terminal.master, head_of(p));
	p->secret = input_is_secret(p->all->input);
	input_reserve(p->all->input, p->reservation);
	if (stands_already(p))
		message_resume(p);
	else
		message_type(p);
}

/* Drop a newline at the end, which comes from a file or from echo. */
static char *
copy_text(const char *text)
{
	char *copy = xstrdup(text);
	size_t len = strlen(copy);

	if (copy[len - 1] == '\n')
		copy[len - 1] = '\0';
	return copy;
}

static int
check(const struct messages *all, const struct op_call *call, struct error *err)
{
	if (all->session->ended)
		return error_set(err, ESRCH, "the program has ended");
	return check_client(all, call->client, err);
}

int
messages_ask(struct messages *all, struct op_call *call, struct error *err)
{
	const struct profile *profile = profile_of(call->args, err);
	struct message *p;
	int rc = profile == NULL ? -EINVAL : check(all, call, err);

	if (rc < 0)
		return rc;
	p = xcalloc(1, sizeof(*p));
	p->all = all;
	p->reservation = ++all->last_reservation;
	p->client = call->client->number;
	p->request = call->id;
	snprintf(p->by, sizeof(p->by), "%s", call->client->by);
	p->profile = profile;
	snprintf(p->key, sizeof(p->key), "%s",
	    op_string(call->args, "key", ""));
	p->text = copy_text(op_string(call->args, "text", ""));
	p->force = op_bool(call->args, "force", false);
	p->until_ms = message_now_ms() +
	    (int64_t)op_number(call->args, "timeout_ms", DEFAULT_MS);
	p->due_ms = MESSAGE_NEVER;
	cursor_line_init(&p->at);
	list_append(&all->queue, &p->link);
	if (messages_first(all) == p)
		message_begin(p);
	messages_set_timer(all);
	return REQUEST_LATER;
}

bool
messages_are_done(const struct messages *all)
{
	return list_is_empty(&all->queue);
}

struct messages *
messages_create(struct session *session, struct server *server,
    struct input *input, struct execs *execs)
{
	struct messages *all = xcalloc(1, sizeof(*all));

	all->session = session;
	all->server = server;
	all->input = input;
	all->execs = execs;
	list_init(&all->queue);
	all->timer = loop_timer(session->loop, -1, on_timer, all);
	return all;
}

void
messages_destroy(struct messages *all)
{
	if (all == NULL)
		return;
	list_for_each_safe(it, &all->queue)
		message_destroy(message_of(it));
	watch_remove(all->timer);
	free(all);
}
