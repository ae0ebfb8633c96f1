#include "store/history/history.h"

#include "base/mem.h"
#include "git/objects.h"
#include "git/write/commit.h"
#include "git/write/lock.h"
#include "git/write/object_log.h"
#include "git/write/pack_merge.h"
#include "git/write/tip.h"
#include "model/operation.h"
#include "model/relation.h"
#include "store/history/arrival.h"
#include "store/history/file_list.h"
#include "store/history/rebuild.h"
#include "store/history/recorder.h"
#include "store/history/secret_guard.h"
#include "store/history/sound_text.h"
#include "store/history/tracked.h"
#include "store/swap/swap_log.h"
#include "store/view/notices.h"
#include "store/view/snapshot.h"

#include <fcntl.h>
#include <stdlib.h>

/*
 * So many changes at once go into a pack: it takes four flushes, and each loose object is a file to
 * make, and another one to remove later.
 */
#define PACKED_CHANGES 8

#define HOW_TO_TURN_ON "turn it on with \"git\": \"own\" in config.json"

static void history_on_group(void *context, size_t changes);
static void history_on_change(void *context, const struct change_meta *meta, const struct op *ops,
			      size_t count, int64_t at_ms, bool joins);
static void history_on_text(void *context, const char *file_name, struct slice before,
			    struct slice after);
static void history_on_withdrawn(void *context, const char *file_name);
static void history_on_lines(void *context, const char *file_name);
static void history_on_made(void *context);

struct history *history_new(struct store *store)
{
	struct history *history = mem_zalloc(1, sizeof *history);

	history->store = store;
	str_init(&history->told);
	history->witness = (struct witness){
		history_on_group, history_on_change, history_on_text, history_on_withdrawn,
		history_on_lines, history_on_made,   history};
	return history;
}

static void history_forget(struct history *history)
{
	recorded_doc_release(&history->recorded);
	repo_close(history->repo);
	history->repo = NULL;
	history->usable = false;
	for (size_t i = 0; i < history->known_count; i++)
		free(history->known[i].name);
	history->known_count = 0;
}

void history_free(struct history *history)
{
	if (!history)
		return;
	history_forget(history);
	free(history->known);
	str_release(&history->told);
	arena_release(&history->arena);
	free(history);
}

/* Something that the person should read once, and then no more. */
static void history_tell_once(struct history *history, const char *text)
{
	struct disk *disk = &history->store->disk;
	PENDING_AUTO pending = {0};
	struct err ignored;

	if (pending_read(&pending, disk, &ignored) != 0)
		return;
	for (size_t i = 0; i < pending.count; i++)
		pending.lines[i].stays = true;
	if (!pending.told) {
		pending.told = true;
		if (pending_clear(disk, &pending, &ignored) == 0) {
			notices_add(history->store, "%s", text);
			notices_keep(history->store);
		}
	}
}

/*
 * True if the store lies in somebody's repository that does not ignore it. Then that person
 * chooses, and *why says so, or says why it cannot be known.
 */
static bool history_is_of_another(const struct store *store, struct err *why)
{
	STR_AUTO workdir = STR_INIT;
	bool ignored;

	if (store->settings.git != GIT_MODE_UNSET)
		return false;
	if (repo_around(store->sys, store->disk.path, &workdir, &ignored, why) != 0)
		return true;
	if (workdir.len == 0 || ignored)
		return false;
	err_set(why, ERR_NO_HISTORY,
		"there is no history, since the store lies in the repository %s; " HOW_TO_TURN_ON
		", or let that repository ignore the store",
		workdir.ptr);
	return true;
}

void history_watch(struct store *store)
{
	if (store->history->repo)
		repo_watch(store->history->repo, store->disk.progress);
}

static void history_open_or_make(struct history *history)
{
	struct disk *disk = &history->store->disk;

	if (repo_open(&history->repo, disk->sys, disk->path, &history->why) == 0 ||
	    history->why.code != ERR_NOT_FOUND)
		return;
	if (history_is_of_another(history->store, &history->why)) {
		history->wanted = false;
		history_tell_once(history, history->why.text);
		return;
	}
	if (pending_was_recorded(disk, &history->why)) {
		notices_add(history->store, "%s", history->why.text);
		notices_keep(history->store);
	}
	history->fresh = repo_create(&history->repo, disk->sys, disk->path, &history->why) == 0;
}

