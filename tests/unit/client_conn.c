#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "client/conn.h"
#include "keep/control.h"
#include "session/manifest.h"

#include "session_temp.h"

#define LONG_MS 10000
#define SHORT_MS 60
#define OK_LINE \
	"{\"ok\":true,\"tend\":1,\"host\":\"tend 9\",\"features\":[\"offset\"]," \
	"\"id\":\"01J000000000000000000000A0\",\"name\":\"n\"," \
	"\"granted\":\"readwrite\"}\n"

/*
 * A session's directory, so deep that its path does not fit a socket address.
 */
struct place {
	char temp[4096];
	char path[8192];
	int dirfd;
	pid_t host;
};

static int
set_up(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));

	temp_make(p->temp);
	snprintf(p->path, sizeof(p->path), "%s/%0200d", p->temp, 1);
	assert_int_equal(mkdir(p->path, 0700), 0);
	p->dirfd = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = p;
	return 0;
}

static int
tear_down(void **state)
{
	struct place *p = *state;

	if (p->host > 0) {
		kill(p->host, SIGKILL);
		waitpid(p->host, NULL, 0);
	}
	close(p->dirfd);
	temp_remove(p->temp);
	free(p);
	return 0;
}

static void
put_manifest(struct place *p, enum status status, enum outcome outcome)
{
	struct manifest m;

	manifest_init(&m);
	snprintf(m.id, sizeof(m.id), "01J000000000000000000000A0");
	snprintf(m.name, sizeof(m.name), "n");
	m.status = status;
	m.outcome = outcome;
	m.command = xcalloc(2, sizeof(char *));
	m.command[0] = xstrdup("sh");
	m.cwd = xstrdup("/");
	assert_int_equal(boot_id(m.boot_id), 0);
	m.keeper = (struct process){ getpid(), process_start_time(getpid()) };
	assert_int_equal(manifest_write(p->dirfd, &m, false, NULL), 0);
	manifest_finish(&m);
}

static int
listen_there(struct place *p)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un sa = { .sun_family = AF_UNIX };

	snprintf(sa.sun_path, sizeof(sa.sun_path), "/proc/self/fd/%d/sock",
	    p->dirfd);
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0 ||
	    listen(fd, 4) < 0) {
		perror("listen");
		abort();
	}
	return fd;
}

/* A host for one connection: it sends this, whatever it receives. */
static _Noreturn void
serve(int listener, const void *say, size_t len)
{
	int fd = accept(listener, NULL, NULL);
	char part[4096];

	if (fd < 0 || fd_write_all(fd, say, len) < 0)
		_exit(1);
	shutdown(fd, SHUT_WR);
	while (read(fd, part, sizeof(part)) > 0)
		;
	_exit(0);
}

static void
start_host(struct place *p, const void *say, size_t len)
{
	int listener = listen_there(p);

	p->host = fork();
	if (p->host == 0)
		serve(listener, say, len);
	close(listener);
}

static int
opens(struct place *p, struct conn *c, int timeout_ms, struct error *err)
{
	struct hello h;

	hello_init(&h);
	return conn_open(c, p->dirfd, &h, timeout_ms, err);
}

static void
fails_to_open(struct place *p, int timeout_ms, int rc, const char *why)
{
	struct error err = { 0 };
	struct conn c;
	int got = opens(p, &c, timeout_ms, &err);

	if (got != rc || strstr(err.msg, why) == NULL)
		fail_msg("%d, \"%s\" instead of %d, \"%s\"", got, err.msg, rc,
		    why);
	assert_int_equal(c.fd, -1);
}

static void
put_text(struct buf *b, uint8_t type, const char *text)
{
	assert_int_equal(frame_put(b, type, text, strlen(text)), 0);
}

static void
a_connection_gives_frames_in_order(void **state)
{
	struct place *p = *state;
	struct error err = { 0 };
	struct frame f;
	struct conn c;
	struct buf b;

	buf_init(&b, 1 << 20);
	buf_puts(&b, OK_LINE);
	put_text(&b, FRAME_METADATA, "{}");
	frame_put_output(&b, 7, "abc", 3);
	start_host(p, b.data, b.len);
	buf_finish(&b);
	if (opens(p, &c, LONG_MS, &err) != 0)
		fail_msg("%s", err.msg);
	assert_string_equal(c.welcome.host, "tend 9");
	assert_int_equal(c.welcome.features, HELLO_OFFSET);
	for (int i = 0; i < 2; i++) {
		while (conn_next(&c, &f, &err) == 0)
			assert_int_equal(conn_fill(&c, true, &err), 1);
		assert_int_equal(f.type,
		    i == 0 ? FRAME_METADATA : FRAME_OUTPUT);
	}
	assert_int_equal(f.len, 11);
	assert_memory_equal(f.payload + 8, "abc", 3);
	assert_int_equal(conn_next(&c, &f, &err), 0);
	assert_int_equal(conn_fill(&c, true, &err), -ECONNRESET);
	conn_close(&c);
}

