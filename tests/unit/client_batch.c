#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/json_out.h"
#include "base/loop.h"
#include "client/batch.h"
#include "client/channel.h"
#include "client/conn.h"

#define ANSWERS_MAX 8

/*
 * A batch, and a host in a process of its own that sends the next of the
 * answers to each request.
 */
struct fixture {
	struct batch *batch;
	struct conn conn;
	int host;
	const char *answers[ANSWERS_MAX];
	size_t n_answers;
	int cancels;      /* made readable instead of an answer; 0: never */
	struct buf asked; /* the requests the host received */
};

static struct batch *
parse(const char *json, struct error *err)
{
	json_t *steps = json_loads(json, JSON_DECODE_ANY, NULL);
	struct batch *b;

	assert_non_null(steps);
	memset(err, 0, sizeof(*err));
	b = batch_create(steps, err);
	json_decref(steps);
	return b;
}

static void
set_up(struct fixture *f, const char *steps)
{
	struct error err;
	int pair[2];

	memset(f, 0, sizeof(*f));
	f->batch = parse(steps, &err);
	if (f->batch == NULL)
		fail_msg("%s: %s", steps, err.msg);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	f->conn = (struct conn){ .fd = pair[0],
		.next_id = 1,
		.give = -1,
		.dirfd = -1 };
	f->host = pair[1];
	buf_init(&f->conn.in, FRAME_HEADER + FRAME_MAX_HOST + (64u << 10));
	buf_init(&f->asked, 1u << 20);
}

static void
tear_down(struct fixture *f)
{
	batch_destroy(f->batch);
	conn_close(&f->conn);
	if (f->host >= 0)
		close(f->host);
	buf_finish(&f->asked);
}

/* The host's next answer. */
static void
will_answer(struct fixture *f, const char *json)
{
	assert_true(f->n_answers < ANSWERS_MAX);
	f->answers[f->n_answers++] = json;
}

/* Append the next request to *out; false: there is none. */
static bool
read_request(int fd, struct buf *out)
{
	size_t at = out->len;
	struct frame frame;
	char byte;

	while (read(fd, &byte, 1) == 1) {
		buf_putc(out, byte);
		if (frame_parse(out->data + at, out->len - at, 1u << 20,
			&frame) == FRAME_WHOLE)
			return true;
	}
	return false;
}

static void
say(int fd, const char *json)
{
	struct buf b;

	buf_init(&b, 4096);
	if (frame_put(&b, FRAME_RESPONSE, json, strlen(json)) < 0 ||
	    fd_write_all(fd, b.data, b.len) < 0)
		_exit(1);
	buf_finish(&b);
}

static _Noreturn void
serve(struct fixture *f, int told)
{
	const uint64_t one = 1;

	close(f->conn.fd);
	for (size_t i = 0; read_request(f->host, &f->asked); i++) {
		if (i < f->n_answers)
			say(f->host, f->answers[i]);
		else if (f->cancels > 0 &&
		    write(f->cancels, &one, sizeof(one)) != sizeof(one))
			_exit(1);
	}
	if (fd_write_all(told, f->asked.data, f->asked.len) < 0)
		_exit(1);
	_exit(0);
}

static void
read_asked(struct fixture *f, int told)
{
	char more[65536];
	ssize_t n;

	while ((n = read(told, more, sizeof(more))) > 0)
		buf_append(&f->asked, more, (size_t)n);
	close(told);
}

/* Run the batch with that host, and read the requests it got. */
static void
run(struct fixture *f, bool keep_going)
{
	int told[2], status;
	pid_t host;

	assert_int_equal(pipe(told), 0);
	host = fork();
	assert_true(host >= 0);
	if (host == 0) {
		close(told[0]);
		serve(f, told[1]);
	}
	close(told[1]);
	f->conn.cancel_fd = f->cancels;
	batch_run(f->batch, &f->conn, keep_going);
	assert_int_equal(f->conn.fd, -1);
	read_asked(f, told[0]);
	assert_int_equal(waitpid(host, &status, 0), host);
	assert_int_equal(status, 0);
}

