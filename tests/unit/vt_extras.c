#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../rng.h"
#include "base/mem.h"
#include "vt/cell.h"
#include "vt/extras.h"
#include "vt_make.h"

#define RED (COLOUR_PALETTE | 1u)

static uint16_t
intern(struct extras *x, uint32_t underline, const char *uri, const char *id)
{
	bool full;
	uint16_t got = extras_intern(x, underline, uri, id, &full);

	assert_false(full);
	return got;
}

static void
is_full_for(struct extras *x, uint32_t underline, const char *uri)
{
	bool full;

	assert_int_equal(extras_intern(x, underline, uri, "", &full), 0);
	assert_true(full);
}

static void
holds(const struct extras *x, uint16_t id, uint32_t underline, const char *uri,
    const char *link_id)
{
	const struct extra *e = extras_get(x, id);

	assert_non_null(e);
	assert_int_equal(e->underline, underline);
	if (uri == NULL) {
		assert_null(e->uri);
		return;
	}
	assert_string_equal(e->uri, uri);
	assert_string_equal(e->id, link_id);
}

static void
a_pair_is_stored_once(void **state)
{
	struct extras x;

	(void)state;
	extras_init(&x);
	assert_int_equal(intern(&x, 0, NULL, ""), 0);
	assert_int_equal(intern(&x, RED, NULL, ""), 1);
	assert_int_equal(intern(&x, 0, "a:b", ""), 2);
	assert_int_equal(intern(&x, RED, "a:b", ""), 3);
	assert_int_equal(intern(&x, 0, "a:b", "one"), 4);
	assert_int_equal(intern(&x, 0, "a:bone", ""), 5);
	assert_int_equal(intern(&x, RED, NULL, ""), 1);
	assert_int_equal(intern(&x, 0, "a:b", ""), 2);
	assert_int_equal(intern(&x, RED, "a:b", ""), 3);
	assert_int_equal(intern(&x, 0, "a:b", "one"), 4);
	assert_int_equal(intern(&x, 0, "a:bone", ""), 5);
	holds(&x, 1, RED, NULL, NULL);
	holds(&x, 3, RED, "a:b", "");
	holds(&x, 4, 0, "a:b", "one");
	extras_finish(&x);
}

static void
links_to_the_same_place_differ_by_their_id(void **state)
{
	struct extras x;
	char id[16];

	(void)state;
	extras_init(&x);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 1; i <= 2000; i++) {
			snprintf(id, sizeof(id), "%u", i);
			assert_int_equal(intern(&x, 0, "a:b", id), i);
		}
	extras_finish(&x);
}

static void
only_ids_in_use_are_found(void **state)
{
	struct extras x;

	(void)state;
	extras_init(&x);
	assert_null(extras_get(&x, 0));
	assert_null(extras_get(&x, 1));
	intern(&x, RED, NULL, "");
	assert_null(extras_get(&x, 0));
	assert_non_null(extras_get(&x, 1));
	assert_null(extras_get(&x, 2));
	assert_null(extras_get(&x, 65535));
	extras_finish(&x);
}

static void
a_sweep_drops_unmarked_pairs(void **state)
{
	struct extras x;

	(void)state;
	extras_init(&x);
	for (uint32_t i = 1; i <= 5; i++)
		intern(&x, COLOUR_PALETTE | i, "a:b", "");
	extras_mark(&x, 0);
	extras_mark(&x, 2);
	extras_mark(&x, 4);
	extras_mark(&x, 999);
	extras_sweep(&x);
	assert_null(extras_get(&x, 1));
	holds(&x, 2, COLOUR_PALETTE | 2, "a:b", "");
	assert_null(extras_get(&x, 3));
	holds(&x, 4, COLOUR_PALETTE | 4, "a:b", "");
	assert_null(extras_get(&x, 5));
	assert_int_equal(intern(&x, COLOUR_PALETTE | 4, "a:b", ""), 4);
	/* The sweep removes the marks. */
	extras_sweep(&x);
	assert_null(extras_get(&x, 2));
	assert_null(extras_get(&x, 4));
	assert_int_equal(x.bytes, 0);
	extras_finish(&x);
}

static void
free_ids_are_given_out_lowest_first(void **state)
{
	struct extras x;

	(void)state;
	extras_init(&x);
	for (uint32_t i = 1; i <= 6; i++)
		intern(&x, COLOUR_PALETTE | i, NULL, "");
	extras_mark(&x, 2);
	extras_mark(&x, 5);
	extras_sweep(&x);
	for (unsigned i = 0; i < 5; i++) {
		static const uint16_t want[] = { 1, 3, 4, 6, 7 };
		assert_int_equal(intern(&x, COLOUR_RGB | i, NULL, ""), want[i]);
	}
	extras_finish(&x);
}

