#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "keep/control.h"
#include "session/manifest.h"
#include "session_temp.h"

#define ID "01J0000000000000000000000A"

static void
fill(struct manifest *m)
{
	static const char *const words[] = { "/bin/sh", "-c", "a \"b\"\n",
		"\xff\xfe", "" };

	manifest_init(m);
	memcpy(m->id, ID, sizeof(ID));
	snprintf(m->name, sizeof(m->name), "work/a-1");
	m->command = xcalloc(6, sizeof(char *));
	for (size_t i = 0; i < 5; i++)
		m->command[i] = xstrdup(words[i]);
	m->cwd = xstrdup("/tmp/\xe9t\xe9");
	assert_int_equal(manifest_set_label(m, "role", "builder", NULL), 0);
	assert_int_equal(manifest_set_label(m, "a", "", NULL), 0);
}

static void
fill_end(struct manifest *m)
{
	m->status = STATUS_EXITED;
	m->outcome = OUTCOME_KILLED;
	m->has_exit = true;
	m->exit_signal = 9;
	m->created_ms = 1700000000123;
	m->ended_ms = 1700000000999;
	m->keeper = (struct process){ 10, 11 };
	m->host = (struct process){ 12, 13 };
	m->child = (struct process){ 14, 15 };
	snprintf(m->boot_id, sizeof(m->boot_id), "not-this-boot");
	m->began_ns = 5;
	m->input = INPUT_POLICY_LEASE;
	m->size = SIZE_FIXED;
	m->log_input = LOG_INPUT_NONE;
	m->durable = m->unkept = m->raw = m->forget_env = true;
	strcpy(m->last_line, "$ \xe7\x95\x8c");
	m->said = (struct said){ .state = "blocked",
		.kind = "question",
		.app = "agent",
		.text = xstrdup("which \xe7\x95\x8c?"),
		.since_ms = 1700000000500 };
	strcpy(m->title, "vim \xe7\x95\x8c");
	m->notices = (struct notices){ 3, 1700000000600, 1, 1700000000700,
		"build", "done" };
	snprintf(m->rerun_of, sizeof(m->rerun_of), "%s", m->id);
	m->confined = true;
	manifest_set_list(&m->may, (const char *[]){ "drive:team/*" }, 1);
	manifest_set_list(&m->created_by, (const char *[]){ ID, ID }, 2);
	m->max_log = 1ull << 40;
	m->seq = 1;
	m->offset = 1ull << 62;
	m->post_mortem = xstrdup("artifacts/screen.txt");
	m->degraded = xstrdup("raw");
	m->memory_max = 1 << 30;
	m->pids_max = 500;
	m->cpu_weight = 50;
	m->cgroup = xstrdup("/sys/fs/cgroup/a");
	m->unenforced = xstrdup("pids: no");
}

static char *
format(const struct manifest *m)
{
	struct buf b;

	buf_init(&b, MANIFEST_MAX);
	assert_int_equal(manifest_format(m, &b), 0);
	return buf_take(&b);
}

