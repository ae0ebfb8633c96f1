#include "sync/purged.h"

#include "base/hmac.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "git/walk.h"
#include "json/write.h"
#include "store/history/commit_message.h"
#include "store/history/history.h"
#include "store/history/tracked.h"
#include "store/open/store.h"
#include "store/purge/purge.h"
#include "store/txn/change.h"
#include "sync/publish.h"
#include "sync/whole_merge.h"

#include <stdlib.h>

/* The id of the first commit of the line, in digits: what the ids of a list are keyed by. */
static int purged_root(struct repo *repo, const struct object_id *from,
		       char root[OBJECT_ID_DIGITS + 1], struct err *err)
{
	struct commit commit;
	struct walk *walk;
	int result;

	if (walk_open(&walk, repo, from, err) != 0)
		return -1;
	while ((result = walk_next(walk, &commit, err)) == 1)
		object_id_text(&commit.id, root);
	walk_close(walk);
	return result;
}

/* Appends the id of the entry. */
static void purged_id(const char *root, const struct purge_key *key, struct str *out)
{
	unsigned char tag[HMAC_BYTES];
	STR_AUTO text = STR_INIT;

	str_printf(&text, "%s:", category_name(key->category));
	str_add(&text, str_slice(&key->identity));
	hmac_sha256(slice_of(root), str_slice(&text), tag);
	hmac_print(out, tag);
}

/* ---- telling */

static void purged_add_line(const char *root, const struct purge_key *key, int64_t now_ms,
			    struct str *out)
{
	char at[TIMESTAMP_SIZE];
	STR_AUTO id = STR_INIT;

	timestamp_format(now_ms, at);
	purged_id(root, key, &id);
	struct json_writer w = json_writer_to(out, &json_compact);
	json_write_object(&w);
	json_write_member_string(&w, "at", slice_of(at));
	json_write_member_string(&w, "id", str_slice(&id));
	json_write_end(&w);
	str_addc(out, '\n');
}

static int purged_note_locked(struct store *store, const struct purge_key *key,
			      const struct purge_report *report, struct err *err)
{
	char root[OBJECT_ID_DIGITS + 1] = "";
	STR_AUTO text = STR_INIT;
	struct object_id head;
	struct file_id id;
	struct repo *repo;

	if (history_repo(store, &repo, err) != 0 || repo_head(repo, &head, err) != 0 ||
	    purged_root(repo, &head, root, err) != 0 ||
	    tracked_read(store_disk(store), PURGED_NAME, &text, &id, err) != 0)
		return -1;
	purged_add_line(root, key, store_disk(store)->sys->now_ms(), &text);
	for (size_t i = 0; i < report->earlier_count; i++) {
		struct ref ref = ref_parse(slice_of(report->earlier[i]));
		struct purge_key earlier;

		purge_key_init(&earlier, (enum category)ref.category, ref.key);
		purged_add_line(root, &earlier, store_disk(store)->sys->now_ms(), &text);
		purge_key_release(&earlier);
	}
	return publish_file(store, repo, "purge", PURGED_NAME, str_slice(&text), &head, err);
}

int purged_note(struct store *store, const struct purge_key *key, const struct purge_report *report,
		struct err *err)
{
	static const struct change_meta meta = {.tool = "sync"};
	struct change *change;
	int result;

	if (!store_origin(store)->synced)
		return 0;
	if (change_begin(&change, store, &meta, store_disk(store)->sys->now_ms(), err) != 0)
		return -1;
	result = history_is_on(store) ? purged_note_locked(store, key, report, err) : 0;
	change_end(change);
	return result;
}

/* ---- following */

struct following {
	struct map ids; /* of the lines that are new */
	char root[OBJECT_ID_DIGITS + 1];
	struct map seen; /* refs */
	struct arena arena;
	struct slice *refs; /* of entries that are to be purged */
	size_t count;
	size_t cap;
};

static int purged_take_line(void *context, const struct json_line *line)
{
	struct following *f = context;
	struct slice id = line->doc ? json_member_text(line->doc, JSON_ROOT, "id", &f->arena)
				    : slice_of(NULL);

	if (id.len > 0)
		map_put(&f->ids, id, 0);
	return 0;
}

