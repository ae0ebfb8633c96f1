#include "store/log/shared_use.h"

#include "base/time.h"
#include "store/files/resolve.h"

#define SYNCED_BYTES_MAX 4096

/* So long after a sync its answer holds. */
#define SYNCED_FRESH_MS (7 * MS_PER_DAY)

/* Machines' clocks may be apart by this much. */
#define SYNCED_AHEAD_MS MS_PER_DAY

static void shared_use_take(struct shared_use *use, const struct json *doc)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO day = STR_INIT;

	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		struct slice text = json_string(doc, n, &day);
		int64_t ms;

		if (text.ptr && timestamp_parse(text, false, &ms) && ms > 0)
			map_put(&use->days, arena_copy(&use->arena, json_name(doc, n, &name)),
				(size_t)ms);
	}
}

static void shared_use_read(struct shared_use *use, struct disk *disk)
{
	STR_AUTO text = STR_INIT;
	struct json doc;
	struct err ignored;

	map_release(&use->days);
	arena_release(&use->arena);
	use->known = disk_read_json(disk, SHARED_USE_NAME, &text, &doc, &use->id, &ignored) == 0;
	if (use->known) {
		shared_use_take(use, &doc);
		json_release(&doc);
	}
	use->known = use->known && disk_is_settled(disk, &use->id);
	use->read++;
}

static void shared_use_read_synced(struct shared_use *use, const struct disk *disk)
{
	STR_AUTO text = STR_INIT;
	struct err ignored;
	struct file_id id;
	struct slice line;

	if (file_identify(disk->sys, disk->dirfd, SYNCED_NAME, &id, &ignored) != 0 ||
	    (use->synced_ms != 0 && file_id_equal(&id, &use->synced_id)))
		return;
	use->synced_ms = TIME_NONE;
	if (file_read_own(disk->sys, disk->dirfd, SYNCED_NAME, SYNCED_BYTES_MAX, &text,
			  &use->synced_id, &ignored) != 0)
		return;
	struct slice rest = str_slice(&text);
	while (slice_line(&rest, &line)) {
		size_t prefix = strlen(SYNCED_AT_PREFIX);

		if (slice_starts(line, SYNCED_AT_PREFIX))
			timestamp_parse(slice_make(line.ptr + prefix, line.len - prefix), true,
					&use->synced_ms);
	}
}

void shared_use_refresh(struct shared_use *use, struct disk *disk)
{
	struct file_id id = {.present = false};
	struct err ignored;

	if (disk->dirfd < 0 || !disk->origin.synced)
		return;
	shared_use_read_synced(use, disk);
	if (use->known && stat_cache_at(&use->cache, disk, SHARED_USE_NAME, &id, &ignored) == 0 &&
	    file_id_equal(&id, &use->id))
		return;
	shared_use_read(use, disk);
}

int64_t shared_use_ms(const struct shared_use *use, struct slice ref)
{
	size_t ms;

	return map_get(&use->days, ref, &ms) ? (int64_t)ms : TIME_NONE;
}

bool shared_use_may_judge(const struct shared_use *use, const struct origin *origin, int64_t now_ms)
{
	if (origin->shared)
		return false;
	return !origin->synced ||
	       (use->synced_ms != TIME_NONE && use->synced_ms <= now_ms + SYNCED_AHEAD_MS &&
		use->synced_ms >= now_ms - SYNCED_FRESH_MS);
}

void shared_use_release(struct shared_use *use, const struct sys *sys)
{
	stat_cache_release(&use->cache, sys);
	map_release(&use->days);
	arena_release(&use->arena);
	*use = (struct shared_use){0};
}
