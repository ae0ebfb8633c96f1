#include "store/history/recorder_internal.h"

#include "base/mem.h"
#include "base/time.h"
#include "store/history/commit_message.h"
#include "store/history/tracked.h"
#include "store/view/snapshot.h"

#include <stdlib.h>

struct recorded_file *list_find(const struct file_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].path, name) == 0)
			return &list->items[i];
	}
	return NULL;
}

void list_set(struct run *run, struct file_list *list, const char *name,
	      const struct object_id *blob)
{
	struct recorded_file *file = list_find(list, name);

	if (!file) {
		list->items = mem_grow(list->items, &list->cap, list->count + 1,
				       sizeof *list->items);
		file = &list->items[list->count++];
		file->path = arena_copy(&run->arena, slice_of(name)).ptr;
	}
	file->blob = *blob;
}

struct object_id list_get(const struct file_list *list, const char *name)
{
	const struct recorded_file *file = list_find(list, name);

	return file ? file->blob : (struct object_id){{0}};
}

void refs_add(struct run *run, struct refs *refs, struct slice ref)
{
	for (size_t i = 0; i < refs->count; i++) {
		if (slice_equal(refs->items[i], ref))
			return;
	}
	refs->items = mem_grow(refs->items, &refs->cap, refs->count + 1, sizeof *refs->items);
	refs->items[refs->count++] = arena_copy(&run->arena, ref);
}

static struct known_file *find_known(struct history *history, const char *name)
{
	for (size_t i = 0; i < history->known_count; i++) {
		if (strcmp(history->known[i].name, name) == 0)
			return &history->known[i];
	}
	history->known = mem_grow(history->known, &history->known_cap, history->known_count + 1,
				  sizeof *history->known);
	history->known[history->known_count] = (struct known_file){.name = mem_strdup(name)};
	return &history->known[history->known_count++];
}

bool run_disk_blob(struct run *run, const char *name, struct object_id *out)
{
	struct known_file *known = find_known(run->history, name);
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	if (file_identify(run->disk->sys, run->disk->dirfd, name, &id, &ignored) != 0)
		return false;
	if (id.present && file_id_equal(&id, &known->id) && disk_is_settled(run->disk, &id)) {
		*out = known->blob;
		return true;
	}
	if (tracked_read(run->disk, name, &text, &id, &ignored) != 0)
		return false;
	*out = (struct object_id){{0}};
	if (id.present && repo_blob_id(run->repo, str_slice(&text), out, &ignored) != 0)
		return false;
	known->id = id;
	known->blob = *out;
	return true;
}

bool run_ensure_blob(struct run *run, const char *name, const struct object_id *blob)
{
	STR_AUTO text = STR_INIT;
	struct object_id written;
	struct file_id id;
	struct err ignored;

	if (object_id_is_none(blob) || repo_has(run->repo, blob))
		return true;
	return tracked_read(run->disk, name, &text, &id, &ignored) == 0 && id.present &&
	       repo_blob_id(run->repo, str_slice(&text), &written, &ignored) == 0 &&
	       object_id_equal(&written, blob) &&
	       repo_blob_write(run->repo, str_slice(&text), &written, &ignored) == 0;
}

static bool line_is_of(const struct pending_line *line, const char *name)
{
	return slice_is(line->file, name);
}

bool run_is_touched(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->pending->count; i++) {
		if ((run->states[i] == LINE_MADE ||
		     (run->states[i] == LINE_OVERTAKEN && !run->pending->lines[i].held)) &&
		    line_is_of(&run->pending->lines[i], name))
			return true;
	}
	return false;
}

int run_commit(struct run *run, const struct file_list *files, struct commit_spec *spec,
	       int64_t at_ms, struct err *err)
{
	struct object_id id;

	spec->files = files->items;
	spec->count = files->count;
	spec->time_ms = at_ms;
	spec->offset_min = timestamp_offset_min(at_ms);
	if (recording_add(run->recording, spec, &id, err) != 0)
		return -1;
	for (size_t i = 0; i < files->count; i++)
		list_set(run, &run->chain, files->items[i].path, &files->items[i].blob);
	return 0;
}

static int add_to_chain(void *context, const char *path, const struct object_id *blob)
{
	struct run *run = context;

	if (tracked_is(path))
		list_set(run, &run->chain, path, blob);
	return 0;
}

/* What a line is about is not there when what stands there next is what stood there before. */
static bool did_happen(struct run *run, size_t index)
{
	const struct pending_line *line = &run->pending->lines[index];
	struct object_id next;

	if (object_id_is_none(&line->before) && object_id_is_none(&line->after))
		return true;
	if (!run_disk_blob(run, line->file.ptr, &next))
		return true;
	for (size_t i = run->pending->count - 1; i > index; i--) {
		if (slice_equal(run->pending->lines[i].file, line->file) &&
		    !object_id_is_none(&run->pending->lines[i].after))
			next = run->pending->lines[i].before;
	}
	return object_id_equal(&next, &line->after) || !object_id_equal(&next, &line->before);
}

