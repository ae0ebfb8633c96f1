#include "git/write/pack_merge.h"

#include "base/file.h"
#include "base/hmac.h"
#include "base/map.h"
#include "git/write/own_packs.h"
#include "git/write/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#define STATE_NAME "kota-merge"

/* Not names that pack_run() takes for what a killed process left. */
#define TEMP_PACK PACK_FOLDER "/tmp_kota_merge_pack"
#define TEMP_INDEX PACK_FOLDER "/tmp_kota_merge_index"

/* Each is to have so many times the objects of all smaller ones. */
#define FACTOR 2

/* So many are merged at once; a longer list waits. */
#define SOURCES_MAX 32

/* In a larger one a place has eight bytes. */
#define PACK_BYTES_MAX ((uint64_t)1 << 31)

/* Of one step, and of one call in it. */
#define STEP_BYTES ((int64_t)1 << 20)
#define PART_BYTES ((size_t)1 << 18)
#define PART_OBJECTS ((size_t)4096)

#define PACK_HEAD_BYTES 12

/* An index: a head with 256 sums, then ids, sums and places, each by itself, then two hashes. */
#define INDEX_MARK "\377tOc\0\0\0\2"
#define INDEX_MARK_BYTES 8
#define INDEX_HEAD_BYTES (INDEX_MARK_BYTES + 256 * 4)
#define INDEX_SUM_BYTES 4
#define INDEX_ITEM_BYTES (OBJECT_ID_BYTES + 2 * INDEX_SUM_BYTES)

enum merge_phase { MERGE_INDEX, MERGE_COPY, MERGE_HASH, MERGE_PLACE, MERGE_REMOVE, MERGE_OVER };

struct merge_source {
	struct own_pack pack;
	uint64_t indexed; /* so many of its objects are in the new index */
	uint64_t shift;   /* from a place in it to that in the new pack */
};

/* The file of it; only this machine in this boot reads it, but for its end. */
struct merge_state {
	char mark[16];
	char boot[64];
	uint32_t phase;
	uint32_t count;
	uint64_t objects;
	uint64_t bytes; /* of all packs without their heads and hashes */
	uint64_t indexed;
	uint64_t copied;
	uint64_t hashed;       /* of the new index */
	struct object_id last; /* that was put into the index */
	unsigned char pack_id[SHA1_BYTES];
	struct sha1 pack_hash;
	struct sha1 index_hash;
	struct merge_source sources[SOURCES_MAX];
	uint64_t sum; /* of all before */
};

#define STATE_MARK "kota-merge 1"

struct merge {
	struct repo *repo;
	struct merge_state state;
	int64_t budget; /* bytes left of this step */
	struct err *err;
};

static int merge_error(const struct merge *merge, const char *what, const char *name)
{
	return err_set_errno(merge->err, ERR_NO_HISTORY, errno, "cannot %s %s%s", what,
			     merge->repo->common.ptr, name);
}

/* ---- how far it is */

static uint64_t merge_sum(const struct merge_state *state)
{
	return hash64(slice_make((const char *)state, offsetof(struct merge_state, sum)));
}

/* *durable: before something is removed. */
static int merge_save(struct merge *merge, bool durable)
{
	const struct sys *sys = merge->repo->sys;
	struct merge_state *state = &merge->state;
	STR_AUTO path = STR_INIT;
	int result = 0;

	repo_common_path(merge->repo, "", STATE_NAME, &path);
	state->sum = merge_sum(state);
	int fd = file_open(sys, AT_FDCWD, path.ptr,
			   O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0 || sys->pwrite(fd, state, sizeof *state, 0) != (ssize_t)sizeof *state ||
	    (durable && file_fsync(sys, fd) != 0))
		result = merge_error(merge, "write", STATE_NAME);
	file_close(sys, &fd);
	return result;
}

