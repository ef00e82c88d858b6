#include "unit.h"

#include <stdlib.h>

#include "base/list.h"

struct item {
	int value;
	struct list link;
};

static struct item *
item_of(struct list *link)
{
	return container_of(link, struct item, link);
}

/* The values in order, as the digits of a decimal number. */
static int
digits_of(struct list *head)
{
	int n = 0;

	list_for_each(it, head)
		n = n * 10 + item_of(it)->value;
	return n;
}

static int
digits_backwards(struct list *head)
{
	int n = 0;

	for (struct list *it = head->prev; it != head; it = it->prev)
		n = n * 10 + item_of(it)->value;
	return n;
}

static void
list_keeps_the_order_of_appending(void **state)
{
	struct item items[3] = { { 1, { 0 } }, { 2, { 0 } }, { 3, { 0 } } };
	struct list head;

	(void)state;
	list_init(&head);
	assert_true(list_is_empty(&head));
	for (int i = 0; i < 3; i++)
		list_append(&head, &items[i].link);
	assert_false(list_is_empty(&head));
	assert_int_equal(digits_of(&head), 123);
	assert_int_equal(digits_backwards(&head), 321);
}

static void
list_inserts_after_the_given_place(void **state)
{
	struct item items[3] = { { 1, { 0 } }, { 2, { 0 } }, { 3, { 0 } } };
	struct list head;

	(void)state;
	list_init(&head);
	list_insert(&head, &items[0].link);
	list_insert(&head, &items[1].link);
	list_insert(&items[1].link, &items[2].link);
	assert_int_equal(digits_of(&head), 231);
	assert_int_equal(digits_backwards(&head), 132);
}

static void
list_remove_takes_out_and_may_be_repeated(void **state)
{
	struct item items[3] = { { 1, { 0 } }, { 2, { 0 } }, { 3, { 0 } } };
	struct list head;

	(void)state;
	list_init(&head);
	for (int i = 0; i < 3; i++)
		list_append(&head, &items[i].link);
	list_remove(&items[1].link);
	list_remove(&items[1].link);
	assert_int_equal(digits_of(&head), 13);
	assert_int_equal(digits_backwards(&head), 31);
	list_append(&head, &items[1].link);
	assert_int_equal(digits_of(&head), 132);
}

static void
list_for_each_safe_survives_freeing_every_element(void **state)
{
	struct list head;
	int seen = 0;

	(void)state;
	list_init(&head);
	for (int i = 1; i <= 4; i++) {
		struct item *item = malloc(sizeof(*item));

		assert_non_null(item);
		item->value = i;
		list_append(&head, &item->link);
	}
	list_for_each_safe(it, &head) {
		seen = seen * 10 + item_of(it)->value;
		list_remove(it);
		free(item_of(it));
	}
	assert_int_equal(seen, 1234);
	assert_true(list_is_empty(&head));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_keeps_the_order_of_appending),
		cmocka_unit_test(list_inserts_after_the_given_place),
		cmocka_unit_test(list_remove_takes_out_and_may_be_repeated),
		cmocka_unit_test(
		    list_for_each_safe_survives_freeing_every_element),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
