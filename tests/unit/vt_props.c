/*
 * The properties of the fuzzers over every recording in tests/data.  In a
 * small run the prefixes are the ends of some events and as many random
 * places.  With TEND_TEST_FULL=1 they are every byte, or every n-th if the
 * recordings are so long that it would take minutes.
 */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "cast/cast.h"
#include "props.h"
#include "rng.h"
#include "vt/render.h"
#include "vt/vt.h"

#define PLACES 200 /* of each kind, in small doses */

/*
 * Of all recordings together, in a full run: every single prefix in gcc's
 * release build, some in builds that are slower or repeat it.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
#define PREFIXES 16000
#else
#define PREFIXES SIZE_MAX
#endif
#define HISTORY_EVERY 8 /* prefixes between renderings with history */
#define FILE_MAX (64u << 20)

/* A resize, or only the end of an event, before the byte at an offset. */
struct border {
	size_t offset;
	unsigned cols, rows; /* 0: no resize */
};

struct recording {
	char *name;
	struct buf bytes;
	struct border *borders;
	size_t border_count;
	unsigned cols, rows;
};

struct recordings {
	struct recording *list;
	size_t count;
	size_t bytes; /* of all */
};

/* A terminal, and its position in a recording. */
struct playing {
	const struct recording *rec;
	struct vt *vt;
	size_t pos;
	size_t border;
};

static const struct vt_config limits = {
	.history_lines = VT_HISTORY_LINES,
	.history_bytes = VT_HISTORY_BYTES,
};

static const struct vt_config ample = {
	.history_lines = 1000000,
	.history_bytes = 256u << 20,
};

static int
on_cast_event(void *arg, const struct cast_event *ev, struct error *err)
{
	struct recording *rec = arg;
	struct border *b;

	(void)err;
	if (ev->type == CAST_HEADER) {
		rec->cols = ev->cols;
		rec->rows = ev->rows;
		return 0;
	}
	if (ev->type != CAST_OUTPUT && ev->type != CAST_RESIZE)
		return 0;
	rec->borders = xrealloc(rec->borders, rec->border_count + 1,
	    sizeof(*b));
	b = &rec->borders[rec->border_count++];
	*b = (struct border){ .offset = rec->bytes.len };
	if (ev->type == CAST_RESIZE) {
		b->cols = ev->cols;
		b->rows = ev->rows;
	} else {
		buf_append(&rec->bytes, ev->data, ev->len);
	}
	return 0;
}

static int
read_recording(struct recording *rec, FILE *f, struct error *err)
{
	struct cast *c = cast_create(on_cast_event, rec);
	char part[4096];
	size_t n;
	int rc = 0;

	while (rc == 0 && (n = fread(part, 1, sizeof(part), f)) > 0)
		rc = cast_feed(c, part, n, err);
	if (rc == 0)
		rc = cast_end(c, err);
	cast_destroy(c);
	return rc;
}

static void
load(struct recording *rec, const char *folder, const char *name)
{
	char path[4096];
	struct error err = { 0 };
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	*rec = (struct recording){ .name = xstrdup(name) };
	buf_init(&rec->bytes, FILE_MAX);
	f = fopen(path, "rb");
	if (f == NULL || read_recording(rec, f, &err) < 0) {
		fprintf(stderr, "%s: %s\n", path,
		    f == NULL ? strerror(errno) : err.msg);
		exit(1);
	}
	fclose(f);
}

static int
is_cast(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot != NULL && strcmp(dot, ".cast") == 0;
}

static int
load_all(struct recordings *all, const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, is_cast, alphasort);

	if (n <= 0) {
		fprintf(stderr, "%s: no recordings\n", folder);
		return -ENOENT;
	}
	all->list = xcalloc((size_t)n, sizeof(*all->list));
	all->count = (size_t)n;
	for (int i = 0; i < n; i++) {
		load(&all->list[i], folder, names[i]->d_name);
		all->bytes += all->list[i].bytes.len;
		free(names[i]);
	}
	free(names);
	return 0;
}

static void
unload_all(struct recordings *all)
{
	for (size_t i = 0; i < all->count; i++) {
		free(all->list[i].name);
		free(all->list[i].borders);
		buf_finish(&all->list[i].bytes);
	}
	free(all->list);
}

static void
playing_init(struct playing *p, const struct recording *rec,
    const struct vt_config *config)
{
	struct vt_config c = *config;

	c.cols = (uint16_t)rec->cols;
	c.rows = (uint16_t)rec->rows;
	*p = (struct playing){ .rec = rec, .vt = vt_create(&c, NULL) };
	assert_non_null(p->vt);
}

