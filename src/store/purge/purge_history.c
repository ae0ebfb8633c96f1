/* The history under a purge, as purge_internal.h says. */
#include "base/map.h"
#include "base/mem.h"
#include "git/write/gc.h"
#include "git/write/rewrite.h"
#include "store/files/note_folder.h"
#include "store/history/history.h"
#include "store/purge/purge_internal.h"

#include <stdlib.h>

/* A file from which nothing can have to go. */
struct other_file {
	struct slice path;
	struct object_id blob;
};

/*
 * Which of the events lie before a commit: a byte for each. Commits with the same ones are of one
 * era, the first of which is that of none.
 */
struct rewriting_purge {
	struct purging *purging;
	struct repo *repo;
	struct map by_commit; /* id -> era; those of the first era are not in it */
	unsigned char **eras;
	size_t era_count;
	size_t era_cap;
	bool *unnamed; /* of each key: has it ended before the commit at hand? */
	struct other_file *others;
	size_t other_count;
	size_t other_cap;
	bool looks; /* others are looked into at once */
	struct arena arena;
};

static bool purge_history_concerns(void *context, const char *path)
{
	const struct rewriting_purge *r = context;
	const struct purge_set *set = r->purging->set;

	/* Notes that are there are the person's, and stay in the history as well. */
	for (size_t i = 0; purge_is_note(path) && i < set->notes.count; i++) {
		if (strcmp(set->notes.list[i], strchr(path, '/') + 1) == 0)
			return false;
	}
	for (size_t i = 0; i < set->count; i++) {
		if (purge_concerns(&set->keys[i], path))
			return true;
	}
	return false;
}

static enum rewritten purge_history_new_text(void *context, const char *path, struct slice text,
					     struct str *out)
{
	static const enum rewritten meanings[] = {REWRITTEN_NOT, REWRITTEN_TEXT, REWRITTEN_OUT,
						  REWRITTEN_OUT};
	struct rewriting_purge *r = context;

	return meanings[purge_set_text(r->purging->set, path, text, out, NULL)];
}

static enum rewritten purge_history_new_message(void *context, struct slice message,
						struct str *out)
{
	struct rewriting_purge *r = context;
	const struct purge_set *set = r->purging->set;
	STR_AUTO before = STR_INIT;
	bool changed = false;

	for (size_t i = 0; i < set->count; i++) {
		STR_AUTO after = STR_INIT;

		if (r->unnamed[i] ||
		    !purge_message(&set->keys[i], changed ? str_slice(&before) : message, &after))
			continue;
		changed = true;
		str_clear(&before);
		str_add(&before, str_slice(&after));
	}
	str_add(out, str_slice(&before));
	return changed ? REWRITTEN_TEXT : REWRITTEN_NOT;
}

/* ---- eras */

static size_t purge_history_era_of(struct rewriting_purge *r, const unsigned char *passed)
{
	size_t len = r->purging->event_count;

	for (size_t i = 0; i < r->era_count; i++) {
		if (memcmp(r->eras[i], passed, len) == 0)
			return i;
	}
	r->eras = mem_grow(r->eras, &r->era_cap, r->era_count + 1, sizeof *r->eras);
	r->eras[r->era_count] = arena_alloc(&r->arena, len);
	memcpy(r->eras[r->era_count], passed, len);
	return r->era_count++;
}

static void purge_history_add_passed(struct rewriting_purge *r, const struct object_id *commit,
				     unsigned char *passed)
{
	size_t era;

	if (!map_get(&r->by_commit, slice_make((const char *)commit->bytes, sizeof commit->bytes),
		     &era))
		return;
	for (size_t i = 0; i < r->purging->event_count; i++)
		passed[i] |= r->eras[era][i];
}

