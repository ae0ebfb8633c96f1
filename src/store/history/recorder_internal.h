/*
 * The inside of a recording: what recorder.c, recorder_recent.c and recorder_edits.c share. For these alone.
 */
#ifndef KOTA_STORE_HISTORY_RECORDER_INTERNAL_H
#define KOTA_STORE_HISTORY_RECORDER_INTERNAL_H

#include "base/map.h"
#include "git/commit.h"
#include "store/history/recorder.h"

/* Files and blobs: what the branch has, or what a commit is to change. */
struct file_list {
	struct recorded_file *items;
	size_t count;
	size_t cap;
};

/* What became of a pending line. */
enum line_state {
	LINE_VOID,      /* it never was made, or is recorded */
	LINE_HELD,      /* the file waits, see secret_guard.h */
	LINE_MADE,      /* to be recorded */
	LINE_OVERTAKEN, /* a commit of somebody else has what it made already */
};

/* One recording. Names live in the arena. */
struct run {
	struct history *history;
	struct disk *disk;
	struct repo *repo;
	struct pending *pending;
	struct recording *recording;
	enum line_state *states; /* for each pending line */
	struct map recent;       /* changes that the last commits name */
	bool recent_known;
	struct object_id base;  /* our last commit among these; none: there is none */
	struct file_list chain; /* the files as the last commit made has them */
	struct file_list moved; /* as base has them, where somebody has moved the branch on */
	struct file_list hand;  /* edits that are to be the next commit */
	struct map held;        /* files that were looked at for secrets: whether they wait */
	int64_t now_ms;
	struct arena arena;
};

/* Refs that a list grows by. */
struct refs {
	struct slice *items;
	size_t count;
	size_t cap;
};

struct recorded_file *list_find(const struct file_list *list, const char *name);
void list_set(struct run *run, struct file_list *list, const char *name,
	      const struct object_id *blob);

/* None where the list has no such file. */
struct object_id list_get(const struct file_list *list, const char *name);

/* A copy of the ref, once. */
void refs_add(struct run *run, struct refs *refs, struct slice ref);

/*
 * The blob that the file on the disk would be; none when there is no file. False when it cannot be
 * read, or is nothing to be recorded: then it counts as unchanged.
 */
bool run_disk_blob(struct run *run, const char *name, struct object_id *out);

/* Sees to it that the blob is in the repository; the file on the disk may have its text. */
bool run_ensure_blob(struct run *run, const char *name, const struct object_id *blob);

/* Does any change that is to be recorded give this file a text? */
bool run_is_touched(const struct run *run, const char *name);

/* Commits the files of spec, whose times and offset are filled in; the chain has them then. */
int run_commit(struct run *run, const struct file_list *files, struct commit_spec *spec,
	       int64_t at_ms, struct err *err);

/* recorder_recent.c: did a process that was killed record this change already? */
bool recent_has(struct run *run, struct slice change);

/*
 * recorder_recent.c: lines whose text somebody committed before we did, with `git commit -a` for one, are
 * overtaken: what came before them is not to be taken for an edit.
 */
int recent_overtake(struct run *run, struct err *err);

/* recorder_edits.c: collects what people have edited in files that no pending change explains. */
int edits_find(struct run *run, struct err *err);

/*
 * recorder_edits.c: has the file on the disk a secret in it that is not in the history and that nobody has
 * allowed? Then it waits, and the person is told.
 */
bool edits_are_held(struct run *run, const char *name);

/* recorder_edits.c: adds what the file was before the line came upon it, when the branch has it otherwise.
 */
void edits_before(struct run *run, const struct pending_line *line);

/* recorder_edits.c: after a power cut a change of ours may have lost its line in .pending. */
bool edits_may_be_ours(const struct run *run);

/* recorder_edits.c: commits what was collected, and begins to collect anew. */
int edits_commit(struct run *run, int64_t at_ms, struct err *err);

#endif
