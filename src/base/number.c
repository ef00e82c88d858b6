#include "base/number.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"

bool
number_take(const char **s, uint64_t max, uint64_t *out)
{
	uint64_t n = 0;

	if (**s < '0' || **s > '9')
		return false;
	for (; **s >= '0' && **s <= '9'; (*s)++) {
		unsigned digit = (unsigned)(**s - '0');

		if (n > (max - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	*out = n;
	return true;
}

static const struct {
	const char *name;
	uint64_t ns;
} durations[] = {
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", 60000000000 },
	{ "h", 3600000000000 },
	{ "d", 86400000000000 },
};

static uint64_t
duration_unit(const char *name)
{
	for (size_t i = 0; i < sizeof(durations) / sizeof(*durations); i++)
		if (strcmp(durations[i].name, name) == 0)
			return durations[i].ns;
	return 0;
}

/* Digits behind a point, as billionths; more than nine are not looked at. */
static uint64_t
take_fraction(const char **s)
{
	uint64_t billionths = 0, place = 100000000;

	for (; **s >= '0' && **s <= '9'; (*s)++) {
		billionths += place * (unsigned)(**s - '0');
		place /= 10;
	}
	return billionths;
}

int
number_duration(const char *s, uint64_t *ns, struct error *err)
{
	/* So many years that their nanoseconds still fit. */
	const uint64_t most = INT64_MAX;
	uint64_t whole = 0, part = 0, unit;
	const char *p = s;
	bool ok = number_take(&p, most, &whole), plain = ok && *p == '\0';

	if (ok && *p == '.') {
		p++;
		ok = *p >= '0' && *p <= '9';
		part = take_fraction(&p);
	}
	unit = ok ? duration_unit(plain ? "ms" : p) : 0;
	if (unit == 0 || whole > most / unit - 1)
		return error_set(err, EINVAL,
		    "%.40s is no duration: write it as in 500ms, 5s, 2m, 1h or 7d",
		    s);
	*ns = whole * unit + part * (unit / 1000000) / 1000;
	return 0;
}
