/*
 * The age of lines on the screen.  Over the recordings in tests/data the
 * ledger is compared with the rule itself, counted out in full.
 */
#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cast/cast.h"
#include "op/ledger.h"
#include "vt/story.h"

#include "vt_make.h"

#define FAR 1000 /* ms between frames that count as separate */

/* A terminal whose every write is a frame. */
struct play {
	struct vt *vt;
	struct ledger l;
	uint64_t seq;
	int64_t ms;
};

static void
on_mark(void *arg, const struct vt_event *ev)
{
	struct play *p = arg;

	if (ev->type == VT_EVENT_MARK)
		ledger_story.marked(&p->l, p->vt, ev->number);
}

static const struct vt_ops marks = { .event = on_mark };

static void
begin(struct play *p, unsigned cols, unsigned rows)
{
	*p = (struct play){ .vt = make_vt(cols, rows) };
	vt_set_ops(p->vt, &marks, p);
	ledger_story.begun(&p->l, p->vt);
}

static void
end(struct play *p)
{
	ledger_finish(&p->l);
	vt_destroy(p->vt);
}

static void
frame_after(struct play *p, const char *bytes, int64_t ms)
{
	feed(p->vt, bytes);
	p->ms += ms;
	ledger_story.frame(&p->l, p->vt, ++p->seq, p->ms);
}

static void
frame(struct play *p, const char *bytes)
{
	frame_after(p, bytes, FAR);
}

static void
type(struct play *p, const char *text)
{
	ledger_story.typed(&p->l, p->vt, p->seq++, p->ms, (const uint8_t *)text,
	    strlen(text));
}

/* The verdict on a match of this length at a place. */
static enum ledger_says
at(const struct play *p, unsigned row, unsigned col, unsigned len,
    uint64_t after)
{
	return ledger_weigh(&p->l,
	    &(struct ledger_extent){ row, col, row, col + len },
	    &(struct ledger_rule){ .after = after });
}

static bool
is_new(const struct play *p, unsigned row, uint64_t after)
{
	return at(p, row, 0, 1, after) == LEDGER_COUNTS;
}

static void
a_line_is_new_after_earlier_events(void **state)
{
	struct play p;

	(void)state;
	begin(&p, 20, 5);
	frame(&p, "one\r\n");
	frame(&p, "two\r\n");
	assert_true(is_new(&p, 0, 0) && !is_new(&p, 0, 1));
	assert_true(is_new(&p, 1, 1) && !is_new(&p, 1, 2));
	/* One more appears and disappears: the older one remains. */
	frame(&p, "one");
	assert_true(is_new(&p, 2, 2));
	frame(&p, "\033[1;1H\033[K");
	assert_true(is_new(&p, 2, 0) && !is_new(&p, 2, 1));
	end(&p);
}

static void
lines_that_scroll_off_are_counted(void **state)
{
	struct play p;

	(void)state;
	begin(&p, 20, 3);
	frame(&p, "same\r\na\r\nb");
	/* In one write the old line leaves and another comes. */
	frame(&p, "\r\nc\r\nsame");
	assert_true(is_new(&p, 2, 1));
	frame(&p, "\r\nd");
	assert_true(is_new(&p, 1, 1) && !is_new(&p, 1, 2));
	end(&p);
}

static void
text_soon_redrawn_on_the_alternate_screen_is_not_new(void **state)
{
	struct play p;

	(void)state;
	begin(&p, 20, 4);
	frame(&p, "shell\r\n");
	frame(&p, "\033[?1049h\033[2Hfile\r\nmore");
	assert_true(is_new(&p, 1, 1) && !is_new(&p, 1, 2));
	frame(&p, "\033[2J");
	frame_after(&p, "\033[3Hfile", LEDGER_REST_MS - 1);
	assert_false(is_new(&p, 2, 2));
	/* A wait that began while it was gone sees it appear. */
	assert_true(is_new(&p, 2, 3));
	assert_false(is_new(&p, 2, 4));
	/* Text that is gone for longer is gone. */
	frame_after(&p, "\033[2J", 1);
	frame_after(&p, "\033[3Hfile", LEDGER_REST_MS);
	assert_true(is_new(&p, 2, 5));
	frame(&p, "\033[?1049l");
	assert_false(is_new(&p, 0, 1));
	end(&p);
}

