/* The names that an entry had before, as commits, records and links tell them. */
#include "base/mem.h"
#include "git/walk.h"
#include "git/write/rewrite.h"
#include "model/relation.h"
#include "store/files/resolve.h"
#include "store/history/commit_message.h"
#include "store/history/history.h"
#include "store/purge/purge_internal.h"

#include <stdlib.h>

/* A commit that is about several entries: one of them may have become another. */
struct candidate {
	struct object_id id;
	struct slice message;
};

struct search {
	struct purging *purging;
	struct repo *repo;
	struct candidate *list; /* in the order of the history */
	size_t count;
	size_t cap;
	struct arena arena;
};

/* ---- what commits say */

static void names_take_message(void *context, const struct object_id *commit, const char *message)
{
	struct search *search = context;
	const char *refs = message;
	const char *rest = message;
	struct slice tool = message_trailer(&rest, "Kota-Tool");

	/* Of several entries: each look goes on behind the one before. Changes of the two tools are
	   of one; it supersedes others of the same commit. */
	if (!message_trailer(&refs, "Kota-Ref").ptr)
		return;
	if (!message_trailer(&refs, "Kota-Ref").ptr || slice_is(tool, "memory_set") ||
	    slice_is(tool, "memory_update"))
		return;
	search->list = mem_grow(search->list, &search->cap, search->count + 1,
				sizeof *search->list);
	search->list[search->count++] = (struct candidate){
		*commit, arena_copy(&search->arena, slice_of(message))};
}

/* The next ref that a message names, in it or in *scratch; false at its end. */
static bool names_next_ref(const char **text, struct str *scratch, struct ref *out)
{
	struct slice trailer = message_ref(text, scratch);

	*out = ref_parse(trailer);
	return trailer.ptr != NULL;
}

/* The text of an entry in a commit; empty when it is not there, or cannot be read. */
static void names_entry_at(struct search *search, const struct object_id *commit,
			   const struct purge_key *key, struct str *out)
{
	STR_AUTO text = STR_INIT;
	struct object_id blob;
	struct json_fault fault;
	JSON_AUTO doc = {0};
	struct err ignored;

	str_clear(out);
	if (object_id_is_none(commit) ||
	    repo_file_at(search->repo, commit, store_file_name((enum store_file)key->category),
			 &blob, &ignored) != 0 ||
	    object_id_is_none(&blob) || repo_blob_read(search->repo, &blob, &text, &ignored) != 0 ||
	    json_parse(&doc, str_slice(&text), &json_file_bounds, &fault) != 0)
		return;
	for (uint32_t n = json_first(&doc, JSON_ROOT); n != JSON_NONE && out->len == 0;
	     n = json_next(&doc, n)) {
		STR_AUTO scratch = STR_INIT;

		if (purge_key_is(key, json_name(&doc, n, &scratch)))
			str_add(out, json_text(&doc, n));
	}
}

static uint32_t names_value_of(const struct json *doc)
{
	uint32_t value = json_member(doc, JSON_ROOT, "value");

	return value == JSON_NONE ? JSON_ROOT : value;
}

static bool names_same_value(const struct json *a, const struct json *b)
{
	return json_equal(a, names_value_of(a), b, names_value_of(b));
}

/* True if it was created at the same moment. */
static bool names_same_birth(const struct json *a, const struct json *b)
{
	uint32_t of_a = json_member(a, JSON_ROOT, "created_at");
	uint32_t of_b = json_member(b, JSON_ROOT, "created_at");

	return of_a != JSON_NONE && of_b != JSON_NONE && json_equal(a, of_a, b, of_b);
}

/* Compares the texts of two entries, or of one at two times. */
static bool purge_names_compare(struct slice a, struct slice b,
				bool (*same)(const struct json *a, const struct json *b))
{
	struct json_fault fault;
	JSON_AUTO first = {0};
	JSON_AUTO second = {0};

	if (json_parse(&first, a, &json_file_bounds, &fault) != 0)
		return false;
	if (json_parse(&second, b, &json_file_bounds, &fault) != 0)
		return false;
	return same(&first, &second);
}

static bool purge_names_same_birth(struct slice a, struct slice b)
{
	return purge_names_compare(a, b, names_same_birth);
}

/* True if these are the texts of one entry before and after it was renamed. */
static bool names_is_same_entry(struct slice before, struct slice after)
{
	return purge_names_compare(before, after, names_same_value) ||
	       purge_names_same_birth(before, after);
}

