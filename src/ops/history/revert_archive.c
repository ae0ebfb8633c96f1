#include "base/mem.h"
#include "base/utf8.h"
#include "ops/history/revert_common.h"
#include "ops/note_text.h"
#include "store/history/history.h"
#include "store/log/cold.h"
#include "store/txn/undo.h"
#include "store/view/relations.h"

#include <stdlib.h>

/* Why there may be nothing to put back. */
static const char *revert_why_not(const struct revert *put)
{
	return history_is_wanted(put->call->store)
		       ? "the history cannot be used now, and only what was archived or "
			 "overwritten "
			 "since can be put back: kota doctor says how to go on"
		       : "without a history only what was archived or overwritten last can be put "
			 "back; turn one on with \"git\": \"own\" in config.json";
}

/*
 * Without a history: takes the note away that was made of an entry when the record of it was made,
 * if it still is what was made then, and names it as left as it is if not. after is the text of the
 * entry since.
 */
static int revert_note_kept(struct revert *put, const struct record *record, struct slice after,
			    struct err *err);

static bool revert_is_meant(const struct record *record, const struct ref *only)
{
	return record->archived_ms != TIME_NONE &&
	       (!only ||
		((only->category == CATEGORY_ANY || only->category == (int)record->category) &&
		 common_same_key(record->original_key, only->key)));
}

/* ---- what is no entry: links, and records of the archive */

/* Takes a line, which is read while it is walked past. One that stands twice counts once. */
static int revert_part_take(void *context, const struct json *doc)
{
	struct revert *put = context;
	struct arena *arena = put->call->arena;
	struct revert_part part;

	if (!kept_part_read(&part.kept, doc, JSON_ROOT, arena) || part.kept.at_ms == TIME_NONE)
		return 0;
	part.kept.text = arena_copy(arena, part.kept.text);
	part.kept.left = arena_copy(arena, part.kept.left);
	part.line = arena_copy(arena, doc->text);
	if (map_get(&put->part_lines, part.line, NULL))
		return 0;
	map_put(&put->part_lines, part.line, put->part_count);
	*MEM_ADD(put->parts, put->part_count, put->part_cap) = part;
	return 0;
}

/* The key that the record of a part is of. */
static struct slice revert_part_key(const struct revert *put, const struct revert_part *part)
{
	struct record record;
	JSON_AUTO doc = {0};

	common_parse(&doc, part->kept.text);
	return record_read(&record, part->kept.category, &doc, JSON_ROOT, put->call->arena)
		       ? arena_copy(put->call->arena, record.original_key)
		       : part->kept.name;
}

/* Is it about this entry? All are where none is meant; links are about none. */
static bool revert_part_is_meant(const struct revert *put, const struct revert_part *part,
				 const struct ref *only)
{
	if (!only)
		return true;
	return !part->kept.link &&
	       (only->category == CATEGORY_ANY || only->category == (int)part->kept.category) &&
	       common_same_key(revert_part_key(put, part), only->key);
}

static int revert_part_link(struct revert *put, const struct kept_part *kept, struct err *err)
{
	struct slice now = store_link_text(put->call->store, kept->name);
	struct slice before = kept->came ? slice_make(NULL, 0) : kept->text;

	if (common_same_json(now, before))
		return 0;
	if (!put->force && !common_same_json(now, kept->came ? kept->text : kept->left))
		return revert_refuse_link(put, kept->name, err);
	if (undo_link(put->change, kept->name, before, err) != 0)
		return -1;
	revert_add(&put->relations, kept->name);
	if (kept->came)
		revert_add(&put->unlinked, kept->name);
	return 0;
}

static int revert_part_record(struct revert *put, const struct kept_part *kept, struct err *err)
{
	const struct archived *there = revert_find_record(put, kept->category, kept->name);

	if (!kept->came)
		return there ? 0
			     : undo_add_record(put->change, kept->category, kept->name, kept->text,
					       err);
	return there ? undo_remove_record(put->change, there, err) : 0;
}

/* Makes the link or record what it was before the change. */
static int revert_put_part(struct revert *put, const struct revert_part *part, struct err *err)
{
	const struct record of = {
		.category = part->kept.category,
		.key = part->kept.name,
		.archived_ms = part->kept.at_ms,
	};
	const struct link *links;
	struct err unread;
	size_t count;

	/* A file of links that cannot be read is no reason to keep the entries back. */
	if (part->kept.link && store_links(put->call->store, &links, &count, &unread) != 0) {
		revert_add(&put->left, slice_of("relations.json"));
		return 0;
	}
	undo_line(put->change, &of, part->line);
	return part->kept.link ? revert_part_link(put, &part->kept, err)
			       : revert_part_record(put, &part->kept, err);
}

/* ---- the last change */

