#include "git/guard.h"

#include "base/file.h"
#include "base/mem.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>

#define WHOLE_MAX ((size_t)1 << 20) /* of what is read whole */
#define ANY_SIZE ((size_t)LLONG_MAX)
#define FILES_MAX 200 /* configurations and alternates that lead to one another */
#define DEPTH_MAX 10  /* as deep as the library goes */

struct guard {
	const struct sys *sys;
	struct err *err;
	size_t files;
};

/* A configuration that is being read. */
struct config_file {
	struct guard *guard;
	const char *path;
	const char *git_dir;
	int depth;
};

/* Absent, or what cannot be reached at all, is fine: the library cannot open it either. */
static int guard_check(struct guard *guard, const char *path, size_t max)
{
	struct stat st;

	if (guard->sys->fstatat(AT_FDCWD, path, &st, 0) != 0 || S_ISDIR(st.st_mode))
		return 0;
	if (!S_ISREG(st.st_mode))
		return err_set(guard->err, ERR_NO_HISTORY, "%s is not a regular file", path);
	if ((uintmax_t)st.st_size > max)
		return err_set(guard->err, ERR_NO_HISTORY, "%s has more than %zu bytes", path, max);
	return 0;
}

static int guard_check_in(struct guard *guard, const char *dir, const char *name, size_t max)
{
	STR_AUTO path = STR_INIT;

	path_join(&path, dir, name);
	return guard_check(guard, path.ptr, max);
}

/* Reads a file that is there into *text; *found is false where it is none. */
static int guard_read_whole(struct guard *guard, const char *path, struct str *text, bool *found)
{
	struct file_id id = {.present = false};
	struct err unread;

	*found = false;
	if (guard_check(guard, path, WHOLE_MAX) != 0)
		return -1;
	if (++guard->files > FILES_MAX)
		return err_set(guard->err, ERR_NO_HISTORY,
			       "%s is one of more than %d files that "
			       "lead to one another",
			       path, FILES_MAX);
	*found = file_read(guard->sys, AT_FDCWD, path, WHOLE_MAX, text, &id, &unread) == 0 &&
		 id.present;
	return 0;
}

/* ---- configurations */

static int guard_check_config(struct guard *guard, const char *path, const char *git_dir,
			      int depth);

/* Where a path of a configuration leads: `~/` is at home. */
static void guard_resolve(struct str *out, const char *folder, const char *value)
{
	const char *home = getenv("HOME");

	if (value[0] == '~' && value[1] == '/' && home)
		path_join(out, home, value + 2);
	else
		path_join(out, folder, value);
}

static int guard_take_path(void *context, enum config_path what, const char *value)
{
	const struct config_file *file = context;
	const char *slash = strrchr(file->path, '/');
	char *folder = slash ? mem_strndup(file->path, (size_t)(slash - file->path))
			     : mem_strdup(".");
	STR_AUTO path = STR_INIT;
	int result;

	if (what == CONFIG_INCLUDE) {
		guard_resolve(&path, folder, value);
		result = guard_check_config(file->guard, path.ptr, file->git_dir, file->depth + 1);
	} else if (what == CONFIG_PATTERNS) {
		/* A relative one begins where this process stands. */
		guard_resolve(&path, ".", value);
		result = guard_check(file->guard, path.ptr, WHOLE_MAX);
	} else {
		guard_resolve(&path, file->git_dir, value);
		result = guard_check_in(file->guard, path.ptr, ".gitignore", WHOLE_MAX);
	}
	free(folder);
	return result == 0 ? 0 : 1;
}

static int guard_check_config(struct guard *guard, const char *path, const char *git_dir, int depth)
{
	struct config_file file = {guard, path, git_dir, depth};
	STR_AUTO text = STR_INIT;
	bool found;

	if (depth > DEPTH_MAX)
		return err_set(guard->err, ERR_NO_HISTORY, "%s is included too deeply", path);
	if (guard_read_whole(guard, path, &text, &found) != 0)
		return -1;
	int result = found ? config_paths(str_slice(&text), guard_take_path, &file) : 0;
	if (result < 0)
		return err_set(guard->err, ERR_NO_HISTORY, "%s cannot be understood", path);
	return result == 0 ? 0 : -1;
}

/* ---- objects */

