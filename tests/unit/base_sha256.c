#include "unit.h"

#include <string.h>

#include "base/sha256.h"

static void
check(struct sha256 *s, const char *want)
{
	uint8_t digest[SHA256_SIZE];
	char hex[SHA256_HEX_SIZE];

	sha256_final(s, digest);
	sha256_hex(digest, hex);
	assert_string_equal(hex, want);
}

/* The examples that NIST publishes with FIPS 180. */
static const struct {
	const char *text;
	const char *digest;
} examples[] = {
	{ "",
	    "e3b0c44298fc1c149afbf4c8996fb924"
	    "27ae41e4649b934ca495991b7852b855" },
	{ "abc",
	    "ba7816bf8f01cfea414140de5dae2223"
	    "b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	    "248d6a61d20638b8e5c026930c3e6039"
	    "a33ce45964ff2167f6ecedd419db06c1" },
	{ "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
	  "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
	    "cf5b16a778af8380036ce59e7b049237"
	    "0b249b11e8f07a51afac45037afee9d1" },
};

static void
sha256_agrees_with_the_published_examples(void **state)
{
	struct sha256 s;

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		sha256_init(&s);
		sha256_update(&s, examples[i].text, strlen(examples[i].text));
		check(&s, examples[i].digest);
	}
}

static void
sha256_agrees_on_a_million_letters_in_odd_pieces(void **state)
{
	char letters[997];
	struct sha256 s;
	size_t left = 1000000;

	(void)state;
	memset(letters, 'a', sizeof(letters));
	sha256_init(&s);
	while (left > 0) {
		size_t n = left < sizeof(letters) ? left : sizeof(letters);

		sha256_update(&s, letters, n);
		left -= n;
	}
	check(&s,
	    "cdc76e5c9914fb9281a1c7e284d73e67"
	    "f1809a48a497200e046d39ccc7112cd0");
}

static void
sha256_does_not_depend_on_how_the_bytes_are_cut(void **state)
{
	uint8_t bytes[200], whole[SHA256_SIZE], pieces[SHA256_SIZE];
	struct sha256 s;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 31);
	for (size_t len = 0; len <= sizeof(bytes); len++) {
		sha256_init(&s);
		sha256_update(&s, bytes, len);
		sha256_final(&s, whole);
		for (size_t cut = 0; cut <= len; cut++) {
			sha256_init(&s);
			sha256_update(&s, bytes, cut);
			sha256_update(&s, bytes + cut, len - cut);
			sha256_final(&s, pieces);
			assert_memory_equal(pieces, whole, SHA256_SIZE);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_agrees_with_the_published_examples),
		cmocka_unit_test(
		    sha256_agrees_on_a_million_letters_in_odd_pieces),
		cmocka_unit_test(
		    sha256_does_not_depend_on_how_the_bytes_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
