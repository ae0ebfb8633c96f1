#include "git/write/own_packs.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#define LIST_NAME "kota-packs"
#define LIST_MAX ((size_t)1 << 20)

/* "PACK", a version and the number of objects, four bytes each; what is behind them is a hash. */
#define PACK_HEAD_BYTES 12

void own_packs_path(const struct repo *repo, const char *name, const char *ending, struct str *out)
{
	str_printf(out, "%s" PACK_FOLDER "/%s%s", repo->common.ptr, name, ending);
}

static bool own_packs_has_file(const struct repo *repo, const char *name, const char *ending,
			       struct stat *st)
{
	STR_AUTO path = STR_INIT;

	own_packs_path(repo, name, ending, &path);
	return repo->sys->fstatat(AT_FDCWD, path.ptr, st, AT_SYMLINK_NOFOLLOW) == 0;
}

bool own_packs_is_name(const char name[PACK_NAME_SIZE])
{
	struct object_id id;

	return strnlen(name, PACK_NAME_SIZE) == PACK_NAME_SIZE - 1 &&
	       strncmp(name, "pack-", 5) == 0 &&
	       object_id_parse(slice_make(name + 5, OBJECT_ID_DIGITS), &id);
}

/* A store that somebody unpacks may bring a list with it: a name is part of a path. */
static bool own_packs_take_name(struct slice line, char out[PACK_NAME_SIZE])
{
	if (line.len != PACK_NAME_SIZE - 1)
		return false;
	memcpy(out, line.ptr, line.len);
	out[line.len] = '\0';
	return own_packs_is_name(out);
}

static int own_packs_read(const struct repo *repo, struct str *out, struct err *err)
{
	STR_AUTO path = STR_INIT;
	struct file_id id;

	repo_common_path(repo, "", LIST_NAME, &path);
	if (file_read_own(repo->sys, AT_FDCWD, path.ptr, LIST_MAX, out, &id, err) == 0)
		return 0;
	err->code = ERR_NO_HISTORY;
	return -1;
}

/* True if the pack exists, is ours alone, and is of the kind that can be merged. */
static bool own_packs_look_at(const struct repo *repo, struct own_pack *pack)
{
	static const char *const marks[] = {".keep", ".promisor", ".mtimes"};
	unsigned char head[PACK_HEAD_BYTES];
	STR_AUTO path = STR_INIT;
	struct stat st;

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		if (own_packs_has_file(repo, pack->name, marks[i], &st))
			return false;
	}
	if (!own_packs_has_file(repo, pack->name, ".idx", &st))
		return false;
	own_packs_path(repo, pack->name, ".pack", &path);
	int fd = file_open(repo->sys, AT_FDCWD, path.ptr,
			   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	bool read = fd >= 0 && repo->sys->fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		    repo->sys->pread(fd, head, sizeof head, 0) == sizeof head &&
		    memcmp(head, "PACK\0\0\0\2", 8) == 0;
	file_close(repo->sys, &fd);
	if (!read)
		return false;
	pack->bytes = (uint64_t)st.st_size;
	pack->count = (uint32_t)head[8] << 24 | (uint32_t)head[9] << 16 | (uint32_t)head[10] << 8 |
		      head[11];
	return true;
}

static int own_packs_by_count(const void *a, const void *b)
{
	const struct own_pack *left = a;
	const struct own_pack *right = b;

	return left->count != right->count ? (left->count < right->count ? -1 : 1)
					   : strcmp(left->name, right->name);
}

int own_packs_list(struct repo *repo, struct own_pack **out, size_t *count, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct own_pack *packs = NULL;
	struct slice line;
	size_t cap = 0;
	size_t n = 0;

	if (own_packs_read(repo, &text, err) != 0)
		return -1;
	struct slice rest = str_slice(&text);
	while (slice_line(&rest, &line)) {
		struct own_pack pack = {.count = 0};

		if (own_packs_take_name(line, pack.name) && own_packs_look_at(repo, &pack))
			*MEM_ADD(packs, n, cap) = pack;
	}
	if (n > 0)
		qsort(packs, n, sizeof *packs, own_packs_by_count);
	*out = packs;
	*count = n;
	return 0;
}

int own_packs_set(struct repo *repo, const char *pack, bool ours, struct err *err)
{
	const struct sys *sys = repo->sys;
	char name[PACK_NAME_SIZE];
	STR_AUTO text = STR_INIT;
	STR_AUTO next = STR_INIT;
	STR_AUTO path = STR_INIT;
	STR_AUTO temp = STR_INIT;
	struct slice line;
	struct stat st;

	if (own_packs_read(repo, &text, err) != 0)
		return -1;
	struct slice rest = str_slice(&text);
	while (slice_line(&rest, &line)) {
		if (own_packs_take_name(line, name) && strcmp(name, pack) != 0 &&
		    own_packs_has_file(repo, name, ".pack", &st))
			str_printf(&next, "%s\n", name);
	}
	if (ours)
		str_printf(&next, "%s\n", pack);
	repo_common_path(repo, "", LIST_NAME, &path);
	str_printf(&temp, "%s.new", path.ptr);
	if (git_file_put(sys, temp.ptr, 0600, str_slice(&next), true, err) != 0)
		return -1;
	if (sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path.ptr, 0) != 0)
		return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot write %s", path.ptr);
	return 0;
}
