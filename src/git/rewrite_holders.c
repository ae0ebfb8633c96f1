/* What rewrite.h says of looking without changing anything. */
#include "base/file.h"
#include "git/pack.h"
#include "git/rewrite_internal.h"

#include <fcntl.h>

#define LOG_MAX ((size_t)1 << 26)

int rewrite_finds(struct repo *repo, const struct rewriter *rewriter, bool *found, struct err *err)
{
	struct rewriting rewriting = {.repo = repo, .lib = &repo->lib, .rewriter = rewriter};
	struct object_id head;
	int result = repo_head(repo, &head, err);

	*found = false;
	if (result == 0 && !object_id_is_none(&head)) {
		result = rewriting_walk(&rewriting, &head, 1, rewriting_look, err);
		*found = result == REWRITING_FOUND;
	}
	rewriting_release(&rewriting);
	return result < 0 ? -1 : 0;
}

struct messages {
	message_visitor visit;
	void *context;
};

static int take_message(struct rewriting *rewriting, const git_oid *oid, struct err *err)
{
	const struct messages *messages = rewriting->rewriter->context;
	const struct lib *lib = rewriting->lib;
	struct object_id id = lib_id(oid);
	git_commit *commit;

	if (lib->commit_lookup(&commit, rewriting->repo->handle, oid) != 0)
		return lib_error(lib, err, "read a commit in %s", rewriting->repo->folder.ptr);
	messages->visit(messages->context, &id, lib->commit_message(commit));
	lib->commit_free(commit);
	return 0;
}

int rewrite_messages(struct repo *repo, message_visitor visit, void *context, struct err *err)
{
	struct messages messages = {visit, context};
	const struct rewriter rewriter = {.context = &messages};
	struct rewriting rewriting = {.repo = repo, .lib = &repo->lib, .rewriter = &rewriter};
	struct object_id head;
	int result = repo_head(repo, &head, err);

	if (result == 0 && !object_id_is_none(&head))
		result = rewriting_walk(&rewriting, &head, 1, take_message, err);
	rewriting_release(&rewriting);
	return result;
}

/* ---- other references */

struct holders {
	struct rewriting rewriting;
	ref_visitor visit;
	void *context;
	const char *branch;
	struct str log; /* the reflog at hand, below .git */
	struct map named;
	struct arena arena; /* of the names */
};

/* Commits, and all before them. Not known to be clean: what cannot be read. */
static bool commits_have_it(struct holders *holders, const struct object_id *commits, size_t count)
{
	struct err ignored;

	return rewriting_walk(&holders->rewriting, commits, count, rewriting_look, &ignored) != 0;
}

/* The text of a tag is what somebody wrote. */
static bool tag_has_it(struct holders *holders, const char *name, const struct object_id *commit)
{
	const struct rewriter *rewriter = holders->rewriting.rewriter;
	struct repo *repo = holders->rewriting.repo;
	struct object_id id;
	git_oid oid;

	if (!rewriter->other || repo->lib.reference_name_to_id(&oid, repo->handle, name) != 0)
		return false;
	id = lib_id(&oid);
	return !object_id_equal(&id, commit) && rewriter->other(rewriter->context, name, &id);
}

static void visit_holder(struct holders *holders, const char *name)
{
	holders->visit(holders->context, name);
	map_put(&holders->named, arena_copy(&holders->arena, slice_of(name)), 0);
}

static int look_at_reference(const char *name, void *payload)
{
	struct holders *holders = payload;
	struct repo *repo = holders->rewriting.repo;
	struct object_id commit;
	struct err ignored;

	if (strcmp(name, holders->branch) == 0 || strcmp(name, "HEAD") == 0)
		return 0;
	/* Not known to be clean: a tag of a file, say. */
	if (repo_resolve(repo, slice_of(name), &commit, &ignored) != 0 ||
	    commits_have_it(holders, &commit, 1) || tag_has_it(holders, name, &commit))
		visit_holder(holders, name);
	return 0;
}

/* A line names the commit before and the one after; those that are there still. */
static void collect_line(struct holders *holders, const char *line, size_t len, struct id_list *out)
{
	for (size_t at = 0; at <= OBJECT_ID_DIGITS + 1; at += OBJECT_ID_DIGITS + 1) {
		struct object_id id;

		if (len >= at + OBJECT_ID_DIGITS &&
		    object_id_parse(slice_make(line + at, OBJECT_ID_DIGITS), &id) &&
		    !object_id_is_none(&id) && repo_has(holders->rewriting.repo, &id))
			id_list_add(out, &id);
	}
}

static void look_at_log(struct holders *holders)
{
	struct repo *repo = holders->rewriting.repo;
	struct id_list ids = {0};
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	STR_AUTO said = STR_INIT;
	struct file_id id;
	const char *name = holders->log.ptr + sizeof "logs/" - 1;
	struct err ignored;
	bool found;

	/* Who deletes the reference deletes its reflog. */
	if (map_get(&holders->named, slice_of(name), NULL))
		return;
	str_printf(&path, "%s%s", repo->folder.ptr, holders->log.ptr);
	found = file_read(repo->sys, AT_FDCWD, path.ptr, LOG_MAX, &text, &id, &ignored) != 0;
	for (const char *line = text.ptr; *line;) {
		size_t len = strcspn(line, "\n");

		collect_line(holders, line, len, &ids);
		line += len + (line[len] ? 1 : 0);
	}
	str_printf(&said, "the reflog of %s", name);
	if (found || (ids.count > 0 && commits_have_it(holders, ids.items, ids.count)))
		holders->visit(holders->context, said.ptr);
	id_list_release(&ids);
}

/* What only an older line of a reflog leads to, as an older stash. */
static int look_at_logs(void *context, const char *name)
{
	struct holders *holders = context;
	struct repo *repo = holders->rewriting.repo;
	size_t len = holders->log.len;
	STR_AUTO path = STR_INIT;
	struct stat st;
	int result = 0;

	if (name[0] == '.')
		return 0;
	str_printf(&holders->log, "/%s", name);
	str_printf(&path, "%s%s", repo->folder.ptr, holders->log.ptr);
	if (repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (S_ISDIR(st.st_mode))
			result = git_folder_walk(repo, holders->log.ptr, look_at_logs, holders,
						 &holders->rewriting.err);
		else
			look_at_log(holders);
	}
	str_truncate(&holders->log, len);
	return result;
}

int rewrite_holders(struct repo *repo, const struct rewriter *rewriter, ref_visitor visit,
		    void *context, struct err *err)
{
	struct holders holders = {
		.rewriting = {.repo = repo, .lib = &repo->lib, .rewriter = rewriter},
		.visit = visit,
		.context = context,
		.branch = repo_branch(repo),
		.log = STR_INIT,
		.named = MAP_INIT,
		.arena = ARENA_INIT,
	};
	int result = 0;

	str_adds(&holders.log, "logs");
	if (repo->lib.reference_foreach_name(repo->handle, look_at_reference, &holders) != 0)
		result = lib_error(&repo->lib, err, "read the references in %s", repo->folder.ptr);
	if (result == 0)
		result = git_folder_walk(repo, holders.log.ptr, look_at_logs, &holders, err);
	str_release(&holders.log);
	map_release(&holders.named);
	arena_release(&holders.arena);
	rewriting_release(&holders.rewriting);
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
