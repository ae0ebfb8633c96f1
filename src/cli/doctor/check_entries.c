#include "base/utf8.h"
#include "base/map.h"
#include "base/time.h"
#include "cli/doctor/check.h"
#include "text/normalize.h"
#include "policy/retention.h"
#include "model/archive_record.h"
#include "store/log/cold.h"

#include <inttypes.h>

/* An entry that nobody uses until then goes to the archive. */
#define SOON_MS (7 * MS_PER_DAY)

static void take_time(struct checkup *checkup, int64_t ms)
{
	if (ms == TIME_NONE)
		return;
	if (ms > checkup->now_ms)
		checkup->later_count++;
	if (ms > checkup->newest_ms)
		checkup->newest_ms = ms;
}

/* When it was last active, as the store reckons. */
static int64_t active_ms(const struct checkup *checkup, const struct entry *entry)
{
	const struct usage_epoch epoch = usage_epoch(checkup->usage);
	const struct usage_fact *fact;
	struct activity activity = {entry->updated_ms, entry->accessed_ms, TIME_NONE};
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, entry->category, entry->key);
	fact = usage_find(checkup->usage, str_slice(&ref));
	activity.accessed_ms = time_later(activity.accessed_ms, entry->used_ms);
	if (fact) {
		activity.seen_ms = fact->seen_ms;
		activity.accessed_ms = time_later(activity.accessed_ms, fact->last_ms);
		activity.accessed_ms = time_later(activity.accessed_ms, fact->used_ms);
		activity.accessed_ms = time_later(activity.accessed_ms, fact->shown_ms);
	}
	return hygiene_active_ms(&activity, &epoch, checkup->now_ms);
}

static void check_expiry(struct checkup *checkup, const struct entry *entry)
{
	int64_t later_ms = checkup->now_ms + SOON_MS;

	if (!usage_is_known(checkup->usage) ||
	    !hygiene_expired(active_ms(checkup, entry), entry->pinned, &checkup->settings,
			     later_ms))
		return;
	if (checkup->expiring++ >= CHECKUP_EXPIRING_NAMED)
		return;
	if (checkup->expiring > 1)
		str_adds(&checkup->expiring_refs, ", ");
	checkup_add_ref(&checkup->expiring_refs, category_name(entry->category), entry->key);
}

static void check_size(struct checkup *checkup, const struct entry *entry)
{
	int64_t size = (int64_t)entry_size(entry->text);
	STR_AUTO ref = STR_INIT;

	if (size <= checkup->settings.entry_bytes)
		return;
	checkup_add_ref(&ref, category_name(entry->category), entry->key);
	findings_add(checkup->found, FINDING_ENTRY_TOO_LARGE, NULL,
		     "%s has %" PRId64 " bytes, the limit is %" PRId64, ref.ptr, size,
		     checkup->settings.entry_bytes);
}

/* Says when another entry of the category has the same identity; remembers this one. */
static void check_twin(struct checkup *checkup, const struct entry *entry, struct arena *arena,
		       struct map *seen)
{
	STR_AUTO identity = STR_INIT;
	STR_AUTO ref = STR_INIT;

	normalize_key(entry->key, &identity);
	if (!map_get(seen, str_slice(&identity), NULL)) {
		map_put(seen, arena_copy(arena, str_slice(&identity)), 1);
		return;
	}
	checkup_add_ref(&ref, category_name(entry->category), entry->key);
	findings_add(checkup->found, FINDING_SAME_KEY, NULL,
		     "%s is the same key as one before it in another spelling", ref.ptr);
}

/* The tools make no such key, but open one that was written by hand. */
static void check_key(struct checkup *checkup, const struct entry *entry)
{
	const char *category = category_name(entry->category);
	STR_AUTO remedy = STR_INIT;

	if (!blank_only(entry->key))
		return;
	str_printf(&remedy, "Give it a name: kota mv '%s:%.*s' NAME", category, (int)entry->key.len,
		   entry->key.ptr);
	findings_add(checkup->found, FINDING_BLANK_KEY, remedy.ptr,
		     "%s has an entry with a blank key", category);
}

static void check_pinned(struct checkup *checkup, enum category category, int64_t pinned)
{
	int64_t most = hygiene_pin_limit(checkup->settings.entries_per_category);

	if (pinned > most)
		findings_add(checkup->found, FINDING_OVER_PINNED, NULL,
			     "%" PRId64 " entries of %s are pinned, more than half of the limit of "
			     "%" PRId64,
			     pinned, category_name(category),
			     checkup->settings.entries_per_category);
}

static void check_count(struct checkup *checkup, enum category category, int64_t count)
{
	int64_t limit = checkup->settings.entries_per_category;

	if (count > limit)
		findings_add(checkup->found, FINDING_OVER_ENTRIES, NULL,
			     "%s has %" PRId64 " entries, the limit is %" PRId64,
			     category_name(category), count, limit);
}

void checkup_entries(struct checkup *checkup, enum category category, const struct json *doc,
		     struct str *summary)
{
	struct arena arena = ARENA_INIT;
	struct map seen = MAP_INIT;
	int64_t count = doc->nodes[JSON_ROOT].count;
	int64_t pinned = 0;

	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		struct entry entry;

