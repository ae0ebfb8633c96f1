/*
 * Equality of numbers that were computed in another order of operations. For tests only.
 */
#ifndef KOTA_TESTS_NEAR_H
#define KOTA_TESTS_NEAR_H

/* cmocka.h needs the others before it. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <math.h>

static inline void assert_near(double got, double expected)
{
	if (!(fabs(got - expected) <= 1e-12))
		fail_msg("%.17g is not %.17g", got, expected);
}

#endif
