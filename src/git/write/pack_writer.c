#include "git/write/pack_writer.h"

#include "base/arena.h"
#include "base/hmac.h"
#include "base/map.h"
#include "base/mem.h"
#include "git/write/own_packs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* A name that both git and pack_run() take for what a killed process left. */
#define TEMP_NAME PACK_FOLDER "/tmp_git2_kota"
#define TEMP_INDEX_NAME TEMP_NAME "_index"

/* A text that is a difference from a difference from ...: git itself goes so deep. */
#define DEPTH_MAX 50

/* So many texts are remembered to compare the next ones with. */
#define LATELY 8

/* To compress a short text takes longer than to write it; what is long is nearly always a text that
 * no other is like. */
#define COMPRESS_MIN 1024
#define COMPRESS_LEVEL 6

#define BUFFER_BYTES ((size_t)1 << 20)
#define HEAD_BYTES 12
#define OFS_DELTA 6

/* Most bytes in a part of a stream that is not compressed, and in one step of a difference. */
#define STORED_MAX 0xffff
#define INSERT_MAX 0x7f

struct packed {
	struct object_id id;
	uint32_t crc;
	uint64_t at;
};

/* A text that was added lately. */
struct lately {
	git_object_t type; /* 0: none */
	struct str text;
	uint64_t at;
	unsigned depth;
	size_t turn; /* when it was added */
};

struct pack_writer {
	struct repo *repo;
	struct str path;
	int fd;
	struct str buffer; /* to be written behind what is */
	uint64_t written;
	struct packed *items;
	size_t count;
	size_t cap;
	struct map by_id;
	struct arena ids;
	struct lately lately[LATELY];
	struct str delta;
	uint32_t crcs[256];
};

static int pack_writer_error(const struct pack_writer *writer, const char *what, struct err *err)
{
	return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot %s %s", what, writer->path.ptr);
}

static void pack_writer_fill_crcs(struct pack_writer *writer)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
		writer->crcs[i] = crc;
	}
}

