#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"
#include "../rng.h"

/*
 * burst SEED BYTES [plain|colour|unicode|mixed]
 *
 * Print the first BYTES bytes of an endless stream that is the same for the
 * same seed and kind, so that a test knows every byte of it.
 * tests/it/oracle_stream.py makes the same stream in Python.  On a terminal,
 * output processing is off meanwhile, so that the bytes pass unchanged.
 *
 * The stream is made of lines of 80 bytes: number of 12 digits, blank, seven
 * slots of 8 bytes, blank, CRC-32 of all before it as 8 hex digits, CR, LF.
 */
#define LINE 80
#define SLOTS 7
#define LINES_A_WRITE 512

enum kind {
	PLAIN,
	COLOUR,
	UNICODE,
	MIXED,
};

static const char *const kinds[] = { "plain", "colour", "unicode", "mixed" };

struct burst {
	uint64_t seed;
	enum kind kind;
	uint32_t crc[256];
};

static void
make_crc_table(uint32_t *table)
{
	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^
			    (table[i] & 1 ? 0xedb88320u : 0);
	}
}

static uint32_t
crc32(const uint32_t *table, const char *p, size_t len)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < len; i++)
		crc = crc >> 8 ^ table[(crc ^ (uint8_t)p[i]) & 255];
	return ~crc;
}

/* One visible ASCII character for each of the lowest n bytes of x. */
static void
put_ascii(char *at, uint64_t x, int n)
{
	for (int i = 0; i < n; i++, x >>= 8)
		at[i] = (char)(33 + ((x & 255) * 94 >> 8));
}

static void
put_colour(char *at, uint64_t x)
{
	memcpy(at, "\033[3.m", 5);
	at[3] = (char)('0' + (x >> 32) % 8);
	put_ascii(at + 5, x, 3);
}

/* A wide character of 3 bytes, one of 2 bytes, and ASCII. */
static void
put_unicode(char *at, uint64_t x)
{
	unsigned wide = 0x4e00 + (unsigned)(x >> 32) % 0x2000;
	unsigned narrow = 0xc0 + (unsigned)(x >> 48) % 0x80;

	at[0] = (char)(0xe0 | wide >> 12);
	at[1] = (char)(0x80 | (wide >> 6 & 63));
	at[2] = (char)(0x80 | (wide & 63));
	at[3] = (char)(0xc0 | narrow >> 6);
	at[4] = (char)(0x80 | (narrow & 63));
	put_ascii(at + 5, x, 3);
}

static void
put_slot(char *at, enum kind kind, uint64_t x)
{
	if (kind == MIXED)
		kind = (enum kind)((x >> 24 & 255) % 3);
	if (kind == COLOUR)
		put_colour(at, x);
	else if (kind == UNICODE)
		put_unicode(at, x);
	else
		put_ascii(at, x, 8);
}

static void
put_line(const struct burst *b, uint64_t number, char *at)
{
	struct rng rng = { b->seed ^ number << 20 };
	char text[16];

	snprintf(text, sizeof(text), "%012llu ",
	    (unsigned long long)number % 1000000000000ull);
	memcpy(at, text, 13);
	for (int i = 0; i < SLOTS; i++)
		put_slot(at + 13 + 8 * i, b->kind, rng_next(&rng));
	at[69] = ' ';
	snprintf(text, sizeof(text), "%08x\r\n", crc32(b->crc, at, 70));
	memcpy(at + 70, text, 10);
}

static bool
find_kind(const char *name, enum kind *kind)
{
	for (int i = PLAIN; i <= MIXED; i++) {
		if (strcmp(kinds[i], name) == 0) {
			*kind = (enum kind)i;
			return true;
		}
	}
	return false;
}

static int
print(const struct burst *b, uint64_t bytes)
{
	static char lines[LINES_A_WRITE * LINE];

	for (uint64_t line = 0; bytes > 0;) {
		size_t len = sizeof(lines);

		for (size_t i = 0; i < LINES_A_WRITE; i++)
			put_line(b, line++, lines + i * LINE);
		if (len > bytes)
			len = (size_t)bytes;
		if (fd_write_all(STDOUT_FILENO, lines, len) < 0)
			return 1;
		bytes -= len;
	}
	return 0;
}

int
main(int argc, char **argv)
{
	struct burst b = { .kind = PLAIN };
	struct termios before, raw;
	bool tty = tcgetattr(STDOUT_FILENO, &before) == 0;
	int rc;

	if (argc < 3 || (argc > 3 && !find_kind(argv[3], &b.kind))) {
		fprintf(stderr, "usage: burst SEED BYTES [KIND]\n");
		return 2;
	}
	b.seed = strtoull(argv[1], NULL, 10);
	make_crc_table(b.crc);
	if (tty) {
		raw = before;
		raw.c_oflag &= ~(tcflag_t)OPOST;
		tcsetattr(STDOUT_FILENO, TCSANOW, &raw);
	}
	rc = print(&b, strtoull(argv[2], NULL, 10));
	if (tty)
		tcsetattr(STDOUT_FILENO, TCSANOW, &before);
	return rc;
}
