/*
 * A category file, or archive.json, of any bytes, and an operation on it. What does not parse stays
 * as it is; else every entry that the operation is not about stays byte for byte, or is in the
 * archive. The first byte chooses the file, the second the operation.
 */
#include "fuzz/fuzz_store.h"

#include "json/write.h"
#include "model/category.h"
#include "store/files/resolve.h"
#include "text/normalize.h"

#define COLD_FILE "archive.cold/2026-11.jsonl"

static const struct command {
	const char *name;
	const char *before; /* arguments around the key */
	const char *after;
} commands[] = {
	{"list", "{}", NULL},
	{"get", "{\"query\":", "}"},
	{"set", "{\"key\":", ",\"value\":{\"a\":[1.0,\"\\u00e9\"]}}"},
	{"update", "{\"key\":", ",\"addition\":\"and more\"}"},
	{"delete", "{\"key\":", "}"},
	{"clear-state", "{}", NULL},
	{"archived", "{}", NULL},
	{"mv", "{\"key\":", ",\"new\":\"patterns:moved\"}"},
	{"update", "{\"key\":", ",\"addition\":{\"b\":null}}"},
	{"set", "{\"key\":", ",\"value\":1,\"pinned\":true,\"tags\":[\"x\"]}"},
	{"notes", "{\"summary\":\"s\"}", NULL},
};

struct run {
	const char *file;
	const struct command *command;
	struct str key;      /* that the operation is given */
	struct str identity; /* of the key that it is about */
};

/* The key of one of the entries, so that the operation meets it; else a new one. */
static void choose_key(struct run *run, const struct json *doc, uint8_t choice)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t member = doc ? json_first(doc, JSON_ROOT) : JSON_NONE;

	if (doc && json_type(doc, JSON_ROOT) != JSON_OBJECT)
		member = JSON_NONE;
	for (uint8_t i = 0; i < choice % 4 && member != JSON_NONE; i++)
		member = json_next(doc, member);
	if (member == JSON_NONE)
		str_adds(&run->key, "editor");
	else
		str_add(&run->key, json_name(doc, member, &scratch));
}

/* Keys of one identity are one key to the operation. */
static void find_identity(struct run *run)
{
	struct slice key = ref_parse(str_slice(&run->key)).key;

	if (strcmp(run->command->name, "notes") == 0)
		key = slice_of("conversation_notes");
	normalize_key(key, &run->identity);
}

static bool is_about(const struct run *run, struct slice key)
{
	STR_AUTO identity = STR_INIT;

	normalize_key(key, &identity);
	return slice_equal(str_slice(&identity), str_slice(&run->identity));
}

static bool operate(const struct run *run)
{
	STR_AUTO arguments = STR_INIT;
	struct json_writer w;

	str_adds(&arguments, run->command->before);
	if (run->command->after) {
		w = json_writer_to(&arguments, &json_compact);
		json_write_string(&w, str_slice(&run->key));
		str_adds(&arguments, run->command->after);
	}
	return fuzz_store_run(run->command->name, str_slice(&arguments), NULL);
}

/* Is this entry, or the value that it is, that of a record? */
static bool record_has(const struct json *archive, uint32_t record, const struct json *doc,
		       uint32_t entry)
{
	uint32_t kept = json_member(archive, record, "entry");
	uint32_t value = kept ? json_member(archive, kept, "value") : JSON_NONE;

	return (kept && json_equal(archive, kept, doc, entry)) ||
	       (value && json_equal(archive, value, doc, entry));
}

static bool is_in_archive(const struct json *doc, uint32_t entry)
{
	struct slice text = fuzz_store_read("archive.json");
	struct json_fault fault;
	struct json archive;
	bool found = false;

	if (!text.ptr || json_parse(&archive, text, &json_file_bounds, &fault) != 0)
		return false;
	for (uint32_t c = json_first(&archive, JSON_ROOT); c != JSON_NONE;
	     c = json_next(&archive, c)) {
		for (uint32_t r = json_first(&archive, c); r != JSON_NONE;
		     r = json_next(&archive, r))
			found = found || record_has(&archive, r, doc, entry);
	}
	json_release(&archive);
	return found;
}

static bool is_in_cold(const struct json *doc, uint32_t entry)
{
	struct slice text = fuzz_store_read(COLD_FILE);
	bool found = false;

	while (text.len > 0) {
		struct slice line = fuzz_take_line(&text);
		struct json_fault fault;
		struct json record;

		if (json_parse(&record, line, &json_file_bounds, &fault) != 0)
			continue;
		found = found || record_has(&record, JSON_ROOT, doc, entry);
		json_release(&record);
	}
	return found;
}

static void check_entries(const struct run *run, const struct json *before,
			  const struct json *after)
{
	STR_AUTO name = STR_INIT;

	for (uint32_t m = json_first(before, JSON_ROOT); m != JSON_NONE; m = json_next(before, m)) {
		struct slice key = json_name(before, m, &name);
		uint32_t now = json_member_slice(after, JSON_ROOT, key);

		if (now && slice_equal(json_text(before, m), json_text(after, now)))
			continue;
		if (is_about(run, key))
			continue;
		FUZZ_REQUIRE(!now, "another entry keeps its bytes");
		FUZZ_REQUIRE(is_in_archive(before, m) || is_in_cold(before, m),
			     "an entry that went is in the archive");
	}
}

/* Of the archive only what does not parse is of interest here: records move on to the cold one. */
static void check(const struct run *run, const struct json *before, struct slice old, bool worked)
{
	struct slice text = fuzz_store_read(run->file);
	struct json_fault fault;
	struct json after;

	if (worked && fuzz_is_planted(old))
		text.len = 0;
	if (!before || json_type(before, JSON_ROOT) != JSON_OBJECT) {
		FUZZ_REQUIRE(slice_equal(text, old), "what does not parse stays as it is");
		return;
	}
	FUZZ_REQUIRE(json_parse(&after, text, &json_file_bounds, &fault) == 0, "the file parses");
	if (strcmp(run->file, "archive.json") != 0)
		check_entries(run, before, &after);
	json_release(&after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = fuzz_slice(data, size);
	uint8_t file = fuzz_take_byte(&text);
	uint8_t command = fuzz_take_byte(&text);
	struct run run = {
		.file = store_file_name((enum store_file)(file % (STORE_FILE_ARCHIVE + 1))),
		.command = &commands[command % (sizeof commands / sizeof *commands)],
		.key = STR_INIT,
		.identity = STR_INIT,
	};
	struct json_fault fault;
	struct json doc;
	bool parses = json_parse(&doc, text, &json_file_bounds, &fault) == 0;
	bool worked;

	fuzz_store_begin();
	fuzz_store_write(run.file, text);
	choose_key(&run, parses ? &doc : NULL, file / 8);
	find_identity(&run);
	worked = operate(&run);
	if (!text_is_blank(text))
		check(&run, parses ? &doc : NULL, text, worked);
	fuzz_store_check(parses ? NULL : run.file);
	if (parses)
		json_release(&doc);
	str_release(&run.key);
	str_release(&run.identity);
	fuzz_store_end();
	return 0;
}
