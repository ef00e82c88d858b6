#ifndef TEND_HUB_REQUEST_COUNTS_H
#define TEND_HUB_REQUEST_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The answers by route and class of status.  Routes come from tables and never
 * from a client, so their number is bounded; beyond REQUEST_COUNTS_MAX of them
 * the rest counts as "other".  All zero is the beginning.
 */
#define REQUEST_COUNTS_MAX 128
#define REQUEST_COUNTS_CLASSES 5 /* 1xx to 5xx */

struct request_counts {
	struct {
		const char *route; /* lives as long as the program */
		uint64_t n[REQUEST_COUNTS_CLASSES];
	} rows[REQUEST_COUNTS_MAX];
	size_t n_rows;
};

void request_counts_add(struct request_counts *c, const char *route,
    int status);

#endif