/* Is it one of those? Each ref is asked about once. */
static void purged_look_at(struct following *f, struct slice ref_text)
{
	struct ref ref = ref_parse(ref_text);
	struct purge_key key;
	STR_AUTO id = STR_INIT;

	if (ref.category == CATEGORY_ANY || map_get(&f->seen, ref_text, NULL))
		return;
	ref_text = arena_copy(&f->arena, ref_text);
	map_put(&f->seen, ref_text, 0);
	purge_key_init(&key, (enum category)ref.category, ref.key);
	purged_id(f->root, &key, &id);
	purge_key_release(&key);
	if (map_get(&f->ids, str_slice(&id), NULL))
		*MEM_ADD(f->refs, f->count, f->cap) = ref_text;
}

/* What is here: entries, records, and what the history has ever been about. */
static int purged_look_around(struct following *f, struct store *store, struct repo *repo,
			      const struct object_id *ours, struct err *err)
{
	const struct archived *records;
	const struct item *items;
	struct commit commit;
	struct walk *walk;
	size_t count;
	int result;

	items = store_items(store, &count);
	for (size_t i = 0; i < count; i++)
		purged_look_at(f, items[i].ref);
	if (store_archive_whole(store, &records, &count, err) != 0 ||
	    walk_open(&walk, repo, ours, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		STR_AUTO ref = STR_INIT;

		ref_add(&ref, records[i].record.category, records[i].record.original_key);
		purged_look_at(f, str_slice(&ref));
	}
	while ((result = walk_next(walk, &commit, err)) == 1) {
		const char *at = commit.message;
		STR_AUTO scratch = STR_INIT;
		struct slice ref;

		while ((ref = message_ref(&at, &scratch)).ptr)
			purged_look_at(f, ref);
	}
	walk_close(walk);
	return result;
}

static int purged_carry_out(const struct following *f, struct store *store, struct err *err)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < f->count; i++) {
		struct ref ref = ref_parse(f->refs[i]);
		struct purge_report report;
		struct purge_key key;

		purge_key_init(&key, (enum category)ref.category, ref.key);
		result = purge_run(store, &key, store_disk(store)->sys->now_ms(), &report, err);
		purge_report_release(&report);
		purge_key_release(&key);
	}
	return result;
}

/* The lines of their list that ours has not. */
static int purged_compare(struct following *f, struct repo *repo, const struct object_id *theirs,
			  const struct object_id *ours, struct err *err)
{
	STR_AUTO their_text = STR_INIT;
	STR_AUTO our_text = STR_INIT;
	STR_AUTO news = STR_INIT;
	MAP_AUTO known = MAP_INIT;
	struct object_id there;
	struct object_id here;
	struct slice their_lines;
	struct slice our_lines;
	struct slice line;

	if (repo_file_at(repo, theirs, PURGED_NAME, &there, err) != 0 ||
	    repo_file_at(repo, ours, PURGED_NAME, &here, err) != 0)
		return -1;
	if (object_id_equal(&there, &here))
		return 0;
	if (whole_text(repo, PURGED_NAME, &there, &their_text, &their_lines, err) != 0 ||
	    whole_text(repo, PURGED_NAME, &here, &our_text, &our_lines, err) != 0)
		return -1;
	while (slice_line(&our_lines, &line))
		map_put(&known, line, 0);
	while (slice_line(&their_lines, &line)) {
		if (!map_get(&known, line, NULL))
			str_printf(&news, "%.*s\n", (int)line.len, line.ptr);
	}
	return json_parse_lines(str_slice(&news), &json_file_bounds, purged_take_line, f);
}

int purged_look(struct repo *repo, const struct object_id *theirs, const struct object_id *ours,
		bool *news, struct err *err)
{
	struct following f = {.ids = MAP_INIT, .seen = MAP_INIT, .arena = ARENA_INIT};
	int result = purged_compare(&f, repo, theirs, ours, err);

	*news = f.ids.count > 0;
	map_release(&f.ids);
	arena_release(&f.arena);
	return result;
}

int purged_follow(struct store *store, struct repo *repo, const struct object_id *theirs,
		  const struct object_id *ours, size_t *followed, struct err *err)
{
	struct following f = {.ids = MAP_INIT, .seen = MAP_INIT, .arena = ARENA_INIT};
	int result = purged_compare(&f, repo, theirs, ours, err);

	if (result == 0)
		result = purged_root(repo, theirs, f.root, err);
	if (result == 0)
		result = purged_look_around(&f, store, repo, ours, err);
	*followed = f.count;
	if (result == 0)
		result = purged_carry_out(&f, store, err);
	free(f.refs);
	map_release(&f.ids);
	map_release(&f.seen);
	arena_release(&f.arena);
	return result;
}
