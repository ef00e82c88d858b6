/*
 * Channels to real sessions. The first argument is the tend that was just
 * built.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/loop.h"
#include "base/mem.h"
#include "client/channel.h"
#include "client/conn.h"

#include "session_temp.h"

#define LIMIT_MS 40000
#define TYPIST "stty raw -echo; printf ready; exec cat >keys"
#define ECHOER "stty raw -echo; printf ready; exec cat"

static const char *tend;

/* A home with a session, and a loop that runs until an event arrives. */
struct world {
	char temp[4096];
	char id[64];
	int dirfd;
	struct loop *loop;
	struct watch *settle, *limit;
	bool (*is_there)(void *arg);
	void *arg;
	bool late;
};

/* The calls to one channel's callbacks. */
struct client {
	struct channel *channel;
	unsigned opened, closed;
	int rc;
	unsigned outcomes[CHANNEL_NOT_SENT + 1];
	unsigned n;      /* answers */
	unsigned wanted; /* answers that are awaited */
	char text[400];  /* the last result or message */
	uint64_t last_id;
	int host_pid;  /* of the last session.get */
	bool in_order; /* ids only grew */
	struct buf output;
	size_t expected;      /* bytes of it */
	unsigned frames[256]; /* by type */
};

static void
on_settle(void *arg)
{
	struct world *w = arg;

	if (w->late || (w->is_there != NULL && w->is_there(w->arg)))
		loop_stop(w->loop);
}

static void
on_limit(void *arg)
{
	struct world *w = arg;

	w->late = true;
}

static int
set_up(void **state)
{
	struct world *w = xcalloc(1, sizeof(*w));

	temp_make(w->temp);
	setenv("TEND_HOME", w->temp, 1);
	setenv("XDG_STATE_HOME", w->temp, 1);
	setenv("XDG_CONFIG_HOME", w->temp, 1);
	unsetenv("TEND_SESSION");
	w->dirfd = -1;
	w->loop = loop_create();
	w->settle = loop_settle(w->loop, on_settle, w);
	w->limit = loop_timer(w->loop, -1, on_limit, w);
	*state = w;
	return 0;
}

/*
 * Run a line of shell with $tend and $id set; returns its first line of
 * output.
 */
static void
run(struct world *w, const char *line, char *out, size_t size)
{
	char rest[4096];
	FILE *from;

	setenv("tend", tend, 1);
	setenv("id", w->id, 1);
	from = popen(line, "r");
	assert_non_null(from);
	if (out != NULL) {
		assert_non_null(fgets(out, (int)size, from));
		out[strcspn(out, "\n")] = '\0';
	}
	while (fgets(rest, sizeof(rest), from) != NULL)
		continue;
	assert_int_equal(pclose(from), 0);
}

static void
start(struct world *w, const char *script)
{
	char path[4200];

	assert_int_equal(chdir(w->temp), 0);
	setenv("script", script, 1);
	run(w, "$tend run -d -- sh -c \"$script\"", w->id, sizeof(w->id));
	snprintf(path, sizeof(path), "%s/sessions/%s", w->temp, w->id);
	w->dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(w->dirfd >= 0);
	run(w, "$tend wait $id --text ready --timeout 30s", NULL, 0);
}

static int
tear_down(void **state)
{
	struct world *w = *state;

	if (w->id[0] != '\0')
		run(w, "$tend destroy --purge -y --grace 0s $(ls sessions)",
		    NULL, 0);
	loop_destroy(w->loop);
	if (w->dirfd >= 0)
		close(w->dirfd);
	assert_int_equal(chdir("/"), 0);
	temp_remove(w->temp);
	free(w);
	return 0;
}

/* Run the loop until the condition holds, or fail. */
static void
until(struct world *w, bool (*is_there)(void *arg), void *arg)
{
	if (is_there(arg))
		return;
	w->is_there = is_there;
	w->arg = arg;
	watch_rearm(w->limit, LIMIT_MS);
	loop_run(w->loop);
	watch_rearm(w->limit, -1);
	w->is_there = NULL;
	if (w->late)
		fail_msg("it did not come in time");
}

static bool
is_open(void *arg)
{
	return ((struct client *)arg)->opened > 0;
}

