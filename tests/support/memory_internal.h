/*
 * Between memory_nodes.c, which knows what the files in memory are, and memory_sys.c, which has the
 * calls on them.
 */
#ifndef KOTA_TESTS_MEMORY_INTERNAL_H
#define KOTA_TESTS_MEMORY_INTERNAL_H

#include "base/str.h"
#include "support/memory_sys.h"

#include <limits.h>
#include <stdbool.h>

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
extern struct memory {
	int64_t now_ms;
	int64_t ticks; /* so that no two changes have the same time */
	ino_t last_ino;
	size_t node_end; /* no node is used from here on */
	struct node nodes[MAX_NODES];
	struct handle open[MAX_OPEN];
} memory;

/* Sets errno; always -1. */
int memory_fail(int number);

/* Ends the test: it asks for more than there is. */
_Noreturn void memory_die(const char *what);

/* Gives the node a time of its own. */
void memory_touch(struct node *node);

/* The node of an open descriptor. */
int memory_node_of_fd(int fd);

/* The node of a path, or -1 with errno; *folder and *last are where it is or would be. */
int memory_look_up(int dirfd, const char *path, int *folder, struct slice *last);

/* Makes a file or a folder; the node, or -1 with errno. */
int memory_add_node(int folder, struct slice name, bool is_folder, mode_t mode);

/* Frees what has neither a name nor a descriptor. */
void memory_drop_unless_needed(struct node *node);

/* Takes the name away. */
void memory_unlink_node(struct node *node);

#endif