int history_may_open(const struct disk *disk, struct file_id *id, struct err *why)
{
	const struct origin *origin = &disk->origin;
	bool linked;

	if (origin->kind == ORIGIN_FOREIGN)
		return err_set(why, ERR_NO_HISTORY,
			       "%s came with a repository and is not trusted: it has no history of "
			       "its own",
			       disk->path);
	if (!origin_believes(origin, STATE_GIT) || !origin_believes(origin, STATE_PENDING))
		return err_set(why, ERR_NO_HISTORY,
			       "the repository around %s tracks its .git or .pending, so they are "
			       "not believed: take them out of it (git rm --cached)",
			       disk->path);
	if (file_identify_link(disk->sys, disk->dirfd, ".git", id, &linked, why) != 0)
		return -1;
	if (linked || (origin->kind == ORIGIN_UNREVIEWED && id->present && !S_ISDIR(id->mode)))
		return err_set(why, ERR_NO_HISTORY, "%s/.git leads elsewhere, so it is not used",
			       disk->path);
	return 0;
}

static bool history_same_folder(const struct file_id *a, const struct file_id *b)
{
	return a->present == b->present && (!a->present || (a->ino == b->ino && a->dev == b->dev));
}

/* Opens or makes the repository, where that was not tried yet or may end otherwise by now. */
static void history_open_again(struct history *history, const struct file_id *id)
{
	struct store *store = history->store;
	struct disk *disk = &store->disk;
	bool changed = !history_same_folder(id, &history->repo_id);
	bool mended;

	if (history->repo && !changed && repo_refresh(history->repo, &history->why) != 0)
		history_forget(history);
	/* If there is one that could not be used, it may have been mended since. */
	if (history->tried && !changed && (history->repo || !id->present))
		return;
	history_forget(history);
	history->wanted = true;
	history_open_or_make(history);
	history_watch(store);
	history->tried = true;
	if (file_identify(store->sys, disk->dirfd, ".git", &history->repo_id, &history->why) != 0)
		history_forget(history);
	/* First restore what a power cut has torn: nothing is recorded on top of that. */
	if (history->repo &&
	    (swap_log_boot(disk, &history->why) != 0 ||
	     object_log_begin(history->repo, disk->boot, &mended, &history->why) != 0)) {
		history_forget(history);
		history->tried = false;
		history->refuses = object_log_is_broken(disk->sys, disk->dirfd);
	}
}

int history_check(const struct store *store, struct err *err)
{
	if (!store->history->refuses)
		return 0;
	*err = store->history->why;
	return -1;
}

void history_open(struct store *store)
{
	struct history *history = store->history;
	bool off = !store->settings_valid || store->settings.git == GIT_MODE_OFF;
	struct file_id id = {.present = false};
	struct err why;

	history->refuses = false;
	history->quiet = false;
	store->disk.witness = NULL;
	if (off || history_may_open(&store->disk, &id, &history->why) != 0) {
		history_forget(history);
		/* One that cannot be looked at now is there later: until then changes are noted. */
		history->wanted = !off && history->why.code == ERR_IO;
		history->tried = false;
	} else {
		/* Check it again before anything is recorded, even if it was in order then. */
		history->quiet = history->usable && history_same_folder(&id, &history->repo_id) &&
				 repo_is_quiet(history->repo, &id);
		if (!history->quiet) {
			history_open_again(history, &id);
			history->usable = history->repo &&
					  repo_check(history->repo, &history->why) == 0;
		}
	}
	if (!history->wanted)
		return;
	/* Changes are noted in .pending even if nothing can be recorded now. */
	store->disk.witness = &history->witness;
	if (!history->usable)
		notices_add(store, "changes are not recorded in the history: %s",
			    history->why.text);
	else if (arrival_finish(store, &why) != 0)
		notices_add(store, "what came from another machine is not all in place yet: %s",
			    why.text);
}

bool history_is_torn(struct store *store)
{
	struct history *history = store->history;
	struct disk *disk = &store->disk;
	struct err ignored;
	struct file_id id;

	if (history->looked || disk->dirfd < 0 || store->settings.git == GIT_MODE_OFF ||
	    history_may_open(disk, &id, &ignored) != 0)
		return false;
	history->looked = true;
	return swap_log_boot(disk, &ignored) == 0 &&
	       object_log_is_old(disk->sys, disk->dirfd, disk->boot);
}

