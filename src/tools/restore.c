#include "ops/common.h"
#include "ops/note_text.h"
#include "ops/secret_check.h"
#include "tools/registry.h"

#include "base/utf8.h"
#include "store/txn/undo.h"

struct restore_args {
	struct slice key;
	int replace;
	int allow_secret;
};

static const struct param params[] = {
	{PARAM(TEXT, restore_args, key),
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING,
	 .help = "key or ref@time"},
	{PARAM(BOOL, restore_args, replace), .help = "archive what has the key now"},
	SCREEN_PARAM(restore_args),
};

/* What a record is asked for by. */
struct wanted {
	struct slice text; /* as given */
	struct ref ref;
	struct slice key; /* without the time behind it */
	int64_t at_ms;    /* TIME_NONE: none was given */
};

/* "editor@2026-11-21T09:30:00.123+01:00": another spelling of the time is the same time. */
static void restore_take_apart(struct wanted *wanted, struct slice text)
{
	const char *at;

	*wanted = (struct wanted){.text = text, .ref = ref_parse(text), .at_ms = TIME_NONE};
	wanted->key = wanted->ref.key;
	at = wanted->key.len ? memrchr(wanted->key.ptr, '@', wanted->key.len) : NULL;
	if (!at)
		return;
	if (timestamp_parse(
		    slice_make(at + 1, wanted->key.len - (size_t)(at - wanted->key.ptr) - 1), true,
		    &wanted->at_ms))
		wanted->key.len = (size_t)(at - wanted->key.ptr);
}

static bool restore_is_of_key(const struct record *record, const struct wanted *wanted)
{
	return (wanted->ref.category == CATEGORY_ANY ||
		wanted->ref.category == (int)record->category) &&
	       (wanted->at_ms == TIME_NONE || wanted->at_ms == record->archived_ms) &&
	       common_same_key(record->original_key, wanted->key);
}

/* Categories come in their order: of the first one that has any, the newest. */
static bool restore_is_better(const struct archived *archived, const struct archived *than)
{
	if (!than || archived->record.category != than->record.category)
		return !than || archived->record.category < than->record.category;
	return archived->record.archived_ms >= than->record.archived_ms;
}

/* The record of exactly this name, else the newest of the key; NULL when there is none. */
static int restore_find(const struct call *call, const struct wanted *wanted,
			const struct archived **out, struct err *err)
{
	const struct archived *records;
	size_t count;

	*out = NULL;
	if (store_archive_all(call->store, &records, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count && !*out; i++) {
		if (slice_equal(records[i].ref, wanted->text) ||
		    slice_equal(records[i].record.key, wanted->text))
			*out = &records[i];
	}
	if (*out)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (restore_is_of_key(&records[i].record, wanted) &&
		    restore_is_better(&records[i], *out))
			*out = &records[i];
	}
	return 0;
}

static int restore_refuse_unknown(const struct call *call, const struct wanted *wanted,
				  struct err *err)
{
	const struct item *active = store_find(call->store, wanted->ref.category, wanted->key);
	STR_AUTO scratch = STR_INIT;
	STR_AUTO name = STR_INIT;

	if (active)
		return err_set(err, ERR_NOT_FOUND,
			       "key: nothing is archived as \"%s\"; %s is active",
			       shown(&scratch, wanted->text), shown(&name, active->ref));
	return err_set(err, ERR_NOT_FOUND, "key: nothing is archived as \"%s\"; %s lists what is",
		       shown(&scratch, wanted->text),
		       call->shell ? "kota archived" : "memory_list_archived");
}

/* An active entry is replaced only when that was asked for. */
static int restore_displace(struct change *change, const struct restore_args *args,
			    const struct item *active, struct slice key, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	if (args->replace != 1)
		return err_set(err, ERR_EXISTS,
			       "key: %s is active; replace archives it and puts the restored entry "
			       "in its place",
			       shown(&scratch, active->ref));
	if (change_archive_copy(change, active, REASON_REPLACED, err) != 0)
		return -1;
	return slice_equal(active->entry.key, key) ? 0 : change_remove(change, active, err);
}