/* True if the text of an entry says that the key was merged into it. */
static bool names_is_merged_from(struct slice text, const struct purge_key *key)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};
	bool found = false;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return false;
	uint32_t list = json_member(&doc, JSON_ROOT, "merged_from");
	for (uint32_t n = list == JSON_NONE ? JSON_NONE : json_first(&doc, list);
	     n != JSON_NONE && !found; n = json_next(&doc, n)) {
		STR_AUTO scratch = STR_INIT;

		found = purge_key_has_ref(key, json_string(&doc, n, &scratch));
	}
	return found;
}

struct last_record {
	struct search *search;
	const struct purge_key *key;
	int64_t last_ms;
};

static int names_look_for_record(void *context, const char *path, const struct object_id *blob)
{
	struct last_record *last = context;
	STR_AUTO text = STR_INIT;
	struct err ignored;

	if ((strcmp(path, store_file_name(STORE_FILE_ARCHIVE)) != 0 &&
	     strncmp(path, COLD_FOLDER "/", sizeof COLD_FOLDER) != 0) ||
	    repo_blob_read(last->search->repo, blob, &text, &ignored) != 0)
		return 0;
	int64_t at_ms = purge_last_record(last->key, path, str_slice(&text));
	if (at_ms > last->last_ms)
		last->last_ms = at_ms;
	return 0;
}

static void names_add_event(struct search *search, const struct commit *commit, size_t at)
{
	struct purging *purging = search->purging;
	struct purge_key *key = &purging->set->keys[at];
	struct last_record last = {search, key, key->until_ms};
	struct err ignored;

	for (size_t i = 0; i < purging->event_count; i++) {
		if (purging->events[i].key == at &&
		    object_id_equal(&purging->events[i].commit, &commit->id))
			return;
	}
	purging->events = mem_grow(purging->events, &purging->event_cap, purging->event_count + 1,
				   sizeof *purging->events);
	purging->events[purging->event_count++] = (struct purge_event){commit->id, at};
	repo_files(search->repo, &commit->id, names_look_for_record, &last, &ignored);
	key->until_ms = last.last_ms > commit->time_ms ? last.last_ms : commit->time_ms;
	key->recorded = true;
}

/* True if the other entry of the commit has become the one with these texts. */
static void names_examine_other(struct search *search, const struct commit *commit,
				const struct ref *ref, struct slice before, struct slice after)
{
	struct purge_set *set = search->purging->set;
	STR_AUTO there = STR_INIT;
	STR_AUTO gone = STR_INIT;
	struct purge_key other;

	purge_key_init(&other, (enum category)ref->category, ref->key);
	names_entry_at(search, &commit->parent, &other, &there);
	names_entry_at(search, &commit->id, &other, &gone);
	if (there.len > 0 && gone.len == 0 &&
	    (names_is_merged_from(after, &other) ||
	     (before.len == 0 && names_is_same_entry(str_slice(&there), after))))
		names_add_event(search, commit, purge_set_add(set, other.category, ref->key));
	purge_key_release(&other);
}

static int names_examine(struct search *search, const struct candidate *candidate, size_t at,
			 struct err *err)
{
	const char *text = candidate->message.ptr;
	STR_AUTO scratch = STR_INIT;
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	struct walk *walk;
	struct commit commit;
	struct ref ref;

	if (walk_open(&walk, search->repo, &candidate->id, err) != 0)
		return -1;
	int result = walk_next(walk, &commit, err) == 1 ? 0 : -1;
	if (result == 0) {
		names_entry_at(search, &commit.parent, &search->purging->set->keys[at], &before);
		names_entry_at(search, &commit.id, &search->purging->set->keys[at], &after);
	}
	while (result == 0 && after.len > 0 && names_next_ref(&text, &scratch, &ref)) {
		if (ref.category != CATEGORY_ANY &&
		    purge_set_find(search->purging->set, ref.category, ref.key) != at)
			names_examine_other(search, &commit, &ref, str_slice(&before),
					    str_slice(&after));
	}
	walk_close(walk);
	return result;
}

/* Before the commit by which the entry got another name, the one of before is its. */
static bool names_is_live(const struct search *search, const bool *begun, size_t at)
{
	const struct purging *purging = search->purging;
	bool dated = false;

	for (size_t i = 0; i < purging->event_count; i++)
		dated = dated || purging->events[i].key == at;
	return !dated || begun[at];
}

