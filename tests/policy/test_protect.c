#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/time.h"
#include "policy/salience.h"

struct facts {
	struct entry entry;
	int64_t hits;
	int64_t age_ms;
};

/* Nothing protects it: old, in no hurry, from anywhere. */
static struct facts plain(void)
{
	return (struct facts){
		.entry = {.category = CATEGORY_STATE,
			  .importance = 0.79,
			  .source = slice_of("chat")},
		.hits = 9,
		.age_ms = 30 * MS_PER_DAY,
	};
}

static enum protection reason(const struct facts *facts)
{
	return protect_reason(&facts->entry, facts->hits, facts->age_ms);
}

static void nothing_protects_a_plain_entry(void **state)
{
	struct facts facts = plain();

	(void)state;
	assert_int_equal(reason(&facts), PROTECTION_NONE);
	facts.entry.source = slice_of(NULL);
	assert_int_equal(reason(&facts), PROTECTION_NONE);
	facts.entry.source = slice_of("CLI");
	assert_int_equal(reason(&facts), PROTECTION_NONE);
}

static void each_reason_protects_by_itself(void **state)
{
	struct facts facts[7];

	(void)state;
	for (size_t i = 0; i < 7; i++)
		facts[i] = plain();
	facts[0].entry.pinned = true;
	facts[1].entry.category = CATEGORY_PREFERENCES;
	facts[2].entry.promoted = true;
	facts[3].entry.importance = 0.8;
	facts[4].hits = 10;
	facts[5].age_ms--;
	facts[6].entry.source = slice_of("claude-code-hook");
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(reason(&facts[i]), (int)i + PROTECTION_PINNED);
		assert_true(*protection_text(reason(&facts[i])));
	}
}

static void each_protected_source_counts(void **state)
{
	static const char *const sources[] = {"cli", "claude-code-hook", "project-initialization"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct facts facts = plain();

		facts.entry.source = slice_of(sources[i]);
		assert_int_equal(reason(&facts), PROTECTION_SOURCE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_protects_a_plain_entry),
		cmocka_unit_test(each_reason_protects_by_itself),
		cmocka_unit_test(each_protected_source_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