static int restore_put(struct change *change, const struct call *call,
		       const struct restore_args *args, const struct archived *archived,
		       struct err *err)
{
	const struct record *record = &archived->record;
	const struct item *active = store_find(call->store, (int)record->category,
					       record->original_key);
	STR_AUTO scratch = STR_INIT;
	struct slice ref = common_ref(call->arena, record->category, record->original_key);

	if (active && restore_displace(change, args, active, record->original_key, err) != 0)
		return -1;
	if (args->allow_secret != 1 &&
	    screen_restored(&tool_restore, call, shown(&scratch, ref), record->original_key,
			    slice_make(NULL, 0), record->entry.text, err) != 0)
		return -1;
	if (undo_remove_record(change, archived, err) != 0 ||
	    (active &&
	     note_text_follow(change, active, ref, record->entry.text, call->warning, err) != 0))
		return -1;
	return common_put(change, record->category, record->original_key, active,
			  record->entry.pinned, common_entry_json(call, &record->entry), err);
}

static int restore_record(struct change *change, const struct call *call,
			  const struct restore_args *args, const struct archived *archived,
			  struct json_writer *w, struct err *err)
{
	/* The commit removes the record. */
	const enum category category = archived->record.category;
	struct slice key = arena_copy(call->arena, archived->record.original_key);
	struct slice from = arena_copy(call->arena, archived->ref);
	struct slice reason = arena_copy(call->arena, archived->record.reason);
	int64_t archived_ms = archived->record.archived_ms;
	struct change_result result;
	const struct item *item;

	undo_revive(change);
	if (restore_put(change, call, args, archived, err) != 0 ||
	    change_commit(change, &result, err) != 0)
		return -1;
	item = store_find(call->store, (int)category, key);
	json_write_object(w);
	common_write_entry(w, key, category, item ? item->created_ms : TIME_NONE,
			   item ? item->updated_ms : TIME_NONE);
	json_write_member_bool(w, "restored", true);
	json_write_member_string(w, "from", from);
	common_write_time(w, "archivedAt", archived_ms);
	if (reason.len > 0)
		json_write_member_string(w, "reason", reason);
	common_end_change(w, call, &result);
	return 0;
}

/* Where nothing is to be restored no lock is taken and no store created. */
static int restore_handle(const struct call *call, const void *arguments, struct json_writer *w,
			  struct err *err)
{
	const struct restore_args *args = arguments;
	const struct archived *archived;
	CHANGE_AUTO change = NULL;
	struct wanted wanted;

	restore_take_apart(&wanted, args->key);
	if (common_refresh(call, err) != 0 || restore_find(call, &wanted, &archived, err) != 0)
		return -1;
	if (!archived && common_view_whole(call))
		return restore_refuse_unknown(call, &wanted, err);
	if (common_change_begin(&change, call, err) != 0 ||
	    restore_find(call, &wanted, &archived, err) != 0)
		return -1;
	if (archived)
		return restore_record(change, call, args, archived, w, err);
	if (change_check_archive(change, err) != 0)
		return -1;
	return restore_refuse_unknown(call, &wanted, err);
}

const struct tool tool_restore = {
	.name = "memory_restore",
	.command = "restore",
	.title = "Restore a memory",
	.section = SECTION_CHANGES,
	.summary = "Restore an archived entry.",
	TOOL_TAKES(params, restore_args),
	.output_schema = "{\"type\":\"object\",\"properties\":{" SCHEMA_ENTRY
			 ",\"restored\":" SCHEMA_BOOLEAN ",\"from\":" SCHEMA_STRING
			 ",\"archivedAt\":" SCHEMA_STRING ",\"reason\":" SCHEMA_STRING
			 ",\"archived\":" SCHEMA_STRING "," SCHEMA_EVICTED "," SCHEMA_WARNINGS
			 "},\"required\":[" SCHEMA_ENTRY_NAMES ",\"restored\",\"from\"]}",
	.run = restore_handle,
};
