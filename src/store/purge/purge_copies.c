/* What has a value of the entry and is nobody's but the person's: it is named. */
#include "base/utf8.h"
#include "store/files/dir.h"
#include "store/files/note_folder.h"
#include "store/files/resolve.h"
#include "store/log/usage.h"
#include "store/purge/purge_internal.h"

#include <fcntl.h>
#include <stdlib.h>

/* Of files that are looked into, their folders, and their size. */
#define FILES_MAX 5000
#define DEPTH_MAX 8
#define BYTES_MAX ((size_t)64 << 20)

/* A word so short is in every text. */
#define MENTION_MIN 3

struct look {
	int folder;
	const char *path; /* below the store, with a slash at the end; "" for the store itself */
	int depth;
	size_t *files;
	bool values_only; /* mentions say nothing here */
};

/* ---- entries and records */

static bool copies_has_value(struct purging *purging, struct slice text)
{
	return needles_in(&purging->set->values, text);
}

static void copies_name_part(struct purging *purging, enum category category, struct slice key)
{
	STR_AUTO ref = STR_INIT;
	STR_AUTO scratch = STR_INIT;

	ref_add(&ref, category, key);
	purge_unreached(purging, "%s has a value of it: purge that as well, if it is meant",
			shown(&scratch, str_slice(&ref)));
}

/* Entries are the members of an object, records the elements of a list, with their key inside. */
static void copies_look_at_parts(struct purging *purging, enum category category,
				 const struct json *doc, uint32_t container)
{
	for (uint32_t n = json_first(doc, container); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO scratch = STR_INIT;
		struct slice name = slice_of("?");
		uint32_t key = json_member(doc, n, "key");

		if (!copies_has_value(purging, json_text(doc, n)))
			continue;
		if (container == JSON_ROOT)
			name = json_name(doc, n, &scratch);
		else if (key != JSON_NONE)
			name = json_string(doc, key, &scratch);
		copies_name_part(purging, category, name);
	}
}

static int copies_look_at_file(struct purging *purging, enum store_file file, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct json doc;

	if (disk_read(purging->disk, store_file_name(file), &text, &id, err) != 0)
		return -1;
	if (!copies_has_value(purging, str_slice(&text)))
		return 0;
	if (file == STORE_FILE_RELATIONS) {
		purge_unreached(purging, "%s/%s has a value of it", purging->disk->path,
				store_file_name(file));
		return 0;
	}
	if (disk_read_json(purging->disk, store_file_name(file), &text, &doc, &id, err) != 0) {
		/* Of another category: what is broken there does not stop a purge. */
		purge_unreached(purging, "%s", err->text);
		return 0;
	}
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		uint32_t list = json_member(&doc, JSON_ROOT, category_name((enum category)c));

		if (c == (int)file)
			copies_look_at_parts(purging, (enum category)c, &doc, JSON_ROOT);
		else if (file == STORE_FILE_ARCHIVE && list != JSON_NONE)
			copies_look_at_parts(purging, (enum category)c, &doc, list);
	}
	json_release(&doc);
	return 0;
}

/* ---- files in the folder */

static bool copies_is_own_file(const struct look *look, const char *name)
{
	static const char *const names[] = {".lock",         ".lock.queue",   ".pending", ".purge",
					    "metadata.json", USAGE_FILE_NAME, NULL};

	return !look->path[0] && (store_file_find(slice_of(name)) < STORE_FILE_COUNT ||
				  slice_index(slice_of(name), names) >= 0);
}

/* What is kept beside a file of ours has been dealt with: it may mention what others say. */
static bool copies_is_sibling(const struct look *look, const char *name)
{
	for (int f = 0; f < STORE_FILE_COUNT && !look->path[0] && name[0] == '.'; f++) {
		const char *file = store_file_name((enum store_file)f);

		if (strncmp(name + 1, file, strlen(file)) == 0)
			return true;
	}
	return false;
}

