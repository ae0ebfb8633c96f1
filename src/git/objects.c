/* What is in a repository: blobs, and the files of a commit. */
#include "git/repo_internal.h"

int repo_blob_id(struct repo *repo, struct slice text, struct object_id *out, struct err *err)
{
	git_oid oid;

	if (repo->lib.odb_hash(&oid, text.ptr ? text.ptr : "", text.len, GIT_OBJECT_BLOB) != 0)
		return lib_error(&repo->lib, err, "name a text");
	*out = lib_id(&oid);
	return 0;
}

int repo_blob_write(struct repo *repo, struct slice text, struct object_id *out, struct err *err)
{
	git_oid oid;

	if (repo->lib.odb_write(&oid, repo->odb, text.ptr ? text.ptr : "", text.len,
				GIT_OBJECT_BLOB) != 0)
		return lib_error(&repo->lib, err, "write to %sobjects", repo->folder.ptr);
	*out = lib_id(&oid);
	return 0;
}

bool repo_has(struct repo *repo, const struct object_id *id)
{
	git_oid oid = lib_oid(id);

	return repo->lib.odb_exists(repo->odb, &oid) == 1;
}

int repo_blob_read(struct repo *repo, const struct object_id *blob, struct str *out,
		   struct err *err)
{
	git_oid oid = lib_oid(blob);
	git_odb_object *object;

	str_clear(out);
	if (repo->lib.odb_read(&object, repo->odb, &oid) != 0)
		return lib_error(&repo->lib, err, "read from %sobjects", repo->folder.ptr);
	str_add(out,
		slice_make(repo->lib.odb_object_data(object), repo->lib.odb_object_size(object)));
	repo->lib.odb_object_free(object);
	return 0;
}

int repo_tree(struct repo *repo, const struct object_id *commit, git_tree **out, struct err *err)
{
	git_oid oid = lib_oid(commit);
	git_commit *object;
	int result;

	if (object_id_is_none(commit)) {
		*out = NULL;
		return 0;
	}
	if (repo->lib.commit_lookup(&object, repo->handle, &oid) != 0)
		return lib_error(&repo->lib, err, "read a commit in %s", repo->folder.ptr);
	result = repo->lib.commit_tree(out, object);
	repo->lib.commit_free(object);
	return result == 0 ? 0 : lib_error(&repo->lib, err, "read a tree in %s", repo->folder.ptr);
}

int repo_file_at(struct repo *repo, const struct object_id *commit, const char *path,
		 struct object_id *blob, struct err *err)
{
	git_tree *tree = NULL;
	git_tree_entry *entry = NULL;
	int result;

	if (repo_tree(repo, commit, &tree, err) != 0)
		return -1;
	result = tree ? repo->lib.tree_entry_bypath(&entry, tree, path) : GIT_ENOTFOUND;
	if (result != 0 && result != GIT_ENOTFOUND) {
		lib_error(&repo->lib, err, "find %s in %s", path, repo->folder.ptr);
	} else {
		*blob = (struct object_id){{0}};
		if (entry && repo->lib.tree_entry_type(entry) == GIT_OBJECT_BLOB)
			*blob = lib_id(repo->lib.tree_entry_id(entry));
		result = 0;
	}
	repo->lib.tree_entry_free(entry);
	repo->lib.tree_free(tree);
	return result == 0 ? 0 : -1;
}

struct visit {
	const struct lib *lib;
	repo_visitor visitor;
	void *context;
	struct str path;
	int result;
};

static int visit_entry(const char *root, const git_tree_entry *entry, void *payload)
{
	struct visit *visit = payload;
	struct object_id blob = lib_id(visit->lib->tree_entry_id(entry));

	if (visit->lib->tree_entry_type(entry) != GIT_OBJECT_BLOB)
		return 0;
	str_clear(&visit->path);
	str_printf(&visit->path, "%s%s", root, visit->lib->tree_entry_name(entry));
	visit->result = visit->visitor(visit->context, visit->path.ptr, &blob);
	return visit->result != 0 ? -1 : 0;
}

int repo_files(struct repo *repo, const struct object_id *commit, repo_visitor visitor,
	       void *context, struct err *err)
{
	struct visit visit = {&repo->lib, visitor, context, STR_INIT, 0};
	git_tree *tree = NULL;
	int result = 0;

	if (repo_tree(repo, commit, &tree, err) != 0)
		return -1;
	if (tree && repo->lib.tree_walk(tree, GIT_TREEWALK_PRE, visit_entry, &visit) != 0 &&
	    visit.result == 0)
		result = lib_error(&repo->lib, err, "read a tree in %s", repo->folder.ptr);
	repo->lib.tree_free(tree);
	str_release(&visit.path);
	return result;
}
