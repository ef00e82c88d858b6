#include "base/id.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"

#define TIME_CHARS 10
#define ID_CHARS (ID_SIZE - 1)
#define TIME_END (1ull << 48)

static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

static void
draw(uint8_t *p, size_t len)
{
	ssize_t n;

	do
		n = getrandom(p, len, 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)len) /* never for so few bytes, once it is seeded */
		abort();
}

/* Add one to a big-endian number; false when it went round to zero. */
static bool
count_up(uint8_t *p, size_t len)
{
	while (len-- > 0) {
		if (++p[len] != 0)
			return true;
	}
	return false;
}

/* Five bytes are eight characters. */
static void
put_digits(char *out, const uint8_t p[5])
{
	uint64_t bits = 0;

	for (int i = 0; i < 5; i++)
		bits = bits << 8 | p[i];
	for (int i = 0; i < 8; i++)
		out[i] = digits[bits >> (35 - 5 * i) & 31];
}

void
id_create_at(struct id_maker *m, uint64_t time_ms, char out[ID_SIZE])
{
	if (time_ms > m->time_ms) {
		m->time_ms = time_ms;
		draw(m->chance, sizeof(m->chance));
	} else if (!count_up(m->chance, sizeof(m->chance))) {
		m->time_ms++;
	}
	assert(m->time_ms < TIME_END);
	for (int i = 0; i < TIME_CHARS; i++)
		out[i] = digits[m->time_ms >> (45 - 5 * i) & 31];
	put_digits(out + TIME_CHARS, m->chance);
	put_digits(out + TIME_CHARS + 8, m->chance + 5);
	out[ID_CHARS] = '\0';
}

void
id_create(struct id_maker *m, char out[ID_SIZE])
{
	id_create_at(m, (uint64_t)clock_ms(CLOCK_REALTIME), out);
}

/* The first character carries three bits only: 26 × 5 is 130, not 128. */
bool
id_is_valid(const char *s)
{
	return strspn(s, digits) == ID_CHARS && s[ID_CHARS] == '\0' &&
	    s[0] <= '7';
}

/* The digit a person meant by c, or c itself. */
static char
meant(char c)
{
	if (c >= 'a' && c <= 'z')
		c = (char)(c - 'a' + 'A');
	if (c == 'I' || c == 'L')
		return '1';
	return c == 'O' ? '0' : c;
}

int
id_parse(const char *s, char out[ID_SIZE])
{
	char id[ID_SIZE];

	if (strnlen(s, ID_SIZE) != ID_CHARS)
		return -EINVAL;
	for (int i = 0; i < ID_SIZE; i++)
		id[i] = meant(s[i]);
	if (!id_is_valid(id))
		return -EINVAL;
	memcpy(out, id, ID_SIZE);
	return 0;
}

uint64_t
id_time_ms(const char *id)
{
	uint64_t ms = 0;

	assert(id_is_valid(id));
	for (int i = 0; i < TIME_CHARS; i++)
		ms = ms << 5 | (uint64_t)(strchr(digits, id[i]) - digits);
	return ms;
}
