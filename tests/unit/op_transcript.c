#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "cast/cast.h"
#include "op/transcript.h"
#include "vt_make.h"

#define COLS 12
#define ROWS 5
#define STREAMS 400 /* of random operations */
#define STEPS 120

static const char *folder; /* of the recordings */

static struct transcript *
begin(struct buf *out, unsigned cols, unsigned rows)
{
	struct transcript *t;

	buf_init(out, SIZE_MAX);
	t = transcript_create(out);
	transcript_take(t, make_vt(cols, rows), false);
	transcript_want(t);
	return t;
}

/* The text; the caller frees. */
static char *
end(struct transcript *t, struct buf *out)
{
	transcript_end(t);
	transcript_destroy(t);
	buf_putc(out, '\0');
	return buf_take(out);
}

static void
say(struct transcript *t, const char *bytes)
{
	transcript_feed(t, bytes, strlen(bytes));
}

/* In pieces of so many bytes, with a pause after each if wanted. */
static char *
lines_of(const char *p, size_t len, size_t piece, bool pauses)
{
	struct buf out;
	struct transcript *t = begin(&out, COLS, ROWS);

	while (len > 0) {
		size_t n = len < piece ? len : piece;

		transcript_feed(t, p, n);
		if (pauses)
			transcript_pause(t);
		p += n;
		len -= n;
	}
	transcript_frame(t);
	return end(t, &out);
}

static void
expect(const char *bytes, const char *want)
{
	const size_t pieces[] = { SIZE_MAX, 1, 3 };

	for (size_t i = 0; i < 3; i++) {
		char *got = lines_of(bytes, strlen(bytes), pieces[i], false);

		if (strcmp(got, want) != 0)
			fail_msg("in pieces of %zu:\n%s--- and not:\n%s",
			    pieces[i], got, want);
		free(got);
	}
}

#define SEVEN "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n"
#define SEVEN_LINES "1\n2\n3\n4\n5\n6\n7\n"

static void
a_transcript_has_cleared_lines(void **state)
{
	(void)state;
	expect(SEVEN "\033[H\033[2J\033[3J8\r\n9", SEVEN_LINES "8\n9\n");
	expect(SEVEN "\033[H\033[2J8\r\n9", SEVEN_LINES "8\n9\n");
	expect(SEVEN "\033[3J8", SEVEN_LINES "8\n");
	expect(SEVEN "\033[H\033[J8", SEVEN_LINES "8\n");
	expect(SEVEN "\033c8", SEVEN_LINES "8\n");
	expect(SEVEN "\0338\033#8\033[2J8",
	    SEVEN_LINES "EEEEEEEEEEEE\nEEEEEEEEEEEE\nEEEEEEEEEEEE\n"
			"EEEEEEEEEEEE\nEEEEEEEEEEEE\n8\n");
	expect("unended\033[2J\033[Hx", "unended\nx\n");
	expect("1\r\n2\r\n3\033[1J\033[Hx", "1\n2\nx\n");
}

static void
a_transcript_has_a_repeated_line_twice(void **state)
{
	(void)state;
	expect("same\r\n\033[H\033[2Jsame\r\n\033c"
	       "same",
	    "same\nsame\nsame\n");
	/* C-l in a shell. */
	expect("$ ls\r\na b\r\n$ l\033[H\033[2J$ l", "$ ls\na b\n$ l\n$ l\n");
}

static void
lines_above_those_cleared_come_first_and_once(void **state)
{
	(void)state;
	expect("1\r\n2\r\n3\r\n4\033[3;1H\033[J5\r\n6\r\n7\r\n8\r\n",
	    "1\n2\n3\n4\n5\n6\n7\n8\n");
	expect("1\r\n2\r\n3\r\n4\033[2;1H\033[2J\033[4;1H5",
	    "1\n2\n3\n4\n\n\n\n5\n");
}

