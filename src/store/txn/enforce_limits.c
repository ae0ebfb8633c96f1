#include "store/txn/enforce_limits.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "similarity/report.h"
#include "store/view/notices.h"

#include <inttypes.h>
#include <stdlib.h>

/* Bytes that count against limits.total_bytes now. */
static int64_t limits_bytes_before(const struct store *store)
{
	int64_t total = 0;

	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++)
		if (store->files[f].id.present)
			total += (int64_t)store->files[f].id.size;
	return total;
}

/* The same after the change: the files that it touches are spliced to see. */
static int limits_bytes_after(const struct change *change, int64_t *total, struct err *err)
{
	const struct store *store = change->store;
	const struct json *docs[STORE_FILE_COUNT] = {0};
	size_t sizes[STORE_FILE_COUNT];

	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++)
		if (!store->files[f].broken && store->files[f].known)
			docs[f] = &store->files[f].doc;
	if (apply_preview((const struct json *const *)docs, change->ops, change->op_count, sizes,
			  err) != 0)
		return -1;
	*total = 0;
	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++)
		*total += docs[f] && sizes[f] != APPLY_UNTOUCHED ? (int64_t)sizes[f]
			  : store->files[f].id.present           ? (int64_t)store->files[f].id.size
								 : 0;
	return 0;
}

/* Days after which a note of what happened makes room for what holds. */
#define OVER_DAYS 14

/* A note of state that tells of something that happened, and that nobody asked for since. */
static bool limits_is_over(const struct change *change, const struct item *item)
{
	return change->now_ms - item->active_ms >= OVER_DAYS * MS_PER_DAY &&
	       report_is_note(&item->entry);
}

/* Entries of items first..end that may go, least recently active first; the caller frees it. */
static struct eviction *limits_candidates(const struct change *change, size_t first, size_t end,
					  size_t *count)
{
	const struct store *store = change->store;
	struct eviction *out = mem_zalloc(end - first, sizeof *out);

	*count = 0;
	for (size_t i = first; i < end; i++) {
		const struct item *item = &store->items[i];

		if (item->entry.pinned || map_get(&change->touched, item->ref, NULL) ||
		    store->files[item->entry.category].broken)
			continue;
		out[(*count)++] = (struct eviction){.active_ms = item->active_ms,
						    .report = limits_is_over(change, item),
						    .position = i};
	}
	retention_sort_evictions(out, *count);
	return out;
}

/* Says that the item had to make room. */
static void limits_report_evicted(struct change *change, const struct item *item)
{
	change->evicted = mem_grow(change->evicted, &change->evicted_cap, change->evicted_count + 1,
				   sizeof *change->evicted);
	change->evicted[change->evicted_count++] = arena_copy(&change->arena, item->ref);
}

/* Moves out so many entries of the category, or as many as may go; *count says how many may. */
static int limits_evict(struct change *change, enum category category, int64_t evict,
			int64_t *count, struct err *err)
{
	struct store *store = change->store;
	size_t candidates;
	struct eviction *order = limits_candidates(change, store->first[category],
						   store->first[category + 1], &candidates);
	int result = 0;

	*count = (int64_t)candidates;
	for (int64_t i = 0; i < evict && i < *count && result == 0; i++) {
		const struct item *item = &store->items[order[i].position];

		result = change_move_out(change, item, REASON_EVICTED, false, err);
		if (result == 0)
			limits_report_evicted(change, item);
	}
	free(order);
	return result;
}

static int limits_fit_category(struct change *change, enum category category, struct err *err)
{
	const struct store *store = change->store;
	int64_t limit = store->settings.entries_per_category;
	int64_t grows = change->added[category] - change->removed[category];
	int64_t after = (int64_t)(store->first[category + 1] - store->first[category]) + grows;
	int64_t evict = after - limit < grows ? after - limit : grows;
	int64_t count;

	if (evict <= 0)
		return 0;
	if (limits_evict(change, category, evict, &count, err) != 0)
		return -1;
	if (count < evict)
		return err_set(err, ERR_STORE_FULL,
			       "%s holds %" PRId64
			       " entries, all of them pinned; the limit is %" PRId64
			       " (limits.entries_per_category): unpin or delete one",
			       category_name(category), after - grows, limit);
	return 0;
}