static int guard_check_packs(struct guard *guard, const char *objects)
{
	const struct sys *sys = guard->sys;
	const struct dirent *entry;
	STR_AUTO folder = STR_INIT;
	int result = 0;

	path_join(&folder, objects, "pack");
	int fd = file_open(sys, AT_FDCWD, folder.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	if (!dir) {
		file_close(sys, &fd);
		return 0;
	}
	while (result == 0 && (entry = sys->readdir(dir))) {
		if (entry->d_type != DT_REG && entry->d_type != DT_DIR)
			result = guard_check_in(guard, folder.ptr, entry->d_name, ANY_SIZE);
	}
	sys->closedir(dir);
	return result;
}

static int guard_check_objects(struct guard *guard, const char *objects, int depth)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct stat st;
	char *rest = NULL;
	bool found;

	path_join(&path, objects, "info/alternates");
	/* libgit2 leaks memory on each attempt to read a directory here (only here). */
	if (guard->sys->fstatat(AT_FDCWD, path.ptr, &st, 0) == 0 && S_ISDIR(st.st_mode))
		return err_set(guard->err, ERR_NO_HISTORY, "%s is not a regular file", path.ptr);
	if (guard_check_packs(guard, objects) != 0 ||
	    guard_check_in(guard, objects, "info/commit-graph", ANY_SIZE) != 0 ||
	    guard_read_whole(guard, path.ptr, &text, &found) != 0)
		return -1;
	if (found && depth > DEPTH_MAX)
		return err_set(guard->err, ERR_NO_HISTORY, "%s is named too deeply", path.ptr);
	for (char *line = found ? strtok_r(text.ptr, "\r\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\r\n", &rest)) {
		STR_AUTO other = STR_INIT;

		path_join(&other, objects, line);
		if (line[0] != '#' && guard_check_objects(guard, other.ptr, depth + 1) != 0)
			return -1;
	}
	return 0;
}

/* ---- a repository */

/* The text behind the prefix of a file of one line, up to its end; false when it is none. */
static int guard_read_line(struct guard *guard, const char *path, const char *prefix,
			   struct str *out, bool *found)
{
	STR_AUTO text = STR_INIT;

	if (guard_read_whole(guard, path, &text, found) != 0)
		return -1;
	*found = *found && slice_starts(str_slice(&text), prefix);
	if (*found) {
		str_truncate(&text, strcspn(text.ptr, "\r\n"));
		str_clear(out);
		str_adds(out, text.ptr + strlen(prefix));
	}
	return 0;
}

/* HEAD, and the branch that it names, with its log: who moves it appends a line there. */
static int guard_check_head(struct guard *guard, const char *git_dir, const char *common)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO branch = STR_INIT;
	STR_AUTO log = STR_INIT;
	bool found;

	path_join(&path, git_dir, "HEAD");
	if (guard_read_line(guard, path.ptr, "ref: ", &branch, &found) != 0)
		return -1;
	if (!found)
		return 0;
	str_printf(&log, "logs/%s", branch.ptr);
	return guard_check_in(guard, git_dir, branch.ptr, ANY_SIZE) != 0 ||
			       guard_check_in(guard, common, branch.ptr, ANY_SIZE) != 0 ||
			       guard_check_in(guard, common, log.ptr, ANY_SIZE) != 0
		       ? -1
		       : 0;
}

static int guard_check_files(struct guard *guard, const char *git_dir, const char *common)
{
	static const struct {
		const char *name;
		bool shared; /* by all work trees of the repository */
		size_t max;
	} files[] = {
		{"gitdir", false, WHOLE_MAX},      {"index", false, ANY_SIZE},
		{"logs/HEAD", false, ANY_SIZE},    {"packed-refs", true, ANY_SIZE},
		{"info/exclude", true, WHOLE_MAX}, {"info/attributes", true, WHOLE_MAX},
		{"info/grafts", true, WHOLE_MAX},  {"shallow", true, WHOLE_MAX},
	};

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (guard_check_in(guard, files[i].shared ? common : git_dir, files[i].name,
				   files[i].max) != 0)
			return -1;
	}
	return 0;
}

static int guard_check_repository(struct guard *guard, const char *git_dir)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO common = STR_INIT;
	STR_AUTO line = STR_INIT;
	STR_AUTO objects = STR_INIT;
	STR_AUTO config = STR_INIT;
	STR_AUTO own_config = STR_INIT;
	bool found;

	path_join(&path, git_dir, "commondir");
	if (guard_read_line(guard, path.ptr, "", &line, &found) != 0)
		return -1;
	if (found)
		path_join(&common, git_dir, line.ptr);
	else
		str_adds(&common, git_dir);
	path_join(&objects, common.ptr, "objects");
	path_join(&config, common.ptr, "config");
	path_join(&own_config, git_dir, "config.worktree");
	return guard_check_head(guard, git_dir, common.ptr) != 0 ||
			       guard_check_files(guard, git_dir, common.ptr) != 0 ||
			       guard_check_config(guard, config.ptr, git_dir, 0) != 0 ||
			       guard_check_config(guard, own_config.ptr, git_dir, 0) != 0 ||
			       guard_check_objects(guard, objects.ptr, 0) != 0
		       ? -1
		       : 0;
}

