#include "git/write/rewrite.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "git/repo_state.h"
#include "git/write/lock.h"
#include "git/write/new_objects.h"
#include "git/write/object_log.h"
#include "git/write/pack.h"
#include "git/write/tip.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* What has become of a file's text, or of a commit. */
struct fate {
	enum rewritten what;
	struct object_id id; /* the new one, for REWRITTEN_TEXT */
	bool other;          /* nothing goes from it, and it has what is looked for */
};

struct rewriting {
	struct repo *repo;
	const struct lib *lib;
	const struct rewriter *rewriter;
	struct rewrite_counts *counts; /* NULL: who only looks */
	struct new_objects *made;      /* of the new commits; NULL: each object stands alone */
	struct map texts;              /* "BLOB PATH" -> fate */
	struct map commits;            /* id -> fate; those that stay are not in it */
	struct fate *fates;
	size_t count;
	size_t cap;
	size_t era; /* of the commit at hand, as the rewriter's rewrite_enter() says */
	struct arena arena;
	struct err err; /* of what failed inside a walk */
};

static void rewrite_release(struct rewriting *rewriting)
{
	map_release(&rewriting->texts);
	map_release(&rewriting->commits);
	new_objects_free(rewriting->made);
	free(rewriting->fates);
	arena_release(&rewriting->arena);
}

static void rewrite_note(struct rewriting *rewriting, struct map *map, struct slice name,
			 const struct fate *fate)
{
	rewriting->fates = mem_grow(rewriting->fates, &rewriting->cap, rewriting->count + 1,
				    sizeof *rewriting->fates);
	rewriting->fates[rewriting->count] = *fate;
	map_put(map, arena_copy(&rewriting->arena, name), rewriting->count++);
}

static int rewrite_decide(struct rewriting *rewriting, const char *path,
			  const struct object_id *blob, struct fate *fate, struct err *err)
{
	const struct rewriter *rewriter = rewriting->rewriter;
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;

	if (repo_blob_read(rewriting->repo, blob, &before, err) != 0)
		return -1;
	*fate = (struct fate){
		.what = rewriter->text(rewriter->context, path, str_slice(&before), &after)};
	if (fate->what == REWRITTEN_NOT)
		return 0;
	if (rewriting->counts)
		rewriting->counts->texts++;
	/* Write it only when rewriting or counting; other callers just ask. */
	if (fate->what == REWRITTEN_TEXT && rewriting->made)
		return new_objects_add_blob(rewriting->made, str_slice(&after), &fate->id, err);
	if (fate->what == REWRITTEN_TEXT && rewriting->counts)
		return repo_blob_write(rewriting->repo, str_slice(&after), &fate->id, err);
	return 0;
}

/* What becomes of a file's text; the same one is looked at once. */
static int rewrite_fate_of(struct rewriting *rewriting, const char *path,
			   const struct object_id *blob, struct fate *fate, struct err *err)
{
	const struct rewriter *rewriter = rewriting->rewriter;
	char digits[OBJECT_ID_DIGITS + 1];
	STR_AUTO name = STR_INIT;
	size_t at;
	bool concerns = rewriter->concerns(rewriter->context, path);

	*fate = (struct fate){.what = REWRITTEN_NOT};
	if (!concerns && !rewriter->other)
		return 0;
	object_id_text(blob, digits);
	str_printf(&name, "%s %s", digits, path);
	if (concerns && rewriting->era > 0)
		str_printf(&name, " %zu", rewriting->era);
	if (map_get(&rewriting->texts, str_slice(&name), &at)) {
		*fate = rewriting->fates[at];
		return 0;
	}
	if (!concerns)
		fate->other = rewriter->other(rewriter->context, path, blob);
	else if (rewrite_decide(rewriting, path, blob, fate, err) != 0)
		return -1;
	rewrite_note(rewriting, &rewriting->texts, str_slice(&name), fate);
	return 0;
}

