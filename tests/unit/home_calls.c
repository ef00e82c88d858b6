/* Operations on a loop, with real sessions. */
#include "unit.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/loop.h"
#include "home/calls.h"

#include "home_world.h"

#define SENDS 40
#define CAT "\"command\":[\"sh\",\"-c\",\"stty raw -echo; printf ready; cat\"]"
#define BASH "\"command\":[\"bash\",\"--norc\"]"

struct place {
	const struct world *w;
	struct loop *loop;
	struct calls *calls;
	unsigned open; /* calls whose answer the test waits for */
	unsigned granted;
	const char *principal;
	bool active; /* the sessions of calls are: no search is needed */
};

struct reply {
	struct place *place;
	struct calling *call;
	bool done;
	json_t *result;
	enum failure failure;
	char words[FAULT_MAX]; /* of the fault */
	char notes[512];
};

/* ----------------------------------------------------------------- calling */

static void
open_lingering(struct place *p, const struct world *w, unsigned threads,
    unsigned queue, int64_t linger_ms)
{
	const struct calls_options o = { .client = "test",
		.max = 100,
		.threads = threads,
		.queue = queue,
		.linger_ms = linger_ms };

	*p = (struct place){ .w = w,
		.loop = loop_create(),
		.granted = OP_EVERY_PERMISSION };
	assert_non_null(p->loop);
	p->calls = calls_create(p->loop, &o);
	assert_non_null(p->calls);
}

static void
open_place(struct place *p, const struct world *w, unsigned threads,
    unsigned queue)
{
	open_lingering(p, w, threads, queue, 1000);
}

static void
close_place(struct place *p)
{
	calls_destroy(p->calls);
	loop_destroy(p->loop);
}

static void
on_answer(void *arg, const struct calls_answer *a)
{
	struct reply *r = arg;

	assert_false(r->done);
	r->done = true;
	assert_int_equal(a->result == NULL, a->fault != NULL);
	r->result = json_incref(a->result);
	if (a->fault != NULL) {
		r->failure = a->fault->failure;
		snprintf(r->words, sizeof(r->words), "%s", a->fault->msg);
	}
	snprintf(r->notes, sizeof(r->notes), "%.*s", (int)a->report->notes.len,
	    a->report->notes.len > 0 ? (char *)a->report->notes.data : "");
	if (--r->place->open == 0)
		loop_stop(r->place->loop);
}

static int
try(struct place *p, struct reply *r, const char *op, const char *session,
    const char *text, struct fault *f)
{
	auto_json json_t *args = json_loads(text, 0, NULL);
	auto_free char *name = session != NULL ? xstrdup(session) : NULL;
	const struct operation o = { .op = op_find(op),
		.home = p->w->home,
		.session = name,
		.is_active = p->active,
		.args = args,
		.environ = environ,
		.granted = p->granted,
		.principal = p->principal };
	struct error err;
	int rc;

	if (op_take_arguments(o.op, args, &err) < 0)
		fail_msg("%s", err.msg);
	*r = (struct reply){ .place = p };
	rc = calls_start(p->calls, &o, on_answer, r, &r->call, f);
	assert_false(r->done);
	if (rc == 0)
		p->open++;
	return rc;
}

static void
call(struct place *p, struct reply *r, const char *op, const char *session,
    const char *args)
{
	struct fault f;

	if (try(p, r, op, session, args, &f) < 0)
		fail_msg("%s: %s", op, f.msg);
}

/* The test does not wait for this answer. */
static void
ignore(struct place *p)
{
	p->open--;
}

static void
cancel(struct reply *r)
{
	calls_cancel(r->call);
	assert_false(r->done);
}

static void
run(struct place *p)
{
	assert_true(p->open > 0);
	loop_run(p->loop);
	assert_int_equal(p->open, 0);
}

static void
is_done(const struct reply *r)
{
	if (r->result == NULL)
		fail_msg("%s: %s", failure_code(r->failure), r->words);
}

static void
has_failed(struct reply *r, enum failure failure, const char *words)
{
	assert_true(r->done);
	assert_null(r->result);
	if (r->failure != failure || strstr(r->words, words) == NULL)
		fail_msg("%s: %s", failure_code(r->failure), r->words);
}

/* A call of which only the answer matters; the caller frees it. */
static json_t *
answer(struct place *p, const char *op, const char *session, const char *args)
{
	struct reply r;

	call(p, &r, op, session, args);
	run(p);
	is_done(&r);
	return r.result;
}