/* Where each pack will be in the new one, and how large that is. */
static void merge_lay_out(struct merge_state *state)
{
	state->objects = 0;
	state->bytes = 0;
	for (size_t i = 0; i < state->count; i++) {
		struct merge_source *source = &state->sources[i];

		source->shift = state->bytes;
		state->bytes += source->pack.bytes - PACK_HEAD_BYTES - SHA1_BYTES;
		state->objects += source->pack.count;
	}
}

/* Who unpacks a store may unpack such a file: a name is part of a path. */
static bool merge_is_sound(struct merge_state *state)
{
	bool sound = state->count > 0 && state->count <= SOURCES_MAX && state->phase < MERGE_OVER;

	for (size_t i = 0; i < state->count && sound; i++) {
		const struct merge_source *source = &state->sources[i];

		sound = own_packs_is_name(source->pack.name) &&
			source->pack.bytes >= PACK_HEAD_BYTES + SHA1_BYTES &&
			source->pack.bytes < PACK_BYTES_MAX &&
			source->indexed <= source->pack.count;
	}
	if (sound)
		merge_lay_out(state);
	return sound && state->indexed <= state->objects && state->copied <= state->bytes;
}

/* False where nothing is being merged, or by another boot: then the texts may be torn. */
static bool merge_load(struct merge *merge)
{
	const struct sys *sys = merge->repo->sys;
	struct merge_state *state = &merge->state;
	STR_AUTO path = STR_INIT;

	repo_common_path(merge->repo, "", STATE_NAME, &path);
	int fd = file_open(sys, AT_FDCWD, path.ptr, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			   0);
	bool loaded =
		fd >= 0 && sys->pread(fd, state, sizeof *state, 0) == (ssize_t)sizeof *state &&
		state->sum == merge_sum(state) &&
		memcmp(state->mark, STATE_MARK, sizeof STATE_MARK) == 0 && merge_is_sound(state) &&
		(state->phase == MERGE_REMOVE || strcmp(state->boot, merge->repo->log.boot) == 0);
	file_close(sys, &fd);
	return loaded;
}

int pack_merge_abandon(struct repo *repo, struct err *err)
{
	static const char *const names[] = {STATE_NAME, TEMP_PACK, TEMP_INDEX};

	repo->merge_rests = true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (git_file_remove(repo, names[i], err) != 0)
			return -1;
	}
	return 0;
}

/* ---- what is to be merged */

