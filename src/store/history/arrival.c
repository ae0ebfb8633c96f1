#include "store/history/arrival.h"

#include "base/file_swap.h"
#include "base/mem.h"
#include "json/write.h"
#include "merge/merge_file.h"
#include "store/files/resolve.h"
#include "store/history/file_list.h"
#include "store/history/tracked.h"
#include "store/swap/displaced.h"
#include "store/swap/merge3.h"
#include "store/swap/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#define ARRIVAL_NAME ".sync"
#define ARRIVAL_BYTES_MAX 4096

struct arrival {
	struct disk *disk;
	struct repo *repo;
	struct object_id from;
	struct object_id to;
	struct file_list before;
	struct file_list after;
	struct file_list changed; /* with the blobs that they are to have */
	int64_t now_ms;
	struct arena arena;
};

/* ---- the note */

static int arrival_write_id(struct json_writer *w, const char *name, const struct object_id *id)
{
	char text[OBJECT_ID_DIGITS + 1];

	object_id_text(id, text);
	json_write_member_string(w, name, slice_of(text));
	return 0;
}

int arrival_begin(struct store *store, const struct object_id *from, const struct object_id *to,
		  struct err *err)
{
	const struct disk *disk = &store->disk;
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_compact);

	json_write_object(&w);
	arrival_write_id(&w, "from", from);
	arrival_write_id(&w, "to", to);
	json_write_end(&w);
	str_addc(&text, '\n');
	if (file_replace(disk->sys, disk->dirfd, ARRIVAL_NAME, str_slice(&text), 0600, FILE_DURABLE,
			 NULL, err) != 0)
		return err_in_folder(err, disk->path, ARRIVAL_NAME);
	return 0;
}

/* Fills from and to; both are none where the note is none of ours. */
static int arrival_read(struct arrival *arrival, bool *there, struct err *err)
{
	const struct disk *disk = arrival->disk;
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	struct file_id id;
	JSON_AUTO doc = {0};

	*there = false;
	if (file_read_own(disk->sys, disk->dirfd, ARRIVAL_NAME, ARRIVAL_BYTES_MAX, &text, &id,
			  err) != 0)
		return err_in_folder(err, disk->path, ARRIVAL_NAME);
	*there = id.present;
	if (!id.present || json_parse(&doc, str_slice(&text), &json_file_bounds, &fault) != 0)
		return 0;
	if (!object_id_parse(json_member_text(&doc, JSON_ROOT, "from", &arrival->arena),
			     &arrival->from) ||
	    !object_id_parse(json_member_text(&doc, JSON_ROOT, "to", &arrival->arena),
			     &arrival->to))
		arrival->from = arrival->to = (struct object_id){{0}};
	return 0;
}

static int arrival_forget(const struct arrival *arrival, struct err *err)
{
	const struct disk *disk = arrival->disk;

	if ((disk->sys->unlinkat(disk->dirfd, ARRIVAL_NAME, 0) != 0 && errno != ENOENT) ||
	    file_fsync(disk->sys, disk->dirfd) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot remove %s/" ARRIVAL_NAME,
				     disk->path);
	return 0;
}

/* ---- one file */

/* A file of the store before and after; absent texts have no pointer. */
struct arriving {
	const char *name;
	struct str before_text;
	struct str after_text;
	struct slice before;
	struct slice after;
};

static int arrival_load(const struct arrival *arrival, const struct object_id *blob,
			struct str *text, struct slice *out, struct err *err)
{
	*out = slice_of(NULL);
	if (object_id_is_none(blob))
		return 0;
	if (repo_blob_read(arrival->repo, blob, text, err) != 0)
		return -1;
	*out = str_slice(text);
	return 0;
}

static int arrival_parse(const struct arriving *file, struct slice text, struct json *doc,
			 struct err *err)
{
	struct json_fault fault;

	if (json_parse(doc, text.ptr ? text : slice_of("{}"), &json_file_bounds, &fault) == 0)
		return 0;
	return err_set(err, ERR_BAD_DATA, "%s:%u:%u: %s", file->name, fault.line, fault.column,
		       fault.what);
}

