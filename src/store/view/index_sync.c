#include "store/view/index_sync.h"

#include "base/mem.h"
#include "store/items/notes.h"
#include "store/view/state.h"

#include <stdlib.h>

bool stored_at(const struct store *store, const struct note *notes, int group, size_t position,
	       struct stored *out)
{
	*out = (struct stored){.position = (uint32_t)position, .group = group, .number = SYNC_NONE};
	if (group < CATEGORY_COUNT) {
		out->item = &store->items[store->first[group] + position];
		out->ref = out->item->ref;
	} else if (group == GROUP_ARCHIVE) {
		out->archived = &store->archive.records[position];
		out->ref = out->archived->ref;
		return record_answers(&out->archived->record);
	} else {
		out->note = &notes[position];
		out->ref = out->note->ref;
	}
	return true;
}

/* Of all that an index makes of it. */
static uint64_t sync_digest_of(const struct stored *stored)
{
	if (stored->item)
		return hash64(stored->item->entry.text);
	if (stored->archived)
		return hash64(stored->archived->record.text);
	return hash64(stored->note->text) + 3 * hash64(stored->note->title) +
	       5 * hash64(stored->note->tags);
}

size_t store_group_size(const struct store *store, int group)
{
	return group == GROUP_ARCHIVE ? store->archive.count
				      : store->first[group + 1] - store->first[group];
}

void sync_begin(struct index_sync *sync, int group, size_t count)
{
	struct sync_group *g = &sync->groups[group];

	sync->round++;
	sync->group = group;
	sync->at = 0;
	sync->before = g->numbers;
	sync->before_count = g->count;
	g->numbers = mem_zalloc(count, sizeof *g->numbers);
	g->count = count;
}

static void sync_meet(struct index_sync *sync, const struct stored *stored, uint32_t number)
{
	sync->items[number] = (struct synced){.digest = stored->digest,
					      .round = sync->round,
					      .position = stored->position,
					      .group = stored->group};
	sync->groups[stored->group].numbers[stored->position] = number;
}

bool sync_next(struct index_sync *sync, const struct store *store, const struct note *notes,
	       struct stored *out)
{
	struct sync_group *group = &sync->groups[sync->group];

	while (sync->at < group->count) {
		size_t position = sync->at++;
		size_t number;

		progress_step(store->disk.progress, "indexing", position, group->count);
		group->numbers[position] = SYNC_NONE;
		if (!stored_at(store, notes, sync->group, position, out))
			continue;
		out->digest = sync_digest_of(out);
		if (!map_get(&group->by_ref, out->ref, &number))
			return true;
		const struct synced *known = &sync->items[number];
		/* One that is gone, or was met under this ref already, is another item. */
		if (!known->gone && known->round != sync->round && known->digest == out->digest) {
			out->number = (uint32_t)number;
			sync_meet(sync, out, out->number);
		}
		return true;
	}
	return false;
}

void sync_added(struct index_sync *sync, const struct stored *stored, size_t number)
{
	sync->items = mem_grow(sync->items, &sync->item_cap, number + 1, sizeof *sync->items);
	map_put(&sync->groups[stored->group].by_ref, arena_copy(&sync->refs, stored->ref), number);
	sync_meet(sync, stored, (uint32_t)number);
}

bool sync_next_gone(struct index_sync *sync, size_t *number)
{
	while (sync->before_count) {
		*number = sync->before[--sync->before_count];
		if (*number != SYNC_NONE && sync->items[*number].round != sync->round) {
			sync->items[*number].gone = true;
			return true;
		}
	}
	free(sync->before);
	sync->before = NULL;
	sync->groups[sync->group].current = true;
	return false;
}

void sync_release(struct index_sync *sync)
{
	for (int g = 0; g < GROUP_COUNT; g++) {
		map_release(&sync->groups[g].by_ref);
		free(sync->groups[g].numbers);
	}
	arena_release(&sync->refs);
	free(sync->items);
	*sync = (struct index_sync){0};
}
