#include "ops/statistics.h"

#include "base/time.h"
#include "git/walk.h"
#include "ops/entry_stats.h"
#include "store/files/disk_usage.h"
#include "store/history/history.h"
#include "store/view/relations.h"
#include "store/view/search_all.h"

/* The day of a moment where this program runs. */
static int64_t numbers_day_of(int64_t ms)
{
	int64_t local = ms + (int64_t)timestamp_offset_min(ms) * 60000;

	return local >= 0 ? local / MS_PER_DAY : (local + 1) / MS_PER_DAY - 1;
}

static void numbers_count_write(struct number_writes *writes, int64_t ms, int64_t now_ms)
{
	int64_t ago = ms == TIME_NONE ? NUMBERS_DAYS : numbers_day_of(now_ms) - numbers_day_of(ms);

	if (ago < 0 || ago >= NUMBERS_DAYS)
		return;
	writes->days[NUMBERS_DAYS - 1 - ago]++;
}

/* Without a history: when what there is was made, changed last, and archived. */
static void numbers_count_writes(struct numbers *out, struct store *store, int64_t now_ms)
{
	const struct archived *archived;
	struct err ignored;
	size_t count;
	const struct item *items = store_items(store, &count);

	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &items[i].entry;

		numbers_count_write(&out->writes, entry->created_ms, now_ms);
		if (entry->updated_ms != entry->created_ms)
			numbers_count_write(&out->writes, entry->updated_ms, now_ms);
	}
	if (store_archive_all(store, &archived, &count, &ignored) != 0)
		return; /* whoever counts the records says so */
	for (size_t i = 0; i < count; i++)
		numbers_count_write(&out->writes, archived[i].record.archived_ms, now_ms);
}

static void numbers_count_bytes(struct numbers *out, struct disk *disk)
{
	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++) {
		int64_t bytes = size_of_file(disk, store_file_name((enum store_file)f));

		if (f == STORE_FILE_ARCHIVE)
			out->archive_bytes = bytes;
		else
			out->categories[f].file_bytes = bytes;
		out->total_bytes += bytes;
	}
	out->relations_bytes = size_of_file(disk, store_file_name(STORE_FILE_RELATIONS));
	out->usage_bytes = size_of_file(disk, "usage.jsonl");
	out->cold_bytes = size_of_folder(disk, COLD_FOLDER);
	out->history_bytes = size_of_folder(disk, ".git");
}

/* True if a is used more than b. Ties keep the order of the files. */
static bool numbers_is_used_more(const struct number_entry *a, const struct number_entry *b)
{
	if (a->uses != b->uses)
		return a->uses > b->uses;
	return a->hits > b->hits;
}

static void numbers_rank(struct numbers *out, const struct number_entry *entry)
{
	size_t at = out->used_count;

	if (entry->hits == 0 && entry->uses == 0)
		return;
	while (at > 0 && numbers_is_used_more(entry, &out->used[at - 1]))
		at--;
	if (at == NUMBERS_USED_MAX)
		return;
	if (out->used_count < NUMBERS_USED_MAX)
		out->used_count++;
	memmove(out->used + at + 1, out->used + at, (out->used_count - at - 1) * sizeof *out->used);
	out->used[at] = *entry;
}

static void numbers_count_entry(struct numbers *out, const struct facts *facts)
{
	const struct item *item = facts->item;
	const struct number_entry entry = {
		.ref = item->ref,
		.created_ms = item->created_ms,
		.bytes = facts->bytes,
		.hits = item->hits,
		.uses = facts->item->uses,
	};

	out->entries++;
	out->categories[item->entry.category].entries++;
	out->pinned += item->entry.pinned;
	out->promoted += facts->item->entry.promoted;
	if (!out->oldest.ref.ptr || entry.created_ms < out->oldest.created_ms)
		out->oldest = entry;
	if (!out->newest.ref.ptr || entry.created_ms > out->newest.created_ms)
		out->newest = entry;
	if (!out->largest.ref.ptr || entry.bytes > out->largest.bytes)
		out->largest = entry;
	numbers_rank(out, &entry);
}

static void numbers_count_entries(struct numbers *out, struct store *store, int64_t now_ms)
{
	ARENA_AUTO arena = ARENA_INIT;
	size_t count;
	const struct facts *facts = facts_read_all(store, now_ms, &arena, &count);

	for (size_t i = 0; i < count; i++)
		numbers_count_entry(out, &facts[i]);
}

static int numbers_count_records(struct numbers *out, struct store *store, struct err *err)
{
	const struct archived *archived;
	size_t count;

	if (store_archive_all(store, &archived, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (archived[i].cold)
			out->cold_records++;
		else
			out->records++;
	}
	return 0;
}

static void numbers_count_relations(struct numbers *out, struct store *store)
{
	const struct link *links;
	struct err ignored;
	size_t count;

	if (store_links(store, &links, &count, &ignored) != 0)
		return;
	out->relations = (int64_t)count;
	for (size_t i = 0; i < count; i++)
		out->relations_hidden += !links[i].shown;
}

static void numbers_count_changes(struct numbers *out, struct store *store, int64_t now_ms)
{
	struct commit commit;
	struct err ignored;
	struct walk *walk;
	struct repo *repo;

	out->history_changes = -1;
	if (history_repo(store, &repo, &ignored) != 0 ||
	    walk_open(&walk, repo, NULL, &ignored) != 0)
		return;
	out->history_changes = 0;
	out->writes = (struct number_writes){.by_history = true};
	while (walk_next(walk, &commit, &ignored) == 1) {
		out->history_changes++;
		numbers_count_write(&out->writes, commit.time_ms, now_ms);
	}
	walk_close(walk);
}

int numbers_count(struct numbers *out, struct store *store, int64_t now_ms, struct err *err)
{
	const struct sought *all;
	size_t count = store_search_all(store, &all);

	*out = (struct numbers){0};
	numbers_count_bytes(out, store_disk(store));
	numbers_count_entries(out, store, now_ms);
	for (size_t i = 0; i < count; i++)
		out->notes += all[i].status == SOUGHT_NOTE;
	numbers_count_relations(out, store);
	numbers_count_writes(out, store, now_ms);
	numbers_count_changes(out, store, now_ms);
	return numbers_count_records(out, store, err);
}