static bool
is_open_again(void *arg)
{
	return ((struct client *)arg)->opened > 1;
}

static bool
is_closed(void *arg)
{
	return ((struct client *)arg)->closed > 0;
}

static bool
is_answered(void *arg)
{
	const struct client *c = arg;

	return c->n >= c->wanted;
}

static void
on_open(void *arg, const struct welcome *w)
{
	struct client *c = arg;

	assert_true(w->features & HELLO_PARALLEL);
	c->opened++;
}

static void
on_frame(void *arg, const struct frame *f)
{
	struct client *c = arg;
	const uint8_t *p;
	uint64_t offset;
	size_t len;

	c->frames[f->type]++;
	if (frame_output(f, &offset, &p, &len))
		buf_append(&c->output, p, len);
}

static void
on_close(void *arg, int rc, const struct error *err)
{
	struct client *c = arg;

	c->closed++;
	c->rc = rc;
	snprintf(c->text, sizeof(c->text), "%s", err->msg);
}

static const struct channel_handlers handlers = { on_open, on_frame, on_close };

static void
on_answer(void *arg, const struct channel_answer *a)
{
	struct client *c = arg;
	char *text = a->result != NULL ? json_dumps(a->result, 0) : NULL;

	c->n++;
	c->outcomes[a->outcome]++;
	if (json_object_get(a->result, "host_pid") != NULL)
		c->host_pid = (int)json_integer_value(
		    json_object_get(a->result, "host_pid"));
	c->in_order &= a->id > c->last_id;
	c->last_id = a->id;
	snprintf(c->text, sizeof(c->text), "%s",
	    text != NULL ? text : a->message);
	assert_true((a->rc == 0) == (a->outcome == CHANNEL_DONE));
	free(text);
}

static void
begin_as(struct world *w, struct client *c, const struct hello *h)
{
	memset(c, 0, sizeof(*c));
	c->in_order = true;
	buf_init(&c->output, 1u << 20);
	c->channel = channel_create(w->loop, w->dirfd, h, &handlers, c);
}

static void
begin(struct world *w, struct client *c)
{
	struct hello h;

	hello_init(&h);
	begin_as(w, c, &h);
}

static void
end(struct client *c)
{
	channel_destroy(c->channel);
	buf_finish(&c->output);
}

static uint64_t
post(struct client *c, const char *op, const char *args)
{
	struct error err;
	uint64_t id;

	c->wanted++;
	if (channel_post(c->channel, op, args, on_answer, c, &id, &err) < 0)
		fail_msg("%s: %s", op, err.msg);
	return id;
}

static void
post_number(struct client *c, unsigned n)
{
	char args[100];

	snprintf(args, sizeof(args), "{\"input\":[{\"text\":\"%05u.\"}]}", n);
	post(c, "session.send", args);
}

/* ---------------------------------------------------------------- requests */

static void
answers_come_in_the_order_of_completion(void **state)
{
	struct world *w = *state;
	struct client c;
	uint64_t wait;

	start(w, ECHOER);
	begin(w, &c);
	wait = post(&c, "session.wait",
	    "{\"text\":\"late\",\"timeout_ms\":30000,\"echo\":true}");
	post(&c, "session.get", "{}");
	assert_int_equal(c.opened, 0);
	c.wanted = 1;
	until(w, is_answered, &c);
	assert_int_equal(c.opened, 1);
	assert_int_equal(c.last_id, 2);
	assert_int_equal(channel_pending(c.channel), 1);
	post(&c, "session.send", "{\"input\":[{\"text\":\"late\"}]}");
	c.wanted = 3;
	until(w, is_answered, &c);
	assert_int_equal(c.last_id, wait);
	assert_non_null(strstr(c.text, "\"matched\": true"));
	assert_int_equal(c.outcomes[CHANNEL_DONE], 3);
	end(&c);
}

static void
a_refusal_gives_the_reason(void **state)
{
	struct world *w = *state;
	struct client c;

	start(w, ECHOER);
	begin(w, &c);
	post(&c, "session.resize", "{\"cols\":1,\"rows\":1}");
	until(w, is_answered, &c);
	assert_int_equal(c.outcomes[CHANNEL_REFUSED], 1);
	assert_non_null(strstr(c.text, "'cols'"));
	assert_int_equal(c.closed, 0);
	end(&c);
}

