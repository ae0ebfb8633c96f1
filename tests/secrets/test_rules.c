/*
 * The table of rules: how much of what a public scanner finds is found, and how long it takes.
 */
#include "secrets/secret_scan_internal.h"

#include "support/public_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- what is found */

#define SAMPLES 5
#define CAUGHT_PERCENT 85

enum verdict { MISSED, WARNED, REFUSED };

static enum verdict judge(struct slice text)
{
	struct secret secret;

	if (!secrets_find(text, &secret))
		return MISSED;
	return secret.refuses ? REFUSED : WARNED;
}

/* The worst of a rule's samples, each by one of its `rows` rows. */
static enum verdict worst_of(const struct public_rule *rule, size_t rows, uint64_t *state)
{
	enum verdict worst = REFUSED;
	STR_AUTO text = STR_INIT;

	for (int i = 0; i < SAMPLES; i++) {
		enum verdict verdict;

		*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		public_rule_make(rule[(*state >> 33) % rows].pattern, state, &text);
		verdict = judge(str_slice(&text));
		if (verdict < worst)
			worst = verdict;
	}
	return worst;
}

static size_t rows_of(const struct public_rule *rule)
{
	size_t rows = 1;

	while (rule[rows].id && strcmp(rule[rows].id, rule->id) == 0)
		rows++;
	return rows;
}

static void test_public_rules(void **state)
{
	static const char *const words[] = {"missed", "warned of"};
	const char *seed = getenv("SECRETS_SEED");
	uint64_t random_state = seed ? strtoull(seed, NULL, 10) : 1;
	size_t count[REFUSED + 1] = {0};
	size_t rules = 0;
	size_t rows;

	(void)state;
	for (const struct public_rule *rule = public_rules; rule->id; rule += rows, rules++) {
		enum verdict worst;

		rows = rows_of(rule);
		worst = worst_of(rule, rows, &random_state);
		count[worst]++;
		if (worst != REFUSED)
			print_message("%s: not all %s, some %s\n", rule->id, "refused",
				      words[worst]);
	}
	print_message("caught %zu of %zu rules (%.1f %%), each with %d samples of %d refused; "
		      "%zu more are warned of\n",
		      count[REFUSED], rules, 100.0 * (double)count[REFUSED] / (double)rules,
		      SAMPLES, SAMPLES, count[WARNED]);
	assert_true(rules == 125);
	assert_true(count[REFUSED] * 100 >= rules * CAUGHT_PERCENT);
}

/* ---- how long it takes */

#define SHORT ((size_t)16 << 10)
#define LONG (SHORT * 8)

/*
 * Eight times the text takes eight times as long, by a machine without noise; quadratic would be
 * 64 times. A search so short that it cannot be measured is fast enough.
 */
#define RATIO_MAX 24
#define UNMEASURED_NS ((int64_t)3000000)
#define HOPELESS_NS ((int64_t)2000000000)
#define TRIES 4

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The time for `len` bytes of the unit again and again. */
static int64_t time_of(const char *unit, size_t len, struct str *text)
{
	struct secret secret;
	int64_t begun;

	str_clear(text);
	while (text->len < len)
		str_adds(text, unit);
	begun = cpu_ns();
	secrets_find(slice_make(text->ptr, len), &secret);
	return cpu_ns() - begun;
}

/* Is the search linear? The best of several tries counts: others may use the machine, too. */
static bool is_linear(const char *unit, struct str *text)
{
	int64_t shorter = INT64_MAX;
	int64_t longer = INT64_MAX;

	for (int i = 0; i < TRIES && (i == 0 || longer < HOPELESS_NS); i++) {
		int64_t now = time_of(unit, LONG, text);

		longer = now < longer ? now : longer;
		if (longer < UNMEASURED_NS)
			return true;
		now = time_of(unit, SHORT, text);
		shorter = now < shorter ? now : shorter;
		if (longer < shorter * RATIO_MAX)
			return true;
	}
	return false;
}

static const char *const around[][2] = {{"", ""},  {"", " "},      {"", "\n"},      {"", "-"},
					{"", "="}, {"", ": \""},   {"\"", "\" = "}, {"", "a1B"},
					{"", "."}, {"https", "a"}, {"1234", "'"}};

#define AROUND (sizeof around / sizeof *around)

static void test_every_trigger_in_linear_time(void **state)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO unit = STR_INIT;

	(void)state;
	for (size_t i = 0; secrets_rule(i); i++) {
		if (i > 0 && strcmp(secrets_rule(i)->trigger, secrets_rule(i - 1)->trigger) == 0)
			continue;
		for (size_t k = 0; k < AROUND; k++) {
			str_clear(&unit);
			str_printf(&unit, "%s%s%s", around[k][0], secrets_rule(i)->trigger,
				   around[k][1]);
			if (!is_linear(unit.ptr, &text))
				fail_msg("\"%s\" takes more than linear time", unit.ptr);
		}
	}
}

/* What was found in texts of the wrong kind before: long values, long tokens, one in the other. */
static void test_long_texts_in_linear_time(void **state)
{
	static const char *const units[] = {
		"password:",
		"password=\"",
		"api_key = '",
		"pwd='x\npwd=\"",
		"-u a:b",
		"curl -u ",
		"://a:b",
		"eyJ-",
		"eyJ.",
		"sk-ant-a1B-",
		"glpat-a1B-glpat-",
		"-----BEGIN A PRIVATE KEY-----\nQ1w2",
		"kind: Secret data: a: ",
		"authorization: bearer a1",
		"xoxb-1-",
		"1:A",
		"123456789012345|",
		"Q~a",
		"a.atlasv1.",
		"machine a login b password ",
		"the wifi password is ",
		"<add key=\"password\" value=",
		"secret_key => ",
		"\\n",
		"%3A",
		"ZXlKa1B",
		"ey.ey.ey",
		"hf_a1B-",
		"A3-A3-",
		"0000-us1",
	};
	STR_AUTO text = STR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (!is_linear(units[i], &text))
			fail_msg("\"%s\" takes more than linear time", units[i]);
	}
}

#define MEBIBYTE ((size_t)1 << 20)

/* Says what 1 MiB of each trigger costs; SECRETS_MS sets a limit, for a machine that is quiet. */
static void test_mebibytes(void **state)
{
	const char *limit = getenv("SECRETS_MS");
	STR_AUTO text = STR_INIT;
	STR_AUTO worst = STR_INIT;
	int64_t worst_ns = 0;

	(void)state;
	for (size_t i = 0; secrets_rule(i); i++) {
		int64_t ns = time_of(secrets_rule(i)->trigger, MEBIBYTE, &text);

		if (ns <= worst_ns)
			continue;
		worst_ns = ns;
		str_clear(&worst);
		str_adds(&worst, secrets_rule(i)->trigger);
	}
	print_message("1 MiB of a trigger takes at most %.1f ms of CPU (\"%s\")\n",
		      (double)worst_ns / 1e6, worst.ptr);
	if (limit)
		assert_true(worst_ns < strtoll(limit, NULL, 10) * 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_public_rules),
		cmocka_unit_test(test_every_trigger_in_linear_time),
		cmocka_unit_test(test_long_texts_in_linear_time),
		cmocka_unit_test(test_mebibytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
