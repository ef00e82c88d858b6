#ifndef TEND_TESTS_UNIT_HEAP_H
#define TEND_TESTS_UNIT_HEAP_H

#include <malloc.h>
#include <stddef.h>

/*
 * Bytes that malloc(3) has given out, its own headers included.  Always 0
 * under a sanitizer, whose own allocator does not report them.
 */
static inline size_t
heap_used(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

#endif
