#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/settings.h"

#include <ctype.h>

#define FAULT_UNTOUCHED 99u

static int apply(struct settings *settings, const char *text, enum settings_origin origin,
		 uint32_t *fault_node, struct err *err)
{
	struct json_fault fault;
	struct json doc;
	int rc;

	if (json_parse(&doc, slice_of(text), &json_file_bounds, &fault))
		fail_msg("%s: %s", text, fault.what);
	*fault_node = FAULT_UNTOUCHED;
	err_clear(err);
	rc = settings_apply(settings, &doc, origin, fault_node, err);
	/* What stands at the fault is what the tests look at; the number itself says nothing. */
	if (rc && *fault_node != FAULT_UNTOUCHED)
		*fault_node = doc.nodes[*fault_node].start;
	json_release(&doc);
	return rc;
}

static void assert_defaults(const struct settings *settings)
{
	assert_int_equal(settings->entries_per_category, 100);
	assert_int_equal(settings->entry_bytes, 4096);
	assert_int_equal(settings->total_bytes, 51200);
	assert_int_equal(settings->expiry_days, 90);
	assert_int_equal(settings->git, GIT_MODE_UNSET);
}

static void test_defaults(void **state)
{
	struct settings settings;

	(void)state;
	memset(&settings, 0x55, sizeof settings);
	settings_init(&settings);
	assert_defaults(&settings);
}

static void test_nested_and_flat(void **state)
{
	static const char *const texts[] = {
		"{\"limits\":{\"entries_per_category\":1,\"entry_bytes\":2,\"total_bytes\":3,"
		"\"expiry_days\":4},\"git\":\"off\"}",
		"{\"limits.entries_per_category\":1,\"limits.entry_bytes\":2.0,"
		"\"limits.total_bytes\":0.3e1,\"limits.expiry_days\":4,\"git\":\"o\\u0066f\"}",
		"{\"limits.entry_bytes\":2,\"limits\":{\"entries_per_category\":1,"
		"\"total_bytes\":3,\"expiry_days\":4},\"git\":\"off\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct settings settings;
		uint32_t fault_node;
		struct err err;

		settings_init(&settings);
		assert_int_equal(apply(&settings, texts[i], SETTINGS_STORE, &fault_node, &err), 0);
		assert_int_equal(settings.entries_per_category, 1);
		assert_int_equal(settings.entry_bytes, 2);
		assert_int_equal(settings.total_bytes, 3);
		assert_int_equal(settings.expiry_days, 4);
		assert_int_equal(settings.git, GIT_MODE_OFF);
		assert_int_equal(fault_node, FAULT_UNTOUCHED);
	}
}

static void test_secrets(void **state)
{
	struct settings settings;
	uint32_t fault_node;
	struct err err;

	(void)state;
	settings_init(&settings);
	assert_int_equal(settings.secrets, SECRETS_REFUSE);
	assert_int_equal(
		apply(&settings, "{\"secrets\":\"off\"}", SETTINGS_STORE, &fault_node, &err), 0);
	assert_int_equal(settings.secrets, SECRETS_OFF);
	assert_int_equal(settings_apply_env(&settings, "SECRETS", "warn", &err), 0);
	assert_int_equal(settings.secrets, SECRETS_WARN);
	assert_int_equal(settings.git, GIT_MODE_UNSET);
}

