#include "cmd/units.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "vt/vt.h"

/* The digits at *s, as a number that is never more than max. */
static bool
take_number(const char **s, uint64_t max, uint64_t *out)
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

bool
units_number(const char *s, uint64_t max, uint64_t *out)
{
	uint64_t n;

	if (!take_number(&s, max, &n) || *s != '\0')
		return false;
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
units_duration(const char *s, uint64_t *ns, struct error *err)
{
	/* So many years that their nanoseconds still fit. */
	const uint64_t most = INT64_MAX;
	uint64_t whole = 0, part = 0, unit;
	const char *p = s;
	bool ok = take_number(&p, most, &whole);

	if (ok && *p == '.') {
		p++;
		ok = *p >= '0' && *p <= '9';
		part = take_fraction(&p);
	}
	unit = ok ? duration_unit(p) : 0;
	if (unit == 0 || whole > most / unit - 1)
		return error_set(err, EINVAL,
		    "%.40s is no duration: write it as in 500ms, 5s, 2m, 1h or 7d",
		    s);
	*ns = whole * unit + part * (unit / 1000000) / 1000;
	return 0;
}

/* The power of 1024 that a suffix stands for; -1 for none. */
static int
size_unit(const char *suffix)
{
	static const char letters[] = "KMGT";
	const char *at;

	if (*suffix == '\0' || strcasecmp(suffix, "B") == 0)
		return 0;
	at = strchr(letters, suffix[0] & ~0x20);
	if (at == NULL || *at == '\0')
		return -1;
	if (suffix[1] != '\0' && strcasecmp(suffix + 1, "iB") != 0 &&
	    strcasecmp(suffix + 1, "B") != 0)
		return -1;
	return (int)(at - letters) + 1;
}

int
units_size(const char *s, uint64_t *bytes, struct error *err)
{
	const char *p = s;
	uint64_t n = 0;
	int power = -1;

	if (take_number(&p, INT64_MAX, &n))
		power = size_unit(p);
	if (power < 0 || n > (uint64_t)INT64_MAX >> 10 * power)
		return error_set(err, EINVAL,
		    "%.40s is no size: write it as in 64K, 256M or 5G", s);
	*bytes = n << 10 * power;
	return 0;
}

int
units_dims(const char *s, unsigned *cols, unsigned *rows, struct error *err)
{
	uint64_t c = 0, r = 0;
	const char *p = s;

	if (!take_number(&p, VT_COLS_MAX, &c) || *p++ != 'x' ||
	    !take_number(&p, VT_ROWS_MAX, &r) || *p != '\0' ||
	    c < VT_COLS_MIN || r == 0 || c * r > VT_CELLS_MAX)
		return error_set(err, EINVAL,
		    "%.40s: give COLSxROWS, as in 80x24, with COLS from %d to "
		    "%d, ROWS from 1 to %d and no more than %d cells",
		    s, VT_COLS_MIN, VT_COLS_MAX, VT_ROWS_MAX, VT_CELLS_MAX);
	*cols = (unsigned)c;
	*rows = (unsigned)r;
	return 0;
}
