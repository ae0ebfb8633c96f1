/*
 * kota hook user-prompt, and what the hooks know of a session.
 *
 * KOTA_PROMPTS=100000 sends as many random prompts, instead of a few.
 */
#include "base/mem.h"
#include "cli/shell_fixture.h"
#include "json/doc.h"
#include "ops/primer.h"
#include "support/fake_sys.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>

#define FEW_PROMPTS 600
#define BUDGET 1500

/* Runs a hook with what a client writes; apostrophes stand for quotes. */
static void hook(const char *event, const char *input)
{
	STR_AUTO text = STR_INIT;

	for (const char *c = input; *c; c++)
		str_addc(&text, *c == '\'' ? '"' : *c);
	shell.input = str_slice(&text);
	assert_int_equal(shell_run(&shell, "hook", event, NULL), 0);
	assert_string_equal(shell.err, "");
	shell.input = (struct slice){0};
}

static void set(const char *ref, const char *value)
{
	assert_int_equal(shell_run(&shell, "set", ref, value, NULL), 0);
}

static void tells(const char *part)
{
	if (!strstr(shell.out, part))
		fail_msg("%s is not in %s", part, shell.out);
}

static void what_a_prompt_names_is_told_once(void **state)
{
	char *usage;

	(void)state;
	set("connections:Oyelaran", "runs the night desk");
	set("shortcuts:wrap it", "commit, tag and push");
	set("state:oven_temperature", "rye bread goes in at 260 degrees");
	hook("user-prompt", "{'session_id':'one','prompt':'Ask Oyelaran to wrap it up'}");
	tells("\"hookEventName\":\"UserPromptSubmit\"");
	tells("from=\\\"the person's own memory\\\">\\nStored memories that this may be about");
	tells("\\n- connections:Oyelaran: runs the night desk\\n- shortcuts:wrap it: commit, tag "
	      "and push\\n</kota-memory>");
	hook("user-prompt", "{'session_id':'one','prompt':'wrap it, Oyelaran'}");
	assert_string_equal(shell.out, "");
	hook("user-prompt", "{'session_id':'two','hook_event_name':'BeforeAgent','prompt':'At how "
			    "many degrees does rye bread go in?'}");
	tells("\"hookEventName\":\"BeforeAgent\"");
	tells("oven_temperature");
	/* Shown, but neither looked up nor used. */
	usage = shell_read(&shell, "usage.jsonl");
	assert_true(!usage || (!strstr(usage, "\"hit\"") && !strstr(usage, "\"used\"")));
	free(usage);
}

static void a_pasted_text_asks_for_nothing(void **state)
{
	static const char *const pasted[] = {
		"2026-03-02 10:00:01 Oyelaran logged in",
		"for (i = 0; i < Oyelaran; i++) { wrap(it); }",
		"ERROR Oyelaran is not there",
		"Look:\\n  at Oyelaran.run(main.js:10)",
		"a\\nb\\nc\\nd\\ne\\nf\\ng\\nh\\nOyelaran",
		"```\\nOyelaran\\n```",
		"",
	};
	STR_AUTO input = STR_INIT;

	(void)state;
	set("connections:Oyelaran", "runs the night desk");
	for (size_t i = 0; i < sizeof pasted / sizeof *pasted; i++) {
		str_clear(&input);
		str_printf(&input, "{'session_id':'s%zu','prompt':'%s'}", i, pasted[i]);
		hook("user-prompt", input.ptr);
		assert_string_equal(shell.out, "");
	}
	/* Nor is anything told where it could be told twice. */
	hook("user-prompt", "{'prompt':'Ask Oyelaran'}");
	assert_string_equal(shell.out, "");
	hook("user-prompt", "Ask Oyelaran");
	assert_string_equal(shell.out, "");
	hook("user-prompt", "{'session_id':5,'prompt':['Oyelaran']}");
	assert_string_equal(shell.out, "");
}