/* More than the host takes at once: the rest waits in the channel. */
static void
a_thousand_sends_keep_their_order(void **state)
{
	struct world *w = *state;
	struct client c;
	char want[8], keys[6 * CHANNEL_REQUESTS_MAX + 1];
	FILE *f;

	start(w, TYPIST);
	begin(w, &c);
	for (unsigned i = 0; i < CHANNEL_REQUESTS_MAX; i++)
		post_number(&c, i);
	until(w, is_answered, &c);
	assert_int_equal(c.outcomes[CHANNEL_DONE], CHANNEL_REQUESTS_MAX);
	assert_true(c.in_order);
	end(&c);
	run(w, "$tend stop $id", NULL, 0);
	f = fopen("keys", "r");
	assert_non_null(f);
	assert_int_equal(fread(keys, 1, sizeof(keys), f), sizeof(keys) - 1);
	for (unsigned i = 0; i < CHANNEL_REQUESTS_MAX; i++) {
		snprintf(want, sizeof(want), "%05u.", i);
		assert_memory_equal(keys + 6 * i, want, 6);
	}
	fclose(f);
}

static void
requests_beyond_the_limits_are_refused(void **state)
{
	char *large = xmalloc(FRAME_MAX_CLIENT + 1);
	struct world *w = *state;
	struct error err;
	struct client c;
	uint64_t id;
	int rc;

	memset(large, ' ', FRAME_MAX_CLIENT);
	large[0] = '{';
	large[FRAME_MAX_CLIENT - 1] = '}';
	large[FRAME_MAX_CLIENT] = '\0';
	start(w, ECHOER);
	begin(w, &c);
	rc = channel_post(c.channel, "session.get", large, on_answer, &c, &id,
	    &err);
	assert_int_equal(rc, -E2BIG);
	large[FRAME_MAX_CLIENT - 1000] = '}';
	large[FRAME_MAX_CLIENT - 999] = '\0';
	for (int i = 0; i < 4; i++)
		post(&c, "session.get", large);
	rc = channel_post(c.channel, "session.get", large, on_answer, &c, &id,
	    &err);
	assert_int_equal(rc, -EAGAIN);
	until(w, is_answered, &c);
	while ((rc = channel_post(c.channel, "session.get", "{}", on_answer, &c,
		    &id, &err)) == 0)
		c.wanted++;
	assert_int_equal(rc, -EAGAIN);
	assert_int_equal(channel_pending(c.channel), CHANNEL_REQUESTS_MAX);
	until(w, is_answered, &c);
	assert_int_equal(c.outcomes[CHANNEL_DONE], 4 + CHANNEL_REQUESTS_MAX);
	end(&c);
	free(large);
}

static bool
has_no_request(void *arg)
{
	return channel_pending(((struct client *)arg)->channel) == 0;
}

/*
 * The host answers the forgotten wait last, after it was forgotten for certain:
 * when something is typed for it.
 */
static void
a_forgotten_request_is_not_answered(void **state)
{
	struct world *w = *state;
	struct client c;
	uint64_t sent, unsent;

	start(w, ECHOER);
	begin(w, &c);
	sent = post(&c, "session.wait", "{\"text\":\"later\",\"echo\":true}");
	post(&c, "session.wait", "{\"text\":\"ready\"}");
	unsent = post(&c, "session.mark", "{\"name\":\"never\"}");
	channel_forget(c.channel, unsent);
	assert_int_equal(channel_pending(c.channel), 2);
	until(w, is_open, &c);
	channel_forget(c.channel, sent);
	channel_forget(c.channel, 4711);
	c.wanted = 1;
	until(w, is_answered, &c);
	post(&c, "session.send", "{\"input\":[{\"text\":\"later\"}]}");
	until(w, is_answered, &c);
	until(w, has_no_request, &c);
	assert_int_equal(c.n, 2);
	end(&c);
}

/* --------------------------------------------------- events and output */

static bool
has_output(void *arg)
{
	const struct client *c = arg;

	return c->output.len >= c->expected;
}

static bool
has_event(void *arg)
{
	return ((struct client *)arg)->frames[FRAME_EVENT] > 0;
}