/* What is staged is rewritten like the rest. What was left out is replaced by what HEAD has. */
static int rewrite_index_entry(struct rewriting *rewriting, const git_index_entry *from,
			       git_index *to, const struct object_id *head, struct err *err)
{
	struct object_id blob = lib_id(&from->id);
	git_index_entry entry = *from;
	struct fate fate = {.what = REWRITTEN_NOT};

	if ((from->mode & S_IFMT) == S_IFREG &&
	    rewrite_fate_of(rewriting, from->path, &blob, &fate, err) != 0)
		return -1;
	if (fate.what == REWRITTEN_OUT &&
	    repo_file_at(rewriting->repo, head, from->path, &fate.id, err) != 0)
		return -1;
	if (fate.what == REWRITTEN_OUT && object_id_is_none(&fate.id))
		return 0;
	if (fate.what != REWRITTEN_NOT) {
		/* Without the file's times, so that git looks into it. */
		entry = (git_index_entry){.mode = from->mode,
					  .path = from->path,
					  .flags = from->flags,
					  .flags_extended = from->flags_extended,
					  .id = lib_oid(&fate.id)};
	}
	if (rewriting->lib->index_add(to, &entry) != 0)
		return lib_error(rewriting->lib, err, "write the index in %s",
				 rewriting->repo->folder.ptr);
	return 0;
}

/* A new index: what git notes in the old one beside the entries may name old objects. */
static int rewrite_fill_index(struct rewriting *rewriting, const char *from_path,
			      const char *to_path, const struct object_id *head, struct err *err)
{
	const struct lib *lib = rewriting->lib;
	git_index *from = NULL;
	git_index *to = NULL;
	int result = 0;

	if (lib->index_open(&from, from_path) != 0 || lib->index_open(&to, to_path) != 0)
		result = lib_error(lib, err, "read %s", from_path);
	for (size_t i = 0; result == 0 && i < lib->index_entrycount(from); i++)
		result = rewrite_index_entry(rewriting, lib->index_get_byindex(from, i), to, head,
					     err);
	if (result == 0 && lib->index_write(to) != 0)
		result = lib_error(lib, err, "write %s", to_path);
	lib->index_free(to);
	lib->index_free(from);
	return result;
}

/* Rewrites what is staged; head is the commit that the branch will be at. */
static int rewrite_index(struct rewriting *rewriting, const struct object_id *head, struct err *err)
{
	const struct sys *sys = rewriting->repo->sys;
	STR_AUTO path = STR_INIT;
	STR_AUTO temp = STR_INIT;
	struct stat st;

	str_printf(&path, "%sindex", rewriting->repo->folder.ptr);
	str_printf(&temp, "%skota-index", rewriting->repo->folder.ptr);
	if (sys->fstatat(AT_FDCWD, path.ptr, &st, 0) != 0 && errno == ENOENT)
		return 0;
	if (git_file_remove(rewriting->repo, "kota-index", err) != 0 ||
	    rewrite_fill_index(rewriting, path.ptr, temp.ptr, head, err) != 0)
		return -1;
	if (sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path.ptr, 0) != 0)
		return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot replace %s", path.ptr);
	return 0;
}

/* Sets the id of a commit to the one that it has now; false where that is the same. */
static bool rewrite_now_is(const struct rewriting *rewriting, struct object_id *id)
{
	size_t at;

	if (!map_get(&rewriting->commits, slice_make((char *)id->bytes, sizeof id->bytes), &at))
		return false;
	*id = rewriting->fates[at].id;
	return true;
}

/* Appends one word of digits: a commit that has another id now is called by that. */
static bool rewrite_add_word(const struct rewriting *rewriting, struct slice word, struct str *out)
{
	char digits[OBJECT_ID_DIGITS + 1];
	struct object_id id;

	if (!object_id_parse(word, &id) || !rewrite_now_is(rewriting, &id)) {
		str_add(out, word);
		return false;
	}
	object_id_text(&id, digits);
	str_adds(out, digits);
	return true;
}

/*
 * The message that a commit gets, appended to *out: what the caller makes of it, and with the new
 * ids of commits that it names. False: it stays, and *out is the same text.
 */
