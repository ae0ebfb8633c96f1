#include "store/view/loader.h"

#include "store/files/resolve.h"
#include "store/view/read_through.h"

void loader_forget(struct loaded *file)
{
	json_release(&file->doc);
	str_release(&file->text);
	str_release(&file->raw);
	file->known = false;
	file->broken = false;
}

/* Puts a freshly read text and its parse in the place of the old ones. */
static void loader_take_file(struct store *store, struct loaded *file, struct str *text,
			     struct json *doc, const struct file_id *id)
{
	loader_forget(file);
	file->text = *text;
	file->doc = *doc;
	file->id = *id;
	file->known = true;
	file->settled = disk_is_settled(&store->disk, id);
}

/* Is it the file itself that is wrong, and not the moment? Then only a change of it can help. */
static bool is_lasting(const struct err *error)
{
	return error->code == ERR_BAD_DATA || error->code == ERR_TOO_LARGE;
}

/* The identity of a file that cannot be read, so that it is not read again until it changes. */
static void take_broken_file(struct store *store, struct loaded *file, const char *name,
			     const struct err *error)
{
	struct err ignored;

	loader_forget(file);
	file->origins = store->disk.origins;
	file->known = is_lasting(error);
	file->broken = true;
	file->error = *error;
	if (!file->known)
		return;
	if (file_identify(store->sys, store->disk.dirfd, name, &file->id, &ignored) != 0)
		file->known = false;
	/* It may have been mended since it was read. */
	file->settled = disk_is_settled(&store->disk, &file->id);
}

/* Reads the file anew and compares: is it only its stat that cannot be believed? */
static bool same_bytes(struct store *store, struct loaded *file, const char *name)
{
	struct slice before = str_slice(file->raw.len ? &file->raw : &file->text);
	STR_AUTO text = STR_INIT;
	struct file_id id = {0};
	struct err ignored;

	if (disk_read(&store->disk, name, &text, &id, &ignored) != 0 ||
	    !file_id_equal(&id, &file->id) ||
	    (id.present && !slice_equal(str_slice(&text), before)))
		return false;
	file->settled = disk_is_settled(&store->disk, &id);
	return true;
}

/* *id is what a stat of the file says now; absent where it says nothing. */
static bool file_unchanged(struct store *store, struct loaded *file, const char *name,
			   struct file_id *id)
{
	struct err ignored;

	*id = (struct file_id){.present = false};
	if (glance_at(&file->glance, &store->disk, name, id, &ignored) != 0 || !file->known ||
	    !file_id_equal(id, &file->id))
		return false;
	/* A link may be allowed now. */
	if (file->broken && file->origins != store->disk.origins)
		return false;
	return file->settled || (!file->broken && same_bytes(store, file, name));
}

bool loader_read(struct store *store, enum store_file which)
{
	struct loaded *file = &store->files[which];
	const char *name = store_file_name(which);
	struct str text = STR_INIT;
	struct json doc;
	struct file_id id;
	struct err err;

	if (file_unchanged(store, file, name, &id))
		return false;
	if (written_take(&store->disk.written[which], &id, &text, &doc)) {
		loader_take_file(store, file, &text, &doc, &id);
		/* That nobody has written to it since is yet to be seen. */
		file->settled = false;
	} else if (disk_read_json(&store->disk, name, &text, &doc, &id, &err) != 0) {
		str_release(&text);
		take_broken_file(store, file, name, &err);
	} else {
		loader_take_file(store, file, &text, &doc, &id);
	}
	read_through_apply(store, which);
	file->loads++;
	return true;
}

const struct json *loader_document(const struct loaded *file)
{
	return file->known && !file->broken ? &file->doc : NULL;
}