/* What a file holds of what is purged, in words; NULL where that is nothing. */
static const char *copies_found(struct purging *purging, const struct look *look, const char *name,
				const char *path, struct slice text)
{
	bool note = purge_is_note(path);
	bool mentioned = (note || (!look->values_only && !copies_is_sibling(look, name) &&
				   purging->set->keys[0].identity.len >= MENTION_MIN)) &&
			 purge_set_mentions(purging->set, text);

	if (!(note && mentioned) && copies_has_value(purging, text))
		return "has a value of it";
	return mentioned ? "mentions it" : NULL;
}

static void copies_look_at_text(struct purging *purging, const struct look *look, const char *name)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	STR_AUTO path = STR_INIT;
	const char *found;
	struct file_id id;
	struct err why;

	str_printf(&path, "%s%s", look->path, name);
	shown(&scratch, str_slice(&path));
	if (file_read_own(purging->disk->sys, look->folder, name, BYTES_MAX, &text, &id, &why) !=
	    0) {
		if (why.code != ERR_BAD_DATA)
			purge_unreached(purging, "%s/%s is not looked into: %s",
					purging->disk->path, scratch.ptr, why.text);
		return;
	}
	found = copies_found(purging, look, name, path.ptr, str_slice(&text));
	if (found)
		purge_unreached(purging, "%s/%s %s", purging->disk->path, scratch.ptr, found);
}

static int copies_look_into(struct purging *purging, const struct look *above, const char *name,
			    struct err *err);

static int copies_look_at_name(struct purging *purging, void *context, const char *name,
			       struct err *err)
{
	const struct look *look = context;
	struct stat st;

	if (copies_is_own_file(look, name) ||
	    purging->disk->sys->fstatat(look->folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return 0;
	if (S_ISDIR(st.st_mode))
		return copies_look_into(purging, look, name, err);
	if (!S_ISREG(st.st_mode))
		return 0;
	if (++*look->files == FILES_MAX)
		purge_unreached(purging, "%s has too many files to look into all of them",
				purging->disk->path);
	if (*look->files < FILES_MAX)
		copies_look_at_text(purging, look, name);
	return 0;
}

/* Objects are looked into as what they are, by purge_history.c. */
static int copies_look_into(struct purging *purging, const struct look *above, const char *name,
			    struct err *err)
{
	STR_AUTO path = STR_INIT;
	struct look look = *above;
	int result;

	str_printf(&path, "%s%s/", above->path, name);
	if (strcmp(path.ptr, ".git/objects/") == 0 || ++look.depth > DEPTH_MAX)
		return 0;
	look.path = path.ptr;
	look.values_only = above->values_only || strcmp(path.ptr, ".git/") == 0 ||
			   strcmp(path.ptr, COLD_FOLDER "/") == 0;
	look.folder = file_open(purging->disk->sys, above->folder, name,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (look.folder < 0)
		return 0;
	result = purge_walk(purging, look.folder, copies_look_at_name, &look, err);
	file_close(purging->disk->sys, &look.folder);
	return result;
}

/* Notes may be kept elsewhere. */
static int copies_look_at_notes(struct purging *purging, struct err *err)
{
	struct disk *disk = purging->disk;
	STR_AUTO path = STR_INIT;
	size_t files = 0;
	struct look look = {.files = &files};
	int result;

	if (!disk->notes_dir || strcmp(disk->notes_dir, NOTE_FOLDER) == 0)
		return 0;
	look.folder = note_folder_open(disk, disk->notes_dir, disk->notes_dir_free, false);
	if (look.folder < 0)
		return 0;
	str_printf(&path, "%s/", disk->notes_dir);
	look.path = path.ptr;
	result = purge_walk(purging, look.folder, copies_look_at_name, &look, err);
	file_close(disk->sys, &look.folder);
	return result;
}

int purge_copies(struct purging *purging, struct err *err)
{
	size_t files = 0;
	struct look look = {.folder = purging->disk->dirfd, .path = "", .files = &files};

	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		if (copies_look_at_file(purging, (enum store_file)f, err) != 0)
			return -1;
	}
	if (purge_walk(purging, look.folder, copies_look_at_name, &look, err) != 0)
		return -1;
	return copies_look_at_notes(purging, err);
}
