#include "cli/doctor/check.h"
#include "policy/retention.h"
#include "store/files/resolve.h"
#include "store/history/history.h"
#include "store/history/sound_text.h"
#include "store/log/journal.h"
#include "store/swap/last_text.h"
#include "store/swap/siblings.h"
#include "store/txn/repair.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

/* ", a link to TARGET" where the name is a symbolic link. */
static void check_describe_link(const struct disk *disk, const char *name, struct str *out)
{
	char target[256];
	struct stat st;

	if (disk->sys->fstatat(disk->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISLNK(st.st_mode))
		return;
	ssize_t len = disk->sys->readlinkat(disk->dirfd, name, target, sizeof target);
	str_adds(out, ", a link to ");
	str_add(out, slice_make(target, len > 0 ? (size_t)len : 0));
}

/* What makes the file special: a link, or more than one name. */
static void check_describe_kind(struct checkup *checkup, const char *name, const struct file_id *id,
				struct str *out)
{
	check_describe_link(&checkup->disk, name, out);
	if (id->nlink <= 1)
		return;
	str_adds(out, ", a hard link");
	findings_add(checkup->found, FINDING_HARD_LINK, NULL,
		     "%s is a hard link: the file has %ju names", name, (uintmax_t)id->nlink);
}

static void files_take_file(struct checkup *checkup, enum store_file file, const struct json *doc,
			    const struct file_id *id)
{
	STR_AUTO summary = STR_INIT;
	const char *name = store_file_name(file);

	str_printf(&summary, "ok, %jd bytes", (intmax_t)id->size);
	if (file <= STORE_FILE_ARCHIVE)
		checkup->total_bytes += id->size;
	if (file < STORE_FILE_ARCHIVE)
		checkup->sums.bytes[file] = id->size;
	if (file < STORE_FILE_ARCHIVE)
		checkup_entries(checkup, (enum category)file, doc, &summary);
	else if (file == STORE_FILE_ARCHIVE)
		checkup_records(checkup, doc, &summary);
	else
		checkup_relations(checkup, doc, &summary);
	check_describe_kind(checkup, name, id, &summary);
	findings_fact(checkup->found, GROUP_FILES, name, "%s", summary.ptr);
}

/* The last text of the file that could be believed, and how many entries it has. */
static bool files_find_last(struct checkup *checkup, enum store_file file, size_t *count)
{
	struct disk *disk = &checkup->disk;
	struct repo *repo = NULL;
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	if (checkup->settings.git == GIT_MODE_OFF || history_may_open(disk, &id, &ignored) != 0 ||
	    repo_open(&repo, disk->sys, disk->path, &ignored) != 0)
		repo = NULL;
	bool found = sound_find_last(disk, repo, file, slice_make(NULL, 0), 0, &text) &&
		     last_text_is_sound(file, str_slice(&text), count);
	repo_close(repo);
	return found;
}

/* True if the file's text is broken or empty, and an earlier text is known. */
static bool files_is_damaged(struct checkup *checkup, enum store_file file, bool parses,
			     struct err *err)
{
	const char *name = store_file_name(file);
	struct path path = {.disk = &checkup->disk, .file_name = name};
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	if (disk_read(&checkup->disk, name, &text, &id, &ignored) != 0 || !id.present ||
	    (parses && !text_is_blank(str_slice(&text))) ||
	    !files_find_last(checkup, file, &checkup->disk.had[file]))
		return false;
	return !parses || path_check_emptied(&path, str_slice(&text), &id, err) != 0;
}

/* True if the file has conflict markers of git. Adds a finding then. */
static bool files_find_markers(struct checkup *checkup, const char *name, struct slice text)
{
	struct slice line;
	size_t begins = 0;
	bool ends = false;

	for (size_t number = 1; slice_line(&text, &line); number++) {
		if (begins == 0 && slice_starts(line, "<<<<<<< "))
			begins = number;
		ends |= begins > 0 && slice_starts(line, ">>>>>>> ");
	}
	if (ends)
		findings_add(checkup->found, FINDING_MERGE_MARKERS, NULL,
			     "%s:%zu:1: conflict markers of git", name, begins);
	return ends;
}

static void files_check_file(struct checkup *checkup, enum store_file file)
{
	const char *name = store_file_name(file);
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct json doc;
	struct err err;

	bool parses = disk_read_json(&checkup->disk, name, &text, &doc, &id, &err) == 0;
	bool damaged = files_is_damaged(checkup, file, parses, &err);

	/* In a shared store both sides of a merge count, not only the last text. */
	if (!parses && (!damaged || checkup->disk.origin.shared) &&
	    files_find_markers(checkup, name, str_slice(&text))) {
		checkup->broken++;
		findings_fact(checkup->found, GROUP_FILES, name, "broken");
		return;
	}
	if (damaged) {
		checkup->broken++;
		if (parses)
			json_release(&doc);
		findings_fact(checkup->found, GROUP_FILES, name, parses ? "empty" : "broken");
		findings_add(checkup->found, FINDING_FILE_DAMAGED, NULL, "%s", err.text);
		return;
	}
	if (!parses) {
		checkup->broken++;
		if (checkup_refused_link(checkup, name)) {
			findings_fact(checkup->found, GROUP_FILES, name, "a link, not followed");
			return;
		}
		findings_fact(checkup->found, GROUP_FILES, name, "broken");
		findings_add(checkup->found, FINDING_FILE_BROKEN, NULL, "%s", err.text);
		return;
	}
	if (id.present)
		files_take_file(checkup, file, &doc, &id);
	else
		findings_detail(checkup->found, GROUP_FILES, name, "absent");
	json_release(&doc);
}

/* Optional and written by hand; the store goes on without one that is broken. */
static void check_synonyms(struct checkup *checkup)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	JSON_AUTO doc = {0};
	struct err err;

	if (disk_read_json(&checkup->disk, "synonyms.json", &text, &doc, &id, &err) != 0) {
		findings_add(checkup->found, FINDING_SYNONYMS_BROKEN, NULL, "%s", err.text);
		return;
	}
	findings_detail(checkup->found, GROUP_FILES, "synonyms.json", "%s",
			id.present ? "ok" : "absent");
}

