#include "store/files/dir.h"

#include "store/files/resolve.h"

const char *store_file_name(enum store_file file)
{
	static const char *const names[STORE_FILE_COUNT] = {
#define X(id, name) name ".json",
		CATEGORIES(X)
#undef X
			"archive.json",
		"relations.json",
	};

	return names[file];
}

int disk_read(struct disk *disk, const char *file_name, struct str *text, struct file_id *id,
	      struct err *err)
{
	struct path path;
	int result;

	str_clear(text);
	if (disk->dirfd < 0) {
		*id = (struct file_id){.present = false};
		return 0;
	}
	if (path_open(&path, disk, file_name, err) != 0)
		return -1;
	result = path_read(&path, path.name, text, id, err);
	path_release(&path);
	return result;
}

int disk_read_json(struct disk *disk, const char *file_name, struct str *text, struct json *doc,
		   struct file_id *id, struct err *err)
{
	struct path path = {.disk = disk, .file_name = file_name, .dirfd = -1};
	int result;

	if (disk->dirfd < 0) {
		*id = (struct file_id){.present = false};
		str_clear(text);
		result = path_parse(&path, slice_of(NEW_FILE), doc, err);
	} else {
		if (path_open(&path, disk, file_name, err) != 0)
			return -1;
		result = path_read_json(&path, path.name, text, doc, id, err);
		path_release(&path);
	}
	if (result == 0 && text_is_blank(str_slice(text))) {
		str_clear(text);
		str_adds(text, "{}");
		doc->text = str_slice(text);
	}
	return result;
}