/* A text that lost in a merge goes last: somebody may have to choose between it and the entry. */
static int limits_older_first(const void *a, const void *b)
{
	const struct archived *const *x = a;
	const struct archived *const *y = b;
	bool lost = slice_is((*x)->record.reason, reason_name(REASON_CONFLICT));

	if (lost != slice_is((*y)->record.reason, reason_name(REASON_CONFLICT)))
		return lost ? 1 : -1;
	if ((*x)->record.archived_ms != (*y)->record.archived_ms)
		return (*x)->record.archived_ms < (*y)->record.archived_ms ? -1 : 1;
	return slice_compare((*x)->ref, (*y)->ref);
}

static void limits_move_record_to_cold(struct change *change, const struct archived *archived)
{
	const struct record *record = &archived->record;
	struct op gone = {
		.kind = OP_RECORD_REMOVE,
		.category = record->category,
		.key = record->key,
		.before = hash64(record->text),
	};
	struct op cold = {
		.kind = OP_COLD_ADD,
		.category = record->category,
		.key = record->key,
		.at_ms = record->archived_ms == TIME_NONE ? change->now_ms : record->archived_ms,
	};
	STR_AUTO line = STR_INIT;

	record_compose_cold(&line, record->category, record->text);
	cold.text = arena_copy(&change->arena, str_slice(&line));
	change_add_op(change, &cold);
	change_add_op(change, &gone);
}

/* Moves oldest records until about `excess` bytes are gone; false when none was left to move. */
static bool limits_shed_records(struct change *change, const struct archived **oldest, size_t count,
				size_t *next, int64_t excess)
{
	size_t first = *next;

	while (*next < count && excess > 0) {
		/* It is being removed by an undo and must not go to the cold archive instead. */
		if (map_get(&change->taken_back, oldest[*next]->ref, NULL)) {
			(*next)++;
			continue;
		}
		excess -= (int64_t)oldest[*next]->record.text.len;
		limits_move_record_to_cold(change, oldest[(*next)++]);
	}
	return *next > first;
}

/* Records that this very change would add to archive.json go to the cold archive instead. */
static bool limits_shed_new_records(struct change *change)
{
	bool moved = false;

	for (size_t i = 0; i < change->op_count; i++) {
		struct op *op = &change->ops[i];
		struct str line = STR_INIT;

		if (op->kind != OP_RECORD_ADD)
			continue;
		record_compose_cold(&line, op->category, op->text);
		op->kind = OP_COLD_ADD;
		op->text = arena_copy(&change->arena, str_slice(&line));
		str_release(&line);
		moved = true;
	}
	return moved;
}

struct shedding {
	const struct archived **oldest; /* records of archive.json */
	size_t oldest_count;
	size_t next_record;
	struct eviction *order; /* entries */
	size_t order_count;
	size_t next_entry;
};

static void limits_plan_shedding(const struct change *change, struct shedding *plan)
{
	struct store *store = change->store;

	*plan = (struct shedding){0};
	plan->oldest = mem_zalloc(store->archive.count, sizeof(const struct archived *));
	plan->oldest_count = store->archive.count;
	for (size_t i = 0; i < store->archive.count; i++)
		plan->oldest[i] = &store->archive.records[i];
	if (plan->oldest_count > 1)
		qsort(plan->oldest, plan->oldest_count, sizeof(const struct archived *),
		      limits_older_first);
	plan->order = limits_candidates(change, 0, store->item_count, &plan->order_count);
}

/* One step towards the limit. Returns 1 when something moved, 0 when nothing more can, -1. */
static int limits_shed(struct change *change, struct shedding *plan, int64_t excess,
		       struct err *err)
{
	if (limits_shed_records(change, plan->oldest, plan->oldest_count, &plan->next_record,
				excess) ||
	    limits_shed_new_records(change))
		return 1;
	/*
	 * What is put back was there before: for that no entry goes. Nor where others may use what
	 * nobody uses here, and a removal would travel to them.
	 */
	if (change->takes_back || !store_may_judge(change->store) ||
	    plan->next_entry >= plan->order_count)
		return 0;
	const struct item *item = &change->store->items[plan->order[plan->next_entry++].position];
	if (map_get(&change->touched, item->ref, NULL))
		return 1;
	if (change_move_out(change, item, REASON_EVICTED, true, err) != 0)
		return -1;
	limits_report_evicted(change, item);
	return 1;
}

/*
 * What entries take up beyond limits.entry_bytes: a person wrote them so large, and nobody else's
 * entry makes room for that. *largest is the one to name, NULL where there is none.
 */
