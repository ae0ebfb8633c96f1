/* What the files in memory are; the calls on them are in memory_sys.c. */
#include "support/memory_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

struct memory memory;

int memory_fail(int number)
{
	errno = number;
	return -1;
}

_Noreturn void memory_die(const char *what)
{
	fprintf(stderr, "memory_sys: %s\n", what);
	abort();
}

void memory_touch(struct node *node)
{
	node->changed_ns = memory.now_ms * 1000000 + ++memory.ticks;
}

static int find_in(int folder, struct slice name)
{
	for (int i = 1; i < (int)memory.node_end; i++) {
		const struct node *node = &memory.nodes[i];

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
				return memory_fail(ENOENT);
			if (!memory.nodes[folder].folder)
				return memory_fail(ENOTDIR);
		}
		*last = slice_make(path, len);
		path += len;
	}
}

int memory_node_of_fd(int fd)
{
	int at = fd - FIRST_FD;

	if (at < 0 || at >= MAX_OPEN || !memory.open[at].used)
		memory_die("a descriptor that is not open");
	return memory.open[at].node;
}

static int begin_of(int dirfd, const char *path)
{
	return *path == '/' || dirfd == AT_FDCWD ? ROOT : memory_node_of_fd(dirfd);
}

/* The node of a path, or -1 with errno; *folder and *last are where it is or would be. */
int memory_look_up(int dirfd, const char *path, int *folder, struct slice *last)
{
	int node;

	*folder = walk_to(begin_of(dirfd, path), path, last);
	if (*folder < 0)
		return -1;
	node = slice_is(*last, ".") ? *folder : find_in(*folder, *last);
	return node < 0 ? memory_fail(ENOENT) : node;
}

int memory_add_node(int folder, struct slice name, bool is_folder, mode_t mode)
{
	for (int i = 1; i < MAX_NODES; i++) {
		struct node *node = &memory.nodes[i];

		if (node->used)
			continue;
		if (name.len > NAME_MAX)
			return memory_fail(ENAMETOOLONG);
		*node = (struct node){.used = true, .linked = true, .folder = is_folder};
		memcpy(node->name, name.ptr, name.len);
		node->parent = folder;
		node->mode = mode;
		node->ino = ++memory.last_ino;
		if ((size_t)i >= memory.node_end)
			memory.node_end = (size_t)i + 1;
		str_init(&node->bytes);
		memory_touch(node);
		return i;
	}
	memory_die("more files than there is room for");
}

void memory_drop_unless_needed(struct node *node)
{
	if (node->linked || node->opens > 0)
		return;
	str_release(&node->bytes);
	node->used = false;
}

void memory_unlink_node(struct node *node)
{
	node->linked = false;
	memory_drop_unless_needed(node);
}