static void
a_broken_line_is_not_new_after_a_scroll_or_a_resize(void **state)
{
	struct play p;

	(void)state;
	begin(&p, 10, 3);
	frame(&p, "a line of 25 characters..\r\n");
	frame(&p, "\r\n");
	assert_false(is_new(&p, 0, 1));
	frame(&p, "\033[2K");
	vt_resize(p.vt, 30, 4, NULL);
	frame(&p, "");
	assert_false(is_new(&p, 0, 1));
	end(&p);
}

static void
text_shown_where_it_was_typed_is_echo(void **state)
{
	struct play p;

	(void)state;
	begin(&p, 40, 5);
	frame(&p, "$ ");
	type(&p, "echo DONE\r");
	frame(&p, "echo DONE\r\n");
	assert_int_equal(at(&p, 0, 7, 4, 0), LEDGER_IS_ECHO);
	assert_int_equal(at(&p, 0, 0, 3, 0), LEDGER_IS_ECHO);
	assert_int_equal(at(&p, 0, 0, 1, 0), LEDGER_COUNTS);
	frame(&p, "DONE\r\n$ ");
	assert_int_equal(at(&p, 1, 0, 4, 1), LEDGER_COUNTS);
	assert_int_equal(at(&p, 0, 7, 4, 0), LEDGER_IS_ECHO);
	assert_true(is_new(&p, 2, 1));
	frame(&p, "\r\n\r\n\r\n");
	end(&p);
}

static void
a_word_that_begins_with_a_key_is_not_echo(void **state)
{
	struct play p;

	(void)state;
	begin(&p, 40, 5);
	frame(&p, "> ");
	type(&p, "d");
	frame(&p, "done");
	assert_int_equal(at(&p, 0, 2, 4, 1), LEDGER_COUNTS);
	end(&p);
}

/* Everything in one write: echo, output and the next prompt. */
static void
a_prompt_is_new_however_fast_it_came(void **state)
{
	struct play p;

	(void)state;
	begin(&p, 40, 5);
	frame(&p, "$ ");
	type(&p, "true\r");
	frame(&p, "true\r\n$ ");
	assert_true(is_new(&p, 1, 2));
	type(&p, "\r");
	frame(&p, "\r\n$ ");
	assert_true(is_new(&p, 2, 4));
	type(&p, "clear\r");
	frame(&p, "clear\r\n\033[H\033[2J$ ");
	assert_true(is_new(&p, 0, 6));
	type(&p, "\003");
	frame(&p, "^C\r\n$ ");
	assert_true(is_new(&p, 1, 8));
	/* At the place of an older line, with the same content. */
	frame(&p, "\033[H\033[2J$ ");
	type(&p, "\r");
	frame(&p, "\r\n$ ");
	type(&p, "clear\r");
	frame(&p, "clear\r\n\033[H\033[2J$ ");
	assert_true(is_new(&p, 0, p.seq - 1));
	type(&p, "clear\r");
	frame(&p, "\033[?2004l");
	assert_false(is_new(&p, 0, p.seq - 1));
	frame(&p, "clear\r\n\033[H\033[2J$ ");
	assert_true(is_new(&p, 0, p.seq - 1));
	end(&p);
}

#define MARK(c) "\033]133;" c "\007"

