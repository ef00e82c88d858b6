#ifndef TEND_TESTS_FUZZ_H
#define TEND_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

/* libFuzzer, or replay.c in its place, calls this with each input. */
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t len);

/* Check a property. If it does not hold, name it and abort. */
static inline void
fuzz_check(int rc, const struct error *err)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "property broken: %s\n", err->msg);
	abort();
}

/* The same for a condition. */
#define MUST(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, \
			    #what); \
			abort(); \
		} \
	} while (0)

#endif