/* From the last commit to the first. */
static int names_search_commits(struct search *search, struct err *err)
{
	struct purging *purging = search->purging;
	size_t cap = 0;
	bool *begun = NULL;
	int result = 0;

	for (size_t i = search->count; i-- > 0 && result == 0;) {
		const struct candidate *candidate = &search->list[i];
		STR_AUTO scratch = STR_INIT;
		const char *text = candidate->message.ptr;
		struct ref ref;

		while (result == 0 && names_next_ref(&text, &scratch, &ref)) {
			size_t at = purge_set_find(purging->set, ref.category, ref.key);

			begun = mem_grow_cleared(begun, &cap, purging->set->count, sizeof *begun);
			if (at != SIZE_MAX && names_is_live(search, begun, at))
				result = names_examine(search, candidate, at, err);
		}
		begun = mem_grow_cleared(begun, &cap, purging->set->count, sizeof *begun);
		for (size_t e = 0; e < purging->event_count; e++) {
			if (object_id_equal(&purging->events[e].commit, &candidate->id))
				begun[purging->events[e].key] = true;
		}
	}
	free(begun);
	return result;
}

/* ---- what records and links say */

/* True if there is an active entry of this key. */
static bool names_stands(const struct purging *purging, const struct purge_key *key)
{
	return store_find(purging->store, (int)key->category,
			  ref_parse(str_slice(&key->ref)).key) != NULL;
}

static const struct archived *names_last_record_of(const struct archived *all, size_t count,
						   const struct purge_key *key, const char *reason)
{
	const struct archived *last = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct record *record = &all[i].record;

		if (record->category == key->category && purge_key_is(key, record->original_key) &&
		    (!reason || slice_is(record->reason, reason)) &&
		    (!last || record->archived_ms >= last->record.archived_ms))
			last = &all[i];
	}
	return last;
}

struct archive {
	struct purging *purging;
	const struct archived *all;
	size_t count;
};

/* What was merged is archived as such; without that, and under a name that stands, it is not. */
static void names_add_merged(struct archive *archive, struct slice text)
{
	struct ref ref = ref_parse(text);
	struct purge_key key;

	if (ref.category == CATEGORY_ANY || ref.key.len == 0)
		return;
	purge_key_init(&key, (enum category)ref.category, ref.key);
	const struct archived *last = names_last_record_of(archive->all, archive->count, &key,
							   reason_name(REASON_MERGED));
	if (last || !names_stands(archive->purging, &key)) {
		size_t at = purge_set_add(archive->purging->set, key.category, ref.key);

		if (last && last->record.archived_ms > archive->purging->set->keys[at].until_ms)
			archive->purging->set->keys[at].until_ms = last->record.archived_ms;
	}
	purge_key_release(&key);
}

/* The last record of what was created at that moment under the name of this record. */
static const struct archived *names_last_of_life(const struct archive *archive,
						 const struct archived *other)
{
	const struct archived *last = other;
	struct purge_key key;

	purge_key_init(&key, other->record.category, other->record.original_key);
	for (size_t i = 0; i < archive->count; i++) {
		const struct record *record = &archive->all[i].record;

		if (record->category == key.category && purge_key_is(&key, record->original_key) &&
		    record->archived_ms > last->record.archived_ms &&
		    purge_names_same_birth(record->entry.text, other->record.entry.text))
			last = &archive->all[i];
	}
	purge_key_release(&key);
	return last;
}

/*
 * A record of another name, of an entry that was created at the same moment. Where no record says
 * that it was taken out, and it is not there any more, it has got another name.
 */
static void names_add_moved(struct archive *archive, const struct archived *other)
{
	struct purge_set *set = archive->purging->set;
	const struct record *record = &other->record;
	const struct item *item = store_find(archive->purging->store, (int)record->category,
					     record->original_key);
	const struct archived *last = names_last_of_life(archive, other);

	/* A line that is kept for undo does not say that it was removed: mv leaves one, too. */
	if ((!last->record.undo && !slice_is(last->record.reason, reason_name(REASON_REPLACED))) ||
	    (item && purge_names_same_birth(item->entry.text, record->entry.text)))
		return;
	size_t at = purge_set_add(set, record->category, record->original_key);
	if (last->record.archived_ms > set->keys[at].until_ms)
		set->keys[at].until_ms = last->record.archived_ms;
}

/* What the text of an entry, active or archived, says of other names. */
static void names_read_entry(struct archive *archive, struct slice text)
{
	STR_AUTO birth = STR_INIT;
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return;
	uint32_t list = json_member(&doc, JSON_ROOT, "merged_from");
	uint32_t created = json_member(&doc, JSON_ROOT, "created_at");
	for (uint32_t n = list == JSON_NONE ? JSON_NONE : json_first(&doc, list); n != JSON_NONE;
	     n = json_next(&doc, n)) {
		STR_AUTO scratch = STR_INIT;

		names_add_merged(archive, json_string(&doc, n, &scratch));
	}
	if (created != JSON_NONE && json_type(&doc, created) == JSON_STRING)
		str_add(&birth, json_text(&doc, created));
	for (size_t i = 0; birth.len > 0 && i < archive->count; i++) {
		struct slice entry = archive->all[i].record.entry.text;

		if (entry.len > birth.len && memmem(entry.ptr, entry.len, birth.ptr, birth.len) &&
		    purge_names_same_birth(entry, text))
			names_add_moved(archive, &archive->all[i]);
	}
}

