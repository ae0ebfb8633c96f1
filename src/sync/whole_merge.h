/*
 * Merging two commits of a store: all files of the store, and no others.
 */
#ifndef KOTA_SYNC_WHOLE_MERGE_H
#define KOTA_SYNC_WHOLE_MERGE_H

#include "git/repo.h"
#include "merge/merge_docs.h"
#include "store/history/file_list.h"

/* What is merged. */
struct whole_sides {
	const struct object_id *bases;
	size_t base_count;
	struct object_id theirs; /* the remote's, whose bytes stay where they can */
	struct object_id ours;
};

struct whole_result {
	struct file_list files;     /* of the store, each with the blob that it is to have */
	struct merge_report report; /* which texts lost; their records are in archive.json */
	struct str remarks; /* sentences, a line each: of files that the remote has broken */
	struct arena arena;
};

/* Fills *out, which the caller releases in either case. Blobs are put, no commit is made. */
int whole_merge(struct repo *repo, const struct whole_sides *sides, size_t entry_bytes,
		struct whole_result *out, struct err *err);

void whole_result_release(struct whole_result *result);

/* The files of the store that a commit has. Names are copied into the arena. */
int whole_list(struct repo *repo, const struct object_id *commit, struct file_list *out,
	       struct arena *arena, struct err *err);

/* The blob's text in *text and *out, absent for none. ERR_TOO_LARGE names a file that is too long.
 */
int whole_text(struct repo *repo, const char *name, const struct object_id *blob, struct str *text,
	       struct slice *out, struct err *err);

/*
 * Checks that this program can read the store of a commit. ERR_BAD_FORMAT if a newer one has
 * converted it. *as_it_is says whether it can stand as it is in the place of `ours`: every file is
 * one, parses, and none is missing that is there.
 */
int whole_check(struct repo *repo, const struct object_id *commit, const struct object_id *ours,
		bool *as_it_is, struct err *err);

#endif
