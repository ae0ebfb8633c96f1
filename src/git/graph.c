#include "git/graph.h"

#include "git/repo.h"
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
