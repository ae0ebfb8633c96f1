/* What doctor says of where the store comes from, and of what is not in force because of that. */
#include "cli/doctor/check.h"
#include "cli/doctor/provenance.h"
#include "store/files/resolve.h"
#include "store/trust/state_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

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
	/* Whoever made the repository chose the names: only plain ones go into a shell command. */
	if (names.ptr[strspn(names.ptr, plain)] == '\0') {
		str_adds(&remedy, "Remove them from the repository: git -C ");
		checkup_add_word(&remedy, slice_of(checkup->disk.path));
		str_printf(&remedy, " rm -r --cached -- %s", names.ptr);
	}
	findings_add(checkup->found, FINDING_STATE_TRACKED, remedy.len ? remedy.ptr : NULL,
		     "a repository tracks what the program keeps for itself: %s", names.ptr);
}

void checkup_origin(struct checkup *checkup)
{
	const struct origin *origin = &checkup->disk.origin;
	STR_AUTO words = STR_INIT;
	STR_AUTO names = STR_INIT;

	provenance_add(&words, origin);
	findings_fact(checkup->found, GROUP_STORE, "origin", "%s", words.ptr);
	if (origin->kind == ORIGIN_FOREIGN) {
		/* Who owns what is said by name. */
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

/* ---- what others changed */

void checkup_others(struct checkup *checkup, const struct entry *entry)
{
	const struct reviewed_entry asked = {entry->category, entry->key, entry->text};

	if (!reviewed_is_others(&checkup->reviewed, &asked) ||
	    checkup->others_count++ >= CHECKUP_OTHERS_NAMED)
		return;
	if (checkup->others_count > 1)
		str_adds(&checkup->others_refs, ", ");
	checkup_add_ref(&checkup->others_refs, category_name(entry->category), entry->key);
}

void checkup_tell_others(struct checkup *checkup)
{
	size_t count = checkup->others_count;
	STR_AUTO rest = STR_INIT;

	if (checkup->reviewed.applies && !checkup->reviewed.known)
		findings_add(checkup->found, FINDING_CHANGED_BY_OTHERS,
			     "With kota trust you see what is there, and from then on what others "
			     "change is marked.",
			     "a repository tracks the store, and it is not known which entries "
			     "others have changed");
	if (count == 0)
		return;
	if (count > CHECKUP_OTHERS_NAMED)
		str_printf(&rest, " and %zu more", count - CHECKUP_OTHERS_NAMED);
	findings_add(checkup->found, FINDING_CHANGED_BY_OTHERS, NULL,
		     "since the store was trusted others have changed %s%s",
		     checkup->others_refs.ptr, rest.len ? rest.ptr : "");
}

/* ---- the state folder */

/* Can the folder be written to, or, while there is none, be made? */
static bool check_is_writable(const struct sys *sys, char *path)
{
	struct stat st;
	char *slash;

	while (sys->fstatat(AT_FDCWD, path, &st, 0) != 0 && errno == ENOENT &&
	       (slash = strrchr(path, '/')) && slash != path)
		*slash = '\0';
	return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0;
}

void checkup_state_folder(struct checkup *checkup)
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
