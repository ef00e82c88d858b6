#include "unit.h"

#include <string.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "op/hidden.h"
#include "vt/vt.h"

/* The hidden text in these bytes, on a terminal of 40 x 4. */
static json_t *
hidden(const char *bytes)
{
	const struct vt_config config = { .cols = 40, .rows = 4 };
	struct vt *vt = vt_create(&config, NULL);
	struct json_out j;
	struct buf b;
	json_t *found;

	assert_non_null(vt);
	vt_feed(vt, bytes, strlen(bytes));
	buf_init(&b, 1 << 20);
	json_out_init(&j, &b);
	hidden_json(vt, &j);
	found = json_tree_read((char *)b.data, b.len, NULL);
	assert_true(json_is_array(found));
	buf_finish(&b);
	vt_destroy(vt);
	return found;
}

static void
hides(const char *bytes, const char *why, const char *text)
{
	json_t *found = hidden(bytes);
	const json_t *first = json_array_get(found, 0);

	if (json_array_size(found) != 1 ||
	    strcmp(json_string_value(json_object_get(first, "why")), why) !=
		0 ||
	    strcmp(json_string_value(json_object_get(first, "text")), text) !=
		0)
		fail_msg("%s: %s", bytes, json_dumps(found, 0));
	json_decref(found);
}

static void
hides_nothing(const char *bytes)
{
	json_t *found = hidden(bytes);

	if (json_array_size(found) != 0)
		fail_msg("%s: %s", bytes, json_dumps(found, 0));
	json_decref(found);
}

static void
text_that_cannot_be_seen_is_found(void **state)
{
	(void)state;
	hides("a \033[8msecret words\033[m b", "concealed", "secret words");
	hides("\033[31;8;1mred", "concealed", "red");
	hides("\033[30;40mon black", "colour", "on black");
	hides("\033[7;30;40minverse", "colour", "inverse");
	hides("\033[37;47mgrey", "colour", "grey");
	hides("\033[38;5;21;48;5;21mblue", "colour", "blue");
	hides("\033[38;2;10;20;30;48;2;12;22;28mnearly", "colour", "nearly");
	hides("\033[38;2;0;0;0mdefault ground", "colour", "default ground");
	hides("\033[48;5;231m\033[38;2;255;255;255mwhite", "colour", "white");
	hides("\033[8m漢字 wide", "concealed", "漢字 wide");
	hides("\033[8me\xcc\x81toile", "concealed", "e\xcc\x81toile");
	hides("\033[?1049h\033[8malternate", "concealed", "alternate");
}

static void
text_that_can_be_seen_is_not(void **state)
{
	(void)state;
	hides_nothing("plain \033[31mred\033[44m on blue");
	hides_nothing("\033[7minverse");
	hides_nothing("\033[2mfaint");
	hides_nothing("\033[8m     ");
	hides_nothing("\033[40;30m      \033[m");
	hides_nothing("\033[34;44m▀▀██⣿⠿─│");
	hides_nothing("\033[8mgone\r\033[m\033[K");
}

static void
the_position_of_hidden_text_is_given(void **state)
{
	json_t *found = hidden("one\r\nab\033[8mcd\033[mef\033[8mgh  \r\nij");

	(void)state;
	assert_int_equal(json_array_size(found), 3);
	for (size_t i = 0; i < 3; i++) {
		static const int row[] = { 1, 1, 2 }, col[] = { 2, 6, 0 };
		const json_t *at = json_array_get(found, i);

		assert_int_equal(json_integer_value(json_object_get(at, "row")),
		    row[i]);
		assert_int_equal(json_integer_value(json_object_get(at, "col")),
		    col[i]);
		assert_int_equal(json_integer_value(
				     json_object_get(at, "width")),
		    2);
	}
	json_decref(found);
}

static void
hidden_texts_are_reported_up_to_the_limit(void **state)
{
	char bytes[4096] = "";
	json_t *found;

	(void)state;
	for (int i = 0; i < 80; i++)
		strcat(bytes, "\033[8mx\033[my");
	found = hidden(bytes);
	assert_int_equal(json_array_size(found), HIDDEN_MAX);
	json_decref(found);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_that_cannot_be_seen_is_found),
		cmocka_unit_test(text_that_can_be_seen_is_not),
		cmocka_unit_test(the_position_of_hidden_text_is_given),
		cmocka_unit_test(hidden_texts_are_reported_up_to_the_limit),
	};

	return cmocka_run_group_tests_name("op_hidden", tests, NULL, NULL);
}