/* Check the next request sent; "" for none. */
static void
expect_request(struct fixture *f, const char *json)
{
	struct frame frame;

	if (json[0] == '\0') {
		assert_int_equal(f->asked.len, 0);
		return;
	}
	assert_int_equal(frame_parse(f->asked.data, f->asked.len, 1u << 20,
			     &frame),
	    FRAME_WHOLE);
	assert_int_equal(frame.type, FRAME_REQUEST);
	if (frame.len != strlen(json) ||
	    memcmp(frame.payload, json, frame.len) != 0)
		fail_msg("%.*s\nis not %s", (int)frame.len, frame.payload,
		    json);
	buf_consume(&f->asked, FRAME_HEADER + frame.len);
}

static void
expect_status(const struct fixture *f, size_t i, enum batch_status status,
    const char *code)
{
	struct batch_step s;

	batch_step(f->batch, i, &s);
	assert_string_equal(batch_status_name(s.status),
	    batch_status_name(status));
	assert_string_equal(s.code, code);
}

static void
steps_become_requests(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f,
	    "[{\"text\":\"ls\"},{\"keys\":[\"Enter\"]},"
	    "{\"mouse\":\"click 3,4\"},{\"snapshot\":{\"format\":\"text\"}}]");
	will_answer(&f, "{\"id\":1,\"ok\":true,\"result\":{\"seq\":7}}");
	will_answer(&f, "{\"id\":2,\"ok\":true,\"result\":{\"seq\":8}}");
	will_answer(&f, "{\"id\":3,\"ok\":true,\"result\":{\"seq\":9}}");
	will_answer(&f, "{\"id\":4,\"ok\":true,\"result\":{\"data\":\"x\"}}");
	run(&f, false);
	expect_request(&f,
	    "{\"id\":1,\"op\":\"session.send\",\"args\":"
	    "{\"input\":[{\"text\":\"ls\"}]}}");
	expect_request(&f,
	    "{\"id\":2,\"op\":\"session.send\",\"args\":"
	    "{\"input\":[{\"keys\":[\"Enter\"]}]}}");
	expect_request(&f,
	    "{\"id\":3,\"op\":\"session.send\",\"args\":"
	    "{\"input\":[{\"mouse\":\"click 3,4\"}]}}");
	expect_request(&f,
	    "{\"id\":4,\"op\":\"session.snapshot\",\"args\":"
	    "{\"format\":\"text\"}}");
	for (size_t i = 0; i < 4; i++)
		expect_status(&f, i, BATCH_COMPLETED, "");
	tear_down(&f);
}

/* K-09 */
static void
waits_are_anchored_to_the_input_before(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f,
	    "[{\"wait\":\"a\"},{\"text\":\"x\"},"
	    "{\"wait\":{\"text\":\"b\",\"timeout\":\"1.5s\"}},"
	    "{\"wait\":{\"text\":\"c\",\"after\":3}}]");
	will_answer(&f, "{\"id\":1,\"ok\":true,\"result\":{\"matched\":true}}");
	will_answer(&f, "{\"id\":2,\"ok\":true,\"result\":{\"seq\":7}}");
	will_answer(&f, "{\"id\":3,\"ok\":true,\"result\":{\"matched\":true}}");
	will_answer(&f, "{\"id\":4,\"ok\":true,\"result\":{\"matched\":true}}");
	run(&f, false);
	expect_request(&f,
	    "{\"id\":1,\"op\":\"session.wait\",\"args\":"
	    "{\"text\":\"a\",\"timeout_ms\":30000}}");
	expect_request(&f,
	    "{\"id\":2,\"op\":\"session.send\",\"args\":"
	    "{\"input\":[{\"text\":\"x\"}]}}");
	expect_request(&f,
	    "{\"id\":3,\"op\":\"session.wait\",\"args\":"
	    "{\"text\":\"b\",\"timeout_ms\":1500,\"after\":7}}");
	expect_request(&f,
	    "{\"id\":4,\"op\":\"session.wait\",\"args\":"
	    "{\"text\":\"c\",\"after\":3,\"timeout_ms\":30000}}");
	tear_down(&f);
}

static void
expect_result(const struct fixture *f, const char *part)
{
	struct json_out j;
	struct buf b;
	char *text;

	buf_init(&b, 1u << 20);
	json_out_init(&j, &b);
	batch_put(f->batch, &j);
	text = buf_take(&b);
	if (strstr(text, part) == NULL)
		fail_msg("no %s in %s", part, text);
	free(text);
}