static bool
has_metadata(void *arg)
{
	return ((struct client *)arg)->frames[FRAME_METADATA] > 0;
}

static void
output_and_events_come_beside_answers(void **state)
{
	struct world *w = *state;
	struct client c;
	struct hello h;

	start(w, ECHOER);
	hello_init(&h);
	h.mode = HELLO_ATTACH;
	h.features = HELLO_OFFSET | HELLO_EVENTS;
	h.replay = HELLO_RAW;
	h.has_from = true;
	begin_as(w, &c, &h);
	post(&c, "session.send", "{\"input\":[{\"text\":\"seen\"}]}");
	post(&c, "session.rename", "{\"name\":\"other\"}");
	c.expected = 9;
	until(w, has_output, &c);
	until(w, has_event, &c);
	until(w, is_answered, &c);
	assert_int_equal(c.frames[FRAME_METADATA], 1);
	assert_memory_equal(c.output.data, "readyseen", 9);
	end(&c);
}

/* Output continues where it was: no byte is missing or repeated. */
static void
an_attached_channel_continues_with_the_next_host(void **state)
{
	struct world *w = *state;
	struct client c, other;
	struct hello h;

	start(w, ECHOER);
	hello_init(&h);
	h.mode = HELLO_ATTACH;
	h.features = HELLO_OFFSET;
	h.replay = HELLO_RAW;
	h.has_from = true;
	begin_as(w, &c, &h);
	begin(w, &other);
	c.expected = 5;
	for (unsigned i = 0; i < 40; i++) {
		if (i % 10 == 5)
			post(&other, "session.revive", "{}");
		post(&c, "session.send", "{\"input\":[{\"text\":\"abcde\"}]}");
		c.expected += 5;
		until(w, has_output, &c);
		until(w, is_answered, &c);
	}
	until(w, is_open_again, &c);
	until(w, is_answered, &other);
	assert_int_equal(c.outcomes[CHANNEL_DONE], 40);
	assert_int_equal(c.output.len, c.expected);
	for (size_t i = 5; i < c.output.len; i += 5)
		assert_memory_equal(c.output.data + i, "abcde", 5);
	assert_int_equal(c.frames[FRAME_GAP], 0);
	assert_int_equal(c.frames[FRAME_SCREEN], 0);
	end(&c);
	end(&other);
}

/* ------------------------------------------------------------ other hosts */

/* The file has each number once, in order, from 0 on. */
static unsigned
numbers_typed(void)
{
	unsigned n = 0, got;
	FILE *f = fopen("keys", "r");

	assert_non_null(f);
	while (fscanf(f, "%5u.", &got) == 1) {
		if (got == 99999)
			continue;
		assert_true(got >= n);
		n = got + 1;
	}
	fclose(f);
	return n;
}

static void
nothing_is_typed_twice_after_a_host_is_killed(void **state)
{
	struct world *w = *state;
	unsigned done, known;
	struct client c;
	int pid;

	start(w, TYPIST);
	begin(w, &c);
	for (unsigned round = 0; round < 5; round++) {
		post(&c, "session.get", "{}");
		until(w, is_answered, &c);
		pid = c.host_pid;
		assert_true(pid > 1);
		for (unsigned i = 0; i < 200; i++)
			post_number(&c, round * 200 + i);
		c.wanted = c.n + 20 * round;
		until(w, is_answered, &c);
		assert_int_equal(kill(pid, SIGKILL), 0);
		c.wanted = 201 * (round + 1);
		until(w, is_answered, &c);
	}
	known = c.outcomes[CHANNEL_DONE] + c.outcomes[CHANNEL_UNKNOWN];
	assert_int_equal(known, 5 * 201);
	assert_true(c.outcomes[CHANNEL_UNKNOWN] <= 5 * CHANNEL_FLIGHT_MAX);
	assert_int_equal(c.opened, 6);
	done = c.outcomes[CHANNEL_DONE] - 5;
	print_message("%u done, %u unknown\n", done,
	    c.outcomes[CHANNEL_UNKNOWN]);
	end(&c);
	run(w, "$tend stop $id", NULL, 0);
	assert_int_equal(numbers_typed(), 1000);
}

