/*
 * Writes a pack: a sequence of objects, each as the difference from a similar one shortly before.
 *
 *	struct pack_writer *writer;
 *	pack_writer_open(&writer, repo, &err);
 *	pack_writer_add(writer, GIT_OBJECT_BLOB, &id, text, &err); ...
 *	pack_writer_finish(writer, &name, &err);
 *	pack_writer_free(writer);
 *
 * For src/git: packing loose objects, and rewriting the history. The library's packer compares each
 * text with ten others, byte by byte, which takes minutes for 100,000 versions of a file. But one
 * version usually differs from the next in one place, so comparing the beginning and the end is
 * enough. Short texts are not compressed. git reads such packs like its own, and git gc makes them
 * smaller.
 */
#ifndef KOTA_GIT_WRITE_PACK_WRITER_H
#define KOTA_GIT_WRITE_PACK_WRITER_H

#include "git/repo.h"
#include "git/repo_state.h"

struct pack_writer;

/* Begins a pack in the repository's folder. One at a time, under .git/index.lock. */
int pack_writer_open(struct pack_writer **out, struct repo *repo, struct err *err);

/* True if the object is in the pack. */
bool pack_writer_has(const struct pack_writer *writer, const struct object_id *id);

/* Adds an object whose id is known, unless the pack has it. */
int pack_writer_add(struct pack_writer *writer, git_object_t type, const struct object_id *id,
		    struct slice text, struct err *err);

/*
 * Makes the pack durable and moves it where the library finds it. *name is the file's name without
 * the ending; it stays empty if nothing was added, and there is no pack then.
 */
int pack_writer_finish(struct pack_writer *writer, struct str *name, struct err *err);

/* Removes an unfinished pack, too. writer may be NULL. */
void pack_writer_free(struct pack_writer *writer);

#endif
