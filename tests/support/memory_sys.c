#include "support/memory_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the calls */

static int open_node(int node, int flags)
{
	for (int i = 0; i < MAX_OPEN; i++) {
		if (memory.open[i].used)
			continue;
		memory.open[i] = (struct handle){.used = true, .node = node, .flags = flags};
		memory.nodes[node].opens++;
		return FIRST_FD + i;
	}
	memory_die("more open files than there is room for");
}

static int memory_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	struct slice last;
	int folder;
	int node = memory_look_up(dirfd, path, &folder, &last);

	if (node < 0 && (folder < 0 || !(flags & O_CREAT)))
		return -1;
	if (node >= 0 && (flags & O_CREAT) && (flags & O_EXCL))
		return memory_fail(EEXIST);
	if (node < 0)
		node = memory_add_node(folder, last, false, mode);
	if (node < 0)
		return -1;
	if (memory.nodes[node].folder ? (flags & O_ACCMODE) != O_RDONLY
				      : (flags & O_DIRECTORY) != 0)
		return memory_fail(memory.nodes[node].folder ? EISDIR : ENOTDIR);
	if (flags & O_TRUNC)
		str_clear(&memory.nodes[node].bytes);
	return open_node(node, flags);
}

/* There are no links, and one root: what is beneath a folder is all that a relative path reaches.
 */
static int memory_openat2(int dirfd, const char *path, const struct open_how *how)
{
	if ((how->resolve & RESOLVE_BENEATH) && *path == '/')
		return memory_fail(EXDEV);
	return memory_openat(dirfd, path, (int)how->flags, (mode_t)how->mode);
}

static int memory_close(int fd)
{
	struct node *node = &memory.nodes[memory_node_of_fd(fd)];

	memory.open[fd - FIRST_FD].used = false;
	node->opens--;
	memory_drop_unless_needed(node);
	return 0;
}

static ssize_t memory_pread(int fd, void *buf, size_t count, off_t offset)
{
	const struct node *node = &memory.nodes[memory_node_of_fd(fd)];
	size_t at = (size_t)offset;

	if (node->folder)
		return memory_fail(EISDIR);
	if (at >= node->bytes.len)
		return 0;
	if (count > node->bytes.len - at)
		count = node->bytes.len - at;
	memcpy(buf, node->bytes.ptr + at, count);
	return (ssize_t)count;
}

static ssize_t memory_read(int fd, void *buf, size_t count)
{
	struct handle *handle = &memory.open[fd - FIRST_FD];
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
	struct node *node = &memory.nodes[memory_node_of_fd(fd)];
	size_t at = (size_t)offset;

	if (count == 0)
		return 0;
	if (node->bytes.len < at + count)
		set_length(node, at + count);
	memcpy(node->bytes.ptr + at, buf, count);
	memory_touch(node);
	return (ssize_t)count;
}

static ssize_t memory_write(int fd, const void *buf, size_t count)
{
	const struct node *node = &memory.nodes[memory_node_of_fd(fd)];
	struct handle *handle = &memory.open[fd - FIRST_FD];

	if (handle->flags & O_APPEND)
		handle->at = node->bytes.len;
	memory_pwrite(fd, buf, count, (off_t)handle->at);
	handle->at += count;
	return (ssize_t)count;
}

static int memory_fsync(int fd)
{
	memory_node_of_fd(fd);
	return 0;
}

static int memory_ftruncate(int fd, off_t length)
{
	struct node *node = &memory.nodes[memory_node_of_fd(fd)];

	set_length(node, (size_t)length);
	memory_touch(node);
	return 0;
}

static int memory_fchmod(int fd, mode_t mode)
{
	memory.nodes[memory_node_of_fd(fd)].mode = mode;
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
	return stat_node(&memory.nodes[memory_node_of_fd(fd)], out);
}

static int memory_fstatat(int dirfd, const char *path, struct stat *out, int flags)
{
	struct slice last;
	int folder;
	int node = memory_look_up(dirfd, path, &folder, &last);

	(void)flags;
	return node < 0 ? -1 : stat_node(&memory.nodes[node], out);
}

/* As on a file system without birth times. */
static int memory_statx(int dirfd, const char *path, int flags, unsigned int mask,
			struct statx *out)
{
	struct stat st;

	(void)mask;
	if ((*path == '\0' ? memory_fstat(dirfd, &st) : memory_fstatat(dirfd, path, &st, flags)) !=
	    0)
		return -1;
	*out = (struct statx){
		.stx_mask = STATX_BASIC_STATS,
		.stx_ino = st.st_ino,
		.stx_mode = (uint16_t)st.st_mode,
		.stx_uid = st.st_uid,
		.stx_nlink = (uint32_t)st.st_nlink,
		.stx_size = (uint64_t)st.st_size,
	};
	return 0;
}

static int memory_mkdirat(int dirfd, const char *path, mode_t mode)
{
	struct slice last;
	int folder;
	int node = memory_look_up(dirfd, path, &folder, &last);

	if (node >= 0)
		return memory_fail(EEXIST);
	return folder < 0 || memory_add_node(folder, last, true, mode) < 0 ? -1 : 0;
}

