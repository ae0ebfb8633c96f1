#include "cli/shell_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

static void assert_says(const char *text)
{
	if (!strstr(shell.out, text))
		fail_msg("doctor does not say \"%s\":\n%s", text, shell.out);
}

/* Runs doctor on a store with this file in it, and looks for a sentence. */
static void check_file(const char *name, const char *content, int status, const char *says)
{
	shell_write(&shell, name, content);
	assert_int_equal(shell_run(&shell, "doctor", NULL), status);
	assert_says(says);
	assert_string_equal(shell.err, "");
}

/* In two parts, so that nobody takes a test for a leak. */
#define TOKEN_BODY "8Jq2LmX91ZpQw7RtYc4VbN6sKd3FhG0eUiOa"
#define TOKEN                                                                                      \
	"ghp"                                                                                      \
	"_" TOKEN_BODY

static void test_secrets(void **state)
{
	(void)state;
	check_file("state.json", "{\"a\":{\"value\":[\"" TOKEN "\"]},\"" TOKEN "\":1}", 1,
		   "todo: state.json: state:a holds a secret (GitHub token)\n");
	assert_says(
		"todo: state.json: state:(a key that is a secret) holds a secret (GitHub token)");
	assert_null(strstr(shell.out, TOKEN_BODY));
	shell_write(&shell, "state.json", "{}");
	check_file("patterns.json", "{\"wifi password\":\"hunter2\"}", 0,
		   "note: patterns.json: patterns:wifi password holds a secret (password)\n");
	check_file("archive.json",
		   "{\"state\":[{\"key\":\"a@2026-11-21T10:00:00.000Z\",\"entry\":\"" TOKEN "\"}]}",
		   1, "archive.json: state:a@2026-11-21T10:00:00.000Z holds a secret");
	shell_write(&shell, "archive.json", "{}");
	assert_int_equal(mkdirat(shell.dir.fd, "store/archive.cold", 0700), 0);
	check_file("archive.cold/2026-01.jsonl",
		   "{\"category\":\"state\",\"key\":\"b\",\"entry\":\"" TOKEN "\"}\n", 1,
		   "archive.cold: state:b holds a secret (GitHub token)");
	assert_null(strstr(shell.out, TOKEN_BODY));
	shell_env("KOTA_MEMORY_SECRETS", "off");
	assert_int_equal(shell_run(&shell, "doctor", NULL), 0);
	assert_null(strstr(shell.out, "secret"));
}

/* In what is said of a link, and in its name. */
static void test_secrets_of_links(void **state)
{
	(void)state;
	check_file("relations.json",
		   "{\"l\":{\"from\":\"a\",\"to\":\"b\",\"type\":\"related\",\"metadata\":{\"t\":"
		   "\"" TOKEN "\"}},\"" TOKEN "\":7}",
		   1, "todo: relations.json: the link l holds a secret (GitHub token)\n");
	assert_says("todo: relations.json: the link (a key that is a secret) holds a secret");
	assert_null(strstr(shell.out, TOKEN_BODY));
}

/* What refuses goes before what warns, whichever of key and value has it. */
static void test_a_password_hides_no_token(void **state)
{
	(void)state;
	check_file("state.json", "{\"" TOKEN "\":{\"value\":{\"password\":\"hunter2zz\"}}}", 1,
		   "todo: state.json: state:(a key that is a secret) holds a secret (GitHub "
		   "token)\n");
	check_file("state.json", "{\"http://joe:s3cretpw9@db.corp/x\":\"" TOKEN "\"}", 1,
		   "holds a secret (GitHub token)\n");
}

/* Other findings name the entry too. */
static void test_secret_keys_are_not_shown(void **state)
{
	(void)state;
	shell_write(&shell, "config.json", "{\"limits\":{\"entry_bytes\":10}}");
	check_file("state.json", "{\"" TOKEN "\":1,\"" TOKEN "!\":1}", 1,
		   "state:(a key that is a secret) has ");
	assert_says("state:(a key that is a secret) is the same key as one before it");
	assert_null(strstr(shell.out, TOKEN_BODY));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_secrets, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_secrets_of_links, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_a_password_hides_no_token, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_secret_keys_are_not_shown, shell_set_up,
						shell_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
