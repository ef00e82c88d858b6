#include "unit.h"

#include <string.h>

#include "hub/secret.h"

/* S3: 256 bits as text, and every bit of them counts. */
static void
a_secret_has_256_random_bits(void **state)
{
	char a[SECRET_SIZE], b[SECRET_SIZE];
	uint8_t x[SECRET_HASH], y[SECRET_HASH];
	unsigned differ = 0;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		secret_make("tend_t_", a);
		secret_make("tend_t_", b);
		assert_int_equal(strlen(a), 7 + 43);
		assert_int_equal(strspn(a + 7,
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno"
				     "pqrstuvwxyz0123456789-_"),
		    43);
		assert_string_not_equal(a, b);
		for (unsigned k = 7; k < 50; k++)
			differ += a[k] != b[k];
	}
	assert_true(differ > 1000 * 43 * 9 / 10);
	secret_hash(a, x);
	a[20] ^= 1;
	secret_hash(a, y);
	assert_false(secret_equals(x, y));
}

static void
one_other_bit_is_another_hash(void **state)
{
	uint8_t a[SECRET_HASH] = { 0 }, b[SECRET_HASH] = { 0 };

	(void)state;
	assert_true(secret_equals(a, b));
	for (unsigned i = 0; i < 8 * SECRET_HASH; i++) {
		b[i / 8] ^= (uint8_t)(1u << i % 8);
		assert_false(secret_equals(a, b));
		b[i / 8] = 0;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_secret_has_256_random_bits),
		cmocka_unit_test(one_other_bit_is_another_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