static bool rewrite_message(const struct rewriting *rewriting, struct slice before, struct str *out)
{
	const struct rewriter *rewriter = rewriting->rewriter;
	STR_AUTO said = STR_INIT;
	bool changed = rewriter->message(rewriter->context, before, &said) != REWRITTEN_NOT;
	struct slice rest = changed ? str_slice(&said) : before;

	while (rest.len > 0) {
		size_t len = 0;

		while (len < rest.len && isxdigit((unsigned char)rest.ptr[len]))
			len++;
		if (len > 0)
			changed = rewrite_add_word(rewriting, slice_make(rest.ptr, len), out) ||
				  changed;
		else
			str_addc(out, rest.ptr[len++]);
		rest = slice_make(rest.ptr + len, rest.len - len);
	}
	return changed;
}

/* The files of one commit that get another text. */
struct updates {
	struct rewriting *rewriting;
	struct object_id parent; /* the new one */
	struct new_file *items;
	size_t count;
	size_t cap;
	bool other; /* a file that is none of them has what is looked for */
	bool failed;
};

static void rewrite_updates_release(struct updates *updates)
{
	for (size_t i = 0; i < updates->count; i++)
		free(updates->items[i].path);
	free(updates->items);
}

static int rewrite_visit_file(void *context, const char *path, const struct object_id *blob)
{
	struct updates *updates = context;
	struct rewriting *rewriting = updates->rewriting;
	struct fate fate;

	updates->failed = rewrite_fate_of(rewriting, path, blob, &fate, &rewriting->err) != 0;
	updates->other = updates->other || (!updates->failed && fate.other);
	if (updates->failed || fate.what == REWRITTEN_NOT)
		return updates->failed;
	/* Use the parent's blob instead. A caller that only asks has its answer. */
	if (rewriting->made && fate.what == REWRITTEN_OUT &&
	    new_objects_file_at(rewriting->made, &updates->parent, path, &fate.id,
				&rewriting->err) != 0) {
		updates->failed = true;
		return 1;
	}
	*MEM_ADD(updates->items, updates->count, updates->cap) = (struct new_file){mem_strdup(path),
										   fate.id};
	return 0;
}

static int rewrite_collect_updates(struct updates *updates, const struct object_id *commit,
				   struct err *err)
{
	if (repo_blobs(updates->rewriting->repo, commit, rewrite_visit_file, updates, err) != 0)
		return -1;
	if (updates->failed) {
		*err = updates->rewriting->err;
		return -1;
	}
	return 0;
}

/* Tells the rewriter which commit comes next. */
static void rewrite_enter(struct rewriting *rewriting, const git_commit *commit)
{
	const struct rewriter *rewriter = rewriting->rewriter;
	const struct lib *lib = rewriting->lib;
	struct object_id id = lib_id(lib->commit_id(commit));
	struct object_id *parents;

	if (!rewriter->enter)
		return;
	unsigned count = lib->commit_parentcount(commit);
	parents = mem_zalloc(count + 1, sizeof *parents);
	for (unsigned i = 0; i < count; i++)
		parents[i] = lib_id(lib->commit_parent_id(commit, i));
	rewriting->era = rewriter->enter(rewriter->context, &id, parents, count);
	free(parents);
}

/* parents as they are now; moved: any of them has another id. */
static int rewrite_commit(struct rewriting *rewriting, git_commit *commit,
			  const struct object_id *parents, unsigned parent_count, bool moved,
			  struct err *err)
{
	struct object_id id = lib_id(rewriting->lib->commit_id(commit));
	struct updates updates = {.rewriting = rewriting};
	const char *before = rewriting->lib->commit_message(commit);
	struct fate fate = {.what = REWRITTEN_TEXT};
	STR_AUTO message = STR_INIT;

	if (parent_count > 0)
		updates.parent = parents[0];
	int result = rewrite_collect_updates(&updates, &id, err);
	bool said = rewrite_message(rewriting, slice_of(before), &message);
	if (result == 0 && (updates.count > 0 || said || moved)) {
		const struct new_commit now = {.old = commit,
					       .files = updates.items,
					       .file_count = updates.count,
					       .parents = parents,
					       .parent_count = parent_count,
					       .message = said ? message.ptr : before};

		rewriting->counts->commits += updates.count > 0 || said;
		result = new_objects_add_commit(rewriting->made, &now, &fate.id, err);
		if (result == 0 && !object_id_equal(&fate.id, &id))
			rewrite_note(rewriting, &rewriting->commits,
				     slice_make((const char *)id.bytes, sizeof id.bytes), &fate);
	}
	rewrite_updates_release(&updates);
	return result;
}