static void files_tell_others(struct checkup *checkup)
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

/* Whether each file can be read, what kind it is, and a summary of its entries. */
static void files_check(struct checkup *checkup)
{
	int64_t limit = checkup->settings.total_bytes;

	for (int f = 0; f < STORE_FILE_COUNT; f++)
		files_check_file(checkup, (enum store_file)f);
	files_tell_others(checkup);
	findings_fact(checkup->found, GROUP_FILES, "size", "%" PRId64 " of %" PRId64 " bytes",
		      checkup->total_bytes, limit);
	if (checkup->total_bytes > limit)
		findings_add(checkup->found, FINDING_OVER_TOTAL, NULL,
			     "the files have %" PRId64 " bytes, the limit is %" PRId64,
			     checkup->total_bytes, limit);
	if (checkup->pinned_bytes > retention_pin_limit(limit))
		findings_add(checkup->found, FINDING_OVER_PINNED, NULL,
			     "%" PRId64 " bytes are pinned, more than half of the limit of "
			     "%" PRId64,
			     checkup->pinned_bytes, limit);
	check_synonyms(checkup);
}

/* Whether metadata.json agrees with the files. Call it after checkup_files(). */
static void files_check_metadata(struct checkup *checkup)
{
	static const char *const words[] = {
		[METADATA_ABSENT] = "absent",
		[METADATA_FINE] = "ok",
		[METADATA_STALE] = "does not agree",
		[METADATA_BLOCKED] = "not a file",
	};
	enum metadata_state state = metadata_compare(&checkup->disk, &checkup->sums);

	findings_detail(checkup->found, GROUP_FILES, "metadata.json", "%s",
			checkup->broken && state == METADATA_STALE ? "not compared" : words[state]);
	if (state == METADATA_BLOCKED)
		findings_add(checkup->found, FINDING_METADATA_BLOCKED, NULL,
			     "metadata.json is a directory");
	else if (state == METADATA_STALE && !checkup->broken)
		findings_add(checkup->found, FINDING_METADATA_STALE, NULL,
			     "metadata.json does not say what is in the files");
}

/* Where work in progress is written; a directory of that name cannot be cleared away. */
static const char *const temporary[] = {".journal.tmp", ".kota.tmp", ".gitignore.tmp"};

typedef void (*visitor)(void *context, const char *name);

/* Calls visit with each name in a directory; one that cannot be read has none. */
static void check_walk_names(const struct sys *sys, int dirfd, visitor visit, void *context)
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
static mode_t check_mode_of(const struct sys *sys, int dirfd, const char *name)
{
	struct stat st;

	return sys->fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_mode : 0;
}

/* A file of the store, with what stands beside it. */
struct beside {
	struct checkup *checkup;
	const struct path *path;
	struct str prefix; /* of the names of its siblings */
	struct leftover *leftover;
};

/* Temporary files of nobody who is at work. */
struct leftover {
	struct str names;
	size_t count;
};

static void check_add_leftover(struct leftover *leftover, const char *name)
{
	str_printf(&leftover->names, "%s%s", leftover->count++ > 0 ? ", " : "", name);
}

static void check_tell_kept(const struct beside *beside, const char *name, const char *what)
{
	STR_AUTO remedy = STR_INIT;

	str_printf(&remedy,
		   "Look at it with: diff %s %s; take over what is missing there, then remove %s.",
		   name, beside->path->name, name);
	findings_add(beside->checkup->found, FINDING_TEXT_KEPT, remedy.ptr,
		     "%s%s is kept for you: %s", name,
		     beside->path->linked ? ", beside the target of the link," : "", what);
}

