#include "hub/request_counts.h"

#include <string.h>

/* The last row is for the rest. */
static size_t
row_of(struct request_counts *c, const char *route)
{
	for (size_t i = 0; i < c->n_rows; i++) {
		if (strcmp(c->rows[i].route, route) == 0)
			return i;
	}
	if (c->n_rows == REQUEST_COUNTS_MAX)
		return c->n_rows - 1;
	c->rows[c->n_rows].route = c->n_rows == REQUEST_COUNTS_MAX - 1 ?
	    "other" :
	    route;
	return c->n_rows++;
}

void
request_counts_add(struct request_counts *c, const char *route, int status)
{
	int class = status / 100 - 1;

	if (class < 0 || class >= REQUEST_COUNTS_CLASSES)
		class = REQUEST_COUNTS_CLASSES - 1;
	c->rows[row_of(c, route)].n[class]++;
}
