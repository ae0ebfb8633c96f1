#include "git/index_names.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#define SIGNATURE 0x44495243u /* "DIRC" */
#define STAT_BYTES 40         /* times, device, inode, mode, owner, size */
#define SHA1_BYTES 20
#define SHA256_BYTES 32
#define FLAG_EXTENDED 0x4000u
#define NAME_LEN_MASK 0x0fffu
#define NAME_MAX_BYTES 4096
#define ENTRIES_MAX 50000000u
#define GIT_FILE_MAX ((size_t)4096)
#define SHARED_PREFIX "sharedindex."

struct reader {
	const struct sys *sys;
	int fd;
	size_t at; /* in buf */
	size_t len;
	uint64_t consumed;
	bool bad;   /* ended early, or not an index */
	int number; /* errno of what failed, or 0 */
	unsigned char buf[65536];
};

/* The next byte; 0 and r->bad at the end. */
static unsigned char index_next(struct reader *r)
{
	if (r->at == r->len && !r->bad) {
		ssize_t got;

		do
			got = r->sys->read(r->fd, r->buf, sizeof r->buf);
		while (got < 0 && errno == EINTR);
		r->number = got < 0 ? errno : 0;
		r->at = 0;
		r->len = got > 0 ? (size_t)got : 0;
		r->bad = got <= 0;
	}
	if (r->at == r->len)
		return 0;
	r->consumed++;
	return r->buf[r->at++];
}

static void index_skip(struct reader *r, size_t count)
{
	for (size_t i = 0; i < count && !r->bad; i++)
		index_next(r);
}

static uint32_t index_next_number(struct reader *r, size_t bytes)
{
	uint32_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | index_next(r);
	return value;
}

/* Version 4 writes how much of the name before is dropped in groups of seven bits. */
static size_t index_next_varint(struct reader *r)
{
	unsigned char byte = index_next(r);
	size_t value = byte & 0x7f;

	while (byte & 0x80 && !r->bad) {
		if (value > NAME_MAX_BYTES) {
			r->bad = true;
			return 0;
		}
		byte = index_next(r);
		value = ((value + 1) << 7) | (byte & 0x7f);
	}
	return value;
}

/* Reads an entry's name into *name, which holds the one before. */
static void index_next_name(struct reader *r, uint32_t version, size_t hash_bytes, struct str *name)
{
	uint64_t start = r->consumed;
	unsigned char byte;

	index_skip(r, STAT_BYTES + hash_bytes);
	uint32_t flags = index_next_number(r, 2);
	if (flags & FLAG_EXTENDED) {
		r->bad = r->bad || version < 3;
		index_skip(r, 2);
	}
	if (version == 4) {
		size_t drop = index_next_varint(r);

		if (drop > name->len) {
			r->bad = true;
			return;
		}
		str_truncate(name, name->len - drop);
	} else {
		str_clear(name);
	}
	while (!r->bad && (byte = index_next(r)) != 0) {
		str_addc(name, (char)byte);
		r->bad = r->bad || name->len > NAME_MAX_BYTES;
	}
	/* The length is written down, too: with another size of hash it would not agree. */
	if ((name->len < NAME_LEN_MASK ? name->len : NAME_LEN_MASK) != (flags & NAME_LEN_MASK))
		r->bad = true;
	if (version < 4) {
		while (!r->bad && (r->consumed - start) % 8 != 0)
			r->bad = index_next(r) != 0 || r->bad;
	}
}

/* How a name lies to the path: before it, at or below it, or behind all that could be. */
enum side { BEFORE, WITHIN, BEHIND };

static enum side index_side_of(struct slice name, struct slice path, struct slice *below)
{
	size_t common = name.len < path.len ? name.len : path.len;

	if (!name.ptr || !path.ptr)
		return BEFORE;
	int order = memcmp(name.ptr, path.ptr, common);
	if (order != 0)
		return order < 0 ? BEFORE : BEHIND;
	*below = slice_make(name.ptr + common, 0);
	if (name.len <= path.len) /* a folder of a sparse index ends in a slash */
		return name.len == path.len || name.ptr[name.len - 1] == '/' ? WITHIN : BEFORE;
	if (name.ptr[path.len] != '/')
		return name.ptr[path.len] < '/' ? BEFORE : BEHIND;
	*below = slice_make(name.ptr + path.len + 1, name.len - path.len - 1);
	return WITHIN;
}

/* Returns what the visitor said; r->bad when the file is no index with hashes of this size. */
static int index_walk_entries(struct reader *r, size_t hash_bytes, struct slice path,
			      index_visitor visit, void *context)
{
	STR_AUTO name = STR_INIT;
	int result = 0;

	if (index_next_number(r, 4) != SIGNATURE)
		r->bad = true;
	uint32_t version = index_next_number(r, 4);
	uint32_t count = index_next_number(r, 4);
	if (version < 2 || version > 4 || count > ENTRIES_MAX)
		r->bad = true;
	for (uint32_t i = 0; i < count && !r->bad && result == 0; i++) {
		struct slice below;

		index_next_name(r, version, hash_bytes, &name);
		if (r->bad)
			break;
		if (name.len == 0)
			continue; /* in a split index: replaces an entry of the shared file */
		enum side side = index_side_of(str_slice(&name), path, &below);
		if (side == BEHIND)
			break;
		if (side == WITHIN)
			result = visit(context, below);
	}
	return result;
}

/*
 * True if the file cannot be read by this user, or vanished during the look. Another try would find
 * the same.
 */
static enum err_code index_code_of(int number)
{
	return number == EACCES || number == ENOTDIR || number == ENOENT || number == ELOOP
		       ? ERR_BAD_DATA
		       : ERR_IO;
}