static int rewrite_take_commit(struct rewriting *rewriting, const struct object_id *id,
			       struct err *err)
{
	const struct lib *lib = rewriting->lib;
	struct object_id *parents;
	git_commit *commit;
	bool moved = false;

	if (repo_commit(rewriting->repo, id, &commit, err) != 0)
		return -1;
	rewrite_enter(rewriting, commit);
	unsigned count = lib->commit_parentcount(commit);
	parents = mem_zalloc(count + 1, sizeof *parents);
	for (unsigned i = 0; i < count; i++) {
		parents[i] = lib_id(lib->commit_parent_id(commit, i));
		moved = rewrite_now_is(rewriting, &parents[i]) || moved;
	}
	int result = rewrite_commit(rewriting, commit, parents, count, moved, err);
	free(parents);
	lib->commit_free(commit);
	return result;
}

/* Calls take with each commit that can be reached from these, parents first, until it is not 0. */
static int rewrite_walk(struct rewriting *rewriting, const struct object_id *from, size_t count,
			int (*take)(struct rewriting *, const struct object_id *, struct err *),
			struct err *err)
{
	const struct lib *lib = rewriting->lib;
	git_revwalk *walk = NULL;
	git_oid oid;
	size_t walked = 0;
	int result = 0;
	int step = 0;

	if (lib->revwalk_new(&walk, rewriting->repo->handle) != 0 ||
	    lib->revwalk_sorting(walk, GIT_SORT_TOPOLOGICAL | GIT_SORT_REVERSE) != 0)
		step = -1;
	for (size_t i = 0; i < count && step == 0; i++) {
		oid = lib_oid(&from[i]);
		step = lib->revwalk_push(walk, &oid);
	}
	while (result == 0 && step == 0 && (step = lib->revwalk_next(&oid, walk)) == 0) {
		struct object_id id = lib_id(&oid);

		progress_step(rewriting->repo->progress, "going through the history, commit",
			      walked++, 0);
		result = take(rewriting, &id, err);
	}
	if (step != 0 && step != GIT_ITEROVER)
		result = lib_error(lib, err, "read the history in %s", rewriting->repo->folder.ptr);
	lib->revwalk_free(walk);
	return result;
}

/* The same of all commits that HEAD leads to. */
static int rewrite_walk_branch(struct rewriting *rewriting,
			       int (*take)(struct rewriting *, const struct object_id *,
					   struct err *),
			       struct err *err)
{
	struct object_id head;
	int result = repo_head(rewriting->repo, &head, err);

	if (result == 0 && !object_id_is_none(&head))
		result = rewrite_walk(rewriting, &head, 1, take, err);
	rewrite_release(rewriting);
	return result;
}

/* ---- the branch */

/* They name the old commits. */
static int rewrite_drop_reflogs(struct repo *repo, struct err *err)
{
	if (repo->lib.reflog_delete(repo->handle, repo_branch(repo)) != 0 ||
	    repo->lib.reflog_delete(repo->handle, "HEAD") != 0)
		return lib_error(&repo->lib, err, "drop the reflogs in %s", repo->folder.ptr);
	/* Files in which git keeps the id and the message of a commit in progress. */
	return git_file_remove(repo, "ORIG_HEAD", err) != 0 ||
			       git_file_remove(repo, "COMMIT_EDITMSG", err) != 0
		       ? -1
		       : 0;
}

/* All of them at once: until the branch moves nobody refers to them. */
static int rewrite_write_commits(struct rewriting *rewriting, const struct object_id *head,
				 struct err *err)
{
	if (new_objects_open(&rewriting->made, rewriting->repo, err) != 0)
		return -1;
	int result = rewrite_walk(rewriting, head, 1, rewrite_take_commit, err);
	if (result == 0)
		result = new_objects_finish(rewriting->made, err);
	new_objects_free(rewriting->made);
	rewriting->made = NULL;
	return result;
}

