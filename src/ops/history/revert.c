#include "base/utf8.h"
#include "ops/history/entry_history.h"
#include "ops/history/revert_common.h"
#include "ops/note_text.h"
#include "store/history/host.h"
#include "store/txn/undo.h"

#include <inttypes.h>

/* Digits of a change in a sentence. */
#define SHOWN_DIGITS 9

/* A change while it is taken back. */
struct undoing {
	struct revert *put;
	const struct log_change *change;
	const struct revert_name *only; /* NULL: all of it */
	struct map items;               /* its differences, see revert_item_of() */
};

/* "4f1c2d3e5 "set preferences:editor"", in the call's arena; without the digits where it waits. */
static const char *revert_change_text(const struct revert *put, const struct log_change *change)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	char id[OBJECT_ID_DIGITS + 1];

	object_id_text(&change->id, id);
	if (!change->waits)
		str_printf(&text, "%.*s ", SHOWN_DIGITS, id);
	str_printf(&text, "\"%s\"", shown(&scratch, change->subject));
	return arena_copy(put->call->arena, str_slice(&text)).ptr;
}

/* The last change that touched what `item` of `change` is about; NULL when that was `change`. */
static int revert_find_later(const struct undoing *undoing, const struct difference *item,
			     const char **later, struct err *err)
{
	HISTORY_LOG_AUTO log = NULL;
	struct log_change change;
	int result = 0;

	*later = NULL;
	if (history_log_open(&log, undoing->put->call->store, NULL, err) != 0)
		return -1;
	while (!*later && (result = history_log_next(log, &change, err)) == 1 &&
	       !object_id_equal(&change.id, &undoing->change->id)) {
		for (size_t i = 0; !*later && i < change.count; i++) {
			const struct difference *other = &change.items[i];

			if (other->category == item->category && other->record == item->record &&
			    slice_equal(other->key, item->key))
				*later = revert_change_text(undoing->put, &change);
		}
	}
	return *later || result >= 0 ? 0 : -1;
}

/* What the change left is not there any more, and somebody may want to keep what is. */
static int revert_refuse_touched(const struct undoing *undoing, const struct difference *item,
				 struct err *err)
{
	const struct revert *put = undoing->put;
	const struct revert_name name = {item->category, item->key};
	STR_AUTO scratch = STR_INIT;
	STR_AUTO remedy = STR_INIT;
	const char *ref = shown(&scratch, revert_ref_of(put, &name));
	const char *later;

	if (revert_find_later(undoing, item, &later, err) != 0)
		return -1;
	if (put->call->shell)
		str_adds(&remedy, "--force restores the earlier state anyway");
	else
		str_printf(&remedy, "or let the user run kota undo %.*s --force", SHOWN_DIGITS,
			   put->id.ptr);
	if (later)
		return err_set(err, ERR_EXISTS, "%s was changed later, by %s; undo that first%s%s",
			       ref, later, put->call->shell ? ", " : " ", remedy.ptr);
	return err_set(err, ERR_EXISTS, "%s was changed since; %s", ref, remedy.ptr);
}

/* What one map holds of records and of entries. */
static void revert_name_item(struct str *out, bool record, enum category category, struct slice key)
{
	str_adds(out, record ? "record " : "entry ");
	ref_add(out, category, key);
}

static void revert_index_items(struct undoing *undoing)
{
	for (size_t i = 0; i < undoing->change->count; i++) {
		const struct difference *item = &undoing->change->items[i];
		STR_AUTO name = STR_INIT;

		revert_name_item(&name, item->record, item->category, item->key);
		map_put(&undoing->items, arena_copy(undoing->put->call->arena, str_slice(&name)),
			i);
	}
}

/* What the change says of this record, or entry; NULL for nothing. */
static const struct difference *revert_item_of(const struct undoing *undoing, bool record,
					       enum category category, struct slice key)
{
	STR_AUTO name = STR_INIT;
	size_t number;