bool history_is_on(const struct store *store)
{
	return store->history->usable;
}

bool history_is_wanted(const struct store *store)
{
	return store->history->wanted;
}

/* ---- what a change is about, and what of it waits, see secret_guard.h */

/* The file as the last commit has it; empty where it has none. */
static void history_read_recorded(struct history *history, const char *file_name, struct str *out)
{
	struct object_id head;
	struct object_id blob;
	struct err ignored;

	if (repo_head(history->repo, &head, &ignored) == 0 &&
	    repo_file_at(history->repo, &head, file_name, &blob, &ignored) == 0 &&
	    !object_id_is_none(&blob))
		repo_blob_read(history->repo, &blob, out, &ignored);
}

/*
 * True if the texts of a file before and after a change must wait. What is in the repository
 * already, or written by the change itself, has been asked about. line.before is set.
 */
static void history_look_for_secrets(struct history *history, const char *file_name,
				     struct slice before, struct slice after, bool *before_held,
				     bool *after_held)
{
	STR_AUTO recorded = STR_INIT;

	*before_held = false;
	*after_held = history->records_held && tracked_category(file_name) == CATEGORY_COUNT;
	if (!history->repo || !history_holds_secrets(history) || !before.ptr ||
	    repo_knows(history->repo, &history->line.before))
		return;
	history_read_recorded(history, file_name, &recorded);
	*before_held = secret_guard_finds(file_name, str_slice(&recorded), before, NULL);
	*after_held = *after_held ||
		      (*before_held &&
		       secret_guard_finds(file_name, str_slice(&recorded), after, NULL));
}

/* True if the repository does not have the category's file as it is on the disk. */
static bool history_is_edited(struct history *history, enum category category)
{
	STR_AUTO text = STR_INIT;
	struct object_id blob;
	struct file_id id;
	struct err ignored;

	return tracked_read(&history->store->disk, store_file_name((enum store_file)category),
			    &text, &id, &ignored) == 0 &&
	       id.present && repo_blob_id(history->repo, str_slice(&text), &blob, &ignored) == 0 &&
	       !repo_has(history->repo, &blob);
}

/* True if the change moves into the archive what nobody has been asked about. */
static bool history_archives_held(struct history *history, const struct op *ops, size_t count)
{
	for (size_t i = 0; i < count && history->repo && history_holds_secrets(history); i++) {
		bool records = ops[i].kind == OP_RECORD_ADD || ops[i].kind == OP_COLD_ADD ||
			       ops[i].kind == OP_KEEP;

		if (records && secret_guard_finds_in(ops[i].text) &&
		    history_is_edited(history, ops[i].category))
			return true;
	}
	return false;
}

/* The entries that a link is between. */
static void history_add_ends(struct history *history, struct ref_list *refs, struct slice text)
{
	struct json_fault fault;
	struct relation relation;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return;
	if (relation_read(&relation, &doc, JSON_ROOT, &history->arena)) {
		ref_list_add(refs, &history->arena, relation.from);
		ref_list_add(refs, &history->arena, relation.to);
	}
}

static void history_add_ref(struct history *history, struct ref_list *refs, const struct op *op)
{
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, op->category, op->key);
	ref_list_add(refs, &history->arena, str_slice(&ref));
}

/* Entries, what is put first: it names the change. Links, then records, where there is no entry. */
static void history_add_refs(struct history *history, const struct op *ops, size_t count)
{
	REF_LIST_AUTO refs = {0};

	for (size_t i = 0; i < count; i++) {
		if (ops[i].kind == OP_PUT)
			history_add_ref(history, &refs, &ops[i]);
	}
	for (size_t i = 0; i < count; i++) {
		if (ops[i].kind == OP_REMOVE)
			history_add_ref(history, &refs, &ops[i]);
	}
	bool any = refs.count > 0;
	for (size_t i = 0; i < count && !any; i++) {
		if (ops[i].kind == OP_LINK_PUT || ops[i].kind == OP_LINK_REMOVE)
			history_add_ends(history, &refs, ops[i].text);
	}
	for (size_t i = 0; i < count && refs.count == 0; i++)
		history_add_ref(history, &refs, &ops[i]);
	history->line.refs = arena_alloc(&history->arena,
					 (refs.count + 1) * sizeof *history->line.refs);
	for (size_t i = 0; i < refs.count; i++)
		history->line.refs[i] = refs.items[i];
	history->line.ref_count = refs.count;
}