static int index_open_regular(const struct sys *sys, int dirfd, const char *name, int *out,
			      struct err *err)
{
	struct stat st;
	int fd = file_open(sys, dirfd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);

	*out = -1;
	if (fd < 0)
		return errno == ENOENT ? 0
				       : err_set_errno(err, index_code_of(errno), errno,
						       "cannot open the git index %s", name);
	if (sys->fstat(fd, &st) != 0) {
		err_set_errno(err, ERR_IO, errno, "cannot look at the git index %s", name);
		file_close(sys, &fd);
		return -1;
	}
	if (!S_ISREG(st.st_mode)) {
		file_close(sys, &fd);
		return err_set(err, ERR_BAD_DATA, "the git index %s is not a regular file", name);
	}
	*out = fd;
	return 0;
}

/* Walks one index file. *ended says that the visitor has seen enough. */
static int index_walk_file(const struct sys *sys, int dirfd, const char *name, struct slice path,
			   index_visitor visit, void *context, bool *ended, struct err *err)
{
	static const size_t hash_sizes[] = {SHA1_BYTES, SHA256_BYTES};
	struct reader *r = mem_zalloc(1, sizeof *r);
	bool bad = true;
	int number = 0;

	for (size_t i = 0; bad && number == 0 && i < 2; i++) {
		*r = (struct reader){.sys = sys};
		if (index_open_regular(sys, dirfd, name, &r->fd, err) != 0) {
			free(r);
			return -1;
		}
		if (r->fd < 0) {
			free(r);
			return 0;
		}
		*ended = index_walk_entries(r, hash_sizes[i], path, visit, context) != 0;
		bad = r->bad;
		number = r->number;
		file_close(sys, &r->fd);
	}
	free(r);
	if (number)
		return err_set_errno(err, ERR_IO, number, "cannot read the git index %s", name);
	if (bad)
		return err_set(err, ERR_BAD_DATA, "the git index %s cannot be understood", name);
	return 0;
}

/*
 * A split index keeps most names in shared files beside it. One that is no longer in use may name
 * too much for two weeks: that errs on the safe side.
 */
static int index_walk_shared(const struct sys *sys, int dirfd, struct slice path,
			     index_visitor visit, void *context, bool *ended, struct err *err)
{
	int fd = file_open(sys, dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	const struct dirent *entry;
	int result = 0;

	if (!dir) {
		err_set_errno(err, ERR_IO, errno, "cannot read a git folder");
		file_close(sys, &fd);
		return -1;
	}
	errno = 0;
	while (result == 0 && !*ended && (entry = sys->readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, SHARED_PREFIX, strlen(SHARED_PREFIX)) == 0)
			result = index_walk_file(sys, dirfd, entry->d_name, path, visit, context,
						 ended, err);
		errno = 0;
	}
	if (result == 0 && !*ended && errno != 0)
		result = err_set_errno(err, ERR_IO, errno, "cannot read a git folder");
	sys->closedir(dir);
	return result;
}

int index_names_walk(const struct sys *sys, const char *git_dir, const char *path,
		     index_visitor visit, void *context, struct err *err)
{
	bool ended = false;
	int dirfd = file_open(sys, AT_FDCWD, git_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

	if (dirfd < 0)
		return err_set_errno(err, index_code_of(errno), errno, "cannot open %s", git_dir);
	int result = index_walk_file(sys, dirfd, "index", slice_of(path), visit, context, &ended,
				     err);
	if (result == 0 && !ended)
		result = index_walk_shared(sys, dirfd, slice_of(path), visit, context, &ended, err);
	file_close(sys, &dirfd);
	return result;
}

static int index_note_name(void *context, struct slice below)
{
	(void)below;
	*(bool *)context = true;
	return 1;
}

int index_names_below(const struct sys *sys, const char *git_dir, const char *path, bool *named,
		      struct err *err)
{
	*named = false;
	return index_names_walk(sys, git_dir, path, index_note_name, named, err);
}

/* Reads "gitdir: PATH"; a relative path starts at the work tree. */
static int index_read_git_file(const struct sys *sys, const char *root, const char *file,
			       struct str *git_dir, struct err *err)
{
	static const char begin[] = "gitdir: ";
	STR_AUTO text = STR_INIT;
	struct file_id id;

	if (file_read(sys, AT_FDCWD, file, GIT_FILE_MAX, &text, &id, err) != 0)
		return -1;
	str_adds(&text, "");
	str_truncate(&text, strcspn(text.ptr, "\r\n"));
	if (text.len <= strlen(begin) || !slice_starts(str_slice(&text), begin))
		return err_set(err, ERR_BAD_DATA, "%s does not name a git folder", file);
	path_join(git_dir, root, text.ptr + strlen(begin));
	return 0;
}

int index_git_dir(const struct sys *sys, const char *root, struct str *git_dir, bool *found,
		  struct err *err)
{
	STR_AUTO path = STR_INIT;
	struct stat st;

	*found = false;
	path_join(&path, strcmp(root, "/") == 0 ? "" : root, ".git");
	if (sys->fstatat(AT_FDCWD, path.ptr, &st, 0) != 0) {
		/* A folder that is closed to this user tells nothing of what is in it. */
		if (errno == ENOENT || errno == ENOTDIR || errno == EACCES)
			return 0;
		return err_set_errno(err, ERR_IO, errno, "cannot look at %s", path.ptr);
	}
	*found = true;
	if (S_ISDIR(st.st_mode)) {
		str_clear(git_dir);
		str_adds(git_dir, path.ptr);
		return 0;
	}
	return index_read_git_file(sys, root, path.ptr, git_dir, err);
}
