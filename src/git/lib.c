#include "git/lib.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

#define LIBRARY_NAME "libgit2.so." LIBGIT2_SOVERSION

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
#define X(name) {"git_" #name, offsetof(struct lib, name)},
	LIB_FUNCTIONS(X)
#undef X
};

/* Data and function pointers have one size on every system that has dlsym. */
static bool find_functions(struct lib *lib)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *found = dlsym(lib->handle, functions[i].name);

		if (!found)
			return false;
		memcpy((char *)lib + functions[i].offset, &found, sizeof found);
	}
	return true;
}

int lib_open(struct lib *out, struct err *err)
{
	struct lib lib = {.handle = dlopen(LIBRARY_NAME, RTLD_NOW | RTLD_LOCAL)};

	if (!lib.handle)
		return err_set(err, ERR_NO_HISTORY,
			       "history needs the library " LIBRARY_NAME ", which is not here");
	if (!find_functions(&lib)) {
		dlclose(lib.handle);
		return err_set(err, ERR_NO_HISTORY,
			       LIBRARY_NAME " lacks functions that history needs");
	}
	if (lib.libgit2_init() < 0) {
		dlclose(lib.handle);
		return err_set(err, ERR_NO_HISTORY, LIBRARY_NAME " does not start");
	}
	/* Off by default, and a power cut then leaves a repository that cannot be read. */
	lib.libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
	*out = lib;
	return 0;
}

/* The library stays loaded: unloading it would take away what its own at-exit handlers call. */
void lib_close(struct lib *lib)
{
	if (lib->handle)
		lib->libgit2_shutdown();
	lib->handle = NULL;
}

int lib_error(const struct lib *lib, struct err *err, const char *format, ...)
{
	const git_error *last = lib->error_last();
	char what[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	return err_set(err, ERR_NO_HISTORY, "cannot %s: %s", what,
		       last && last->message ? last->message : "the git library gives no reason");
}