static void test_life_of_a_memory(void **state)
{
	struct settings settings;
	uint32_t fault_node;
	struct err err;

	(void)state;
	settings_init(&settings);
	assert_true(settings.reinforce);
	assert_false(settings.enrich);
	assert_float_equal(settings.forget_threshold, 0.05, 0);
	assert_float_equal(settings.promote_threshold, 0.65, 0);
	assert_int_equal(settings.promote_uses, 5);
	assert_int_equal(settings.promote_days, 14);
	assert_float_equal(settings.cluster_threshold, 0.83, 0);
	assert_int_equal(settings.cluster_min, 2);
	assert_int_equal(settings.cluster_max, 12);
	assert_int_equal(settings.maintain_interval_s, 3600);
	assert_int_equal(apply(&settings,
			       "{\"forget_threshold\":0.1,\"promote_threshold\":0.7,"
			       "\"promote_uses\":6,\"promote_days\":15,"
			       "\"cluster_threshold\":0.8,\"cluster_min\":3,"
			       "\"cluster_max\":4,\"reinforce\":false,\"enrich\":true,"
			       "\"maintain_interval_s\":60}",
			       SETTINGS_STORE, &fault_node, &err),
			 0);
	assert_false(settings.reinforce);
	assert_true(settings.enrich);
	assert_float_equal(settings.forget_threshold, 0.1, 0);
	assert_float_equal(settings.promote_threshold, 0.7, 0);
	assert_int_equal(settings.promote_uses, 6);
	assert_int_equal(settings.promote_days, 15);
	assert_float_equal(settings.cluster_threshold, 0.8, 0);
	assert_int_equal(settings.cluster_min, 3);
	assert_int_equal(settings.cluster_max, 4);
	assert_int_equal(settings.maintain_interval_s, 60);
	assert_int_equal(settings_apply_env(&settings, "REINFORCE", "true", &err), 0);
	assert_true(settings.reinforce);
	assert_string_equal(settings.notes_dir, "notes");
}

static void test_half_lives(void **state)
{
	static const struct {
		const char *text;
		double days[CATEGORY_COUNT];
	} cases[] = {
		{"{}", {0}},
		{"{\"decay\":{\"half_life_days\":3}}", {3, 3, 3, 3, 3}},
		{"{\"decay.half_life_days\":{\"State\":0.5,\"connections\":36500}}",
		 {0, 36500, 0, 0, 0.5}},
	};
	struct settings settings;
	uint32_t fault_node;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		settings_init(&settings);
		assert_int_equal(apply(&settings, cases[i].text, SETTINGS_STORE, &fault_node, &err),
				 0);
		for (int c = 0; c < CATEGORY_COUNT; c++)
			assert_float_equal(settings.half_life_days[c], cases[i].days[c], 0);
	}
	/* The stronger one says all of it. */
	assert_int_equal(settings_apply_env(&settings, "DECAY_HALF_LIFE_DAYS", "7", &err), 0);
	assert_float_equal(settings.half_life_days[CATEGORY_SHORTCUTS], 7, 0);
	assert_int_equal(
		settings_apply_env(&settings, "DECAY_HALF_LIFE_DAYS", "{\"state\":2}", &err), 0);
	assert_float_equal(settings.half_life_days[CATEGORY_STATE], 2, 0);
	assert_float_equal(settings.half_life_days[CATEGORY_SHORTCUTS], 0, 0);
}

/* Of what another machine says only what is not known is passed over. */
static void test_synced(void **state)
{
	struct settings settings;
	uint32_t fault_node;
	struct err err;

	(void)state;
	settings_init(&settings);
	assert_int_equal(apply(&settings,
			       "{\"of_tomorrow\":[1],\"limits\":{\"x\":1,\"entry_bytes\":2}}",
			       SETTINGS_SYNCED, &fault_node, &err),
			 0);
	assert_int_equal(settings.entry_bytes, 2);
	assert_int_equal(apply(&settings, "{\"limits\":{\"entry_bytes\":-1}}", SETTINGS_SYNCED,
			       &fault_node, &err),
			 -1);
	assert_int_equal(
		apply(&settings, "{\"of_tomorrow\":[1]}", SETTINGS_STORE, &fault_node, &err), -1);
}

static void test_layers(void **state)
{
	struct settings settings;
	uint32_t fault_node;
	struct err err;

	(void)state;
	settings_init(&settings);
	assert_int_equal(apply(&settings, "{\"limits\":{\"entry_bytes\":1,\"total_bytes\":1}}",
			       SETTINGS_PERSON, &fault_node, &err),
			 0);
	assert_int_equal(apply(&settings, "{\"limits\":{\"entry_bytes\":2}}", SETTINGS_STORE,
			       &fault_node, &err),
			 0);
	assert_int_equal(settings_apply_env(&settings, "LIMITS_ENTRY_BYTES", "", &err), 0);
	assert_int_equal(settings_apply_env(&settings, "LIMITS_EXPIRY_DAYS", "7", &err), 0);
	assert_int_equal(settings.entry_bytes, 2);
	assert_int_equal(settings.total_bytes, 1);
	assert_int_equal(settings.expiry_days, 7);
	assert_int_equal(settings.entries_per_category, 100);
}