/* The files of the lines from..to as the change left them. */
static void files_of_change(struct run *run, size_t from, size_t to, struct file_list *files,
			    struct refs *refs)
{
	for (size_t i = from; i < to; i++) {
		const struct pending_line *line = &run->pending->lines[i];
		struct object_id after = line->after;

		if (run->states[i] == LINE_VOID || repo_ignores(run->repo, line->file.ptr))
			continue;
		for (size_t r = 0; r < line->ref_count; r++)
			refs_add(run, refs, line->refs[r]);
		if (run->states[i] != LINE_MADE)
			continue;
		if (object_id_is_none(&after) && !run_disk_blob(run, line->file.ptr, &after))
			continue;
		if (run_ensure_blob(run, line->file.ptr, &after))
			list_set(run, files, line->file.ptr, &after);
	}
}

/* "memory_set" is set. */
static const char *verb_of(struct slice tool)
{
	static const char prefix[] = "memory_";
	size_t len = sizeof prefix - 1;

	return tool.len > len && memcmp(tool.ptr, prefix, len) == 0 ? tool.ptr + len : tool.ptr;
}

static int commit_change(struct run *run, size_t from, size_t to, struct err *err)
{
	const struct pending_line *line = &run->pending->lines[from];
	struct file_list files = {0};
	struct refs refs = {0};
	STR_AUTO text = STR_INIT;
	struct message message = {
		.verb = verb_of(line->tool),
		.tool = line->tool,
		.client = line->client,
		.client_version = line->client_version,
		.session = line->session,
		.undoes = line->undoes,
		.change = line->change,
	};
	struct commit_spec spec = {0};
	int result;

	for (size_t i = from; i < to; i++) {
		if (run->states[i] == LINE_MADE)
			edits_before(run, &run->pending->lines[i]);
		spec.even_empty = spec.even_empty || run->states[i] == LINE_OVERTAKEN;
	}
	result = edits_commit(run, line->at_ms, err);
	if (result == 0) {
		files_of_change(run, from, to, &files, &refs);
		message.refs = refs.items;
		message.ref_count = refs.count;
		message_compose(&text, &message);
		spec.message = text.ptr;
		if (files.count > 0 || spec.even_empty)
			result = run_commit(run, &files, &spec, line->at_ms, err);
	}
	free(files.items);
	free(refs.items);
	return result;
}

/* A process may have been killed between moving the branch and forgetting what was pending. */
static bool is_recorded(struct run *run, const struct pending_line *line)
{
	return !slice_equal(line->change, run->history->line.change) &&
	       recent_has(run, line->change);
}

/* Of lines in a file that is appended to, those behind one that is held are too. */
static bool is_held(struct run *run, size_t index)
{
	const struct pending_line *line = &run->pending->lines[index];
	bool held = false;

	if (!object_id_is_none(&line->after))
		return false;
	for (size_t i = 0; i <= index && !held; i++)
		held = run->pending->lines[i].held &&
		       slice_equal(run->pending->lines[i].file, line->file);
	return held && edits_are_held(run, line->file.ptr);
}

static enum line_state state_of(struct run *run, size_t index)
{
	const struct pending_line *line = &run->pending->lines[index];

	if (is_held(run, index))
		return LINE_HELD;
	if (is_recorded(run, line) || !did_happen(run, index))
		return LINE_VOID;
	/* What was held and is no more comes with the edit by which it was let go. */
	return line->held ? LINE_OVERTAKEN : LINE_MADE;
}

static int commit_all(struct run *run, struct err *err)
{
	struct pending *pending = run->pending;
	size_t from = 0;

	if (edits_may_be_ours(run))
		recording_doubt_index(run->recording);
	if (repo_files(run->repo, recording_head(run->recording), add_to_chain, run, err) != 0)
		return -1;
	for (size_t i = 0; i < pending->count; i++) {
		run->states[i] = state_of(run, i);
		pending->lines[i].stays = run->states[i] == LINE_HELD;
	}
	if (recent_overtake(run, err) != 0 || edits_find(run, err) != 0)
		return -1;
	while (from < pending->count) {
		size_t to = from + 1;

		while (to < pending->count &&
		       slice_equal(pending->lines[to].change, pending->lines[from].change))
			to++;
		if (commit_change(run, from, to, err) != 0)
			return -1;
		from = to;
	}
	return edits_commit(run, run->now_ms, err);
}

int recorder_run(struct history *history, struct pending *pending, struct err *err)
{
	struct run run = {
		.history = history,
		.disk = &history->store->disk,
		.repo = history->repo,
		.pending = pending,
		.now_ms = history->store->now_ms,
		.arena = ARENA_INIT,
	};
	int result = recording_begin(&run.recording, run.repo, err);

	if (result == 0) {
		run.states = mem_zalloc(pending->count, sizeof *run.states);
		result = commit_all(&run, err);
		if (result == 0)
			result = recording_finish(run.recording, err);
		else
			recording_abandon(run.recording);
	}
	free(run.states);
	free(run.chain.items);
	free(run.moved.items);
	free(run.hand.items);
	map_release(&run.held);
	map_release(&run.recent);
	arena_release(&run.arena);
	return result;
}
