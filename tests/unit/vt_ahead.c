/*
 * Rows that are packed while they are printed: always with the same bytes as
 * line_pack() makes of their cells, or not at all.
 */
#include "unit.h"

#include <stdlib.h>

#include "base/buf.h"
#include "vt/line.h"
#include "vt/state.h"
#include "../rng.h"
#include "vt_make.h"
#include "vt_show.h"

#define COLS 20
#define ROWS 5
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A terminal that has begun to fill its history; the screen is empty. */
static struct vt *
make_scrolled(unsigned cols, unsigned rows)
{
	struct vt *vt = make_vt(cols, rows);

	for (unsigned y = 0; y < rows; y++)
		feed(vt, "\r\n");
	feed(vt, "\033[H");
	return vt;
}

/*
 * True if the row is packed ahead.  Fails if its bytes differ from its cells'.
 */
static bool
is_packed(const struct vt *vt, unsigned y, const char *fed)
{
	const struct row *row = screen_row(&vt->screens[0], y);
	const uint8_t *got = ahead_find(&vt->ahead, row);
	struct buf want;

	if (got == NULL)
		return false;
	buf_init(&want, SIZE_MAX);
	line_pack(&want, row->cells, row->used, &vt->clusters);
	if (want.len != row->packed_len ||
	    memcmp(want.data, got, want.len) != 0)
		fail_msg("row %u after %s: %s", y,
		    show_bytes(fed, strlen(fed)).s,
		    show_bytes(got, row->packed_len).s);
	buf_finish(&want);
	return true;
}

static void
first_row_is_packed(const char *fed, bool want)
{
	struct vt *vt = make_scrolled(COLS, ROWS);

	feed(vt, fed);
	if (is_packed(vt, 0, fed) != want)
		fail_msg("%s is%s packed ahead", show_bytes(fed, strlen(fed)).s,
		    want ? " not" : "");
	vt_destroy(vt);
}

static void
text_from_left_to_right_is_packed(void **state)
{
	(void)state;
	first_row_is_packed("text", true);
	first_row_is_packed("text and \u00e9 \u5b57 \U0001f600", true);
	first_row_is_packed("a\033[31m\033[mb\033]2;title\ac", true);
	first_row_is_packed("\033[44m\033[mtext", true);
	first_row_is_packed("text\033[31mx", true);
	first_row_is_packed("\033[1;38;2;250;128;3;48;5;200mx\033[my", true);
	first_row_is_packed("\033]8;;http://a/\alink\033]8;;\a, text", true);
	first_row_is_packed("\033[31mred\r\n\033[32mgreen\r\n", true);
	first_row_is_packed("12345678901234567890", true);
	first_row_is_packed("1234567890123456789\u00e9", true);
	first_row_is_packed("123456789012345678\u5b57", true);
	first_row_is_packed("12345678901234567890wrapped", true);
	first_row_is_packed("\xe5\xad broken", true);
	first_row_is_packed("\033(0qqq", true);
	first_row_is_packed("x\033[5b", true);
	first_row_is_packed("nothing there to erase\033[1;19H\033[K", false);
	first_row_is_packed("nothing to erase\033[K", true);
	first_row_is_packed("nothing to erase\033[J", true);
}

static void
clusters_are_packed(void **state)
{
	(void)state;
	first_row_is_packed("e\u0301", true);
	first_row_is_packed("cafe\u0301", true);
	first_row_is_packed("\u00e9e\u0301\u0302x\u0323y", true);
	first_row_is_packed("\U0001f468\u200d\U0001f469\u200d\U0001f467", true);
	first_row_is_packed("\U0001f1e9\U0001f1ea\U0001f1ef\U0001f1f5", true);
	first_row_is_packed("\u2764\ufe0f", true);
	first_row_is_packed("1\ufe0f\u20e3 a", true);
}