static void
a_handover_loses_and_repeats_nothing(void **state)
{
	struct world *w = *state;
	struct client c, other;

	start(w, TYPIST);
	begin(w, &c);
	begin(w, &other);
	for (unsigned round = 0; round < 5; round++) {
		post(&other, "session.revive", "{}");
		for (unsigned i = 0; i < 20; i++)
			post(&c, "session.wait",
			    "{\"text\":\"never\",\"timeout_ms\":1000}");
		for (unsigned i = 0; i < 200; i++)
			post_number(&c, round * 200 + i);
		until(w, is_answered, &c);
		until(w, is_answered, &other);
	}
	assert_int_equal(c.outcomes[CHANNEL_DONE], 5 * 220);
	assert_int_equal(other.outcomes[CHANNEL_DONE], 5);
	assert_int_equal(c.opened, 6);
	end(&c);
	end(&other);
	run(w, "$tend stop $id", NULL, 0);
	assert_int_equal(numbers_typed(), 1000);
}

static void
a_session_that_ends_closes_the_channel(void **state)
{
	struct world *w = *state;
	struct error err;
	struct client c;
	uint64_t id;

	start(w, ECHOER);
	begin(w, &c);
	post(&c, "session.kill", "{}");
	until(w, is_closed, &c);
	assert_int_equal(c.n, 1);
	assert_true(c.rc == -ENOENT || c.rc == -ECONNREFUSED);
	assert_non_null(strstr(c.text, "not running"));
	assert_int_equal(channel_pending(c.channel), 0);
	assert_int_equal(channel_post(c.channel, "session.get", "{}", on_answer,
			     &c, &id, &err),
	    c.rc);
	end(&c);
	begin(w, &c);
	post(&c, "session.get", "{}");
	until(w, is_closed, &c);
	assert_int_equal(c.opened, 0);
	assert_int_equal(c.outcomes[CHANNEL_NOT_SENT], 1);
	end(&c);
}

static void
a_detached_channel_does_not_come_back(void **state)
{
	struct world *w = *state;
	struct client c, other;
	struct hello h;

	start(w, ECHOER);
	hello_init(&h);
	h.mode = HELLO_ATTACH;
	h.features = HELLO_OFFSET | HELLO_EVENTS;
	begin_as(w, &c, &h);
	until(w, has_metadata, &c);
	begin(w, &other);
	post(&other, "session.detach", "{}");
	until(w, is_closed, &c);
	assert_int_equal(c.rc, -ECONNABORTED);
	assert_int_equal(c.opened, 1);
	end(&c);
	end(&other);
}

/* The second host gets a shorter timeout, or the wait would end too late. */
static void
a_wait_keeps_its_timeout_through_a_handover(void **state)
{
	struct world *w = *state;
	struct client c, other;
	int64_t begun;

	start(w, ECHOER);
	begin(w, &c);
	begin(w, &other);
	begun = clock_ms(CLOCK_MONOTONIC);
	post(&c, "session.wait", "{\"text\":\"never\",\"timeout_ms\":6000}");
	post(&other, "session.wait",
	    "{\"text\":\"never\",\"timeout_ms\":4000}");
	until(w, is_answered, &other);
	post(&other, "session.revive", "{}");
	until(w, is_answered, &c);
	assert_int_equal(c.outcomes[CHANNEL_DONE], 1);
	assert_non_null(strstr(c.text, "\"timed_out\": true"));
	assert_int_equal(c.opened, 2);
	assert_in_range(clock_ms(CLOCK_MONOTONIC) - begun, 5990, 9900);
	end(&c);
	end(&other);
}

/* ----------------------------------------------------------------- callers */

static void
destroy_in_answer(void *arg, const struct channel_answer *a)
{
	struct client *c = arg;

	assert_int_equal(a->outcome, CHANNEL_DONE);
	channel_destroy(c->channel);
	c->channel = NULL;
	c->n++;
}

static void
a_callback_may_destroy_its_channel(void **state)
{
	struct world *w = *state;
	struct error err;
	struct client c;
	uint64_t id;

	start(w, ECHOER);
	begin(w, &c);
	assert_int_equal(channel_post(c.channel, "session.get", "{}",
			     destroy_in_answer, &c, &id, &err),
	    0);
	post(&c, "session.get", "{}");
	post(&c, "session.wait", "{\"text\":\"never\"}");
	c.wanted = 1;
	until(w, is_answered, &c);
	assert_int_equal(c.n, 1);
	assert_null(c.channel);
	end(&c);
}