static int memory_unlinkat(int dirfd, const char *path, int flags)
{
	struct slice last;
	int folder;
	int node = memory_look_up(dirfd, path, &folder, &last);

	if (node < 0)
		return -1;
	if (memory.nodes[node].folder != ((flags & AT_REMOVEDIR) != 0))
		return memory_fail(memory.nodes[node].folder ? EISDIR : ENOTDIR);
	memory_unlink_node(&memory.nodes[node]);
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
	int node = memory_look_up(from_dirfd, from, &old_folder, &old_name);
	int other = node < 0 ? -1 : memory_look_up(to_dirfd, to, &new_folder, &new_name);

	if (node < 0 || new_folder < 0)
		return -1;
	if (other < 0 && (flags & RENAME_EXCHANGE))
		return memory_fail(ENOENT);
	if (other >= 0 && (flags & RENAME_NOREPLACE))
		return memory_fail(EEXIST);
	if (other >= 0 && other != node && (flags & RENAME_EXCHANGE))
		give_name(&memory.nodes[other], old_folder, old_name);
	else if (other >= 0 && other != node)
		memory_unlink_node(&memory.nodes[other]);
	give_name(&memory.nodes[node], new_folder, new_name);
	return 0;
}

static ssize_t memory_readlinkat(int dirfd, const char *path, char *buf, size_t size)
{
	static const char store[] = "/memory";

	(void)dirfd;
	/* There are no links, but an open folder has a path. */
	if (strncmp(path, "/proc/self/fd/", 14) != 0 || size < strlen(store))
		return memory_fail(EINVAL);
	memcpy(buf, store, strlen(store));
	return (ssize_t)strlen(store);
}

static int memory_grant(int fd, int operation)
{
	(void)operation;
	memory_node_of_fd(fd);
	return 0;
}

/* Nobody else is there who could hold a lock. */
static int memory_lock_bytes(int fd, int command, struct flock *lock)
{
	(void)command;
	memory_node_of_fd(fd);
	lock->l_type = F_UNLCK;
	return 0;
}

/* An open folder is the handle itself. */
static DIR *memory_fdopendir(int fd)
{
	if (memory.nodes[memory_node_of_fd(fd)].folder)
		return (DIR *)(void *)&memory.open[fd - FIRST_FD];
	errno = ENOTDIR;
	return NULL;
}

static struct dirent *memory_readdir(DIR *dir)
{
	struct handle *handle = (struct handle *)(void *)dir;

	while (++handle->at < memory.node_end) {
		const struct node *node = &memory.nodes[handle->at];

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

	return memory_close(FIRST_FD + (int)(handle - memory.open));
}

/* The same bytes every time, so that a test can be repeated. */
static ssize_t memory_getrandom(void *buf, size_t count, unsigned int flags)
{
	(void)flags;
	memset(buf, 7, count);
	return (ssize_t)count;
}

static void memory_sleep_ms(int64_t ms)
{
	memory.now_ms += ms > 0 ? ms : 0;
}

static int memory_landlock_version(void)
{
	errno = ENOSYS;
	return -1;
}

static int64_t memory_now_ms(void)
{
	return memory.now_ms;
}

static int64_t memory_file_clock_ns(void)
{
	return memory.now_ms * 1000000;
}

static const struct sys table = {
	.openat = memory_openat,
	.openat2 = memory_openat2,
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
	.fstatvfs = fstatvfs,
	.statx = memory_statx,
	.mkdirat = memory_mkdirat,
	.unlinkat = memory_unlinkat,
	.renameat2 = memory_renameat2,
	.readlinkat = memory_readlinkat,
	.realpath = strdup, /* there are no links */
	.flock = memory_grant,
	.lock_bytes = memory_lock_bytes,
	.lease = memory_grant,
	.fdopendir = memory_fdopendir,
	.readdir = memory_readdir,
	.closedir = memory_closedir,
	.getrandom = memory_getrandom,
	.landlock_version = memory_landlock_version,
	.sleep_ms = memory_sleep_ms,
	.now_ms = memory_now_ms,
	.file_clock_ns = memory_file_clock_ns,
};

/* ---- what tests call */

const struct sys *memory_sys(void)
{
	return &table;
}

void memory_sys_reset(int64_t now_ms)
{
	for (size_t i = 0; i < memory.node_end; i++) {
		if (memory.nodes[i].used)
			str_release(&memory.nodes[i].bytes);
	}
	memset(&memory, 0, sizeof memory);
	memory.now_ms = now_ms;
	memory.last_ino = 1;
	memory.node_end = 1;
	memory.nodes[ROOT] = (struct node){
		.used = true, .linked = true, .folder = true, .parent = -1, .ino = 1, .mode = 0700};
	str_init(&memory.nodes[ROOT].bytes);
}

struct slice memory_sys_read(const char *path)
{
	struct slice last;
	int folder;
	int node = memory_look_up(AT_FDCWD, path, &folder, &last);

	if (node < 0 || memory.nodes[node].folder)
		return slice_make(NULL, 0);
	return str_slice(&memory.nodes[node].bytes);
}

size_t memory_sys_open_count(void)
{
	size_t count = 0;

	for (int i = 0; i < MAX_OPEN; i++)
		count += memory.open[i].used;
	return count;
}
