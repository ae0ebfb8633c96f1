#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_hash(void **unused)
{
	(void)unused;
	assert_true(hash64(slice_of("")) == UINT64_C(0x3156cb8b421877d7));
	assert_true(hash64(slice_of("foobar")) == UINT64_C(0x85a6a033f8316f42));
	assert_true(hash64(slice_of("12345678")) == UINT64_C(0x8598a9286cd2d1aa));
	assert_true(hash64(slice_of("123456789")) == UINT64_C(0xc3664b0dfc73657e));
	assert_true(hash64(slice_of("\xff")) != hash64(slice_of("\x7f")));
	assert_true(hash64(slice_make("\0", 1)) != hash64(slice_of("")));
	assert_true(hash64(slice_make("12345678\0", 9)) != hash64(slice_of("12345678")));
}

static void test_hex(void **unused)
{
	static const char *const none[] = {
		"", "A", "g", "0x1", " 1", "1 ", "-1", "/", ":", "`", "00000000000000001"};
	uint64_t number = 7;

	(void)unused;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_false(hex_read(slice_of(none[i]), &number));
	assert_false(hex_read(slice_of(NULL), &number));
	assert_true(number == 7);
	assert_true(hex_read(slice_of("0"), &number));
	assert_true(number == 0);
	assert_true(hex_read(slice_of("09af"), &number));
	assert_true(number == 0x9af);
	assert_true(hex_read(slice_of("fedcba9876543210"), &number));
	assert_true(number == UINT64_C(0xfedcba9876543210));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_hex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
