/*
 * Writing a pack: objects one behind the other, each as its difference from a text like it that
 * came shortly before.
 *
 *	struct pack_writer *writer;
 *	pack_writer_open(&writer, repo, &err);
 *	pack_writer_add(writer, GIT_OBJECT_BLOB, &id, text, &err); ...
 *	pack_writer_finish(writer, &name, &err);
 *	pack_writer_free(writer);
 *
 * For src/git, where loose objects are packed and where a history is made anew. The library's
 *packer compares each text with ten others, byte by byte, which takes minutes where there are
 *100,000 versions of a file. But one version differs from the next in one place: what they begin
 *and end with is soon found. Short texts are not compressed besides. git reads such packs like its
 *own, and a git gc makes them smaller.
 */
#ifndef KOTA_GIT_WRITE_PACK_WRITER_H
#define KOTA_GIT_WRITE_PACK_WRITER_H

#include "git/repo.h"
#include "git/repo_state.h"

struct pack_writer;

/* Begins a pack in the repository's folder. One at a time, under git's lock of the index. */
int pack_writer_open(struct pack_writer **out, struct repo *repo, struct err *err);

/* Is the object in the pack? */
bool pack_writer_has(const struct pack_writer *writer, const struct object_id *id);

/* Adds an object whose id is known; one that is there already is added once. */
int pack_writer_add(struct pack_writer *writer, git_object_t type, const struct object_id *id,
		    struct slice text, struct err *err);

/*
 * Makes the pack durable and puts it in its place, for the library to find. *name is its file's,
 * without the ending; it stays empty where nothing was added: then there is no pack.
 */
int pack_writer_finish(struct pack_writer *writer, struct str *name, struct err *err);

/* Also removes what was not finished. NULL is nobody. */
void pack_writer_free(struct pack_writer *writer);

#endif