int pack_writer_open(struct pack_writer **out, struct repo *repo, struct err *err)
{
	struct pack_writer *writer = mem_zalloc(1, sizeof *writer);

	writer->repo = repo;
	str_init(&writer->path);
	str_init(&writer->buffer);
	str_init(&writer->delta);
	for (int i = 0; i < LATELY; i++)
		str_init(&writer->lately[i].text);
	pack_writer_fill_crcs(writer);
	repo_path(repo, TEMP_NAME, &writer->path);
	repo->sys->unlinkat(AT_FDCWD, writer->path.ptr, 0);
	writer->fd = file_open(repo->sys, AT_FDCWD, writer->path.ptr,
			       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
	if (writer->fd < 0) {
		pack_writer_error(writer, "make", err);
		pack_writer_free(writer);
		return -1;
	}
	/* The number of objects is filled in at the end. */
	str_add(&writer->buffer, slice_make("PACK\0\0\0\2\0\0\0\0", HEAD_BYTES));
	*out = writer;
	return 0;
}

void pack_writer_free(struct pack_writer *writer)
{
	if (!writer)
		return;
	if (writer->fd >= 0)
		writer->repo->sys->unlinkat(AT_FDCWD, writer->path.ptr, 0);
	file_close(writer->repo->sys, &writer->fd);
	for (int i = 0; i < LATELY; i++)
		str_release(&writer->lately[i].text);
	str_release(&writer->path);
	str_release(&writer->buffer);
	str_release(&writer->delta);
	map_release(&writer->by_id);
	arena_release(&writer->ids);
	free(writer->items);
	free(writer);
}

static struct slice pack_writer_id(const struct object_id *id)
{
	return slice_make((const char *)id->bytes, sizeof id->bytes);
}

bool pack_writer_has(const struct pack_writer *writer, const struct object_id *id)
{
	return map_get(&writer->by_id, pack_writer_id(id), NULL);
}

/* ---- differences */

static size_t pack_writer_same_begin(struct slice a, struct slice b)
{
	size_t most = a.len < b.len ? a.len : b.len;
	size_t len = 0;

	while (len + 64 <= most && memcmp(a.ptr + len, b.ptr + len, 64) == 0)
		len += 64;
	while (len < most && a.ptr[len] == b.ptr[len])
		len++;
	return len;
}

static size_t pack_writer_same_end(struct slice a, struct slice b)
{
	size_t most = a.len < b.len ? a.len : b.len;
	size_t len = 0;

	while (len + 64 <= most &&
	       memcmp(a.ptr + a.len - len - 64, b.ptr + b.len - len - 64, 64) == 0)
		len += 64;
	while (len < most && a.ptr[a.len - len - 1] == b.ptr[b.len - len - 1])
		len++;
	return len;
}

/* Seven bits a byte, the lowest first. */
static void pack_writer_add_size(struct str *out, uint64_t size)
{
	for (; size > 0x7f; size >>= 7)
		str_addc(out, (char)(0x80 | (size & 0x7f)));
	str_addc(out, (char)size);
}

/* What is taken from the other text; of numbers only the bytes that are not 0 are written. */
static void pack_writer_add_copy(struct str *out, uint64_t at, size_t len)
{
	while (len > 0) {
		size_t part = len < STORED_MAX ? len : STORED_MAX;
		size_t head = out->len;
		unsigned char what = 0x80;

		str_addc(out, 0);
		for (int i = 0; i < 4; i++) {
			if (at >> (8 * i) & 0xff) {
				what |= (unsigned char)(1 << i);
				str_addc(out, (char)(at >> (8 * i) & 0xff));
			}
		}
		for (int i = 0; i < 2; i++) {
			if (part >> (8 * i) & 0xff) {
				what |= (unsigned char)(0x10 << i);
				str_addc(out, (char)(part >> (8 * i) & 0xff));
			}
		}
		out->ptr[head] = (char)what;
		at += part;
		len -= part;
	}
}

static void pack_writer_add_insert(struct str *out, struct slice text)
{
	while (text.len > 0) {
		size_t part = text.len < INSERT_MAX ? text.len : INSERT_MAX;

		str_addc(out, (char)part);
		str_add(out, slice_make(text.ptr, part));
		text = slice_make(text.ptr + part, text.len - part);
	}
}

static void pack_writer_compare(struct str *out, struct slice from, struct slice to)
{
	size_t begin = pack_writer_same_begin(from, to);
	struct slice from_rest = slice_make(from.ptr + begin, from.len - begin);
	struct slice to_rest = slice_make(to.ptr + begin, to.len - begin);
	size_t end = pack_writer_same_end(from_rest, to_rest);

	str_clear(out);
	pack_writer_add_size(out, from.len);
	pack_writer_add_size(out, to.len);
	pack_writer_add_copy(out, 0, begin);
	pack_writer_add_insert(out, slice_make(to_rest.ptr, to_rest.len - end));
	pack_writer_add_copy(out, from.len - end, end);
}

/* A commit differs from the next from its second line on. */
static bool pack_writer_has_versions(git_object_t type)
{
	return type == GIT_OBJECT_BLOB || type == GIT_OBJECT_TREE;
}

/* The one that has most in common with the text, where a difference is much shorter; or NULL. */
static struct lately *pack_writer_find_like(struct pack_writer *writer, git_object_t type,
					    struct slice text)
{
	struct lately *best = NULL;
	size_t most = text.len / 2;

	for (int i = 0; i < LATELY && pack_writer_has_versions(type); i++) {
		struct lately *other = &writer->lately[i];

		/* A place in the other text has four bytes. */
		if (other->type != type || other->depth >= DEPTH_MAX ||
		    other->text.len > UINT32_MAX)
			continue;
		size_t same = pack_writer_same_begin(str_slice(&other->text), text);
		if (same < text.len)
			same += pack_writer_same_end(str_slice(&other->text), text);
		if (same > most) {
			most = same;
			best = other;
		}
	}
	return best;
}

/* In the place of the one that it is like, else of the oldest. */
static void pack_writer_remember(struct pack_writer *writer, struct lately *like,
				 const struct lately *now, struct slice text)
{
	struct lately *slot = like ? like : &writer->lately[0];

	for (int i = 0; i < LATELY && !like; i++) {
		if (writer->lately[i].turn < slot->turn)
			slot = &writer->lately[i];
	}
	slot->type = now->type;
	slot->at = now->at;
	slot->depth = now->depth;
	slot->turn = writer->count + 1;
	str_clear(&slot->text);
	str_add(&slot->text, text);
}

/* ---- objects */

static void pack_writer_add_head(struct str *out, unsigned type, uint64_t size)
{
	unsigned first = type << 4 | (size & 15);

	size >>= 4;
	str_addc(out, (char)(size > 0 ? first | 0x80 : first));
	if (size > 0)
		pack_writer_add_size(out, size);
}

/* How far back the other object begins. */
static void pack_writer_add_distance(struct str *out, uint64_t distance)
{
	char bytes[10];
	size_t at = sizeof bytes - 1;

	bytes[at] = (char)(distance & 0x7f);
	while (distance >>= 7)
		bytes[--at] = (char)(0x80 | (--distance & 0x7f));
	str_add(out, slice_make(bytes + at, sizeof bytes - at));
}

static uint32_t pack_writer_adler(struct slice text)
{
	uint32_t a = 1;
	uint32_t b = 0;

	for (size_t i = 0; i < text.len;) {
		/* As many as fit into 32 bits. */
		size_t end = text.len - i > 5552 ? i + 5552 : text.len;

		for (; i < end; i++) {
			a += (unsigned char)text.ptr[i];
			b += a;
		}
		a %= 65521;
		b %= 65521;
	}
	return b << 16 | a;
}

static void pack_writer_add_number(struct str *out, uint64_t number, int bytes)
{
	while (bytes-- > 0)
		str_addc(out, (char)(number >> (8 * bytes) & 0xff));
}

/* A stream as zlib makes it; false, and nothing added, where that is not worth its time. */
static bool pack_writer_add_compressed(const struct lib *lib, struct str *out, struct slice text)
{
	/* As zlib's own bound, and a little more. */
	unsigned long len = text.len + (text.len >> 10) + 64;

	if (!lib->compress || text.len < COMPRESS_MIN)
		return false;
	str_reserve(out, len);
	if (lib->compress((unsigned char *)out->ptr + out->len, &len,
			  (const unsigned char *)text.ptr, text.len, COMPRESS_LEVEL) != 0)
		return false;
	out->len += len;
	return true;
}

/* A stream as zlib reads it: of parts that are not compressed, where it is short. */
static void pack_writer_add_stream(const struct lib *lib, struct str *out, struct slice text)
{
	if (pack_writer_add_compressed(lib, out, text))
		return;
	uint32_t sum = pack_writer_adler(text);
	str_adds(out, "\x78\x01");
	do {
		size_t part = text.len < STORED_MAX ? text.len : STORED_MAX;

		str_addc(out, part == text.len);
		str_addc(out, (char)(part & 0xff));
		str_addc(out, (char)(part >> 8));
		str_addc(out, (char)~(part & 0xff));
		str_addc(out, (char)~(part >> 8));
		str_add(out, slice_make(text.ptr, part));
		text = slice_make(text.ptr + part, text.len - part);
	} while (text.len > 0);
	pack_writer_add_number(out, sum, 4);
}

static uint32_t pack_writer_crc(const struct pack_writer *writer, struct slice text)
{
	uint32_t crc = 0xffffffffu;

	for (size_t i = 0; i < text.len; i++)
		crc = crc >> 8 ^ writer->crcs[(crc ^ (unsigned char)text.ptr[i]) & 0xff];
	return ~crc;
}

static int pack_writer_flush(struct pack_writer *writer, struct err *err)
{
	if (file_write_all(writer->repo->sys, writer->fd, str_slice(&writer->buffer), err) != 0) {
		err->code = ERR_NO_HISTORY;
		return err_prefix(err, "%s", writer->path.ptr);
	}
	writer->written += writer->buffer.len;
	str_clear(&writer->buffer);
	return 0;
}

int pack_writer_add(struct pack_writer *writer, git_object_t type, const struct object_id *id,
		    struct slice text, struct err *err)
{
	struct lately now = {.type = type, .at = writer->written + writer->buffer.len};
	size_t begin = writer->buffer.len;

	if (pack_writer_has(writer, id))
		return 0;
	struct lately *like = pack_writer_find_like(writer, type, text);
	if (like) {
		now.depth = like->depth + 1;
		pack_writer_compare(&writer->delta, str_slice(&like->text), text);
		pack_writer_add_head(&writer->buffer, OFS_DELTA, writer->delta.len);
		pack_writer_add_distance(&writer->buffer, now.at - like->at);
		pack_writer_add_stream(&writer->repo->lib, &writer->buffer,
				       str_slice(&writer->delta));
	} else {
		pack_writer_add_head(&writer->buffer, (unsigned)type, text.len);
		pack_writer_add_stream(&writer->repo->lib, &writer->buffer, text);
	}
	if (pack_writer_has_versions(type))
		pack_writer_remember(writer, like, &now, text);
	map_put(&writer->by_id, arena_copy(&writer->ids, pack_writer_id(id)), writer->count);
	*MEM_ADD(writer->items, writer->count, writer->cap) = (struct packed){
		.id = *id,
		.at = now.at,
		.crc = pack_writer_crc(
			writer, slice_make(writer->buffer.ptr + begin, writer->buffer.len - begin)),
	};
	return writer->buffer.len < BUFFER_BYTES ? 0 : pack_writer_flush(writer, err);
}

/* ---- the end */

/* The hash of all that is in the file, with the number of objects in its head. */
static int pack_writer_hash(struct pack_writer *writer, unsigned char out[SHA1_BYTES],
			    struct err *err)
{
	const struct sys *sys = writer->repo->sys;
	STR_AUTO part = STR_INIT;
	struct sha1 sha1;
	off_t at = 0;

	str_clear(&part);
	pack_writer_add_number(&part, writer->count, 4);
	if (sys->pwrite(writer->fd, part.ptr, part.len, HEAD_BYTES - 4) != (ssize_t)part.len)
		return pack_writer_error(writer, "write", err);
	sha1_begin(&sha1);
	do {
		if (file_pread(sys, writer->fd, at, BUFFER_BYTES, BUFFER_BYTES, &part) != 0)
			return pack_writer_error(writer, "read", err);
		sha1_add(&sha1, str_slice(&part));
		at += (off_t)part.len;
	} while (part.len > 0);
	sha1_end(&sha1, out);
	return (uint64_t)at == writer->written
		       ? 0
		       : err_set(err, ERR_NO_HISTORY, "%s was changed", writer->path.ptr);
}

static int pack_writer_by_id(const void *a, const void *b)
{
	const struct packed *left = a;
	const struct packed *right = b;

	return memcmp(left->id.bytes, right->id.bytes, sizeof left->id.bytes);
}

/* How many ids begin with each byte or a smaller one; the ids; sums; places; two hashes. */
static void pack_writer_compose_index(struct pack_writer *writer, struct str *out,
				      const unsigned char hash[SHA1_BYTES])
{
	STR_AUTO far_places = STR_INIT;
	unsigned char own[SHA1_BYTES];
	struct sha1 sha1;
	size_t n = 0;

	qsort(writer->items, writer->count, sizeof *writer->items, pack_writer_by_id);
	str_add(out, slice_make("\377tOc\0\0\0\2", 8));
	for (unsigned first = 0; first < 256; first++) {
		while (n < writer->count && writer->items[n].id.bytes[0] <= first)
			n++;
		pack_writer_add_number(out, n, 4);
	}
	for (size_t i = 0; i < writer->count; i++)
		str_add(out, pack_writer_id(&writer->items[i].id));
	for (size_t i = 0; i < writer->count; i++)
		pack_writer_add_number(out, writer->items[i].crc, 4);
	for (size_t i = 0; i < writer->count; i++) {
		uint64_t at = writer->items[i].at;

		/* Places from 2 GB on have eight bytes, in a list of their own. */
		pack_writer_add_number(out, at >> 31 ? 0x80000000u | far_places.len / 8 : at, 4);
		if (at >> 31)
			pack_writer_add_number(&far_places, at, 8);
	}
	str_add(out, str_slice(&far_places));
	str_add(out, slice_make((const char *)hash, SHA1_BYTES));
	sha1_begin(&sha1);
	sha1_add(&sha1, str_slice(out));
	sha1_end(&sha1, own);
	str_add(out, slice_make((const char *)own, sizeof own));
}

/* First the pack is there, then the index, which makes others see it: both whole and durable. */
static int pack_writer_place(struct pack_writer *writer, const char *name, struct slice index,
			     struct err *err)
{
	const struct sys *sys = writer->repo->sys;
	STR_AUTO path = STR_INIT;
	STR_AUTO temp = STR_INIT;

	repo_path(writer->repo, TEMP_INDEX_NAME, &temp);
	repo_path(writer->repo, PACK_FOLDER "/", &path);
	str_printf(&path, "%s.pack", name);
	if (git_file_put(sys, temp.ptr, 0444, index, true, err) != 0 ||
	    own_packs_set(writer->repo, name, true, err) != 0)
		return -1;
	if (file_fsync(sys, writer->fd) != 0)
		return pack_writer_error(writer, "make durable", err);
	if (sys->renameat2(AT_FDCWD, writer->path.ptr, AT_FDCWD, path.ptr, 0) != 0)
		return pack_writer_error(writer, "rename", err);
	file_close(sys, &writer->fd);
	str_truncate(&path, path.len - strlen("pack"));
	str_adds(&path, "idx");
	if (sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path.ptr, 0) != 0)
		return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot make %s", path.ptr);
	repo_path(writer->repo, PACK_FOLDER, &path);
	return git_file_sync(sys, path.ptr, err);
}

int pack_writer_finish(struct pack_writer *writer, struct str *name, struct err *err)
{
	unsigned char hash[SHA1_BYTES];
	STR_AUTO index = STR_INIT;
	size_t len;

	str_clear(name);
	if (writer->count == 0)
		return 0;
	if (pack_writer_flush(writer, err) != 0 || pack_writer_hash(writer, hash, err) != 0)
		return -1;
	str_add(&writer->buffer, slice_make((const char *)hash, sizeof hash));
	if (pack_writer_flush(writer, err) != 0)
		return -1;
	pack_writer_compose_index(writer, &index, hash);
	str_adds(name, "pack-");
	len = name->len;
	for (size_t i = 0; i < sizeof hash; i++)
		str_printf(name, "%02x", hash[i]);
	if (name->len != len + OBJECT_ID_DIGITS ||
	    pack_writer_place(writer, name->ptr, str_slice(&index), err) != 0)
		return -1;
	writer->repo->lib.odb_refresh(writer->repo->odb);
	return 0;
}