static void
on_look(void *arg)
{
	loop_stop(arg);
}

/* Turn the loop until nothing is under way. */
static void
wait_for_no_calls(struct place *p)
{
	while (calls_count(p->calls) > 0) {
		struct watch *look = loop_timer(p->loop, 1, on_look, p->loop);

		loop_run(p->loop);
		watch_remove(look);
	}
}

/* ------------------------------------------------------------------- tests */

static void
many_calls_to_several_sessions_are_answered(void **state)
{
	static const char *const reads[] = { "session.get", "session.snapshot",
		"session.output", "session.flush" };
	struct reply r[60];
	char *ids[3];
	struct place p;

	open_place(&p, *state, 4, 100);
	for (size_t i = 0; i < 3; i++)
		ids[i] = create(*state, "{" SHELL "}");
	for (size_t i = 0; i < 60; i++)
		call(&p, &r[i], reads[i % 4], ids[i % 3], "{}");
	run(&p);
	for (size_t i = 0; i < 60; i++) {
		is_done(&r[i]);
		if (i % 4 == 0)
			assert_string_equal(text_of(r[i].result, "id"),
			    ids[i % 3]);
		json_decref(r[i].result);
	}
	assert_int_equal(calls_count(p.calls), 0);
	for (size_t i = 0; i < 3; i++)
		free(ids[i]);
	close_place(&p);
}

/* Type a number of two digits; `typed` has all of them. */
static void
send_number(struct place *p, struct reply *r, const char *session, unsigned i,
    char typed[2 * SENDS + 1])
{
	char args[80];

	snprintf(typed + 2 * i, 3, "%02u", i);
	snprintf(args, sizeof(args), "{\"input\":[{\"text\":\"%02u\"}]}", i);
	call(p, r, "session.send", session, args);
}

static void
were_typed(const struct place *p, const char *id, const char *typed)
{
	char args[160];

	snprintf(args, sizeof(args), "{\"text\":\"ready%s\",\"echo\":true}",
	    typed);
	wait_for(p->w, id, args);
}

static void
are_done(struct reply *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		is_done(&r[i]);
		json_decref(r[i].result);
	}
}

/* Some calls have a channel of their own, and the session two names. */
static void
sends_are_typed_in_their_order(void **state)
{
	auto_free char *id = create(*state,
	    "{" CAT ",\"name\":\"c\",\"cols\":120}");
	char typed[2 * SENDS + 1] = "";
	struct reply r[2 * SENDS];
	struct place p;

	wait_for(*state, id, "{\"text\":\"ready\"}");
	open_place(&p, *state, 4, 100);
	p.active = true;
	for (unsigned i = 0; i < SENDS; i++) {
		send_number(&p, &r[2 * i], i % 2 ? id : "c", i, typed);
		call(&p, &r[2 * i + 1], i % 4 ? "session.get" : "session.wait",
		    id, i % 4 ? "{}" : "{\"text\":\"ready\"}");
	}
	run(&p);
	are_done(r, 2 * SENDS);
	were_typed(&p, id, typed);
	close_place(&p);
}

static void
a_long_call_holds_up_no_other(void **state)
{
	auto_free char *id = create(*state, "{" BASH "}");
	struct reply wait, exec, send;
	struct place p;

	open_place(&p, *state, 4, 0);
	p.active = true;
	call(&p, &wait, "session.wait", id, "{\"text\":\"n\\ne\\nver\"}");
	ignore(&p);
	json_decref(answer(&p, "session.snapshot", id, "{}"));
	call(&p, &exec, "session.exec", id,
	    "{\"command\":\"read x; echo \\\"<$x>\\\"\"}");
	ignore(&p);
	json_decref(answer(&p, "session.wait", id,
	    "{\"text\":\"read x\",\"echo\":true}"));
	p.open++;
	call(&p, &send, "session.send", id,
	    "{\"input\":[{\"text\":\"hi\"},{\"keys\":[\"Enter\"]}]}");
	run(&p);
	is_done(&exec);
	is_done(&send);
	assert_non_null(strstr(text_of(exec.result, "output"), "<hi>"));
	assert_false(wait.done);
	json_decref(exec.result);
	json_decref(send.result);
	close_place(&p);
}

static unsigned
sockets_of(int64_t pid)
{
	char dir[64], path[400];
	struct dirent *e;
	unsigned n = 0;
	struct stat st;
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%d/fd", (int)pid);
	d = opendir(dir);
	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		n += stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
	}
	closedir(d);
	return n;
}