/* A key has ended once all its events have passed; those without events stay as they are. */
static bool purge_history_has_ended(const struct rewriting_purge *r, size_t key,
				    const unsigned char *passed)
{
	bool any = false;

	for (size_t i = 0; i < r->purging->event_count; i++) {
		if (r->purging->events[i].key != key)
			continue;
		if (!passed[i])
			return false;
		any = true;
	}
	return any || r->purging->set->keys[key].ended;
}

static size_t purge_history_enter(void *context, const struct object_id *commit,
				  const struct object_id *parents, size_t count)
{
	struct rewriting_purge *r = context;
	struct purging *purging = r->purging;
	unsigned char *passed = mem_zalloc(purging->event_count + 1, 1);

	for (size_t i = 0; i < count; i++)
		purge_history_add_passed(r, &parents[i], passed);
	for (size_t k = 1; k < purging->set->count; k++)
		r->unnamed[k] = purge_history_has_ended(r, k, passed);
	for (size_t i = 0; i < purging->event_count; i++)
		passed[i] |= object_id_equal(&purging->events[i].commit, commit);
	for (size_t k = 1; k < purging->set->count; k++) {
		if (purging->set->keys[k].recorded)
			purging->set->keys[k].ended = purge_history_has_ended(r, k, passed);
	}
	size_t era = purge_history_era_of(r, passed);
	if (era > 0)
		map_put(&r->by_commit,
			arena_copy(&r->arena,
				   slice_make((const char *)commit->bytes, sizeof commit->bytes)),
			era);
	free(passed);
	return era;
}

/* ---- other files */

static bool purge_history_has_it(struct rewriting_purge *r, const char *path,
				 const struct object_id *blob)
{
	struct purge_set *set = r->purging->set;
	STR_AUTO text = STR_INIT;
	struct err ignored;

	if (repo_blob_read(r->repo, blob, &text, &ignored) != 0)
		return true;
	return needles_in(&set->values, str_slice(&text)) ||
	       (purge_is_note(path) && purge_set_mentions(set, str_slice(&text)));
}

static bool purge_history_take_other(void *context, const char *path, const struct object_id *blob)
{
	struct rewriting_purge *r = context;

	if (r->looks)
		return purge_history_has_it(r, path, blob);
	r->others = mem_grow(r->others, &r->other_cap, r->other_count + 1, sizeof *r->others);
	r->others[r->other_count++] = (struct other_file){arena_copy(&r->arena, slice_of(path)),
							  *blob};
	return false;
}

/* Not before all values are known. */
static void purge_history_name_others(struct rewriting_purge *r)
{
	for (size_t i = 0; i < r->other_count; i++) {
		const char *path = r->others[i].path.ptr;

		if (!purge_history_has_it(r, path, &r->others[i].blob))
			continue;
		if (purge_is_note(path))
			purge_unreached(r->purging,
					"the history has %s: delete the file, and purge once more",
					path);
		else
			purge_unreached(r->purging,
					"the history has %s with a value of it: that is not a file "
					"of kota's",
					path);
	}
}

/* ---- the whole */

struct repo *purge_own_repository(struct store *store)
{
	struct repo *repo;
	struct err ignored;

	return history_repo(store, &repo, &ignored) == 0 && repo_is_ours(repo) ? repo : NULL;
}

static void purge_history_add_holder(void *context, const char *name)
{
	purge_unreached(context, "%s has it: delete it, or purge it there", name);
}

static void purge_history_add_remote(void *context, const char *name)
{
	purge_unreached(context, "the remote %s may have it: what was pushed stays there", name);
}

