#include "store/place.h"

#include "base/blank.h"
#include "base/file.h"
#include "base/json_fault.h"
#include "base/mem.h"
#include "store/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#define CONFIG_BYTES_MAX ((size_t)1 << 20)

#define ENV_PREFIX "KOTA_MEMORY_"

/* A place that an environment variable leads to. */
struct row {
	const char *variable; /* NULL: `below` is below the working directory */
	const char *below;    /* path below its value; NULL: the value itself */
	bool absolute;        /* a relative value counts as unset */
	bool if_exists;       /* only where there is such a directory */
	const char *why;
};

/*
 * The first that applies. The plugin's option reaches hook and server under the client's name for
 * it: a hook's arguments cannot name an option that may be unset, and KOTA_MEMORY_DIR stays the
 * person's, so that both see the same.
 */
static const struct row stores[] = {
	{"CLAUDE_PLUGIN_OPTION_MEMORY_DIR", NULL, false, false, "the plugin's option"},
	{"KOTA_MEMORY_DIR", NULL, false, false, "KOTA_MEMORY_DIR"},
	{"CLAUDE_PROJECT_DIR", "data/kota_memory", false, true,
	 "$CLAUDE_PROJECT_DIR/data/kota_memory exists"},
	{NULL, "./data/kota_memory", false, true, "./data/kota_memory exists"},
	{"XDG_DATA_HOME", "kota_memory", true, false, "$XDG_DATA_HOME/kota_memory"},
	{"HOME", ".local/share/kota_memory", true, false, "~/.local/share/kota_memory"},
};

static const struct row configs[] = {
	{"XDG_CONFIG_HOME", "kota-memory/" CONFIG_NAME, true, false, "XDG_CONFIG_HOME"},
	{"HOME", ".config/kota-memory/" CONFIG_NAME, true, false, "HOME"},
};

static const struct row mishaps[] = {
	{"XDG_STATE_HOME", "kota-memory/hook", true, false, "XDG_STATE_HOME"},
	{"HOME", ".local/state/kota-memory/hook", true, false, "HOME"},
};

static const struct row edits[] = {
	{"XDG_STATE_HOME", "kota-memory/edit", true, false, "XDG_STATE_HOME"},
	{"HOME", ".local/state/kota-memory/edit", true, false, "HOME"},
};

static char *join(const char *dir, const char *below)
{
	struct str path = STR_INIT;
	size_t len = strlen(dir);

	while (len > 0 && dir[len - 1] == '/')
		len--;
	str_add(&path, slice_make(dir, len));
	str_addc(&path, '/');
	str_adds(&path, below);
	return str_detach(&path);
}

/* The path that a row stands for, or NULL when its variable is unset; the caller frees it. */
static char *row_path(const struct row *row, environment env)
{
	const char *value;

	if (!row->variable)
		return mem_strdup(row->below);
	value = env(row->variable);
	if (!value || !value[0] || (row->absolute && value[0] != '/'))
		return NULL;
	return row->below ? join(value, row->below) : mem_strdup(value);
}

/*
 * Is there a directory? What others keep from us is not ours; any other failure is an error,
 * because taking it for absence would choose another store.
 */
static int find_directory(const struct sys *sys, const char *path, bool *found, struct err *err)
{
	struct stat st;

	if (sys->fstatat(AT_FDCWD, path, &st, 0) == 0) {
		*found = S_ISDIR(st.st_mode);
		return 0;
	}
	if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
		return err_set_errno(
			err, ERR_IO, errno,
			"cannot see whether the store is at %s (--dir says where it is)", path);
	*found = false;
	return 0;
}

/* Does the row apply? Then *path is the store, else NULL. */
static int try_row(const struct row *row, const struct sys *sys, environment env, char **path,
		   struct err *err)
{
	bool found = true;
	int result = 0;

	*path = row_path(row, env);
	if (*path && row->if_exists)
		result = find_directory(sys, *path, &found, err);
	if (result == 0 && found)
		return 0;
	free(*path);
	*path = NULL;
	return result;
}

int place_find(struct place *out, const struct sys *sys, environment env, const char *dir,
	       struct err *err)
{
	if (dir && dir[0]) {
		*out = (struct place){mem_strdup(dir), "--dir"};
		return 0;
	}
	for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
		char *path;

		if (try_row(&stores[i], sys, env, &path, err) != 0)
			return -1;
		if (path) {
			*out = (struct place){path, stores[i].why};
			return 0;
		}
	}
	return err_set(err, ERR_USAGE,
		       "there is no place for the store because HOME is not set: "
		       "say where with --dir or KOTA_MEMORY_DIR");
}

void place_release(struct place *place)
{
	free(place->path);
	*place = (struct place){0};
}

static char *first_path(const struct row *rows, size_t count, environment env)
{
	for (size_t i = 0; i < count; i++) {
		char *path = row_path(&rows[i], env);

		if (path)
			return path;
	}
	return NULL;
}

