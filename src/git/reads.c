#include "git/reads.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "git/guard.h"
#include "git/index_names.h"
#include "git/libgit2.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* No file of settings or paths is longer; what is, is not read. */
#define TEXT_MAX ((size_t)1 << 20)

/* Settings that include settings that include ...: git itself goes ten deep. */
#define INCLUDES_MAX 10

/* The same of alternates: git goes five deep. */
#define ALTERNATES_MAX 5

/* Reads a file whole; false when there is none, or none that can be read. */
static bool read_text(const struct sys *sys, const char *path, struct str *out)
{
	struct err ignored;
	struct file_id id;

	return file_read(sys, AT_FDCWD, path, TEXT_MAX, out, &id, &ignored) == 0 && out->len > 0;
}

/* The kind of PATH/NAME, links followed: S_IFDIR, S_IFREG; 0 for none. */
static mode_t reads_kind_of(const struct sys *sys, const char *path, const char *name)
{
	STR_AUTO full = STR_INIT;
	struct stat st;

	path_join(&full, path, name);
	return sys->fstatat(AT_FDCWD, full.ptr, &st, 0) == 0 ? st.st_mode & S_IFMT : 0;
}

static bool reads_has_folder(const struct sys *sys, const char *path, const char *name)
{
	return reads_kind_of(sys, path, name) == S_IFDIR;
}

static bool reads_has_file(const struct sys *sys, const char *path, const char *name)
{
	return reads_kind_of(sys, path, name) == S_IFREG;
}

/* A path in a file of a folder: relative ones begin there. False where the line is empty. */
static bool reads_join_line(const char *folder, struct slice line, struct str *out)
{
	STR_AUTO name = STR_INIT;

	str_add(&name, blank_trim(line));
	if (name.len > 0)
		path_join(out, folder, name.ptr);
	return name.len > 0;
}

/* ---- settings */

struct settings_walk {
	const struct sys *sys;
	const char *home; /* NULL: "~/" leads nowhere */
	reads_visitor visit;
	void *context;
};

static void reads_walk_settings(const struct settings_walk *walk, const char *path, int depth);

/* A file of settings that is being read. */
struct settings_file {
	const struct settings_walk *walk;
	const char *path;
	int depth;
};

/* What `~/` and a path relative to the file that names it stand for. */
static void reads_resolve(const struct settings_file *file, const char *value, struct str *out)
{
	const char *slash = strrchr(file->path, '/');

	str_clear(out);
	if (value[0] == '~' && value[1] == '/' && file->walk->home)
		str_printf(out, "%s%s", file->walk->home, value + 1);
	else if (value[0] != '/' && slash)
		str_printf(out, "%.*s/%s", (int)(slash - file->path), file->path, value);
	else
		str_adds(out, value);
}

static int reads_take_path(void *context, enum config_path what, const char *value)
{
	const struct settings_file *file = context;
	STR_AUTO path = STR_INIT;

	reads_resolve(file, value, &path);
	if (what == CONFIG_INCLUDE)
		reads_walk_settings(file->walk, path.ptr, file->depth + 1);
	else if (what == CONFIG_PATTERNS)
		file->walk->visit(file->walk->context, path.ptr);
	return 0;
}

/* A file of settings, and what it leads to. */
static void reads_walk_settings(const struct settings_walk *walk, const char *path, int depth)
{
	struct settings_file file = {walk, path, depth};
	STR_AUTO text = STR_INIT;

	if (depth > INCLUDES_MAX || !read_text(walk->sys, path, &text))
		return;
	walk->visit(walk->context, path);
	/* Where it cannot be understood the library goes no further either. */
	config_paths(str_slice(&text), reads_take_path, &file);
}

const char *reads_library(void)
{
	return LIBRARY_NAME;
}

void reads_of_person(const struct sys *sys, const char *home, const char *config_home,
		     reads_visitor visit, void *context)
{
	const struct settings_walk walk = {sys, home && *home ? home : NULL, visit, context};
	STR_AUTO folder = STR_INIT;
	STR_AUTO path = STR_INIT;

	if (config_home && *config_home)
		str_printf(&folder, "%s/git", config_home);
	else if (walk.home)
		str_printf(&folder, "%s/.config/git", home);
	if (folder.len && reads_has_folder(sys, folder.ptr, ".")) {
		visit(context, folder.ptr);
		str_printf(&path, "%s/config", folder.ptr);
		reads_walk_settings(&walk, path.ptr, 0);
	}
	if (walk.home) {
		str_clear(&path);
		str_printf(&path, "%s/.gitconfig", home);
		reads_walk_settings(&walk, path.ptr, 0);
	}
}

/* ---- repositories */

struct repo_walk {
	const struct sys *sys;
	reads_visitor folder; /* for a git folder and its common folder */
	reads_visitor other;
	void *context;
};