static bool merge_is_there(const struct repo *repo, const char *name)
{
	STR_AUTO path = STR_INIT;
	struct stat st;

	repo_common_path(repo, "", name, &path);
	return repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* How many of the smallest are to be one, so that each has twice the objects of all before it. */
static size_t merge_choose(const struct own_pack *packs, size_t count)
{
	uint64_t smaller = 0;
	uint64_t bytes = 0;
	size_t chosen = 0;

	for (size_t i = 0; i < count && i < SOURCES_MAX; i++) {
		bytes += packs[i].bytes;
		if (bytes >= PACK_BYTES_MAX)
			break;
		if (i > 0 && packs[i].count < FACTOR * smaller)
			chosen = i + 1;
		smaller += packs[i].count;
	}
	return chosen;
}

int pack_merge_begin(struct repo *repo, struct err *err)
{
	struct merge merge = {.repo = repo, .err = err};
	struct merge_state *state = &merge.state;
	struct own_pack *packs = NULL;
	size_t chosen = 0;
	size_t count;
	int result = 0;

	repo->merge_rests = false;
	if (!repo->log.boot[0] || merge_load(&merge))
		return 0;
	if (pack_merge_abandon(repo, err) != 0 || own_packs_list(repo, &packs, &count, err) != 0)
		return -1;
	if (!merge_is_there(repo, PACK_FOLDER "/multi-pack-index"))
		chosen = merge_choose(packs, count);
	*state = (struct merge_state){.mark = STATE_MARK};
	snprintf(state->boot, sizeof state->boot, "%s", repo->log.boot);
	for (size_t i = 0; i < chosen; i++) {
		state->sources[state->count++] = (struct merge_source){.pack = packs[i]};
	}
	merge_lay_out(state);
	if (chosen > 0) {
		result = merge_save(&merge, false);
		repo->merge_rests = result != 0;
	}
	free(packs);
	return result;
}

/* ---- files */

/* A file of a pack that is merged; -1 where it is not there, or not what it was. */
static int merge_open_source(const struct merge *merge, size_t i, const char *ending,
			     uint64_t bytes)
{
	const struct sys *sys = merge->repo->sys;
	STR_AUTO path = STR_INIT;
	struct stat st;

	own_packs_path(merge->repo, merge->state.sources[i].pack.name, ending, &path);
	int fd = file_open(sys, AT_FDCWD, path.ptr, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			   0);
	if (fd >= 0 && (sys->fstat(fd, &st) != 0 || (uint64_t)st.st_size != bytes))
		file_close(sys, &fd);
	return fd;
}

static int merge_open_index(const struct merge *merge, size_t i)
{
	return merge_open_source(
		merge, i, ".idx",
		INDEX_HEAD_BYTES + (uint64_t)merge->state.sources[i].pack.count * INDEX_ITEM_BYTES +
			(uint64_t)2 * SHA1_BYTES);
}

static int merge_open_temp(const struct merge *merge, const char *name, bool fresh)
{
	STR_AUTO path = STR_INIT;

	repo_path(merge->repo, name, &path);
	if (fresh)
		merge->repo->sys->unlinkat(AT_FDCWD, path.ptr, 0);
	return file_open(merge->repo->sys, AT_FDCWD, path.ptr,
			 O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
				 (fresh ? O_CREAT | O_EXCL : 0),
			 0444);
}

static bool merge_put(const struct merge *merge, int fd, struct slice text, uint64_t at)
{
	return merge->repo->sys->pwrite(fd, text.ptr, text.len, (off_t)at) == (ssize_t)text.len;
}

/* Ends the work of this step on a file: what the next ones do need not wait for all of it. */
static int merge_close_temp(struct merge *merge, int fd, const char *name, bool written)
{
	int result = written && file_fsync(merge->repo->sys, fd) == 0
			     ? 0
			     : merge_error(merge, "write", name);

	file_close(merge->repo->sys, &fd);
	return result;
}

static void merge_add_number(struct str *out, uint32_t number)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		str_addc(out, (char)(number >> shift & 0xff));
}

