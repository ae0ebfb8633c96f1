#include "store/open/confine_rules.h"

#include "base/landlock.h"
#include "base/libraries.h"
#include "base/mem.h"
#include "git/reads.h"
#include "store/files/resolve.h"
#include "store/files/settings_files.h"
#include "store/trust/state_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* What is open to every process, and needed by the C library or by libgit2. */
static const char *const system_paths[] = {
	"/etc",         "/usr/lib",   "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo",
	"/nix/store",   "/gnu/store", "/proc/self", "/proc/sys",      "/dev/null",
	"/dev/urandom",
};

/* Most systems have links to the above in their place. */
static const char *const older_paths[] = {"/lib", "/lib64"};

/* Libraries below these are open by the table above. */
static const char *const system_libraries[] = {"/lib/",       "/lib64/",         "/usr/lib/",
					       "/usr/lib64/", "/usr/local/lib/", "/nix/store/",
					       "/gnu/store/"};

/* Files of the store that may be links. */
static const char *const linked_files[] = {CONFIG_NAME, "synonyms.json"};

struct rules {
	const struct confine *confine;
	struct disk *disk;
	struct landlock landlock;
	struct err *err; /* of the first rule that could not be added */
	bool failed;
};

/* ---- rules */

static void confine_allow_fd(struct rules *rules, int fd, enum landlock_rights rights)
{
	if (!rules->failed && landlock_allow(&rules->landlock, fd, rights, rules->err) != 0)
		rules->failed = true;
}

/* What is not there needs no rule, and what cannot be reached now gets none. */
static bool confine_allow(struct rules *rules, int dirfd, const char *path,
			  enum landlock_rights rights)
{
	int fd = file_open(rules->confine->sys, dirfd, path, O_PATH | O_CLOEXEC, 0);

	if (fd < 0)
		return false;
	confine_allow_fd(rules, fd, rights);
	file_close(rules->confine->sys, &fd);
	return true;
}

static void confine_allow_read(void *context, const char *path)
{
	confine_allow(context, AT_FDCWD, path, LANDLOCK_READ);
}

static void confine_allow_all(void *context, const char *path)
{
	confine_allow(context, AT_FDCWD, path, LANDLOCK_ALL);
}

static void confine_allow_library(void *context, const char *folder)
{
	for (size_t i = 0; i < sizeof system_libraries / sizeof *system_libraries; i++) {
		size_t len = strlen(system_libraries[i]);

		/* With or without the slash at the end. */
		if (strncmp(folder, system_libraries[i], len) == 0 ||
		    (strlen(folder) == len - 1 &&
		     strncmp(folder, system_libraries[i], len - 1) == 0))
			return;
	}
	confine_allow_read(context, folder);
}

static void confine_allow_system(struct rules *rules)
{
	for (size_t i = 0; i < sizeof system_paths / sizeof *system_paths; i++)
		confine_allow(rules, AT_FDCWD, system_paths[i], LANDLOCK_READ);
	for (size_t i = 0; i < sizeof older_paths / sizeof *older_paths; i++) {
		struct stat st;

		if (rules->confine->sys->fstatat(AT_FDCWD, older_paths[i], &st,
						 AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISDIR(st.st_mode))
			confine_allow(rules, AT_FDCWD, older_paths[i], LANDLOCK_READ);
	}
#ifdef KOTA_COUNTS_BELOW
	confine_allow_all(rules, KOTA_COUNTS_BELOW); /* a build for make coverage alone */
#endif
	libraries_walk(rules->confine->sys, reads_library(), confine_allow_library, rules);
}

/* The folder that a link leads to, if it is one that we follow. */
static void confine_allow_link(struct rules *rules, const char *name)
{
	struct disk *disk = rules->disk;
	PATH_AUTO path = {0};
	struct err ignored;
	struct stat st;

	if (disk->sys->fstatat(disk->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISLNK(st.st_mode) || path_open(&path, disk, name, &ignored) != 0)
		return;
	confine_allow_fd(rules, path.dirfd, LANDLOCK_CHANGE);
}

/* The person's config.json, which says where the notes are; both may be elsewhere than they seem.
 */
static void confine_allow_settings(struct rules *rules)
{
	const struct confine *confine = rules->confine;
	char *config = place_own_path(PLACE_OWN_CONFIG, confine->env);
	const char *slash = config ? strrchr(config, '/') : NULL;
	char *folder = slash ? mem_strndup(config, (size_t)(slash - config)) : NULL;
	struct settings settings;
	struct err ignored;

	if (folder && confine_allow(rules, AT_FDCWD, folder, LANDLOCK_READ))
		confine_allow_read(rules, config);
	/* Where they cannot be read, whoever needs them says so. */
	if (settings_load(&settings, confine->sys, confine->env, config, NULL, &ignored) == 0 &&
	    settings.notes_dir_free)
		confine_allow(rules, rules->disk->dirfd, settings.notes_dir, LANDLOCK_CHANGE);
	free(folder);
	free(config);
}

/* It is made now: later that is closed. Whoever needs one that there cannot be says why. */
static void confine_allow_state(struct rules *rules)
{
	const struct confine *confine = rules->confine;
	struct err ignored;
	int fd;

	if (state_folder_open(confine->sys, confine->env, rules->disk->origin.root, true, &fd,
			      &ignored) != 0)
		return;
	confine_allow_fd(rules, fd, LANDLOCK_ALL);
	file_close(confine->sys, &fd);
}

static void confine_allow_git(struct rules *rules)
{
	const struct confine *confine = rules->confine;
	const struct origin *origin = &rules->disk->origin;

	reads_of_person(confine->sys, confine->env("HOME"), confine->env("XDG_CONFIG_HOME"),
			confine_allow_read, rules);
	if (!origin->path)
		return;
	/* A `.git` file and alternates are followed only in the person's own store. */
	if (origin->kind == ORIGIN_OWN && origin_believes(origin, STATE_GIT))
		reads_of_store(confine->sys, origin->path, confine_allow_all, confine_allow_read,
			       rules);
	reads_around(confine->sys, origin->path, confine_allow_read, rules);
}

/* ---- putting them in force */

static int confine_make_rules(struct rules *rules)
{
	confine_allow_fd(rules, rules->disk->dirfd, LANDLOCK_ALL);
	for (int f = 0; f < STORE_FILE_COUNT; f++)
		confine_allow_link(rules, store_file_name((enum store_file)f));
	for (size_t i = 0; i < sizeof linked_files / sizeof *linked_files; i++)
		confine_allow_link(rules, linked_files[i]);
	confine_allow_settings(rules);
	confine_allow_git(rules);
	confine_allow_state(rules);
	confine_allow_system(rules);
	return rules->failed ? -1 : landlock_enforce(&rules->landlock, rules->err);
}

void confine_rules_enter(struct confine *confine, struct disk *disk)
{
	struct rules rules = {.confine = confine, .disk = disk};

	if (confine->tried)
		return;
	confine->tried = true;
	rules.err = &confine->trouble;
	int abi = landlock_abi(confine->sys, NULL);
	if (abi < LANDLOCK_ABI_MIN ||
	    landlock_begin(&rules.landlock, confine->sys, abi, rules.err) != 0)
		return;
	confine->shut = confine_make_rules(&rules) == 0;
	landlock_release(&rules.landlock);
}
