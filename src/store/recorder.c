#include "store/recorder.h"

#include "base/map.h"
#include "base/mem.h"
#include "git/record.h"
#include "git/walk.h"
#include "store/message.h"
#include "store/tracked.h"
#include "store/view.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* So many commits may have been made between a recording that was cut off and the next one. */
#define RECENT 200

/* Files and blobs: what the branch has, or what a commit is to change. */
struct file_list {
	struct recorded_file *items;
	size_t count;
	size_t cap;
};

/* One recording. Names live in the arena. */
struct run {
	struct history *history;
	struct disk *disk;
	struct repo *repo;
	const struct pending *pending;
	struct recording *recording;
	bool *happened;         /* for each pending line: it was made, and is to be recorded */
	struct map recent;      /* changes that the last commits name */
	bool recent_known;
	struct file_list chain; /* the files as the last commit made has them */
	struct file_list hand;  /* edits that are to be the next commit */
	int64_t now_ms;
	struct arena arena;
};

static struct recorded_file *list_find(const struct file_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].path, name) == 0)
			return &list->items[i];
	}
	return NULL;
}

static void list_set(struct run *run, struct file_list *list, const char *name,
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

static struct object_id list_get(const struct file_list *list, const char *name)
{
	const struct recorded_file *file = list_find(list, name);

	return file ? file->blob : (struct object_id){{0}};
}

static int add_to_chain(void *context, const char *path, const struct object_id *blob)
{
	struct run *run = context;

	if (tracked_is(path))
		list_set(run, &run->chain, path, blob);
	return 0;
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

/*
 * The blob that the file on the disk would be; none when there is no file. False when it cannot be
 * read, or is nothing to be recorded: then it counts as unchanged.
 */
static bool disk_blob(struct run *run, const char *name, struct object_id *out)
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

/* Sees to it that the blob is in the repository; the file on the disk may have its text. */
static bool ensure_blob(struct run *run, const char *name, const struct object_id *blob)
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

/* Does any change that was made give this file a text? */
static bool is_touched(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->pending->count; i++) {
		if (run->happened[i] && line_is_of(&run->pending->lines[i], name))
			return true;
	}
	return false;
}

/* What a line is about is not there when what stands there next is what stood there before. */
static bool did_happen(struct run *run, size_t index)
{
	const struct pending_line *line = &run->pending->lines[index];
	struct object_id next;

	if (object_id_is_none(&line->before) && object_id_is_none(&line->after))
		return true;
	if (!disk_blob(run, line->file.ptr, &next))
		return true;
	for (size_t i = run->pending->count - 1; i > index; i--) {
		if (slice_equal(run->pending->lines[i].file, line->file) &&
		    !object_id_is_none(&run->pending->lines[i].after))
			next = run->pending->lines[i].before;
	}
	return object_id_equal(&next, &line->after) || !object_id_equal(&next, &line->before);
}

/* The changes that the last commits are of. */
static void know_recent(struct run *run)
{
	struct walk *walk;
	struct commit commit;
	struct err ignored;

	run->recent_known = true;
	if (walk_open(&walk, run->repo, recording_head(run->recording), &ignored) != 0)
		return;
	for (int i = 0; i < RECENT && walk_next(walk, &commit, &ignored) == 1; i++) {
		struct slice change = message_trailer(&commit.message, "Kota-Change");

		if (change.ptr)
			map_put(&run->recent, arena_copy(&run->arena, change), 0);
	}
	walk_close(walk);
}

/* A process may have been killed between moving the branch and forgetting what was pending. */
static bool is_recorded(struct run *run, const struct pending_line *line)
{
	if (slice_equal(line->change, run->history->line.change))
		return false;
	if (!run->recent_known)
		know_recent(run);
	return map_get(&run->recent, line->change, NULL);
}

static int add_if_edited(void *context, const char *name)
{
	struct run *run = context;
	struct object_id now;
	struct object_id then = list_get(&run->chain, name);

	if (!is_touched(run, name) && disk_blob(run, name, &now) && !object_id_equal(&now, &then) &&
	    !repo_ignores(run->repo, name) && ensure_blob(run, name, &now))
		list_set(run, &run->hand, name, &now);
	return 0;
}

/* Collects what people have edited in files that no pending change explains. */
static int find_edits(struct run *run, struct err *err)
{
	struct object_id none = {{0}};
	struct object_id now;

	if (tracked_walk(run->disk, add_if_edited, run, err) != 0)
		return -1;
	for (size_t i = 0; i < run->chain.count; i++) {
		const char *name = run->chain.items[i].path;

		if (!object_id_is_none(&run->chain.items[i].blob) && !is_touched(run, name) &&
		    disk_blob(run, name, &now) && object_id_is_none(&now))
			list_set(run, &run->hand, name, &none);
	}
	return 0;
}

static int commit_files(struct run *run, const struct file_list *files, const char *message,
			const char *author, const char *email, int64_t at_ms, struct err *err)
{
	struct commit_spec spec = {
		.files = files->items,
		.count = files->count,
		.message = message,
		.author = author,
		.email = email,
		.time_ms = at_ms,
		.offset_min = timestamp_offset_min(at_ms),
	};
	struct object_id id;

	if (files->count == 0)
		return 0;
	if (recording_add(run->recording, &spec, &id, err) != 0)
		return -1;
	for (size_t i = 0; i < files->count; i++)
		list_set(run, &run->chain, files->items[i].path, &files->items[i].blob);
	return 0;
}

/* Refs that a list grows by. */
struct refs {
	struct slice *items;
	size_t count;
	size_t cap;
};

static void refs_add(struct run *run, struct refs *refs, struct slice ref)
{
	for (size_t i = 0; i < refs->count; i++) {
		if (slice_equal(refs->items[i], ref))
			return;
	}
	refs->items = mem_grow(refs->items, &refs->cap, refs->count + 1, sizeof *refs->items);
	refs->items[refs->count++] = arena_copy(&run->arena, ref);
}

static void read_blob(struct run *run, const struct object_id *blob, struct str *out)
{
	struct err ignored;

	if (!object_id_is_none(blob))
		repo_blob_read(run->repo, blob, out, &ignored);
}

/* The entries that an edit of a file is about; the file itself where none differs. */
static void refs_of_edit(struct run *run, struct refs *refs, const struct recorded_file *file)
{
	struct object_id then = list_get(&run->chain, file->path);
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	struct comparison c;

	read_blob(run, &then, &before);
	read_blob(run, &file->blob, &after);
	if (!tracked_compare(&c, file->path, str_slice(&before), str_slice(&after))) {
		refs_add(run, refs, slice_of(file->path));
		return;
	}
	for (size_t i = 0; i < c.count; i++) {
		STR_AUTO ref = STR_INIT;

		ref_add(&ref, c.items[i].category, c.items[i].key);
		refs_add(run, refs, str_slice(&ref));
	}
	if (c.count == 0)
		refs_add(run, refs, slice_of(file->path));
	comparison_release(&c);
}

/* Who edits here, by git's settings, else by the name of the account. */
static void who_edits(struct run *run, struct str *name, struct str *email)
{
	const struct passwd *account;
	char host[256];

	if (repo_person(run->repo, name, email))
		return;
	account = getpwuid(geteuid());
	if (gethostname(host, sizeof host) != 0 || !memchr(host, '\0', sizeof host))
		snprintf(host, sizeof host, "localhost");
	str_clear(name);
	str_clear(email);
	str_adds(name, account ? account->pw_name : "somebody");
	str_printf(email, "%s@%s", name->ptr, host);
}

/* After a power cut a change of ours may have lost its line in .pending. */
static bool may_be_ours(const struct run *run)
{
	return run->pending->begun && !run->pending->this_boot;
}

static int commit_edits(struct run *run, int64_t at_ms, struct err *err)
{
	bool first = object_id_is_none(recording_head(run->recording));
	bool ours = first || may_be_ours(run);
	struct message message = {.verb = first ? "begin" : ours ? "recovered" : "edit"};
	struct refs refs = {0};
	STR_AUTO text = STR_INIT;
	STR_AUTO name = STR_INIT;
	STR_AUTO email = STR_INIT;
	int result;

	if (run->hand.count == 0)
		return 0;
	for (size_t i = 0; i < run->hand.count && !first; i++)
		refs_of_edit(run, &refs, &run->hand.items[i]);
	message.refs = refs.items;
	message.ref_count = refs.count;
	message_compose(&text, &message);
	who_edits(run, &name, &email);
	result = commit_files(run, &run->hand, text.ptr, ours ? NULL : name.ptr, email.ptr, at_ms,
			      err);
	run->hand.count = 0;
	free(refs.items);
	return result;
}

/* What the file was before the line came upon it: an edit, when the branch has it otherwise. */
static void take_edit_before(struct run *run, const struct pending_line *line)
{
	struct object_id then = list_get(&run->chain, line->file.ptr);

	if (!object_id_is_none(&line->before) && !object_id_equal(&line->before, &then) &&
	    !list_find(&run->hand, line->file.ptr) &&
	    ensure_blob(run, line->file.ptr, &line->before))
		list_set(run, &run->hand, line->file.ptr, &line->before);
}

/* The files of the lines from..to as the change left them. */
static void files_of_change(struct run *run, size_t from, size_t to, struct file_list *files,
			    struct refs *refs)
{
	for (size_t i = from; i < to; i++) {
		const struct pending_line *line = &run->pending->lines[i];
		struct object_id after = line->after;

		if (!run->happened[i] || repo_ignores(run->repo, line->file.ptr))
			continue;
		for (size_t r = 0; r < line->ref_count; r++)
			refs_add(run, refs, line->refs[r]);
		if (object_id_is_none(&after) && !disk_blob(run, line->file.ptr, &after))
			continue;
		if (ensure_blob(run, line->file.ptr, &after))
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
	int result;

	for (size_t i = from; i < to; i++) {
		if (run->happened[i])
			take_edit_before(run, &run->pending->lines[i]);
	}
	result = commit_edits(run, line->at_ms, err);
	if (result == 0) {
		files_of_change(run, from, to, &files, &refs);
		message.refs = refs.items;
		message.ref_count = refs.count;
		message_compose(&text, &message);
		result = commit_files(run, &files, text.ptr, NULL, NULL, line->at_ms, err);
	}
	free(files.items);
	free(refs.items);
	return result;
}

static int commit_all(struct run *run, struct err *err)
{
	const struct pending *pending = run->pending;
	size_t from = 0;

	if (repo_files(run->repo, recording_head(run->recording), add_to_chain, run, err) != 0)
		return -1;
	for (size_t i = pending->count; i-- > 0;)
		run->happened[i] = !is_recorded(run, &pending->lines[i]) && did_happen(run, i);
	if (find_edits(run, err) != 0)
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
	return commit_edits(run, run->now_ms, err);
}

int recorder_run(struct history *history, const struct pending *pending, struct err *err)
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
		run.happened = mem_zalloc(pending->count, sizeof *run.happened);
		result = commit_all(&run, err);
		if (result == 0)
			result = recording_finish(run.recording, err);
		else
			recording_abandon(run.recording);
	}
	free(run.happened);
	free(run.chain.items);
	free(run.hand.items);
	map_release(&run.recent);
	arena_release(&run.arena);
	return result;
}
