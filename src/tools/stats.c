#include "ops/common.h"
#include "ops/statistics.h"
#include "tools/registry.h"

static void stats_write_categories(struct json_writer *w, const struct numbers *numbers)
{
	json_write_member_object(w, "categories");
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		json_write_member_object(w, category_name((enum category)c));
		json_write_member_int(w, "entries", numbers->categories[c].entries);
		json_write_member_int(w, "bytes", numbers->categories[c].file_bytes);
		json_write_end(w);
	}
	json_write_end(w);
}

static void stats_write_dated(struct json_writer *w, const char *name,
			      const struct number_entry *entry)
{
	if (!entry->ref.ptr)
		return;
	json_write_member_object(w, name);
	json_write_member_string(w, "ref", entry->ref);
	common_write_time(w, "created_at", entry->created_ms);
	json_write_end(w);
}

static void stats_write_outstanding(struct json_writer *w, const struct numbers *numbers)
{
	stats_write_dated(w, "oldest", &numbers->oldest);
	stats_write_dated(w, "newest", &numbers->newest);
	if (numbers->largest.ref.ptr) {
		json_write_member_object(w, "largest");
		json_write_member_string(w, "ref", numbers->largest.ref);
		json_write_member_int(w, "bytes", numbers->largest.bytes);
		json_write_end(w);
	}
	json_write_member_array(w, "most_used");
	for (size_t i = 0; i < numbers->used_count; i++) {
		json_write_object(w);
		json_write_member_string(w, "ref", numbers->used[i].ref);
		json_write_member_int(w, "uses", numbers->used[i].uses);
		json_write_member_int(w, "hits", numbers->used[i].hits);
		json_write_end(w);
	}
	json_write_end(w);
}

/* A part that is counted in something, and in bytes where they are known. */
static void stats_write_part(struct json_writer *w, const char *name, const char *what,
			     int64_t count, int64_t bytes)
{
	json_write_member_object(w, name);
	if (what)
		json_write_member_int(w, what, count);
	if (bytes >= 0)
		json_write_member_int(w, "bytes", bytes);
	json_write_end(w);
}

static void stats_write_parts(struct json_writer *w, const struct numbers *numbers)
{
	stats_write_part(w, "archive", "records", numbers->records, numbers->archive_bytes);
	stats_write_part(w, "cold", "records", numbers->cold_records, numbers->cold_bytes);
	stats_write_part(w, "notes", "count", numbers->notes, -1);
	json_write_member_object(w, "relations");
	json_write_member_int(w, "count", numbers->relations);
	json_write_member_int(w, "hidden", numbers->relations_hidden);
	json_write_member_int(w, "bytes", numbers->relations_bytes);
	json_write_end(w);
	stats_write_part(w, "usage", NULL, 0, numbers->usage_bytes);
	if (numbers->history_changes >= 0)
		stats_write_part(w, "history", "changes", numbers->history_changes,
				 numbers->history_bytes);
}

/* The last of the days that are counted: eight weeks. */
#define DAYS_TOLD 56

static void stats_write_writes(struct json_writer *w, const struct number_writes *writes)
{
	const int64_t *days = writes->days + NUMBERS_DAYS - DAYS_TOLD;
	int64_t total = 0;

	for (size_t i = 0; i < DAYS_TOLD; i++)
		total += days[i];
	json_write_member_object(w, "writes");
	json_write_member_string(w, "by", slice_of(writes->by_history ? "history" : "entries"));
	json_write_member_int(w, "total", total);
	json_write_member_array(w, "days");
	for (size_t i = 0; i < DAYS_TOLD; i++)
		json_write_int(w, days[i]);
	json_write_end(w);
	json_write_end(w);
}

/*
 * Gathers the numbers of the view as it was refreshed last, at now_ms. What cannot be read counts
 * as nothing; fails where the settings or the archive cannot be read.
 */
static int stats_gather(struct numbers *out, struct store *store, int64_t now_ms, struct err *err)
{
	struct numbers numbers;
	struct settings settings;

	if (store_settings(store, &settings, err) != 0 ||
	    numbers_count(&numbers, store, now_ms, err) != 0)
		return -1;
	numbers.settings = settings;
	*out = numbers;
	return 0;
}

static int stats_handle(const struct call *call, const void *arguments, struct json_writer *w,
			struct err *err)
{
	struct numbers numbers;

	(void)arguments;
	if (common_refresh(call, err) != 0 ||
	    stats_gather(&numbers, call->store, call->now_ms, err) != 0)
		return -1;
	json_write_object(w);
	json_write_member_string(w, "store", slice_of(store_disk(call->store)->path));
	json_write_member_int(w, "entries", numbers.entries);
	json_write_member_int(w, "pinned", numbers.pinned);
	json_write_member_int(w, "promoted", numbers.promoted);
	json_write_member_int(w, "bytes", numbers.total_bytes);
	common_write_limits(w, &numbers.settings);
	stats_write_categories(w, &numbers);
	stats_write_outstanding(w, &numbers);
	stats_write_parts(w, &numbers);
	stats_write_writes(w, &numbers.writes);
	common_end_reply(w, call);
	return 0;
}

const struct tool tool_stats = {
	.name = "stats",
	.command = "stats",
	.title = "Show how full the store is",
	.section = SECTION_UPKEEP,
	.summary = "Show how much is stored and how close it is to the limits: entries and bytes "
		   "per category, the oldest, newest, largest and most used entries, the archive, "
		   "notes, relations, the history, and what was written each day.",
	.flags = TOOL_SHELL_ONLY | TOOL_READ_ONLY,
	.run = stats_handle,
};