static const char two_waits[] = "[{\"wait\":\"a\"},{\"text\":\"x\"}]";
static const char
    timed_out[] = "{\"id\":1,\"ok\":true,\"result\":"
		  "{\"matched\":false,\"timed_out\":true,\"seq\":5}}";

static void
the_first_failure_ends_a_batch(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, two_waits);
	will_answer(&f, timed_out);
	run(&f, false);
	expect_status(&f, 0, BATCH_FAILED, "timed_out");
	expect_status(&f, 1, BATCH_NOT_RUN, "");
	expect_result(&f,
	    "{\"index\":0,\"kind\":\"wait\",\"status\":\"failed\",\"seq\":5,"
	    "\"matched\":false,\"timed_out\":true,\"duration_ms\":");
	expect_result(&f,
	    "{\"index\":1,\"kind\":\"text\",\"status\":\"not-run\","
	    "\"seq\":null,\"matched\":null,\"timed_out\":null,"
	    "\"duration_ms\":0}],\"completed\":0,\"failed\":[0]}");
	tear_down(&f);
}

static void
a_batch_may_continue_after_a_failure(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, two_waits);
	will_answer(&f, timed_out);
	will_answer(&f,
	    "{\"id\":2,\"ok\":false,\"error\":{\"code\":\"busy\","
	    "\"message\":\"another types\",\"retryable\":true}}");
	run(&f, true);
	expect_status(&f, 1, BATCH_FAILED, "busy");
	expect_result(&f,
	    "\"error\":{\"code\":\"busy\",\"message\":\"another types\","
	    "\"retryable\":true}}],\"completed\":0,\"failed\":[0,1]}");
	tear_down(&f);
}

static void
a_cancelled_batch_is_interrupted(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "[{\"text\":\"x\"},{\"wait\":\"a\"},{\"text\":\"y\"}]");
	will_answer(&f, "{\"id\":1,\"ok\":true,\"result\":{\"seq\":7}}");
	f.cancels = eventfd(0, EFD_CLOEXEC);
	run(&f, true);
	expect_status(&f, 0, BATCH_COMPLETED, "");
	expect_status(&f, 2, BATCH_NOT_RUN, "");
	expect_result(&f, "\"kind\":\"wait\",\"status\":\"interrupted\"");
	expect_result(&f, "\"completed\":1,\"failed\":[]}");
	close(f.cancels);
	tear_down(&f);
}

static void
wrong_steps_are_reported(void **state)
{
	static const char *const bad[][2] = {
		{ "7", "an array of objects" },
		{ "[]", "an array of objects" },
		{ "[7]", "step 0: it must be an object with one of" },
		{ "[{}]", "step 0: it must be an object with one of" },
		{ "[{\"text\":\"a\",\"keys\":[]}]", "step 0: it must be" },
		{ "[{\"nose\":1}]", "step 0: \"nose\" is not one of" },
		{ "[{\"text\":\"a\"},{\"text\":1}]",
		    "step 1: 'text' must be a string" },
		{ "[{\"keys\":[\"Enterr\"]}]", "Enterr" },
		{ "[{\"snapshot\":\"x\"}]", "'snapshot' must be an object" },
		{ "[{\"snapshot\":{\"format\":\"png\"}}]", "'format' must be" },
		{ "[{\"snapshot\":{\"nose\":1}}]", "takes no argument 'nose'" },
		{ "[{\"prompt\":{\"text\":\"a\",\"profile\":\"b\"}}]",
		    "'profile' must be" },
		{ "[{\"wait\":{\"regex\":\"(\"}}]", "'regex'" },
		{ "[{\"wait\":{}}]", "step 0: " },
		{ "[{\"text\":\"a\"},{\"exec\":\" \"}]",
		    "step 1: session.exec: " },
		{ "[{\"text\":\"a\"},{\"prompt\":\"\\n\"}]",
		    "step 1: session.prompt: 'text'" },
		{ "[{\"wait\":7}]", "'wait' must be a string or an object" },
		{ "[{\"wait\":{\"timeout\":5.5}}]", "'timeout' must be a dur" },
		{ "[{\"wait\":{\"timeout\":\"5x\"}}]",
		    "'timeout' must be a dur" },
		{ "[{\"wait\":{\"timeout\":\"5s\",\"timeout_ms\":1}}]",
		    "'timeout' and 'timeout_ms' are the same" },
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_null(parse(bad[i][0], &err));
		if (strstr(err.msg, bad[i][1]) == NULL)
			fail_msg("%s: %s", bad[i][0], err.msg);
	}
}

