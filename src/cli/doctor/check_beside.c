#include "cli/doctor/check.h"
#include "store/txn/repair.h"
#include "store/files/resolve.h"
#include "store/files/siblings.h"

#include <fcntl.h>
#include <stdlib.h>

/* Where work in progress is written; a directory of that name cannot be cleared away. */
static const char *const temporary[] = {".journal.tmp", ".kota.tmp", ".gitignore.tmp"};

typedef void (*visitor)(void *context, const char *name);

/* Calls visit with each name in a directory; one that cannot be read has none. */
static void walk_names(const struct sys *sys, int dirfd, visitor visit, void *context)
{
	int fd = file_open(sys, dirfd, ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		file_close(sys, &fd);
		return;
	}
	while ((entry = sys->readdir(dir)))
		visit(context, entry->d_name);
	sys->closedir(dir);
}

/* The mode of what has this name itself, links not followed; 0 when nothing has. */
static mode_t mode_of(const struct sys *sys, int dirfd, const char *name)
{
	struct stat st;

	return sys->fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_mode : 0;
}

/* A file of the store, with what stands beside it. */
struct beside {
	struct checkup *checkup;
	const struct path *path;
	struct str prefix; /* of the names of its twins */
	struct leftover *leftover;
};

/* Temporary files of nobody who is at work. */
struct leftover {
	struct str names;
	size_t count;
};

static void add_leftover(struct leftover *leftover, const char *name)
{
	str_printf(&leftover->names, "%s%s", leftover->count++ > 0 ? ", " : "", name);
}

static void tell_kept(const struct beside *beside, const char *name, const char *what)
{
	STR_AUTO remedy = STR_INIT;

	str_printf(&remedy,
		   "Look at it with: diff %s %s; take over what is missing there, then remove %s.",
		   name, beside->path->name, name);
	findings_add(beside->checkup->found, FINDING_TEXT_KEPT, remedy.ptr,
		     "%s%s is kept for you: %s", name,
		     beside->path->linked ? ", beside the target of the link," : "", what);
}

static void tell_in_the_way(const struct beside *beside, const char *name)
{
	STR_AUTO remedy = STR_INIT;

	str_printf(&remedy, "Changes of %s are refused until it is removed.",
		   beside->path->file_name);
	findings_add(beside->checkup->found, FINDING_IN_THE_WAY, remedy.ptr,
		     "%s is not a regular file", name);
}

/* "orphan" and "orphan-2" are of the kind "orphan". */
static bool is_kind(const char *suffix, const char *kind)
{
	size_t len = strlen(kind);

	return strncmp(suffix, kind, len) == 0 && (suffix[len] == '\0' || suffix[len] == '-');
}

/* What may be all that there is of somebody's text. */
static void take_kept(const struct beside *beside, const char *name, const char *suffix,
		      mode_t mode)
{
	if (strcmp(suffix, TWIN_EDIT) == 0 && S_ISREG(mode) && !beside->checkup->locked)
		tell_kept(beside, name, "what an interrupted kota edit has left");
	else if (is_kind(suffix, TWIN_ORPHAN))
		tell_kept(beside, name, "a text of unknown origin");
	else if (is_kind(suffix, TWIN_BROKEN))
		tell_kept(beside, name, "an edit that was not valid JSON");
}

static void take_twin(void *context, const char *name)
{
	const struct beside *beside = context;
	const char *suffix = name + beside->prefix.len;
	mode_t mode;

	if (strncmp(name, beside->prefix.ptr, beside->prefix.len) != 0)
		return;
	mode = mode_of(beside->checkup->disk.sys, beside->path->dirfd, name);
	if ((strcmp(suffix, TWIN_PREV) == 0 && !S_ISREG(mode)) ||
	    (strcmp(suffix, TWIN_TEMP) == 0 && S_ISDIR(mode)))
		tell_in_the_way(beside, name);
	else if (strcmp(suffix, TWIN_TEMP) == 0 && S_ISREG(mode))
		add_leftover(beside->leftover, name);
	else if (is_kind(suffix, TWIN_HELD))
		findings_add(beside->checkup->found, FINDING_TEXT_HELD, NULL,
			     "%s is held because a program may still write to it", name);
	else
		take_kept(beside, name, suffix, mode);
}

/* Beside a file that only its person writes to. */
static void take_twin_of_own(void *context, const char *name)
{
	const struct beside *beside = context;

	if (strncmp(name, beside->prefix.ptr, beside->prefix.len) == 0)
		take_kept(beside, name, name + beside->prefix.len,
			  mode_of(beside->checkup->disk.sys, beside->path->dirfd, name));
}

/* One that cannot be opened was reported with the files. */
static void check_twins(struct checkup *checkup, const char *file_name, visitor take,
			struct leftover *leftover)
{
	struct beside beside = {.checkup = checkup, .prefix = STR_INIT, .leftover = leftover};
	struct path path;
	struct err ignored;

	if (path_open(&path, &checkup->disk, file_name, &ignored) != 0)
		return;
	beside.path = &path;
	str_printf(&beside.prefix, ".%s.", path.name);
	walk_names(checkup->disk.sys, path.dirfd, take, &beside);
	str_release(&beside.prefix);
	path_release(&path);
}

/* What is not a twin of a file. */
static void check_temporary(struct checkup *checkup, struct leftover *leftover)
{
	const struct disk *disk = &checkup->disk;

	for (size_t i = 0; i < sizeof temporary / sizeof *temporary; i++) {
		mode_t mode = mode_of(disk->sys, disk->dirfd, temporary[i]);

		if (S_ISDIR(mode))
			findings_add(checkup->found, FINDING_IN_THE_WAY, NULL, "%s is a directory",
				     temporary[i]);
	}
	for (const char *const *name = mend_temporary_names(); *name; name++) {
		if (S_ISREG(mode_of(disk->sys, disk->dirfd, *name)))
			add_leftover(leftover, *name);
	}
}

void checkup_beside(struct checkup *checkup)
{
	static const char *const own[] = {"config.json", "synonyms.json"};
	struct leftover leftover = {STR_INIT, 0};

	for (int f = 0; f < STORE_FILE_COUNT; f++)
		check_twins(checkup, store_file_name((enum store_file)f), take_twin, &leftover);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		check_twins(checkup, own[i], take_twin_of_own, NULL);
	check_temporary(checkup, &leftover);
	if (leftover.count > 0 && !checkup->locked)
		findings_add(checkup->found, FINDING_LEFTOVER, NULL,
			     "an interrupted change has left %s", leftover.names.ptr);
	str_release(&leftover.names);
}
