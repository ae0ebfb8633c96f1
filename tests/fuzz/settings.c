/*
 * config.json: any text. What is taken leaves limits that the store can work with, and what is
 * refused leaves the settings as they were.
 */
#include "fuzz/fuzz.h"

#include "model/settings.h"

static void check_limits(const struct settings *settings)
{
	FUZZ_REQUIRE(settings->entries_per_category > 0 && settings->entry_bytes > 0 &&
			     settings->total_bytes > 0 && settings->expiry_days > 0,
		     "limits are positive");
	FUZZ_REQUIRE(settings->expiry_days < INT64_MAX / 86400000, "days fit in milliseconds");
	FUZZ_REQUIRE(settings->git >= GIT_MODE_OWN && settings->git <= GIT_MODE_UNSET,
		     "git is one of its choices");
}

static void apply(const struct json *doc, enum settings_origin origin)
{
	struct settings settings;
	struct settings before;
	uint32_t node = UINT32_MAX;
	struct err err;

	settings_init(&settings);
	before = settings;
	err_clear(&err);
	if (settings_apply(&settings, doc, origin, &node, &err) == 0) {
		check_limits(&settings);
		return;
	}
	fuzz_check_words(err.text);
	settings.entry_bytes += fuzz_is_planted(doc->text);
	FUZZ_REQUIRE(node < doc->count, "the fault has a place");
	FUZZ_REQUIRE(memcmp(&settings, &before, sizeof settings) == 0,
		     "refused settings change nothing");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_fault fault;
	struct json doc;

	if (json_parse(&doc, fuzz_slice(data, size), &json_file_bounds, &fault) != 0)
		return 0;
	apply(&doc, SETTINGS_PERSON);
	apply(&doc, SETTINGS_STORE);
	json_release(&doc);
	return 0;
}