static struct slice history_kept(struct history *history, const char *text)
{
	return arena_copy(&history->arena, slice_of(text));
}

/* The change at hand is not recorded: who records it later must know that it was made. */
static void history_note_made(struct history *history)
{
	struct slice rest = str_slice(&history->told);
	struct slice change;
	struct err err;

	while (history->made && history->noted && slice_line(&rest, &change)) {
		if (pending_done(&history->store->disk, change, &err) != 0)
			notices_add(history->store,
				    "the history may take this change for an edit: %s", err.text);
	}
	history->made = false;
}

/* The texts of many changes stay in memory until they are recorded, in one pack. */
static void history_on_group(void *context, size_t changes)
{
	struct history *history = context;

	if (history->repo && changes >= PACKED_CHANGES) {
		objects_hold(history->repo);
		history->packs = true;
	}
}

static void history_on_change(void *context, const struct change_meta *meta, const struct op *ops,
			      size_t count, int64_t at_ms, bool joins)
{
	struct history *history = context;

	history_note_made(history);
	arena_release(&history->arena);
	history->joined = joins;
	if (!joins)
		str_clear(&history->told);
	history->line = (struct pending_line){
		.change = history_kept(history, meta->id ? meta->id : "?"),
		.at_ms = at_ms,
		.tool = history_kept(history, meta->tool ? meta->tool : "change"),
		.client = history_kept(history, meta->client),
		.client_version = history_kept(history, meta->client_version),
		.session = history_kept(history, meta->session),
		.undoes = history_kept(history, meta->undoes),
	};
	str_add(&history->told, history->line.change);
	str_addc(&history->told, '\n');
	history_add_refs(history, ops, count);
	history->records_held = history_archives_held(history, ops, count);
	history->ops = ops;
	history->op_count = count;
	history->made = false;
}

static void history_on_made(void *context)
{
	struct history *history = context;

	history->ops = NULL;
	history->op_count = 0;
	history->made = true;
}

/* The operations that are about the file; copied, where they are but a part of the change. */
static void history_note_ops(struct history *history, const char *file_name)
{
	struct pending_line *line = &history->line;
	struct op *ops = arena_alloc(&history->arena, (history->op_count + 1) * sizeof *ops);

	line->ops = ops;
	line->op_count = 0;
	for (size_t i = 0; i < history->op_count; i++) {
		if (rebuild_concerns(&history->ops[i], file_name))
			ops[line->op_count++] = history->ops[i];
	}
}

static void history_append(struct history *history, const char *file_name)
{
	off_t before;
	struct err err;

	history_note_ops(history, file_name);
	history->line.file = slice_of(file_name);
	if (pending_append(&history->store->disk, &history->line, &before, &err) == 0) {
		history->noted = true;
		if (!history->joined)
			history->before_line = before;
	} else {
		notices_add(history->store, "the history may take this change for an edit: %s",
			    err.text);
	}
}

/*
 * The id of a text, none where it cannot be known now; and the text itself in the repository, if
 * that works: whoever records the change looks for it, and says why it is not there. One that was
 * just made is hardly ever there, so it is not looked for.
 */
static void history_note_text(struct history *history, struct slice text, bool held, bool fresh,
			      struct object_id *out)
{
	struct err ignored;

	*out = (struct object_id){{0}};
	if (!history->repo || !text.ptr)
		return;
	/* To put it there names it as well. */
	if (!held && fresh && repo_blob_put(history->repo, text, out, &ignored) == 0)
		return;
	if (repo_blob_id(history->repo, text, out, &ignored) == 0 && !held && !fresh &&
	    !repo_knows(history->repo, out))
		(void)!repo_blob_put(history->repo, text, &(struct object_id){{0}}, &ignored);
}

/* True if the change puts into the file, or removes from it, a secret that a person wrote there. */
static bool history_carries_held(const struct history *history, const char *file_name)
{
	for (size_t i = 0; i < history->op_count; i++) {
		const struct op *op = &history->ops[i];

		if (rebuild_concerns(op, file_name) &&
		    (secret_guard_finds_in(op->text) || secret_guard_finds_in(op->key)))
			return true;
	}
	return history->records_held;
}

