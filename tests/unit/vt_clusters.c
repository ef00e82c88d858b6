#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "../rng.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "vt/clusters.h"
#include "vt_make.h"

/* The text, and as many bytes after it as may be read. */
static void
has_text(const struct clusters *c, uint32_t id, const uint32_t *cps, unsigned n)
{
	char want[4 * CLUSTER_MAX];
	char read[CLUSTER_SLACK];
	size_t want_len = 0, len;
	const char *text = clusters_text(c, id, &len);

	for (unsigned i = 0; i < n; i++)
		want_len += utf8_encode(want + want_len, cps[i]);
	assert_int_equal(len, want_len);
	assert_memory_equal(text, want, len);
	memcpy(read, text, sizeof(read));
	assert_memory_equal(read, want,
	    len < sizeof(read) ? len : sizeof(read));
}

static void
holds(const struct clusters *c, uint32_t id, const uint32_t *cps, unsigned n)
{
	unsigned got_n;
	const uint32_t *got = clusters_get(c, id, &got_n);

	assert_int_equal(got_n, n);
	assert_memory_equal(got, cps, n * sizeof(*cps));
	has_text(c, id, cps, n);
}

static void
the_same_code_points_have_the_same_id(void **state)
{
	const uint32_t e[] = { 'e', 0x301 }, flag[] = { 0x1f1e9, 0x1f1ea };
	struct clusters c;

	(void)state;
	clusters_init(&c);
	uint32_t first = clusters_intern(&c, e, 2);
	uint32_t second = clusters_intern(&c, flag, 2);
	assert_int_not_equal(first, second);
	assert_int_equal(clusters_intern(&c, e, 2), first);
	assert_int_equal(clusters_intern(&c, flag, 2), second);
	assert_int_equal(c.count, 2);
	holds(&c, first, e, 2);
	holds(&c, second, flag, 2);
	clusters_finish(&c);
}

static void
the_beginning_of_a_cluster_is_another_cluster(void **state)
{
	uint32_t cps[CLUSTER_MAX], ids[CLUSTER_MAX + 1];
	struct clusters c;

	(void)state;
	for (unsigned i = 0; i < CLUSTER_MAX; i++)
		cps[i] = 0x300 + i;
	clusters_init(&c);
	for (unsigned n = 1; n <= CLUSTER_MAX; n++)
		ids[n] = clusters_intern(&c, cps, n);
	assert_int_equal(c.count, CLUSTER_MAX);
	for (unsigned n = 1; n <= CLUSTER_MAX; n++) {
		holds(&c, ids[n], cps, n);
		assert_int_equal(clusters_intern(&c, cps, n), ids[n]);
	}
	clusters_finish(&c);
}

static void
a_cleared_set_is_empty_and_can_be_used_again(void **state)
{
	const uint32_t cps[] = { 'a', 0x301, 0x302 };
	struct clusters c;

	(void)state;
	clusters_init(&c);
	clusters_clear(&c);
	for (unsigned n = 1; n <= 3; n++)
		clusters_intern(&c, cps, n);
	clusters_clear(&c);
	assert_int_equal(c.count, 0);
	holds(&c, clusters_intern(&c, cps + 1, 2), cps + 1, 2);
	assert_int_equal(c.count, 1);
	clusters_finish(&c);
	assert_int_equal(clusters_memory(&c), 0);
}

static void
a_sweep_is_wanted_when_the_set_has_grown(void **state)
{
	struct clusters c;

	(void)state;
	clusters_init(&c);
	for (uint32_t i = 0; i < 256; i++) {
		const uint32_t cps[] = { 'a' + i, 0x301 };
		assert_false(clusters_want_sweep(&c));
		clusters_intern(&c, cps, 2);
		clusters_intern(&c, cps, 2);
	}
	assert_true(clusters_want_sweep(&c));
	clusters_finish(&c);
}

/*
 * The twin: all clusters of up to TWIN_LEN code points out of four, by the
 * number that they spell.
 */
#define TWIN_LEN 7
#define TWIN_SIZE (1u << (2 * TWIN_LEN + 2))

static unsigned
twin_key(const uint32_t *cps, unsigned n)
{
	unsigned key = 1;

	for (unsigned i = 0; i < n; i++)
		key = key << 2 | (cps[i] & 3);
	return key;
}

static void
random_clusters_have_the_ids_that_a_naive_twin_gives(void **state)
{
	auto_free uint32_t *twin = xcalloc(TWIN_SIZE, sizeof(*twin));
	struct rng rng = { 2 };
	struct clusters c;
	uint32_t count = 0;

	(void)state;
	clusters_init(&c);
	for (unsigned i = 0; i < 100000; i++) {
		uint32_t cps[TWIN_LEN];
		unsigned n = rng_between(&rng, 1, TWIN_LEN);
		for (unsigned k = 0; k < n; k++)
			cps[k] = 0x1f3f8 + rng_below(&rng, 4);
		uint32_t *known = &twin[twin_key(cps, n)];
		uint32_t id = clusters_intern(&c, cps, n);
		if (*known == 0)
			*known = ++count;
		assert_int_equal(id, *known - 1);
		assert_int_equal(c.count, count);
		holds(&c, id, cps, n);
		if (rng_below(&rng, 30000) == 0) {
			clusters_clear(&c);
			memset(twin, 0, TWIN_SIZE * sizeof(*twin));
			count = 0;
		}
	}
	assert_true(count > 1000);
	clusters_finish(&c);
}

/* A letter with two of 64 x 64 marks. */
static void
put_cluster(struct vt *vt, unsigned i)
{
	char s[16] = "a";
	size_t len = 1;

	len += utf8_encode(s + len, 0x300 + i % 64);
	len += utf8_encode(s + len, 0x300 + i / 64 % 64);
	vt_feed(vt, s, len);
}

static void
clusters_on_no_screen_are_swept(void **state)
{
	struct vt *vt = make_vt_without_history(8, 2);
	size_t early = 0;

	(void)state;
	for (unsigned i = 0; i < 64 * 64; i++) {
		put_cluster(vt, i);
		if (i == 600)
			early = vt_memory(vt);
	}
	assert_in_range(vt_memory(vt), 0, early);
	vt_destroy(vt);
}

static void
a_sweep_keeps_the_clusters_of_both_screens(void **state)
{
	struct vt *vt = make_vt(8, 2);

	(void)state;
	feed(vt, "e\u0301\u0302 first\033[?1049h\033[Ho\u0308 second\r\n");
	for (unsigned i = 0; i < 2000; i++) {
		feed(vt, "\r");
		put_cluster(vt, i);
	}
	feed(vt, "\rlast");
	shows(vt, "o\u0308 second\nlast");
	feed(vt, "\033[?1049l");
	shows(vt, "e\u0301\u0302 first\n");
	vt_destroy(vt);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_code_points_have_the_same_id),
		cmocka_unit_test(the_beginning_of_a_cluster_is_another_cluster),
		cmocka_unit_test(a_cleared_set_is_empty_and_can_be_used_again),
		cmocka_unit_test(a_sweep_is_wanted_when_the_set_has_grown),
		cmocka_unit_test(
		    random_clusters_have_the_ids_that_a_naive_twin_gives),
		cmocka_unit_test(clusters_on_no_screen_are_swept),
		cmocka_unit_test(a_sweep_keeps_the_clusters_of_both_screens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