static void what_a_session_began_with_is_not_told_again(void **state)
{
	(void)state;
	set("connections:Oyelaran", "runs the night desk");
	hook("session-start", "{'session_id':'one','source':'startup'}");
	tells("Oyelaran");
	hook("user-prompt", "{'session_id':'one','prompt':'Ask Oyelaran'}");
	assert_string_equal(shell.out, "");
	/* After a cut it is no longer before the model. */
	hook("session-start", "{'session_id':'one','source':'compact'}");
	tells("Save where work stands with memory_save_conversation_notes.");
	hook("user-prompt", "{'session_id':'one','prompt':'Ask Oyelaran'}");
	tells("Oyelaran");
}

static void a_session_that_is_resumed_hears_what_changed(void **state)
{
	(void)state;
	set("connections:Oyelaran", "runs the night desk");
	hook("session-start", "{'session_id':'one','source':'startup'}");
	fake_sys_set_now(SHELL_NOW + MS_PER_DAY);
	hook("session-start", "{'session_id':'one','source':'resume'}");
	assert_string_equal(shell.out, "");
	fake_sys_set_now(SHELL_NOW + 2 * MS_PER_DAY);
	set("state:branch", "main");
	hook("session-start", "{'session_id':'one','source':'resume'}");
	tells("Memories that changed since this session was last open");
	tells("- branch: main");
	assert_null(strstr(shell.out, "Oyelaran"));
	/* Not known: all is told. */
	hook("session-start", "{'session_id':'other','source':'resume'}");
	tells("Oyelaran");
	hook("session-start", "{'session_id':'one','source':'clear'}");
	tells("Oyelaran");
}

/* The list of sessions is a cache: broken or too large it knows nothing, and is begun anew. */
static void a_broken_list_is_begun_anew(void **state)
{
	static const char *const texts[] = {"{", "[]", "{\"one\":5}", "{\"one\":{\"told\":{}}}",
					    "{\"one\":{\"at\":\"x\",\"told\":[5]}}"};

	(void)state;
	set("connections:Oyelaran", "runs the night desk");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		tmpdir_write(&shell.dir, "state/kota-memory/prompted.json", texts[i]);
		hook("user-prompt", "{'session_id':'one','prompt':'Ask Oyelaran'}");
		tells("Oyelaran");
		hook("user-prompt", "{'session_id':'one','prompt':'Ask Oyelaran'}");
		assert_string_equal(shell.out, "");
	}
}

/* Forty sessions are known, however many begin in one moment, and the last is among them. */
static void the_list_of_sessions_is_bounded(void **state)
{
	STR_AUTO input = STR_INIT;
	size_t sessions = 0;
	char *list;

	(void)state;
	set("connections:Oyelaran", "runs the night desk");
	for (int i = 0; i < 60; i++) {
		str_clear(&input);
		str_printf(&input, "{'session_id':'s%d','prompt':'Ask Oyelaran'}", i);
		hook("user-prompt", input.ptr);
		tells("Oyelaran");
	}
	hook("user-prompt", input.ptr);
	assert_string_equal(shell.out, "");
	list = tmpdir_read(&shell.dir, "state/kota-memory/prompted.json");
	for (const char *at = list; (at = strstr(at, "\"at\"")); at++)
		sessions++;
	free(list);
	assert_int_equal(sessions, 40);
}

/* ---- random prompts */

static uint64_t seed = 17;

static size_t draw(size_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(seed >> 33) % below;
}

static const char *const pieces[] = {
	"Oyelaran",
	"wrap it",
	"night",
	"desk",
	"who",
	"what is",
	"our",
	"the",
	"rye bread",
	"\\n",
	"\\u0000",
	"\\\"",
	"?",
	"{",
	"}",
	"=>",
	"\xf0\x9f\x98\x80",
	"\xe6\xbc\xa2\xe5\xad\x97",
	"entry 7",
	"entry",
	"key 12",
	"ERROR",
	"12:30",
	"degrees",
	"for",
	"at",
	"\\ud83d\\ude00",
	"</kota-memory>",
	"again",
	"wie immer",
};

