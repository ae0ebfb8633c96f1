#include "git/object_files.h"
#include "git/rewrite_internal.h"

#include <errno.h>
#include <fcntl.h>

/* What is staged is rewritten like the rest. What was left out gives way to what HEAD has. */
static int index_entry(struct rewriting *rewriting, const git_index_entry *from, git_index *to,
		       const struct object_id *head, struct err *err)
{
	struct object_id blob = lib_id(&from->id);
	git_index_entry entry = *from;
	struct fate fate = {.what = REWRITTEN_NOT};

	if ((from->mode & S_IFMT) == S_IFREG &&
	    fate_of(rewriting, from->path, &blob, &fate, err) != 0)
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
static int fill_index(struct rewriting *rewriting, const char *from_path, const char *to_path,
		      const struct object_id *head, struct err *err)
{
	const struct lib *lib = rewriting->lib;
	git_index *from = NULL;
	git_index *to = NULL;
	int result = 0;

	if (lib->index_open(&from, from_path) != 0 || lib->index_open(&to, to_path) != 0)
		result = lib_error(lib, err, "read %s", from_path);
	for (size_t i = 0; result == 0 && i < lib->index_entrycount(from); i++)
		result = index_entry(rewriting, lib->index_get_byindex(from, i), to, head, err);
	if (result == 0 && lib->index_write(to) != 0)
		result = lib_error(lib, err, "write %s", to_path);
	lib->index_free(to);
	lib->index_free(from);
	return result;
}

int rewriting_index(struct rewriting *rewriting, const struct object_id *head, struct err *err)
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
	    fill_index(rewriting, path.ptr, temp.ptr, head, err) != 0)
		return -1;
	if (sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path.ptr, 0) != 0)
		return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot replace %s", path.ptr);
	return 0;
}