static uint32_t merge_number_at(const char *at)
{
	const unsigned char *bytes = (const unsigned char *)at;

	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

/* ---- the index: of all packs, in the order of the ids */

/* The next objects of a pack, as its index has them. */
struct merge_window {
	struct str ids;
	struct str sums;
	struct str places;
	size_t count;
	size_t next;
};

static bool merge_read_part(const struct merge *merge, int fd, uint64_t at, size_t bytes,
			    struct str *out)
{
	return file_pread(merge->repo->sys, fd, (off_t)at, bytes, bytes, out) == 0 &&
	       out->len == bytes;
}

static bool merge_read_window(const struct merge *merge, size_t i, struct merge_window *window)
{
	const struct merge_source *source = &merge->state.sources[i];
	uint64_t all = source->pack.count;
	uint64_t left = all - source->indexed;
	uint64_t sums = INDEX_HEAD_BYTES + all * OBJECT_ID_BYTES;
	int fd = merge_open_index(merge, i);

	window->count = left < PART_OBJECTS ? (size_t)left : PART_OBJECTS;
	bool read = fd >= 0 &&
		    merge_read_part(merge, fd, INDEX_HEAD_BYTES + source->indexed * OBJECT_ID_BYTES,
				    window->count * OBJECT_ID_BYTES, &window->ids) &&
		    merge_read_part(merge, fd, sums + source->indexed * INDEX_SUM_BYTES,
				    window->count * INDEX_SUM_BYTES, &window->sums) &&
		    merge_read_part(merge, fd, sums + (all + source->indexed) * INDEX_SUM_BYTES,
				    window->count * INDEX_SUM_BYTES, &window->places);
	file_close(merge->repo->sys, &fd);
	return read;
}

/* The pack that has the next id; count where none has any. */
static size_t merge_next(const struct merge *merge, const struct merge_window *windows)
{
	size_t best = merge->state.count;
	const char *first = NULL;

	for (size_t i = 0; i < merge->state.count; i++) {
		const char *id = windows[i].ids.ptr + windows[i].next * OBJECT_ID_BYTES;

		if (windows[i].next < windows[i].count &&
		    (!first || memcmp(id, first, OBJECT_ID_BYTES) < 0)) {
			first = id;
			best = i;
		}
	}
	return best;
}

/*
 * Takes the next ids off the windows. An object that is in two packs would be in the new one twice,
 * which no pack may have: then one of the two is left alone for ever, and *twice is true.
 */
static int merge_take_part(struct merge *merge, struct merge_window *windows,
			   struct merge_window *out, bool *twice)
{
	struct merge_state *state = &merge->state;

	while (out->count < PART_OBJECTS) {
		size_t i = merge_next(merge, windows);
		struct merge_source *source = &state->sources[i];
		struct merge_window *window = &windows[i];

		if (i == state->count)
			break;
		const char *id = window->ids.ptr + window->next * OBJECT_ID_BYTES;
		uint32_t place = merge_number_at(window->places.ptr +
						 window->next * INDEX_SUM_BYTES);
		*twice = (state->indexed + out->count > 0 &&
			  memcmp(id, state->last.bytes, OBJECT_ID_BYTES) <= 0) ||
			 place >= source->pack.bytes;
		if (*twice)
			return own_packs_set(merge->repo, source->pack.name, false, merge->err);
		memcpy(state->last.bytes, id, OBJECT_ID_BYTES);
		str_add(&out->ids, slice_make(id, OBJECT_ID_BYTES));
		str_add(&out->sums, slice_make(window->sums.ptr + window->next * INDEX_SUM_BYTES,
					       INDEX_SUM_BYTES));
		merge_add_number(&out->places, (uint32_t)(place + source->shift));
		out->count++;
		source->indexed++;
		/* What lies behind this window is not known yet. */
		if (++window->next == window->count && source->indexed < source->pack.count)
			break;
	}
	return 0;
}

static void merge_release_window(struct merge_window *window)
{
	str_release(&window->ids);
	str_release(&window->sums);
	str_release(&window->places);
}

/* Some thousand objects; the file is open. */
static int merge_index_part(struct merge *merge, int fd, bool *twice)
{
	struct merge_state *state = &merge->state;
	struct merge_window windows[SOURCES_MAX];
	struct merge_window out = {STR_INIT, STR_INIT, STR_INIT, 0, 0};
	uint64_t sums = INDEX_HEAD_BYTES + state->objects * OBJECT_ID_BYTES;
	int result = 0;

	for (size_t i = 0; i < state->count; i++) {
		windows[i] = (struct merge_window){STR_INIT, STR_INIT, STR_INIT, 0, 0};
		if (result == 0 && !merge_read_window(merge, i, &windows[i]))
			result = merge_error(merge, "read an index in", PACK_FOLDER);
	}
	if (result == 0)
		result = merge_take_part(merge, windows, &out, twice);
	if (result == 0 && !*twice &&
	    (!merge_put(merge, fd, str_slice(&out.ids),
			INDEX_HEAD_BYTES + state->indexed * OBJECT_ID_BYTES) ||
	     !merge_put(merge, fd, str_slice(&out.sums), sums + state->indexed * INDEX_SUM_BYTES) ||
	     !merge_put(merge, fd, str_slice(&out.places),
			sums + (state->objects + state->indexed) * INDEX_SUM_BYTES)))
		result = merge_error(merge, "write", TEMP_INDEX);
	state->indexed += out.count;
	merge->budget -= (int64_t)(2 * PART_OBJECTS * INDEX_ITEM_BYTES);
	for (size_t i = 0; i < state->count; i++)
		merge_release_window(&windows[i]);
	merge_release_window(&out);
	return result;
}

/* The head: its sums are those of the packs together. */
static int merge_put_index_head(struct merge *merge, int fd)
{
	STR_AUTO part = STR_INIT;
	STR_AUTO head = STR_INIT;
	uint32_t sums[256] = {0};

	for (size_t i = 0; i < merge->state.count; i++) {
		int source = merge_open_index(merge, i);
		bool read = source >= 0 &&
			    merge_read_part(merge, source, 0, INDEX_HEAD_BYTES, &part) &&
			    memcmp(part.ptr, INDEX_MARK, INDEX_MARK_BYTES) == 0;

		file_close(merge->repo->sys, &source);
		if (!read)
			return merge_error(merge, "read an index in", PACK_FOLDER);
		for (size_t n = 0; n < 256; n++)
			sums[n] += merge_number_at(part.ptr + INDEX_MARK_BYTES + 4 * n);
	}
	str_add(&head, slice_make(INDEX_MARK, INDEX_MARK_BYTES));
	for (size_t n = 0; n < 256; n++)
		merge_add_number(&head, sums[n]);
	if (sums[255] != merge->state.objects)
		return err_set(merge->err, ERR_NO_HISTORY,
			       "a pack in %s" PACK_FOLDER " and its index differ",
			       merge->repo->common.ptr);
	return merge_put(merge, fd, str_slice(&head), 0) ? 0
							 : merge_error(merge, "write", TEMP_INDEX);
}

static int merge_step_index(struct merge *merge)
{
	struct merge_state *state = &merge->state;
	bool fresh = state->indexed == 0;
	int fd = merge_open_temp(merge, TEMP_INDEX, fresh);
	bool twice = false;
	int result = 0;

	if (fd < 0)
		return merge_error(merge, "write", TEMP_INDEX);
	if (fresh)
		result = merge_put_index_head(merge, fd);
	while (result == 0 && !twice && merge->budget > 0 && state->indexed < state->objects)
		result = merge_index_part(merge, fd, &twice);
	if (merge_close_temp(merge, fd, TEMP_INDEX, result == 0) != 0)
		return -1;
	if (twice)
		state->phase = MERGE_OVER;
	else if (state->indexed == state->objects)
		state->phase = MERGE_COPY;
	return 0;
}

/* ---- the pack */

static bool merge_put_pack_head(struct merge *merge, int fd)
{
	STR_AUTO head = STR_INIT;

	str_add(&head, slice_make("PACK\0\0\0\2", 8));
	merge_add_number(&head, (uint32_t)merge->state.objects);
	sha1_begin(&merge->state.pack_hash);
	sha1_add(&merge->state.pack_hash, str_slice(&head));
	return merge_put(merge, fd, str_slice(&head), 0);
}

/* Some kilobytes of one pack. */
static bool merge_copy_part(struct merge *merge, int fd)
{
	struct merge_state *state = &merge->state;
	STR_AUTO part = STR_INIT;
	uint64_t end = state->bytes;
	size_t i = state->count - 1;

	while (state->sources[i].shift > state->copied)
		end = state->sources[i--].shift;
	uint64_t left = end - state->copied;
	left = left < PART_BYTES ? left : PART_BYTES;
	int source = merge_open_source(merge, i, ".pack", state->sources[i].pack.bytes);
	bool copied = source >= 0 &&
		      merge_read_part(merge, source,
				      PACK_HEAD_BYTES + state->copied - state->sources[i].shift,
				      (size_t)left, &part) &&
		      merge_put(merge, fd, str_slice(&part), PACK_HEAD_BYTES + state->copied);
	file_close(merge->repo->sys, &source);
	if (!copied)
		return false;
	sha1_add(&state->pack_hash, str_slice(&part));
	state->copied += left;
	merge->budget -= (int64_t)left;
	return true;
}

static int merge_step_copy(struct merge *merge)
{
	struct merge_state *state = &merge->state;
	bool fresh = state->copied == 0;
	int fd = merge_open_temp(merge, TEMP_PACK, fresh);
	bool written = fd >= 0 && (!fresh || merge_put_pack_head(merge, fd));

	while (written && merge->budget > 0 && state->copied < state->bytes)
		written = merge_copy_part(merge, fd);
	if (written && state->copied == state->bytes) {
		sha1_end(&state->pack_hash, state->pack_id);
		written = merge_put(merge, fd,
				    slice_make((const char *)state->pack_id, sizeof state->pack_id),
				    PACK_HEAD_BYTES + state->bytes);
		state->phase = MERGE_HASH;
	}
	return merge_close_temp(merge, fd, TEMP_PACK, written);
}

/* ---- the end of the index: the hash of the pack, and its own */

static int merge_step_hash(struct merge *merge)
{
	struct merge_state *state = &merge->state;
	uint64_t end = INDEX_HEAD_BYTES + state->objects * INDEX_ITEM_BYTES + SHA1_BYTES;
	int fd = merge_open_temp(merge, TEMP_INDEX, false);
	unsigned char hash[SHA1_BYTES];
	STR_AUTO part = STR_INIT;
	bool written = fd >= 0;

	if (written && state->hashed == 0) {
		sha1_begin(&state->index_hash);
		written = merge_put(merge, fd,
				    slice_make((const char *)state->pack_id, sizeof state->pack_id),
				    end - SHA1_BYTES);
	}
	while (written && merge->budget > 0 && state->hashed < end) {
		uint64_t left = end - state->hashed;
		size_t bytes = left < PART_BYTES ? (size_t)left : PART_BYTES;

		written = merge_read_part(merge, fd, state->hashed, bytes, &part);
		if (written)
			sha1_add(&state->index_hash, str_slice(&part));
		state->hashed += bytes;
		merge->budget -= (int64_t)bytes;
	}
	if (written && state->hashed == end) {
		sha1_end(&state->index_hash, hash);
		written = merge_put(merge, fd, slice_make((const char *)hash, sizeof hash), end);
		state->phase = MERGE_PLACE;
	}
	return merge_close_temp(merge, fd, TEMP_INDEX, written);
}

/* ---- in its place */

static void merge_name(const struct merge *merge, char out[PACK_NAME_SIZE])
{
	static const char prefix[] = "pack-";
	struct object_id id;

	memcpy(id.bytes, merge->state.pack_id, sizeof id.bytes);
	memcpy(out, prefix, sizeof prefix);
	object_id_text(&id, out + sizeof prefix - 1);
}

/* Gives a temporary file its name, if a killed process has not. */
static int merge_rename(struct merge *merge, const char *temp, const char *name, const char *ending)
{
	const struct sys *sys = merge->repo->sys;
	STR_AUTO from = STR_INIT;
	STR_AUTO to = STR_INIT;
	struct stat st;

	repo_path(merge->repo, temp, &from);
	own_packs_path(merge->repo, name, ending, &to);
	if (sys->renameat2(AT_FDCWD, from.ptr, AT_FDCWD, to.ptr, 0) == 0 ||
	    (errno == ENOENT && sys->fstatat(AT_FDCWD, to.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0))
		return 0;
	return merge_error(merge, "rename", temp);
}

/* True if somebody has removed a pack since, or begun to keep an index of them. */
static bool merge_is_overtaken(const struct merge *merge)
{
	bool overtaken = merge_is_there(merge->repo, PACK_FOLDER "/multi-pack-index");

	for (size_t i = 0; i < merge->state.count && !overtaken; i++) {
		int fd = merge_open_source(merge, i, ".pack", merge->state.sources[i].pack.bytes);

		overtaken = fd < 0;
		file_close(merge->repo->sys, &fd);
	}
	return overtaken;
}

static int merge_step_place(struct merge *merge)
{
	struct repo *repo = merge->repo;
	char name[PACK_NAME_SIZE];
	STR_AUTO folder = STR_INIT;

	repo_common_path(repo, "", PACK_FOLDER, &folder);
	merge_name(merge, name);
	if (object_folders_check(repo, merge->err) != 0 ||
	    own_packs_set(repo, name, true, merge->err) != 0 ||
	    merge_rename(merge, TEMP_PACK, name, ".pack") != 0 ||
	    merge_rename(merge, TEMP_INDEX, name, ".idx") != 0 ||
	    git_file_sync(repo->sys, folder.ptr, merge->err) != 0)
		return -1;
	merge->state.phase = MERGE_REMOVE;
	if (merge_save(merge, true) != 0)
		return -1;
	repo_common_path(repo, "", "", &folder);
	return git_file_sync(repo->sys, folder.ptr, merge->err);
}

/* First the index, so that nobody opens what is about to go. */
static int merge_remove_source(struct merge *merge, const char *name)
{
	static const char *const endings[] = {".idx", ".rev", ".pack"};
	const struct sys *sys = merge->repo->sys;
	STR_AUTO path = STR_INIT;
	struct stat st;

	own_packs_path(merge->repo, name, ".keep", &path);
	if (sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		str_clear(&path);
		own_packs_path(merge->repo, name, endings[i], &path);
		if (sys->unlinkat(AT_FDCWD, path.ptr, 0) != 0 && errno != ENOENT)
			return merge_error(merge, "remove packs in", PACK_FOLDER);
	}
	return 0;
}

static int merge_step_remove(struct merge *merge)
{
	struct repo *repo = merge->repo;
	char name[PACK_NAME_SIZE];
	STR_AUTO folder = STR_INIT;
	STR_AUTO file = STR_INIT;
	int result = 0;

	merge_name(merge, name);
	str_printf(&file, PACK_FOLDER "/%s.idx", name);
	/* The library has the old ones open, and a stat need not tell that they are gone. */
	repo->packs.present = false;
	/* Only if the new pack is in its place, also after a power cut. */
	for (size_t i = 0; result == 0 && i < merge->state.count && merge_is_there(repo, file.ptr);
	     i++) {
		if (strcmp(merge->state.sources[i].pack.name, name) != 0)
			result = merge_remove_source(merge, merge->state.sources[i].pack.name);
	}
	repo_common_path(repo, "", PACK_FOLDER, &folder);
	if (result == 0)
		result = git_file_sync(repo->sys, folder.ptr, merge->err);
	merge->state.phase = MERGE_OVER;
	return result;
}

static int merge_run_step(struct merge *merge)
{
	static int (*const steps[])(struct merge *) = {merge_step_index, merge_step_copy,
						       merge_step_hash, merge_step_place,
						       merge_step_remove};
	int result = 0;

	while (result == 0 && merge->budget > 0 && merge->state.phase != MERGE_OVER) {
		if (merge->state.phase != MERGE_REMOVE && merge_is_overtaken(merge))
			merge->state.phase = MERGE_OVER;
		else
			result = steps[merge->state.phase](merge);
	}
	return result;
}

int pack_merge_step(struct repo *repo, bool *more, struct err *err)
{
	struct merge merge = {.repo = repo, .err = err, .budget = STEP_BYTES};
	struct err ignored;

	*more = false;
	if (repo->merge_rests)
		return 0;
	if (!merge_load(&merge)) {
		repo->merge_rests = true;
		return 0;
	}
	int result = merge_run_step(&merge);
	if (result != 0) {
		/* One that is in its place stays, and what it replaces goes later. */
		if (merge.state.phase != MERGE_REMOVE)
			pack_merge_abandon(repo, &ignored);
		repo->merge_rests = true;
		return -1;
	}
	if (merge.state.phase != MERGE_OVER) {
		*more = true;
		return merge_save(&merge, false);
	}
	/* There may be more to merge now. */
	if (pack_merge_abandon(repo, err) != 0 || pack_merge_begin(repo, err) != 0)
		return -1;
	*more = !repo->merge_rests;
	return 0;
}