static void
a_manifest_is_read_back_as_written(void **state)
{
	struct manifest m, m2;
	struct error err = { 0 };
	char *text, *again;

	(void)state;
	fill(&m);
	fill_end(&m);
	text = format(&m);
	if (manifest_parse(text, strlen(text), &m2, &err) != 0)
		fail_msg("%s: %s", text, err.msg);
	again = format(&m2);
	assert_string_equal(text, again);
	assert_string_equal(m2.name, "work/a-1");
	assert_string_equal(m2.command[2], "a \"b\"\n");
	assert_string_equal(m2.command[3], "\xff\xfe");
	assert_string_equal(m2.command[4], "");
	assert_null(m2.command[5]);
	assert_string_equal(m2.cwd, "/tmp/\xe9t\xe9");
	assert_int_equal(m2.n_labels, 2);
	assert_string_equal(m2.labels[0].key, "role");
	assert_string_equal(m2.labels[0].value, "builder");
	assert_int_equal(m2.status, STATUS_EXITED);
	assert_int_equal(m2.outcome, OUTCOME_KILLED);
	assert_true(m2.has_exit && m2.exit_code == -1 && m2.exit_signal == 9);
	assert_true(m2.ended_ms == m.ended_ms && m2.offset == m.offset);
	assert_true(m2.host.pid == 12 && m2.host.start == 13);
	assert_true(m2.durable && m2.unkept && m2.raw && m2.size == SIZE_FIXED);
	assert_string_equal(m2.last_line, "$ \xe7\x95\x8c");
	assert_string_equal(m2.degraded, "raw");
	assert_string_equal(m2.said.state, "blocked");
	assert_string_equal(m2.said.kind, "question");
	assert_string_equal(m2.said.app, "agent");
	assert_string_equal(m2.said.text, "which \xe7\x95\x8c?");
	assert_true(m2.said.since_ms == 1700000000500);
	assert_string_equal(m2.title, "vim \xe7\x95\x8c");
	assert_memory_equal(&m2.notices, &m.notices, sizeof(m.notices));
	assert_true(m2.forget_env);
	assert_true(m2.memory_max == 1 << 30 && m2.pids_max == 500);
	assert_int_equal(m2.cpu_weight, 50);
	assert_string_equal(m2.cgroup, "/sys/fs/cgroup/a");
	assert_string_equal(m2.unenforced, "pids: no");
	assert_string_equal(m2.rerun_of, m.rerun_of);
	assert_true(m2.confined);
	assert_string_equal(m2.may[0], "drive:team/*");
	assert_null(m2.may[1]);
	assert_string_equal(m2.created_by[1], ID);
	assert_null(m2.created_by[2]);
	manifest_finish(&m);
	manifest_finish(&m2);
	free(text);
	free(again);
}

/* The unchecked file, with one piece of text replaced by another. */
static char *
changed(const char *what, const char *by)
{
	struct manifest m;
	char *text, *at;
	struct buf b;

	fill(&m);
	text = format(&m);
	manifest_finish(&m);
	at = strstr(text, ",\"crc\"");
	assert_non_null(at);
	strcpy(at, "}\n");
	at = strstr(text, what);
	if (at == NULL)
		fail_msg("%s is not in %s", what, text);
	buf_init(&b, 2 * MANIFEST_MAX);
	buf_append(&b, text, (size_t)(at - text));
	buf_puts(&b, by);
	buf_puts(&b, at + strlen(what));
	free(text);
	return buf_take(&b);
}

static void
refuses(const char *what, const char *by, const char *why)
{
	auto_free char *text = changed(what, by);
	struct error err = { 0 };
	struct manifest m;

	assert_true(manifest_parse(text, strlen(text), &m, &err) < 0);
	if (strstr(err.msg, why) == NULL)
		fail_msg("%s -> %s: \"%s\" does not say \"%s\"", what, by,
		    err.msg, why);
	assert_null(m.command);
	assert_null(m.cwd);
}

static void
a_damaged_file_is_refused_with_the_reason(void **state)
{
	(void)state;
	refuses("{\"version\":1,", "{", "version");
	refuses("{\"version\":1,", "{\"version\":2,", "newer");
	refuses("\"id\":\"" ID "\"", "\"id\":\"x\"", "id is not a ULID");
	refuses("\"id\":\"" ID "\",", "", "id is not a ULID");
	refuses("work/a-1", "../a", "a name is");
	refuses("\"starting\"", "\"asleep\"", "status must be");
	refuses("\"status\":\"starting\",", "", "status is missing");
	refuses("\"cols\":80", "\"cols\":\"80\"", "cols must be");
	refuses("\"cols\":80", "\"cols\":70000", "cols must be");
	refuses("\"keeper_pid\":0", "\"keeper_pid\":-1", "keeper_pid");
	refuses("\"keeper_pid\":0", "\"keeper_pid\":4294967297", "keeper_pid");
	refuses("\"exit_code\":-1", "\"exit_code\":9999999999", "exit_code");
	refuses("\"durable\":false", "\"durable\":0", "durable");
	refuses("\"/bin/sh\"", "1", "command");
	refuses("{\"hex\":\"fffe\"}", "{\"hex\":\"ff0\"}", "command");
	refuses("{\"hex\":\"fffe\"}", "{\"hex\":\"ff00\"}", "command");
	refuses("{\"hex\":\"fffe\"}", "{\"hex\":\"41\"}", "command");
	refuses("\"cwd\":", "\"cwe\":", "cwd");
	refuses("\"builder\"", "[]", "labels must be strings");
	refuses("\"labels\":{", "\"labels\":{\"a=b\":\"\",", "label");
	refuses("\"labels\":{", "\"labels\":{\"a\":\"\",", "duplicate");
	refuses("}\n", "", "no JSON");
	refuses("}\n", "}{}", "no JSON");
}

