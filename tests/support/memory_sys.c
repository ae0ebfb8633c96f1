#include "support/memory_sys.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_NODES 64
#define MAX_OPEN 64
#define FIRST_FD 1000
#define ROOT 0

struct node {
	bool used;
	bool linked; /* has a name; else it lives as long as somebody has it open */
	bool folder;
	int parent;
	int opens;
	char name[NAME_MAX + 1];
	struct str bytes;
	mode_t mode;
	ino_t ino;
	int64_t changed_ns;
};

struct handle {
	bool used;
	int node;
	int flags;
	size_t at;           /* in the bytes of a file, or among the nodes for a folder */
	struct dirent entry; /* what readdir found last */
};

/* The table has no context pointer, so what it knows can only be here. */
static struct {
	int64_t now_ms;
	int64_t ticks; /* so that no two changes have the same time */
	ino_t last_ino;
	size_t node_end; /* no node is used from here on */
	struct node nodes[MAX_NODES];
	struct handle open[MAX_OPEN];
} state;

static int fail(int number)
{
	errno = number;
	return -1;
}

_Noreturn static void die(const char *what)
{
	fprintf(stderr, "memory_sys: %s\n", what);
	abort();
}

static void touch(struct node *node)
{
	node->changed_ns = state.now_ms * 1000000 + ++state.ticks;
}

static int find_in(int folder, struct slice name)
{
	for (int i = 1; i < (int)state.node_end; i++) {
		const struct node *node = &state.nodes[i];

		if (node->used && node->linked && node->parent == folder &&
		    slice_is(name, node->name))
			return i;
	}
	return -1;
}

/* Walks to the folder that the last name of the path is in. */
static int walk_to(int folder, const char *path, struct slice *last)
{
	*last = slice_of(".");
	for (;;) {
		size_t len;

		while (*path == '/')
			path++;
		len = strcspn(path, "/");
		if (len == 0)
			return folder;
		if (!slice_is(*last, ".")) {
			folder = find_in(folder, *last);
			if (folder < 0)
				return fail(ENOENT);
			if (!state.nodes[folder].folder)
				return fail(ENOTDIR);
		}
		*last = slice_make(path, len);
		path += len;
	}
}

static int node_of_fd(int fd)
{
	int at = fd - FIRST_FD;

	if (at < 0 || at >= MAX_OPEN || !state.open[at].used)
		die("a descriptor that is not open");
	return state.open[at].node;
}

static int begin_of(int dirfd, const char *path)
{
	return *path == '/' || dirfd == AT_FDCWD ? ROOT : node_of_fd(dirfd);
}

/* The node of a path, or -1 with errno; *folder and *last are where it is or would be. */
static int look_up(int dirfd, const char *path, int *folder, struct slice *last)
{
	int node;

	*folder = walk_to(begin_of(dirfd, path), path, last);
	if (*folder < 0)
		return -1;
	node = slice_is(*last, ".") ? *folder : find_in(*folder, *last);
	return node < 0 ? fail(ENOENT) : node;
}

static int add_node(int folder, struct slice name, bool is_folder, mode_t mode)
{
	for (int i = 1; i < MAX_NODES; i++) {
		struct node *node = &state.nodes[i];

		if (node->used)
			continue;
		if (name.len > NAME_MAX)
			return fail(ENAMETOOLONG);
		*node = (struct node){.used = true, .linked = true, .folder = is_folder};
		memcpy(node->name, name.ptr, name.len);
		node->parent = folder;
		node->mode = mode;
		node->ino = ++state.last_ino;
		if ((size_t)i >= state.node_end)
			state.node_end = (size_t)i + 1;
		str_init(&node->bytes);
		touch(node);
		return i;
	}
	die("more files than there is room for");
}

static void drop_unless_needed(struct node *node)
{
	if (node->linked || node->opens > 0)
		return;
	str_release(&node->bytes);
	node->used = false;
}

static void unlink_node(struct node *node)
{
	node->linked = false;
	drop_unless_needed(node);
}

/* ---- the calls */

static int open_node(int node, int flags)
{
	for (int i = 0; i < MAX_OPEN; i++) {
		if (state.open[i].used)
			continue;
		state.open[i] = (struct handle){.used = true, .node = node, .flags = flags};
		state.nodes[node].opens++;
		return FIRST_FD + i;
	}
	die("more open files than there is room for");
}

