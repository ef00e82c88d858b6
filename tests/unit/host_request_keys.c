#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "host/store/request_keys.h"
#include "log/record.h"

#define ANSWER "{\"ok\":true,\"result\":{\"seq\":3}}"

/* Pass a payload to the memory as a record of this type. */
static void
read_as(struct request_keys *m, uint8_t type, struct buf *b)
{
	const struct record rec = { .type = type,
		.payload = b->data,
		.len = (uint32_t)b->len };

	assert_false(b->full);
	request_keys_read(m, &rec);
	buf_finish(b);
}

static void
copy_begin(struct request_keys *to, const struct request_key *e)
{
	struct buf b;

	buf_init(&b, 4096);
	request_keys_put(e, "uid:1", &b);
	read_as(to, RECORD_KEY, &b);
}

static void
copy_end(struct request_keys *to, const struct request_key *e)
{
	struct buf b;

	buf_init(&b, 2 * REQUEST_KEY_ANSWER_MAX);
	request_keys_put_end(e, &b);
	read_as(to, RECORD_KEY_END, &b);
}

static void
the_next_host_knows_done_and_lost_keys(void **state)
{
	struct request_keys m, next;
	struct request_key *done, *open;

	(void)state;
	request_keys_init(&m);
	request_keys_init(&next);
	done = request_keys_add(&m, "a \"b\"", "session.send", "0123");
	open = request_keys_add(&m, "open", "session.exec", "");
	copy_begin(&next, done);
	copy_begin(&next, open);
	request_keys_done(&m, done, ANSWER, strlen(ANSWER));
	copy_end(&next, done);
	request_keys_lose(&next);
	done = request_keys_find(&next, "a \"b\"");
	assert_non_null(done);
	assert_int_equal(done->state, REQUEST_KEY_DONE);
	assert_string_equal(done->answer, ANSWER);
	assert_string_equal(done->op, "session.send");
	assert_string_equal(done->digest, "0123");
	open = request_keys_find(&next, "open");
	assert_int_equal(open->state, REQUEST_KEY_LOST);
	assert_string_equal(open->digest, "");
	request_keys_finish(&m);
	request_keys_finish(&next);
}

static void
an_end_without_typing_frees_the_key(void **state)
{
	struct request_keys m, next;
	struct request_key *e;

	(void)state;
	request_keys_init(&m);
	request_keys_init(&next);
	e = request_keys_add(&m, "k", "session.send", "0123");
	copy_begin(&next, e);
	assert_non_null(request_keys_find(&next, "k"));
	copy_end(&next, e);
	assert_null(request_keys_find(&next, "k"));
	request_keys_finish(&m);
	request_keys_finish(&next);
}

static void
one_record_has_all_keys(void **state)
{
	struct request_keys m, next;
	struct buf b;

	(void)state;
	request_keys_init(&m);
	request_keys_init(&next);
	request_keys_add(&next, "before", "session.send", "");
	request_keys_done(&m, request_keys_add(&m, "done", "session.send", "1"),
	    ANSWER, strlen(ANSWER));
	request_keys_add(&m, "open", "session.send", "2");
	request_keys_add(&m, "lost", "session.send", "3")
	    ->state = REQUEST_KEY_LOST;
	buf_init(&b, 1 << 20);
	request_keys_put_all(&m, &b);
	read_as(&next, RECORD_KEYS, &b);
	assert_int_equal(next.count, 3);
	assert_string_equal(request_keys_find(&next, "done")->answer, ANSWER);
	assert_int_equal(request_keys_find(&next, "open")->state,
	    REQUEST_KEY_OPEN);
	assert_int_equal(request_keys_find(&next, "lost")->state,
	    REQUEST_KEY_LOST);
	request_keys_finish(&m);
	request_keys_finish(&next);
}

static void
the_oldest_key_not_under_way_is_forgotten(void **state)
{
	struct request_keys m;
	char key[16];

	(void)state;
	request_keys_init(&m);
	request_keys_add(&m, "open", "session.send", "");
	for (int i = 1; i < REQUEST_KEYS_MAX; i++) {
		snprintf(key, sizeof(key), "%d", i);
		request_keys_done(&m,
		    request_keys_add(&m, key, "session.send", ""), ANSWER,
		    strlen(ANSWER));
	}
	assert_non_null(request_keys_find(&m, "1"));
	assert_non_null(request_keys_add(&m, "new", "session.send", ""));
	assert_null(request_keys_find(&m, "1"));
	assert_non_null(request_keys_find(&m, "2"));
	assert_non_null(request_keys_find(&m, "open"));
	request_keys_finish(&m);
	assert_int_equal(m.count, 0);
	assert_int_equal(m.bytes, 0);
}

static void
a_key_is_refused_if_all_are_under_way(void **state)
{
	struct request_keys m;
	char key[16];

	(void)state;
	request_keys_init(&m);
	for (int i = 0; i < REQUEST_KEYS_MAX; i++) {
		snprintf(key, sizeof(key), "%d", i);
		assert_non_null(request_keys_add(&m, key, "session.send", ""));
	}
	assert_null(request_keys_add(&m, "more", "session.send", ""));
	request_keys_finish(&m);
}

static void
a_key_outlives_its_answer(void **state)
{
	auto_free char *answer = xcalloc(REQUEST_KEY_ANSWER_MAX + 2, 1);
	struct request_keys m;
	struct request_key *e;
	char key[16];

	(void)state;
	memset(answer, ' ', REQUEST_KEY_ANSWER_MAX + 1);
	request_keys_init(&m);
	e = request_keys_add(&m, "long", "session.exec", "");
	request_keys_done(&m, e, answer, REQUEST_KEY_ANSWER_MAX + 1);
	assert_int_equal(e->state, REQUEST_KEY_DONE);
	assert_null(e->answer);
	for (int i = 0; i < 40; i++) {
		snprintf(key, sizeof(key), "%d", i);
		e = request_keys_add(&m, key, "session.exec", "");
		request_keys_done(&m, e, answer, REQUEST_KEY_ANSWER_MAX);
		assert_ptr_equal(request_keys_find(&m, key), e);
	}
	assert_true(m.bytes <= REQUEST_KEYS_BYTES);
	e = request_keys_find(&m, "0");
	assert_non_null(e);
	assert_int_equal(e->state, REQUEST_KEY_DONE);
	assert_null(e->answer);
	request_keys_finish(&m);
}

static void
invalid_records_change_nothing(void **state)
{
	static const char *const bad[] = { "", "{", "[]", "{}", "{\"key\":1}",
		"{\"key\":\"\"}", "{\"keys\":{}}", "{\"keys\":[1,{}]}",
		"{\"key\":\"unknown\",\"typed\":true}" };
	struct request_keys m;

	(void)state;
	request_keys_init(&m);
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
	request_keys_finish(&m);
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