/* When the last change was made of which something is kept; TIME_NONE for none. */
static int64_t revert_last_time(const struct revert *put, const struct ref *only)
{
	int64_t last = TIME_NONE;

	for (size_t i = 0; i < put->record_count; i++) {
		if (revert_is_meant(&put->records[i].record, only))
			last = time_later(last, put->records[i].record.archived_ms);
	}
	for (size_t i = 0; i < put->part_count; i++) {
		if (revert_part_is_meant(put, &put->parts[i], only))
			last = time_later(last, put->parts[i].kept.at_ms);
	}
	return last;
}

/* The entry that was added last, if that is later than anything is kept of. */
static const struct item *revert_added_after(const struct revert *put, const struct ref *only,
					     int64_t at_ms)
{
	const struct item *only_item = only ? store_find(put->call->store, only->category,
							 only->key)
					    : NULL;
	const struct item *newest = NULL;
	size_t count;
	const struct item *items = store_items(put->call->store, &count);

	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &items[i].entry;

		if ((only && &items[i] != only_item) || entry->created_ms == TIME_NONE ||
		    entry->created_ms != entry->updated_ms)
			continue;
		if ((at_ms == TIME_NONE || entry->created_ms > at_ms) &&
		    (!newest || entry->created_ms > newest->entry.created_ms))
			newest = &items[i];
	}
	return newest;
}

/*
 * Has the entry gone its own way since? A bare text has no times that could tell. Of those that
 * became one only that one remains.
 */
static bool revert_is_touched(const struct record *record, const struct item *now)
{
	bool merged = slice_is(record->reason, reason_name(REASON_MERGED));

	/* If the entry was removed and not overwritten, nothing should be in its place. */
	if (!merged && !slice_is(record->reason, reason_name(REASON_REPLACED)))
		return now != NULL;
	if (!now)
		return !merged;
	return now->entry.updated_ms != TIME_NONE && now->entry.updated_ms > record->archived_ms;
}

/* What the change added goes, unless it has gone its own way since. */
static int revert_take_added(struct revert *put, const struct archived *archived, struct err *err)
{
	const struct record *record = &archived->record;
	const struct revert_name name = {record->category, record->original_key};
	const struct item *now = revert_find(put, &name);
	STR_AUTO scratch = STR_INIT;

	if (now && !put->force && now->entry.updated_ms != TIME_NONE &&
	    now->entry.updated_ms > record->archived_ms)
		return err_set(err, ERR_EXISTS,
			       "%s was changed since; kota undo --force takes it away anyway",
			       shown(&scratch, revert_ref_of(put, &name)));
	if (undo_remove_record(put->change, archived, err) != 0)
		return -1;
	return now ? revert_entry(put, &name, slice_make(NULL, 0), err) : 0;
}

static int revert_put_record(struct revert *put, const struct archived *archived, struct err *err)
{
	const struct record *record = &archived->record;
	const struct revert_name name = {record->category, record->original_key};
	const struct item *now = revert_find(put, &name);
	STR_AUTO scratch = STR_INIT;

	if (!now)
		now = store_find(put->call->store, (int)name.category, name.key);
	/* It is taken away by this very change. */
	if (now && map_get(&put->removed.known, now->ref, NULL))
		now = NULL;
	if (!put->force && revert_is_touched(record, now))
		return err_set(
			err, ERR_EXISTS,
			"%s was changed since; kota undo --force restores the earlier state anyway",
			shown(&scratch, revert_ref_of(put, &name)));
	if (undo_remove_record(put->change, archived, err) != 0)
		return -1;
	if (now && (note_text_follow(put->change, now, now->ref, record->entry.text,
				     put->call->warning, err) != 0 ||
		    revert_note_kept(put, record, now->entry.text, err) != 0))
		return -1;
	return revert_entry(put, &name, record->entry.text, err);
}

/* What was added then, only this entry where one is meant: a change gives all it adds one time. */
static int revert_remove_added(struct revert *put, const struct item *only, int64_t at_ms,
			       struct err *err)
{
	size_t count;
	const struct item *items = store_items(put->call->store, &count);

	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &items[i].entry;
		const struct revert_name name = {entry->category, entry->key};

		/* Not what this very change puts back. */
		if ((only && &items[i] != only) || entry->created_ms != at_ms ||
		    entry->updated_ms != at_ms || map_get(&put->restored.known, items[i].ref, NULL))
			continue;
		if (revert_entry(put, &name, slice_make(NULL, 0), err) != 0)
			return -1;
	}
	return 0;
}

/*
 * Links that the same change made; those that it led elsewhere stay as they are. A file of links
 * that cannot be read is no reason to keep the entries back.
 */
static int revert_remove_linked(struct revert *put, int64_t at_ms, struct err *err)
{
	const struct link *links;
	struct err unread;
	size_t count;

	if (store_links(put->call->store, &links, &count, &unread) != 0) {
		revert_add(&put->left, slice_of("relations.json"));
		return 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct slice id = links[i].relation.id;

		if (links[i].relation.created_ms != at_ms)
			continue;
		id = arena_copy(put->call->arena, id);
		if (undo_link(put->change, id, slice_make(NULL, 0), err) != 0)
			return -1;
		revert_add(&put->relations, id);
		revert_add(&put->unlinked, id);
	}
	return 0;
}

