/* A copy of a session's screen that costs little to keep up to date. */
#include <errno.h>
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "client/mirror.h"
#include "vt_make.h"
#include "wire/frame.h"

static void
picture(struct mirror *m, const char *text, uint64_t offset)
{
	struct vt *vt = make_vt(20, 3);
	struct frame_screen s = { .offset = offset,
		.cols = 20,
		.rows = 3,
		.form = FRAME_FORM_KEYFRAME };
	struct buf key;

	feed(vt, text);
	key = keyframe_of(vt);
	assert_int_equal(mirror_picture(m, &s, key.data, key.len, NULL), 0);
	buf_finish(&key);
	vt_destroy(vt);
}

static void
output(struct mirror *m, uint64_t offset, const char *text, size_t known)
{
	assert_int_equal(mirror_output(m, offset, text, strlen(text)), known);
}

static void
output_follows_the_picture(void **state)
{
	struct mirror m;

	(void)state;
	mirror_init(&m);
	assert_null(mirror_look(&m));
	picture(&m, "one ", 100);
	output(&m, 100, "two ", 0);
	output(&m, 104, "three", 0);
	shows(mirror_look(&m), "one two three\n\n");
	assert_int_equal(m.offset, 109);
	mirror_finish(&m);
}

static void
repeated_output_is_shown_once(void **state)
{
	struct mirror m;

	(void)state;
	mirror_init(&m);
	picture(&m, "", 10);
	output(&m, 5, "old", 3);
	output(&m, 8, "xxabc", 2);
	output(&m, 10, "abcdef", 3);
	shows(mirror_look(&m), "abcdef\n\n");
	mirror_finish(&m);
}

static void
missing_output_makes_a_mirror_stale_until_a_picture(void **state)
{
	struct mirror m;

	(void)state;
	mirror_init(&m);
	picture(&m, "", 0);
	output(&m, 1, "b", 0);
	assert_null(mirror_look(&m));
	assert_int_equal(m.offset, 2);
	picture(&m, "new", 50);
	shows(mirror_look(&m), "new\n\n");
	mirror_finish(&m);
}

static void
unread_floods_of_output_cost_no_memory(void **state)
{
	static char piece[64 << 10];
	struct mirror m;
	uint64_t offset = 0;

	(void)state;
	memset(piece, 'x', sizeof(piece));
	mirror_init(&m);
	picture(&m, "", 0);
	for (unsigned i = 0; i < 40; i++, offset += sizeof(piece)) {
		assert_int_equal(mirror_output(&m, offset, piece,
				     sizeof(piece)),
		    0);
		assert_true(m.pending.len <= MIRROR_PENDING);
	}
	assert_true(m.stale);
	assert_int_equal(m.offset, offset);
	mirror_finish(&m);
}

static void
a_resize_comes_after_the_output_before_it(void **state)
{
	struct mirror m;

	(void)state;
	mirror_init(&m);
	picture(&m, "", 0);
	output(&m, 0, "abcdefghij", 0);
	mirror_resize(&m, 5, 3);
	output(&m, 10, "k", 0);
	shows(mirror_look(&m), "abcde\nfghij\nk");
	assert_int_equal(m.cols, 5);
	mirror_finish(&m);
}

static void
a_picture_may_be_bytes(void **state)
{
	struct frame_screen s = { .offset = 7,
		.cols = 10,
		.rows = 2,
		.form = FRAME_FORM_ANSI };
	struct error err = { 0 };
	struct mirror m;

	(void)state;
	mirror_init(&m);
	assert_int_equal(mirror_picture(&m, &s, "\033[1mhi", 6, NULL), 0);
	shows(mirror_look(&m), "hi\n");
	s.form = FRAME_FORM_KEYFRAME;
	assert_int_equal(mirror_picture(&m, &s, "junk", 4, &err), -EPROTO);
	assert_true(err.msg[0] != '\0');
	shows(mirror_look(&m), "hi\n");
	mirror_finish(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_follows_the_picture),
		cmocka_unit_test(repeated_output_is_shown_once),
		cmocka_unit_test(
		    missing_output_makes_a_mirror_stale_until_a_picture),
		cmocka_unit_test(unread_floods_of_output_cost_no_memory),
		cmocka_unit_test(a_resize_comes_after_the_output_before_it),
		cmocka_unit_test(a_picture_may_be_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