static void
everything_between_marks_is_echo(void **state)
{
	struct play p;

	(void)state;
	begin(&p, 40, 8);
	frame(&p, MARK("A") "$ " MARK("B"));
	type(&p, "ec\t");
	frame(&p, "echo completed");
	assert_int_equal(at(&p, 0, 7, 9, 0), LEDGER_IS_ECHO);
	assert_int_equal(at(&p, 0, 0, 1, 0), LEDGER_COUNTS);
	type(&p, "\r");
	frame(&p, "\r\n> more\r\n" MARK("C") "completed\r\n");
	assert_int_equal(at(&p, 0, 7, 9, 0), LEDGER_IS_ECHO);
	assert_int_equal(at(&p, 1, 2, 4, 0), LEDGER_IS_ECHO);
	assert_int_equal(at(&p, 2, 0, 9, 0), LEDGER_COUNTS);
	/* A background job writes at a prompt where nothing is typed. */
	frame(&p, MARK("D") MARK("A") "$ " MARK("B"));
	frame(&p, "from a job\r\n");
	assert_int_equal(at(&p, 3, 2, 4, 0), LEDGER_COUNTS);
	end(&p);
}

/* dash marks the prompt but not the beginning of output. */
static void
output_of_a_command_typed_ahead_is_not_echo(void **state)
{
	struct play p;

	(void)state;
	begin(&p, 40, 8);
	frame(&p, MARK("A") "$ " MARK("B"));
	type(&p, "expr 6\r");
	type(&p, "expr 7\r");
	frame(&p, "expr 6\r\nexpr 7\r\n6\r\n");
	assert_int_equal(at(&p, 0, 7, 1, 0), LEDGER_IS_ECHO);
	assert_int_equal(at(&p, 1, 5, 1, 0), LEDGER_IS_ECHO);
	assert_int_equal(at(&p, 2, 0, 1, 0), LEDGER_COUNTS);
	frame(&p, MARK("D") MARK("A") "$ " MARK("B") "7\r\n");
	assert_int_equal(at(&p, 3, 2, 1, 0), LEDGER_COUNTS);
	end(&p);
}

/* ------------------------------------------------ the rule, counted out */

#define TABLE (1u << 16)

struct change {
	uint64_t seq; /* from this frame on */
	long count;
};

/* Lines of one text: on the screen, and scrolled off. */
struct tally {
	uint64_t hash;
	long off, on;
	struct change *v;
	size_t n;
};

struct oracle {
	struct play p;
	struct tally *tallies;
	struct ledger_lines last;
	uint64_t since; /* the count was restarted at this frame */
	uint64_t scrolled;
	bool alternate;
	size_t checked;
	const char *name;
};

static struct tally *
tally_of(struct oracle *o, uint64_t hash)
{
	size_t i = (hash >> 8) % TABLE;

	while (o->tallies[i].hash != 0 && o->tallies[i].hash != hash)
		i = (i + 1) % TABLE;
	o->tallies[i].hash = hash;
	return &o->tallies[i];
}

static void
add_change(struct tally *t, uint64_t seq, long count)
{
	t->v = xrealloc(t->v, t->n + 1, sizeof(*t->v));
	t->v[t->n++] = (struct change){ seq, count };
}

static void
note_change(struct tally *t, uint64_t seq, uint64_t since)
{
	long count = t->off + t->on;

	if (t->n > 0 && t->v[t->n - 1].count == count)
		return;
	if (t->n == 0 && seq > since)
		add_change(t, since, 0);
	add_change(t, seq, count);
}

/* Restart: only the last frame is known. */
static void
forget(struct oracle *o, uint64_t since)
{
	for (size_t i = 0; i < TABLE; i++)
		free(o->tallies[i].v);
	memset(o->tallies, 0, TABLE * sizeof(*o->tallies));
	o->since = since;
	for (size_t i = 0; i < o->last.n; i++)
		if (o->last.v[i].at.hash != 0)
			tally_of(o, o->last.v[i].at.hash)->on++;
	for (size_t i = 0; i < TABLE; i++)
		if (o->tallies[i].hash != 0)
			note_change(&o->tallies[i], since, since);
}