static void test_accepted(void **state)
{
	static const char *const texts[] = {
		"{}",
		"{\"limits\":{}}",
		"{\"limits.entries_per_category\":1000000000}",
		"{\"limits\":{\"entry_bytes\":1099511627776,\"expiry_days\":36500}}",
		"{\"decay\":{\"model\":\"two_component\",\"half_life_days\":0.5,"
		"\"lambda\":2.673e-6,\"beta\":0}}",
		"{\"decay.model\":\"exponential\",\"forget_threshold\":0.05,"
		"\"promote_threshold\":0.65,\"promote_uses\":5,\"promote_days\":14}",
		"{\"cluster_threshold\":0.83,\"cluster_min\":2,\"cluster_max\":12}",
		"{\"reinforce\":false,\"enrich\":true,\"secrets\":\"warn\"}",
		"{\"maintain_interval_s\":3600,\"notes_dir\":\"notes/..more/...\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct settings settings;
		uint32_t fault_node;
		struct err err;

		settings_init(&settings);
		if (apply(&settings, texts[i], SETTINGS_STORE, &fault_node, &err))
			fail_msg("%s: %s", texts[i], err.text);
	}
}

static const struct {
	const char *text;
	uint32_t fault; /* where in the text */
	const char *sentence;
} refused[] = {
	{"[]", 0, "the settings must be one JSON object, such as {\"git\": \"off\"}"},
	{"{\"limits\":{\"entry_bytes\":0}}", 25,
	 "the setting \"limits.entry_bytes\" must be a whole number from 1 to "
	 "1099511627776, not 0"},
	{"{\"limits.entry_bytes\":\"4096\"}", 22,
	 "the setting \"limits.entry_bytes\" must be a whole number from 1 to "
	 "1099511627776, not \"4096\""},
	{"{\"limits.entries_per_category\":1.5}", 31,
	 "the setting \"limits.entries_per_category\" must be a whole number from 1 to "
	 "1000000000, not 1.5"},
	{"{\"limits.total_bytes\":1e400}", 22,
	 "the setting \"limits.total_bytes\" must be a whole number from 1 to "
	 "1099511627776, not 1e400"},
	{"{\"limits.expiry_days\":0}", 22,
	 "the setting \"limits.expiry_days\" must be a whole number from 1 to 36500, "
	 "not 0"},
	{"{\"limits.expiry_days\":36501}", 22,
	 "the setting \"limits.expiry_days\" must be a whole number from 1 to 36500, "
	 "not 36501"},
	{"{\"cluster_threshold\":1.01}", 21,
	 "the setting \"cluster_threshold\" must be a number from 0 to 1, not 1.01"},
	{"{\"limits.expiry_days\":null}", 22,
	 "the setting \"limits.expiry_days\" must be a whole number from 1 to 36500, "
	 "not null"},
	{"{\"limits\":5}", 10, "the setting \"limits\" must be an object of settings"},
	{"{\"git\":\"on\"}", 7, "the setting \"git\" must be \"own\" or \"off\", not \"on\""},
	{"{\"git\":false}", 7, "the setting \"git\" must be \"own\" or \"off\", not false"},
	{"{\"decay\":{\"model\":\"linear\"}}", 18,
	 "the setting \"decay.model\" must be \"power_law\", \"exponential\" or "
	 "\"two_component\", not \"linear\""},
	{"{\"decay.lambda\":0}", 16,
	 "the setting \"decay.lambda\" must be a number from 1e-12 to 1, not 0"},
	{"{\"decay.half_life_days\":\"3\"}", 24,
	 "the setting \"decay.half_life_days\" must be a number from 0.001 to 36500, or an "
	 "object of such numbers by category, each once, not \"3\""},
	{"{\"decay.half_life_days\":0}", 24,
	 "the setting \"decay.half_life_days\" must be a number from 0.001 to 36500, or an "
	 "object of such numbers by category, each once, not 0"},
	{"{\"decay.half_life_days\":{\"notes\":3}}", 24,
	 "the setting \"decay.half_life_days\" must be a number from 0.001 to 36500, or an "
	 "object of such numbers by category, each once, not {\"notes\":3}"},
	{"{\"decay.half_life_days\":{\"state\":0}}", 24,
	 "the setting \"decay.half_life_days\" must be a number from 0.001 to 36500, or an "
	 "object of such numbers by category, each once, not {\"state\":0}"},
	{"{\"decay.half_life_days\":{\"state\":3,\"STATE\":4}}", 24,
	 "the setting \"decay.half_life_days\" must be a number from 0.001 to 36500, or an "
	 "object of such numbers by category, each once, not {\"state\":3,\"STATE\":4}"},
	{"{\"decay.half_life_days\":{\"state\":{}}}", 24,
	 "the setting \"decay.half_life_days\" must be a number from 0.001 to 36500, or an "
	 "object of such numbers by category, each once, not {\"state\":{}}"},
	{"{\"decay.half_life_days\":[3]}", 24,
	 "the setting \"decay.half_life_days\" must be a number from 0.001 to 36500, or an "
	 "object of such numbers by category, each once, not [3]"},
	{"{\"reinforce\":\"yes\"}", 13,
	 "the setting \"reinforce\" must be true or false, not \"yes\""},
	{"{\"notes_dir\":7}", 13, "the setting \"notes_dir\" must be the path of a folder, not 7"},
	{"{\"notes_dir\":\" \"}", 13,
	 "the setting \"notes_dir\" must be the path of a folder, not \" \""},
	{"{\"notes_dir\":\"a\\u0000\"}", 13,
	 "the setting \"notes_dir\" must be the path of a folder, not \"a\\u0000\""},
	{"{\"git\":\"off\",\"limit\":{\"entry_bytes\":1}}", 21,
	 "there is no setting \"limit\"; the nearest one is "
	 "\"limits.entries_per_category\""},
	{"{\"limits\":{\"entry_byte\":1}}", 24,
	 "there is no setting \"limits.entry_byte\"; the nearest one is "
	 "\"limits.entry_bytes\""},
	{"{\"expiry_days\":1}", 15,
	 "there is no setting \"expiry_days\"; the nearest one is \"limits.expiry_days\""},
	{"{\"limits\":{\"limits\":{}}}", 20,
	 "there is no setting \"limits.limits\"; the nearest one is "
	 "\"limits.entries_per_category\""},
	{"{\"Secrets\":\"off\"}", 11,
	 "there is no setting \"Secrets\"; the nearest one is \"secrets\""},
	{"{\"limits.entry_bytes\":1,\"limits\":{\"entry_bytes\":1}}", 48,
	 "the setting \"limits.entry_bytes\" must be given once, not twice"},
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct settings settings;
		uint32_t fault;
		struct err err;

		settings_init(&settings);
		assert_int_equal(apply(&settings, refused[i].text, SETTINGS_STORE, &fault, &err),
				 -1);
		assert_string_equal(err.text, refused[i].sentence);
		assert_int_equal(err.code, ERR_BAD_DATA);
		assert_int_equal(fault, refused[i].fault);
		assert_defaults(&settings);
	}
}