char *place_personal_config(environment env)
{
	return first_path(configs, sizeof configs / sizeof *configs, env);
}

char *place_mishap(environment env)
{
	return first_path(mishaps, sizeof mishaps / sizeof *mishaps, env);
}

char *place_edits(environment env)
{
	return first_path(edits, sizeof edits / sizeof *edits, env);
}

/* Puts path:line:column before the sentence that settings_apply() found for a value. */
static int blame_node(const struct json *doc, uint32_t node, const char *path, struct err *err)
{
	struct json_fault fault;

	json_fault_set(&fault, doc->text, doc->nodes[node].start, "");
	return err_prefix(err, "%s:%u:%u", path, fault.line, fault.column);
}

static int apply_text(struct settings *settings, struct slice text, enum settings_origin origin,
		      const char *path, struct err *err)
{
	uint32_t fault_node = JSON_ROOT;
	struct json_fault fault;
	struct json doc;
	int result;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_BAD_DATA, "%s:%u:%u: %s", path, fault.line, fault.column,
			       fault.what);
	result = settings_apply(settings, &doc, origin, &fault_node, err);
	if (result != 0)
		blame_node(&doc, fault_node, path, err);
	json_release(&doc);
	return result;
}

/* A file that is absent or blank sets nothing. */
static int apply_file(struct settings *settings, const struct sys *sys, const char *path,
		      struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;

	if (file_read(sys, AT_FDCWD, path, CONFIG_BYTES_MAX, &text, &id, err) != 0)
		return -1;
	if (blank_trim(str_slice(&text)).len == 0)
		return 0;
	return apply_text(settings, str_slice(&text), SETTINGS_PERSON, path, err);
}

/* HOME may be somebody else's, or none: where the path cannot be gone, the person has no file. */
static bool is_out_of_reach(const struct sys *sys, const char *path)
{
	struct stat st;

	return sys->fstatat(AT_FDCWD, path, &st, 0) != 0 && (errno == ENOTDIR || errno == EACCES);
}

static int apply_personal_file(struct settings *settings, const struct sys *sys, const char *path,
			       struct err *err)
{
	if (apply_file(settings, sys, path, err) == 0 ||
	    (err->code == ERR_IO && is_out_of_reach(sys, path)))
		return 0;
	return -1;
}

/* Reads the store's config.json; a link is followed as one of a category file is. */
static int read_store_file(struct disk *disk, struct str *text, struct err *err)
{
	struct file_id id;
	struct path path;
	int result;

	if (path_open(&path, disk, CONFIG_NAME, err) != 0)
		return -1;
	result = file_read_own(disk->sys, path.dirfd, path.name, CONFIG_BYTES_MAX, text, &id, err);
	if (result != 0)
		err_in_folder(err, disk->path, CONFIG_NAME);
	path_release(&path);
	return result;
}

static int apply_store_file(struct settings *settings, const struct sys *sys, const char *store_dir,
			    struct err *err)
{
	char *path = join(store_dir, CONFIG_NAME);
	struct disk disk = {
		.sys = sys,
		.path = mem_strndup(path, strlen(path) - strlen("/" CONFIG_NAME)),
		.lock_fd = -1,
	};
	STR_AUTO text = STR_INIT;
	int result = 0;

	disk.dirfd = file_open(sys, AT_FDCWD, store_dir,
			       O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC, 0);
	if (disk.dirfd >= 0)
		result = read_store_file(&disk, &text, err);
	else if (errno != ENOENT)
		result = err_set_errno(err, ERR_IO, errno, "cannot open %s", store_dir);
	if (result == 0 && blank_trim(str_slice(&text)).len > 0)
		result = apply_text(settings, str_slice(&text), SETTINGS_STORE, path, err);
	file_close(sys, &disk.dirfd);
	free(disk.path);
	free(path);
	return result;
}

static int apply_environment(struct settings *settings, environment env, struct err *err)
{
	STR_AUTO variable = STR_INIT;

	for (const char *const *name = settings_env_names(); *name; name++) {
		str_clear(&variable);
		str_adds(&variable, ENV_PREFIX);
		str_adds(&variable, *name);
		if (settings_apply_env(settings, *name, env(variable.ptr), err) != 0)
			return err_prefix(err, "%s", variable.ptr);
	}
	return 0;
}

int settings_load(struct settings *out, const struct sys *sys, environment env,
		  const char *personal_config, const char *store_dir, struct err *err)
{
	struct settings settings;

	settings_init(&settings);
	if (personal_config && apply_personal_file(&settings, sys, personal_config, err) != 0)
		return -1;
	if (store_dir && apply_store_file(&settings, sys, store_dir, err) != 0)
		return -1;
	if (apply_environment(&settings, env, err) != 0)
		return -1;
	*out = settings;
	return 0;
}
