#include "git/graph.h"

#include "git/repo_state.h"

int graph_bases(struct repo *repo, const struct object_id *a, const struct object_id *b,
		struct object_id bases[GRAPH_BASES_MAX], size_t *count, struct err *err)
{
	const struct lib *lib = &repo->lib;
	git_oidarray found = {0};
	git_oid left = lib_oid(a);
	git_oid right = lib_oid(b);
	int result = lib->merge_bases(&found, repo->handle, &left, &right);

	*count = 0;
	if (result != 0 && result != GIT_ENOTFOUND)
		return lib_error(lib, err, "compare histories in %s", repo->folder.ptr);
	for (size_t i = 0; result == 0 && i < found.count && i < GRAPH_BASES_MAX; i++)
		bases[(*count)++] = lib_id(&found.ids[i]);
	lib->oidarray_dispose(&found);
	return 0;
}

bool graph_leads_to(struct repo *repo, const struct object_id *commit,
		    const struct object_id *ancestor)
{
	git_oid from = lib_oid(commit);
	git_oid to = lib_oid(ancestor);

	return object_id_equal(commit, ancestor) ||
	       repo->lib.graph_descendant_of(repo->handle, &from, &to) == 1;
}

int graph_since(struct repo *repo, const struct object_id *commit, const struct object_id *without,
		struct id_list *out, struct err *err)
{
	const struct lib *lib = &repo->lib;
	git_oid from = lib_oid(commit);
	git_oid hidden = lib_oid(without);
	git_revwalk *walk = NULL;
	git_oid oid;
	int result = lib->revwalk_new(&walk, repo->handle);

	if (result == 0)
		result = lib->revwalk_push(walk, &from);
	if (result == 0 && !object_id_is_none(without))
		result = lib->revwalk_hide(walk, &hidden);
	while (result == 0 && (result = lib->revwalk_next(&oid, walk)) == 0) {
		struct object_id id = lib_id(&oid);

		id_list_add(out, &id);
	}
	lib->revwalk_free(walk);
	id_list_sort(out);
	return result == GIT_ITEROVER
		       ? 0
		       : lib_error(lib, err, "compare histories in %s", repo->folder.ptr);
}