/* A snapshot of so many bytes, as the answer to a request. */
static void
say_snapshot(int fd, unsigned id, size_t len)
{
	struct buf json, frame;

	buf_init(&json, SIZE_MAX);
	buf_init(&frame, SIZE_MAX);
	buf_printf(&json, "{\"id\":%u,\"ok\":true,\"result\":{\"data\":\"", id);
	memset(buf_reserve(&json, len), 'x', len);
	buf_commit(&json, len);
	buf_puts(&json, "\"}}");
	if (frame_put(&frame, FRAME_RESPONSE, json.data, json.len) < 0 ||
	    fd_write_all(fd, frame.data, frame.len) < 0)
		_exit(1);
	buf_finish(&json);
	buf_finish(&frame);
}

/* Each of them is small enough, but their sum is not. */
static void
results_are_limited_in_sum(void **state)
{
	const size_t each = BATCH_RESULTS_MAX / 7 * 2;
	struct fixture f;
	pid_t host;
	int status;

	(void)state;
	set_up(&f,
	    "[{\"snapshot\":{}},{\"snapshot\":{}},{\"snapshot\":{}},"
	    "{\"snapshot\":{}},{\"text\":\"x\"}]");
	host = fork();
	assert_true(host >= 0);
	if (host == 0) {
		close(f.conn.fd);
		for (unsigned id = 1; id <= 4; id++) {
			if (!read_request(f.host, &f.asked))
				_exit(1);
			say_snapshot(f.host, id, each);
		}
		_exit(0);
	}
	batch_run(f.batch, &f.conn, false);
	for (size_t i = 0; i < 3; i++)
		expect_status(&f, i, BATCH_COMPLETED, "");
	expect_status(&f, 3, BATCH_FAILED, "usage");
	expect_status(&f, 4, BATCH_NOT_RUN, "");
	assert_int_equal(waitpid(host, &status, 0), host);
	assert_int_equal(status, 0);
	tear_down(&f);
}

/* ------------------------------------------------------------ on a loop */

struct done {
	struct loop *loop;
	unsigned left;
};

static void
on_done(void *arg)
{
	struct done *d = arg;

	if (--d->left == 0)
		loop_stop(d->loop);
}

/* A batch that waits for ever does not delay the other. */
static void
two_batches_share_a_channel(void **state)
{
	const struct batch_handlers on = { .on_done = on_done };
	struct done d = { loop_create(), 1 };
	struct error err;
	struct channel *c;
	struct batch *slow;
	struct fixture f;
	struct batch_step s;
	pid_t host;

	(void)state;
	set_up(&f, "[{\"text\":\"x\"},{\"snapshot\":{}}]");
	slow = parse("[{\"wait\":\"never\"},{\"text\":\"y\"}]", &err);
	assert_non_null(slow);
	host = fork();
	if (host == 0) {
		close(f.conn.fd);
		for (int i = 0; i < 3; i++)
			if (!read_request(f.host, &f.asked))
				_exit(1);
			else if (i > 0)
				say(f.host,
				    i == 1 ? "{\"id\":2,\"ok\":true,"
					     "\"result\":{\"seq\":7}}" :
					     "{\"id\":3,\"ok\":true,"
					     "\"result\":{\"data\":\"\"}}");
		_exit(read_request(f.host, &f.asked));
	}
	c = channel_adopt(d.loop, &f.conn, NULL, NULL);
	batch_start(slow, d.loop, c, false, &on, &d);
	batch_start(f.batch, d.loop, c, false, &on, &d);
	loop_run(d.loop);
	expect_status(&f, 0, BATCH_COMPLETED, "");
	expect_status(&f, 1, BATCH_COMPLETED, "");
	assert_int_equal(channel_pending(c), 1);
	batch_cancel(slow);
	batch_step(slow, 0, &s);
	assert_int_equal(s.status, BATCH_INTERRUPTED);
	batch_step(slow, 1, &s);
	assert_int_equal(s.status, BATCH_NOT_RUN);
	batch_destroy(slow);
	channel_destroy(c);
	close(f.host);
	assert_int_equal(waitpid(host, NULL, 0), host);
	f.host = -1;
	loop_destroy(d.loop);
	tear_down(&f);
}

