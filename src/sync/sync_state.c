#include "sync/sync_state.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/write.h"
#include "store/trust/state_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>

#define STATE_BYTES_MAX ((size_t)1 << 16)

/* What the person's own place is called, which needs no entry in the list of stores. */
#define PERSONAL_NAME "personal"

static const char *sync_state_name(const struct disk *disk)
{
	if (disk->origin.personal)
		return PERSONAL_NAME;
	return disk->origin.name.len > 0 ? disk->origin.name.ptr : NULL;
}

/* The name of a file or folder of this store. */
static void sync_state_file(const struct disk *disk, const char *ending, struct str *out)
{
	str_clear(out);
	str_printf(out, "%s%s", sync_state_name(disk), ending);
}

static int sync_state_open_folder(struct sync_state *state, const struct disk *disk,
				  struct err *err)
{
	char *above = state_folder_path(disk->env);
	int fd = -1;

	if (state_folder_open(disk->sys, disk->env, disk->origin.root, true, &fd, err) != 0) {
		free(above);
		return -1;
	}
	str_printf(&state->folder, "%s/sync", above);
	free(above);
	if (disk->sys->mkdirat(fd, "sync", 0700) != 0 && errno != EEXIST)
		err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot make %s", state->folder.ptr);
	else
		state->dirfd = file_open(disk->sys, fd, "sync",
					 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	file_close(disk->sys, &fd);
	if (state->dirfd >= 0)
		return 0;
	return err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot open %s", state->folder.ptr);
}

static int sync_state_take_lock(struct sync_state *state, const struct disk *disk, struct err *err)
{
	STR_AUTO name = STR_INIT;

	sync_state_file(disk, ".lock", &name);
	state->lock = file_open(disk->sys, state->dirfd, name.ptr,
				O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (state->lock < 0)
		return err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot open %s/%s",
				     state->folder.ptr, name.ptr);
	if (disk->sys->flock(state->lock, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return err_set(err, ERR_BUSY, "busy: another sync of this store is under way");
}

static void sync_state_take(struct sync_state *state, const struct json *doc)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct slice synced = json_member_text(doc, JSON_ROOT, "synced", &arena);
	struct slice at = json_member_text(doc, JSON_ROOT, "synced_at", &arena);

	str_add(&state->url, json_member_text(doc, JSON_ROOT, "url", &arena));
	str_add(&state->branch, json_member_text(doc, JSON_ROOT, "branch", &arena));
	str_add(&state->last_error, json_member_text(doc, JSON_ROOT, "last_error", &arena));
	if (!object_id_parse(synced, &state->synced))
		state->synced = (struct object_id){{0}};
	if (!timestamp_parse(at, false, &state->synced_ms))
		state->synced_ms = TIME_NONE;
}

static int sync_state_read(struct sync_state *state, const struct disk *disk, struct err *err)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	struct json doc;
	bool found;

	sync_state_file(disk, ".json", &name);
	if (state_file_read(disk->sys, state->dirfd, name.ptr, STATE_BYTES_MAX, &text, &found,
			    err) != 0)
		return -1;
	if (!found)
		return 0;
	if (json_parse(&doc, str_slice(&text), &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_BAD_DATA, "%s/%s:%u:%u: %s", state->folder.ptr, name.ptr,
			       fault.line, fault.column, fault.what);
	sync_state_take(state, &doc);
	json_release(&doc);
	return 0;
}

int sync_state_open(struct sync_state *out, const struct disk *disk, struct err *err)
{
	*out = (struct sync_state){.dirfd = -1, .lock = -1, .synced_ms = TIME_NONE};
	str_init(&out->url);
	str_init(&out->branch);
	str_init(&out->last_error);
	str_init(&out->folder);
	if (!sync_state_name(disk))
		return err_set(err, ERR_NOT_FOUND,
			       "%s is not known as a store of your own: kota trust says that it is",
			       disk->path);
	if (sync_state_open_folder(out, disk, err) != 0 ||
	    sync_state_take_lock(out, disk, err) != 0 || sync_state_read(out, disk, err) != 0) {
		sync_state_close(out, disk);
		return -1;
	}
	return 0;
}

int sync_state_save(const struct sync_state *state, const struct disk *disk, struct err *err)
{
	char synced[OBJECT_ID_DIGITS + 1];
	char at[TIMESTAMP_SIZE];
	STR_AUTO name = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_pretty);

	json_write_object(&w);
	json_write_member_string(&w, "store", slice_of(disk->path));
	json_write_member_string(&w, "url", str_slice(&state->url));
	json_write_member_string(&w, "branch", str_slice(&state->branch));
	if (!object_id_is_none(&state->synced)) {
		object_id_text(&state->synced, synced);
		json_write_member_string(&w, "synced", slice_of(synced));
	}
	if (state->synced_ms != TIME_NONE) {
		timestamp_format(state->synced_ms, at);
		json_write_member_string(&w, "synced_at", slice_of(at));
	}
	if (state->last_error.len > 0)
		json_write_member_string(&w, "last_error", str_slice(&state->last_error));
	json_write_end(&w);
	str_addc(&text, '\n');
	sync_state_file(disk, ".json", &name);
	return file_replace(disk->sys, state->dirfd, name.ptr, str_slice(&text), 0600, FILE_DURABLE,
			    NULL, err);
}

int sync_state_forget(struct sync_state *state, const struct disk *disk, struct err *err)
{
	STR_AUTO name = STR_INIT;

	sync_state_file(disk, ".json", &name);
	if (disk->sys->unlinkat(state->dirfd, name.ptr, 0) != 0 && errno != ENOENT)
		return err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot remove %s/%s",
				     state->folder.ptr, name.ptr);
	str_clear(&state->url);
	state->synced = (struct object_id){{0}};
	state->synced_ms = TIME_NONE;
	return 0;
}

void sync_state_git_folder(const struct sync_state *state, const struct disk *disk, struct str *out)
{
	STR_AUTO name = STR_INIT;

	sync_state_file(disk, ".git", &name);
	path_join(out, state->folder.ptr, name.ptr);
}

void sync_state_close(struct sync_state *state, const struct disk *disk)
{
	file_close(disk->sys, &state->lock);
	file_close(disk->sys, &state->dirfd);
	str_release(&state->url);
	str_release(&state->branch);
	str_release(&state->last_error);
	str_release(&state->folder);
}