/* Links of the kind that merging makes. */
static int names_read_links(struct archive *archive, const struct purge_key *key, struct err *err)
{
	struct disk *disk = archive->purging->disk;
	ARENA_AUTO arena = ARENA_INIT;
	STR_AUTO text = STR_INIT;
	struct relation link;
	struct file_id id;
	JSON_AUTO doc = {0};

	if (disk_read_json(disk, store_file_name(STORE_FILE_RELATIONS), &text, &doc, &id, err) != 0)
		return -1;
	for (uint32_t n = json_first(&doc, JSON_ROOT); n != JSON_NONE; n = json_next(&doc, n)) {
		struct purge_key to;

		if (!relation_read(&link, &doc, n, &arena) ||
		    link.type != RELATION_CONSOLIDATED_FROM || !purge_key_has_ref(key, link.from))
			continue;
		struct ref ref = ref_parse(link.to);
		if (ref.category == CATEGORY_ANY)
			continue;
		purge_key_init(&to, (enum category)ref.category, ref.key);
		/* Anybody may add such a link; only a merged entry has a record that says so. */
		if (names_last_record_of(archive->all, archive->count, &to,
					 reason_name(REASON_MERGED)))
			names_add_merged(archive, link.to);
		purge_key_release(&to);
	}
	return 0;
}

static int names_search_records(struct purging *purging, struct err *err)
{
	struct archive archive = {.purging = purging};
	int result = store_archive_whole(purging->store, &archive.all, &archive.count, err);

	for (size_t k = 0; result == 0 && k < purging->set->count; k++) {
		/* The set grows, and its keys move. */
		struct purge_key key = purging->set->keys[k];
		const struct item *item = store_find(purging->store, (int)key.category,
						     ref_parse(str_slice(&key.ref)).key);

		if (item && !key.earlier)
			names_read_entry(&archive, item->entry.text);
		for (size_t i = 0; i < archive.count; i++) {
			const struct record *record = &archive.all[i].record;

			if (record->category == key.category &&
			    purge_key_is(&key, record->original_key))
				names_read_entry(&archive, record->entry.text);
		}
		result = names_read_links(&archive, &key, err);
	}
	return result;
}

/* ---- all of it */

/*
 * The repository in the store, or NULL where there is none. In one that cannot be read the entry
 * may have had other names: that must not look as if it had none.
 */
static int names_open_repository(struct purging *purging, struct repo **out, struct err *err)
{
	struct disk *disk = purging->disk;
	struct file_id git;

	*out = NULL;
	if (file_identify(disk->sys, disk->dirfd, ".git", &git, err) != 0)
		return -1;
	if (!git.present || history_repo(purging->store, out, err) == 0)
		return 0;
	return err_prefix(err, "the history may know the entry by other names, and cannot be read");
}

int purge_names_find(struct purging *purging, struct err *err)
{
	struct search search = {.purging = purging, .arena = ARENA_INIT};
	struct purge_set *set = purging->set;

	/* In a repository of the person's, too, whose history stays as it is. */
	if (names_open_repository(purging, &search.repo, err) != 0)
		return -1;
	int result = search.repo ? rewrite_messages(search.repo, names_take_message, &search, err)
				 : 0;
	for (size_t before = 0; result == 0 && before < set->count;) {
		before = set->count;
		result = names_search_commits(&search, err);
		if (result == 0)
			result = names_search_records(purging, err);
	}
	free(search.list);
	arena_release(&search.arena);
	for (size_t i = 1; i < set->count; i++)
		set->keys[i].stands = names_stands(purging, &set->keys[i]);
	return result;
}

void purge_names_now(struct purging *purging)
{
	for (size_t i = 1; i < purging->set->count; i++) {
		struct purge_key *key = &purging->set->keys[i];

		key->ended = key->stands || key->recorded;
	}
}

void purge_names_at_first(struct purging *purging)
{
	purge_names_now(purging);
	for (size_t i = 0; i < purging->event_count; i++)
		purging->set->keys[purging->events[i].key].ended = false;
}