static int memory_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	struct slice last;
	int folder;
	int node = look_up(dirfd, path, &folder, &last);

	if (node < 0 && (folder < 0 || !(flags & O_CREAT)))
		return -1;
	if (node >= 0 && (flags & O_CREAT) && (flags & O_EXCL))
		return fail(EEXIST);
	if (node < 0)
		node = add_node(folder, last, false, mode);
	if (node < 0)
		return -1;
	if (state.nodes[node].folder ? (flags & O_ACCMODE) != O_RDONLY : (flags & O_DIRECTORY) != 0)
		return fail(state.nodes[node].folder ? EISDIR : ENOTDIR);
	if (flags & O_TRUNC)
		str_clear(&state.nodes[node].bytes);
	return open_node(node, flags);
}

static int memory_close(int fd)
{
	struct node *node = &state.nodes[node_of_fd(fd)];

	state.open[fd - FIRST_FD].used = false;
	node->opens--;
	drop_unless_needed(node);
	return 0;
}

static ssize_t memory_pread(int fd, void *buf, size_t count, off_t offset)
{
	const struct node *node = &state.nodes[node_of_fd(fd)];
	size_t at = (size_t)offset;

	if (node->folder)
		return fail(EISDIR);
	if (at >= node->bytes.len)
		return 0;
	if (count > node->bytes.len - at)
		count = node->bytes.len - at;
	memcpy(buf, node->bytes.ptr + at, count);
	return (ssize_t)count;
}

static ssize_t memory_read(int fd, void *buf, size_t count)
{
	struct handle *handle = &state.open[fd - FIRST_FD];
	ssize_t got = memory_pread(fd, buf, count, (off_t)handle->at);

	if (got > 0)
		handle->at += (size_t)got;
	return got;
}

static void set_length(struct node *node, size_t len)
{
	if (len <= node->bytes.len) {
		str_truncate(&node->bytes, len);
		return;
	}
	while (node->bytes.len < len)
		str_addc(&node->bytes, '\0');
}

static ssize_t memory_pwrite(int fd, const void *buf, size_t count, off_t offset)
{
	struct node *node = &state.nodes[node_of_fd(fd)];
	size_t at = (size_t)offset;

	if (count == 0)
		return 0;
	if (node->bytes.len < at + count)
		set_length(node, at + count);
	memcpy(node->bytes.ptr + at, buf, count);
	touch(node);
	return (ssize_t)count;
}

static ssize_t memory_write(int fd, const void *buf, size_t count)
{
	const struct node *node = &state.nodes[node_of_fd(fd)];
	struct handle *handle = &state.open[fd - FIRST_FD];

	if (handle->flags & O_APPEND)
		handle->at = node->bytes.len;
	memory_pwrite(fd, buf, count, (off_t)handle->at);
	handle->at += count;
	return (ssize_t)count;
}

static int memory_fsync(int fd)
{
	node_of_fd(fd);
	return 0;
}

static int memory_ftruncate(int fd, off_t length)
{
	struct node *node = &state.nodes[node_of_fd(fd)];

	set_length(node, (size_t)length);
	touch(node);
	return 0;
}

static int memory_fchmod(int fd, mode_t mode)
{
	state.nodes[node_of_fd(fd)].mode = mode;
	return 0;
}

static int stat_node(const struct node *node, struct stat *out)
{
	*out = (struct stat){
		.st_dev = 1,
		.st_ino = node->ino,
		.st_mode = node->mode | (node->folder ? S_IFDIR : S_IFREG),
		.st_nlink = node->linked,
		.st_uid = geteuid(),
		.st_size = (off_t)node->bytes.len,
		.st_mtim = {node->changed_ns / 1000000000, node->changed_ns % 1000000000},
	};
	out->st_ctim = out->st_mtim;
	return 0;
}

static int memory_fstat(int fd, struct stat *out)
{
	return stat_node(&state.nodes[node_of_fd(fd)], out);
}

static int memory_fstatat(int dirfd, const char *path, struct stat *out, int flags)
{
	struct slice last;
	int folder;
	int node = look_up(dirfd, path, &folder, &last);

	(void)flags;
	return node < 0 ? -1 : stat_node(&state.nodes[node], out);
}

static int memory_mkdirat(int dirfd, const char *path, mode_t mode)
{
	struct slice last;
	int folder;
	int node = look_up(dirfd, path, &folder, &last);

	if (node >= 0)
		return fail(EEXIST);
	return folder < 0 || add_node(folder, last, true, mode) < 0 ? -1 : 0;
}

static int memory_unlinkat(int dirfd, const char *path, int flags)
{
	struct slice last;
	int folder;
	int node = look_up(dirfd, path, &folder, &last);

	if (node < 0)
		return -1;
	if (state.nodes[node].folder != ((flags & AT_REMOVEDIR) != 0))
		return fail(state.nodes[node].folder ? EISDIR : ENOTDIR);
	unlink_node(&state.nodes[node]);
	return 0;
}

