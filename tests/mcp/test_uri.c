#include "mcp/resources.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

static void check(const char *text, enum uri_kind kind, enum category category, const char *key)
{
	struct uri uri = {.key = STR_INIT};

	uri_read(&uri, slice_of(text));
	assert_int_equal(uri.kind, kind);
	if (kind == URI_CATEGORY || kind == URI_KEY)
		assert_int_equal(uri.category, category);
	if (kind == URI_KEY)
		assert_string_equal(uri.key.ptr, key);
	uri_release(&uri);
}

static void test_what_is_ours(void **state)
{
	(void)state;
	check("memory://index", URI_INDEX, 0, NULL);
	check("memory://category/patterns", URI_CATEGORY, CATEGORY_PATTERNS, NULL);
	check("memory://key/state/a", URI_KEY, CATEGORY_STATE, "a");
	check("memory://key/state/a%2fb%2Fc", URI_KEY, CATEGORY_STATE, "a/b/c");
	/* A client that does not encode means the same. */
	check("memory://key/state/a/b c", URI_KEY, CATEGORY_STATE, "a/b c");
	check("memory://key/state/%25", URI_KEY, CATEGORY_STATE, "%");
}

static void test_what_is_not(void **state)
{
	static const char *const texts[] = {
		"",
		"memory://",
		"memory://index/",
		"memory://INDEX",
		"memory://category",
		"memory://category/",
		"memory://category/none",
		"memory://key/state",
		"memory://key/state/",
		"memory://key//a",
		"memory://key/none/a",
		"memory://key/state/%",
		"memory://key/state/%4",
		"memory://key/state/%4g",
		"file:///etc/passwd",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		check(texts[i], URI_NONE, 0, NULL);
}

/* What is written can be read, whatever the key. */
static void test_there_and_back(void **state)
{
	static const char *const keys[] = {
		"a", "a b", "a/b?c#d", "100%", "\xc3\xa4\xf0\x9f\x98\x80", "a:b", "..", "\x01"};

	(void)state;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		STR_AUTO text = STR_INIT;

		uri_add_key(&text, CATEGORY_SHORTCUTS, slice_of(keys[i]));
		check(text.ptr, URI_KEY, CATEGORY_SHORTCUTS, keys[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_ours),
		cmocka_unit_test(test_what_is_not),
		cmocka_unit_test(test_there_and_back),
	};

	return cmocka_run_group_tests_name("uri", tests, NULL, NULL);
}
