#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "op/differ.h"
#include "op/snapshot.h"
#include "vt_make.h"

/* Two commands; the output of the second reaches into the scrollback. */
#define PROMPT "\033]133;D;0\a\033]133;A\a$ "
#define BEGINS "\r\n\033]133;C\a"
#define COMMANDS \
	PROMPT "echo" BEGINS "old\r\n" PROMPT "seq" BEGINS \
	       "1\r\n2\r\n3\r\n4\r\n5\r\n"

static struct vt *
make(const char *bytes)
{
	const struct vt_config config = { .cols = 20,
		.rows = 4,
		.history_lines = 100,
		.history_bytes = 65536 };
	struct vt *vt = make_from(&config);

	vt_feed(vt, bytes, strlen(bytes));
	return vt;
}

static bool
is_second(const void *arg, unsigned y)
{
	(void)arg;
	return y == 1;
}

/* The result for arguments as JSON; the caller frees. */
static char *
take(const struct vt *vt, const char *args, int *rc, struct error *err)
{
	json_t *tree = json_loads(args, 0, NULL);
	const struct snapshot_of of = { .vt = vt,
		.seq = 7,
		.offset = 9,
		.is_new = is_second };
	struct snapshot s;
	struct json_out j;
	struct buf b;

	assert_non_null(tree);
	memset(err, 0, sizeof(*err));
	buf_init(&b, 1u << 20);
	json_out_init(&j, &b);
	*rc = snapshot_read(&s, tree, err);
	if (*rc == 0)
		*rc = snapshot_put(&s, &of, &j, err);
	json_decref(tree);
	return buf_take(&b);
}

static void
expect(const struct vt *vt, const char *args, const char *part)
{
	struct error err;
	int rc;
	char *got = take(vt, args, &rc, &err);

	if (rc != 0 || strstr(got, part) == NULL)
		fail_msg("%s: no %s in %s%s", args, part, err.msg, got);
	free(got);
}

static void
expect_no(const struct vt *vt, const char *args, int error, const char *word)
{
	struct error err;
	int rc;
	char *got = take(vt, args, &rc, &err);

	assert_int_equal(rc, -error);
	if (strstr(err.msg, word) == NULL)
		fail_msg("%s: no %s in %s", args, word, err.msg);
	free(got);
}

static void
every_format_gives_the_moment(void **state)
{
	static const char *const formats[] = { "text", "ansi", "html", "svg" };
	struct vt *vt = make("hello");
	char args[40];

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		snprintf(args, sizeof(args), "{\"format\":\"%s\"}", formats[i]);
		expect(vt, args, "hello");
		expect(vt, args, "\"seq\":7,\"offset\":9}");
		expect(vt, args, "\"hash\":\"");
	}
	expect(vt, "{}", "\"lines\":[\"hello\",\"\",\"\",\"\"],\"hash\":\"");
	expect(vt, "{\"format\":\"text\"}", "{\"data\":\"hello\\n\\n\\n\",");
	vt_destroy(vt);
}

static void
only_changes_are_reported(void **state)
{
	struct vt *vt = make("one\r\ntwo\r\nthree");

	(void)state;
	expect(vt, "{\"since\":3}",
	    "\"since\":3,\"changed\":[{\"row\":1,\"text\":\"two\"}],\"hash\"");
	expect(vt, "{\"since\":3,\"format\":\"text\"}", "{\"data\":\"two\",");
	vt_destroy(vt);
}

static void
lines_are_left_out_at_the_top(void **state)
{
	struct vt *vt = make("1\r\n2\r\n3\r\n4\r\n5\r\n6");

	(void)state;
	expect(vt, "{\"format\":\"text\",\"max_bytes\":5}",
	    "{\"data\":\"5\\n6\",");
	expect(vt, "{\"format\":\"text\",\"max_bytes\":5}",
	    "\"truncated\":true}");
	expect(vt, "{\"format\":\"text\",\"max_bytes\":8}",
	    "\"truncated\":false}");
	expect(vt, "{\"max_bytes\":5}",
	    "\"first_row\":2,\"lines\":[\"5\",\"6\"],\"truncated\":true,");
	expect(vt, "{\"max_bytes\":10,\"scrollback\":true}",
	    "\"first_row\":0,\"lines\":[\"3\",\"4\",\"5\",\"6\"],"
	    "\"scrollback\":[\"2\"],\"truncated\":true,");
	expect(vt, "{\"max_bytes\":1}", "\"first_row\":4,\"lines\":[],");
	expect_no(vt, "{\"format\":\"svg\",\"max_bytes\":5}", ERANGE,
	    "cannot be cut");
	expect_no(vt, "{\"cells\":true,\"max_bytes\":5}", ERANGE, "with cells");
	vt_destroy(vt);
}