/* Entry by entry: what the disk has beyond the text before stays. */
static int arrival_put_entries(const struct arrival *arrival, const struct arriving *file,
			       enum store_file number, struct err *err)
{
	struct digests base = UNITS_INIT;
	struct merge3 merge = {.file = number, .base = &base, .now_ms = arrival->now_ms};
	struct rewrite rewrite = {.build = merge3_build, .context = &merge};
	JSON_AUTO before = {0};
	struct json after;

	if (!file->after.ptr)
		return 0; /* no file of entries goes: {} is an empty one */
	if (arrival_parse(file, file->before, &before, err) != 0)
		return -1;
	int result = arrival_parse(file, file->after, &after, err);
	if (result == 0) {
		digests_read(&base, number, &before);
		merge.theirs = &after;
		result = replace_file(arrival->disk, number, &rewrite, arrival->now_ms, NULL, err);
		digests_release(&base);
		json_release(&after);
	}
	return result;
}

/* What the file is to be: as it arrives, or merged with what it was made meanwhile. */
static int arrival_compose(const struct arriving *file, struct slice now, struct str *out,
			   struct err *err)
{
	const struct merge_texts texts = {&file->before, file->before.ptr ? 1 : 0, now,
					  file->after};

	if (!now.ptr || (file->before.ptr && slice_equal(now, file->before))) {
		str_add(out, file->after);
		return 0;
	}
	return merge_step(slice_of(file->name), &texts, out, err);
}

static int arrival_put_whole(const struct arrival *arrival, const struct arriving *file,
			     struct err *err)
{
	struct whole_file whole = {.file_name = file->name};
	STR_AUTO now = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct file_id id;

	if (tracked_read(arrival->disk, file->name, &now, &id, err) != 0)
		return -1;
	if (!file->after.ptr || (id.present && slice_equal(str_slice(&now), file->after)))
		return 0;
	if (arrival_compose(file, id.present ? str_slice(&now) : slice_of(NULL), &out, err) != 0)
		return -1;
	whole.before = str_slice(&now);
	whole.after = str_slice(&out);
	return whole_file_replace(arrival->disk, &whole, err);
}

/* A file in a folder of the store, which is made where it is missing. */
static int arrival_open_folder(const struct arrival *arrival, struct slice name, int *fd,
			       struct err *err)
{
	const struct disk *disk = arrival->disk;
	char *folder = mem_strndup(name.ptr, name.len);
	int result = 0;

	if (disk->sys->mkdirat(disk->dirfd, folder, 0700) != 0 && errno != EEXIST)
		result = err_set_errno(err, err_code_of_write(errno), errno, "cannot make %s/%s",
				       disk->path, folder);
	else
		*fd = file_open(disk->sys, disk->dirfd, folder,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (result == 0 && *fd < 0)
		result = err_set_errno(err, ERR_IO, errno, "cannot open %s/%s", disk->path, folder);
	free(folder);
	return result;
}

static int arrival_put_inside(const struct arrival *arrival, const struct arriving *file,
			      struct slice folder, struct err *err)
{
	const struct sys *sys = arrival->disk->sys;
	const char *base = file->name + folder.len + 1;
	STR_AUTO now = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct file_id id;
	int result = 0;
	int fd = -1;