static void history_on_text(void *context, const char *file_name, struct slice before,
			    struct slice after)
{
	struct history *history = context;
	struct pending_line *line = &history->line;
	bool before_held;
	bool after_held;

	history_note_text(history, before, true, false, &line->before);
	history_look_for_secrets(history, file_name, before, after, &before_held, &after_held);
	history_note_text(history, before, before_held, false, &line->before);
	history_note_text(history, after, after_held, true, &line->after);
	/* Recorded as what it makes of the last commit, while the edit with the secret waits. */
	if (after_held)
		line->before = line->after = (struct object_id){{0}};
	line->held = after_held && history_carries_held(history, file_name);
	history_append(history, file_name);
}

static void history_on_withdrawn(void *context, const char *file_name)
{
	struct history *history = context;

	(void)file_name;
	pending_cut(&history->store->disk, history->before_line);
}

static void history_on_lines(void *context, const char *file_name)
{
	struct history *history = context;

	history->line.before = (struct object_id){{0}};
	history->line.after = (struct object_id){{0}};
	history->line.held = history->records_held;
	history_append(history, file_name);
}

/*
 * The first commit tells this store from all others, also after it was restored from a backup: what
 * was registered when the store was made could not say it yet.
 */
static void history_register_root(struct history *history)
{
	struct disk *disk = &history->store->disk;
	struct object_id head;
	struct err ignored;

	if (!history->fresh || repo_head(history->repo, &head, &ignored) != 0 ||
	    object_id_is_none(&head))
		return;
	history->fresh = false;
	if (disk->origin.kind == ORIGIN_OWN && !disk->origin.personal && disk->origin.name.len > 0)
		(void)!origin_register(&disk->origin, disk->sys, disk->env, disk->dirfd, false,
				       &ignored);
}

/*
 * Packs what is due, or goes on with merging packs: never both, so that no change waits long. A
 * history that cannot be packed is only larger than it need be.
 */
static void history_keep_small(struct history *history)
{
	struct repo *repo = history->repo;
	struct err ignored;
	bool more;

	if (history->pack_failed)
		return;
	if (history->packs)
		(void)!pack_merge_begin(repo, &ignored);
	history->packs = false;
	if (!object_log_is_due(repo))
		(void)!pack_merge_step(repo, &more, &ignored);
	else if (!repo_is_ours(repo))
		return;
	else if (object_log_flush(repo, &ignored) != 0)
		history->pack_failed = true;
	else
		(void)!pack_merge_begin(repo, &ignored);
}

bool history_catch_up(struct store *store)
{
	struct history *history = store->history;
	struct err err;

	if (!history_is_on(store) || recorder_run(history, &err) != 0) {
		/* history_open() has warned already if the history cannot be used. */
		if (history_is_on(store)) {
			history->why = err;
			notices_add(store, "the change is made, but not in the history yet: %s",
				    err.text);
		}
		history_note_made(history);
		return false;
	}
	history->made = false;
	history->noted = false;
	history->doubted = false;
	err_clear(&history->why);
	recorded_doc_release(&history->recorded);
	history_register_root(history);
	history_keep_small(history);
	return true;
}

bool history_may_rest(const struct store *store)
{
	const struct history *history = store->history;

	return history->usable && !history->pack_failed &&
	       (history->repo->log.records > 0 || !history->repo->merge_rests);
}

void history_rest(struct store *store)
{
	struct history *history = store->history;
	struct repo *repo = history->repo;
	struct err ignored;
	bool mended;
	bool more;

	if (repo->log.records == 0)
		(void)!pack_merge_step(repo, &more, &ignored);
	else if (object_log_begin(repo, store->disk.boot, &mended, &ignored) != 0 ||
		 object_log_rest(repo, &ignored) != 0 || pack_merge_begin(repo, &ignored) != 0)
		history->pack_failed = true;
}

bool history_record(struct store *store)
{
	struct history *history = store->history;
	bool recorded = (!history->noted && !pending_any(&store->disk)) || history_catch_up(store);

	if (history->repo)
		objects_release_held(history->repo);
	return recorded;
}

