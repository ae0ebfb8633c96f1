/* The names that an entry had before, as commits tell them; see purge_internal.h. */
#include "base/mem.h"
#include "git/rewrite.h"
#include "git/walk.h"
#include "store/history/history.h"
#include "store/history/commit_message.h"
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
	struct err err; /* of what failed inside a walk */
	bool failed;
};

/* ---- what commits say */

static bool is_about_several(const char *message)
{
	/* Each look goes on behind the one before. */
	if (!message_trailer(&message, "Kota-Ref").ptr)
		return false;
	return message_trailer(&message, "Kota-Ref").ptr != NULL;
}

/* Changes of these tools are of one entry; others of the same commit give way to it. */
static bool is_of_one(const char *message)
{
	struct slice tool = message_trailer(&message, "Kota-Tool");

	return slice_is(tool, "memory_set") || slice_is(tool, "memory_update");
}

static void take_message(void *context, const struct object_id *commit, const char *message)
{
	struct search *search = context;

	if (!is_about_several(message) || is_of_one(message))
		return;
	search->list = mem_grow(search->list, &search->cap, search->count + 1,
				sizeof *search->list);
	search->list[search->count++] = (struct candidate){
		*commit, arena_copy(&search->arena, slice_of(message))};
}

/* The next ref that a message names; false at its end. */
static bool next_ref(struct search *search, const char **text, struct ref *out)
{
	STR_AUTO scratch = STR_INIT;
	struct slice trailer = message_trailer(text, "Kota-Ref");
	struct json_fault fault;
	struct json doc;

	if (trailer.ptr && trailer.len > 0 && trailer.ptr[0] == '"' &&
	    json_parse(&doc, trailer, &json_line_bounds, &fault) == 0) {
		trailer = arena_copy(&search->arena, json_string(&doc, JSON_ROOT, &scratch));
		json_release(&doc);
	}
	*out = ref_parse(trailer);
	return trailer.ptr != NULL;
}

/* The text of an entry in a commit; empty when it is not there, or cannot be read. */
static void entry_at(struct search *search, const struct object_id *commit,
		     const struct purge_key *key, struct str *out)
{
	STR_AUTO text = STR_INIT;
	struct object_id blob;
	struct json_fault fault;
	struct json doc;
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
	json_release(&doc);
}

static uint32_t value_of(const struct json *doc)
{
	uint32_t value = json_member(doc, JSON_ROOT, "value");

	return value == JSON_NONE ? JSON_ROOT : value;
}

static bool same_value(const struct json *a, const struct json *b)
{
	return json_equal(a, value_of(a), b, value_of(b));
}

/* Was it created at the same moment? */
static bool same_birth(const struct json *a, const struct json *b)
{
	uint32_t of_a = json_member(a, JSON_ROOT, "created_at");
	uint32_t of_b = json_member(b, JSON_ROOT, "created_at");

	return of_a != JSON_NONE && of_b != JSON_NONE && json_equal(a, of_a, b, of_b);
}

/* Compares the texts of two entries, or of one at two times. */
static bool compare(struct slice a, struct slice b,
		    bool (*same)(const struct json *a, const struct json *b))
{
	struct json_fault fault;
	struct json first;
	struct json second;
	bool result;

	if (json_parse(&first, a, &json_file_bounds, &fault) != 0)
		return false;
	if (json_parse(&second, b, &json_file_bounds, &fault) != 0) {
		json_release(&first);
		return false;
	}
	result = same(&first, &second);
	json_release(&second);
	json_release(&first);
	return result;
}

bool purge_same_birth(struct slice a, struct slice b)
{
	return compare(a, b, same_birth);
}

/* Are the texts of one entry before and after it got another name? */
static bool is_same_entry(struct slice before, struct slice after)
{
	return compare(before, after, same_value) || purge_same_birth(before, after);
}

/* Does the text of an entry say that the key was merged into it? */
static bool is_merged_from(struct slice text, const struct purge_key *key)
{
	struct json_fault fault;
	struct json doc;
	uint32_t list;
	bool found = false;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return false;
	list = json_member(&doc, JSON_ROOT, "merged_from");
	for (uint32_t n = list == JSON_NONE ? JSON_NONE : json_first(&doc, list);
	     n != JSON_NONE && !found; n = json_next(&doc, n)) {
		STR_AUTO scratch = STR_INIT;

		found = purge_key_has_ref(key, json_string(&doc, n, &scratch));
	}
	json_release(&doc);
	return found;
}

struct last_record {
	struct search *search;
	const struct purge_key *key;
	int64_t last_ms;
};