/* A cluster takes CLUSTER_MAX code points; later ones are lost. */
static void
a_full_cluster_is_packed(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, SIZE_MAX);
	buf_puts(&text, "e");
	for (unsigned i = 0; i < CLUSTER_MAX + 3; i++)
		buf_puts(&text, "\u0301");
	buf_puts(&text, "\u5b57");
	char *fed = buf_take(&text);
	first_row_is_packed(fed, true);
	free(fed);
	/* The last one is refused, but makes the character wide. */
	buf_puts(&text, "1");
	for (unsigned i = 1; i < CLUSTER_MAX; i++)
		buf_puts(&text, "\u0301");
	buf_puts(&text, "\U0001f3fd");
	fed = buf_take(&text);
	first_row_is_packed(fed, false);
	free(fed);
}

/* A wide character that has no room leaves a pad. */
static void
a_pad_is_packed(void **state)
{
	(void)state;
	first_row_is_packed("1234567890123456789\u5b57", true);
	first_row_is_packed("123456789012345678\u00e9\u5b57", true);
	/* It has the background alone. */
	first_row_is_packed("\033[4;44m1234567890123456789\u5b57", true);
}

static void
other_changes_drop_the_packed_row(void **state)
{
	static const char *const changes[] = { "\rx", "\bx", "\tx", "\033[Cx",
		"\033[44m\033[K", "\033[1K", "\033[2D\033[X", "\033[2D\033[P",
		"\033[2D\033[@", "\033[4hx", "\033[2J", "\033[1;1H\033[L",
		"\033[3J\033[1;1H\033[Jx\bx", "\033#8",
		"\033[2;1H\033M\033[1;1H\033M" };

	(void)state;
	for (size_t i = 0; i < COUNT(changes); i++) {
		char fed[80];
		snprintf(fed, sizeof(fed), "text%s", changes[i]);
		first_row_is_packed(fed, false);
	}
	/*
	 * The mark moves the character from the last column to the next row.
	 */
	first_row_is_packed("1234567890123456789\u2764\ufe0f", false);
}

static void
a_row_stays_packed_when_another_is_printed(void **state)
{
	(void)state;
	first_row_is_packed("text\r\nmore", true);
	first_row_is_packed("text\033[3;1Hmore\033[1;5H", true);
	/* It cannot be continued then. */
	first_row_is_packed("text\033[3;1Hmore\033[1;5Htext", false);
}

static void
without_a_history_no_row_is_packed(void **state)
{
	struct vt *vt = make_vt_without_history(COLS, ROWS);

	(void)state;
	for (unsigned i = 0; i < 2 * ROWS; i++)
		feed(vt, "text\r\n");
	assert_int_equal(ahead_memory(&vt->ahead), 0);
	assert_false(is_packed(vt, 0, "text"));
	vt_destroy(vt);
}

static void
a_row_that_is_too_long_is_not_packed(void **state)
{
	struct vt *vt = make_scrolled(1000, ROWS);

	(void)state;
	for (unsigned i = 0; i < 500; i++)
		feed(vt, "e\u0301");
	assert_false(is_packed(vt, 0, ""));
	feed(vt, "\r\nshort\r\n");
	assert_true(is_packed(vt, 1, "short"));
	for (unsigned i = 0; i < 100; i++)
		feed(vt,
		    "\033[38;2;200;200;200;48;2;9;9;9;1mx\033[38;2;1;2;3my");
	assert_false(is_packed(vt, 2, ""));
	vt_destroy(vt);
}

/* Rows whose bytes the ring has lost are packed by their cells. */
static void
only_rows_still_in_the_ring_are_packed(void **state)
{
	struct vt *vt = make_scrolled(200, 300);

	(void)state;
	for (unsigned y = 0; y < 300; y++) {
		for (unsigned i = 0; i < 10; i++)
			feed(vt, "a word in twenty col");
		feed(vt, y < 299 ? "\r\n" : "");
	}
	assert_false(is_packed(vt, 0, "words"));
	assert_false(is_packed(vt, 100, "words"));
	assert_true(is_packed(vt, 200, "words"));
	assert_true(is_packed(vt, 299, "words"));
	vt_destroy(vt);
}