bool history_works(struct store *store)
{
	struct history *history = store->history;

	/* Who is at work in the repository has put a lock into its folder. */
	return history_is_on(store) &&
	       (history->quiet || repo_busy(history->repo, &history->why) == 0) &&
	       (!pending_any(&store->disk) || history_catch_up(store));
}

bool history_has(struct store *store, enum category category, struct slice key, struct slice text)
{
	struct history *history = store->history;
	const struct json *doc = recorded_doc_of(&history->recorded, history->repo,
						 store_file_name((enum store_file)category));
	uint32_t node = doc ? json_member_slice(doc, JSON_ROOT, key) : JSON_NONE;

	return node != JSON_NONE && slice_equal(json_text(doc, node), text);
}

static void history_remove_left_lock(void *context, const char *path)
{
	struct history *history = context;

	if (lock_is_left(history->repo, path))
		history->store->sys->unlinkat(AT_FDCWD, path, 0);
}

int history_mend(struct store *store, struct err *err)
{
	struct history *history = store->history;
	struct file_id id;
	bool mended;

	if (history->wanted && history_may_open(&store->disk, &id, err) == 0 &&
	    head_mend(store->sys, store->disk.path, err) != 0)
		return -1;
	if (object_log_is_broken(store->sys, store->disk.dirfd) &&
	    (history_repo(store, &history->repo, err) != 0 ||
	     object_log_carry_out(history->repo, err) != 0))
		return -1;
	if (!history->usable)
		history_open(store);
	if (!history->repo)
		return 0;
	lock_each(history->repo, history_remove_left_lock, history);
	if (!history->usable || !repo_is_ours(history->repo))
		return 0;
	if (tip_mend(history->repo, &mended, err) != 0)
		return -1;
	history->doubted = history->doubted || mended;
	return 0;
}

static int history_refuse_to_read(struct store *store, struct err *err)
{
	if (store->settings.git == GIT_MODE_OFF)
		return err_set(err, ERR_NO_HISTORY, "history is off; " HOW_TO_TURN_ON);
	if (history_is_of_another(store, err) || pending_was_recorded(&store->disk, err))
		return -1;
	return err_set(err, ERR_NO_HISTORY,
		       "there is no history yet: it begins with the next change");
}

int history_prepare(struct store *store, struct err *err)
{
	struct history *history = store->history;

	err_clear(&history->why);
	snapshot_load_settings(store);
	history_open(store);
	if (history_is_on(store))
		return 0;
	if (store->settings.git == GIT_MODE_OFF || history->why.code == ERR_NONE)
		return history_refuse_to_read(store, err);
	*err = history->why;
	return -1;
}

int history_record_all(struct store *store, struct err *err)
{
	store->history->holds_nothing = true;
	int result = recorder_run(store->history, err);
	store->history->holds_nothing = false;
	return result;
}

int history_cannot_read(struct err *err)
{
	const struct err why = *err;

	if (why.code != ERR_NO_HISTORY)
		return -1;
	return err_set(err, why.code,
		       "%s; what is in the files and the archive is safe, and kota doctor says how "
		       "to go on",
		       why.text);
}

int history_repo(struct store *store, struct repo **out, struct err *err)
{
	struct history *history = store->history;
	struct file_id id = {.present = false};

	if (store->disk.dirfd < 0)
		return history_refuse_to_read(store, err);
	if (history_may_open(&store->disk, &id, err) != 0)
		return -1;
	if (history->repo && !history_same_folder(&id, &history->repo_id)) {
		history_forget(history);
		history->tried = false;
	}
	if (!history->repo) {
		if (repo_open(&history->repo, store->sys, store->disk.path, err) != 0)
			return err->code == ERR_NOT_FOUND ? history_refuse_to_read(store, err)
							  : history_cannot_read(err);
		history->repo_id = id;
		history_watch(store);
	}
	*out = history->repo;
	return 0;
}

bool history_find_last(struct store *store, enum store_file file, struct slice cached,
		       int64_t cached_ms, struct str *out)
{
	struct repo *repo = NULL;
	struct err ignored;

	if (store->settings.git == GIT_MODE_OFF || history_repo(store, &repo, &ignored) != 0)
		repo = NULL;
	return sound_find_last(&store->disk, repo, file, cached, cached_ms, out);
}