static void
a_pair_is_put_under_its_id_once(void **state)
{
	struct extras x;

	(void)state;
	extras_init(&x);
	assert_int_equal(extras_put(&x, 5, RED, "a:b", "id"), 0);
	holds(&x, 5, RED, "a:b", "id");
	assert_null(extras_get(&x, 3));
	assert_int_equal(extras_put(&x, 0, RED, NULL, NULL), -EINVAL);
	assert_int_equal(extras_put(&x, 2, 0, NULL, NULL), -EINVAL);
	assert_int_equal(extras_put(&x, 5, RED, NULL, NULL), -EINVAL);
	assert_int_equal(extras_put(&x, 6, RED, "a:b", "id"), -EINVAL);
	assert_int_equal(extras_put(&x, 2, RED, NULL, NULL), 0);
	assert_int_equal(intern(&x, RED, "a:b", "id"), 5);
	/* The ids between them are free. */
	assert_int_equal(intern(&x, COLOUR_RGB, NULL, ""), 1);
	assert_int_equal(intern(&x, COLOUR_RGB | 1, NULL, ""), 3);
	assert_int_equal(intern(&x, COLOUR_RGB | 2, NULL, ""), 4);
	assert_int_equal(intern(&x, COLOUR_RGB | 3, NULL, ""), 6);
	assert_int_equal(extras_put(&x, EXTRAS_MAX, 1, NULL, NULL), 0);
	holds(&x, EXTRAS_MAX, 1, NULL, NULL);
	extras_finish(&x);
}

/* Each time up to the point where the table has to grow. */
static void
only_ids_below_a_pair_that_was_put_become_free(void **state)
{
	(void)state;
	for (uint16_t put = 1; put < 70; put++) {
		struct extras x;
		extras_init(&x);
		assert_int_equal(extras_put(&x, put, RED, NULL, NULL), 0);
		for (uint16_t id = 1; id < put + 5; id++)
			if (id != put)
				assert_int_equal(intern(&x, COLOUR_RGB | id,
						     NULL, ""),
				    id);
		extras_finish(&x);
	}
}

static void
the_number_of_pairs_is_limited(void **state)
{
	struct extras x;

	(void)state;
	extras_init(&x);
	for (uint32_t i = 1; i <= EXTRAS_MAX; i++)
		assert_int_equal(intern(&x, COLOUR_RGB | i, NULL, ""), i);
	is_full_for(&x, RED, NULL);
	assert_int_equal(intern(&x, COLOUR_RGB | 77, NULL, ""), 77);
	for (uint32_t i = 1; i <= EXTRAS_MAX; i++)
		if (i != 500)
			extras_mark(&x, (uint16_t)i);
	extras_sweep(&x);
	assert_int_equal(intern(&x, RED, NULL, ""), 500);
	is_full_for(&x, RED + 1, NULL);
	extras_finish(&x);
}

/* A link of the largest size, the n-th. */
static void
long_uri(char uri[LINK_URI_MAX + 1], unsigned n)
{
	snprintf(uri, LINK_URI_MAX + 1, "%0*u", LINK_URI_MAX, n);
}

static void
the_bytes_of_links_are_limited(void **state)
{
	const size_t each = LINK_URI_MAX + 2;
	char uri[LINK_URI_MAX + 1];
	struct extras x;
	unsigned n = 0;

	(void)state;
	extras_init(&x);
	for (; (n + 1) * each <= LINKS_BYTES_MAX; n++) {
		long_uri(uri, n);
		intern(&x, 0, uri, "");
	}
	assert_int_equal(x.bytes, n * each);
	assert_in_range(extras_memory(&x), x.bytes, LINKS_BYTES_MAX + 65536);
	long_uri(uri, n);
	is_full_for(&x, 0, uri);
	assert_int_equal(extras_put(&x, 9999, 0, uri, ""), -EINVAL);
	intern(&x, RED, NULL, ""); /* which has no link */
	extras_sweep(&x);
	assert_int_equal(x.bytes, 0);
	assert_int_equal(intern(&x, 0, uri, ""), 1);
	extras_finish(&x);
}

static void
after_a_sweep_that_freed_nothing_the_next_one_waits(void **state)
{
	struct extras x;
	unsigned waited = 0;

	(void)state;
	extras_init(&x);
	intern(&x, RED, NULL, "");
	assert_true(extras_want_sweep(&x));
	extras_mark(&x, 1);
	extras_sweep(&x); /* frees nothing */
	while (!extras_want_sweep(&x))
		waited++;
	assert_in_range(waited, 100, 1000);
	extras_sweep(&x); /* frees one */
	assert_true(extras_want_sweep(&x));
	extras_finish(&x);
}

