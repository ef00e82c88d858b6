#include "home/suggest.h"

#include <string.h>

/* The number of mistakes that is too many for a word of this length. */
static unsigned
too_many(size_t len)
{
	if (len < 2)
		return 1;
	return len < 6 ? 2 : (unsigned)(len / 3) + 1;
}

static unsigned
min2(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* The last two rows of the distance table, which the next one needs. */
struct rows {
	unsigned before[NEAR_WORD_MAX + 1], last[NEAR_WORD_MAX + 1],
	    now[NEAR_WORD_MAX + 1];
};

/* Compute the row of the i-th letter of a, from 1. */
static void
make_row(struct rows *r, const char *a, size_t i, const char *b)
{
	r->now[0] = (unsigned)i;
	for (size_t j = 1; b[j - 1] != '\0'; j++) {
		unsigned d = min2(r->last[j], r->now[j - 1]) + 1;

		d = min2(d, r->last[j - 1] + (a[i - 1] != b[j - 1]));
		if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
		    a[i - 2] == b[j - 1])
			d = min2(d, r->before[j - 2] + 1);
		r->now[j] = d;
	}
}

/* Optimal string alignment: Levenshtein's distance plus swapped neighbours. */
static unsigned
distance(const char *a, const char *b)
{
	size_t len = strlen(b);
	struct rows r;

	for (size_t j = 0; j <= len; j++)
		r.last[j] = (unsigned)j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		make_row(&r, a, i, b);
		memcpy(r.before, r.last, sizeof(r.last));
		memcpy(r.last, r.now, sizeof(r.now));
	}
	return r.last[len];
}

void
suggest_init(struct suggest *n, const char *word)
{
	*n = (struct suggest){ .word = word,
		.mistakes = too_many(strlen(word)) };
}

void
suggest_look(struct suggest *n, const char *candidate)
{
	size_t len = strlen(n->word), size = strlen(candidate) + 1;
	unsigned d;

	if (len > NEAR_WORD_MAX || size > sizeof(n->best))
		return;
	if (len > 1 && strncmp(n->word, candidate, len) == 0)
		d = 0;
	else
		d = distance(n->word, candidate);
	if (d >= n->mistakes)
		return;
	n->mistakes = d;
	memcpy(n->best, candidate, size);
}
