#ifndef TEND_TESTS_UNIT_UNIT_H
#define TEND_TESTS_UNIT_UNIT_H

/* cmocka.h needs these headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
