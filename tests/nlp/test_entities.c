#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "nlp/entities.h"

#include "base/str.h"

/* The names of a text, with "|" between them. */
static void find(const char *text, struct str *out)
{
	struct arena arena = ARENA_INIT;
	struct slice names[NAMES_MAX];
	size_t count = names_find(&arena, slice_of(text), names);

	str_clear(out);
	for (size_t i = 0; i < count; i++) {
		if (i)
			str_adds(out, "|");
		str_add(out, names[i]);
	}
	arena_release(&arena);
}

struct name_case {
	const char *text;
	const char *expected;
};

static void check(const struct name_case *cases, size_t count)
{
	STR_AUTO out = STR_INIT;

	for (size_t i = 0; i < count; i++) {
		find(cases[i].text, &out);
		if (!slice_is(str_slice(&out), cases[i].expected))
			fail_msg("%s: %s, not %s", cases[i].text, out.ptr, cases[i].expected);
	}
}

#define CHECK(cases) check(cases, sizeof cases / sizeof *cases)

static void capitalised_words(void **state)
{
	static const struct name_case cases[] = {
		{"", ""},
		{"ok", ""},
		{"we met Sunil Nagaraj from GeoSync in San Francisco",
		 "Sunil Nagaraj|GeoSync|San Francisco"},
		{"Priya owns billing", "Priya"},
		{"note that Alice and Bob moved to New York", "Alice|Bob|New York"},
		{"I've decided to use Rust", "Rust"},
		{"Remember: I prefer TypeScript over JavaScript for all new projects",
		 "TypeScript|JavaScript"},
		{"Anna's desk, Anna\u2019s chair and Jean-Luc's", "Anna|Jean-Luc"},
		{"The project deadline is December 15th", "December"},
		{"O'Brien called", "O'Brien"},
		{"Sunil (sunil@example.com) leads", "Sunil|sunil@example.com"},
		{"La Paz and la luna. Ich mag Vim", "La Paz|Vim"},
		{"Thanks!", ""},
		{"Please. Thank you. Maybe.", ""},
	};

	(void)state;
	CHECK(cases);
}

static void beginnings_of_sentences(void **state)
{
	static const struct name_case cases[] = {
		{"Renew the cert. Ship it.", ""},
		{"Exports are late, and exports matter", ""},
		{"New projects start on Monday", "Monday"},
		{"Don't forget to call Marie", "Marie"},
		{"Well-known bugs", ""},
		{"Docker is what we use. Kubernetes is not.", "Docker|Kubernetes"},
	};

	(void)state;
	CHECK(cases);
}

static void runs_end(void **state)
{
	static const struct name_case cases[] = {
		{"with Anna, Bob and Carla", "Anna|Bob|Carla"},
		{"Visual Studio Code", "Visual Studio Code"},
		{"in Rome  Paris", "Rome|Paris"},
		{"Rome\nParis", "Rome|Paris"},
		{"Python JavaScript Rust Go Java", "Python|JavaScript|Rust|Go|Java"},
		{"Amber Blaze Cedar Dune", "Amber Blaze Cedar Dune"},
		{"on Python 3.12 and Debian", "Python 3.12|Debian"},
		{"Apple M2 Pro", "Apple M2 Pro"},
	};

	(void)state;
	CHECK(cases);
}

static void words_of_code(void **state)
{
	static const struct name_case cases[] = {
		{"call parse_line() and parseLine in main.c", "parse_line|parseLine|main.c"},
		{"run setup() first", "setup"},
		{"std::vector or src/store/log/cold.c:12", "std::vector|cold.c"},
		{"set MAX_SIZE, not max-size", "MAX_SIZE"},
		{"and/or, TCP/IP, his/her", "TCP|IP"},
		{"iPhone and macOS", "iPhone|macOS"},
	};

	(void)state;
	CHECK(cases);
}

static void products(void **state)
{
	static const struct name_case cases[] = {
		{"C++, C# and F#", "C++|C#|F#"},
		{"Node.js beats node", "Node.js"},
		{"GPT-4 on blue-7 with x86_64", "GPT-4|blue-7|x86_64"},
		{"LLMs and JWT for an API", "LLMs|JWT|API"},
		{"AT&T and R&D", "AT&T|R&D"},
		{"at 10:30am, 15th, 10GB, 3.5, v1.2 and 42", ""},
		{"e.g. this, i.e. that, 5 p.m.", ""},
		{"see lib.c:42 at example.com:8080", "lib.c|example.com"},
	};

	(void)state;
	CHECK(cases);
}