static void
a_redrawn_line_is_kept_in_its_last_state(void **state)
{
	(void)state;
	expect("10%\r20%\r100%\r\nx", "100%\nx\n");
	expect("10%\r\033[K20%\033[2K\r100%\r\nx", "100%\nx\n");
	expect("10%\r\033[J20%\r\033[J100%\r\nx", "100%\nx\n");
	expect("a\r\nb\r\n\033[2A\033[2Kc\r\n\033[2Kd\r\n", "c\nd\n");
	expect("$ wrong\b\b\b\b\b\033[Kright\r\n", "$ right\n");
	/* A command over three rows, deleted again. */
	expect("$ aaaaaaaaaabbbbbbbbbbbbcc\r\033[2A\033[2C\033[J", "$\n");
}

static void
a_line_erased_and_left_blank_is_kept(void **state)
{
	(void)state;
	expect("one\r\ntwo\r\n\033[A\033[2K\033[B", "one\ntwo\n");
	expect("one\r\ntwo\r\n\033[A\033[K\r\n\033[2Jx", "one\ntwo\n\n\nx\n");
}

static void
rows_that_scroll_out_of_a_region_are_kept(void **state)
{
	(void)state;
	expect("top\r\n1\r\n2\r\n3\033[2;4r\033[4;1H\n4\r\n5\r\n6",
	    "top\n1\n2\n3\n4\n5\n6\n");
	expect("1\r\n2\r\n3\033[H\033[2M4", "1\n2\n4\n");
	expect("1\r\n2\r\n3\r\n4\r\n5\033[H\033[2L0", "1\n2\n3\n4\n5\n0\n");
	expect("1\r\n2\r\n3\r\n4\r\n5\033[H\033M0", "1\n2\n3\n4\n5\n0\n");
	expect("1\r\n2\r\n3\033[2S\033[Hx", "1\n2\nx\n");
}

static void
the_alternate_screen_has_no_lines_until_the_end(void **state)
{
	(void)state;
	expect("1\r\n2\r\n\033[?1049h\033[2Jvim\033[2Jvim\033[?1049l3\r\n",
	    "1\n2\n3\n");
	expect("1\r\n2\r\n\033[?1049h\033[Hvim", "1\n2\nvim\n");
	expect("1\r\n2\r\n\033[?1049h\033[Hvim\033c3", "1\n2\n3\n");
}

static void
long_lines_are_kept_whole(void **state)
{
	char line[900], want[901 * 400 + 1], *got;
	struct buf bytes;
	size_t at = 0;

	(void)state;
	buf_init(&bytes, SIZE_MAX);
	for (unsigned i = 0; i < 400; i++) {
		snprintf(line, sizeof(line), "%0899u", i);
		buf_printf(&bytes, "%s\r\n", line);
		at += (size_t)snprintf(want + at, sizeof(want) - at, "%s\n",
		    line);
	}
	got = lines_of((char *)bytes.data, bytes.len, SIZE_MAX, false);
	assert_string_equal(got, want);
	free(got);
	buf_finish(&bytes);
}

static void
a_change_of_size_loses_and_repeats_nothing(void **state)
{
	struct buf out;
	struct transcript *t = begin(&out, COLS, ROWS);
	char *got;

	(void)state;
	say(t, "1\r\n2\r\n3\033[2;1H\033[Ja\r\nb");
	assert_int_equal(transcript_resize(t, 6, 2), 0);
	assert_int_equal(transcript_resize(t, 30, 9), 0);
	say(t, "\r\nc\033[?1049hvim");
	assert_int_equal(transcript_resize(t, 4, 2), 0);
	say(t, "\033[?1049l");
	got = end(t, &out);
	assert_string_equal(got, "1\n2\n3\na\nb\nc\n");
	free(got);
}

static void
a_transcript_begins_with_the_output_after_its_start(void **state)
{
	struct buf out;
	struct transcript *t;
	char *got;

	(void)state;
	buf_init(&out, SIZE_MAX);
	t = transcript_create(&out);
	transcript_take(t, make_vt(COLS, ROWS), false);
	say(t, SEVEN "\033[?1049hvim");
	transcript_want(t);
	say(t, "\033[?1049l8\r\n\033[2J\033[H9");
	got = end(t, &out);
	assert_string_equal(got, "8\n9\n");
	free(got);
}

/* ------------------------------------------------------------- properties */

/*
 * A stream of operations that never overwrites text. So every word that it
 * ended with a line feed, or erased, must be in the transcript.
 */