/* ---- where it is */

/* *found is false where DIR has no .git. */
static int guard_find_git_dir(struct guard *guard, const char *dir, struct str *out, bool *found)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO line = STR_INIT;
	struct stat st;

	path_join(&path, dir, ".git");
	*found = guard->sys->fstatat(AT_FDCWD, path.ptr, &st, 0) == 0;
	if (!*found)
		return 0;
	if (S_ISDIR(st.st_mode)) {
		str_clear(out);
		str_adds(out, path.ptr);
		return 0;
	}
	if (guard_read_line(guard, path.ptr, "gitdir: ", &line, found) != 0)
		return -1;
	if (*found)
		path_join(out, dir, line.ptr);
	return 0;
}

static bool guard_is_there(const struct guard *guard, const char *dir, const char *name)
{
	STR_AUTO path = STR_INIT;
	struct stat st;

	path_join(&path, dir, name);
	return guard->sys->fstatat(AT_FDCWD, path.ptr, &st, 0) == 0;
}

int guard_own(const struct sys *sys, const char *dir, struct err *err)
{
	static const char *const patterns[] = {".gitignore", "notes/.gitignore",
					       "archive.cold/.gitignore"};
	struct guard guard = {sys, err, 0};
	STR_AUTO git_dir = STR_INIT;
	bool found;

	if (guard_find_git_dir(&guard, dir, &git_dir, &found) != 0 ||
	    (found && guard_check_repository(&guard, git_dir.ptr) != 0))
		return -1;
	for (size_t i = 0; found && i < sizeof patterns / sizeof *patterns; i++) {
		if (guard_check_in(&guard, dir, patterns[i], WHOLE_MAX) != 0)
			return -1;
	}
	return 0;
}

/* Goes up one folder; false at the top. */
static bool guard_go_up(struct str *dir)
{
	const char *slash = strrchr(dir->ptr, '/');

	if (!slash || dir->len <= 1)
		return false;
	str_truncate(dir, slash == dir->ptr ? 1 : (size_t)(slash - dir->ptr));
	return true;
}

/* Where the library stops: a repository, or a folder that is one itself. */
static int guard_check_above(struct guard *guard, const char *dir, bool *found)
{
	STR_AUTO git_dir = STR_INIT;

	if (guard_find_git_dir(guard, dir, &git_dir, found) != 0)
		return -1;
	if (!*found && guard_is_there(guard, dir, "HEAD") &&
	    guard_is_there(guard, dir, "objects")) {
		str_adds(&git_dir, dir);
		*found = true;
	}
	if (!*found)
		return 0;
	*found = guard_is_there(guard, git_dir.ptr, "HEAD");
	return guard_check_repository(guard, git_dir.ptr);
}

int guard_around(const struct sys *sys, const char *dir, struct err *err)
{
	struct guard guard = {sys, err, 0};
	STR_AUTO above = STR_INIT;
	bool found = false;

	str_adds(&above, dir);
	while (!found && guard_go_up(&above)) {
		if (guard_check_above(&guard, above.ptr, &found) != 0)
			return -1;
	}
	if (!found)
		return 0;
	/* By its settings the work tree may begin higher up. */
	str_clear(&above);
	str_adds(&above, dir);
	do {
		if (guard_check_in(&guard, above.ptr, ".gitignore", WHOLE_MAX) != 0)
			return -1;
	} while (guard_go_up(&above));
	return 0;
}

#define BOM "\xef\xbb\xbf"

/* What kind of section the reader is in. */
enum section { SECTION_OTHER, SECTION_INCLUDE, SECTION_CORE };

struct reader {
	struct slice rest;
	enum section section;
};

static int guard_peek(const struct reader *r)
{
	return r->rest.len > 0 ? (unsigned char)r->rest.ptr[0] : -1;
}

static int guard_take(struct reader *r)
{
	int c = guard_peek(r);

	if (c >= 0)
		r->rest = slice_make(r->rest.ptr + 1, r->rest.len - 1);
	return c;
}

static void guard_skip_line(struct reader *r)
{
	while (guard_peek(r) >= 0 && guard_take(r) != '\n')
		continue;
}

static void guard_skip_blanks(struct reader *r)
{
	while (guard_peek(r) == ' ' || guard_peek(r) == '\t' || guard_peek(r) == '\r')
		guard_take(r);
}

static void guard_read_name(struct reader *r, struct str *out)
{
	while (isalnum(guard_peek(r)) || guard_peek(r) == '-' || guard_peek(r) == '.')
		str_addc(out, (char)guard_take(r));
	str_adds(out, "");
}