static int rewrite_locked(struct rewriting *rewriting, struct err *err)
{
	struct object_id head;

	if (repo_head(rewriting->repo, &head, err) != 0)
		return -1;
	if (object_id_is_none(&head))
		return rewrite_index(rewriting, &head, err);
	if (rewrite_write_commits(rewriting, &head, err) != 0)
		return -1;
	struct branch_move move = (struct branch_move){
		.name = repo_branch(rewriting->repo), .from = head, .to = head, .unlogged = true};
	bool moved = rewrite_now_is(rewriting, &move.to);
	if (rewrite_index(rewriting, &move.to, err) != 0 ||
	    (moved && branch_move(rewriting->repo, &move, err) != 0))
		return -1;
	return rewrite_drop_reflogs(rewriting->repo, err);
}

int rewrite_branch(struct repo *repo, const struct rewriter *rewriter,
		   struct rewrite_counts *counts, struct err *err)
{
	struct rewriting rewriting = {
		.repo = repo, .lib = &repo->lib, .rewriter = rewriter, .counts = counts};

	*counts = (struct rewrite_counts){0};
	if (rewrite_check(repo, err) != 0 || object_log_wipe(repo, err) != 0 ||
	    repo_lock_index(repo, err) != 0)
		return -1;
	int result = rewrite_locked(&rewriting, err);
	repo_unlock_index(repo);
	rewrite_release(&rewriting);
	return result;
}

/* ---- looking */

static int rewrite_note_worktree(void *context, const char *name)
{
	bool *found = context;

	*found = *found || name[0] != '.';
	return 0;
}

/* An index of a kind that the library does not know. */
static int rewrite_check_index(struct repo *repo, struct err *err)
{
	STR_AUTO path = STR_INIT;
	git_index *index = NULL;
	int result = 0;

	str_printf(&path, "%sindex", repo->folder.ptr);
	if (repo->lib.index_open(&index, path.ptr) != 0)
		result = lib_error(&repo->lib, err, "read %s", path.ptr);
	repo->lib.index_free(index);
	return result;
}

int rewrite_check(struct repo *repo, struct err *err)
{
	bool worktrees = false;

	if (repo_check(repo, err) != 0 || object_folders_check(repo, err) != 0 ||
	    rewrite_check_index(repo, err) != 0 ||
	    git_folder_walk(repo, "worktrees", rewrite_note_worktree, &worktrees, err) != 0)
		return -1;
	if (worktrees)
		return err_set(err, ERR_NO_HISTORY,
			       "%s has other work trees: remove them with git worktree remove",
			       repo->folder.ptr);
	return 0;
}

/* Ends a walk. */
#define FOUND 1

/* FOUND when a file of the commit would be changed, or is another that has it. */
static int rewrite_look(struct rewriting *rewriting, const struct object_id *id, struct err *err)
{
	struct updates updates = {.rewriting = rewriting};
	git_commit *commit;

	if (rewriting->rewriter->enter) {
		if (repo_commit(rewriting->repo, id, &commit, err) != 0)
			return -1;
		rewrite_enter(rewriting, commit);
		rewriting->lib->commit_free(commit);
	}
	int result = rewrite_collect_updates(&updates, id, err);
	bool found = updates.count > 0 || updates.other;
	rewrite_updates_release(&updates);
	return result == 0 && found ? FOUND : result;
}

int rewrite_finds(struct repo *repo, const struct rewriter *rewriter, bool *found, struct err *err)
{
	struct rewriting rewriting = {.repo = repo, .lib = &repo->lib, .rewriter = rewriter};
	int result = rewrite_walk_branch(&rewriting, rewrite_look, err);

	*found = result == FOUND;
	return result < 0 ? -1 : 0;
}

struct messages {
	message_visitor visit;
	void *context;
};

static int rewrite_take_message(struct rewriting *rewriting, const struct object_id *id,
				struct err *err)
{
	const struct messages *messages = rewriting->rewriter->context;
	git_commit *commit;

	if (repo_commit(rewriting->repo, id, &commit, err) != 0)
		return -1;
	messages->visit(messages->context, id, rewriting->lib->commit_message(commit));
	rewriting->lib->commit_free(commit);
	return 0;
}