struct stream {
	struct vt *vt;
	struct buf bytes;
	unsigned words;
};

static void
put(struct stream *s, const char *text)
{
	vt_feed(s->vt, text, strlen(text));
	buf_puts(&s->bytes, text);
}

static void
put_word(struct stream *s)
{
	struct vt_cursor c;
	struct vt_row row;
	char word[32];

	vt_cursor(s->vt, &c);
	vt_screen_row(s->vt, c.row, &row);
	if (row.used == 0) {
		snprintf(word, sizeof(word), "\rword%u.", s->words++);
		put(s, word);
	}
	put(s, "\r\n");
}

/* The first few clear the screen; the others move up on it. */
#define CLEARING 7

static const char *const acts[] = {
	"\033[H\033[2J",
	"\033[2J",
	"\033[3J",
	"\033c",
	"\033[H\033[J",
	"\033[J",
	"\033[?1049hnot a line\033[2J\033[?1049l",
	"\033[2;12H\033[1J\r",
	"\033[2S",
	"\033[2T",
	"\033[L",
	"\033[M",
	"\033[H\033M",
	"\033[2;4r",
	"\033[r",
	"\033[3;1H",
	"\033[H",
};

static void
make_stream(struct stream *s, unsigned seed, size_t n_acts)
{
	*s = (struct stream){ .vt = make_vt(COLS, ROWS) };
	buf_init(&s->bytes, SIZE_MAX);
	srand(seed);
	for (unsigned i = 0; i < STEPS; i++) {
		if (rand() % 4 == 0)
			put(s, acts[(size_t)rand() % n_acts]);
		else
			put_word(s);
	}
}

static void
end_stream(struct stream *s)
{
	vt_destroy(s->vt);
	buf_finish(&s->bytes);
}

static void
has_once(const char *text, unsigned seed, unsigned i)
{
	char word[32], *found;

	snprintf(word, sizeof(word), "word%u.\n", i);
	found = strstr(text, word);
	if (found == NULL)
		fail_msg("seed %u: no %s in\n%s", seed, word, text);
	if (strstr(found + 1, word) != NULL)
		fail_msg("seed %u: twice %s in\n%s", seed, word, text);
}

static void
random_operations_lose_and_repeat_no_line(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= STREAMS; seed++) {
		struct stream s;
		char *text;

		make_stream(&s, seed, sizeof(acts) / sizeof(acts[0]));
		text = lines_of((char *)s.bytes.data, s.bytes.len, SIZE_MAX,
		    false);
		for (unsigned i = 0; i < s.words; i++)
			has_once(text, seed, i);
		free(text);
		end_stream(&s);
	}
}

static void
a_follower_reads_the_same_as_a_later_reader(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= STREAMS; seed++) {
		struct stream s;
		char *whole, *followed;

		make_stream(&s, seed, CLEARING);
		whole = lines_of((char *)s.bytes.data, s.bytes.len, SIZE_MAX,
		    false);
		followed = lines_of((char *)s.bytes.data, s.bytes.len, 5, true);
		if (strcmp(whole, followed) != 0)
			fail_msg("seed %u: a follower read\n%s--- and not\n%s",
			    seed, followed, whole);
		free(whole);
		free(followed);
		end_stream(&s);
	}
}

/*
 * A recording, event by event. Text on the primary screen before an event that
 * erases all of it must be in the transcript, in this order. So must lines
 * that left the top of the screen, and the last screen.
 */
struct play {
	const char *name;
	struct vt *vt; /* with all of the history since the last clearing */
	struct transcript *t;
	struct buf out, want; /* want: lines, in order */
	unsigned clears;
};

static void
want_all(struct play *p)
{
	if (vt_alt_screen(p->vt))
		return;
	vt_history_text(p->vt, &p->want);
	vt_text(p->vt, &p->want);
	buf_putc(&p->want, '\n');
}

static bool
clears_all(const char *p, size_t len)
{
	return memmem(p, len, "\033[2J", 4) == p ||
	    memmem(p, len, "\033[H\033[2J", 7) == p ||
	    memmem(p, len, "\033c", 2) == p;
}