	revert_name_item(&name, record, category, key);
	return map_get(&undoing->items, str_slice(&name), &number) ? &undoing->change->items[number]
								   : NULL;
}

/* An entry may have come under another spelling of the key: two would be one too many. */
static bool revert_is_in_the_way(const struct undoing *undoing, const struct difference *item)
{
	const struct item *there = store_find(undoing->put->call->store, (int)item->category,
					      item->key);

	return item->before.ptr && there && !slice_equal(there->entry.key, item->key) &&
	       !revert_item_of(undoing, false, item->category, there->entry.key);
}

/* Was the record made by the change? Its id begins with the moment. */
static bool revert_is_of_change(const struct record *record, const struct log_change *change)
{
	STR_AUTO moment = STR_INIT;

	str_printf(&moment, "%" PRIx64 "-", (uint64_t)record->archived_ms);
	return change->change.ptr && slice_starts(change->change, moment.ptr);
}

/* Do the history and the archive, which has an object in any case, say the same of an entry? */
static bool revert_is_same(struct slice recorded, const struct record *record)
{
	STR_AUTO object = STR_INIT;

	str_printf(&object, "{\"value\":%.*s}", (int)recorded.len, recorded.ptr);
	return common_same_json(record->entry.text, recorded) ||
	       common_same_json(record->entry.text, str_slice(&object));
}

/*
 * What the change took out of use or wrote over, if the archive has it and the history something
 * older: the file waited then, for a secret that was written by hand. NULL where the history is
 * right.
 */
static const struct archived *revert_find_kept(const struct undoing *undoing,
					       const struct difference *item)
{
	const struct revert *put = undoing->put;
	STR_AUTO ref = STR_INIT;
	size_t at;

	ref_add(&ref, item->category, item->key);
	if (!item->before.ptr || !map_get(&put->records_by_was, str_slice(&ref), &at))
		return NULL;
	for (; at < put->record_count; at = put->next_record[at]) {
		const struct record *record = &put->records[at].record;

		if (revert_is_of_change(record, undoing->change) &&
		    !revert_is_same(item->before, record))
			return &put->records[at];
	}
	return NULL;
}

static int revert_undo_entry(const struct undoing *undoing, const struct difference *item,
			     struct err *err)
{
	const struct revert_name name = {item->category, item->key};
	const struct item *there = revert_find(undoing->put, &name);
	const struct archived *kept = revert_find_kept(undoing, item);
	struct slice before = kept ? kept->record.entry.text : item->before;
	struct slice now = there ? there->entry.text : slice_make(NULL, 0);

	if (common_same_json(now, before))
		return 0;
	if (!undoing->put->force &&
	    (!common_same_json(now, item->after) || revert_is_in_the_way(undoing, item)))
		return revert_refuse_touched(undoing, item, err);
	/* The history may not have the record either. */
	if (kept && !kept->record.undo &&
	    !revert_item_of(undoing, true, kept->record.category, kept->record.key) &&
	    undo_remove_record(undoing->put->change, kept, err) != 0)
		return -1;
	if (revert_entry(undoing->put, &name, before, err) != 0)
		return -1;
	revert_note_stays(undoing->put, before, item->after);
	return 0;
}

/*
 * Records that the change made go, wherever they are now; those that it removed come back, unless
 * they only moved on to the cold archive.
 */
static int revert_undo_record(const struct undoing *undoing, const struct difference *item,
			      struct err *err)
{
	struct revert *put = undoing->put;
	const struct archived *there = revert_find_record(put, item->category, item->key);
	bool goes = there && item->after.ptr && !common_same_json(there->record.text, item->before);
	bool comes = item->before.ptr && (!there || (goes && !there->cold));