static void addresses(void **state)
{
	static const struct name_case cases[] = {
		{"Email bob@example.com or see https://example.com/docs",
		 "bob@example.com|example.com"},
		{"https://me@www.example.org:8080/a/b.html?x=1", "example.org"},
		{"ask @alice in #billing, not #12 or me@", "@alice|#billing"},
		{"api.example.com, localhost:8080 and 10.0.0.1",
		 "api.example.com|localhost:8080|10.0.0.1"},
		{"@types/node", "@types_node"},
	};

	(void)state;
	CHECK(cases);
}

static void quoted_phrases(void **state)
{
	static const struct name_case cases[] = {
		{"the \"night train\" and `git rebase`", "night train|git rebase"},
		{"\u201cblue whale\u201d \u00abrouge\u00bb \u300c\u6771\u4eac\u300d \u201eeins "
		 "zwei\u201c",
		 "blue whale|rouge|\u6771\u4eac|eins zwei"},
		{"he said \"yes\"", ""},
		{"\"this is something that Anna said aloud\"", "Anna"},
		{"an inch is \" and \"", ""},
		{"5\" disk and 3\" disk", ""},
		{"never closed \"Anna", "Anna"},
	};

	(void)state;
	CHECK(cases);
}

static void any_script(void **state)
{
	static const struct name_case cases[] = {
		{"\u041c\u044b \u0432\u0441\u0442\u0440\u0435\u0442\u0438\u043b\u0438 "
		 "\u0410\u043d\u043d\u0443 \u041f\u0435\u0442\u0440\u043e\u0432\u0443",
		 "\u0410\u043d\u043d\u0443 "
		 "\u041f\u0435\u0442\u0440\u043e\u0432\u0443"},
		{"\u6211\u559c\u6b22TypeScript\u548cVim", "TypeScript|Vim"},
		{"\u65e5\u672c\u8a9e\u306e\u30e1\u30c3\u30bb\u30fc\u30b8", ""},
		{"caf\u00e9 \u00c9cole", "\u00c9cole"},
	};

	(void)state;
	CHECK(cases);
}

static void shouting(void **state)
{
	static const struct name_case cases[] = {
		{"THE BUILD MUST PASS TODAY", ""},
		{"THE BUILD ON NODE12 MUST PASS", "NODE12"},
		{"use JWT", "JWT"},
	};

	(void)state;
	CHECK(cases);
}

static void each_once(void **state)
{
	static const struct name_case cases[] = {
		{"Rust, rust-lang, RUST and Rust", "Rust"},
		{"`vim` and `Vim`", "vim"},
	};

	(void)state;
	CHECK(cases);
}

static void bounded(void **state)
{
	STR_AUTO text = STR_INIT;
	struct slice names[NAMES_MAX];
	struct arena arena = ARENA_INIT;

	(void)state;
	for (int i = 0; i < 1000; i++)
		str_printf(&text, "x%d ", i);
	assert_int_equal(names_find(&arena, str_slice(&text), names), NAMES_MAX);
	str_clear(&text);
	for (int i = 0; i < NAMES_BYTES_MAX; i++)
		str_adds(&text, "Q7");
	assert_int_equal(names_find(&arena, str_slice(&text), names), 0);
	str_clear(&text);
	for (int i = 0; i < NAMES_TEXT_MAX; i++)
		str_addc(&text, ' ');
	str_adds(&text, " Anna");
	assert_int_equal(names_find(&arena, str_slice(&text), names), 0);
	arena_release(&arena);
}

static void any_bytes(void **state)
{
	static const char *const texts[] = {
		"\xff\xfe",
		("Anna\xff"
		 "Bob"),
		"@",
		"#",
		"://",
		"a://",
		"https://",
		"'s",
		"\"",
		"\"\"",
		"`",
		":",
		"::",
		"/",
		"a/",
		"/a",
		":1",
		"a:",
		"@a@b.c",
		"\xe2\x80\x99",
		"+",
		"a+/b:c@d#",
		"x\xe2\x80",
		"..a",
		"a..b",
		"()",
		"A()",
		"-",
		"--a",
		"\xe2\x80\x99s",
	};
	STR_AUTO out = STR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		find(texts[i], &out);
	find("Anna\xff"
	     "Bob",
	     &out);
	assert_string_equal(out.ptr, "Anna|Bob");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(capitalised_words), cmocka_unit_test(beginnings_of_sentences),
		cmocka_unit_test(runs_end),          cmocka_unit_test(words_of_code),
		cmocka_unit_test(products),          cmocka_unit_test(addresses),
		cmocka_unit_test(quoted_phrases),    cmocka_unit_test(any_script),
		cmocka_unit_test(shouting),          cmocka_unit_test(each_once),
		cmocka_unit_test(bounded),           cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