/* A host that does not read delays nothing else. */
static void
a_host_that_does_not_read_does_not_block_the_caller(void **state)
{
	char *args = xmalloc(900000);
	struct world *w = *state;
	struct conn conn = { .next_id = 1, .give = -1, .dirfd = -1 };
	struct client c = { .in_order = true };
	int pair[2];

	memset(args, ' ', 900000);
	args[0] = '{';
	memcpy(args + 899998, "}", 2);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
			     pair),
	    0);
	conn.fd = pair[0];
	c.channel = channel_adopt(w->loop, &conn, &handlers, &c);
	assert_int_equal(conn.fd, -1);
	post(&c, "session.get", "{}");
	for (int i = 0; i < 4; i++)
		post(&c, "session.get", args);
	watch_rearm(w->limit, 50);
	loop_run(w->loop);
	w->late = false;
	assert_int_equal(c.n, 0);
	close(pair[1]);
	until(w, is_closed, &c);
	assert_int_equal(c.outcomes[CHANNEL_UNKNOWN], 1);
	assert_int_equal(c.outcomes[CHANNEL_NOT_SENT], 4);
	end(&c);
	free(args);
}

#define SESSIONS 4
#define EACH 60

struct crowd {
	struct client *clients;
	size_t n;
};

static bool
is_crowd_done(void *arg)
{
	struct crowd *all = arg;

	for (size_t i = 0; i < all->n; i++)
		if (!is_open(&all->clients[i]) ||
		    !is_answered(&all->clients[i]))
			return false;
	return true;
}

static void
hundreds_of_channels_use_little_memory(void **state)
{
	struct client *clients = xcalloc(SESSIONS * EACH, sizeof(*clients));
	struct crowd all = { clients, SESSIONS * EACH };
	struct world *w = *state;
	int dirs[SESSIONS];
	size_t before, each;

	for (int s = 0; s < SESSIONS; s++) {
		w->dirfd = -1;
		start(w, ECHOER);
		dirs[s] = w->dirfd;
	}
	before = mallinfo2().uordblks;
	for (size_t i = 0; i < all.n; i++) {
		w->dirfd = dirs[i % SESSIONS];
		begin(w, &clients[i]);
	}
	until(w, is_crowd_done, &all);
	for (size_t i = 0; i < all.n; i++)
		for (int n = 0; n < 10; n++)
			post(&clients[i], "session.snapshot", "{}");
	until(w, is_crowd_done, &all);
	each = (mallinfo2().uordblks - before) / all.n;
	print_message("%zu bytes for each of %zu idle channels\n", each, all.n);
	assert_true(each < 4096);
	for (size_t i = 0; i < all.n; i++) {
		assert_int_equal(clients[i].outcomes[CHANNEL_DONE], 10);
		end(&clients[i]);
	}
	for (int s = 0; s < SESSIONS; s++)
		if (dirs[s] != w->dirfd)
			close(dirs[s]);
	free(clients);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(answers_come_in_the_order_of_completion),
		TEST(a_refusal_gives_the_reason),
		TEST(a_thousand_sends_keep_their_order),
		TEST(requests_beyond_the_limits_are_refused),
		TEST(a_forgotten_request_is_not_answered),
		TEST(output_and_events_come_beside_answers),
		TEST(an_attached_channel_continues_with_the_next_host),
		TEST(nothing_is_typed_twice_after_a_host_is_killed),
		TEST(a_handover_loses_and_repeats_nothing),
		TEST(a_session_that_ends_closes_the_channel),
		TEST(a_detached_channel_does_not_come_back),
		TEST(a_wait_keeps_its_timeout_through_a_handover),
		TEST(a_callback_may_destroy_its_channel),
		TEST(a_host_that_does_not_read_does_not_block_the_caller),
		TEST(hundreds_of_channels_use_little_memory),
	};

	tend = argc == 2 ? realpath(argv[1], NULL) : NULL;
	if (tend == NULL)
		return 2;
	return cmocka_run_group_tests_name("client_channel", tests, NULL, NULL);
}
