#include "store/view/loader.h"

#include "base/time.h"
#include "store/files/resolve.h"
#include "store/swap/last_text.h"
#include "store/view/read_through.h"

void loader_forget(struct loaded *file)
{
	json_release(&file->doc);
	str_release(&file->text);
	str_release(&file->raw);
	str_release(&file->gone);
	file->known = false;
	file->broken = false;
	file->stands = false;
}

/* True if a text that could be believed was read, from the file or in its place. */
static bool loader_is_at_hand(const struct loaded *file)
{
	return file->doc.nodes && (!file->broken || file->stands);
}

/* Puts a freshly read text and its parse in the place of the old ones. */
static void loader_take_file(struct store *store, struct loaded *file, struct str *text,
			     struct json *doc, const struct file_id *id)
{
	bool removed = !id->present && store->disk.dirfd >= 0 &&
		       store->disk.had[file - store->files] > 0;
	int64_t gone_ms = time_of_timespec(file->id.mtime);
	struct str gone = STR_INIT;

	if (removed && file->id.present && loader_is_at_hand(file)) {
		gone = file->text;
		str_init(&file->text);
	}
	loader_forget(file);
	file->text = *text;
	file->doc = *doc;
	file->id = *id;
	file->known = true;
	file->settled = disk_is_settled(&store->disk, id);
	file->ours = false;
	file->removed = removed;
	file->gone = gone;
	file->gone_ms = gone_ms;
	store->disk.had[file - store->files] = path_count((enum store_file)(file - store->files),
							  doc);
}

/*
 * Puts the last text that could be believed in the place of one that cannot. What this process has
 * read is one; another process may have changed the file since.
 */
static bool loader_stand_in(struct store *store, struct loaded *file, enum store_file which)
{
	struct slice cached = loader_is_at_hand(file) ? str_slice(&file->text)
						      : slice_make(NULL, 0);
	struct json_bounds bounds = path_bounds(store_file_name(which));
	struct str text = STR_INIT;
	struct json_fault fault;
	struct json doc;

	if (!store->find_last(store, which, cached, time_of_timespec(file->id.mtime), &text) ||
	    json_parse(&doc, str_slice(&text), &bounds, &fault) != 0) {
		str_release(&text);
		loader_forget(file);
		return false;
	}
	loader_forget(file);
	file->text = text;
	file->doc = doc;
	return true;
}

/* True if there is a text, and the text is what is wrong. A link that is not followed has none. */
static bool loader_has_bad_text(struct store *store, const char *name, const struct err *error)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	return error->code == ERR_BAD_DATA &&
	       disk_read(&store->disk, name, &text, &id, &ignored) == 0 && id.present;
}

/* The identity of a file that cannot be read, so that it is not read again until it changes. */
static void loader_take_broken_file(struct store *store, struct loaded *file, const char *name,
				    const struct err *error)
{
	enum store_file which = (enum store_file)(file - store->files);
	struct err ignored;

	if (loader_has_bad_text(store, name, error))
		file->stands = loader_stand_in(store, file, which);
	else
		loader_forget(file);
	if (file->stands)
		store->disk.had[which] = path_count(which, &file->doc);
	file->origins = store->disk.origins;
	/* If the text is at fault (not, say, a failed read), only a change of the file can help. */
	file->known = error->code == ERR_BAD_DATA || error->code == ERR_TOO_LARGE;
	file->broken = true;
	file->error = *error;
	if (!file->known)
		return;
	if (file_identify(store->sys, store->disk.dirfd, name, &file->id, &ignored) != 0)
		file->known = false;
	/* It may have been mended since it was read. */
	file->settled = disk_is_settled(&store->disk, &file->id);
}

/*
 * A text that is empty where this process has not read any before: if there were entries in it, it
 * was emptied by accident.
 */
static void loader_take_empty(struct store *store, struct loaded *file, const char *name)
{
	enum store_file which = (enum store_file)(file - store->files);
	struct file_id id = file->id;
	struct path path = {.disk = &store->disk, .file_name = name};
	STR_AUTO last = STR_INIT;
	struct err err;

	if (!id.present || !store->find_last(store, which, slice_make(NULL, 0), 0, &last) ||
	    !last_text_is_sound(which, str_slice(&last), &store->disk.had[which]) ||
	    path_check_emptied(&path, slice_make("", 0), &id, &err) == 0)
		return;
	loader_forget(file); /* the object that the empty text was read as is no last text */
	loader_take_broken_file(store, file, name, &err);
}

/* Reads the file anew and compares: true if only its stat cannot be believed. */
static bool loader_same_bytes(struct store *store, struct loaded *file, const char *name)
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
static bool loader_file_unchanged(struct store *store, struct loaded *file, const char *name,
				  struct file_id *id)
{
	enum store_file which = (enum store_file)(file - store->files);
	struct err ignored;
	int result;

	*id = (struct file_id){.present = false};
	if (store->disk.lock_fd >= 0)
		result = disk_look(&store->disk, which, id, &ignored);
	else
		result = stat_cache_at(&file->cache, &store->disk, name, id, &ignored);
	if (result != 0 || !file->known || !file_id_equal(id, &file->id))
		return false;
	/* A link may be allowed now. */
	if (file->broken && file->origins != store->disk.origins)
		return false;
	/* An edit that the stat of our own text hides is found when the change is applied. */
	if (store->disk.lock_fd >= 0 && file->ours)
		return true;
	return file->settled || (!file->broken && loader_same_bytes(store, file, name));
}

/*
 * An empty text was read as an object without entries. True if the file was truly an object, and
 * not empty.
 */
static bool loader_is_blank(struct store *store, const struct loaded *file, const char *name)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	return file->id.present && slice_is(str_slice(&file->text), "{}") &&
	       disk_read(&store->disk, name, &text, &id, &ignored) == 0 &&
	       text_is_blank(str_slice(&text));
}

const struct loaded *loader_look(struct store *store, enum store_file which)
{
	loader_read(store, which);
	store->files[which].known = false;
	return &store->files[which];
}

bool loader_read(struct store *store, enum store_file which)
{
	struct loaded *file = &store->files[which];
	const char *name = store_file_name(which);
	struct str text = STR_INIT;
	struct json doc;
	struct file_id id;
	struct err err;

	if (loader_file_unchanged(store, file, name, &id))
		return false;
	if (write_through_take(&store->disk.written[which], &id, &text, &doc)) {
		loader_take_file(store, file, &text, &doc, &id);
		/* Somebody may have written to it since. */
		file->settled = false;
		file->ours = true;
	} else if (disk_read_json(&store->disk, name, &text, &doc, &id, &err) != 0) {
		str_release(&text);
		loader_take_broken_file(store, file, name, &err);
	} else {
		loader_take_file(store, file, &text, &doc, &id);
		if (loader_is_blank(store, file, name))
			loader_take_empty(store, file, name);
	}
	read_through_apply(store, which);
	file->loads++;
	return true;
}

const struct json *loader_document(const struct loaded *file)
{
	return file->known && (!file->broken || file->stands) ? &file->doc : NULL;
}

void loader_foresee(struct store *store, enum store_file which, struct str *text, struct json *doc)
{
	struct loaded *file = &store->files[which];
	struct file_id id = file->id;

	loader_take_file(store, file, text, doc, &id);
	file->settled = false;
	file->loads++;
	str_init(text);
	*doc = (struct json){0};
}
