/*
 * Trees as they stand in the repository: "MODE NAME\0ID", one entry behind the other.
 *
 * For src/git only. Slices point into the text.
 */
#ifndef KOTA_GIT_TREE_TEXT_H
#define KOTA_GIT_TREE_TEXT_H

#include "git/libgit2.h"

#include <sys/stat.h>

struct tree_entry {
	struct slice whole; /* the text of the entry */
	struct slice name;
	struct object_id id;
	uint32_t mode;
};

/* Takes an entry from the beginning; 1, 0 at the end, -1 where the text is no tree. */
int tree_text_take(struct slice *rest, struct tree_entry *out);

static inline bool tree_entry_is_folder(const struct tree_entry *entry)
{
	return S_ISDIR(entry->mode);
}

/* Not so a link. */
static inline bool tree_entry_is_file(const struct tree_entry *entry)
{
	return S_ISREG(entry->mode);
}

/* A commit of another repository, which is not in this one. */
static inline bool tree_entry_is_elsewhere(const struct tree_entry *entry)
{
	return (entry->mode & S_IFMT) == (GIT_FILEMODE_COMMIT & S_IFMT);
}

#endif