/* Resizes at the present position. */
static void
cross_borders(struct playing *p)
{
	const struct recording *rec = p->rec;

	for (; p->border < rec->border_count; p->border++) {
		const struct border *b = &rec->borders[p->border];

		if (b->offset > p->pos)
			break;
		if (b->cols > 0)
			assert_int_equal(vt_resize(p->vt, b->cols, b->rows,
					     NULL),
			    0);
	}
}

/* Continue to offset `to`, in pieces of at most `piece` bytes. */
static void
play_to(struct playing *p, size_t to, size_t piece, struct rng *rng)
{
	const struct recording *rec = p->rec;

	for (;;) {
		size_t n = to - p->pos;

		cross_borders(p);
		if (n == 0)
			break;
		if (p->border < rec->border_count &&
		    rec->borders[p->border].offset - p->pos < n)
			n = rec->borders[p->border].offset - p->pos;
		if (n > piece)
			n = rng_between(rng, 1, (unsigned)piece);
		vt_feed(p->vt, rec->bytes.data + p->pos, n);
		p->pos += n;
	}
}

static bool
full(void)
{
	const char *s = getenv("TEND_TEST_FULL");

	return s != NULL && strcmp(s, "1") == 0;
}

static int
by_offset(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/* The prefixes to check, in order; the caller frees. */
static size_t *
choose_places(const struct recordings *all, const struct recording *rec,
    size_t *count)
{
	size_t len = rec->bytes.len, n = 0;
	size_t stride = full() ? 1 + all->bytes / PREFIXES : len + 1;
	size_t skip = 1 + rec->border_count / PLACES;
	size_t *places = xcalloc(2 * PLACES + len / stride + 2,
	    sizeof(*places));
	struct rng rng = { len };

	for (size_t i = 0; i < rec->border_count; i += skip)
		places[n++] = rec->borders[i].offset;
	for (size_t i = 0; i < PLACES; i++)
		places[n++] = rng_next(&rng) % (len + 1);
	for (size_t at = stride; at < len; at += stride)
		places[n++] = at;
	places[n++] = len;
	qsort(places, n, sizeof(*places), by_offset);
	*count = n;
	return places;
}

static int
failed(const struct playing *p, const struct error *err)
{
	fprintf(stderr, "%s at byte %zu (%ux%u): %s\n", p->rec->name, p->pos,
	    vt_cols(p->vt), vt_rows(p->vt), err->msg);
	return 1;
}

/*
 * At every place the second terminal is replaced by one restored from its
 * keyframe, so a loss in one keyframe would show at the next.
 */
static int
check_keyframes(const struct recordings *all, const struct recording *rec)
{
	struct playing straight, relay;
	struct error err;
	size_t count;
	auto_free size_t *places = choose_places(all, rec, &count);
	int failures = 0;

	playing_init(&straight, rec, &limits);
	playing_init(&relay, rec, &limits);
	for (size_t i = 0; i < count && failures == 0; i++) {
		struct vt *next;

		play_to(&straight, places[i], SIZE_MAX, NULL);
		play_to(&relay, places[i], SIZE_MAX, NULL);
		next = prop_restored(relay.vt, NULL, NULL, &err);
		if (next == NULL) {
			failures += failed(&relay, &err);
			break;
		}
		vt_destroy(relay.vt);
		relay.vt = next;
		if (prop_same(straight.vt, relay.vt, &err) < 0)
			failures += failed(&relay, &err);
	}
	vt_destroy(straight.vt);
	vt_destroy(relay.vt);
	return failures;
}

static int
render_here(const struct playing *p, size_t i, struct error *err)
{
	int rc = prop_render(p->vt, &limits, 0, err);

	if (rc == 0 && i % HISTORY_EVERY == 0)
		rc = prop_render(p->vt, &limits, RENDER_HISTORY, err);
	if (rc == 0 && i % HISTORY_EVERY == 1)
		rc = prop_render_probe(p->vt, &limits,
		    (unsigned)(i / HISTORY_EVERY) % PROP_PROBES, err);
	return rc;
}

static int
check_renderings(const struct recordings *all, const struct recording *rec)
{
	struct playing p;
	struct error err;
	size_t count;
	auto_free size_t *places = choose_places(all, rec, &count);
	int failures = 0;

	playing_init(&p, rec, &limits);
	for (size_t i = 0; i < count && failures == 0; i++) {
		play_to(&p, places[i], SIZE_MAX, NULL);
		if (render_here(&p, i, &err) < 0)
			failures += failed(&p, &err);
	}
	vt_destroy(p.vt);
	return failures;
}

static int
check_pieces(const struct recordings *all, const struct recording *rec)
{
	static const size_t pieces[] = { 1, 7, 64, 4096 };
	struct error err;
	int failures = 0;

	(void)all;
	for (size_t i = 0; i < 4 && failures == 0; i++) {
		struct rng rng = { i };
		struct playing a, b;

		playing_init(&a, rec, &limits);
		playing_init(&b, rec, &limits);
		play_to(&a, rec->bytes.len, SIZE_MAX, NULL);
		play_to(&b, rec->bytes.len, pieces[i], &rng);
		if (prop_same(a.vt, b.vt, &err) < 0)
			failures += failed(&b, &err);
		vt_destroy(a.vt);
		vt_destroy(b.vt);
	}
	return failures;
}

/* Rows are whole and text is text, at every place. */
static int
check_state(const struct recordings *all, const struct recording *rec)
{
	struct playing p;
	struct error err;
	size_t count;
	auto_free size_t *places = choose_places(all, rec, &count);
	int failures = 0;

	playing_init(&p, rec, &limits);
	for (size_t i = 0; i < count && failures == 0; i++) {
		play_to(&p, places[i], SIZE_MAX, NULL);
		if (prop_structure(p.vt, &err) < 0 ||
		    prop_text(p.vt, &err) < 0 ||
		    prop_memory(p.vt, &limits, &err) < 0)
			failures += failed(&p, &err);
	}
	vt_destroy(p.vt);
	return failures;
}

static int
resize_here(const struct playing *p, struct error *err)
{
	static const unsigned sizes[][2] = { { 40, 10 }, { 132, 50 },
		{ 21, 24 }, { 2, 5 }, { 80, 1 }, { 200, 60 }, { 81, 24 } };
	int rc = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		rc = prop_resize_back(p->vt, sizes[i][0], sizes[i][1], err);
		if (rc < 0)
			break;
	}
	return rc;
}

