#include "replay/final.h"

#include "base/mem.h"
#include "store/open/store.h"

#include <stdlib.h>

static size_t count_active(const struct store *store, enum category category)
{
	size_t found = 0;
	size_t count;
	const struct item *items = store_items(store, &count);

	for (size_t i = 0; i < count; i++)
		found += items[i].entry.category == category && !items[i].due;
	return found;
}

static enum golden_outcome check_count(enum category category, size_t want, size_t got,
				       struct str *why)
{
	if (want == got)
		return GOLDEN_PASSED;
	str_printf(why, "%s: expected %zu active entries, got %zu", category_name(category), want,
		   got);
	return GOLDEN_WRONG;
}

/* The entry of exactly this key, or NULL. */
static const struct item *find_active(const struct store *store, enum category category,
				      struct slice key)
{
	size_t count;
	const struct item *items = store_items(store, &count);

	for (size_t i = 0; i < count; i++) {
		if (items[i].entry.category == category && !items[i].due &&
		    slice_equal(items[i].entry.key, key))
			return &items[i];
	}
	return NULL;
}

static enum golden_outcome check_value(const struct json *doc, uint32_t node, struct slice value,
				       struct str *why)
{
	enum golden_outcome outcome;
	struct json_fault fault;
	struct json got;

	if (slice_is(json_text(doc, node), "\"...\""))
		return GOLDEN_PASSED;
	if (json_parse(&got, value, &json_file_bounds, &fault) != 0) {
		str_printf(why, "the value is no JSON: %s", fault.what);
		return GOLDEN_WRONG;
	}
	outcome = golden_compare(doc, node, &got, JSON_ROOT, why);
	json_release(&got);
	return outcome;
}

static enum golden_outcome check_values(const struct json *doc, uint32_t values,
					const struct store *store, enum category category,
					struct str *why)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t m = json_first(doc, values); m != JSON_NONE; m = json_next(doc, m)) {
		struct slice key = json_name(doc, m, &scratch);
		const struct item *item = find_active(store, category, key);
		size_t mark = why->len;

		str_printf(why, "%s:", category_name(category));
		golden_show(why, key);
		str_adds(why, item ? ": " : " is missing");
		if (!item || check_value(doc, m, item->entry.value, why) != GOLDEN_PASSED)
			return GOLDEN_WRONG;
		str_truncate(why, mark);
	}
	return check_count(category, doc->nodes[values].count, count_active(store, category), why);
}

/* node is the values or the number of a category, or JSON_NONE for one that is empty. */
static enum golden_outcome check_category(const struct json *doc, uint32_t node,
					  const struct store *store, enum category category,
					  struct str *why)
{
	int64_t count = 0;

	if (node != JSON_NONE && json_type(doc, node) == JSON_OBJECT)
		return check_values(doc, node, store, category, why);
	if (node != JSON_NONE && (!json_int(doc, node, &count) || count < 0))
		return golden_unknown_form(why, "active is neither values nor a number");
	return check_count(category, (size_t)count, count_active(store, category), why);
}

static enum golden_outcome check_active(const struct json *doc, uint32_t active,
					const struct store *store, struct str *why)
{
	static const char *const members[] = {
#define X(id, name) "?" name,
		CATEGORIES(X)
#undef X
			NULL};

	if (!golden_has_members(doc, active, members, why))
		return GOLDEN_UNKNOWN_FORM;
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		enum category category = (enum category)c;
		uint32_t node = json_member(doc, active, category_name(category));
		enum golden_outcome outcome = check_category(doc, node, store, category, why);

		if (outcome != GOLDEN_PASSED)
			return outcome;
	}
	return GOLDEN_PASSED;
}

/* Is the record "category:key reason"? A reason "*" is any when any_reason says so. */
static bool is_record(const struct record *record, struct slice text, bool any_reason)
{
	STR_AUTO whole = STR_INIT;

	ref_add(&whole, record->category, record->original_key);
	str_addc(&whole, ' ');
	if (any_reason)
		str_addc(&whole, '*');
	else if (record->reason.ptr)
		str_add(&whole, record->reason);
	return slice_equal(str_slice(&whole), text);
}

/* Marks the first record not found yet that is the text; false when there is none. */
static bool take_record(const struct archived *records, size_t count, struct slice text,
			bool any_reason, bool *taken)
{
	for (size_t i = 0; i < count; i++) {
		if (taken[i] || !is_record(&records[i].record, text, any_reason))
			continue;
		taken[i] = true;
		return true;
	}
	return false;
}

/* Takes the records of one kind of expectation: exact ones must have their turn before "*". */
static enum golden_outcome take_records(const struct json *doc, uint32_t list, bool any_reason,
					const struct archived *records, size_t count, bool *taken,
					struct str *why)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t m = json_first(doc, list); m != JSON_NONE; m = json_next(doc, m)) {
		struct slice text = json_string(doc, m, &scratch);

		if (!text.ptr || text.len < 2)
			return golden_unknown_form(why, "archived is no list of texts");
		if ((text.ptr[text.len - 1] == '*' && text.ptr[text.len - 2] == ' ') != any_reason)
			continue;
		if (take_record(records, count, text, any_reason, taken))
			continue;
		str_adds(why, "archived: missing ");
		golden_show(why, text);
		return GOLDEN_WRONG;
	}
	return GOLDEN_PASSED;
}

/* Says which record nobody expected. */
static enum golden_outcome check_all_taken(const struct archived *records, size_t count,
					   const bool *taken, struct str *why)
{
	for (size_t i = 0; i < count; i++) {
		if (taken[i])
			continue;
		str_adds(why, "archived: unexpected ");
		golden_show(why, records[i].ref);
		str_addc(why, ' ');
		if (records[i].record.reason.ptr)
			golden_show(why, records[i].record.reason);
		return GOLDEN_WRONG;
	}
	return GOLDEN_PASSED;
}

static enum golden_outcome check_archived(const struct json *doc, uint32_t list,
					  struct store *store, struct str *why)
{
	const struct archived *records;
	enum golden_outcome outcome;
	struct err err;
	size_t count;
	bool *taken;

	if (store_archive_all(store, &records, &count, &err) != 0) {
		str_adds(why, err.text);
		return GOLDEN_WRONG;
	}
	taken = mem_zalloc(count + 1, sizeof *taken);
	outcome = take_records(doc, list, false, records, count, taken, why);
	if (outcome == GOLDEN_PASSED)
		outcome = take_records(doc, list, true, records, count, taken, why);
	if (outcome == GOLDEN_PASSED)
		outcome = check_all_taken(records, count, taken, why);
	free(taken);
	return outcome;
}

enum golden_outcome final_agrees(const struct json *doc, uint32_t final, struct store *store,
				 int64_t now_ms, struct str *why)
{
	static const char *const members[] = {"?active", "?archived", NULL};
	uint32_t active = json_member(doc, final, "active");
	uint32_t archived = json_member(doc, final, "archived");
	enum golden_outcome outcome = GOLDEN_PASSED;
	struct err err;

	if (!golden_has_members(doc, final, members, why))
		return GOLDEN_UNKNOWN_FORM;
	if (store_refresh(store, now_ms, &err) != 0) {
		str_adds(why, err.text);
		return GOLDEN_WRONG;
	}
	if (active != JSON_NONE)
		outcome = check_active(doc, active, store, why);
	if (outcome == GOLDEN_PASSED && archived != JSON_NONE)
		outcome = check_archived(doc, archived, store, why);
	return outcome;
}