static void give_name(struct node *node, int folder, struct slice name)
{
	memcpy(node->name, name.ptr, name.len);
	node->name[name.len] = '\0';
	node->parent = folder;
}

static int memory_renameat2(int from_dirfd, const char *from, int to_dirfd, const char *to,
			    unsigned int flags)
{
	struct slice old_name;
	struct slice new_name;
	int old_folder;
	int new_folder;
	int node = look_up(from_dirfd, from, &old_folder, &old_name);
	int other = node < 0 ? -1 : look_up(to_dirfd, to, &new_folder, &new_name);

	if (node < 0 || new_folder < 0)
		return -1;
	if (other < 0 && (flags & RENAME_EXCHANGE))
		return fail(ENOENT);
	if (other >= 0 && (flags & RENAME_NOREPLACE))
		return fail(EEXIST);
	if (other >= 0 && other != node && (flags & RENAME_EXCHANGE))
		give_name(&state.nodes[other], old_folder, old_name);
	else if (other >= 0 && other != node)
		unlink_node(&state.nodes[other]);
	give_name(&state.nodes[node], new_folder, new_name);
	return 0;
}

static ssize_t memory_readlinkat(int dirfd, const char *path, char *buf, size_t size)
{
	(void)dirfd;
	(void)path;
	(void)buf;
	(void)size;
	return fail(EINVAL);
}

static int memory_grant(int fd, int operation)
{
	(void)operation;
	node_of_fd(fd);
	return 0;
}

/* An open folder is the handle itself. */
static DIR *memory_fdopendir(int fd)
{
	if (state.nodes[node_of_fd(fd)].folder)
		return (DIR *)(void *)&state.open[fd - FIRST_FD];
	errno = ENOTDIR;
	return NULL;
}

static struct dirent *memory_readdir(DIR *dir)
{
	struct handle *handle = (struct handle *)(void *)dir;

	while (++handle->at < state.node_end) {
		const struct node *node = &state.nodes[handle->at];

		if (!node->used || !node->linked || node->parent != handle->node)
			continue;
		handle->entry.d_ino = node->ino;
		memcpy(handle->entry.d_name, node->name, sizeof node->name);
		return &handle->entry;
	}
	return NULL;
}

static int memory_closedir(DIR *dir)
{
	struct handle *handle = (struct handle *)(void *)dir;

	return memory_close(FIRST_FD + (int)(handle - state.open));
}

static void memory_sleep_ms(int64_t ms)
{
	state.now_ms += ms > 0 ? ms : 0;
}

static int64_t memory_now_ms(void)
{
	return state.now_ms;
}

static const struct sys table = {
	.openat = memory_openat,
	.close = memory_close,
	.read = memory_read,
	.write = memory_write,
	.pread = memory_pread,
	.pwrite = memory_pwrite,
	.fsync = memory_fsync,
	.ftruncate = memory_ftruncate,
	.fchmod = memory_fchmod,
	.fstat = memory_fstat,
	.fstatat = memory_fstatat,
	.mkdirat = memory_mkdirat,
	.unlinkat = memory_unlinkat,
	.renameat2 = memory_renameat2,
	.readlinkat = memory_readlinkat,
	.flock = memory_grant,
	.lease = memory_grant,
	.fdopendir = memory_fdopendir,
	.readdir = memory_readdir,
	.closedir = memory_closedir,
	.sleep_ms = memory_sleep_ms,
	.now_ms = memory_now_ms,
};

/* ---- what tests call */

const struct sys *memory_sys(void)
{
	return &table;
}

void memory_sys_reset(int64_t now_ms)
{
	for (size_t i = 0; i < state.node_end; i++) {
		if (state.nodes[i].used)
			str_release(&state.nodes[i].bytes);
	}
	memset(&state, 0, sizeof state);
	state.now_ms = now_ms;
	state.last_ino = 1;
	state.node_end = 1;
	state.nodes[ROOT] = (struct node){
		.used = true, .linked = true, .folder = true, .parent = -1, .ino = 1, .mode = 0700};
	str_init(&state.nodes[ROOT].bytes);
}

struct slice memory_sys_read(const char *path)
{
	struct slice last;
	int folder;
	int node = look_up(AT_FDCWD, path, &folder, &last);

	if (node < 0 || state.nodes[node].folder)
		return slice_make(NULL, 0);
	return str_slice(&state.nodes[node].bytes);
}

size_t memory_sys_open_count(void)
{
	size_t count = 0;

	for (int i = 0; i < MAX_OPEN; i++)
		count += state.open[i].used;
	return count;
}