static void test_failure_changes_nothing(void **state)
{
	struct settings settings;
	uint32_t fault;
	struct err err;

	(void)state;
	settings_init(&settings);
	assert_int_equal(apply(&settings,
			       "{\"git\":\"off\",\"limits\":{\"entry_bytes\":1,\"x\":1}}",
			       SETTINGS_PERSON, &fault, &err),
			 -1);
	assert_defaults(&settings);
}

static void test_long_and_odd_names_are_cut_and_made_visible(void **state)
{
	STR_AUTO text = STR_INIT;
	struct settings settings;
	uint32_t fault;
	struct err err;

	(void)state;
	str_adds(&text, "{\"\\u001b[31m");
	for (int i = 0; i < 5000; i++)
		str_addc(&text, 'x');
	str_adds(&text, "\":1}");
	settings_init(&settings);
	assert_int_equal(apply(&settings, text.ptr, SETTINGS_STORE, &fault, &err), -1);
	assert_null(strchr(err.text, 0x1b));
	assert_non_null(strstr(err.text, "xxx...\""));
	assert_true(strlen(err.text) < 200);
}

static void test_notes_dir_of_a_store_stays_inside(void **state)
{
	static const char *const outside[] = {
		"/tmp/notes", "..", "../notes", "a/../../b", "a/..", "a//../..", "/",
	};

	(void)state;
	for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
		STR_AUTO text = STR_INIT;
		struct settings settings;
		uint32_t fault;
		struct err err;

		str_printf(&text, "{\"notes_dir\":\"%s\"}", outside[i]);
		settings_init(&settings);
		assert_int_equal(apply(&settings, text.ptr, SETTINGS_STORE, &fault, &err), -1);
		assert_non_null(strstr(err.text, "inside the store"));
		assert_int_equal(fault, 13);
		assert_int_equal(apply(&settings, text.ptr, SETTINGS_PERSON, &fault, &err), 0);
		assert_int_equal(settings_apply_env(&settings, "NOTES_DIR", outside[i], &err), 0);
	}
}