int rewrite_messages(struct repo *repo, message_visitor visit, void *context, struct err *err)
{
	struct messages messages = {visit, context};
	const struct rewriter rewriter = {.context = &messages};
	struct rewriting rewriting = {.repo = repo, .lib = &repo->lib, .rewriter = &rewriter};

	return rewrite_walk_branch(&rewriting, rewrite_take_message, err);
}

/* ---- other references */

struct holders {
	struct rewriting rewriting;
	ref_visitor visit;
	void *context;
	const char *branch;
	struct map named;
	struct arena arena; /* of the names */
};

/* Commits, and all before them. Not known to be clean: what cannot be read. */
static bool rewrite_commits_have_it(struct holders *holders, const struct object_id *commits,
				    size_t count)
{
	struct err ignored;

	return rewrite_walk(&holders->rewriting, commits, count, rewrite_look, &ignored) != 0;
}

/* The text of a tag is what somebody wrote. */
static bool rewrite_tag_has_it(struct holders *holders, const char *name,
			       const struct object_id *commit)
{
	const struct rewriter *rewriter = holders->rewriting.rewriter;
	struct repo *repo = holders->rewriting.repo;
	git_oid oid;

	if (!rewriter->other || repo->lib.reference_name_to_id(&oid, repo->handle, name) != 0)
		return false;
	struct object_id id = lib_id(&oid);
	return !object_id_equal(&id, commit) && rewriter->other(rewriter->context, name, &id);
}

static int rewrite_look_at_reference(const char *name, void *payload)
{
	struct holders *holders = payload;
	struct repo *repo = holders->rewriting.repo;
	struct object_id commit;
	struct err ignored;

	if (strcmp(name, holders->branch) == 0 || strcmp(name, "HEAD") == 0)
		return 0;
	/* Not known to be clean: a tag of a file, say. */
	if (repo_resolve(repo, slice_of(name), &commit, &ignored) != 0 ||
	    rewrite_commits_have_it(holders, &commit, 1) ||
	    rewrite_tag_has_it(holders, name, &commit)) {
		holders->visit(holders->context, name);
		map_put(&holders->named, arena_copy(&holders->arena, slice_of(name)), 0);
	}
	return 0;
}

/* What only an older line of a reflog leads to, as an older stash. */
static int rewrite_look_at_log(void *context, const char *path, const struct stat *st)
{
	struct holders *holders = context;
	const char *name = path + strlen("logs/");
	ID_LIST_AUTO ids = {0};
	STR_AUTO said = STR_INIT;
	struct err ignored;

	(void)st;
	/* Who deletes the reference deletes its reflog. */
	if (map_get(&holders->named, slice_of(name), NULL))
		return 0;
	str_printf(&said, "the reflog of %s", name);
	if (reflog_ids(holders->rewriting.repo, path, &ids, &ignored) != 0 ||
	    (ids.count > 0 && rewrite_commits_have_it(holders, ids.items, ids.count)))
		holders->visit(holders->context, said.ptr);
	return 0;
}

int rewrite_holders(struct repo *repo, const struct rewriter *rewriter, ref_visitor visit,
		    void *context, struct err *err)
{
	struct holders holders = {
		.rewriting = {.repo = repo, .lib = &repo->lib, .rewriter = rewriter},
		.visit = visit,
		.context = context,
		.branch = repo_branch(repo),
		.named = MAP_INIT,
		.arena = ARENA_INIT,
	};
	int result = 0;

	if (repo->lib.reference_foreach_name(repo->handle, rewrite_look_at_reference, &holders) !=
	    0)
		result = lib_error(&repo->lib, err, "read the references in %s", repo->folder.ptr);
	if (result == 0)
		result = git_files_walk(repo, "logs", rewrite_look_at_log, &holders, err);
	map_release(&holders.named);
	arena_release(&holders.arena);
	rewrite_release(&holders.rewriting);
	return result;
}

void rewrite_remotes(struct repo *repo, ref_visitor visit, void *context)
{
	git_strarray names = {0};

	if (repo->lib.remote_list(&names, repo->handle) != 0)
		return;
	for (size_t i = 0; i < names.count; i++)
		visit(context, names.strings[i]);
	repo->lib.strarray_dispose(&names);
}
