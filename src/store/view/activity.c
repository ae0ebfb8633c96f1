#include "store/view/activity.h"

#include "store/view/entry_lookup.h"
#include "store/view/query.h"

/* A person may have written any number. */
static int64_t activity_add_hits(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* True if the same facts would say something else a moment later. */
static bool activity_is_passing(const struct activity *activity, const struct usage_epoch *epoch,
				int64_t now_ms)
{
	int64_t latest_ms = time_later(activity->updated_ms,
				       time_later(activity->seen_ms, activity->accessed_ms));

	return time_later(latest_ms, epoch->since_ms) > now_ms ||
	       (activity->accessed_ms == TIME_NONE && epoch->since_ms == TIME_NONE) ||
	       (activity->updated_ms == TIME_NONE && activity->seen_ms == TIME_NONE);
}

/* What is known of the item at a position, from its text and its use. */
static void activity_update_item(struct store *store, size_t position)
{
	struct item *item = &store->items[position];
	const struct entry *entry = &item->entry;
	struct activity_known *known = &store->activity;
	int64_t *newest_ms = &known->newest_ms[entry->category];
	const struct usage_epoch epoch = usage_epoch(store->usage);
	const struct usage_fact *fact = usage_find(store->usage, item->ref);
	int64_t seen_ms = fact ? fact->seen_ms : TIME_NONE;
	int64_t first_ms = seen_ms == TIME_NONE ? store->now_ms : seen_ms;
	struct activity activity = {
		.updated_ms = entry->updated_ms,
		.accessed_ms = time_later(entry->accessed_ms, fact ? fact->last_ms : TIME_NONE),
		.seen_ms = time_later(seen_ms, shared_use_ms(&store->shared_use, item->ref)),
	};

	item->accessed_ms = activity.accessed_ms;
	item->first_used_ms = usage_earlier(entry->used_ms, fact ? fact->first_ms : TIME_NONE);
	item->used_ms = time_later(entry->used_ms, fact ? fact->used_ms : TIME_NONE);
	activity.accessed_ms = time_later(activity.accessed_ms, item->used_ms);
	item->hits = activity_add_hits(entry->hits, fact ? fact->hits : 0);
	item->uses = activity_add_hits(entry->uses, fact ? fact->uses : 0);
	item->reviews = activity_add_hits(entry->reviews, fact ? fact->uses : 0);
	item->cross_domain = activity_add_hits(entry->cross_domain, fact ? fact->crossed : 0);
	item->updated_ms = entry->updated_ms == TIME_NONE ? first_ms : entry->updated_ms;
	item->created_ms = entry->created_ms != TIME_NONE ? entry->created_ms : item->updated_ms;
	item->active_ms = retention_active_ms(&activity, &epoch, store->now_ms);
	if (fact)
		activity.accessed_ms = time_later(activity.accessed_ms, fact->shown_ms);
	item->kept_ms = retention_active_ms(&activity, &epoch, store->now_ms);
	*newest_ms = time_later(*newest_ms, time_later(entry->created_ms, entry->updated_ms));
	*newest_ms = time_later(*newest_ms, activity.accessed_ms);
	if (activity_is_passing(&activity, &epoch, store->now_ms))
		known->passing[entry->category] = true;
	entry_lookup_touch(store, position);
}

/* An entry that was looked up or seen. */
static void activity_update_used(struct store *store, enum category category, size_t position)
{
	const struct item *item = &store->items[position];
	int64_t before_ms = item->kept_ms;

	activity_update_item(store, position);
	/* It is no longer due, or an old use has made it due earlier than was known. */
	if (item->due || item->kept_ms < before_ms)
		store->activity.next_due_ms[category] = INT64_MIN;
}

/* Entries that were looked up or seen, one by one. */
static void activity_update_touched(struct store *store)
{
	struct activity_known *known = &store->activity;
	struct slice ref;

	while (usage_next_touched(store->usage, &ref)) {
		const struct usage_fact *fact = usage_find(store->usage, ref);
		struct ref parts = ref_parse(ref);
		size_t position;

		if (fact)
			known->usage_newest_ms = time_later(
				known->usage_newest_ms,
				time_later(fact->shown_ms,
					   time_later(fact->last_ms, fact->seen_ms)));
		if (parts.category == CATEGORY_ANY || known->stale[parts.category] ||
		    !shelf_find_spelt(&store->shelves[parts.category], parts.key, &position))
			continue;
		activity_update_used(store, (enum category)parts.category,
				     store->first[parts.category] + position);
	}
}

/* A removal travels to all who have the store, so what they use must be known. */
static bool activity_can_expire(const struct store *store)
{
	return store->activity.may_judge && store->disk.origin.kind != ORIGIN_FOREIGN &&
	       store->clock_trusted && store->settings_valid && usage_is_known(store->usage);
}

static void activity_update_due(struct store *store, int c)
{
	struct activity_known *known = &store->activity;
	/* Nothing can be taken out of a file that cannot be believed. */
	bool possible = activity_can_expire(store) && !store->files[c].broken;

	known->due[c] = 0;
	known->next_due_ms[c] = INT64_MAX;
	for (size_t i = store->first[c]; i < store->first[c + 1]; i++) {
		struct item *item = &store->items[i];
		bool due = possible &&
			   retention_expired(item->kept_ms, retention_spares(&item->entry),
					     &store->settings, store->now_ms);
		int64_t from_ms = retention_due_ms(item->kept_ms, retention_spares(&item->entry),
						   &store->settings);

		if (due != item->due) {
			item->due = due;
			entry_lookup_touch(store, i);
		}
		known->due[c] += due;
		if (!due && possible && from_ms < known->next_due_ms[c])
			known->next_due_ms[c] = from_ms;
	}
}

/* True if anything has changed that all entries depend on. */
static bool activity_upheaval(const struct store *store)
{
	const struct activity_known *known = &store->activity;

	return !known->known || known->upheavals != usage_upheavals(store->usage) ||
	       known->usage_known != usage_is_known(store->usage) ||
	       known->settings_valid != store->settings_valid ||
	       known->may_judge != store_may_judge(store) ||
	       known->shared_read != store->shared_use.read ||
	       known->expiry_days != store->settings.expiry_days || store->now_ms < known->now_ms;
}

static void activity_note_basis(struct store *store)
{
	struct activity_known *known = &store->activity;

	known->known = true;
	known->upheavals = usage_upheavals(store->usage);
	known->usage_known = usage_is_known(store->usage);
	known->settings_valid = store->settings_valid;
	known->may_judge = store_may_judge(store);
	known->shared_read = store->shared_use.read;
	known->expiry_days = store->settings.expiry_days;
	known->now_ms = store->now_ms;
}

static bool activity_clock_trusted(const struct store *store)
{
	const struct activity_known *known = &store->activity;
	int64_t newest_ms = time_later(known->usage_newest_ms, known->archive_newest_ms);

	for (int c = 0; c < CATEGORY_COUNT; c++)
		newest_ms = time_later(newest_ms, known->newest_ms[c]);
	return retention_clock_trusted(newest_ms, store->now_ms);
}

void activity_update(struct store *store)
{
	struct activity_known *known = &store->activity;
	bool all = activity_upheaval(store);
	bool updated[CATEGORY_COUNT];

	activity_update_touched(store);
	if (all)
		known->usage_newest_ms = usage_newest_ms(store->usage);
	if (all || known->stale[CATEGORY_COUNT]) {
		known->archive_newest_ms = TIME_NONE;
		for (size_t i = 0; i < store->archive.count; i++)
			known->archive_newest_ms = time_later(
				known->archive_newest_ms,
				store->archive.records[i].record.archived_ms);
	}
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		updated[c] = all || known->stale[c] || known->passing[c];
		if (!updated[c])
			continue;
		known->newest_ms[c] = TIME_NONE;
		known->passing[c] = false;
		for (size_t i = store->first[c]; i < store->first[c + 1]; i++)
			activity_update_item(store, i);
	}
	memset(known->stale, 0, sizeof known->stale);
	activity_note_basis(store);
	bool trusted = activity_clock_trusted(store);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		updated[c] |= trusted != store->clock_trusted ||
			      store->now_ms >= known->next_due_ms[c];
	store->clock_trusted = trusted;
	for (int c = 0; c < CATEGORY_COUNT; c++)
		if (updated[c])
			activity_update_due(store, c);
}
