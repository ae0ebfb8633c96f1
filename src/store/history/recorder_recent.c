/* What the last commits say: which changes are recorded, and what somebody else committed since. */
#include "store/history/recorder_internal.h"

#include "git/walk.h"
#include "store/history/commit_message.h"

/* So many commits may have been made between a recording that was cut off and the next one. */
#define RECENT 200

static void take(struct run *run, const struct commit *commit)
{
	const char *text = commit->message;
	struct slice change = message_trailer(&text, "Kota-Change");

	if (change.ptr)
		map_put(&run->recent, arena_copy(&run->arena, change), 0);
	if (object_id_is_none(&run->base) &&
	    (change.ptr || strcmp(commit->author, RECORD_AUTHOR) == 0))
		run->base = commit->id;
}

static void know_recent(struct run *run)
{
	struct walk *walk;
	struct commit commit;
	struct err ignored;

	if (run->recent_known)
		return;
	run->recent_known = true;
	if (walk_open(&walk, run->repo, recording_head(run->recording), &ignored) != 0)
		return;
	for (int i = 0; i < RECENT && walk_next(walk, &commit, &ignored) == 1; i++)
		take(run, &commit);
	walk_close(walk);
}

bool recent_has(struct run *run, struct slice change)
{
	know_recent(run);
	return map_get(&run->recent, change, NULL);
}

static bool is_of(const struct run *run, size_t index, const char *name)
{
	return run->states[index] == LINE_MADE && slice_is(run->pending->lines[index].file, name);
}

/* Marks the lines that made what the branch has, from the last one that did backwards. */
static void mark_overtaken(struct run *run, const char *name, const struct object_id *head)
{
	struct object_id disk;
	size_t end = 0;

	for (size_t i = 0; i < run->pending->count; i++) {
		const struct pending_line *line = &run->pending->lines[i];

		if (!is_of(run, i, name))
			continue;
		if (object_id_equal(&line->before, head))
			end = i;
		if (object_id_equal(&line->after, head))
			end = i + 1;
	}
	if (run_disk_blob(run, name, &disk) && object_id_equal(&disk, head))
		end = run->pending->count;
	for (size_t i = 0; i < end; i++) {
		if (is_of(run, i, name))
			run->states[i] = LINE_OVERTAKEN;
	}
}

/* A file of which the branch has another text than our last commit: somebody committed it. */
static int look_at_file(struct run *run, const char *name, struct err *err)
{
	struct object_id head = list_get(&run->chain, name);
	struct object_id base;

	know_recent(run);
	if (object_id_is_none(&run->base))
		return 0;
	if (repo_file_at(run->repo, &run->base, name, &base, err) != 0)
		return -1;
	if (object_id_equal(&base, &head))
		return 0;
	list_set(run, &run->moved, name, &base);
	mark_overtaken(run, name, &head);
	return 0;
}

int recent_overtake(struct run *run, struct err *err)
{
	for (size_t i = 0; i < run->pending->count; i++) {
		const struct pending_line *line = &run->pending->lines[i];
		struct object_id head = list_get(&run->chain, line->file.ptr);

		/* What the first line came upon is what the branch has: nearly always. */
		if (run->states[i] != LINE_MADE || object_id_equal(&line->before, &head) ||
		    (object_id_is_none(&line->before) && object_id_is_none(&line->after)) ||
		    list_find(&run->moved, line->file.ptr))
			continue;
		if (look_at_file(run, line->file.ptr, err) != 0)
			return -1;
	}
	return 0;
}
