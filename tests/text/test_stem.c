#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "text/stem.h"

#include <string.h>

static void stem(const char *word, char out[STEM_LEN_MAX + 1])
{
	uint32_t chars[STEM_LEN_MAX];
	uint32_t result[STEM_LEN_MAX];
	size_t len = strlen(word);

	for (size_t i = 0; i < len; i++)
		chars[i] = (unsigned char)word[i];
	len = stem_word(chars, len, result);
	for (size_t i = 0; i < len; i++)
		out[i] = (char)result[i];
	out[len] = '\0';
}

static void forms_of_a_word_have_one_stem(void **state)
{
	static const char *const families[][6] = {
		{"restart", "restarts", "restarted", "restarting", NULL},
		{"move", "moves", "moved", "moving", NULL},
		{"approve", "approved", "approving", "approves", NULL},
		{"stop", "stopped", "stopping", "stops", NULL},
		{"rotate", "rotates", "rotated", "rotating", "rotation", NULL},
		{"migrate", "migrated", "migration", "migrations", "migrating", NULL},
		{"create", "created", "creating", "creation", NULL},
		{"configure", "configured", "configuration", "configuring", NULL},
		{"manage", "manager", "managed", "management", NULL},
		{"query", "queries", "queried", NULL},
		{"install", "installed", "installing", "installs", NULL},
		{"class", "classes", NULL},
		{"box", "boxes", NULL},
		{"branch", "branches", NULL},
		{"ticket", "tickets", NULL},
		{"store", "stored", "storing", "storage", NULL},
		{"feed", "fed", "feeding", "feeds", NULL},
		{"write", "wrote", "written", "writing", NULL},
		{"fail", "failure", "failures", "failed", NULL},
		{"expire", "expiry", "expires", NULL},
		{"run", "ran", "runs", NULL},
		{"child", "children", NULL},
		{"service", "serviced", "services", "serve", NULL},
		{"harbour", "harbors", "harboured", NULL},
		{"centre", "center", "centers", NULL},
		{"catalogue", "catalogs", NULL},
		{"analyse", "analyzed", NULL},
		{"licence", "license", "licensing", NULL},
		{"repository", "repo", "repos", "repositories", NULL},
		{"configuration", "config", "cfg", NULL},
		{"notification", "notif", "notify", NULL},
		{"database", "db", NULL},
		{"day", "daily", "days", NULL},
	};
	char first[STEM_LEN_MAX + 1];
	char other[STEM_LEN_MAX + 1];

	(void)state;
	for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
		stem(families[f][0], first);
		for (size_t i = 1; families[f][i]; i++) {
			stem(families[f][i], other);
			if (strcmp(first, other) != 0)
				fail_msg("%s -> %s, %s -> %s", families[f][0], first,
					 families[f][i], other);
		}
	}
}

static void words_that_only_look_like_forms_stay(void **state)
{
	static const char *const words[] = {"status", "bus",  "glass", "ring", "string", "need",
					    "red",    "this", "a",     "its",  "speed"};
	char out[STEM_LEN_MAX + 1];

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		stem(words[i], out);
		assert_string_equal(out, words[i]);
	}
}

static void other_scripts_and_long_words_are_their_own_stem(void **state)
{
	const uint32_t german[] = {'g', 'r', 0xf6, 0xdf, 'e', 's'};
	uint32_t longest[STEM_LEN_MAX + 8];
	uint32_t out[STEM_LEN_MAX + 8];

	(void)state;
	assert_int_equal(stem_word(german, 6, out), 6);
	assert_memory_equal(out, german, sizeof german);
	for (size_t i = 0; i < STEM_LEN_MAX + 8; i++)
		longest[i] = 's';
	assert_int_equal(stem_word(longest, STEM_LEN_MAX + 8, out), STEM_LEN_MAX + 8);
	assert_memory_equal(out, longest, sizeof longest);
}

/* The stem of a word of another script has so many characters. */
static void check_length(const uint32_t *word, size_t len, size_t want)
{
	uint32_t out[STEM_LEN_MAX];

	assert_int_equal(stem_word(word, len, out), want);
	assert_memory_equal(word, out, want * sizeof *word);
}

static void particles_and_cases_are_cut(void **state)
{
	static const uint32_t message[] = {0xBA54, 0xC2DC, 0xC9C0, 0xB294}; /* 메시지는 */
	static const uint32_t writing[] = {0xC791, 0xC131, 0xD558, 0xB098, 0xC694}; /* 작성하나요 */
	static const uint32_t river[] = {0xAC00, 0xC744};                           /* 가을 */
	static const uint32_t secrets[] = {0x441, 0x435, 0x43A, 0x440, 0x435, 0x442, 0x44B};
	static const uint32_t house[] = {0x434, 0x43E, 0x43C};

	(void)state;
	check_length(message, 4, 3);
	check_length(writing, 5, 2);
	check_length(river, 2, 2);
	check_length(secrets, 7, 6);
	check_length(house, 3, 3);
}

static void foreign_stem(const uint32_t *word, size_t len, char out[STEM_LEN_MAX + 1])
{
	uint32_t result[STEM_LEN_MAX];

	len = stem_foreign_word(word, len, result);
	for (size_t i = 0; i < len; i++)
		out[i] = (char)result[i];
	out[len] = '\0';
}

static void endings_of_other_languages_are_cut(void **state)
{
	static const char *const families[][2] = {
		{"wartet", "wartung"},    {"gewartet", "wartung"},    {"rembourse", "remboursent"},
		{"guardamos", "guardan"}, {"decisiones", "decision"}, {"notifica", "notificazione"},
	};
	static const uint32_t accents[] = {'r', 'e', 'v', 'i', 's', 'i', 0xF3, 'n'};
	char first[STEM_LEN_MAX + 1];
	char other[STEM_LEN_MAX + 1];

	(void)state;
	for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
		uint32_t chars[2][STEM_LEN_MAX];

		for (size_t i = 0; i < 2; i++)
			for (size_t c = 0; families[f][i][c]; c++)
				chars[i][c] = (unsigned char)families[f][i][c];
		foreign_stem(chars[0], strlen(families[f][0]), first);
		foreign_stem(chars[1], strlen(families[f][1]), other);
		if (strcmp(first, other) != 0)
			fail_msg("%s %s, %s %s", families[f][0], first, families[f][1], other);
	}
	foreign_stem(accents, sizeof accents / sizeof *accents, first);
	assert_string_equal(first, "revis");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(particles_and_cases_are_cut),
		cmocka_unit_test(endings_of_other_languages_are_cut),
		cmocka_unit_test(forms_of_a_word_have_one_stem),
		cmocka_unit_test(words_that_only_look_like_forms_stay),
		cmocka_unit_test(other_scripts_and_long_words_are_their_own_stem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