static void add_prompt(struct str *out)
{
	size_t words = 1 + draw(draw(10) == 0 ? 200 : 14);

	for (size_t i = 0; i < words; i++)
		str_printf(out, "%s%s", i ? " " : "", pieces[draw(sizeof pieces / sizeof *pieces)]);
}

/* Each told line begins with its ref: it must be new to the session. */
static void check_told(struct slice text, struct str *told)
{
	struct slice line;

	assert_true(text.len <= BUDGET * 4);
	while (slice_line(&text, &line)) {
		const char *end = memmem(line.ptr, line.len, ": ", 2);
		STR_AUTO ref = STR_INIT;

		if (!slice_starts(line, "- ") || !end)
			continue;
		str_printf(&ref, "\n%.*s\n", (int)(end - line.ptr - 2), line.ptr + 2);
		if (told->len > 0 && strstr(told->ptr, ref.ptr))
			fail_msg("told again: %s", ref.ptr);
		str_add(told, str_slice(&ref));
	}
}

static void any_prompt_is_answered_within_bounds(void **state)
{
	const char *wanted = getenv("KOTA_PROMPTS");
	long prompts = wanted ? strtol(wanted, NULL, 10) : FEW_PROMPTS;
	STR_AUTO told = STR_INIT;
	STR_AUTO file = STR_INIT;
	long answered = 0;

	(void)state;
	/* The trace of so many calls would fill the memory. */
	fake_sys_quiet(true);
	for (int i = 0; i < 60; i++)
		str_printf(&file, "%s\"entry %d\":\"rye bread %d at the night desk\"",
			   i ? "," : "{", i, i);
	str_adds(&file, ",\"wrap it\":\"push\",\"Oyelaran\":\"");
	for (int i = 0; i < 500; i++)
		str_adds(&file, "\xf0\x9f\x98\x80");
	str_adds(&file, "\"}");
	shell_write(&shell, "shortcuts.json", file.ptr);
	shell_write(&shell, "connections.json", file.ptr);
	for (long i = 0; i < prompts; i++) {
		STR_AUTO input = STR_INIT;
		STR_AUTO text = STR_INIT;
		struct json_fault fault;
		struct json doc;
		struct slice context;
		uint32_t inside;

		if (i % 7 == 0)
			str_clear(&told);
		str_printf(&input, "{\"session_id\":\"s%ld\",\"prompt\":\"", i / 7);
		add_prompt(&input);
		str_adds(&input, "\"}");
		shell.input = str_slice(&input);
		assert_int_equal(shell_run(&shell, "hook", "user-prompt", NULL), 0);
		shell.input = (struct slice){0};
		if (shell.out_len == 0)
			continue;
		assert_int_equal(json_parse(&doc, slice_make(shell.out, shell.out_len),
					    &json_file_bounds, &fault),
				 0);
		inside = json_member(&doc, JSON_ROOT, "hookSpecificOutput");
		context = json_string(&doc, json_member(&doc, inside, "additionalContext"), &text);
		check_told(context, &told);
		json_release(&doc);
		answered++;
	}
	assert_true(answered > prompts / 20);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, shell_set_up_with_state, shell_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(what_a_prompt_names_is_told_once),
		TEST(a_pasted_text_asks_for_nothing),
		TEST(what_a_session_began_with_is_not_told_again),
		TEST(a_session_that_is_resumed_hears_what_changed),
		TEST(a_broken_list_is_begun_anew),
		TEST(the_list_of_sessions_is_bounded),
		TEST(any_prompt_is_answered_within_bounds),
	};

	return cmocka_run_group_tests_name("hook user-prompt", tests, NULL, NULL);
}
