#include "store/files/settings_files.h"

#include "base/file.h"
#include "base/utf8.h"
#include "json/scan.h"
#include "store/files/confine.h"
#include "store/files/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define CONFIG_BYTES_MAX ((size_t)1 << 20)

#define ENV_PREFIX "KOTA_MEMORY_"

static int settings_apply_text(struct settings *settings, struct slice text,
			       enum settings_origin origin, const char *path, struct err *err)
{
	uint32_t fault_node = JSON_ROOT;
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_BAD_DATA, "%s:%u:%u: %s", path, fault.line, fault.column,
			       fault.what);
	int result = settings_apply(settings, &doc, origin, &fault_node, err);
	if (result != 0) {
		json_fault_set(&fault, doc.text, doc.nodes[fault_node].start, "");
		err_prefix(err, "%s:%u:%u", path, fault.line, fault.column);
	}
	return result;
}

/* A file that is absent or blank sets nothing. */
static int settings_apply_file(struct settings *settings, const struct sys *sys, const char *path,
			       struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;

	if (file_read(sys, AT_FDCWD, path, CONFIG_BYTES_MAX, &text, &id, err) != 0)
		return -1;
	if (blank_trim(str_slice(&text)).len == 0)
		return 0;
	return settings_apply_text(settings, str_slice(&text), SETTINGS_PERSON, path, err);
}

/* HOME may be somebody else's, or none: where the path cannot be gone, the person has no file. */
static bool settings_is_out_of_reach(const struct sys *sys, const char *path)
{
	struct stat st;

	return sys->fstatat(AT_FDCWD, path, &st, 0) != 0 && (errno == ENOTDIR || errno == EACCES);
}

