#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "session/home.h"
#include "session/visit.h"
#include "session_temp.h"

struct place {
	char temp[4096];
	char agent[64], variable[128]; /* a socket, and SSH_AUTH_SOCK= it */
	int dir, socket;
};

static int
set_up(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	temp_make(p->temp);
	assert_true(strlen(p->temp) < 50);
	snprintf(p->agent, sizeof(p->agent), "%.50s/agent", p->temp);
	snprintf(p->variable, sizeof(p->variable), "SSH_AUTH_SOCK=%s",
	    p->agent);
	memcpy(addr.sun_path, p->agent, strlen(p->agent) + 1);
	p->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(p->socket, (void *)&addr, sizeof(addr)), 0);
	p->dir = open(p->temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(p->dir >= 0);
	*state = p;
	return 0;
}

static int
tear_down(void **state)
{
	struct place *p = *state;

	fd_close(&p->dir);
	fd_close(&p->socket);
	temp_remove(p->temp);
	free(p);
	return 0;
}

static void
assert_link(const struct place *p, const char *want)
{
	char seen[PATH_MAX] = "";

	if (readlinkat(p->dir, VISIT_LINK, seen, sizeof(seen) - 1) < 0)
		perror(VISIT_LINK);
	assert_string_equal(seen, want);
}

static void
a_visitors_environment_is_read_back(void **state)
{
	struct place *p = *state;
	char *const env[] = { "HOME=/root", "DISPLAY=:7",
		"SSH_CONNECTION=1 2 3 4", p->variable, NULL };
	char **seen;

	assert_int_equal(visit_note(p->dir, env), 0);
	seen = visit_read(p->dir, NULL);
	assert_non_null(seen);
	assert_string_equal(seen[0], "DISPLAY=:7");
	assert_string_equal(seen[1], p->variable);
	assert_string_equal(seen[2], "SSH_CONNECTION=1 2 3 4");
	assert_null(seen[3]);
	mem_free_list(seen);
	assert_link(p, p->agent);
	assert_int_equal(mode_of(p->temp, "visit.env"), 0600);
}

static void
the_last_visitor_counts(void **state)
{
	struct place *p = *state;
	char *const one[] = { "DISPLAY=:1", "XAUTHORITY=/x", NULL };
	char *const two[] = { "DISPLAY=:2", NULL };
	char **seen;

	assert_int_equal(visit_note(p->dir, one), 0);
	assert_int_equal(visit_note(p->dir, two), 0);
	seen = visit_read(p->dir, NULL);
	assert_string_equal(seen[0], "DISPLAY=:2");
	assert_null(seen[1]);
	mem_free_list(seen);
}

static void
a_missing_agent_socket_leaves_the_link(void **state)
{
	struct place *p = *state;
	char *const with[] = { p->variable, NULL };
	char *const gone[] = { "SSH_AUTH_SOCK=/no/such/socket", NULL };
	char *const file[] = { "SSH_AUTH_SOCK=/dev/null", NULL };
	char *const relative[] = { "SSH_AUTH_SOCK=agent", NULL };
	char *const none[] = { NULL };

	assert_int_equal(visit_note(p->dir, with), 0);
	assert_int_equal(visit_note(p->dir, gone), 0);
	assert_int_equal(visit_note(p->dir, file), 0);
	assert_int_equal(visit_note(p->dir, relative), 0);
	assert_int_equal(visit_note(p->dir, none), 0);
	assert_link(p, p->agent);
}

static void
inside_a_session_the_link_leads_to_the_socket_itself(void **state)
{
	struct place *p = *state;
	char through[4200];
	char *const env[] = { "TEND_SESSION=x", through, NULL };

	/* The link of this very session: it must not lead to itself. */
	assert_int_equal(symlinkat(p->agent, p->dir, VISIT_LINK), 0);
	snprintf(through, sizeof(through), "SSH_AUTH_SOCK=%s/" VISIT_LINK,
	    p->temp);
	assert_int_equal(visit_note(p->dir, env), 0);
	assert_link(p, p->agent);
}

static void
values_with_control_characters_or_too_long_are_left_out(void **state)
{
	struct place *p = *state;
	auto_free char *longest = xcalloc(1, VISIT_VALUE_MAX + 20);
	char *const env[] = { "DISPLAY=:1\n", "SSH_TTY=\033[31m", longest,
		"KRB5CCNAME=ok", NULL };
	char **seen;

	strcpy(longest, "XAUTHORITY=");
	memset(longest + 11, 'x', VISIT_VALUE_MAX + 1);
	assert_int_equal(visit_note(p->dir, env), 0);
	seen = visit_read(p->dir, NULL);
	assert_string_equal(seen[0], "KRB5CCNAME=ok");
	assert_null(seen[1]);
	mem_free_list(seen);
}

static void
a_forged_file_gives_only_permitted_variables(void **state)
{
	static const char text[] = "LD_PRELOAD=/x\0DISPLAY=\033]0;\0\0"
				   "DISPLAYS=1\0DISPLAY=:3";
	struct place *p = *state;
	auto_close int fd = openat(p->dir, "visit.env", O_WRONLY | O_CREAT,
	    0600);
	char **seen;

	assert_int_equal(fd_write_all(fd, text, sizeof(text) - 1), 0);
	seen = visit_read(p->dir, NULL);
	assert_string_equal(seen[0], "DISPLAY=:3");
	assert_null(seen[1]);
	mem_free_list(seen);
}

static void
no_visitor_is_reported(void **state)
{
	struct place *p = *state;
	struct error err;

	assert_null(visit_read(p->dir, &err));
	assert_int_equal(err.code, ENOENT);
}

static void
a_link_too_long_for_a_socket_is_not_used(void **state)
{
	struct home h = { .path = "/home/user/.local/state/tend" };
	char path[PATH_MAX];

	(void)state;
	assert_true(visit_link_path(&h, "01KA0000000000000000000000", path,
	    sizeof(path)));
	assert_string_equal(path,
	    "/home/user/.local/state/tend/sessions/"
	    "01KA0000000000000000000000/ssh-auth.sock");
	memset(h.path, 'x', 80);
	assert_false(visit_link_path(&h, "01KA0000000000000000000000", path,
	    sizeof(path)));
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_visitors_environment_is_read_back),
		TEST(the_last_visitor_counts),
		TEST(a_missing_agent_socket_leaves_the_link),
		TEST(inside_a_session_the_link_leads_to_the_socket_itself),
		TEST(values_with_control_characters_or_too_long_are_left_out),
		TEST(a_forged_file_gives_only_permitted_variables),
		TEST(no_visitor_is_reported),
		TEST(a_link_too_long_for_a_socket_is_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