static void check_tell_in_the_way(const struct beside *beside, const char *name)
{
	STR_AUTO remedy = STR_INIT;

	str_printf(&remedy, "Changes of %s are refused until it is removed.",
		   beside->path->file_name);
	findings_add(beside->checkup->found, FINDING_IN_THE_WAY, remedy.ptr,
		     "%s is not a regular file", name);
}

/* "orphan" and "orphan-2" are of the kind "orphan". */
static bool check_is_kind(const char *suffix, const char *kind)
{
	size_t len = strlen(kind);

	return strncmp(suffix, kind, len) == 0 && (suffix[len] == '\0' || suffix[len] == '-');
}

/* What may be all that there is of somebody's text. */
static void check_take_kept(const struct beside *beside, const char *name, const char *suffix,
			    mode_t mode)
{
	if (strcmp(suffix, SIBLING_EDIT) == 0 && S_ISREG(mode) && !beside->checkup->locked)
		check_tell_kept(beside, name, "what an interrupted kota edit has left");
	else if (check_is_kind(suffix, SIBLING_ORPHAN))
		check_tell_kept(beside, name, "a text of unknown origin");
	else if (check_is_kind(suffix, SIBLING_BROKEN))
		check_tell_kept(beside, name, "an edit that was not valid JSON");
}

static void check_take_sibling(void *context, const char *name)
{
	const struct beside *beside = context;
	const char *suffix = name + beside->prefix.len;

	if (strncmp(name, beside->prefix.ptr, beside->prefix.len) != 0)
		return;
	mode_t mode = check_mode_of(beside->checkup->disk.sys, beside->path->dirfd, name);
	if ((strcmp(suffix, SIBLING_PREV) == 0 && !S_ISREG(mode)) ||
	    (strcmp(suffix, SIBLING_TEMP) == 0 && S_ISDIR(mode)))
		check_tell_in_the_way(beside, name);
	else if (strcmp(suffix, SIBLING_TEMP) == 0 && S_ISREG(mode))
		check_add_leftover(beside->leftover, name);
	else if (check_is_kind(suffix, SIBLING_HELD))
		findings_add(beside->checkup->found, FINDING_TEXT_HELD, NULL,
			     "%s is held because a program may still write to it", name);
	else
		check_take_kept(beside, name, suffix, mode);
}

/* Beside a file that only its person writes to. */
static void check_take_sibling_of_own(void *context, const char *name)
{
	const struct beside *beside = context;

	if (strncmp(name, beside->prefix.ptr, beside->prefix.len) == 0)
		check_take_kept(
			beside, name, name + beside->prefix.len,
			check_mode_of(beside->checkup->disk.sys, beside->path->dirfd, name));
}

/* One that cannot be opened was reported with the files. */
static void check_siblings(struct checkup *checkup, const char *file_name, visitor take,
			   struct leftover *leftover)
{
	struct beside beside = {.checkup = checkup, .prefix = STR_INIT, .leftover = leftover};
	PATH_AUTO path = {0};
	struct err ignored;

	if (path_open(&path, &checkup->disk, file_name, &ignored) != 0)
		return;
	beside.path = &path;
	str_printf(&beside.prefix, ".%s.", path.name);
	check_walk_names(checkup->disk.sys, path.dirfd, take, &beside);
	str_release(&beside.prefix);
}

/* What is not a sibling of a file. */
static void check_temporary(struct checkup *checkup, struct leftover *leftover)
{
	const struct disk *disk = &checkup->disk;

	for (size_t i = 0; i < sizeof temporary / sizeof *temporary; i++) {
		mode_t mode = check_mode_of(disk->sys, disk->dirfd, temporary[i]);

		if (S_ISDIR(mode))
			findings_add(checkup->found, FINDING_IN_THE_WAY, NULL, "%s is a directory",
				     temporary[i]);
	}
	for (const char *const *name = repair_temporary_names(); *name; name++) {
		if (S_ISREG(check_mode_of(disk->sys, disk->dirfd, *name)))
			check_add_leftover(leftover, *name);
	}
}

/* Other files in the folder: those that block changes, and those kept for the person. */
static void files_check_beside(struct checkup *checkup)
{
	static const char *const own[] = {"config.json", "synonyms.json"};
	struct leftover leftover = {STR_INIT, 0};

	for (int f = 0; f < STORE_FILE_COUNT; f++)
		check_siblings(checkup, store_file_name((enum store_file)f), check_take_sibling,
			       &leftover);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		check_siblings(checkup, own[i], check_take_sibling_of_own, NULL);
	check_temporary(checkup, &leftover);
	if (leftover.count > 0 && !checkup->locked)
		findings_add(checkup->found, FINDING_LEFTOVER, NULL,
			     "an interrupted change has left %s", leftover.names.ptr);
	str_release(&leftover.names);
}

const struct check check_files = {files_check, true};
const struct check check_metadata = {files_check_metadata, false};
const struct check check_beside = {files_check_beside, false};
