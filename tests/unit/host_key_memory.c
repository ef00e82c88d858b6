#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "host/store/key_memory.h"
#include "log/record.h"

#define ANSWER "{\"ok\":true,\"result\":{\"seq\":3}}"

/* Pass a payload to the memory as a record of this type. */
static void
read_as(struct key_memory *m, uint8_t type, struct buf *b)
{
	const struct record rec = { .type = type,
		.payload = b->data,
		.len = (uint32_t)b->len };

	assert_false(b->full);
	key_memory_read(m, &rec);
	buf_finish(b);
}

static void
copy_begin(struct key_memory *to, const struct key_entry *e)
{
	struct buf b;

	buf_init(&b, 4096);
	key_memory_put(e, "uid:1", &b);
	read_as(to, RECORD_KEY, &b);
}

static void
copy_end(struct key_memory *to, const struct key_entry *e)
{
	struct buf b;

	buf_init(&b, 2 * KEY_ANSWER_MAX);
	key_memory_put_end(e, &b);
	read_as(to, RECORD_KEY_END, &b);
}

static void
the_next_host_knows_done_and_lost_keys(void **state)
{
	struct key_memory m, next;
	struct key_entry *done, *open;

	(void)state;
	key_memory_init(&m);
	key_memory_init(&next);
	done = key_memory_add(&m, "a \"b\"", "session.send", "0123");
	open = key_memory_add(&m, "open", "session.exec", "");
	copy_begin(&next, done);
	copy_begin(&next, open);
	key_memory_done(&m, done, ANSWER, strlen(ANSWER));
	copy_end(&next, done);
	key_memory_lose(&next);
	done = key_memory_find(&next, "a \"b\"");
	assert_non_null(done);
	assert_int_equal(done->state, KEY_DONE);
	assert_string_equal(done->answer, ANSWER);
	assert_string_equal(done->op, "session.send");
	assert_string_equal(done->digest, "0123");
	open = key_memory_find(&next, "open");
	assert_int_equal(open->state, KEY_LOST);
	assert_string_equal(open->digest, "");
	key_memory_finish(&m);
	key_memory_finish(&next);
}

static void
an_end_without_typing_frees_the_key(void **state)
{
	struct key_memory m, next;
	struct key_entry *e;

	(void)state;
	key_memory_init(&m);
	key_memory_init(&next);
	e = key_memory_add(&m, "k", "session.send", "0123");
	copy_begin(&next, e);
	assert_non_null(key_memory_find(&next, "k"));
	copy_end(&next, e);
	assert_null(key_memory_find(&next, "k"));
	key_memory_finish(&m);
	key_memory_finish(&next);
}

static void
one_record_has_all_keys(void **state)
{
	struct key_memory m, next;
	struct buf b;

	(void)state;
	key_memory_init(&m);
	key_memory_init(&next);
	key_memory_add(&next, "before", "session.send", "");
	key_memory_done(&m, key_memory_add(&m, "done", "session.send", "1"),
	    ANSWER, strlen(ANSWER));
	key_memory_add(&m, "open", "session.send", "2");
	key_memory_add(&m, "lost", "session.send", "3")->state = KEY_LOST;
	buf_init(&b, 1 << 20);
	key_memory_put_all(&m, &b);
	read_as(&next, RECORD_KEYS, &b);
	assert_int_equal(next.count, 3);
	assert_string_equal(key_memory_find(&next, "done")->answer, ANSWER);
	assert_int_equal(key_memory_find(&next, "open")->state, KEY_OPEN);
	assert_int_equal(key_memory_find(&next, "lost")->state, KEY_LOST);
	key_memory_finish(&m);
	key_memory_finish(&next);
}

static void
the_oldest_key_not_under_way_is_forgotten(void **state)
{
	struct key_memory m;
	char key[16];

	(void)state;
	key_memory_init(&m);
	key_memory_add(&m, "open", "session.send", "");
	for (int i = 1; i < KEY_MEMORY_MAX; i++) {
		snprintf(key, sizeof(key), "%d", i);
		key_memory_done(&m, key_memory_add(&m, key, "session.send", ""),
		    ANSWER, strlen(ANSWER));
	}
	assert_non_null(key_memory_find(&m, "1"));
	assert_non_null(key_memory_add(&m, "new", "session.send", ""));
	assert_null(key_memory_find(&m, "1"));
	assert_non_null(key_memory_find(&m, "2"));
	assert_non_null(key_memory_find(&m, "open"));
	key_memory_finish(&m);
	assert_int_equal(m.count, 0);
	assert_int_equal(m.bytes, 0);
}

static void
a_key_is_refused_if_all_are_under_way(void **state)
{
	struct key_memory m;
	char key[16];

	(void)state;
	key_memory_init(&m);
	for (int i = 0; i < KEY_MEMORY_MAX; i++) {
		snprintf(key, sizeof(key), "%d", i);
		assert_non_null(key_memory_add(&m, key, "session.send", ""));
	}
	assert_null(key_memory_add(&m, "more", "session.send", ""));
	key_memory_finish(&m);
}

static void
a_key_outlives_its_answer(void **state)
{
	auto_free char *answer = xcalloc(KEY_ANSWER_MAX + 2, 1);
	struct key_memory m;
	struct key_entry *e;
	char key[16];

	(void)state;
	memset(answer, ' ', KEY_ANSWER_MAX + 1);
	key_memory_init(&m);
	e = key_memory_add(&m, "long", "session.exec", "");
	key_memory_done(&m, e, answer, KEY_ANSWER_MAX + 1);
	assert_int_equal(e->state, KEY_DONE);
	assert_null(e->answer);
	for (int i = 0; i < 40; i++) {
		snprintf(key, sizeof(key), "%d", i);
		e = key_memory_add(&m, key, "session.exec", "");
		key_memory_done(&m, e, answer, KEY_ANSWER_MAX);
		assert_ptr_equal(key_memory_find(&m, key), e);
	}
	assert_true(m.bytes <= KEY_MEMORY_BYTES);
	e = key_memory_find(&m, "0");
	assert_non_null(e);
	assert_int_equal(e->state, KEY_DONE);
	assert_null(e->answer);
	key_memory_finish(&m);
}

static void
invalid_records_change_nothing(void **state)
{
	static const char *const bad[] = { "", "{", "[]", "{}", "{\"key\":1}",
		"{\"key\":\"\"}", "{\"keys\":{}}", "{\"keys\":[1,{}]}",
		"{\"key\":\"unknown\",\"typed\":true}" };
	struct key_memory m;

	(void)state;
	key_memory_init(&m);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (int type = RECORD_KEY; type <= RECORD_KEYS; type++) {
			struct buf b;

			if (type == RECORD_KEY && i == 8)
				continue;
			buf_init(&b, 4096);
			buf_puts(&b, bad[i]);
			read_as(&m, (uint8_t)type, &b);
		}
	assert_int_equal(m.count, 0);
	key_memory_finish(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_next_host_knows_done_and_lost_keys),
		cmocka_unit_test(an_end_without_typing_frees_the_key),
		cmocka_unit_test(one_record_has_all_keys),
		cmocka_unit_test(the_oldest_key_not_under_way_is_forgotten),
		cmocka_unit_test(a_key_is_refused_if_all_are_under_way),
		cmocka_unit_test(a_key_outlives_its_answer),
		cmocka_unit_test(invalid_records_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
