#include "git/objects.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

/* The name of an object's file before it has its own; git takes one that is left away some day. */
#define TEMP_NAME "objects/tmp_obj_kota"

/* A longer loose file is not looked at. */
#define LOOSE_MAX ((size_t)1 << 26)

/* A larger text is not kept in memory. */
#define KEPT_MAX ((size_t)1 << 18)

/* More of one recording are not kept: who makes them durable finds them on the disk. */
#define FRESH_MAX 256

/* So many of the blobs made last are compared with a text before it is hashed. */
#define TEXTS_COMPARED 8

/* Fast: what is loose is packed soon. */
#define LEVEL 1

/* To compress a shorter text takes longer than to write it, and its file takes a block anyway. */
#define COMPRESS_MIN 1024

/* A block of a stream of zlib that is not compressed is no longer. */
#define STORED_MAX ((size_t)0xffff)

/* What the library writes to. */
struct objects_backend {
	git_odb_backend base; /* first: the library knows nothing else */
	struct repo *repo;
};

const struct fresh_object *objects_find(const struct repo *repo, const struct object_id *id)
{
	for (size_t i = repo->fresh.count; i > 0; i--) {
		if (object_id_equal(&repo->fresh.items[i - 1].id, id))
			return &repo->fresh.items[i - 1];
	}
	return NULL;
}

const struct fresh_object *objects_find_blob(const struct repo *repo, struct slice text)
{
	int looked = 0;

	for (size_t i = repo->fresh.count; i > 0 && looked < TEXTS_COMPARED; i--) {
		const struct fresh_object *object = &repo->fresh.items[i - 1];

		if (object->type != GIT_OBJECT_BLOB)
			continue;
		looked++;
		if (slice_equal(str_slice(&object->data), text))
			return object;
	}
	return NULL;
}

bool objects_is_fresh(const struct repo *repo, const struct object_id *id)
{
	const struct fresh_object *object = objects_find(repo, id);

	return object && object >= repo->fresh.items + repo->fresh.settled;
}

static void objects_drop(struct fresh *fresh, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		str_release(&fresh->items[i].data);
		str_release(&fresh->items[i].file);
	}
	if (count > 0 && count < fresh->count)
		memmove(fresh->items, fresh->items + count,
			(fresh->count - count) * sizeof *fresh->items);
	fresh->count -= count;
	fresh->settled = fresh->settled > count ? fresh->settled - count : 0;
}

/* Forgets this one and those behind it. */
static void objects_drop_from(struct fresh *fresh, size_t first)
{
	while (fresh->count > first) {
		struct fresh_object *object = &fresh->items[--fresh->count];

		str_release(&object->data);
		str_release(&object->file);
	}
}

void objects_settle(struct repo *repo)
{
	struct fresh *fresh = &repo->fresh;

	/* A recording without objects keeps those of the one before it. */
	if (fresh->settled == fresh->count)
		return;
	objects_drop(fresh, fresh->settled);
	for (size_t i = 0; i < fresh->count; i++) {
		struct fresh_object *object = &fresh->items[i];

		str_release(&object->file);
		if (object->data.len <= KEPT_MAX)
			fresh->items[fresh->settled++] = *object;
		else
			str_release(&object->data);
	}
	fresh->count = fresh->settled;
}

/* ---- the file of one */