	if (goes && !there->cold && !put->force &&
	    !common_same_json(there->record.text, item->after))
		return revert_refuse_touched(undoing, item, err);
	if (goes && undo_remove_record(put->change, there, err) != 0)
		return -1;
	if (!comes)
		return 0;
	return undo_add_record(put->change, item->category, item->key,
			       common_compact(put->call, item->before), err);
}

/* Did the record leave archive.json in the same change? */
static bool revert_has_moved(const struct undoing *undoing, const struct record *record)
{
	const struct difference *item = revert_item_of(undoing, true, record->category,
						       record->key);

	return item && !item->after.ptr;
}

static bool revert_concerns_record(const struct undoing *undoing, enum category category,
				   struct slice original_key)
{
	return !undoing->only || slice_is(undoing->change->tool, "mv") ||
	       (undoing->only->category == category &&
		slice_equal(undoing->only->key, original_key));
}

static void revert_undo_line(const struct undoing *undoing, struct slice line)
{
	struct revert *put = undoing->put;
	ARENA_AUTO arena = ARENA_INIT;
	struct json_fault fault;
	struct record record;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, line, &json_file_bounds, &fault) != 0)
		return;
	uint32_t taken_back = json_member(&doc, JSON_ROOT, "void");
	if (!record_read_line(&record, &doc, taken_back == JSON_NONE ? JSON_ROOT : taken_back,
			      &arena) ||
	    record.undo || !revert_concerns_record(undoing, record.category, record.original_key))
		return;
	const struct archived *there = revert_find_record(put, record.category, record.key);
	if (taken_back != JSON_NONE ? !there
				    : there && there->cold && !revert_has_moved(undoing, &record))
		undo_line(put->change, &record, line);
}

/* What the change sent straight to the cold archive, or took back there. */
static int revert_undo_lines(const struct undoing *undoing, struct err *err)
{
	STR_AUTO lines = STR_INIT;
	struct slice line;

	if (undo_lines_of(undoing->put->call->store, &undoing->change->id, &lines, err) != 0)
		return -1;
	struct slice rest = str_slice(&lines);
	while (slice_line(&rest, &line))
		revert_undo_line(undoing, line);
	return 0;
}

static struct slice revert_original_key(const struct difference *item, struct arena *arena)
{
	struct slice text = item->after.ptr ? item->after : item->before;
	struct json_fault fault;
	struct record record;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0 ||
	    !record_read(&record, item->category, &doc, JSON_ROOT, arena))
		return slice_of(NULL);
	return arena_copy(arena, record.original_key);
}

static int revert_undo_item(const struct undoing *undoing, const struct difference *item,
			    struct err *err)
{
	struct arena *arena = undoing->put->call->arena;
	struct slice key = item->record ? revert_original_key(item, arena) : item->key;

	if (!revert_concerns_record(undoing, item->category, key))
		return 0;
	return item->record ? revert_undo_record(undoing, item, err)
			    : revert_undo_entry(undoing, item, err);
}

/* Names the change for the reply and for the history. */
static void revert_name_change(struct revert *put, const struct log_change *change)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO subject = STR_INIT;
	char id[OBJECT_ID_DIGITS + 1];

	object_id_text(&change->id, id);
	put->id = arena_copy(put->call->arena, slice_of(id));
	utf8_add_visible(&subject, change->subject, false);
	put->subject = arena_copy(put->call->arena, str_slice(&subject));
	str_printf(&text, "%s %s", id, put->subject.ptr);
	undo_names(put->change, str_slice(&text));
}

/* What was there when the history began is nobody's change. */
static bool revert_is_beginning(const struct log_change *change)
{
	return slice_is(change->subject, "begin") && !change->change.ptr;
}

static int revert_check_change(const struct revert *put, const struct log_change *change,
			       struct err *err)
{
	const char *text = revert_change_text(put, change);

	if (!put->force && revert_is_beginning(change) && change->count > 0)
		return err_set(err, ERR_BAD_VALUE,
			       "the history begins with %s: undoing it would empty the store; kota "
			       "undo CHANGE --force does it anyway",
			       text);
	return 0;
}