static int
check_resizes(const struct recordings *all, const struct recording *rec)
{
	struct playing p;
	struct error err;
	size_t count;
	auto_free size_t *places = choose_places(all, rec, &count);
	int failures = 0;

	playing_init(&p, rec, &ample);
	for (size_t i = 0; i < count && failures == 0; i += 16) {
		play_to(&p, places[i], SIZE_MAX, NULL);
		if (!vt_alt_screen(p.vt) && resize_here(&p, &err) < 0)
			failures += failed(&p, &err);
	}
	vt_destroy(p.vt);
	return failures;
}

typedef int check_fn(const struct recordings *all, const struct recording *rec);

static void
for_all(void **state, check_fn *check)
{
	const struct recordings *all = *state;
	int failures = 0;

	for (size_t i = 0; i < all->count; i++)
		failures += check(all, &all->list[i]);
	assert_int_equal(failures, 0);
}

static void
every_row_is_whole_and_the_text_is_utf8(void **state)
{
	for_all(state, check_state);
}

static void
any_chunking_gives_the_same_terminal(void **state)
{
	for_all(state, check_pieces);
}

static void
a_keyframe_restores_everything_at_every_prefix(void **state)
{
	for_all(state, check_keyframes);
}

static void
a_rendering_makes_a_fresh_terminal_the_same_at_every_prefix(void **state)
{
	for_all(state, check_renderings);
}

static void
resizing_there_and_back_keeps_every_line(void **state)
{
	for_all(state, check_resizes);
}

int
main(int argc, char **argv)
{
	struct recordings all = { 0 };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(
		    every_row_is_whole_and_the_text_is_utf8, &all),
		cmocka_unit_test_prestate(any_chunking_gives_the_same_terminal,
		    &all),
		cmocka_unit_test_prestate(
		    a_keyframe_restores_everything_at_every_prefix, &all),
		cmocka_unit_test_prestate(
		    a_rendering_makes_a_fresh_terminal_the_same_at_every_prefix,
		    &all),
		cmocka_unit_test_prestate(
		    resizing_there_and_back_keeps_every_line, &all),
	};
	int rc;

	if (argc != 2) {
		fprintf(stderr, "usage: vt_props FOLDER\n");
		return 2;
	}
	if (load_all(&all, argv[1]) < 0)
		return 1;
	rc = cmocka_run_group_tests_name("vt_props", tests, NULL, NULL);
	unload_all(&all);
	return rc;
}