static uint32_t objects_adler(struct slice text)
{
	uint32_t a = 1;
	uint32_t b = 0;

	for (size_t i = 0; i < text.len; i++) {
		a = (a + (unsigned char)text.ptr[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

/* A stream of zlib whose blocks are as they are. */
static void objects_store(struct slice text, struct str *out)
{
	uint32_t sum = objects_adler(text);
	size_t at = 0;

	str_add(out, slice_make("\x78\x01", 2));
	do {
		size_t len = text.len - at < STORED_MAX ? text.len - at : STORED_MAX;
		bool last = at + len == text.len;

		str_addc(out, last ? 1 : 0);
		str_addc(out, (char)(len & 0xff));
		str_addc(out, (char)(len >> 8));
		str_addc(out, (char)(~len & 0xff));
		str_addc(out, (char)(~len >> 8 & 0xff));
		str_add(out, slice_make(text.ptr + at, len));
		at += len;
	} while (at < text.len);
	for (int shift = 24; shift >= 0; shift -= 8)
		str_addc(out, (char)(sum >> shift & 0xff));
}

static void objects_compress(const struct repo *repo, struct slice text, struct str *out)
{
	/* As zlib's own bound, and a little more. */
	unsigned long len = text.len + (text.len >> 10) + 64;

	str_clear(out);
	if (repo->lib.compress && text.len >= COMPRESS_MIN) {
		str_reserve(out, len);
		if (repo->lib.compress((unsigned char *)out->ptr, &len,
				       (const unsigned char *)text.ptr, text.len, LEVEL) == 0) {
			out->len = len;
			return;
		}
	}
	objects_store(text, out);
}

static void objects_path(const struct repo *repo, const struct object_id *id, struct str *out)
{
	char digits[OBJECT_ID_DIGITS + 1];

	object_id_text(id, digits);
	str_clear(out);
	str_printf(out, "%sobjects/%.2s/%s", repo->common.ptr, digits, digits + 2);
}

static bool objects_can_read(const struct repo *repo, const struct object_id *id)
{
	git_oid oid = lib_oid(id);
	git_odb_object *object = NULL;
	bool read = repo->lib.odb_read(&object, repo->odb, &oid) == 0;

	repo->lib.odb_object_free(object);
	return read;
}

int objects_check(const struct repo *repo, const struct object_id *id, bool *whole, struct err *err)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct file_id file;

	*whole = objects_can_read(repo, id);
	if (*whole)
		return 0;
	/* The library does not say whether the disk or the text failed it. */
	objects_path(repo, id, &path);
	if (file_read_own(repo->sys, AT_FDCWD, path.ptr, LOOSE_MAX, &text, &file, err) != 0 &&
	    (err->code == ERR_IO || err->code == ERR_BUSY)) {
		err->code = ERR_NO_HISTORY;
		return -1;
	}
	*whole = objects_can_read(repo, id);
	return 0;
}

bool objects_is_loose(const struct repo *repo, const struct object_id *id)
{
	STR_AUTO path = STR_INIT;
	struct stat st;

	objects_path(repo, id, &path);
	return repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The folder of an object's file, in the place of the path. */
static void objects_cut_to_folder(struct str *path)
{
	str_truncate(path, path->len - (OBJECT_ID_DIGITS - 1));
}

/*
 * Puts an object's file in its folder. One in which nothing was ever put is made first: in most
 * cases it is not there. git may remove one that is empty.
 */
static int objects_put_in_folder(struct repo *repo, const struct object_id *id, const char *temp,
				 const char *path)
{
	bool *there = &repo->folders[id->bytes[0]];
	const struct sys *sys = repo->sys;
	STR_AUTO folder = STR_INIT;

	if (*there) {
		int result = sys->renameat2(AT_FDCWD, temp, AT_FDCWD, path, 0);

		if (result == 0 || errno != ENOENT)
			return result;
	}
	str_adds(&folder, path);
	objects_cut_to_folder(&folder);
	*there = false;
	if (sys->mkdirat(AT_FDCWD, folder.ptr, 0777) != 0 && errno != EEXIST)
		return -1;
	*there = true;
	return sys->renameat2(AT_FDCWD, temp, AT_FDCWD, path, 0);
}

int objects_put_file(struct repo *repo, const struct object_id *id, struct slice file, bool durable,
		     struct err *err)
{
	const struct sys *sys = repo->sys;
	STR_AUTO temp = STR_INIT;
	STR_AUTO path = STR_INIT;

	str_printf(&temp, "%s" TEMP_NAME, repo->common.ptr);
	objects_path(repo, id, &path);
	if (git_file_put(sys, temp.ptr, 0444, file, durable, err) != 0)
		return -1;
	if (objects_put_in_folder(repo, id, temp.ptr, path.ptr) != 0) {
		err_set_errno(err, ERR_NO_HISTORY, errno, "cannot write %s", path.ptr);
		sys->unlinkat(AT_FDCWD, temp.ptr, 0);
		return -1;
	}
	if (!durable)
		return 0;
	objects_cut_to_folder(&path);
	return git_file_sync(sys, path.ptr, err);
}

int objects_sync(const struct repo *repo, const struct object_id *id, struct err *err)
{
	STR_AUTO path = STR_INIT;

	objects_path(repo, id, &path);
	if (git_file_sync(repo->sys, path.ptr, err) != 0)
		return -1;
	objects_cut_to_folder(&path);
	if (git_file_sync(repo->sys, path.ptr, err) != 0)
		return -1;
	str_truncate(&path, path.len - 3);
	return git_file_sync(repo->sys, path.ptr, err);
}

/* ---- for the library */

static int objects_backend_read(void **data, size_t *len, git_object_t *type,
				git_odb_backend *backend, const git_oid *oid)
{
	struct repo *repo = ((struct objects_backend *)backend)->repo;
	const struct lib *lib = &repo->lib;
	struct object_id id = lib_id(oid);
	const struct fresh_object *fresh = objects_find(repo, &id);
	git_odb_object *object = NULL;
	struct slice text;

	if (fresh) {
		text = str_slice(&fresh->data);
		*type = fresh->type;
	} else {
		int result = lib->odb_read(&object, repo->odb, oid);

		if (result != 0)
			return result;
		text = slice_make(lib->odb_object_data(object), lib->odb_object_size(object));
		*type = lib->odb_object_type(object);
	}
	*len = text.len;
	*data = lib->odb_backend_data_alloc(backend, text.len + 1);
	if (*data)
		memcpy(*data, text.len > 0 ? text.ptr : "", text.len);
	lib->odb_object_free(object);
	return *data ? 0 : GIT_ERROR;
}

static int objects_backend_read_header(size_t *len, git_object_t *type, git_odb_backend *backend,
				       const git_oid *oid)
{
	struct repo *repo = ((struct objects_backend *)backend)->repo;
	struct object_id id = lib_id(oid);
	const struct fresh_object *fresh = objects_find(repo, &id);

	if (!fresh)
		return repo->lib.odb_read_header(len, type, repo->odb, oid);
	*len = fresh->data.len;
	*type = fresh->type;
	return 0;
}

/* Writes the loose file of one, and keeps what it says. */
static int objects_write_file(struct repo *repo, struct fresh_object *object, struct slice data)
{
	/* The first commit starts from the empty tree, which no log holds as no commit names it. */
	bool empty = data.len == 0 && object->type == GIT_OBJECT_TREE;
	STR_AUTO text = STR_INIT;

	str_printf(&text, "%s %zu",
		   object->type == GIT_OBJECT_BLOB   ? "blob"
		   : object->type == GIT_OBJECT_TREE ? "tree"
						     : "commit",
		   data.len);
	str_addc(&text, '\0');
	str_add(&text, data);
	objects_compress(repo, str_slice(&text), &object->file);
	if (objects_put_file(repo, &object->id, str_slice(&object->file), empty,
			     &repo->fresh.why) != 0)
		return GIT_ERROR;
	if (empty)
		str_release(&object->file);
	return 0;
}

/* One that the repository has already is written again, which keeps it from a prune. */
static int objects_backend_write(git_odb_backend *backend, const git_oid *oid, const void *data,
				 size_t len, git_object_t type)
{
	struct repo *repo = ((struct objects_backend *)backend)->repo;
	struct fresh *fresh = &repo->fresh;
	struct fresh_object object = {.id = lib_id(oid), .type = type};

	if (fresh->held && objects_find(repo, &object.id))
		return 0;
	str_init(&object.file);
	str_init(&object.data);
	if (!fresh->held && objects_write_file(repo, &object, slice_make(data, len)) != 0) {
		str_release(&object.file);
		return GIT_ERROR;
	}
	if (!fresh->held && object.file.len == 0)
		return 0;
	str_add(&object.data, slice_make(data, len));
	if (!fresh->held && fresh->count - fresh->settled >= FRESH_MAX)
		objects_drop(fresh, fresh->settled + 1);
	object.number = ++fresh->made;
	*MEM_ADD(fresh->items, fresh->count, fresh->cap) = object;
	return 0;
}

void objects_hold(struct repo *repo)
{
	repo->fresh.held = true;
}

void objects_release_held(struct repo *repo)
{
	struct fresh *fresh = &repo->fresh;

	if (!fresh->held)
		return;
	fresh->held = false;
	for (size_t i = fresh->settled; i < fresh->count; i++) {
		struct fresh_object *object = &fresh->items[i];

		/* One that cannot be written is made again of the change, by who records it. */
		if (object->file.len == 0 &&
		    objects_write_file(repo, object, str_slice(&object->data)) != 0) {
			objects_drop_from(fresh, i);
			return;
		}
	}
}

static void objects_backend_free(git_odb_backend *backend)
{
	free(backend);
}

int objects_open(struct repo *repo, struct err *err)
{
	const struct lib *lib = &repo->lib;
	struct objects_backend *backend = mem_zalloc(1, sizeof *backend);
	git_odb *odb = NULL;
	git_repository *maker = NULL;

	backend->base.version = GIT_ODB_BACKEND_VERSION;
	backend->base.read = objects_backend_read;
	backend->base.read_header = objects_backend_read_header;
	backend->base.write = objects_backend_write;
	backend->base.free = objects_backend_free;
	backend->repo = repo;
	int result = lib->odb_new(&odb);
	if (result == 0)
		result = lib->odb_add_backend(odb, &backend->base, 1);
	if (result != 0)
		free(backend);
	else
		result = lib->repository_wrap_odb(&maker, odb);
	/* The repository holds on to it. */
	lib->odb_free(odb);
	if (result != 0)
		return lib_error(lib, err, "open the history in %s", repo->place.ptr);
	repo->maker = maker;
	return 0;
}

void objects_forget(struct repo *repo)
{
	objects_drop(&repo->fresh, repo->fresh.count);
}

void objects_detach(struct repo *repo)
{
	struct fresh *fresh = &repo->fresh;

	repo->lib.repository_free(repo->maker);
	repo->maker = NULL;
	objects_drop(fresh, fresh->held ? fresh->settled : fresh->count);
}

void objects_close(struct repo *repo)
{
	objects_detach(repo);
	objects_forget(repo);
	free(repo->fresh.items);
	repo->fresh = (struct fresh){.made = repo->fresh.made};
}

int objects_error(const struct repo *repo, const char *what, struct err *err)
{
	if (repo->fresh.why.code == ERR_NONE)
		return lib_error(&repo->lib, err, "%s in %s", what, repo->folder.ptr);
	*err = repo->fresh.why;
	return -1;
}