/* What it was about, before or else after. */
static struct slice revert_text_of_difference(const struct difference *item)
{
	return item->before.ptr ? item->before : item->after;
}

static int revert_undo(const struct undoing *undoing, struct err *err)
{
	const struct log_change *change = undoing->change;
	struct revert *put = undoing->put;

	if (revert_check_change(put, change, err) != 0 || revert_load_records(put, err) != 0)
		return -1;
	revert_name_change(put, change);
	for (size_t i = 0; i < change->count; i++) {
		if (revert_undo_item(undoing, &change->items[i], err) != 0)
			return -1;
	}
	/* Did it give an entry another name, and nothing else? Then its usage goes back with it. */
	if (change->count == 2 && !change->items[0].record && !change->items[1].record &&
	    put->restored.count == 1 && put->removed.count == 1)
		put->moved = common_same_json(revert_text_of_difference(&change->items[0]),
					      revert_text_of_difference(&change->items[1]));
	if (revert_files(put, change, undoing->only, err) != 0 ||
	    revert_layouts(put, change, err) != 0)
		return -1;
	return revert_undo_lines(undoing, err);
}

/* The differences of a recorded change; only is NULL for all, else what concerns that entry. */
static int revert_recorded(struct revert *put, const struct object_id *id,
			   const struct revert_name *only, struct err *err)
{
	struct log_change change;
	HISTORY_LOG_AUTO log = NULL;

	if (history_log_open(&log, put->call->store, id, err) != 0)
		return -1;
	int result = history_log_next(log, &change, err);
	if (result == 1) {
		struct undoing undoing = {.put = put, .change = &change, .only = only};

		revert_index_items(&undoing);
		result = revert_undo(&undoing, err);
		map_release(&undoing.items);
		return result;
	}
	return result == 0 ? err_set(err, ERR_NOT_FOUND, "the history has no such change") : -1;
}

/* What is not in the history for a secret that it carries cannot be taken back from there. */
static int revert_refuse_waiting(const struct revert *put, const struct log_change *change,
				 struct err *err)
{
	return err_set(
		err, ERR_BAD_VALUE,
		"the last change, %s, is not in the history: it carries a secret that was "
		"written by hand; remove that from the file, or let it be recorded with kota "
		"doctor --record",
		revert_change_text(put, change));
}

/*
 * May the last change be another one's? In a store with a remote all are but those that this
 * machine has put its name to.
 */
static bool revert_is_others(const struct log_change *change, const struct str *host)
{
	return !change->waits && host->len > 0 && !slice_equal(change->host, str_slice(host));
}

/* The last change that somebody made here: what has expired meanwhile is not. */
static int revert_find_last_change(const struct revert *put, struct object_id *id, struct err *err)
{
	struct log_change change;
	HISTORY_LOG_AUTO log = NULL;
	STR_AUTO host = STR_INIT;
	int result;

	host_name(store_disk(put->call->store), &host);
	if (history_log_open(&log, put->call->store, NULL, err) != 0)
		return -1;
	do
		result = history_log_next(log, &change, err);
	while (result == 1 &&
	       (slice_is(change.tool, "expiry") || revert_is_others(&change, &host)));
	if (result < 0)
		return -1;
	if (result == 0 && host.len > 0)
		return err_set(
			err, ERR_NOT_FOUND,
			"no change is known to have been made on this machine since the store got "
			"a remote: kota log shows all, and kota undo CHANGE undoes one");
	if (result == 1 && change.waits)
		return revert_refuse_waiting(put, &change, err);
	if (result == 0 || revert_is_beginning(&change))
		return err_set(err, ERR_NOT_FOUND, "the history has no change to undo");
	*id = change.id;
	return 0;
}