/* After the last frame with fewer lines like it; 0: there was none. */
static uint64_t
rose_at(const struct tally *t)
{
	long count = t->off + t->on;

	for (size_t i = t->n; i > 0; i--)
		if (t->v[i - 1].count < count)
			return i < t->n ? t->v[i].seq : UINT64_MAX;
	return 0;
}

static uint64_t
youngest(const struct ledger_lines *lines, uint64_t hash)
{
	uint64_t born = 0;

	for (size_t i = 0; i < lines->n; i++)
		if (lines->v[i].at.hash == hash && lines->v[i].born > born)
			born = lines->v[i].born;
	return born;
}

static void
count(struct oracle *o, const struct ledger_lines *now, uint64_t scrolled)
{
	for (size_t i = 0; i < o->last.n; i++) {
		const struct logical *at = &o->last.v[i].at;
		struct tally *t = at->hash != 0 ? tally_of(o, at->hash) : NULL;

		if (t == NULL)
			continue;
		t->on--;
		t->off += (uint64_t)at->row + at->rows <= scrolled;
	}
	for (size_t i = 0; i < now->n; i++)
		if (now->v[i].at.hash != 0)
			tally_of(o, now->v[i].at.hash)->on++;
	for (size_t i = 0; i < o->last.n; i++)
		if (o->last.v[i].at.hash != 0)
			note_change(tally_of(o, o->last.v[i].at.hash), o->p.seq,
			    o->since);
	for (size_t i = 0; i < now->n; i++)
		if (now->v[i].at.hash != 0)
			note_change(tally_of(o, now->v[i].at.hash), o->p.seq,
			    o->since);
}

static void
compare(struct oracle *o, const struct ledger_lines *now)
{
	for (size_t i = 0; i < now->n; i++) {
		uint64_t hash = now->v[i].at.hash, born, rose;

		if (hash == 0 || now->v[i].at.cut)
			continue;
		born = youngest(now, hash);
		rose = rose_at(tally_of(o, hash));
		o->checked++;
		if (born > o->since ? born != rose : rose > o->since)
			fail_msg("%s: frame %ju, row %u: the ledger says %ju, "
				 "the rule %ju (since %ju)",
			    o->name, (uintmax_t)o->p.seq, now->v[i].at.row,
			    (uintmax_t)born, (uintmax_t)rose,
			    (uintmax_t)o->since);
	}
}

static void
keep(struct oracle *o, const struct ledger_lines *now)
{
	free(o->last.v);
	o->last.n = now->n;
	o->last.v = xmalloc((now->n + 1) * sizeof(*now->v));
	memcpy(o->last.v, now->v, now->n * sizeof(*now->v));
	o->scrolled = vt_scrolled(o->p.vt);
	o->alternate = vt_alt_screen(o->p.vt);
}

/* No line that was on another row a frame before is new. */
static void
check_moved(struct oracle *o, const struct ledger_lines *now, uint64_t off)
{
	for (size_t i = 0; i < now->n; i++) {
		uint64_t hash = now->v[i].at.hash;
		long more = 0, born = 0;

		for (size_t k = 0; k < now->n; k++) {
			more += now->v[k].at.hash == hash;
			born += now->v[k].at.hash == hash &&
			    now->v[k].born == o->p.seq;
		}
		for (size_t k = 0; k < o->last.n; k++)
			more -= o->last.v[k].at.hash == hash &&
			    o->last.v[k].at.row + o->last.v[k].at.rows > off;
		if (hash != 0 && !now->v[i].at.cut && born > 0 && born > more)
			fail_msg("%s: frame %ju, row %u: %ld are new of %ld "
				 "more",
			    o->name, (uintmax_t)o->p.seq, now->v[i].at.row,
			    born, more);
	}
}