static void
wait_for_sockets(int64_t pid, unsigned most)
{
	int64_t until = clock_ms(CLOCK_MONOTONIC) + 60000;

	while (sockets_of(pid) > most)
		if (clock_ms(CLOCK_MONOTONIC) > until)
			fail_msg("%u sockets, not %u", sockets_of(pid), most);
}

/* A host ends the waits of a connection that has ended. */
static void
a_cancelled_wait_leaves_no_connection(void **state)
{
	auto_free char *id = create(*state, "{" SHELL "}");
	struct reply waits[8], other;
	int64_t host = host_of(*state, id);
	struct place p;
	unsigned with;

	open_place(&p, *state, 4, 0);
	for (size_t i = 0; i < 8; i++) {
		call(&p, &waits[i], "session.wait", id,
		    "{\"text\":\"never\",\"timeout\":\"1h\"}");
		ignore(&p);
	}
	call(&p, &other, "session.get", id, "{}");
	run(&p);
	json_decref(other.result);
	with = sockets_of(host);
	assert_true(with >= 8);
	for (size_t i = 0; i < 8; i++)
		cancel(&waits[i]);
	assert_int_equal(calls_count(p.calls), 0);
	wait_for_sockets(host, with - 8);
	close_place(&p);
}

static void
a_connection_lingers_for_the_next_call(void **state)
{
	auto_free char *id = create(*state, "{" SHELL "}");
	struct place p;
	unsigned before;

	before = sockets_of(getpid());
	open_lingering(&p, *state, 4, 0, 3600000);
	p.active = true;
	for (size_t i = 0; i < 3; i++) {
		json_decref(answer(&p, "session.get", id, "{}"));
		assert_int_equal(sockets_of(getpid()), before + 1);
	}
	close_place(&p);
	assert_int_equal(sockets_of(getpid()), before);
	open_lingering(&p, *state, 4, 0, 1);
	json_decref(answer(&p, "session.get", id, "{}"));
	while (sockets_of(getpid()) > before)
		json_decref(answer(&p, "session.list", NULL, "{}"));
	close_place(&p);
}

static void
a_cancelled_send_is_typed(void **state)
{
	auto_free char *id = create(*state, "{" CAT "}");
	struct reply send;
	struct place p;

	wait_for(*state, id, "{\"text\":\"ready\"}");
	open_place(&p, *state, 4, 0);
	call(&p, &send, "session.send", id,
	    "{\"input\":[{\"text\":\"typed\"}]}");
	ignore(&p);
	cancel(&send);
	assert_int_equal(calls_count(p.calls), 1);
	wait_for_no_calls(&p);
	assert_false(send.done);
	close_place(&p);
	wait_for(*state, id, "{\"text\":\"typed\",\"echo\":true}");
}

static void
an_ended_session_answers_from_its_files(void **state)
{
	auto_free char *id = create_ended(*state, "");
	json_t *got;
	struct reply r;
	struct place p;

	open_place(&p, *state, 4, 0);
	got = answer(&p, "session.get", id, "{}");
	assert_int_equal(json_integer_value(json_object_get(got, "exit_code")),
	    3);
	json_decref(got);
	got = answer(&p, "session.wait", id, "{\"text\":\"two x\"}");
	assert_true(json_is_true(json_object_get(got, "matched")));
	json_decref(got);
	json_decref(answer(&p, "session.snapshot", id, "{}"));
	call(&p, &r, "session.send", id, "{\"input\":[{\"text\":\"x\"}]}");
	run(&p);
	has_failed(&r, FAIL_NOT_RUNNING, "exited with 3");
	call(&p, &r, "session.get", "nobody", "{}");
	run(&p);
	has_failed(&r, FAIL_NOT_FOUND, "nobody");
	close_place(&p);
}

static void
a_session_that_ends_answers_from_its_files(void **state)
{
	auto_free char *id = create(*state, "{" PROGRAM "}");
	struct reply wait, exited;
	struct place p;

	open_place(&p, *state, 4, 0);
	call(&p, &wait, "session.wait", id, "{\"text\":\"two x\"}");
	call(&p, &exited, "session.wait", id, "{\"exit\":true}");
	p.open++;
	json_decref(does(*state, "session.send", id,
	    "{\"input\":[{\"text\":\"x\"},{\"keys\":[\"Enter\"]}]}"));
	ignore(&p);
	run(&p);
	is_done(&wait);
	is_done(&exited);
	assert_true(json_is_true(json_object_get(wait.result, "matched")));
	assert_int_equal(json_integer_value(
			     json_object_get(exited.result, "exit_code")),
	    3);
	json_decref(wait.result);
	json_decref(exited.result);
	close_place(&p);
}