int revert_change(struct revert *put, struct slice name, struct err *err)
{
	struct object_id id;

	if (!name.ptr && !put->recorded)
		return revert_kept(put, NULL, err);
	if (name.ptr ? history_log_resolve(put->call->store, name, &id, err) != 0
		     : revert_find_last_change(put, &id, err) != 0)
		return -1;
	return revert_recorded(put, &id, NULL, err);
}

/* What the entry is called now, or was last. */
static struct revert_name revert_name_now(const struct revert *put, const struct follow *follow)
{
	struct ref ref = ref_parse(arena_copy(put->call->arena, follow->ref));

	return (struct revert_name){(enum category)ref.category, ref.key};
}

/* What the entry is called now, and what it was called right after that change. */
static int revert_find_names(const struct revert *put, struct slice key, const struct object_id *id,
			     struct revert_name *now, struct revert_name *then, struct err *err)
{
	struct log_change change;
	const struct told *told;
	FOLLOW_AUTO follow = {0};
	int result;

	if (follow_open(&follow, put->call, "key", key, NULL, err) != 0)
		return -1;
	/* Back to the change: what the entry was called right after it is where the walk stands. */
	follow.until = *id;
	do
		result = follow_next(&follow, &change, &told, err);
	while (result == 1);
	if (result != 0)
		return -1;
	if (follow.ref.ptr) {
		*now = revert_name_now(put, &follow);
		*then = (struct revert_name){(enum category)follow.category,
					     arena_copy(put->call->arena, follow.key)};
		return 0;
	}
	/* Gone, and not touched since: what the past before the change has is called the same now.
	 */
	follow.until = (struct object_id){{0}};
	result = follow_next(&follow, &change, &told, err);
	if (result != 1) {
		if (result == 0)
			follow_refuse(&follow, "key", err);
		return -1;
	}
	*now = *then = revert_name_now(put, &follow);
	return 0;
}

static int revert_key_at(struct revert *put, struct slice key, struct slice to, struct err *err)
{
	char digits[OBJECT_ID_DIGITS + 1];
	STR_AUTO text = STR_INIT;
	struct slice was = slice_make(NULL, 0);
	struct revert_name now;
	struct revert_name then;
	struct object_id id;

	if (history_log_resolve(put->call->store, to, &id, err) != 0 ||
	    revert_find_names(put, key, &id, &now, &then, err) != 0 ||
	    history_log_entry_at(put->call->store, &id, then.category, then.key, &text, err) != 0)
		return -1;
	object_id_text(&id, digits);
	put->id = arena_copy(put->call->arena, slice_of(digits));
	if (text.len > 0)
		was = arena_copy(put->call->arena, str_slice(&text));
	const struct item *there = revert_find(put, &now);
	if (common_same_json(there ? there->entry.text : slice_make(NULL, 0), was))
		return 0;
	if (there && was.ptr &&
	    note_text_follow(put->change, there, there->ref, was, put->call->warning, err) != 0)
		return -1;
	return revert_entry(put, &now, was, err);
}

int revert_key(struct revert *put, struct slice key, struct slice name, struct err *err)
{
	struct log_change change;
	const struct told *told;
	FOLLOW_AUTO follow = {0};
	struct object_id id;
	struct ref ref;

	if (name.ptr)
		return revert_key_at(put, key, name, err);
	if (!put->recorded) {
		if (common_parse_ref(&ref, "key", key, CATEGORY_ANY, err) != 0)
			return -1;
		return revert_kept(put, &ref, err);
	}
	if (follow_open(&follow, put->call, "key", key, NULL, err) != 0)
		return -1;
	/* The last change that was about the entry. */
	int result = follow_next(&follow, &change, &told, err);
	if (result != 1)
		return result == 0 ? follow_refuse(&follow, "key", err) : -1;
	if (change.waits)
		return revert_refuse_waiting(put, &change, err);
	struct revert_name now = revert_name_now(put, &follow);
	id = change.id;
	return revert_recorded(put, &id, &now, err);
}
