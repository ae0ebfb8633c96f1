#include "secrets/secret_scan_internal.h"

#include "support/secret_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

static uint64_t random_state = 1;

static void assert_found(const char *text, size_t len, const char *rule, bool refuses)
{
	struct secret secret;

	if (!secrets_find(slice_make(text, len), &secret))
		fail_msg("%s is not found in \"%.*s\"", rule, (int)len, text);
	assert_string_equal(secret.rule, rule);
	assert_int_equal(secret.refuses, refuses);
}

static void assert_nothing(const char *text, size_t len)
{
	struct secret secret;

	if (secrets_find(slice_make(text, len), &secret))
		fail_msg("%s is found in \"%.*s\"", secret.rule, (int)len, text);
}

/* In sentences, in code, escaped for a URL, at the ends. */
static void check_sample(const struct secret_sample *sample, bool refuses)
{
	static const struct {
		const char *before;
		const char *after;
	} around[] = {
		{"", ""},
		{"it is ", ", I think"},
		{"\"", "\""},
		{"TOKEN=", "\n"},
		{"<b>", "</b>"},
		{"a=1&t%3D", "&b"},
		{"line\\n", "\\nend"},
		{"\xc3\xa9", "."},
		{"(", ")"},
		{"key:", ";"},
		{"`", "`"},
		{"\t", "\r\n"},
	};
	STR_AUTO secret = STR_INIT;
	STR_AUTO text = STR_INIT;

	for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
		secret_make(sample->pattern, &random_state, &secret);
		str_clear(&text);
		str_adds(&text, around[i].before);
		str_add(&text, str_slice(&secret));
		str_adds(&text, around[i].after);
		if (refuses || i < 2)
			assert_found(text.ptr, text.len, sample->rule, refuses);
	}
}

static void test_every_form(void **state)
{
	(void)state;
	for (const struct secret_sample *sample = secret_samples; sample->rule; sample++)
		check_sample(sample, true);
	for (const struct secret_sample *sample = password_samples; sample->rule; sample++)
		check_sample(sample, false);
}

static bool has_sample(const struct secret_sample *samples, const char *rule)
{
	for (; samples->rule; samples++) {
		if (strcmp(samples->rule, rule) == 0)
			return true;
	}
	return false;
}

static void test_every_rule_has_a_sample(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; secrets_rule(i); i++) {
		const char *rule = secrets_rule(i)->name;

		if (!has_sample(secret_samples, rule) && !has_sample(password_samples, rule))
			fail_msg("%s has no sample", rule);
	}
	assert_true(i > 50);
}

static void test_placeholders(void **state)
{
	(void)state;
	for (size_t i = 0; secret_placeholders[i]; i++)
		assert_nothing(secret_placeholders[i], strlen(secret_placeholders[i]));
	assert_nothing("", 0);
	assert_false(secrets_find(slice_make(NULL, 0), &(struct secret){NULL, false}));
}

/* A part of it, and a longer word of the same letters, is something else. */
static void test_length_and_edges(void **state)
{
	STR_AUTO secret = STR_INIT;

	(void)state;
	secret_make("ghp_%A36;", &random_state, &secret);
	assert_nothing(secret.ptr, secret.len - 1);
	assert_nothing(secret.ptr + 1, secret.len - 1);
	secret_make("xghp_%A36;", &random_state, &secret);
	assert_nothing(secret.ptr, secret.len);
	secret_make("AKIA%U17;", &random_state, &secret);
	assert_nothing(secret.ptr, secret.len);
	secret_make("npm_%A36;_x", &random_state, &secret);
	assert_nothing(secret.ptr, secret.len);
	/* No byte behind the end is looked at. */
	for (const struct secret_sample *sample = secret_samples; sample->rule; sample++) {
		secret_make(sample->pattern, &random_state, &secret);
		for (size_t len = 0; len < secret.len; len++) {
			char *copy = test_malloc(len + 1);
			struct secret found;

			memcpy(copy, secret.ptr, len);
			secrets_find(slice_make(copy, len), &found);
			test_free(copy);
		}
	}
}

/* What refuses is found although something that warns stands before it. */
static void test_the_worst_counts(void **state)
{
	STR_AUTO secret = STR_INIT;

	(void)state;
	secret_make("password=%A10; ghp_%A36;", &random_state, &secret);
	assert_found(secret.ptr, secret.len, "GitHub token", true);
}

static const char *find_json(const char *text, const char *name)
{
	struct secret secret = {"nothing", false};
	struct json_fault fault;
	struct json doc;

	if (json_parse(&doc, slice_of(text), &json_line_bounds, &fault) != 0)
		fail_msg("%s: %s", text, fault.what);
	secrets_find_json(&doc, JSON_ROOT, slice_of(name), &secret);
	json_release(&doc);
	return secret.rule;
}

/* The format has one %s, for a token whose first letter is written as an escape. */
static const char *find_escaped(const char *format)
{
	STR_AUTO secret = STR_INIT;
	STR_AUTO text = STR_INIT;
	const char *at = strstr(format, "%s");

	secret_make("hp_%A36;", &random_state, &secret);
	str_add(&text, slice_make(format, (size_t)(at - format)));
	str_adds(&text, "\\u0067");
	str_add(&text, str_slice(&secret));
	str_adds(&text, at + 2);
	return find_json(text.ptr, NULL);
}

static void test_json(void **state)
{
	(void)state;
	assert_string_equal(find_escaped("\"%s\""), "GitHub token");
	assert_string_equal(find_escaped("{\"%s\":1}"), "GitHub token");
	assert_string_equal(find_escaped("[[[[{\"a\":{\"b\":[1,\"x %s y\"]}}]]]]"), "GitHub token");
	assert_string_equal(find_escaped("[\"pwd=a1b2c3d4\",\"%s\"]"), "GitHub token");
	/* JSON in a text, with an escape of its own, in a text. */
	assert_string_equal(find_escaped("\"{\\\"a\\\":\\\"\\%s\\\"}\""), "GitHub token");
	assert_string_equal(find_json("{\"a\":[1,true,null,\"b\"]}", NULL), "nothing");
}

static void test_password_names(void **state)
{
	(void)state;
	assert_string_equal(find_json("{\"password\":\"hunter2\"}", NULL), "password");
	assert_string_equal(find_json("{\"db\":{\"DB_PASSWD\":\"hunter2\"}}", NULL), "password");
	assert_string_equal(find_json("{\"Wi-Fi password\":{\"value\":\"hunter2\"}}", NULL),
			    "password");
	assert_string_equal(find_json("\"hunter2\"", "state:wifi password"), "password");
	assert_string_equal(find_json("\"ask me\"", "password"), "nothing");
	assert_string_equal(find_json("\"hunter2\"", "password manager"), "nothing");
	assert_string_equal(find_json("{\"password\":\"\"}", NULL), "nothing");
	assert_string_equal(find_json("{\"password\":12}", NULL), "nothing");
	assert_string_equal(find_json("{\"password\":\"${DB_PASSWORD}\"}", NULL), "nothing");
	assert_string_equal(find_json("{\"password\":\"<yours>\"}", NULL), "nothing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_form),
		cmocka_unit_test(test_every_rule_has_a_sample),
		cmocka_unit_test(test_placeholders),
		cmocka_unit_test(test_length_and_edges),
		cmocka_unit_test(test_the_worst_counts),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_password_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
