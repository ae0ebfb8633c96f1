#include "sync/publish.h"

#include "base/time.h"
#include "git/write/commit.h"
#include "json/write.h"
#include "store/history/arrival.h"
#include "store/history/commit_message.h"
#include "store/history/file_list.h"
#include "store/view/state.h"

/* A day is told anew after this part of the time in which entries expire. */
#define PUBLISH_PART 6

/* ... and where nothing expires, after this many days. */
#define PUBLISH_DAYS 15

int publish_file(struct store *store, struct repo *repo, const char *verb, const char *name,
		 struct slice text, struct object_id *head, struct err *err)
{
	const struct message message = {.verb = verb, .tool = slice_of("sync")};
	struct recorded_file file = {.path = name};
	struct commit_spec spec = {.files = &file,
				   .count = 1,
				   .time_ms = store->now_ms,
				   .offset_min = timestamp_offset_min(store->now_ms)};
	struct recording *recording;
	STR_AUTO said = STR_INIT;
	struct object_id id;
	int result;

	message_compose(&said, &message);
	spec.message = said.ptr;
	if (recording_begin(&recording, repo, err) != 0)
		return -1;
	result = recording_stand_on(recording, head, err);
	if (result == 0)
		result = repo_blob_put(repo, text, &file.blob, err);
	if (result == 0)
		result = recording_add(recording, &spec, &id, err);
	if (result == 0)
		result = recording_keep(recording, err);
	recording_abandon(recording);
	if (result != 0 || arrival_begin(store, head, &id, err) != 0 ||
	    arrival_finish(store, err) != 0)
		return -1;
	*head = id;
	return 0;
}

/* When the entry was used or put back here: times that stand in no file that travels. */
static int64_t publish_used_ms(const struct store *store, const struct item *item)
{
	const struct usage_fact *fact = usage_find(store->usage, item->ref);
	int64_t ms = TIME_NONE;

	if (fact)
		ms = time_later(time_later(fact->last_ms, fact->used_ms),
				time_later(fact->shown_ms, fact->seen_ms));
	return ms < store->now_ms ? ms : store->now_ms;
}

static void publish_write_day(struct json_writer *w, struct slice ref, int64_t ms)
{
	char day[TIMESTAMP_SIZE];

	timestamp_format(ms, day);
	json_write_name(w, ref);
	json_write_string(w, slice_make(day, strlen("2026-11-20")));
}

/* The file as it is to be; true when that says something new. Entries that are gone go from it. */
static bool publish_compose(const struct store *store, int64_t since_ms, struct str *out)
{
	int64_t days = store->settings.expiry_days;
	bool expires = days > 0 && days < INT64_MAX / MS_PER_DAY;
	int64_t step_ms = (expires ? days / PUBLISH_PART : PUBLISH_DAYS) * MS_PER_DAY;
	bool news = false;
	struct json_writer w = json_writer_to(out, &json_pretty);

	json_write_object(&w);
	for (size_t i = 0; i < store->item_count; i++) {
		const struct item *item = &store->items[i];
		int64_t told_ms = shared_use_ms(&store->shared_use, item->ref);
		int64_t used_ms = publish_used_ms(store, item);
		bool later = used_ms != TIME_NONE && used_ms > told_ms && used_ms > since_ms &&
			     used_ms - time_later(0, time_later(told_ms, item->entry.updated_ms)) >
				     step_ms;

		if (later || (told_ms != TIME_NONE &&
			      !(expires && retention_expired(told_ms, false, &store->settings,
							     store->now_ms))))
			publish_write_day(&w, item->ref, later ? used_ms : told_ms);
		news |= later;
	}
	json_write_end(&w);
	str_addc(out, '\n');
	return news;
}

int publish_use(struct store *store, struct repo *repo, int64_t since_ms, struct object_id *head,
		struct err *err)
{
	STR_AUTO text = STR_INIT;

	/* The clock was ahead then: count everything. */
	if (since_ms > store->now_ms)
		since_ms = TIME_NONE;
	if (!store->disk.origin.synced || !publish_compose(store, since_ms, &text))
		return 0;
	return publish_file(store, repo, "sync activity", SHARED_USE_NAME, str_slice(&text), head,
			    err);
}
