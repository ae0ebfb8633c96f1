#include "git/guard.h"
#include "git/reads.h"
#include "git/repo.h"
#include "git/repo_state.h"

#include <stdlib.h>

bool repo_ignores(struct repo *repo, const char *path)
{
	int ignored = 0;

	return repo->lib.ignore_path_is_ignored(&ignored, repo->handle, path) == 0 && ignored;
}

int repo_around(const struct sys *sys, const char *dir, struct str *workdir, bool *ignored,
		struct err *err)
{
	struct lib lib;
	git_repository *handle = NULL;
	const char *above = NULL;
	STR_AUTO path = STR_INIT;
	char *real = sys->realpath(dir);
	int answer = 0;
	int result = 0;

	str_clear(workdir);
	*ignored = false;
	/* First a look at what the library will open above the folder, where that is known. */
	if (real && reads_closed_around(sys, real))
		result = reads_refuse_around(real, err);
	else if (real)
		result = guard_around(sys, real, err);
	if (result != 0 || lib_open(&lib, err) != 0) {
		free(real);
		return -1;
	}
	lib_leave_out_closed(&lib, sys);
	path_join(&path, real ? real : ".", "..");
	if (real && lib.repository_open_ext(&handle, path.ptr, 0, NULL) == 0)
		above = lib.repository_workdir(handle);
	if (above && strncmp(real, above, strlen(above)) == 0) {
		/* The slash says that it is a directory, which `folder/` in a .gitignore asks for.
		 */
		str_clear(&path);
		str_printf(&path, "%s/", real + strlen(above));
		str_adds(workdir, above);
		*ignored = lib.ignore_path_is_ignored(&answer, handle, path.ptr) == 0 && answer;
	}
	lib.repository_free(handle);
	lib_close(&lib);
	free(real);
	return 0;
}