/* A changed bit makes the file refused or suspect, or changes no field. */
static void
no_changed_bit_is_accepted(void **state)
{
	auto_free char *text = NULL;
	struct manifest m;
	size_t len, same = 0;

	(void)state;
	fill(&m);
	fill_end(&m);
	text = format(&m);
	manifest_finish(&m);
	len = strlen(text);
	assert_int_equal(manifest_parse(text, len, &m, NULL), 0);
	assert_false(m.suspect);
	manifest_finish(&m);
	for (size_t bit = 0; bit < 8 * len; bit++) {
		auto_free char *again = NULL;
		int rc;

		text[bit / 8] ^= (char)(1 << bit % 8);
		rc = manifest_parse(text, len, &m, NULL);
		assert_int_not_equal(rc, -EPROTO);
		text[bit / 8] ^= (char)(1 << bit % 8);
		if (rc == 0 && !m.suspect) {
			again = format(&m);
			assert_string_equal(again, text);
			same++;
		}
		if (rc == 0)
			manifest_finish(&m);
	}
	/* Only bits of the checksum's own name and of the last newline. */
	assert_true(same < 64);
}

static void
a_newer_field_is_ignored(void **state)
{
	auto_free char *text = changed("\"cols\":80",
	    "\"cols\":80,\"new\":[1]");
	struct manifest m;

	(void)state;
	assert_int_equal(manifest_parse(text, strlen(text), &m, NULL), 0);
	manifest_finish(&m);
}

static void
a_command_that_is_too_long_is_refused(void **state)
{
	char *huge = xmalloc(MANIFEST_MAX + 1);
	struct manifest m;
	struct error err;
	char dir[4096];
	int fd;

	(void)state;
	memset(huge, 'x', MANIFEST_MAX);
	huge[MANIFEST_MAX] = '\0';
	fill(&m);
	free(m.command[0]);
	m.command[0] = huge;
	temp_make(dir);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(manifest_write(fd, &m, false, &err), -E2BIG);
	assert_int_equal(faccessat(fd, "session.json", F_OK, 0), -1);
	manifest_finish(&m);
	close(fd);
	temp_remove(dir);
}

static bool
temp_is_left(const char *dir)
{
	struct stat st;
	char path[8192];

	snprintf(path, sizeof(path), "%s/session.json.%d", dir, (int)gettid());
	return stat(path, &st) == 0;
}

static void
a_file_is_written_whole_and_private(void **state)
{
	struct manifest m, m2;
	struct error err = { 0 };
	mode_t before = umask(0277);
	char dir[4096];
	int fd;

	(void)state;
	temp_make(dir);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fill(&m);
	assert_int_equal(manifest_read(fd, &m2, &err), -ENOENT);
	assert_int_equal(manifest_write(fd, &m, true, &err), 0);
	umask(before);
	assert_int_equal(mode_of(dir, "session.json"), 0600);
	m.status = STATUS_RUNNING;
	assert_int_equal(manifest_write(fd, &m, false, &err), 0);
	assert_false(temp_is_left(dir));
	assert_int_equal(manifest_read(fd, &m2, &err), 0);
	assert_int_equal(m2.status, STATUS_RUNNING);
	assert_string_equal(m2.cwd, m.cwd);
	manifest_finish(&m);
	manifest_finish(&m2);
	close(fd);
	temp_remove(dir);
}