/* Its owner may read it, and this process may not. */
static bool settings_is_closed_to_process(const struct sys *sys, const char *path)
{
	struct stat st;

	if (sys->fstatat(AT_FDCWD, path, &st, 0) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_uid != geteuid() || !(st.st_mode & S_IRUSR))
		return false;
	int fd = file_open(sys, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
	bool closed = fd < 0 && errno == EACCES;
	file_close(sys, &fd);
	return closed;
}

static int settings_apply_personal_file(struct settings *settings, const struct sys *sys,
					const char *path, struct err *err)
{
	if (settings_apply_file(settings, sys, path, err) == 0 ||
	    (err->code == ERR_IO && settings_is_out_of_reach(sys, path)))
		return 0;
	if (err->code == ERR_IO && settings_is_closed_to_process(sys, path))
		err_set(err, ERR_IO, "%s " CONFINE_KEEPS, path);
	return -1;
}

/* Reads the store's config.json; a link is followed as one of a category file is. */
static int settings_read_store_file(struct disk *disk, struct str *text, struct err *err)
{
	struct file_id id;
	PATH_AUTO path = {0};

	if (path_open(&path, disk, CONFIG_NAME, err) != 0)
		return -1;
	int result = file_read_own(disk->sys, path.dirfd, path.name, CONFIG_BYTES_MAX, text, &id,
				   err);
	if (result != 0)
		err_in_folder(err, disk->path, CONFIG_NAME);
	return result;
}

/* The person saw `trusted` and let it hold; others may only have tightened it since. */
static int settings_apply_changed(struct settings *settings, struct slice trusted,
				  struct slice text, const char *path, struct err *err)
{
	struct settings base = *settings;
	struct settings wish = *settings;
	struct err ignored;

	if (blank_trim(trusted).len > 0)
		(void)!settings_apply_text(&base, trusted, SETTINGS_STORE, path, &ignored);
	if (settings_apply_text(&wish, text, SETTINGS_STORE, path, err) != 0)
		return -1;
	settings_take(&base, &wish, SETTINGS_CHANGED_BY_OTHERS);
	*settings = base;
	return 0;
}

/*
 * Other machines write it too: they cannot loosen what the person's own settings say of secrets,
 * nor turn off the history here, without which nothing is synced any more.
 */
static int settings_apply_synced(struct settings *settings, struct disk *disk, struct slice text,
				 const char *path, struct err *err)
{
	struct settings wish = *settings;

	if (settings_apply_text(&wish, text, SETTINGS_STORE, path, err) != 0) {
		struct err unknown = *err;

		wish = *settings;
		if (settings_apply_text(&wish, text, SETTINGS_SYNCED, path, err) != 0)
			return -1;
		str_printf(&disk->remarks, "%s: it does not count\n", unknown.text);
	}
	if (wish.git == GIT_MODE_OFF && settings->git != GIT_MODE_OFF) {
		wish.git = settings->git;
		str_printf(&disk->remarks,
			   "%s: \"git\": \"off\" does not count while the store has a remote: "
			   "remove it, or run kota sync --forget\n",
			   path);
	}
	settings_take(settings, &wish, SETTINGS_NAMED);
	return 0;
}

static int settings_apply_unreviewed(struct settings *settings, const struct origin *origin,
				     struct slice text, const char *path, struct err *err)
{
	bool foreign = origin->kind == ORIGIN_FOREIGN;
	struct settings wish = *settings;

	if (settings_apply_text(&wish, text, SETTINGS_STORE, path, err) != 0)
		return -1;
	settings_take(settings, &wish,
		      origin->named && !foreign ? SETTINGS_NAMED : SETTINGS_UNREVIEWED);
	/* A store may only name a folder inside itself. */
	if (!foreign && !settings->notes_dir_free)
		memcpy(settings->notes_dir, wish.notes_dir, sizeof wish.notes_dir);
	return 0;
}

/* As much of the store's settings as its origin allows. */
static int settings_apply_store_file(struct settings *settings, struct disk *disk, struct err *err)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO path = STR_INIT;

	if (settings_read_store_file(disk, &text, err) != 0)
		return -1;
	if (blank_trim(str_slice(&text)).len == 0)
		return 0;
	str_printf(&path, "%s/" CONFIG_NAME, strcmp(disk->path, "/") == 0 ? "" : disk->path);
	if (origin_settles(&disk->origin) && disk->origin.synced)
		return settings_apply_synced(settings, disk, str_slice(&text), path.ptr, err);
	if (origin_settles(&disk->origin))
		return settings_apply_text(settings, str_slice(&text), SETTINGS_STORE, path.ptr,
					   err);
	if (disk->origin.kind == ORIGIN_OWN)
		return settings_apply_changed(settings, disk->origin.config, str_slice(&text),
					      path.ptr, err);
	return settings_apply_unreviewed(settings, &disk->origin, str_slice(&text), path.ptr, err);
}

int settings_load(struct settings *out, const struct sys *sys, environment env,
		  const char *personal_config, struct disk *store, struct err *err)
{
	struct settings settings;

	settings_init(&settings);
	if (personal_config &&
	    settings_apply_personal_file(&settings, sys, personal_config, err) != 0)
		return -1;
	if (store && store->dirfd >= 0 && settings_apply_store_file(&settings, store, err) != 0)
		return -1;
	for (const char *const *name = settings_env_names; *name; name++) {
		STR_AUTO variable = STR_INIT;

		str_printf(&variable, ENV_PREFIX "%s", *name);
		if (settings_apply_env(&settings, *name, env(variable.ptr), err) != 0)
			return err_prefix(err, "%s", variable.ptr);
	}
	*out = settings;
	return 0;
}

void settings_each_held_back(const struct sys *sys, const char *personal_config, struct disk *store,
			     void (*visit)(void *context, const char *name), void *context)
{
	STR_AUTO text = STR_INIT;
	struct settings in_force;
	struct err ignored;

	settings_init(&in_force);
	if (personal_config)
		(void)!settings_apply_personal_file(&in_force, sys, personal_config, &ignored);
	struct settings wish = in_force;
	if (settings_read_store_file(store, &text, &ignored) != 0 ||
	    blank_trim(str_slice(&text)).len == 0 ||
	    settings_apply_text(&wish, str_slice(&text), SETTINGS_STORE, CONFIG_NAME, &ignored) !=
		    0 ||
	    settings_apply_store_file(&in_force, store, &ignored) != 0)
		return;
	settings_compare(&in_force, &wish, visit, context);
}