	if (arrival_open_folder(arrival, folder, &fd, err) != 0)
		return -1;
	if (tracked_read(arrival->disk, file->name, &now, &id, err) != 0)
		result = -1;
	else if (!file->after.ptr) {
		/* A note that another machine removed is removed here, unless it has changed. */
		if (id.present && slice_equal(str_slice(&now), file->before))
			result = file_swap(sys, fd, base, str_slice(&now), slice_of(NULL), 0600,
					   FILE_DURABLE, err);
	} else if (!id.present || !slice_equal(str_slice(&now), file->after)) {
		result = arrival_compose(file, id.present ? str_slice(&now) : slice_of(NULL), &out,
					 err);
		if (result == 0)
			result = file_swap(sys, fd, base,
					   id.present ? str_slice(&now) : slice_of(NULL),
					   str_slice(&out), 0600, FILE_DURABLE, err);
		arrival->disk->cold_writes++;
	}
	file_close(sys, &fd);
	return result;
}

static int arrival_put(const struct arrival *arrival, const char *name, struct err *err)
{
	struct arriving file = {.name = name, .before_text = STR_INIT, .after_text = STR_INIT};
	struct object_id before = file_list_get(&arrival->before, name);
	struct object_id after = file_list_get(&arrival->after, name);
	const char *slash = strchr(name, '/');
	int number = 0;
	int result = -1;

	while (number < STORE_FILE_COUNT &&
	       strcmp(store_file_name((enum store_file)number), name) != 0)
		number++;
	if (arrival_load(arrival, &before, &file.before_text, &file.before, err) == 0 &&
	    arrival_load(arrival, &after, &file.after_text, &file.after, err) == 0) {
		if (number < STORE_FILE_COUNT)
			result = arrival_put_entries(arrival, &file, (enum store_file)number, err);
		else if (slash)
			result = arrival_put_inside(arrival, &file,
						    slice_make(name, (size_t)(slash - name)), err);
		else
			result = arrival_put_whole(arrival, &file, err);
	}
	str_release(&file.before_text);
	str_release(&file.after_text);
	return result;
}

/* ---- all of it */

/* Lists the files of a commit that are the store's. */
struct listing {
	struct arrival *arrival;
	struct file_list *list;
};

static int arrival_take_file(void *context, const char *path, const struct object_id *blob)
{
	struct listing *listing = context;

	if (tracked_is(path))
		file_list_set(listing->list, &listing->arrival->arena, path, blob);
	return 0;
}

static int arrival_list(struct arrival *arrival, const struct object_id *commit,
			struct file_list *list, struct err *err)
{
	struct listing listing = {arrival, list};

	return repo_files(arrival->repo, commit, arrival_take_file, &listing, err);
}

static void arrival_compare(struct arrival *arrival, const struct file_list *names)
{
	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->items[i].path;
		struct object_id before = file_list_get(&arrival->before, name);
		struct object_id after = file_list_get(&arrival->after, name);

		if (!object_id_equal(&before, &after))
			file_list_set(&arrival->changed, &arrival->arena, name, &after);
	}
}

static int arrival_put_all(struct arrival *arrival, struct err *err)
{
	const struct witness *witness = arrival->disk->witness;
	int result = 0;

	if (arrival_list(arrival, &arrival->from, &arrival->before, err) != 0 ||
	    arrival_list(arrival, &arrival->to, &arrival->after, err) != 0)
		return -1;
	arrival_compare(arrival, &arrival->before);
	arrival_compare(arrival, &arrival->after);
	/* These are neither changes of this machine nor edits: do not record them. */
	arrival->disk->witness = NULL;
	for (size_t i = 0; result == 0 && i < arrival->changed.count; i++)
		result = arrival_put(arrival, arrival->changed.items[i].path, err);
	arrival->disk->witness = witness;
	return result;
}

static int arrival_move(struct arrival *arrival, struct err *err)
{
	struct recording *recording;

	if (recording_begin(&recording, arrival->repo, err) != 0)
		return -1;
	if (recording_take(recording, &arrival->to, arrival->changed.items, arrival->changed.count,
			   err) != 0) {
		recording_abandon(recording);
		return -1;
	}
	return recording_finish(recording, err);
}

int arrival_finish(struct store *store, struct err *err)
{
	struct arrival arrival = {
		.disk = &store->disk, .repo = store->history->repo, .now_ms = store->now_ms};
	struct object_id head;
	bool there;
	int result = arrival_read(&arrival, &there, err);

	if (result == 0 && there) {
		result = repo_head(arrival.repo, &head, err);
		/* Else the branch is there already, or was moved by somebody: what differs from it
		   is an edit. */
		if (result == 0 && !object_id_is_none(&arrival.to) &&
		    object_id_equal(&head, &arrival.from)) {
			result = arrival_put_all(&arrival, err);
			if (result == 0)
				result = arrival_move(&arrival, err);
		}
		if (result == 0)
			result = arrival_forget(&arrival, err);
	}
	free(arrival.before.items);
	free(arrival.after.items);
	free(arrival.changed.items);
	arena_release(&arrival.arena);
	return result;
}