static int look_for_record(void *context, const char *path, const struct object_id *blob)
{
	struct last_record *last = context;
	STR_AUTO text = STR_INIT;
	struct err ignored;
	int64_t at_ms;

	if ((strcmp(path, store_file_name(STORE_FILE_ARCHIVE)) != 0 &&
	     strncmp(path, COLD_FOLDER "/", sizeof COLD_FOLDER) != 0) ||
	    repo_blob_read(last->search->repo, blob, &text, &ignored) != 0)
		return 0;
	at_ms = purge_last_record(last->key, path, str_slice(&text));
	if (at_ms > last->last_ms)
		last->last_ms = at_ms;
	return 0;
}

static void add_event(struct search *search, const struct commit *commit, size_t at)
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
	repo_files(search->repo, &commit->id, look_for_record, &last, &ignored);
	key->until_ms = last.last_ms > commit->time_ms ? last.last_ms : commit->time_ms;
	key->recorded = true;
}

/* Another entry that the commit is about: has it become the one whose texts these are? */
static void examine_other(struct search *search, const struct commit *commit, const struct ref *ref,
			  struct slice before, struct slice after)
{
	struct purge_set *set = search->purging->set;
	STR_AUTO there = STR_INIT;
	STR_AUTO gone = STR_INIT;
	struct purge_key other;

	purge_key_init(&other, (enum category)ref->category, ref->key);
	entry_at(search, &commit->parent, &other, &there);
	entry_at(search, &commit->id, &other, &gone);
	if (there.len > 0 && gone.len == 0 &&
	    (is_merged_from(after, &other) ||
	     (before.len == 0 && is_same_entry(str_slice(&there), after))))
		add_event(search, commit, purge_set_add(set, other.category, ref->key));
	purge_key_release(&other);
}

static int examine(struct search *search, const struct candidate *candidate, size_t at,
		   struct err *err)
{
	const char *text = candidate->message.ptr;
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	struct walk *walk;
	struct commit commit;
	struct ref ref;
	int result;

	if (walk_open(&walk, search->repo, &candidate->id, err) != 0)
		return -1;
	result = walk_next(walk, &commit, err) == 1 ? 0 : -1;
	if (result == 0) {
		entry_at(search, &commit.parent, &search->purging->set->keys[at], &before);
		entry_at(search, &commit.id, &search->purging->set->keys[at], &after);
	}
	while (result == 0 && after.len > 0 && next_ref(search, &text, &ref)) {
		if (ref.category != CATEGORY_ANY &&
		    purge_set_find(search->purging->set, ref.category, ref.key) != at)
			examine_other(search, &commit, &ref, str_slice(&before), str_slice(&after));
	}
	walk_close(walk);
	return result;
}

/* Before the commit by which the entry got another name, the one of before is its. */
static bool is_live(const struct search *search, const bool *begun, size_t at)
{
	const struct purging *purging = search->purging;
	bool dated = false;

	for (size_t i = 0; i < purging->event_count; i++)
		dated = dated || purging->events[i].key == at;
	return !dated || begun[at];
}

/* From the last commit to the first. */
static int search_commits(struct search *search, struct err *err)
{
	struct purging *purging = search->purging;
	size_t cap = 0;
	bool *begun = NULL;
	int result = 0;

	for (size_t i = search->count; i-- > 0 && result == 0;) {
		const struct candidate *candidate = &search->list[i];
		const char *text = candidate->message.ptr;
		struct ref ref;

		while (result == 0 && next_ref(search, &text, &ref)) {
			size_t at = purge_set_find(purging->set, ref.category, ref.key);

			begun = mem_grow_cleared(begun, &cap, purging->set->count, sizeof *begun);
			if (at != SIZE_MAX && is_live(search, begun, at))
				result = examine(search, candidate, at, err);
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

/* ---- all of it */

static int search_all(struct search *search, struct err *err)
{
	struct purge_set *set = search->purging->set;
	size_t before;

	if (search->repo && rewrite_messages(search->repo, take_message, search, err) != 0)
		return -1;
	do {
		before = set->count;
		if (search_commits(search, err) != 0 ||
		    purge_records_search(search->purging, err) != 0)
			return -1;
	} while (set->count > before);
	return 0;
}

bool purge_stands(const struct purging *purging, const struct purge_key *key)
{
	return store_find(purging->store, (int)key->category,
			  ref_parse(str_slice(&key->ref)).key) != NULL;
}

int purge_names_find(struct purging *purging, struct err *err)
{
	struct search search = {.purging = purging, .arena = ARENA_INIT};
	struct err ignored;
	int result;

	/* In a repository of the person's, too, whose history stays as it is. */
	if (history_repo(purging->store, &search.repo, &ignored) != 0)
		search.repo = NULL;
	result = search_all(&search, err);
	free(search.list);
	arena_release(&search.arena);
	for (size_t i = 1; i < purging->set->count; i++)
		purging->set->keys[i].stands = purge_stands(purging, &purging->set->keys[i]);
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