static int64_t limits_beyond(const struct change *change, const struct item **largest)
{
	const struct store *store = change->store;
	int64_t limit = store->settings.entry_bytes;
	int64_t beyond = 0;

	*largest = NULL;
	for (size_t i = 0; i < store->item_count; i++) {
		const struct item *item = &store->items[i];

		if ((int64_t)item->entry.text.len <= limit ||
		    (int64_t)entry_stored_size(&item->entry) <= limit ||
		    map_get(&change->touched, item->ref, NULL))
			continue;
		beyond += (int64_t)item->entry.text.len - limit;
		if (!*largest || item->entry.text.len > (*largest)->entry.text.len)
			*largest = item;
	}
	return beyond;
}

static int limits_refuse_total(const struct change *change, const struct item *largest,
			       int64_t after, struct err *err)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO what = STR_INIT;

	if (largest)
		str_printf(&what, "shorten %s, which has %zu bytes, or ",
			   shown(&scratch, largest->ref), largest->entry.text.len);
	if (!store_may_judge(change->store))
		return err_set(
			err, ERR_STORE_FULL,
			"the store would have %" PRId64 " bytes; the limit is %" PRId64
			" (limits.total_bytes), and no entry is evicted from a store that %s: "
			"%sdelete something",
			after, change->store->settings.total_bytes,
			change->store->disk.origin.shared ? "a repository shares"
							  : "was not synced for a week (kota sync)",
			what.len ? what.ptr : "");
	return err_set(err, ERR_STORE_FULL,
		       "the store would have %" PRId64 " bytes and nothing more"
		       " can be moved out of it; the limit is %" PRId64
		       " (limits.total_bytes): %sdelete or unpin something",
		       after, change->store->settings.total_bytes, what.len ? what.ptr : "");
}

static void limits_name_largest(const struct change *change, const struct item *largest)
{
	STR_AUTO scratch = STR_INIT;

	notices_add(change->store,
		    "%s has %zu bytes, so that the store is over its limit of %" PRId64
		    " (limits.total_bytes): shorten it to at most %" PRId64 " (limits.entry_bytes)",
		    shown(&scratch, largest->ref), largest->entry.text.len,
		    change->store->settings.total_bytes, change->store->settings.entry_bytes);
}

/* Moves what may go until *after is allowed; 0 also when that is not enough. */
static int limits_shed_all(struct change *change, int64_t allowed, int64_t *after, struct err *err)
{
	struct shedding plan;
	int result = 0;
	int moved = 1;

	limits_plan_shedding(change, &plan);
	while (result == 0 && moved == 1 && *after > allowed) {
		moved = limits_shed(change, &plan, *after - allowed, err);
		if (moved < 0)
			result = -1;
		else if (moved > 0)
			result = limits_bytes_after(change, after, err);
	}
	free(plan.oldest);
	free(plan.order);
	return result;
}

static int limits_fit_total(struct change *change, struct err *err)
{
	const struct item *largest;
	int64_t before = limits_bytes_before(change->store);
	int64_t limit = change->store->settings.total_bytes + limits_beyond(change, &largest);
	int64_t allowed = before > limit ? before : limit;
	int64_t after;
	int result = limits_bytes_after(change, &after, err);

	if (result != 0)
		return result;
	if (largest && after > change->store->settings.total_bytes)
		limits_name_largest(change, largest);
	if (after <= allowed)
		return 0;
	result = limits_shed_all(change, allowed, &after, err);
	if (result == 0 && after > allowed && !change->takes_back)
		result = limits_refuse_total(change, largest, after, err);
	return result;
}

int fit_limits(struct change *change, struct err *err)
{
	for (int c = 0; c < CATEGORY_COUNT; c++)
		if (limits_fit_category(change, (enum category)c, err) != 0)
			return -1;
	return limits_fit_total(change, err);
}

/* As limits_fit_category(), of what came: what is pinned stays, however many they are. */
static int limits_fit_arrived(struct change *change, enum category category, int64_t held,
			      struct err *err)
{
	const struct store *store = change->store;
	int64_t limit = store->settings.entries_per_category;
	int64_t most = held > limit ? held : limit;
	int64_t now = (int64_t)(store->first[category + 1] - store->first[category]);
	int64_t ignored;

	return now > most ? limits_evict(change, category, now - most, &ignored, err) : 0;
}

int fit_arrived(struct change *change, const struct held *held, struct err *err)
{
	const struct item *largest;
	int64_t limit = change->store->settings.total_bytes + limits_beyond(change, &largest);
	int64_t after;

	if (!change->store->settings_valid)
		return 0;
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (limits_fit_arrived(change, (enum category)c, held->entries[c], err) != 0)
			return -1;
	}
	if (limits_bytes_after(change, &after, err) != 0)
		return -1;
	return limits_shed_all(change, held->bytes > limit ? held->bytes : limit, &after, err);
}