static const char *const pieces[] = { "word ", "text", "x", "\u00e9", "\u5b57",
	"\u5b57\u5b57\u5b57", "\uac00", "e\u0301", "\u0301", "\u0323\u0302",
	"\u2764", "\ufe0f", "1\ufe0f\u20e3", "\U0001f600", "\U0001f44d",
	"\U0001f3fd", "\u200d", "\U0001f1e9", "\u0600", "\u1100\u1161",
	"\033[38;2;9;8;7mw", "\033[mt", "\xe5\xad", "\xff", "\r\n", "\r\n",
	"\r\n", "\n", "\r", "\b", "\t", "\033[m", "\033[31m", "\033[m",
	"\033[K", "\033[1K", "\033[2J", "\033[3X", "\033[P", "\033[@", "\033[L",
	"\033[M", "\033[H", "\033[5G", "\033[3;7H", "\033M", "\033[2S",
	"\033[T", "\0337", "\0338", "\033[4h", "\033[4l", "\033[4l", "\033[?7l",
	"\033[?7h", "\033[?7h", "\033[2;4r", "\033[r", "\033[r",
	"\033[?69h\033[3;9s", "\033[?69l", "\033[?69l", "\033[?1049h",
	"\033[?1049l", "\033[?1049l", "\033[?2027l", "\033[?2027h",
	"\033[?2027h", "\033(0", "\033(B", "\033(B", "\033[7b",
	"\033]8;;http://a/\a", "\033]8;;\a", "\033[1\"q", "\033[\"q",
	"\033[?3J", "\033#8", "\033[!p" };

static unsigned
count_packed(const struct vt *vt, const char *fed)
{
	unsigned n = 0;

	for (unsigned y = 0; y < vt_rows(vt); y++)
		n += is_packed(vt, y, fed);
	return n;
}

/* The number of packed rows seen, after each of many random pieces. */
static unsigned
play(struct rng *rng, unsigned steps)
{
	unsigned cols = rng_between(rng, 2, 40), seen = 0;
	struct vt *vt = make_vt(cols, rng_between(rng, 1, 12));

	for (unsigned i = 0; i < steps; i++) {
		/*
		 * Mostly text, because otherwise hardly a row would be packed.
		 */
		bool any = rng_below(rng, 8) == 0;
		const char
		    *p = pieces[rng_below(rng, any ? COUNT(pieces) : 27)];
		feed_cut(vt, p, rng_below(rng, (unsigned)strlen(p) + 1));
		if (rng_below(rng, 200) == 0)
			vt_resize(vt, rng_between(rng, 2, 40),
			    rng_between(rng, 1, 12), NULL);
		seen += count_packed(vt, p);
	}
	vt_destroy(vt);
	return seen;
}

static void
random_output_is_packed_as_its_cells_are(void **state)
{
	struct rng rng = { 1 };
	unsigned seen = 0;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		seen += play(&rng, 2000);
	/* Of 200,000 pieces many are in a packed row. */
	assert_in_range(seen, 100000, UINT32_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_from_left_to_right_is_packed),
		cmocka_unit_test(clusters_are_packed),
		cmocka_unit_test(a_full_cluster_is_packed),
		cmocka_unit_test(a_pad_is_packed),
		cmocka_unit_test(other_changes_drop_the_packed_row),
		cmocka_unit_test(a_row_stays_packed_when_another_is_printed),
		cmocka_unit_test(without_a_history_no_row_is_packed),
		cmocka_unit_test(a_row_that_is_too_long_is_not_packed),
		cmocka_unit_test(only_rows_still_in_the_ring_are_packed),
		cmocka_unit_test(random_output_is_packed_as_its_cells_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
