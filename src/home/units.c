#include "home/units.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/number.h"
#include "vt/vt.h"

bool
units_number(const char *s, uint64_t max, uint64_t *out)
{
	uint64_t n;

	if (!number_take(&s, max, &n) || *s != '\0')
		return false;
	*out = n;
	return true;
}

int
units_duration(const char *s, uint64_t *ns, struct error *err)
{
	return number_duration(s, ns, err);
}

int
units_duration_with_unit(const char *s, uint64_t *ns, struct error *err)
{
	if (s[0] != '\0' && s[strspn(s, "0123456789")] == '\0')
		return error_set(err, EINVAL,
		    "%.40s has no unit: give one, as in 500ms, 5s, 2m, 1h or 7d",
		    s);
	return number_duration(s, ns, err);
}

/* The power of 1024 of a suffix; -1 if unknown. */
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

	if (number_take(&p, INT64_MAX, &n))
		power = size_unit(p);
	if (power < 0 || n > (uint64_t)INT64_MAX >> 10 * power)
		return error_set(err, EINVAL,
		    "%.40s is not a size: give one as in 64K, 256M or 5G", s);
	*bytes = n << 10 * power;
	return 0;
}

int
units_amount(const char *s, uint64_t *bytes, struct error *err)
{
	uint64_t n;

	if (units_number(s, INT64_MAX, &n) && n > 0)
		return error_set(err, EINVAL,
		    "%.40s has no unit: give one, as in 64K, 256M or 5G", s);
	return units_size(s, bytes, err);
}

int
units_dims(const char *s, unsigned *cols, unsigned *rows, struct error *err)
{
	uint64_t c = 0, r = 0;
	const char *p = s;

	if (!number_take(&p, VT_COLS_MAX, &c) || *p++ != 'x' ||
	    !number_take(&p, VT_ROWS_MAX, &r) || *p != '\0' ||
	    c < VT_COLS_MIN || r == 0 || c * r > VT_CELLS_MAX)
		return error_set(err, EINVAL,
		    "%.40s: give COLSxROWS, as in 80x24, with COLS from %d to "
		    "%d, ROWS from 1 to %d and no more than %d cells",
		    s, VT_COLS_MIN, VT_COLS_MAX, VT_ROWS_MAX, VT_CELLS_MAX);
	*cols = (unsigned)c;
	*rows = (unsigned)r;
	return 0;
}
