/* What doctor says of notes: those that entries were promoted to, and their folder. */
#include "cli/doctor/check.h"

#include "store/files/file_names.h"
#include "store/files/note_folder.h"
#include "store/view/notes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define ENDING ".md"

/* In the store, or in the folder that the person chose; others may have named any place. */
static bool is_place_of_ours(const struct checkup *checkup, const char *path)
{
	size_t len = strlen(checkup->settings.notes_dir);

	return strncmp(path, checkup->settings.notes_dir, len) == 0 && path[len] == '/' &&
	       !strstr(path, "..");
}

void checkup_promoted(struct checkup *checkup, const struct json *doc, uint32_t node,
		      const struct entry *entry)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO path = STR_INIT;
	STR_AUTO ref = STR_INIT;
	uint32_t member = entry->bare ? JSON_NONE : json_member(doc, node, "promoted_to");
	struct stat st;

	/* A link may lead anywhere, and in such a store it is not even looked at. */
	if (checkup->disk.origin.kind == ORIGIN_FOREIGN)
		return;
	if (member == JSON_NONE || json_type(doc, member) != JSON_STRING)
		return;
	str_add(&path, json_string(doc, member, &scratch));
	if (path.len == 0 || strlen(path.ptr) != path.len || !is_place_of_ours(checkup, path.ptr))
		return;
	if (checkup->disk.sys->fstatat(checkup->disk.dirfd, path.ptr, &st, 0) == 0 ||
	    errno != ENOENT)
		return;
	checkup_add_ref(&ref, category_name(entry->category), entry->key);
	findings_add(checkup->found, FINDING_NOTE_MISSING, NULL,
		     "%s was promoted to %s, which is not there", ref.ptr, path.ptr);
}

static bool is_note(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > strlen(ENDING) &&
	       strcmp(name + len - strlen(ENDING), ENDING) == 0;
}

/* A search passes it over. */
static bool is_passed_over(const struct disk *disk, int folder, const char *name)
{
	struct stat st;

	return disk->sys->fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (!S_ISREG(st.st_mode) || (size_t)st.st_size > NOTES_BYTES_MAX);
}

static void check_names(struct checkup *checkup, int folder)
{
	const char *dir = checkup->settings.notes_dir;
	struct names names = {0};
	size_t over = 0;
	int number = names_read(checkup->disk.sys, folder, is_note, &names);

	for (size_t i = 0; i < names.count; i++)
		over += is_passed_over(&checkup->disk, folder, names.list[i]);
	findings_detail(checkup->found, GROUP_FILES, "notes", "%zu in %s", names.count, dir);
	if (number != 0)
		findings_add(checkup->found, FINDING_NOTES_CLOSED, NULL, "%s cannot be read: %s",
			     dir, strerror(number));
	if (over > 0)
		findings_add(checkup->found, FINDING_NOTES_CLOSED, NULL, "%s: %zu %s passed over",
			     dir, over, over == 1 ? "note is" : "notes are");
	names_release(&names);
}

void checkup_notes(struct checkup *checkup)
{
	const char *dir = checkup->settings.notes_dir;
	int folder = note_folder_open(&checkup->disk, dir, checkup->settings.notes_dir_free, false);

	if (folder < 0 && errno == ENOENT)
		findings_detail(checkup->found, GROUP_FILES, "notes", "none");
	else if (folder < 0)
		findings_add(checkup->found, FINDING_NOTES_CLOSED, NULL, "%s cannot be opened: %s",
			     dir, strerror(errno));
	else
		check_names(checkup, folder);
	file_close(checkup->disk.sys, &folder);
}