		entry_read(&entry, category, doc, n, &arena);
		take_time(checkup, entry.created_ms);
		take_time(checkup, entry.updated_ms);
		take_time(checkup, entry.accessed_ms);
		if (entry.pinned) {
			pinned++;
			checkup->pinned_bytes += (int64_t)entry.text.len;
		}
		check_expiry(checkup, &entry);
		checkup_others(checkup, &entry);
		checkup_promoted(checkup, doc, n, &entry);
		check_key(checkup, &entry);
		check_size(checkup, &entry);
		check_twin(checkup, &entry, &arena, &seen);
		checkup_secrets(checkup, store_file_name((enum store_file)category),
				category_name(category), entry.key, doc, n);
	}
	str_printf(summary, ", %" PRId64 " of %" PRId64 " entries", count,
		   checkup->settings.entries_per_category);
	if (pinned > 0)
		str_printf(summary, ", %" PRId64 " pinned", pinned);
	check_count(checkup, category, count);
	check_pinned(checkup, category, pinned);
	checkup->sums.counts[category] = count;
	map_release(&seen);
	arena_release(&arena);
}

/* Counts the records of one category's list; *bad those that are none. */
static size_t count_records(struct checkup *checkup, enum category category, const struct json *doc,
			    uint32_t list, size_t *bad)
{
	struct arena arena = ARENA_INIT;
	size_t count = 0;

	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
		struct record record;

		if (record_read(&record, category, doc, n, &arena)) {
			take_time(checkup, record.archived_ms);
			checkup_secrets(checkup, store_file_name(STORE_FILE_ARCHIVE),
					category_name(category), record.key, doc, n);
			checkup->sums.archive_counts[category]++;
			checkup->sums.archive_bytes[category] += (int64_t)record.text.len;
			count++;
		} else {
			++*bad;
		}
	}
	arena_release(&arena);
	return count;
}

void checkup_records(struct checkup *checkup, const struct json *doc, struct str *summary)
{
	size_t count = 0;
	size_t bad = 0;

	for (int c = 0; c < CATEGORY_COUNT; c++) {
		const char *category = category_name((enum category)c);
		uint32_t list = json_member(doc, JSON_ROOT, category);

		if (list == JSON_NONE)
			continue;
		if (json_type(doc, list) == JSON_ARRAY)
			count += count_records(checkup, (enum category)c, doc, list, &bad);
		else
			bad++;
	}
	str_printf(summary, ", %zu %s", count, count == 1 ? "record" : "records");
	if (bad > 0)
		findings_add(checkup->found, FINDING_BAD_RECORDS, NULL,
			     "%s has %zu %s that cannot be read as a record",
			     store_file_name(STORE_FILE_ARCHIVE), bad,
			     bad == 1 ? "member" : "members");
}

/* What the cold archive holds. */
struct tally {
	struct checkup *checkup;
	size_t records;
	size_t months;
	int64_t last_ms; /* of the record before */
};

/* A line that is a record has its category and its key as texts. */
static void check_line(struct checkup *checkup, const struct json *doc)
{
	STR_AUTO category = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	uint32_t key = json_member(doc, JSON_ROOT, "key");

	if (key == JSON_NONE)
		return;
	str_add(&category, json_string(doc, json_member(doc, JSON_ROOT, "category"), &scratch));
	checkup_secrets(checkup, COLD_FOLDER, category.ptr, json_string(doc, key, &scratch), doc,
			JSON_ROOT);
}

/* The months come one after the other. */
static int take_line(void *context, const struct json *doc)
{
	struct tally *tally = context;
	int64_t ms = entry_time(doc, json_member(doc, JSON_ROOT, "archivedAt"));

	check_line(tally->checkup, doc);
	tally->records++;
	if (ms == TIME_NONE)
		return 0;
	if (tally->last_ms == TIME_NONE || !cold_same_month(tally->last_ms, ms))
		tally->months++;
	tally->last_ms = ms;
	take_time(tally->checkup, ms);
	return 0;
}

void checkup_cold(struct checkup *checkup)
{
	struct tally tally = {.checkup = checkup, .last_ms = TIME_NONE};
	STR_AUTO first_bad = STR_INIT;
	struct err err;
	size_t bad = 0;

	if (cold_walk(&checkup->disk, take_line, &tally, &bad, &first_bad, &err) != 0 ||
	    cold_check(&checkup->disk, checkup->now_ms, &err) != 0) {
		findings_fact(checkup->found, GROUP_FILES, COLD_FOLDER, "broken");
		findings_add(checkup->found, FINDING_COLD_BROKEN, NULL, "%s", err.text);
		return;
	}
	findings_detail(checkup->found, GROUP_FILES, COLD_FOLDER, "%zu %s of %zu %s", tally.records,
			tally.records == 1 ? "record" : "records", tally.months,
			tally.months == 1 ? "month" : "months");
	if (bad > 0)
		findings_add(checkup->found, FINDING_COLD_LINES, NULL, "%s: %zu %s cannot be read",
			     first_bad.ptr, bad, bad == 1 ? "line" : "lines");
}
