#include "model/settings.h"

#include <stdio.h>

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

static struct settings with(int64_t limits, enum secret_mode secrets, enum git_mode git)
{
	struct settings settings;

	settings_init(&settings);
	settings.entries_per_category = settings.entry_bytes = limits;
	settings.total_bytes = settings.expiry_days = limits;
	settings.secrets = secrets;
	settings.git = git;
	return settings;
}

static void check_limits(const struct settings *settings, int64_t limits)
{
	assert_int_equal(settings->entries_per_category, limits);
	assert_int_equal(settings->entry_bytes, limits);
	assert_int_equal(settings->total_bytes, limits);
	assert_int_equal(settings->expiry_days, limits);
}

static void test_a_store_that_nobody_reviewed_only_spares(void **state)
{
	struct settings settings = with(50, SECRETS_WARN, GIT_MODE_UNSET);
	struct settings wish = with(10, SECRETS_OFF, GIT_MODE_OWN);

	(void)state;
	wish.half_life_days[CATEGORY_STATE] = 77;
	snprintf(wish.notes_dir, sizeof wish.notes_dir, "%s", "elsewhere");
	settings_take(&settings, &wish, SETTINGS_UNREVIEWED);
	check_limits(&settings, 50);
	assert_int_equal(settings.secrets, SECRETS_WARN);
	assert_int_equal(settings.git, GIT_MODE_UNSET);
	assert_float_equal(settings.half_life_days[CATEGORY_STATE], 0, 0);
	assert_string_equal(settings.notes_dir, "notes");
	wish = with(60, SECRETS_REFUSE, GIT_MODE_OFF);
	settings_take(&settings, &wish, SETTINGS_UNREVIEWED);
	check_limits(&settings, 60);
	assert_int_equal(settings.secrets, SECRETS_REFUSE);
	assert_int_equal(settings.git, GIT_MODE_OFF);
}

static void test_a_store_that_was_named_may_say_all_but_show_secrets(void **state)
{
	struct settings settings = with(50, SECRETS_WARN, GIT_MODE_UNSET);
	struct settings wish = with(10, SECRETS_OFF, GIT_MODE_OWN);

	(void)state;
	settings_take(&settings, &wish, SETTINGS_NAMED);
	check_limits(&settings, 10);
	assert_int_equal(settings.secrets, SECRETS_WARN);
	assert_int_equal(settings.git, GIT_MODE_OWN);
}

static void test_what_others_change_only_tightens(void **state)
{
	struct settings settings = with(50, SECRETS_WARN, GIT_MODE_OWN);
	struct settings wish = with(60, SECRETS_OFF, GIT_MODE_UNSET);

	(void)state;
	wish.half_life_days[CATEGORY_STATE] = 77;
	settings_take(&settings, &wish, SETTINGS_CHANGED_BY_OTHERS);
	check_limits(&settings, 50);
	assert_int_equal(settings.secrets, SECRETS_WARN);
	assert_int_equal(settings.git, GIT_MODE_OWN);
	assert_float_equal(settings.half_life_days[CATEGORY_STATE], 77, 0);
	wish = with(40, SECRETS_REFUSE, GIT_MODE_OFF);
	settings_take(&settings, &wish, SETTINGS_CHANGED_BY_OTHERS);
	assert_int_equal(settings.entry_bytes, 40);
	/* Lower ones would send entries away. */
	assert_int_equal(settings.entries_per_category, 50);
	assert_int_equal(settings.total_bytes, 50);
	assert_int_equal(settings.expiry_days, 50);
	assert_int_equal(settings.secrets, SECRETS_REFUSE);
	assert_int_equal(settings.git, GIT_MODE_OFF);
}

static void test_a_folder_elsewhere_stays_the_persons_choice(void **state)
{
	struct settings settings = with(1, SECRETS_REFUSE, GIT_MODE_OWN);
	struct settings wish = with(1, SECRETS_REFUSE, GIT_MODE_OWN);

	(void)state;
	snprintf(settings.notes_dir, sizeof settings.notes_dir, "%s", "/vault");
	settings.notes_dir_free = true;
	snprintf(wish.notes_dir, sizeof wish.notes_dir, "%s", "inside");
	settings_take(&settings, &wish, SETTINGS_CHANGED_BY_OTHERS);
	assert_string_equal(settings.notes_dir, "/vault");
	assert_true(settings.notes_dir_free);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_store_that_nobody_reviewed_only_spares),
		cmocka_unit_test(test_a_store_that_was_named_may_say_all_but_show_secrets),
		cmocka_unit_test(test_what_others_change_only_tightens),
		cmocka_unit_test(test_a_folder_elsewhere_stays_the_persons_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
