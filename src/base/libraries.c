#include "base/libraries.h"

#include "base/file.h"
#include "base/mem.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_NAME "/etc/ld.so.cache"
#define CACHE_MAX ((size_t)16 << 20)

struct walk {
	const struct sys *sys;
	const char *wanted;
	bool found;
	library_visitor visit;
	void *context;
};

/* A folder in which the loader looks. */
static void libraries_visit_folder(struct walk *walk, const char *folder)
{
	STR_AUTO path = STR_INIT;
	struct stat st;

	walk->visit(walk->context, folder);
	if (walk->found)
		return;
	str_printf(&path, "%s/%s", folder, walk->wanted);
	walk->found = walk->sys->fstatat(AT_FDCWD, path.ptr, &st, 0) == 0;
}

/* One loaded object; the program itself and what the kernel puts in have no path. */
static int libraries_visit_loaded(struct dl_phdr_info *info, size_t size, void *context)
{
	const struct walk *walk = context;
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	if (!slash || slash == info->dlpi_name)
		return 0;
	char *folder = mem_strndup(info->dlpi_name, (size_t)(slash - info->dlpi_name));
	walk->visit(walk->context, folder);
	free(folder);
	return 0;
}

#ifdef __GLIBC__

/* LD_LIBRARY_PATH, what the program was linked with, and the loader's own. */
static void libraries_visit_searched(struct walk *walk)
{
	void *self = dlopen(NULL, RTLD_LAZY);
	Dl_serinfo head;

	if (!self)
		return;
	if (dlinfo(self, RTLD_DI_SERINFOSIZE, &head) == 0) {
		Dl_serinfo *all = mem_zalloc(1, head.dls_size);

		*all = head;
		if (dlinfo(self, RTLD_DI_SERINFOSIZE, all) == 0 &&
		    dlinfo(self, RTLD_DI_SERINFO, all) == 0) {
			for (unsigned i = 0; i < all->dls_cnt; i++)
				libraries_visit_folder(walk, all->dls_serpath[i].dls_name);
		}
		free(all);
	}
	dlclose(self);
}

#else

static void libraries_visit_searched(struct walk *walk)
{
	(void)walk;
}

#endif

/* The cache ends in the paths of all libraries, each with a NUL byte behind it. */
static void libraries_visit_cached(struct walk *walk)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO last = STR_INIT;
	struct file_id id;
	struct err ignored;

	str_adds(&last, "");
	if (file_read(walk->sys, AT_FDCWD, CACHE_NAME, CACHE_MAX, &text, &id, &ignored) != 0)
		return;
	for (size_t at = 0; at < text.len; at += strlen(text.ptr + at) + 1) {
		const char *path = text.ptr + at;
		const char *slash = path[0] == '/' ? strrchr(path, '/') : NULL;

		if (!slash || slash == path ||
		    slice_is(slice_make(path, (size_t)(slash - path)), last.ptr))
			continue;
		str_clear(&last);
		str_add(&last, slice_make(path, (size_t)(slash - path)));
		walk->visit(walk->context, last.ptr);
	}
}

void libraries_walk(const struct sys *sys, const char *wanted, library_visitor visit, void *context)
{
	struct walk walk = {sys, wanted, false, visit, context};

	dl_iterate_phdr(libraries_visit_loaded, &walk);
	libraries_visit_searched(&walk);
	if (!walk.found)
		libraries_visit_cached(&walk);
}