/* A read is sent to the next host; a command that it may have run is not. */
static void
a_killed_host_has_a_successor(void **state)
{
	auto_free char *id = create(*state, "{" BASH "}");
	struct reply wait, exec;
	struct place p;

	open_place(&p, *state, 4, 0);
	p.active = true;
	call(&p, &wait, "session.wait", id, "{\"text\":\"af ter\"}");
	call(&p, &exec, "session.exec", id, "{\"command\":\"read x\"}");
	p.open -= 2;
	json_decref(answer(&p, "session.wait", id,
	    "{\"text\":\"read x\",\"echo\":true}"));
	kill((pid_t)host_of(*state, id), SIGKILL);
	p.open++;
	run(&p);
	has_failed(&exec, FAIL_UNKNOWN, "may or may not have taken effect");
	assert_false(wait.done);
	p.open++;
	json_decref(does(*state, "session.send", id,
	    "{\"input\":[{\"keys\":[\"Enter\"]},{\"text\":\"echo af' ter'\"},"
	    "{\"keys\":[\"Enter\"]}]}"));
	run(&p);
	is_done(&wait);
	assert_true(json_is_true(json_object_get(wait.result, "matched")));
	json_decref(wait.result);
	kill((pid_t)host_of(*state, id), SIGKILL);
	json_decref(
	    answer(&p, "session.send", id, "{\"input\":[{\"text\":\"x\"}]}"));
	close_place(&p);
}

/* The leaving host refuses some calls, and the next one takes them. */
static void
sends_during_an_upgrade_are_typed_once(void **state)
{
	auto_free char *id = create(*state, "{" CAT ",\"cols\":120}");
	struct reply upgrade, r[SENDS];
	char typed[2 * SENDS + 1] = "";
	struct place p;

	wait_for(*state, id, "{\"text\":\"ready\"}");
	open_place(&p, *state, 4, 0);
	p.active = true;
	call(&p, &upgrade, "session.upgrade", id, "{}");
	for (unsigned i = 0; i < SENDS; i++)
		send_number(&p, &r[i], id, i, typed);
	run(&p);
	are_done(&upgrade, 1);
	are_done(r, SENDS);
	were_typed(&p, id, typed);
	close_place(&p);
}

static void
a_stopped_host_delays_no_other_session(void **state)
{
	auto_free char *stuck = create(*state, "{" SHELL "}");
	auto_free char *other = create(*state, "{" SHELL "}");
	pid_t host = (pid_t)host_of(*state, stuck);
	struct reply get, send;
	struct place p;

	open_place(&p, *state, 4, 0);
	kill(host, SIGSTOP);
	call(&p, &get, "session.get", stuck, "{}");
	call(&p, &send, "session.send", stuck,
	    "{\"input\":[{\"text\":\"x\"}]}");
	p.open -= 2;
	for (unsigned i = 0; i < 10; i++)
		json_decref(answer(&p, "session.snapshot", other, "{}"));
	assert_false(get.done || send.done);
	p.open += 2;
	run(&p);
	has_failed(&get, FAIL_TIMEOUT, "does not answer");
	has_failed(&send, FAIL_TIMEOUT, "does not answer");
	kill(host, SIGCONT);
	json_decref(answer(&p, "session.get", stuck, "{}"));
	close_place(&p);
}

static void
a_call_without_its_permission_is_denied(void **state)
{
	auto_free char *id = create(*state, "{" CAT "}");
	struct place p;
	struct reply r;
	struct fault f;

	open_place(&p, *state, 1, 1);
	p.granted = OP_EVERY_PERMISSION & ~(1u << OP_DRIVE);
	assert_int_equal(try(&p, &r, "session.send", id,
			     "{\"input\":[{\"text\":\"x\"}]}", &f),
	    -1);
	assert_int_equal(f.failure, FAIL_DENIED);
	json_decref(answer(&p, "session.get", id, "{}"));
	close_place(&p);
}

