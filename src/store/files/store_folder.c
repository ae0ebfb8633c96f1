#include "store/files/store_folder.h"

#include "base/utf8.h"
#include "store/files/file_names.h"
#include "store/files/resolve.h"

#include <errno.h>
#include <fcntl.h>

/*
 * Names that a store has of its own, also behind a dot and with an ending: .state.json.prev,
 * .journal.tmp. Such as anything might have, "notes" say, are none.
 */
static const char *const own_names[] = {"preferences.json",
					"connections.json",
					"patterns.json",
					"shortcuts.json",
					"state.json",
					"archive.json",
					"relations.json",
					"metadata.json",
					"config.json",
					"synonyms.json",
					"activity.json",
					"purged.jsonl",
					"usage.jsonl",
					".lock",
					".lock.queue",
					".journal",
					".pending",
					".purge",
					".kota",
					".gitignore",
					".git.new",
					NULL};

/*
 * What systems and people put into a folder to keep it, or to remember how it is shown; and a
 * repository, which may be ours or one that a person has made for the store.
 */
static const char *const idle_names[] = {".",          "..",    ".git",      ".gitattributes",
					 ".gitkeep",   ".keep", ".DS_Store", ".localized",
					 ".directory", NULL};

static bool folder_is_among(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

static bool folder_begins_with_own(const char *name)
{
	for (const char *const *own = own_names; *own; own++) {
		size_t len = strlen(*own);

		if (strncmp(name, *own, len) == 0 && (name[len] == '\0' || name[len] == '.'))
			return true;
	}
	return false;
}

/* True if no store has a file of this name. */
static bool folder_is_strange(const char *name)
{
	return !folder_is_among(idle_names, name) && !folder_is_among(own_names, name) &&
	       !(name[0] == '.' &&
		 (folder_begins_with_own(name) || folder_begins_with_own(name + 1)));
}

/* True if a category file parses. *fault says what is wrong with the first that does not. */
static bool folder_has_category(struct disk *disk, struct err *fault, bool *faulty)
{
	STR_AUTO text = STR_INIT;
	struct json_fault at;
	struct file_id id;
	struct json doc;
	struct err err;

	for (int f = 0; f < CATEGORY_COUNT; f++) {
		const char *name = store_file_name((enum store_file)f);
		bool read = disk_read(disk, name, &text, &id, &err) == 0;

		if (read && !id.present)
			continue;
		bool parsed = read &&
			      json_parse(&doc, str_slice(&text), &json_file_bounds, &at) == 0;
		if (parsed) {
			bool object = json_type(&doc, JSON_ROOT) == JSON_OBJECT;

			json_release(&doc);
			if (object)
				return true;
		}
		if (!*faulty)
			err_set(fault, ERR_BAD_FORMAT, "%s", name);
		*faulty = true;
	}
	return false;
}

static int folder_look_closer(struct disk *disk, enum folder_kind *out, struct err *why,
			      struct err *err)
{
	struct names strange = {0};
	STR_AUTO scratch = STR_INIT;
	struct err fault;
	bool faulty = false;

	if (folder_has_category(disk, &fault, &faulty)) {
		*out = FOLDER_STORE;
		return 0;
	}
	int number = names_read(disk->sys, disk->dirfd, folder_is_strange, &strange);
	*out = strange.count > 0 ? FOLDER_OTHER : FOLDER_VACANT;
	if (strange.count > 0 && faulty)
		err_set(why, ERR_BAD_FORMAT,
			"%s is not known as a memory store: it has no .kota, and its %s is not a "
			"JSON object",
			disk->path, fault.text);
	else if (strange.count > 0)
		err_set(why, ERR_BAD_FORMAT,
			"%s is not a memory store and not empty (it has %s): a store needs a "
			"folder of its own",
			disk->path, shown(&scratch, slice_of(strange.list[0])));
	names_release(&strange);
	if (*out == FOLDER_VACANT && number != 0)
		return err_set_errno(err, ERR_IO, number, "cannot read the folder %s", disk->path);
	return 0;
}

int folder_look(struct disk *disk, enum folder_kind *out, struct err *why, struct err *err)
{
	if (disk->dirfd < 0) {
		*out = FOLDER_ABSENT;
		return 0;
	}
	if (disk->format_id.present) {
		*out = FOLDER_STORE;
		return 0;
	}
	return folder_look_closer(disk, out, why, err);
}

int folder_admit(struct disk *disk, struct err *err)
{
	enum folder_kind kind;
	struct err why;

	if (disk->dirfd < 0 || disk->format_id.present)
		return 0;
	if (folder_look_closer(disk, &kind, &why, err) != 0)
		return -1;
	if (kind != FOLDER_OTHER)
		return 0;
	*err = why;
	return -1;
}