static void
a_call_finds_its_answer_among_other_frames(void **state)
{
	struct place *p = *state;
	struct error err = { 0 };
	char code[32], *result = NULL;
	struct conn c;
	struct buf b;

	buf_init(&b, 1 << 20);
	buf_puts(&b, OK_LINE);
	put_text(&b, FRAME_EVENT, "{\"event\":\"bell\"}");
	put_text(&b, FRAME_RESPONSE, "{\"id\":9,\"ok\":true,\"result\":1}");
	put_text(&b, FRAME_RESPONSE,
	    "{\"id\":1,\"ok\":true,\"result\":{\"b\":[1,null],\"a\":2}}");
	put_text(&b, FRAME_RESPONSE,
	    "{\"id\":2,\"ok\":false,\"error\":{\"code\":\"denied\","
	    "\"message\":\"not you\"}}");
	put_text(&b, FRAME_RESPONSE, "{\"id\":3,\"ok\":true}");
	put_text(&b, FRAME_RESPONSE, "{\"id\":4}");
	start_host(p, b.data, b.len);
	buf_finish(&b);
	assert_int_equal(opens(p, &c, LONG_MS, &err), 0);
	assert_int_equal(conn_call(&c, "x", "{}", &result, code, &err), 0);
	assert_string_equal(result, "{\"b\":[1,null],\"a\":2}");
	free(result);
	assert_int_equal(conn_call(&c, "x", "{}", &result, code, &err),
	    -EREMOTEIO);
	assert_string_equal(code, "denied");
	assert_string_equal(err.msg, "not you");
	assert_int_equal(conn_call(&c, "x", "{}", &result, code, &err), 0);
	assert_string_equal(result, "null");
	free(result);
	assert_int_equal(conn_call(&c, "x", "{}", &result, code, &err),
	    -EPROTO);
	assert_int_equal(conn_call(&c, "x", "{}", &result, code, &err),
	    -ECONNRESET);
	conn_close(&c);
}

static void
a_refusal_is_reported(void **state)
{
	static const char line[] = "{\"ok\":false,\"error\":{\"code\":"
				   "\"denied\",\"message\":\"go away\"}}\n";
	struct place *p = *state;

	start_host(p, line, sizeof(line) - 1);
	fails_to_open(p, LONG_MS, -EACCES, "go away");
}

static void
a_host_of_another_protocol_is_refused(void **state)
{
	struct place *p = *state;
	char *line = xmalloc(FRAME_LINE_MAX + 1);

	start_host(p, "SSH-2.0-x\r\n", 11);
	fails_to_open(p, LONG_MS, -EPROTO, "first line is wrong");
	tear_down(state);
	set_up(state);
	p = *state;
	memset(line, ' ', FRAME_LINE_MAX + 1);
	start_host(p, line, FRAME_LINE_MAX + 1);
	free(line);
	fails_to_open(p, LONG_MS, -EPROTO, "too long");
}

static void
a_frame_that_is_too_long_is_refused(void **state)
{
	static const char say[] = OK_LINE "\x12\xff\xff\xff\xff";
	struct place *p = *state;
	struct error err = { 0 };
	struct frame f;
	struct conn c;
	int rc;

	start_host(p, say, sizeof(say) - 1);
	assert_int_equal(opens(p, &c, LONG_MS, &err), 0);
	while ((rc = conn_next(&c, &f, &err)) == 0)
		assert_int_equal(conn_fill(&c, true, &err), 1);
	assert_int_equal(rc, -EPROTO);
	conn_close(&c);
}

static void
a_silent_host_causes_a_timeout(void **state)
{
	struct place *p = *state;
	int listener = listen_there(p);

	put_manifest(p, STATUS_RUNNING, OUTCOME_NONE);
	fails_to_open(p, SHORT_MS, -ETIMEDOUT, "does not answer");
	close(listener);
}

static void
a_session_that_has_ended_is_not_running(void **state)
{
	struct place *p = *state;

	put_manifest(p, STATUS_EXITED, OUTCOME_KILLED);
	fails_to_open(p, LONG_MS, -ENOENT, "session n is not running: killed");
	close(listen_there(p));
	fails_to_open(p, LONG_MS, -ECONNREFUSED, "session n is not running");
}

static void
a_missing_host_causes_a_timeout(void **state)
{
	struct place *p = *state;

	put_manifest(p, STATUS_RUNNING, OUTCOME_NONE);
	fails_to_open(p, SHORT_MS, -ETIMEDOUT, "the host of session n is away");
	close(listen_there(p));
	fails_to_open(p, SHORT_MS, -ETIMEDOUT, "the host of session n is away");
}

/*
 * At first nothing listens: a connection is refused at least once, then the
 * host is there.
 */