static void
only_a_regular_file_is_read(void **state)
{
	struct manifest m;
	struct error err;
	char dir[4096];
	int fd;

	(void)state;
	temp_make(dir);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(symlinkat("/etc/passwd", fd, "session.json"), 0);
	assert_int_equal(manifest_read(fd, &m, &err), -ELOOP);
	unlinkat(fd, "session.json", 0);
	assert_int_equal(mkfifoat(fd, "session.json", 0600), 0);
	assert_int_equal(manifest_read(fd, &m, &err), -EINVAL);
	unlinkat(fd, "session.json", 0);
	assert_int_equal(mkdirat(fd, "session.json", 0700), 0);
	assert_int_equal(manifest_read(fd, &m, &err), -EINVAL);
	close(fd);
	temp_remove(dir);
}

static void
labels_are_set_replaced_and_removed(void **state)
{
	char key[LABEL_KEY_MAX + 2], value[LABEL_VALUE_MAX + 2];
	struct manifest m;
	struct error err;

	(void)state;
	manifest_init(&m);
	memset(key, 'k', sizeof(key));
	key[LABEL_KEY_MAX + 1] = '\0';
	memset(value, 'v', sizeof(value));
	value[LABEL_VALUE_MAX + 1] = '\0';
	assert_int_equal(manifest_set_label(&m, key, "", &err), -EINVAL);
	assert_int_equal(manifest_set_label(&m, "", "", &err), -EINVAL);
	assert_int_equal(manifest_set_label(&m, "a b", "", &err), -EINVAL);
	assert_int_equal(manifest_set_label(&m, "a", value, &err), -EINVAL);
	assert_int_equal(manifest_set_label(&m, "a", "\xff", &err), -EINVAL);
	assert_int_equal(m.n_labels, 0);
	for (int i = 0; i < MANIFEST_LABELS_MAX; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		assert_int_equal(manifest_set_label(&m, key, "1", &err), 0);
	}
	assert_int_equal(manifest_set_label(&m, "more", "1", &err), -E2BIG);
	assert_int_equal(manifest_set_label(&m, "k3", "2", &err), 0);
	assert_string_equal(m.labels[3].value, "2");
	assert_int_equal(manifest_set_label(&m, "k0", NULL, &err), 0);
	assert_int_equal(manifest_set_label(&m, "none", NULL, &err), 0);
	assert_int_equal(m.n_labels, MANIFEST_LABELS_MAX - 1);
	assert_string_equal(m.labels[0].key, "k1");
	assert_int_equal(manifest_set_label(&m, "more", "1", &err), 0);
	manifest_finish(&m);
}

static void
fill_running(struct manifest *m)
{
	fill(m);
	m->status = STATUS_RUNNING;
	assert_int_equal(boot_id(m->boot_id), 0);
	m->keeper = (struct process){ getpid(), process_start_time(getpid()) };
	m->host = m->child = m->keeper;
}

static void
a_running_session_is_reported_as_running(void **state)
{
	struct manifest m;

	(void)state;
	fill_running(&m);
	assert_false(manifest_reconcile(&m));
	assert_int_equal(m.status, STATUS_RUNNING);
	assert_int_equal(m.host.pid, getpid());
	assert_false(m.unkept);
	m.host.start++;
	assert_false(manifest_reconcile(&m));
	assert_int_equal(m.host.pid, 0);
	assert_int_equal(m.keeper.pid, getpid());
	manifest_finish(&m);
}

static void
a_session_without_keeper_is_unkept(void **state)
{
	struct manifest m;

	(void)state;
	fill_running(&m);
	m.keeper.start++;
	assert_false(manifest_reconcile(&m));
	assert_int_equal(m.status, STATUS_RUNNING);
	assert_int_equal(m.keeper.pid, 0);
	assert_true(m.unkept);
	manifest_finish(&m);
}