static void
look(struct oracle *o)
{
	bool alternate = vt_alt_screen(o->p.vt);
	const struct ledger_lines *now = &o->p.l.shown[alternate];
	uint64_t scrolled = alternate ? 0 : vt_scrolled(o->p.vt) - o->scrolled;
	bool cut = o->last.n > 0 && o->last.v[0].at.cut;

	if (alternate != o->alternate) {
		keep(o, now);
		forget(o, o->p.seq);
		return;
	}
	check_moved(o, now, scrolled);
	/* A cut line reads like another line: it cannot be counted. */
	if (cut || now->v[0].at.cut || alternate) {
		keep(o, now);
		forget(o, o->p.seq);
		return;
	}
	count(o, now, scrolled);
	compare(o, now);
	keep(o, now);
}

static int
on_event(void *arg, const struct cast_event *ev, struct error *err)
{
	struct oracle *o = arg;

	(void)err;
	if (ev->type == CAST_HEADER) {
		begin(&o->p, ev->cols, ev->rows);
		keep(o, &o->p.l.shown[0]);
		forget(o, 0);
		return 0;
	}
	if (ev->type == CAST_OUTPUT)
		vt_feed(o->p.vt, ev->data, ev->len);
	else if (ev->type == CAST_RESIZE)
		vt_resize(o->p.vt, ev->cols, ev->rows, NULL);
	else
		return 0;
	if (vt_in_sync(o->p.vt))
		return 0;
	ledger_story.frame(&o->p.l, o->p.vt, ++o->p.seq,
	    (int64_t)(ev->time * 1000));
	if (ev->type == CAST_OUTPUT) {
		look(o);
		return 0;
	}
	for (size_t i = 0; i < o->p.l.shown[o->p.l.alternate].n; i++)
		assert_true(
		    o->p.l.shown[o->p.l.alternate].v[i].born < o->p.seq);
	keep(o, &o->p.l.shown[vt_alt_screen(o->p.vt)]);
	forget(o, o->p.seq);
	return 0;
}

static size_t
play_recording(const char *path)
{
	struct oracle o = { .name = path };
	struct cast *c = cast_create(on_event, &o);
	struct error err = { 0 };
	FILE *f = fopen(path, "r");
	char bytes[4096];
	size_t n;

	assert_non_null(f);
	o.tallies = xcalloc(TABLE, sizeof(*o.tallies));
	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		if (cast_feed(c, bytes, n, &err) < 0)
			fail_msg("%s: %s", path, err.msg);
	fclose(f);
	cast_destroy(c);
	for (size_t i = 0; i < TABLE; i++)
		free(o.tallies[i].v);
	free(o.tallies);
	free(o.last.v);
	end(&o.p);
	return o.checked;
}

static const char *data;

static void
the_ledger_follows_the_rule_in_recordings(void **state)
{
	DIR *dir = opendir(data);
	struct dirent *e;
	size_t checked = 0;
	char path[4096];

	(void)state;
	assert_non_null(dir);
	while ((e = readdir(dir)) != NULL) {
		if (strstr(e->d_name, ".cast") == NULL)
			continue;
		snprintf(path, sizeof(path), "%s/%s", data, e->d_name);
		checked += play_recording(path);
	}
	closedir(dir);
	assert_true(checked > 10000);
	printf("%zu lines compared\n", checked);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_new_after_earlier_events),
		cmocka_unit_test(lines_that_scroll_off_are_counted),
		cmocka_unit_test(
		    text_soon_redrawn_on_the_alternate_screen_is_not_new),
		cmocka_unit_test(
		    a_broken_line_is_not_new_after_a_scroll_or_a_resize),
		cmocka_unit_test(text_shown_where_it_was_typed_is_echo),
		cmocka_unit_test(a_word_that_begins_with_a_key_is_not_echo),
		cmocka_unit_test(a_prompt_is_new_however_fast_it_came),
		cmocka_unit_test(everything_between_marks_is_echo),
		cmocka_unit_test(output_of_a_command_typed_ahead_is_not_echo),
		cmocka_unit_test(the_ledger_follows_the_rule_in_recordings),
	};

	data = argc > 1 ? argv[1] : "tests/data";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