/* `[name]` or `[name "what"]`; the rest of the line may go on with a variable. */
static int guard_read_header(struct reader *r)
{
	STR_AUTO name = STR_INIT;

	guard_take(r);
	guard_skip_blanks(r);
	guard_read_name(r, &name);
	guard_skip_blanks(r);
	if (guard_peek(r) == '"') {
		guard_take(r);
		while (guard_peek(r) != '"') {
			if (guard_peek(r) == '\\')
				guard_take(r);
			if (guard_peek(r) < 0 || guard_take(r) == '\n')
				return -1;
		}
		guard_take(r);
		guard_skip_blanks(r);
	}
	if (name.len == 0 || guard_take(r) != ']')
		return -1;
	/* Both `[includeIf "condition"]` and the old `[includeIf.condition]`. */
	r->section = strncasecmp(name.ptr, "include", 7) == 0 ? SECTION_INCLUDE
		     : strcasecmp(name.ptr, "core") == 0      ? SECTION_CORE
							      : SECTION_OTHER;
	return 0;
}

/* What stands behind a backslash. */
static int guard_read_escape(struct reader *r, struct str *out)
{
	static const char from[] = "ntb\"\\";
	static const char to[] = "\n\t\b\"\\";
	int c = guard_take(r);
	const char *found = c > 0 ? strchr(from, c) : NULL;

	/* The value goes on in the next line. */
	if (c == '\r' && guard_peek(r) == '\n')
		c = guard_take(r);
	if (c == '\n' || c < 0)
		return 0;
	if (!found)
		return -1;
	str_addc(out, to[found - from]);
	return 0;
}

/* Behind the equals sign, up to and with the end of the line. */
static int guard_read_value(struct reader *r, struct str *out)
{
	bool quoted = false;
	size_t end = 0; /* of what is no blank at the end */

	guard_skip_blanks(r);
	for (int c = guard_take(r); c >= 0 && (c != '\n' || quoted); c = guard_take(r)) {
		if (c == '\n')
			return -1;
		if (!quoted && (c == '#' || c == ';')) {
			guard_skip_line(r);
			break;
		}
		if (c == '"')
			quoted = !quoted;
		else if (c == '\\' && guard_read_escape(r, out) != 0)
			return -1;
		else if (c != '\\')
			str_addc(out, (char)c);
		if (quoted || !isspace(c))
			end = out->len;
	}
	str_adds(out, "");
	str_truncate(out, end);
	return quoted ? -1 : 0;
}

static bool guard_wanted(enum section section, const char *name, enum config_path *what)
{
	static const struct {
		const char *name;
		enum section section;
		enum config_path what;
	} paths[] = {
		{"path", SECTION_INCLUDE, CONFIG_INCLUDE},
		{"excludesfile", SECTION_CORE, CONFIG_PATTERNS},
		{"attributesfile", SECTION_CORE, CONFIG_PATTERNS},
		{"worktree", SECTION_CORE, CONFIG_WORK_TREE},
	};

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		if (section == paths[i].section && strcasecmp(name, paths[i].name) == 0) {
			*what = paths[i].what;
			return true;
		}
	}
	return false;
}

static int guard_read_variable(struct reader *r, config_visitor visit, void *context)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO value = STR_INIT;
	enum config_path what;

	guard_read_name(r, &name);
	guard_skip_blanks(r);
	if (name.len == 0)
		return -1;
	/* One without a value is true. */
	if (guard_peek(r) != '=') {
		if (guard_peek(r) >= 0 && guard_peek(r) != '\n' && guard_peek(r) != '#' &&
		    guard_peek(r) != ';')
			return -1;
		guard_skip_line(r);
		return 0;
	}
	guard_take(r);
	if (guard_read_value(r, &value) != 0)
		return -1;
	return value.len > 0 && guard_wanted(r->section, name.ptr, &what)
		       ? visit(context, what, value.ptr)
		       : 0;
}

int config_paths(struct slice text, config_visitor visit, void *context)
{
	struct reader r = {text, SECTION_OTHER};
	int result = 0;

	if (text.len >= strlen(BOM) && memcmp(text.ptr, BOM, strlen(BOM)) == 0)
		r.rest = slice_make(text.ptr + strlen(BOM), text.len - strlen(BOM));
	if (text.len > 0 && memchr(text.ptr, '\0', text.len))
		return -1;
	while (result == 0 && guard_peek(&r) >= 0) {
		if (isspace(guard_peek(&r)))
			guard_take(&r);
		else if (guard_peek(&r) == '#' || guard_peek(&r) == ';')
			guard_skip_line(&r);
		else
			result = guard_peek(&r) == '[' ? guard_read_header(&r)
						       : guard_read_variable(&r, visit, context);
	}
	return result;
}