/* The twin: the pair under each id; 0 is free, n the n-th of a few pairs. */
#define TWIN_IDS 64
#define TWIN_PAIRS 48

struct twin {
	unsigned pair[TWIN_IDS];
};

struct pair {
	uint32_t underline;
	const char *uri, *id;
};

static struct pair
pair_of(unsigned n)
{
	static const char *const uris[] = { NULL, "a:1", "a:1", "b:1" };
	static const char *const ids[] = { "", "", "one", "" };

	return (
	    struct pair){ COLOUR_RGB | (n / 4 + 1), uris[n % 4], ids[n % 4] };
}

static uint16_t
twin_find(const struct twin *t, unsigned pair)
{
	for (uint16_t id = 1; id < TWIN_IDS; id++)
		if (t->pair[id] == pair)
			return id;
	return 0;
}

static void
twin_intern(struct twin *t, struct extras *x, unsigned pair)
{
	struct pair p = pair_of(pair);
	uint16_t want = twin_find(t, pair);

	if (want == 0)
		want = twin_find(t, 0);
	t->pair[want] = pair;
	assert_int_equal(intern(x, p.underline, p.uri, p.id), want);
}

static void
twin_put(struct twin *t, struct extras *x, uint16_t id, unsigned pair)
{
	struct pair p = pair_of(pair);
	bool possible = t->pair[id] == 0 && twin_find(t, pair) == 0;

	assert_int_equal(extras_put(x, id, p.underline, p.uri, p.id),
	    possible ? 0 : -EINVAL);
	if (possible)
		t->pair[id] = pair;
}

static void
twin_sweep(struct twin *t, struct extras *x, struct rng *rng)
{
	for (uint16_t id = 1; id < TWIN_IDS; id++)
		if (rng_below(rng, 3) > 0)
			extras_mark(x, id);
		else
			t->pair[id] = 0;
	extras_sweep(x);
}

static void
twin_agrees(const struct twin *t, const struct extras *x)
{
	for (uint16_t id = 1; id < TWIN_IDS; id++) {
		struct pair p = pair_of(t->pair[id]);
		if (t->pair[id] == 0)
			assert_null(extras_get(x, id));
		else
			holds(x, id, p.underline, p.uri, p.id);
	}
}

static void
random_use_gives_the_ids_of_a_naive_twin(void **state)
{
	struct twin t = { { 0 } };
	struct rng rng = { 3 };
	struct extras x;

	(void)state;
	extras_init(&x);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned what = rng_below(&rng, 40);
		unsigned pair = rng_between(&rng, 1, TWIN_PAIRS);
		if (what == 0)
			twin_sweep(&t, &x, &rng);
		else if (what < 4)
			twin_put(&t, &x,
			    (uint16_t)rng_between(&rng, 1, TWIN_IDS - 1), pair);
		else
			twin_intern(&t, &x, pair);
		twin_agrees(&t, &x);
	}
	extras_finish(&x);
}

static const char *
link_at(const struct vt *vt, unsigned y, unsigned x)
{
	struct vt_row row;

	vt_screen_row(vt, y, &row);
	return vt_cell_link(vt, &row.cells[x]);
}

/* Far more links than there is room for, one after the other. */
static void
a_terminal_sweeps_unused_links(void **state)
{
	struct vt *vt = make_vt_without_history(10, 3);
	char link[1100];

	(void)state;
	feed(vt, "\033]8;;stays:here\a!\033]8;;\a");
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(link, sizeof(link), "\033[2H\033]8;;%05u:%01000u\ax",
		    i, 0);
		feed(vt, link);
		assert_int_equal(atoi(link_at(vt, 1, 0)), i);
	}
	assert_string_equal(link_at(vt, 0, 0), "stays:here");
	assert_in_range(vt_memory(vt), 0, 2u << 20);
	vt_destroy(vt);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pair_is_stored_once),
		cmocka_unit_test(links_to_the_same_place_differ_by_their_id),
		cmocka_unit_test(only_ids_in_use_are_found),
		cmocka_unit_test(a_sweep_drops_unmarked_pairs),
		cmocka_unit_test(free_ids_are_given_out_lowest_first),
		cmocka_unit_test(a_pair_is_put_under_its_id_once),
		cmocka_unit_test(
		    only_ids_below_a_pair_that_was_put_become_free),
		cmocka_unit_test(the_number_of_pairs_is_limited),
		cmocka_unit_test(the_bytes_of_links_are_limited),
		cmocka_unit_test(
		    after_a_sweep_that_freed_nothing_the_next_one_waits),
		cmocka_unit_test(random_use_gives_the_ids_of_a_naive_twin),
		cmocka_unit_test(a_terminal_sweeps_unused_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
