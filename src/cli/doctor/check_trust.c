/* What doctor says of where the store comes from, and of what is not in force because of that. */
#include "cli/doctor/check.h"
#include "cli/doctor/provenance.h"
#include "git/index_names.h"
#include "git/repo.h"
#include "store/files/resolve.h"
#include "store/log/cold.h"
#include "store/trust/state_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a store that a repository shares */

/* Read by the library, which runs nothing that the repository names. */
struct sharing {
	struct checkup *checkup;
	struct repo *repo;
	struct str tracked; /* the files between which entries move: those in its index, as lines */
	struct str ignored; /* the others: names with blanks between */
	struct str left;    /* those of them that are there and not ignored */
};

static int trust_note_tracked(void *context, struct slice below)
{
	struct str *tracked = context;

	if (store_file_find(below) < STORE_FILE_COUNT || slice_starts(below, COLD_FOLDER "/"))
		str_printf(tracked, "%.*s\n", (int)below.len, below.ptr);
	return 0;
}

static void trust_take_file(struct sharing *sharing, const char *name)
{
	const struct disk *disk = &sharing->checkup->disk;
	const char *told = strncmp(name, COLD_FOLDER "/", sizeof COLD_FOLDER) ? name : COLD_FOLDER;
	struct str *out = &sharing->left;
	STR_AUTO text = STR_INIT;
	struct stat st;

	str_printf(&text, "\n%s\n", name);
	if (strstr(sharing->tracked.ptr, text.ptr))
		return;
	str_clear(&text);
	str_printf(&text, "%s/%s", disk->origin.path + strlen(disk->origin.root) + 1, name);
	if (repo_ignores(sharing->repo, text.ptr))
		out = &sharing->ignored;
	else if (disk->sys->fstatat(disk->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	/* A rule of a folder is told for a file in it, whether the folder is there or not. */
	if (out->len == 0 || !strstr(out->ptr, told))
		str_printf(out, "%s%s", out->len > 0 ? " " : "",
			   out == &sharing->ignored ? name : told);
}

/* The files that there are, those that may come, and the months of the cold archive. */
static void trust_take_files(struct sharing *sharing)
{
	struct checkup *checkup = sharing->checkup;
	struct cold_month *months = NULL;
	STR_AUTO name = STR_INIT;
	size_t count = 0;
	struct err told; /* with the cold archive */

	for (int f = 0; f < STORE_FILE_COUNT; f++)
		trust_take_file(sharing, store_file_name((enum store_file)f));
	cold_path(&name, checkup->now_ms);
	trust_take_file(sharing, name.ptr);
	(void)!cold_months(&checkup->disk, &months, &count, &told);
	for (size_t i = 0; i < count; i++) {
		str_clear(&name);
		str_printf(&name, COLD_FOLDER "/%s", months[i].name);
		trust_take_file(sharing, name.ptr);
		free(months[i].name);
	}
	free(months);
}

static void trust_tell_half(const struct sharing *sharing, enum finding_kind kind,
			    const struct str *names)
{
	bool ignored = kind == FINDING_HALF_IGNORED;
	STR_AUTO remedy = STR_INIT;

	if (names->len == 0)
		return;
	str_adds(&remedy, ignored ? "Remove the rule that this names: git -C "
				  : "Let it track all, or what moves there is lost to the others: "
				    "git -C ");
	checkup_add_word(&remedy, slice_of(sharing->checkup->disk.path));
	str_printf(&remedy, "%s -- %s", ignored ? " check-ignore -v" : " add", names->ptr);
	findings_add(sharing->checkup->found, kind, remedy.ptr,
		     "the repository around the store tracks other files of it, but %s %s",
		     ignored ? "ignores" : "not", names->ptr);
}

static void trust_check_sharing(struct checkup *checkup)
{
	const struct origin *origin = &checkup->disk.origin;
	const struct sys *sys = checkup->disk.sys;
	struct sharing sharing = {checkup, NULL, STR_INIT, STR_INIT, STR_INIT};
	STR_AUTO text = STR_INIT;
	enum driver_state driver;
	struct err unknown;
	bool found;

	if (!origin->shared || !origin->root || origin->kind == ORIGIN_FOREIGN ||
	    repo_open(&sharing.repo, sys, origin->root, &unknown) != 0)
		return;
	driver = repo_driver_state(sharing.repo);
	if (driver == DRIVER_MISSING)
		findings_add(checkup->found, FINDING_MERGE_DRIVER_MISSING, NULL,
			     "in this clone git merges the files of the store as texts");
	else if (driver == DRIVER_OUTDATED)
		findings_add(checkup->found, FINDING_MERGE_DRIVER_OUTDATED, NULL,
			     "in this clone git merges the files of the store as kota setup git of "
			     "another version has set it up");
	str_addc(&sharing.tracked, '\n');
	if (index_git_dir(sys, origin->root, &text, &found, &unknown) == 0 && found &&
	    index_names_walk(sys, text.ptr, origin->path + strlen(origin->root) + 1,
			     trust_note_tracked, &sharing.tracked, &unknown) == 0)
		trust_take_files(&sharing);
	trust_tell_half(&sharing, FINDING_HALF_IGNORED, &sharing.ignored);
	trust_tell_half(&sharing, FINDING_HALF_TRACKED, &sharing.left);
	repo_close(sharing.repo);
	str_release(&sharing.tracked);
	str_release(&sharing.ignored);
	str_release(&sharing.left);
}

/* ---- what is not followed and not in force */

struct refused {
	struct checkup *checkup;
	struct str names;
};

static void check_origin_take_link(void *context, const char *name, const char *target)
{
	struct refused *refused = context;

	(void)target;
	if (provenance_may_link(name) && path_link_is_refused(&refused->checkup->disk, name))
		str_printf(&refused->names, "%s%s", refused->names.len > 0 ? ", " : "", name);
}

/* "the link state.json; the settings git, secrets"; false for none. */
static bool check_add_refused(struct checkup *checkup, struct str *out)
{
	struct refused refused = {checkup, STR_INIT};
	STR_AUTO settings = STR_INIT;

	provenance_each_link(&checkup->disk, check_origin_take_link, &refused);
	if (refused.names.len > 0)
		str_printf(out, "links (%s)", refused.names.ptr);
	str_release(&refused.names);
	if (provenance_add_held_settings(&settings, &checkup->disk))
		str_printf(out, "%ssettings (%s)", out->len > 0 ? " and " : "", settings.ptr);
	return out->len > 0;
}

static void check_committed(struct checkup *checkup)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "/._- ";
	STR_AUTO names = STR_INIT;
	STR_AUTO remedy = STR_INIT;

	if (!provenance_add_committed(&names, &checkup->disk))
		return;
	/* The names come from the repository: only plain ones go into a shell command. */
	if (names.ptr[strspn(names.ptr, plain)] == '\0') {
		str_adds(&remedy, "Remove them from the repository: git -C ");
		checkup_add_word(&remedy, slice_of(checkup->disk.path));
		str_printf(&remedy, " rm -r --cached -- %s", names.ptr);
	}
	findings_add(checkup->found, FINDING_STATE_TRACKED, remedy.len ? remedy.ptr : NULL,
		     "a repository tracks what the program keeps for itself: %s", names.ptr);
}

static void trust_check_origin(struct checkup *checkup)
{
	const struct origin *origin = &checkup->disk.origin;
	STR_AUTO words = STR_INIT;
	STR_AUTO names = STR_INIT;

	provenance_add(&words, origin);
	findings_fact(checkup->found, GROUP_STORE, "origin", "%s", words.ptr);
	if (origin->kind == ORIGIN_FOREIGN) {
		/* The finding for another owner names that owner: see check_owner. */
		if (!origin->other_owner)
			findings_add(checkup->found, FINDING_STORE_FOREIGN, NULL,
				     "the store came with the repository %s",
				     origin->root ? origin->root : "around it");
		return;
	}
	if (origin->kind == ORIGIN_UNREVIEWED && check_add_refused(checkup, &names))
		findings_add(checkup->found, FINDING_STORE_UNREVIEWED, NULL,
			     "nobody has reviewed the store, so these do not count: %s", names.ptr);
	/* The person trusted it once, but others go on changing it. */
	if (origin->kind == ORIGIN_OWN && origin->tracked && !origin->personal &&
	    provenance_add_held_settings(&names, &checkup->disk))
		findings_add(checkup->found, FINDING_SETTINGS_HELD, NULL,
			     "config.json allows more than when the store was trusted, which is "
			     "not in force: %s",
			     names.ptr);
	check_committed(checkup);
}

bool checkup_refused_link(struct checkup *checkup, const char *name)
{
	const struct origin *origin = &checkup->disk.origin;
	STR_AUTO remedy = STR_INIT;

	if (!path_link_is_refused(&checkup->disk, name))
		return false;
	if (origin->kind == ORIGIN_UNREVIEWED)
		return true; /* named already, with what else does not count */
	if (origin_links_lead_out(origin))
		str_printf(&remedy, "If it is to lead there: kota trust --link %s", name);
	else
		str_printf(&remedy,
			   "Put a file in its place: in a store that comes with a repository no "
			   "link is followed out of it.");
	findings_add(checkup->found, FINDING_LINK_REFUSED, remedy.ptr,
		     "%s is a link that is not followed to where it leads", name);
	return true;
}

/* ---- the state folder */

/* True if the folder can be written to or, while there is none, be made. */
static bool check_is_writable(const struct sys *sys, char *path)
{
	struct stat st;
	char *slash;

	while (sys->fstatat(AT_FDCWD, path, &st, 0) != 0 && errno == ENOENT &&
	       (slash = strrchr(path, '/')) && slash != path)
		*slash = '\0';
	return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0;
}

static void trust_check_state_folder(struct checkup *checkup)
{
	const struct sys *sys = checkup->cli->sys;
	char *path = state_folder_path(checkup->cli->env);
	struct err err;
	int folder = -1;

	if (state_folder_open(sys, checkup->cli->env, checkup->disk.origin.root, false, &folder,
			      &err) != 0)
		findings_add(checkup->found, FINDING_NO_STATE_FOLDER, NULL, "%s", err.text);
	else if (path && !check_is_writable(sys, path))
		findings_add(checkup->found, FINDING_NO_STATE_FOLDER, NULL,
			     "nothing can be written to the folder for kota's state, %s", path);
	file_close(sys, &folder);
	free(path);
}

/*
 * Where the store comes from, and what is ignored because of that; whether there is a state folder,
 * for the registry of stores and the signing key; whether git merges the files entry by entry, and
 * has all of them.
 */
static void trust_check(struct checkup *checkup)
{
	trust_check_origin(checkup);
	trust_check_state_folder(checkup);
	trust_check_sharing(checkup);
}

const struct check check_trust = {trust_check, true};