static void reads_walk_alternates(const struct repo_walk *walk, const char *objects, int depth)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO path = STR_INIT;
	struct slice line;

	str_printf(&path, "%s/info/alternates", objects);
	if (depth > ALTERNATES_MAX || !read_text(walk->sys, path.ptr, &text))
		return;
	struct slice rest = str_slice(&text);
	while (slice_line(&rest, &line)) {
		/* Only what can be nothing but the objects of a repository. */
		if (slice_starts(blank_trim(line), "#") || !reads_join_line(objects, line, &path) ||
		    !reads_has_folder(walk->sys, path.ptr, "pack") ||
		    !reads_has_folder(walk->sys, path.ptr, "info") ||
		    !reads_has_file(walk->sys, path.ptr, "../HEAD"))
			continue;
		walk->other(walk->context, path.ptr);
		reads_walk_alternates(walk, path.ptr, depth + 1);
	}
}

/* Sets *out to the common folder of a git folder: of a linked work tree it is another one. */
static void reads_find_common(const struct sys *sys, const char *git_dir, struct str *out)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;

	path_join(&path, git_dir, "commondir");
	str_clear(out);
	if (!read_text(sys, path.ptr, &text) || !reads_join_line(git_dir, str_slice(&text), out))
		str_adds(out, git_dir);
}

static void reads_walk_repository(const struct repo_walk *walk, const char *git_dir)
{
	STR_AUTO common = STR_INIT;
	STR_AUTO objects = STR_INIT;

	if (!reads_has_file(walk->sys, git_dir, "HEAD"))
		return;
	walk->folder(walk->context, git_dir);
	reads_find_common(walk->sys, git_dir, &common);
	if (strcmp(common.ptr, git_dir) != 0 && reads_has_file(walk->sys, common.ptr, "HEAD") &&
	    reads_has_folder(walk->sys, common.ptr, "objects"))
		walk->folder(walk->context, common.ptr);
	str_printf(&objects, "%s/objects", common.ptr);
	reads_walk_alternates(walk, objects.ptr, 0);
}

/* What the work tree says is ignored, on the way from its root to the folder. */
static void reads_visit_ignores(const struct repo_walk *walk, const char *folder, size_t root_len)
{
	static const char *const names[] = {".gitignore", ".gitattributes"};
	char *at = mem_strdup(folder);

	for (;;) {
		size_t len = strlen(at);

		for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
			STR_AUTO path = STR_INIT;

			str_printf(&path, "%s/%s", at, names[i]);
			walk->other(walk->context, path.ptr);
		}
		char *slash = strrchr(at, '/');
		if (len <= root_len || !slash)
			break;
		*slash = '\0';
	}
	free(at);
}

void reads_around(const struct sys *sys, const char *folder, reads_visitor visit, void *context)
{
	const struct repo_walk walk = {sys, visit, visit, context};
	char *at = mem_strdup(folder);
	STR_AUTO git_dir = STR_INIT;
	bool nearest = true;
	struct err ignored;
	char *slash;

	while ((slash = strrchr(at, '/')) != NULL) {
		bool found = false;

		*slash = '\0';
		if (index_git_dir(sys, *at ? at : "/", &git_dir, &found, &ignored) == 0 && found)
			reads_walk_repository(&walk, git_dir.ptr);
		if (!found)
			continue;
		/* A file that leads to another folder is read by itself. */
		if (!reads_has_folder(sys, at, ".git")) {
			str_clear(&git_dir);
			str_printf(&git_dir, "%s/.git", at);
			visit(context, git_dir.ptr);
		}
		if (nearest)
			reads_visit_ignores(&walk, folder, strlen(at));
		nearest = false;
	}
	free(at);
}

/* A file that can be looked at but not opened. */
static bool reads_is_closed(const struct sys *sys, const char *path)
{
	struct stat st;

	if (sys->fstatat(AT_FDCWD, path, &st, 0) != 0)
		return false;
	int fd = file_open(sys, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
	bool closed = fd < 0 && errno == EACCES;
	file_close(sys, &fd);
	return closed;
}

bool reads_closed_around(const struct sys *sys, const char *folder)
{
	char *at = mem_strdup(folder);
	bool closed = false;
	char *slash;

	while (!closed && (slash = strrchr(at, '/')) != NULL) {
		STR_AUTO path = STR_INIT;
		struct stat st;

		*slash = '\0';
		str_printf(&path, "%s/.git", at);
		if (sys->fstatat(AT_FDCWD, path.ptr, &st, 0) != 0)
			continue;
		if (S_ISDIR(st.st_mode))
			str_adds(&path, "/HEAD");
		closed = reads_is_closed(sys, path.ptr);
	}
	free(at);
	return closed;
}

int reads_refuse_around(const char *folder, struct err *err)
{
	return err_set(err, ERR_NO_HISTORY,
		       "the repository around %s is closed to this process, which may have begun "
		       "before it was made: start the server again",
		       folder);
}

void reads_of_store(const struct sys *sys, const char *folder, reads_visitor own,
		    reads_visitor visit, void *context)
{
	const struct repo_walk walk = {sys, own, visit, context};
	STR_AUTO git_dir = STR_INIT;
	STR_AUTO objects = STR_INIT;
	struct err ignored;
	bool found;

	if (index_git_dir(sys, folder, &git_dir, &found, &ignored) != 0 || !found)
		return;
	if (!reads_has_folder(sys, folder, ".git")) {
		reads_walk_repository(&walk, git_dir.ptr);
		return;
	}
	str_printf(&objects, "%s/objects", git_dir.ptr);
	reads_walk_alternates(&walk, objects.ptr, 0);
}