/* The substitute for the host may answer later, or have no answer. */
struct lost {
	struct batch *batch;
	struct watch *timer;
	unsigned times;
	unsigned done;
};

static void
on_lost(void *arg, json_t *args)
{
	struct lost *l = arg;

	assert_string_equal(json_string_value(json_object_get(args, "text")),
	    "a");
	watch_rearm(l->timer, 1);
}

static void
on_later(void *arg)
{
	struct lost *l = arg;

	batch_lost(l->batch,
	    l->times++ == 0 ?
		json_pack("{s:b,s:b}", "matched", 1, "timed_out", 0) :
		NULL);
}

static void
on_lost_done(void *arg)
{
	((struct lost *)arg)->done++;
}

static void
a_step_after_the_host_is_lost_may_be_answered_later(void **state)
{
	const struct batch_handlers on = { on_lost_done, on_lost };
	struct loop *loop = loop_create();
	struct lost l = { 0 };
	struct channel *c;
	struct fixture f;

	(void)state;
	set_up(&f, "[{\"wait\":\"a\"},{\"wait\":\"a\"},{\"text\":\"x\"}]");
	close(f.host);
	l.batch = f.batch;
	l.timer = loop_timer(loop, -1, on_later, &l);
	c = channel_adopt(loop, &f.conn, NULL, NULL);
	batch_start(f.batch, loop, c, true, &on, &l);
	assert_int_equal(l.times, 0);
	loop_run(loop);
	assert_int_equal(l.times, 2);
	assert_int_equal(l.done, 1);
	expect_status(&f, 0, BATCH_COMPLETED, "");
	expect_status(&f, 1, BATCH_FAILED, "unreachable");
	expect_status(&f, 2, BATCH_FAILED, "unreachable");
	channel_destroy(c);
	loop_destroy(loop);
	f.host = -1;
	tear_down(&f);
}

/* The substitute answers inside on_lost, and on_done ends the batch. */
static void
on_lost_now(void *arg, json_t *args)
{
	struct lost *l = arg;

	(void)args;
	l->times++;
	batch_lost(l->batch,
	    json_pack("{s:b,s:b}", "matched", 1, "timed_out", 0));
}

static void
a_step_after_the_host_is_lost_may_be_answered_at_once(void **state)
{
	const struct batch_handlers on = { on_lost_done, on_lost_now };
	struct loop *loop = loop_create();
	struct lost l = { 0 };
	struct channel *c;
	struct fixture f;

	(void)state;
	set_up(&f, "[{\"wait\":\"a\"}]");
	close(f.host);
	l.batch = f.batch;
	c = channel_adopt(loop, &f.conn, NULL, NULL);
	batch_start(f.batch, loop, c, true, &on, &l);
	loop_run(loop);
	assert_int_equal(l.times, 1);
	assert_int_equal(l.done, 1);
	expect_status(&f, 0, BATCH_COMPLETED, "");
	channel_destroy(c);
	loop_destroy(loop);
	f.host = -1;
	tear_down(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_become_requests),
		cmocka_unit_test(waits_are_anchored_to_the_input_before),
		cmocka_unit_test(the_first_failure_ends_a_batch),
		cmocka_unit_test(a_batch_may_continue_after_a_failure),
		cmocka_unit_test(a_cancelled_batch_is_interrupted),
		cmocka_unit_test(wrong_steps_are_reported),
		cmocka_unit_test(results_are_limited_in_sum),
		cmocka_unit_test(two_batches_share_a_channel),
		cmocka_unit_test(
		    a_step_after_the_host_is_lost_may_be_answered_later),
		cmocka_unit_test(
		    a_step_after_the_host_is_lost_may_be_answered_at_once),
	};

	return cmocka_run_group_tests_name("client_batch", tests, NULL, NULL);
}