static void
a_connection_waits_for_the_host_to_return(void **state)
{
	struct place *p = *state;
	struct error err = { 0 };
	struct conn c;
	int listener;

	put_manifest(p, STATUS_RUNNING, OUTCOME_NONE);
	fails_to_open(p, 0, -ETIMEDOUT, "away");
	p->host = fork();
	if (p->host == 0) {
		listener = listen_there(p);
		serve(listener, OK_LINE, sizeof(OK_LINE) - 1);
	}
	if (opens(p, &c, LONG_MS, &err) != 0)
		fail_msg("%s", err.msg);
	conn_close(&c);
}

static void
a_host_that_does_not_read_causes_a_timeout(void **state)
{
	struct place *p = *state;
	struct error err = { 0 };
	char *much = xcalloc(1, 4 << 20);
	struct conn c;
	int pair[2];

	(void)p;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	c = (struct conn){ .fd = pair[0],
		.cancel_fd = -1,
		.timeout_ms = SHORT_MS };
	assert_int_equal(conn_send(&c, much, 4 << 20, &err), -ETIMEDOUT);
	close(pair[1]);
	assert_int_equal(conn_send(&c, much, 1, &err), -EPIPE);
	conn_close(&c);
	free(much);
}

/* No call waits: there is only this one process. */
static void
opening_in_steps_uses_the_bytes_available(void **state)
{
	struct place *p = *state;
	struct error err = { 0 };
	struct hello h;
	struct conn c;
	int listener, host;

	put_manifest(p, STATUS_RUNNING, OUTCOME_NONE);
	hello_init(&h);
	conn_begin(&c, p->dirfd, &h, LONG_MS);
	assert_int_equal(conn_proceed(&c, &err), 0);
	assert_int_equal(c.fd, -1);
	assert_true(c.next_try < c.open_until);
	listener = listen_there(p);
	assert_int_equal(conn_proceed(&c, &err), 0);
	assert_true(c.fd >= 0);
	assert_int_equal(c.next_try, c.open_until);
	host = accept(listener, NULL, NULL);
	assert_int_equal(fd_write_all(host, OK_LINE, 20), 0);
	assert_int_equal(conn_proceed(&c, &err), 0);
	assert_int_equal(fd_write_all(host, &OK_LINE[20], strlen(OK_LINE) - 20),
	    0);
	assert_int_equal(conn_proceed(&c, &err), 1);
	assert_string_equal(c.welcome.host, "tend 9");
	conn_close(&c);
	close(host);
	close(listener);
}

static void
opening_in_steps_has_a_timeout(void **state)
{
	struct place *p = *state;
	int listener = listen_there(p);
	struct error err = { 0 };
	struct hello h;
	struct conn c;

	hello_init(&h);
	conn_begin(&c, p->dirfd, &h, LONG_MS);
	assert_int_equal(conn_proceed(&c, &err), 0);
	c.open_until = 0;
	assert_int_equal(conn_proceed(&c, &err), -ETIMEDOUT);
	assert_int_equal(c.fd, -1);
	close(listener);
}

/* The number of descriptors that come with the readable bytes. */
static size_t
descriptors_come(int fd)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} with;
	char bytes[4096];
	struct iovec iov = { bytes, sizeof(bytes) };
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &with,
		.msg_controllen = sizeof(with) };
	struct cmsghdr *h;
	int got;

	assert_true(recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) > 0);
	h = CMSG_FIRSTHDR(&msg);
	if (h == NULL)
		return 0;
	memcpy(&got, CMSG_DATA(h), sizeof(got));
	close(got);
	return 1;
}

static void
a_descriptor_is_sent_once(void **state)
{
	struct conn c = { .next_id = 1, .timeout_ms = LONG_MS };
	struct error err;
	uint64_t id;
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	c.fd = pair[0];
	c.give = STDERR_FILENO;
	assert_int_equal(conn_ask(&c, "session.upgrade", "{}", &id, &err), 0);
	assert_int_equal(descriptors_come(pair[1]), 1);
	assert_int_equal(conn_ask(&c, "session.get", "{}", &id, &err), 0);
	assert_int_equal(descriptors_come(pair[1]), 0);
	conn_close(&c);
	close(pair[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_connection_gives_frames_in_order),
		TEST(a_call_finds_its_answer_among_other_frames),
		TEST(a_refusal_is_reported),
		TEST(a_host_of_another_protocol_is_refused),
		TEST(a_frame_that_is_too_long_is_refused),
		TEST(a_silent_host_causes_a_timeout),
		TEST(a_session_that_has_ended_is_not_running),
		TEST(a_missing_host_causes_a_timeout),
		TEST(a_connection_waits_for_the_host_to_return),
		TEST(a_host_that_does_not_read_causes_a_timeout),
		TEST(opening_in_steps_uses_the_bytes_available),
		TEST(opening_in_steps_has_a_timeout),
		TEST(a_descriptor_is_sent_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