static void test_env(void **state)
{
	static const struct {
		const char *name;
		const char *value;
		const char *sentence; /* NULL: accepted */
	} cases[] = {
		{"LIMITS_ENTRY_BYTES", "8192", NULL},
		{"GIT", "off", NULL},
		{"DECAY_BETA", "0.7", NULL},
		{"ENRICH", "true", NULL},
		{"GIT", NULL, NULL},
		{"GIT", "\"off\"", "the setting \"git\" must be \"own\" or \"off\", not \"off\""},
		{"LIMITS_ENTRY_BYTES", "4k",
		 "the setting \"limits.entry_bytes\" must be a whole number from 1 to "
		 "1099511627776, not 4k"},
		{"LIMITS_ENTRY_BYTES", "-1",
		 "the setting \"limits.entry_bytes\" must be a whole number from 1 to "
		 "1099511627776, not -1"},
		{"ENRICH", "yes", "the setting \"enrich\" must be true or false, not yes"},
		{"NOTES_DIR", " ", "the setting \"notes_dir\" must be the path of a folder, not  "},
		{"LIMITS_EXPIRY_DAY", "1",
		 "there is no setting \"LIMITS_EXPIRY_DAY\"; the nearest one is "
		 "\"LIMITS_EXPIRY_DAYS\""},
	};
	struct settings settings;
	struct err err;

	(void)state;
	settings_init(&settings);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int rc = settings_apply_env(&settings, cases[i].name, cases[i].value, &err);

		assert_int_equal(rc, cases[i].sentence ? -1 : 0);
		if (!rc)
			continue;
		assert_string_equal(err.text, cases[i].sentence);
		assert_int_equal(err.code, ERR_BAD_VALUE);
	}
	assert_int_equal(settings.entry_bytes, 8192);
	assert_int_equal(settings.git, GIT_MODE_OFF);
}

/* Every environment name is that of a setting, in capitals: an empty object of it is refused. */
static void test_env_names(void **state)
{
	const char *const *names = settings_env_names;
	size_t count = 0;

	(void)state;
	for (; names[count]; count++) {
		STR_AUTO text = STR_INIT;
		struct settings settings;
		uint32_t fault;
		struct err err;
		const char *quoted;

		settings_init(&settings);
		assert_int_equal(settings_apply_env(&settings, names[count], " ", &err), -1);
		quoted = strchr(err.text, '"') + 1;
		for (size_t i = 0; names[count][i]; i++) {
			char c = quoted[i] == '.' ? '_' : (char)toupper((unsigned char)quoted[i]);

			assert_int_equal(c, names[count][i]);
		}
		str_printf(&text, "{\"%.*s\":{}}", (int)strlen(names[count]), quoted);
		assert_int_equal(apply(&settings, text.ptr, SETTINGS_PERSON, &fault, &err), -1);
		assert_non_null(strstr(err.text, "must be"));
	}
	assert_int_equal(count, 22);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_nested_and_flat),
		cmocka_unit_test(test_secrets),
		cmocka_unit_test(test_life_of_a_memory),
		cmocka_unit_test(test_half_lives),
		cmocka_unit_test(test_synced),
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_failure_changes_nothing),
		cmocka_unit_test(test_long_and_odd_names_are_cut_and_made_visible),
		cmocka_unit_test(test_notes_dir_of_a_store_stays_inside),
		cmocka_unit_test(test_env),
		cmocka_unit_test(test_env_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