/* When the last link was made; TIME_NONE for none. */
static int64_t revert_last_linked(const struct revert *put)
{
	const struct link *links;
	int64_t last_ms = TIME_NONE;
	struct err ignored;
	size_t count;

	if (store_links(put->call->store, &links, &count, &ignored) != 0)
		return TIME_NONE;
	for (size_t i = 0; i < count; i++) {
		if (links[i].relation.created_ms <= put->call->now_ms)
			last_ms = time_later(last_ms, links[i].relation.created_ms);
	}
	return last_ms;
}

/* Was making a link the last thing that happened? Links say when they were made. */
static bool revert_is_linking(const struct revert *put, const struct ref *only, int64_t at_ms,
			      int64_t linked_ms)
{
	return !only && linked_ms != TIME_NONE && linked_ms > at_ms &&
	       !revert_added_after(put, NULL, linked_ms);
}

/* What the archive and the cold archive keep of a change. */
static int revert_put_kept(struct revert *put, const struct ref *only, int64_t at_ms,
			   struct err *err)
{
	/* What came goes first: it may have the name of what went. */
	for (int putting = 0; putting < 2; putting++) {
		for (size_t i = 0; i < put->record_count; i++) {
			const struct archived *archived = &put->records[i];
			bool came = slice_is(archived->record.reason, reason_name(REASON_ADDED));

			if (revert_is_meant(&archived->record, only) &&
			    archived->record.archived_ms == at_ms && came == (putting == 0) &&
			    (came ? revert_take_added : revert_put_record)(put, archived, err) != 0)
				return -1;
		}
	}
	for (size_t i = 0; i < put->part_count; i++) {
		const struct revert_part *part = &put->parts[i];

		if (part->kept.at_ms == at_ms && revert_part_is_meant(put, part, only) &&
		    revert_put_part(put, part, err) != 0)
			return -1;
	}
	return 0;
}

static int revert_load_parts(struct revert *put, struct err *err)
{
	if (put->parts_known)
		return 0;
	put->parts_known = true;
	return cold_walk(store_disk(put->call->store), revert_part_take, put, NULL, NULL, err);
}

int revert_kept(struct revert *put, const struct ref *only, struct err *err)
{
	if (revert_load_records(put, err) != 0 || revert_load_parts(put, err) != 0)
		return -1;
	int64_t at_ms = revert_last_time(put, only);
	int64_t linked_ms = revert_last_linked(put);
	if (revert_is_linking(put, only, at_ms, linked_ms))
		return revert_remove_linked(put, linked_ms, err);
	const struct item *added = revert_added_after(put, only, at_ms);
	if (added && (at_ms == TIME_NONE || !put->force))
		return revert_remove_added(put, only ? added : NULL, added->entry.created_ms, err);
	if (at_ms == TIME_NONE)
		return err_set(err, ERR_NOT_FOUND, "there is no earlier value to restore; %s",
			       revert_why_not(put));
	if (revert_put_kept(put, only, at_ms, err) != 0)
		return -1;
	if (only)
		return 0;
	if (revert_remove_added(put, NULL, at_ms, err) != 0)
		return -1;
	return revert_remove_linked(put, at_ms, err);
}

/* Putting back without a history what an entry was promoted to. */

#define FOLDER "notes/"

/* A number in the front matter of a note, in a line of its own; 0 where there is none. */
static double revert_number_in(const struct str *text, const char *line)
{
	const char *at = strstr(text->ptr, line);

	return at ? strtod(at + strlen(line), NULL) : 0;
}

static int revert_note_kept(struct revert *put, const struct record *record, struct slice after,
			    struct err *err)
{
	struct slice path = revert_promoted_to(after, put->call->arena);
	struct slice file = {0};
	STR_AUTO made = STR_INIT;
	STR_AUTO now = STR_INIT;
	bool stays = true;

	if (path.ptr && slice_equal(path, revert_promoted_to(record->entry.text, put->call->arena)))
		return 0; /* it has followed */
	if (path.ptr && slice_starts(path, FOLDER))
		file = slice_make(path.ptr + sizeof FOLDER - 1, path.len - (sizeof FOLDER - 1));
	if (file.len > 0 && !memchr(file.ptr, '/', file.len) &&
	    undo_note_text(put->change, file, &now)) {
		/* What was written of it then; how often it was used only the note still knows. */
		note_text_add(&made, &record->entry,
			      &(struct note_facts){
				      .created_ms = record->entry.created_ms,
				      .updated_ms = record->entry.updated_ms,
				      .promoted_ms = record->archived_ms,
				      .score = revert_number_in(&now, "\nscore: "),
				      .uses = (int64_t)revert_number_in(&now, "\nuses: "),
			      });
		if (undo_note(put->change, file, slice_make(NULL, 0), str_slice(&made), &stays,
			      err) != 0)
			return -1;
	}
	if (stays)
		revert_note_stays(put, record->entry.text, after);
	return 0;
}