static void
a_session_of_another_boot_is_lost(void **state)
{
	struct manifest m;

	(void)state;
	fill_running(&m);
	m.boot_id[0] ^= 1;
	assert_true(manifest_reconcile(&m));
	assert_int_equal(m.status, STATUS_EXITED);
	assert_int_equal(m.outcome, OUTCOME_LOST);
	assert_true(m.keeper.pid == 0 && m.host.pid == 0 && m.child.pid == 0);
	assert_false(manifest_reconcile(&m));
	manifest_finish(&m);
}

/*
 * The session's host writes the exit and ends just before a reader checks for
 * it.
 */
static const struct manifest *written_when_looked_for;
static int written_in;

uint64_t __real_process_start_time(pid_t pid);
uint64_t __wrap_process_start_time(pid_t pid);

uint64_t
__wrap_process_start_time(pid_t pid)
{
	const struct manifest *m = written_when_looked_for;

	if (m == NULL)
		return __real_process_start_time(pid);
	assert_int_equal(manifest_write(written_in, m, false, NULL), 0);
	return 0;
}

static void
a_session_that_ends_during_a_check_is_not_lost(void **state)
{
	struct manifest m, seen;
	char temp[4096];

	(void)state;
	temp_make(temp);
	written_in = open(temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fill_running(&m);
	assert_int_equal(manifest_write(written_in, &m, false, NULL), 0);
	m.status = STATUS_EXITED;
	m.outcome = OUTCOME_EXITED;
	m.has_exit = true;
	m.exit_code = 6;
	written_when_looked_for = &m;
	assert_int_equal(manifest_read_now(written_in, &seen, NULL), 0);
	written_when_looked_for = NULL;
	assert_int_equal(seen.status, STATUS_EXITED);
	assert_int_equal(seen.outcome, OUTCOME_EXITED);
	assert_int_equal(seen.exit_code, 6);
	manifest_finish(&seen);
	manifest_finish(&m);
	fd_close(&written_in);
	temp_remove(temp);
}

static void
a_session_whose_processes_ended_is_lost(void **state)
{
	pid_t pid = fork();
	struct manifest m;

	(void)state;
	if (pid == 0)
		pause();
	fill_running(&m);
	m.keeper = (struct process){ pid, process_start_time(pid) };
	m.host = (struct process){ 0 };
	assert_false(manifest_reconcile(&m));
	kill(pid, SIGKILL);
	/* A zombie has ended, even if no process has waited for it. */
	while (process_start_time(pid) != 0)
		sched_yield();
	assert_true(manifest_reconcile(&m));
	assert_int_equal(m.outcome, OUTCOME_LOST);
	waitpid(pid, NULL, 0);
	manifest_finish(&m);
}

/* A copy has the pids of the original session. */
static void
a_copy_of_a_running_session_does_not_run(void **state)
{
	char temp[4096];
	struct manifest m, copy;
	int fd;

	(void)state;
	temp_make(temp);
	fd = open(temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fill_running(&m);
	assert_int_equal(manifest_set_dir(&m, fd), 0);
	assert_int_equal(manifest_write(fd, &m, false, NULL), 0);
	assert_int_equal(manifest_read(fd, &copy, NULL), 0);
	assert_false(manifest_reconcile(&copy));
	assert_true(copy.keeper.pid == getpid() && !copy.copied);
	manifest_finish(&copy);
	m.dir_ino ^= 1;
	assert_int_equal(manifest_write(fd, &m, false, NULL), 0);
	assert_int_equal(manifest_read(fd, &copy, NULL), 0);
	assert_true(manifest_reconcile(&copy));
	assert_int_equal(copy.status, STATUS_EXITED);
	assert_int_equal(copy.outcome, OUTCOME_LOST);
	assert_true(copy.copied && copy.keeper.pid == 0 && copy.host.pid == 0);
	manifest_finish(&copy);
	/* When the original has ended, a copy looks like a lost session. */
	m.keeper.start++;
	m.host.start++;
	assert_int_equal(manifest_write(fd, &m, false, NULL), 0);
	assert_int_equal(manifest_read(fd, &copy, NULL), 0);
	assert_true(manifest_reconcile(&copy));
	assert_int_equal(copy.outcome, OUTCOME_LOST);
	assert_false(copy.copied);
	manifest_finish(&copy);
	manifest_finish(&m);
	close(fd);
	temp_remove(temp);
}

static void
a_recorded_exit_counts(void **state)
{
	struct manifest m;

	(void)state;
	fill_running(&m);
	m.boot_id[0] ^= 1;
	m.status = STATUS_EXITING;
	m.has_exit = true;
	m.exit_code = 3;
	assert_true(manifest_reconcile(&m));
	assert_int_equal(m.outcome, OUTCOME_EXITED);
	assert_int_equal(m.exit_code, 3);
	m.status = STATUS_DESTROYING;
	assert_false(manifest_reconcile(&m));
	assert_int_equal(m.status, STATUS_DESTROYING);
	manifest_finish(&m);
}

/* C-17, DESIGN 8: the object that every --json gives. */
static void
the_session_object_has_its_fields(void **state)
{
	static const char *const keys[] = { "id", "name", "status", "outcome",
		"agent", "activity", "evidence", "command", "cwd", "labels",
		"cols", "rows", "created_at", "ended_at", "exit_code",
		"exit_signal", "keeper_pid", "host_pid", "child_pid", "seq",
		"offset", "log_bytes", "observers", "input", "resize",
		"log_input", "durable", "max_log", "idle_timeout_s",
		"linger_ms", "scrollback", "unkept", "last_line", "degraded",
		"raw", "unlogged", "post_mortem", "forget_env", "rerun_of",
		"memory_max", "pids_max", "cpu_weight", "cgroup", "unenforced",
		"restart", "restarts", "gave_up", "shell", "program_status",
		"lease_holder", "title", "bells", "bell_at", "notices",
		"notice", "confined", "may", "created_by", "viewers" };
	auto_json json_t *o = NULL;
	struct manifest m;
	struct json_out j;
	struct buf b;

	(void)state;
	fill(&m);
	fill_end(&m);
	m.host.pid = 0;
	buf_init(&b, MANIFEST_MAX);
	json_out_init(&j, &b);
	m.observers = -1;
	manifest_json(&m, &j);
	o = json_tree_object((char *)b.data, b.len, NULL);
	assert_non_null(o);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (json_object_get(o, keys[i]) == NULL)
			fail_msg("no %s in %.*s", keys[i], (int)b.len, b.data);
	assert_int_equal(json_object_size(o), sizeof(keys) / sizeof(keys[0]));
	assert_string_equal(json_string_value(json_object_get(o, "created_at")),
	    "2023-11-14T22:13:20.123Z");
	assert_true(json_is_null(json_object_get(o, "host_pid")));
	assert_true(json_is_null(json_object_get(o, "observers")));
	assert_true(json_is_null(json_object_get(o, "lease_holder")));
	assert_true(json_is_null(json_object_get(o, "exit_code")));
	assert_true(json_is_null(json_object_get(o, "evidence")));
	assert_int_equal(json_integer_value(json_object_get(o, "exit_signal")),
	    9);
	assert_string_equal(json_string_value(json_object_get(o, "activity")),
	    "unknown");
	buf_finish(&b);
	manifest_finish(&m);
}

/* The object of a manifest with this status, as text. */
static char *
said_as_json(struct manifest *m, enum status status)
{
	struct json_out j;
	struct buf b;

	m->status = status;
	buf_init(&b, MANIFEST_MAX);
	json_out_init(&j, &b);
	manifest_said_json(m, &j);
	buf_putc(&b, '\0');
	return (char *)buf_take(&b);
}

static void
a_programs_status_counts_while_the_program_runs(void **state)
{
	auto_free char *first = NULL, *second = NULL, *ended = NULL;
	struct manifest m;

	(void)state;
	fill(&m);
	first = said_as_json(&m, STATUS_RUNNING);
	assert_string_equal(first, "null");
	strcpy(m.said.state, "blocked");
	strcpy(m.said.kind, "auth");
	m.said.text = xstrdup("a \"b\"");
	m.said.since_ms = 1700000000123;
	second = said_as_json(&m, STATUS_RUNNING);
	assert_string_equal(second,
	    "{\"state\":\"blocked\",\"kind\":\"auth\",\"app\":null,"
	    "\"text\":\"a \\\"b\\\"\","
	    "\"since\":\"2023-11-14T22:13:20.123Z\"}");
	ended = said_as_json(&m, STATUS_EXITED);
	assert_string_equal(ended, "null");
	manifest_finish(&m);
}

/* The members that describe the agent, of a manifest with this status. */
static char *
agent_as_json(struct manifest *m, enum status status)
{
	struct json_out j;
	struct buf b;

	m->status = status;
	buf_init(&b, MANIFEST_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	manifest_put_agent(m, &j);
	json_out_close(&j, '}');
	return buf_take(&b);
}

/* C-02, A-02 */
static void
an_agents_activity_comes_with_its_evidence(void **state)
{
	static const char none
	    [] = "{\"agent\":null,\"activity\":\"unknown\",\"evidence\":null}";
	auto_free char *before = NULL, *known = NULL, *unknown = NULL;
	auto_free char *ended = NULL;
	struct manifest m;

	(void)state;
	fill(&m);
	before = agent_as_json(&m, STATUS_RUNNING);
	assert_string_equal(before, none);
	m.agent = (struct manifest_agent){ .name = "claude",
		.version = "2.1.325",
		.activity = ACTIVITY_WAITING_PERMISSION,
		.source = "status",
		.confidence = "certain",
		.why = "it says blocked",
		.since_ms = 1700000000123 };
	known = agent_as_json(&m, STATUS_RUNNING);
	assert_string_equal(known,
	    "{\"agent\":{\"name\":\"claude\",\"version\":\"2.1.325\"},"
	    "\"activity\":\"waiting_permission\","
	    "\"evidence\":{\"source\":\"status\","
	    "\"confidence\":\"certain\",\"why\":\"it says blocked\","
	    "\"since\":\"2023-11-14T22:13:20.123Z\"}}");
	m.agent.activity = ACTIVITY_UNKNOWN;
	m.agent.version[0] = '\0';
	strcpy(m.agent.source, "none");
	unknown = agent_as_json(&m, STATUS_RUNNING);
	assert_string_equal(unknown,
	    "{\"agent\":{\"name\":\"claude\",\"version\":null},"
	    "\"activity\":\"unknown\","
	    "\"evidence\":{\"source\":\"none\","
	    "\"confidence\":\"certain\",\"why\":\"it says blocked\","
	    "\"since\":\"2023-11-14T22:13:20.123Z\"}}");
	ended = agent_as_json(&m, STATUS_EXITED);
	assert_string_equal(ended, none);
	manifest_finish(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_manifest_is_read_back_as_written),
		cmocka_unit_test(a_damaged_file_is_refused_with_the_reason),
		cmocka_unit_test(no_changed_bit_is_accepted),
		cmocka_unit_test(a_newer_field_is_ignored),
		cmocka_unit_test(a_command_that_is_too_long_is_refused),
		cmocka_unit_test(a_file_is_written_whole_and_private),
		cmocka_unit_test(only_a_regular_file_is_read),
		cmocka_unit_test(labels_are_set_replaced_and_removed),
		cmocka_unit_test(a_running_session_is_reported_as_running),
		cmocka_unit_test(a_session_without_keeper_is_unkept),
		cmocka_unit_test(a_session_of_another_boot_is_lost),
		cmocka_unit_test(a_session_whose_processes_ended_is_lost),
		cmocka_unit_test(
		    a_session_that_ends_during_a_check_is_not_lost),
		cmocka_unit_test(a_copy_of_a_running_session_does_not_run),
		cmocka_unit_test(a_recorded_exit_counts),
		cmocka_unit_test(the_session_object_has_its_fields),
		cmocka_unit_test(
		    a_programs_status_counts_while_the_program_runs),
		cmocka_unit_test(an_agents_activity_comes_with_its_evidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