static int
on_event(void *arg, const struct cast_event *ev, struct error *err)
{
	struct play *p = arg;

	(void)err;
	if (ev->type == CAST_HEADER) {
		p->vt = make_from(
		    &(struct vt_config){ .cols = (uint16_t)ev->cols,
			.rows = (uint16_t)ev->rows,
			.history_lines = 100000,
			.history_bytes = 64u << 20 });
		p->t = begin(&p->out, ev->cols, ev->rows);
	} else if (ev->type == CAST_OUTPUT) {
		if (clears_all(ev->data, ev->len) && !vt_alt_screen(p->vt)) {
			want_all(p);
			p->clears++;
			vt_limit_history(p->vt, 0, 0);
			vt_limit_history(p->vt, 100000, 64u << 20);
		}
		vt_feed(p->vt, ev->data, ev->len);
		transcript_feed(p->t, ev->data, ev->len);
		transcript_frame(p->t);
	} else if (ev->type == CAST_RESIZE) {
		return 1; /* rows are rewrapped: the lines change */
	}
	return 0;
}

/*
 * Each wanted row is part of a line, in order: rows may be parts of one line.
 * A row is there once if it was written before, with an erased row below it,
 * and never changed again.
 */
static void
check_order(const struct play *p, char *got)
{
	char *at = got, *save = NULL, *want = (char *)p->want.data;

	for (char *row = strtok_r(want, "\n", &save); row != NULL;
	     row = strtok_r(NULL, "\n", &save)) {
		char *found = strstr(at, row);

		if (found == NULL && strstr(got, row) != NULL)
			continue;
		if (found == NULL)
			fail_msg("%s: \"%s\" is not in\n%s", p->name, row, got);
		at = found + strlen(row);
	}
}

static unsigned
play(const char *name)
{
	struct play p = { .name = name };
	char path[4096], part[4096], *got;
	struct cast *c = cast_create(on_event, &p);
	struct error err = { 0 };
	size_t n;
	int rc = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "rb");
	assert_non_null(f);
	buf_init(&p.want, SIZE_MAX);
	while (rc == 0 && (n = fread(part, 1, sizeof(part), f)) > 0)
		rc = cast_feed(c, part, n, &err);
	if (rc < 0)
		fail_msg("%s: %s", path, err.msg);
	fclose(f);
	cast_destroy(c);
	want_all(&p);
	buf_putc(&p.want, '\0');
	got = end(p.t, &p.out);
	check_order(&p, got);
	free(got);
	vt_destroy(p.vt);
	buf_finish(&p.want);
	return p.clears;
}

static void
recordings_lose_no_line_that_left_the_screen(void **state)
{
	DIR *dir = opendir(folder);
	unsigned played = 0, clears = 0;
	struct dirent *d;

	(void)state;
	assert_non_null(dir);
	while ((d = readdir(dir)) != NULL) {
		if (strstr(d->d_name, ".cast") == NULL)
			continue;
		clears += play(d->d_name);
		played++;
	}
	closedir(dir);
	print_message("%u recordings, %u clearings\n", played, clears);
	assert_true(played > 20);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_transcript_has_cleared_lines),
		cmocka_unit_test(a_transcript_has_a_repeated_line_twice),
		cmocka_unit_test(lines_above_those_cleared_come_first_and_once),
		cmocka_unit_test(a_redrawn_line_is_kept_in_its_last_state),
		cmocka_unit_test(a_line_erased_and_left_blank_is_kept),
		cmocka_unit_test(rows_that_scroll_out_of_a_region_are_kept),
		cmocka_unit_test(
		    the_alternate_screen_has_no_lines_until_the_end),
		cmocka_unit_test(long_lines_are_kept_whole),
		cmocka_unit_test(a_change_of_size_loses_and_repeats_nothing),
		cmocka_unit_test(
		    a_transcript_begins_with_the_output_after_its_start),
		cmocka_unit_test(random_operations_lose_and_repeat_no_line),
		cmocka_unit_test(a_follower_reads_the_same_as_a_later_reader),
		cmocka_unit_test(recordings_lose_no_line_that_left_the_screen),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	folder = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