/* Two principals share no channel, so each acts under its own name. */
static void
the_log_names_the_principal_of_each_call(void **state)
{
	static const char *const names[] = { "user:ann", "user:bob" };
	auto_free char *id = create(*state, "{" CAT "}");
	auto_json json_t *all = NULL;
	const json_t *marks;
	struct reply r[2];
	struct place p;

	open_place(&p, *state, 1, 1);
	for (unsigned i = 0; i < 2; i++) {
		p.principal = names[i];
		call(&p, &r[i], "session.mark", id, "{\"name\":\"m\"}");
	}
	run(&p);
	p.principal = NULL;
	all = answer(&p, "session.marks", id, "{}");
	marks = json_object_get(all, "marks");
	assert_int_equal(json_array_size(marks), 2);
	for (size_t i = 0; i < 2; i++) {
		const char *by = text_of(json_array_get(marks, i), "by");

		assert_true(
		    strcmp(by, names[0]) == 0 || strcmp(by, names[1]) == 0);
	}
	assert_string_not_equal(text_of(json_array_get(marks, 0), "by"),
	    text_of(json_array_get(marks, 1), "by"));
	is_done(&r[0]);
	is_done(&r[1]);
	json_decref(r[0].result);
	json_decref(r[1].result);
	close_place(&p);
}

static void
operations_of_the_home_have_a_limit(void **state)
{
	auto_free char *id = create(*state, "{" SHELL "}");
	struct reply wait, list, dropped, refused;
	char args[100];
	struct fault f;
	struct place p;

	open_place(&p, *state, 1, 2);
	snprintf(args, sizeof(args),
	    "{\"sessions\":[\"%s\"],\"text\":\"never\",\"timeout\":\"1h\"}",
	    id);
	call(&p, &wait, "home.wait", NULL, args);
	ignore(&p);
	call(&p, &dropped, "session.list", NULL, "{}");
	ignore(&p);
	call(&p, &list, "session.list", NULL, "{}");
	assert_int_equal(try(&p, &refused, "session.list", NULL, "{}", &f), -1);
	assert_int_equal(f.failure, FAIL_BUSY);
	cancel(&dropped);
	assert_int_equal(calls_count(p.calls), 2);
	ignore(&p);
	json_decref(answer(&p, "session.get", id, "{}")); /* by its host */
	p.open++;
	assert_false(list.done);
	cancel(&wait);
	run(&p);
	is_done(&list);
	json_decref(list.result);
	wait_for_no_calls(&p);
	close_place(&p);
}

static void
notes_are_reported(void **state)
{
	auto_free char *id = create(*state, "{" SHELL "}");
	struct reply r;
	struct place p;

	wait_for(*state, id, "{\"text\":\"ready>\"}");
	open_place(&p, *state, 4, 0);
	call(&p, &r, "session.snapshot", id, "{\"at\":\"1\"}");
	run(&p);
	is_done(&r);
	assert_non_null(strstr(r.notes, "this is its first screen"));
	json_decref(r.result);
	close_place(&p);
}

static void
the_end_waits_for_no_host(void **state)
{
	auto_free char *id = create(*state, "{" SHELL "}");
	struct reply r[4];
	struct place p;

	open_place(&p, *state, 4, 10);
	call(&p, &r[0], "session.wait", id, "{\"text\":\"never\"}");
	call(&p, &r[1], "session.get", id, "{}");
	call(&p, &r[2], "session.list", NULL, "{}");
	call(&p, &r[3], "session.batch", id,
	    "{\"steps\":[{\"wait\":\"never\"}]}");
	close_place(&p);
	for (size_t i = 0; i < 4; i++)
		assert_false(r[i].done);
}

static int
run_all(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(many_calls_to_several_sessions_are_answered),
		TEST(sends_are_typed_in_their_order),
		TEST(a_long_call_holds_up_no_other),
		TEST(a_cancelled_wait_leaves_no_connection),
		TEST(a_connection_lingers_for_the_next_call),
		TEST(a_cancelled_send_is_typed),
		TEST(an_ended_session_answers_from_its_files),
		TEST(a_session_that_ends_answers_from_its_files),
		TEST(a_killed_host_has_a_successor),
		TEST(sends_during_an_upgrade_are_typed_once),
		TEST(a_stopped_host_delays_no_other_session),
		TEST(a_call_without_its_permission_is_denied),
		TEST(the_log_names_the_principal_of_each_call),
		TEST(operations_of_the_home_have_a_limit),
		TEST(notes_are_reported),
		TEST(the_end_waits_for_no_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int
main(int argc, char **argv)
{
	return run_beside(argc, argv, run_all);
}