static int purge_history_rewrite(struct rewriting_purge *r, struct err *err)
{
	struct purging *purging = r->purging;
	struct rewriter rewriter = {
		.concerns = purge_history_concerns,
		.text = purge_history_new_text,
		.message = purge_history_new_message,
		.context = r,
		.enter = purging->event_count > 0 ? purge_history_enter : NULL,
		.other = purge_history_take_other,
	};
	struct rewrite_counts counts;
	size_t kept;

	/* What stays of the objects is hashed when it is packed. */
	repo_hash_objects(r->repo, false);
	int result = rewrite_branch(r->repo, &rewriter, &counts, err);
	if (result == 0)
		purge_history_name_others(r);
	repo_hash_objects(r->repo, true);
	if (result != 0)
		return -1;
	purging->report->texts += counts.texts;
	purging->report->commits += counts.commits;
	if (sweep(r->repo, &kept, err) != 0)
		return -1;
	r->looks = true;
	purge_names_at_first(purging);
	if (rewrite_holders(r->repo, &rewriter, purge_history_add_holder, purging, err) != 0)
		return -1;
	if (kept > 0)
		purge_unreached(purging, "packs in .git/objects/pack that are marked to be kept");
	rewrite_remotes(r->repo, purge_history_add_remote, purging);
	return 0;
}

static bool purge_history_is_note_name(const char *name)
{
	return name[0] != '.';
}

int purge_history(struct purging *purging, struct err *err)
{
	struct disk *disk = purging->disk;
	struct purge_set *set = purging->set;
	struct repo *repo = purge_own_repository(purging->store);
	struct rewriting_purge r = {
		.purging = purging, .repo = repo, .by_commit = MAP_INIT, .arena = ARENA_INIT};

	if (!repo)
		return 0;
	/* Notes that are there are the person's, and stay in the history as well. */
	int notes = note_folder_open(disk, NOTE_FOLDER, false, false);
	names_release(&set->notes);
	if (notes >= 0)
		names_read(disk->sys, notes, purge_history_is_note_name, &set->notes);
	file_close(disk->sys, &notes);
	purge_names_at_first(purging);
	r.unnamed = mem_zalloc(set->count, sizeof *r.unnamed);
	for (size_t i = 0; i < set->count; i++)
		r.unnamed[i] = set->keys[i].ended;
	unsigned char *none = mem_zalloc(purging->event_count + 1, 1);
	purge_history_era_of(&r, none);
	int result = purge_history_rewrite(&r, err);
	free(none);
	map_release(&r.by_commit);
	free(r.eras);
	free(r.unnamed);
	free(r.others);
	arena_release(&r.arena);
	purge_names_now(purging);
	return result;
}

/* ---- which categories the history knows */

struct knowing {
	struct purge_key keys[CATEGORY_COUNT];
	bool *found;
};

static bool purge_history_any_concerns(void *context, const char *path)
{
	const struct knowing *knowing = context;

	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (purge_concerns(&knowing->keys[c], path))
			return true;
	}
	return false;
}

/* Nothing changes; so the walk goes on to the end. */
static enum rewritten purge_history_note_categories(void *context, const char *path,
						    struct slice text, struct str *out)
{
	struct knowing *knowing = context;

	(void)out;
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		STR_AUTO unused = STR_INIT;

		if (!knowing->found[c] && purge_concerns(&knowing->keys[c], path))
			knowing->found[c] = purge_text(&knowing->keys[c], path, text, &unused,
						       NULL) != PURGED_NOT;
	}
	return REWRITTEN_NOT;
}

int purge_history_knows(struct store *store, struct slice key, bool found[CATEGORY_COUNT],
			struct err *err)
{
	struct repo *repo = purge_own_repository(store);
	struct knowing knowing = {.found = found};
	const struct rewriter rewriter = {.concerns = purge_history_any_concerns,
					  .text = purge_history_note_categories,
					  .context = &knowing};
	bool unused;

	for (int c = 0; c < CATEGORY_COUNT; c++) {
		purge_key_init(&knowing.keys[c], (enum category)c, key);
		found[c] = false;
	}
	int result = repo ? rewrite_finds(repo, &rewriter, &unused, err) : 0;
	for (int c = 0; c < CATEGORY_COUNT; c++)
		purge_key_release(&knowing.keys[c]);
	return result;
}