static void
the_last_command_is_found_by_its_marks(void **state)
{
	struct vt *vt = make(COMMANDS);

	(void)state;
	expect(vt, "{\"last_command\":true}",
	    "\"last_command\":{\"running\":true,"
	    "\"lines\":[\"1\",\"2\",\"3\",\"4\",\"5\"]},\"hash\"");
	vt_feed(vt, "part", 4);
	expect(vt, "{\"last_command\":true,\"format\":\"text\"}",
	    "{\"data\":\"1\\n2\\n3\\n4\\n5\\npart\",");
	vt_feed(vt, "\r\n" PROMPT, strlen("\r\n" PROMPT));
	expect(vt, "{\"last_command\":true}",
	    "{\"running\":false,\"lines\":[\"1\",\"2\",\"3\",\"4\",\"5\","
	    "\"part\"]}");
	vt_feed(vt, "\033[?1049h", 8);
	expect_no(vt, "{\"last_command\":true}", ENOENT, "full-screen");
	vt_destroy(vt);
	vt = make("$ ls\r\nfile");
	expect_no(vt, "{\"last_command\":true}", ENOENT, "OSC 133");
	vt_destroy(vt);
}

static void
contradicting_arguments_are_refused(void **state)
{
	static const char *const bad[][2] = {
		{ "{\"format\":\"png\"}", "'format' must be " FORMAT_LIST },
		{ "{\"cells\":true,\"format\":\"text\"}",
		    "'cells' needs 'format' json, not text" },
		{ "{\"hidden\":true,\"format\":\"svg\"}",
		    "'hidden' needs 'format' json, not svg" },
		{ "{\"since\":1,\"format\":\"html\"}",
		    "'since' needs 'format' text or json, not html" },
		{ "{\"since\":1,\"last_command\":true}",
		    "only one of 'since' and 'last_command'" },
		{ "{\"since\":1,\"scrollback\":true}",
		    "only one of 'since' and 'scrollback'" },
	};
	struct vt *vt = make("");

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		expect_no(vt, bad[i][0], EINVAL, bad[i][1]);
	vt_destroy(vt);
}

/* The rows in which two screens differ, as in ".1..". */
static void
expect_differ(const char *a, const char *b, const char *rows)
{
	struct vt *va = make(a), *vb = make(b);
	char seen[5] = "";

	for (unsigned y = 0; y < 4; y++)
		seen[y] = differ_row(va, vb, y) ? (char)('0' + y) : '.';
	assert_string_equal(seen, rows);
	vt_destroy(va);
	vt_destroy(vb);
}

static void
rows_differ_by_their_visible_content(void **state)
{
	(void)state;
	expect_differ("a\r\nb", "a\r\nb", "....");
	expect_differ("a\r\nb", "a\r\nc", ".1..");
	expect_differ("a\r\nb", "a\r\nb ", "....");
	expect_differ("a", "\033[1ma", "0...");
	expect_differ("a", "\033[4ma", "0...");
	/* The same link; the other terminal got it second. */
	expect_differ("\033]8;;http://x\aa\033]8;;\a",
	    "\033[3H\033]8;;http://y\ab\033]8;;\a\033[H"
	    "\033]8;;http://x\aa\033]8;;\a",
	    "..2.");
	expect_differ("\033]8;;http://x\aa\033]8;;\a", "a", "0...");
	expect_differ("\360\237\221\250\342\200\215\360\237\221\251",
	    "\360\237\221\250\342\200\215\360\237\221\251", "....");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_gives_the_moment),
		cmocka_unit_test(only_changes_are_reported),
		cmocka_unit_test(lines_are_left_out_at_the_top),
		cmocka_unit_test(the_last_command_is_found_by_its_marks),
		cmocka_unit_test(contradicting_arguments_are_refused),
		cmocka_unit_test(rows_differ_by_their_visible_content),
	};

	return cmocka_run_group_tests_name("op_snapshot", tests, NULL, NULL);
}
