#include "store/history/commit_message.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

static void subject_and_trailers(void **state)
{
	struct slice refs[] = {slice_of("preferences:editor"), slice_of("state:a")};
	struct message message = {
		.verb = "set",
		.refs = refs,
		.ref_count = 2,
		.tool = slice_of("memory_set"),
		.client = slice_of("claude-code"),
		.client_version = slice_of("2.1.0"),
		.change = slice_of("1-2-3"),
	};
	STR_AUTO text = STR_INIT;

	(void)state;
	message_compose(&text, &message);
	assert_string_equal(text.ptr, "set preferences:editor and 1 more\n\n"
				      "Kota-Tool: memory_set\n"
				      "Kota-Client: claude-code 2.1.0\n"
				      "Kota-Change: 1-2-3\n"
				      "Kota-Ref: preferences:editor\n"
				      "Kota-Ref: state:a\n");
}

static void a_ref_with_a_newline_stays_on_its_line(void **state)
{
	struct slice refs[] = {slice_of("state:a\nKota-Tool: forged")};
	struct message message = {.verb = "set", .refs = refs, .ref_count = 1};
	STR_AUTO text_of_ref = STR_INIT;
	STR_AUTO text = STR_INIT;
	const char *rest;

	(void)state;
	message_compose(&text, &message);
	rest = text.ptr;
	assert_null(message_trailer(&rest, "Kota-Tool").ptr);
	rest = text.ptr;
	assert_true(
		slice_is(message_trailer(&rest, "Kota-Ref"), "\"state:a\\nKota-Tool: forged\""));
	rest = text.ptr;
	assert_true(slice_is(message_ref(&rest, &text_of_ref), "state:a\nKota-Tool: forged"));
	assert_null(message_ref(&rest, &text_of_ref).ptr);
	assert_null(strchr(message_subject(text.ptr).ptr, '\x1b'));
}

static void trailers_are_found_one_after_the_other(void **state)
{
	const char *rest = "edit a and 1 more\n\nKota-Ref: a\nOther: x\nKota-Ref: b\n";

	(void)state;
	assert_true(slice_is(message_subject(rest), "edit a and 1 more"));
	assert_true(slice_is(message_trailer(&rest, "Kota-Ref"), "a"));
	assert_true(slice_is(message_trailer(&rest, "Kota-Ref"), "b"));
	assert_null(message_trailer(&rest, "Kota-Ref").ptr);
}

static void check_undone(const char *undoes, const char *subject)
{
	const struct message message = {.verb = "revert", .undoes = slice_of(undoes)};
	STR_AUTO text = STR_INIT;
	const char *rest;

	message_compose(&text, &message);
	rest = text.ptr;
	assert_true(slice_is(message_subject(text.ptr), subject));
	assert_true(slice_is(message_trailer(&rest, "Kota-Undoes"), undoes));
}

static void an_undo_says_of_what(void **state)
{
	(void)state;
	check_undone("4f1c set state:a", "undo set state:a");
	check_undone("4f1c undo set state:a", "redo set state:a");
	check_undone("4f1c redo set state:a", "undo set state:a");
	check_undone("4f1c", "undo 4f1c");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(subject_and_trailers),
		cmocka_unit_test(a_ref_with_a_newline_stays_on_its_line),
		cmocka_unit_test(trailers_are_found_one_after_the_other),
		cmocka_unit_test(an_undo_says_of_what),
	};

	return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
