#include "store/history/recorder.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "git/walk.h"
#include "git/write/commit.h"
#include "git/write/object_log.h"
#include "store/history/commit_message.h"
#include "store/history/file_list.h"
#include "store/history/host.h"
#include "store/history/rebuild.h"
#include "store/history/secret_guard.h"
#include "store/history/sound_text.h"
#include "store/history/tracked.h"
#include "store/view/notices.h"

#include <stdlib.h>

/* So many commits may have been made between a recording that was cut off and the next one. */
#define RECENT 200

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
	struct object_id begun;  /* where the branch was */
	enum line_state *states; /* for each pending line */
	bool *unmade;            /* likewise: what it is about never got into the file */
	struct map recent;       /* changes that the last commits name */
	bool recent_known;
	struct object_id base;  /* our last commit among these; none: there is none */
	struct file_list chain; /* the files as the last commit made has them */
	struct file_list moved; /* as base has them, where somebody has moved the branch on */
	struct file_list hand;  /* edits that are to be the next commit */
	struct map seen;        /* files that are there */
	struct map held;        /* files that were looked at for secrets: whether they wait */
	bool last;              /* all changes are commits, what differs now is an edit */
	struct err *err;        /* of a walk that failed */
	bool failed;
	int64_t now_ms;
	struct slice host; /* this machine, where there are several */
	struct arena arena;
};

static struct known_file *recorder_find_known(struct history *history, const char *name)
{
	struct known_file *known;

	for (size_t i = 0; i < history->known_count; i++) {
		if (strcmp(history->known[i].name, name) == 0)
			return &history->known[i];
	}
	known = MEM_ADD(history->known, history->known_count, history->known_cap);
	*known = (struct known_file){.name = mem_strdup(name)};
	return known;
}

/*
 * The blob that the file on the disk would be; none when there is no file. False when it cannot be
 * read, or is damaged and not what the chain has: then it counts as unchanged.
 */
static bool recorder_disk_blob(struct run *run, const char *name, struct object_id *out)
{
	struct known_file *known = recorder_find_known(run->history, name);
	struct object_id then = file_list_get(&run->chain, name);
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;
	enum store_file file = store_file_find(slice_of(name));
	bool linked;

	if ((file < STORE_FILE_COUNT ? disk_look(run->disk, file, &id, &ignored)
				     : disk_look_at(run->disk, name, &id, &linked, &ignored)) != 0)
		return false;
	if (id.present && file_id_equal(&id, &known->id) &&
	    disk_is_settled(run->disk, &known->id) &&
	    (known->sound || object_id_equal(&known->blob, &then))) {
		*out = known->blob;
		return true;
	}
	if (tracked_read(run->disk, name, &text, &id, &ignored) != 0)
		return false;
	*out = (struct object_id){{0}};
	if (id.present && repo_blob_id(run->repo, str_slice(&text), out, &ignored) != 0)
		return false;
	bool recorded = object_id_equal(out, &then);
	if (id.present && !recorded && sound_is_damaged(name, str_slice(&text)))
		return false;
	known->sound = !recorded;
	known->id = id;
	known->blob = *out;
	return true;
}

/*
 * Sees to it that the blob is in the repository; the file on the disk may have its text. 1 when it
 * is, 0 when nobody has the text, -1 when it cannot be written.
 */
static int recorder_ensure_blob(struct run *run, const char *name, const struct object_id *blob,
				struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct object_id written;
	struct file_id id;
	struct err ignored;

	if (object_id_is_none(blob) || repo_has(run->repo, blob))
		return 1;
	if (tracked_read(run->disk, name, &text, &id, &ignored) != 0 || !id.present ||
	    repo_blob_id(run->repo, str_slice(&text), &written, &ignored) != 0 ||
	    !object_id_equal(&written, blob))
		return 0;
	return repo_blob_put(run->repo, str_slice(&text), &written, err) == 0 ? 1 : -1;
}

/* True if any change that is to be recorded gives this file a text. */
static bool recorder_is_touched(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->pending->count && !run->last; i++) {
		if ((run->states[i] == LINE_MADE ||
		     (run->states[i] == LINE_OVERTAKEN && !run->pending->lines[i].held)) &&
		    slice_is(run->pending->lines[i].file, name))
			return true;
	}
	return false;
}

/* Commits the files of spec, whose times and offset are filled in; the chain has them then. */
static int recorder_commit(struct run *run, const struct file_list *files, struct commit_spec *spec,
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
		file_list_set(&run->chain, &run->arena, files->items[i].path,
			      &files->items[i].blob);
	return 0;
}

/* ---- what people have edited */

static void recorder_read_blob(struct run *run, const struct object_id *blob, struct str *out)
{
	struct err ignored;

	if (!object_id_is_none(blob))
		repo_blob_read(run->repo, blob, out, &ignored);
}

static bool recorder_look_for_secret(struct run *run, const char *name)
{
	struct object_id then = file_list_get(&run->chain, name);
	struct secret_guard hold = {.where = STR_INIT};
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct object_id now;
	struct file_id id;
	struct err ignored;

	if (tracked_read(run->disk, name, &after, &id, &ignored) != 0 || !id.present ||
	    repo_blob_id(run->repo, str_slice(&after), &now, &ignored) != 0 ||
	    repo_has(run->repo, &now))
		return false;
	recorder_read_blob(run, &then, &before);
	bool found = secret_guard_finds(name, str_slice(&before), str_slice(&after), &hold);
	if (found)
		notices_add(
			run->history->store,
			"%s holds a secret (%s) that was written by hand: %s is not recorded in "
			"the history until it is gone, or until the person says so with kota "
			"doctor --record",
			shown(&scratch, str_slice(&hold.where)), hold.rule, name);
	str_release(&hold.where);
	return found;
}

/*
 * True if the file on the disk has a secret that is not in the history and that nobody has allowed.
 * Then it waits, and the person is told.
 */
static bool recorder_edits_are_held(struct run *run, const char *name)
{
	size_t held;

	if (!history_holds_secrets(run->history))
		return false;
	if (map_get(&run->held, slice_of(name), &held))
		return held != 0;
	held = recorder_look_for_secret(run, name);
	map_put(&run->held, arena_copy(&run->arena, slice_of(name)), held);
	return held != 0;
}

/* A rule of .gitignore holds for what is new: not, as in git, for what is recorded already. */
static bool recorder_leaves_out(struct run *run, const char *name)
{
	struct object_id then = file_list_get(&run->chain, name);

	return object_id_is_none(&then) && repo_ignores(run->repo, name);
}

static int recorder_add_if_edited(void *context, const char *name)
{
	struct run *run = context;
	struct object_id now;
	struct object_id then = file_list_get(&run->chain, name);

	progress_step(run->disk->progress, "recording", 0, 0);
	map_put(&run->seen, arena_copy(&run->arena, slice_of(name)), 0);
	if (recorder_is_touched(run, name) || !recorder_disk_blob(run, name, &now) ||
	    object_id_equal(&now, &then) || recorder_leaves_out(run, name) ||
	    recorder_edits_are_held(run, name))
		return 0;
	int there = recorder_ensure_blob(run, name, &now, run->err);
	if (there > 0)
		file_list_set(&run->hand, &run->arena, name, &now);
	run->failed = there < 0;
	return there < 0;
}

/* Collects what people have edited in files that no pending change explains. */
static int recorder_edits_find(struct run *run, struct err *err)
{
	bool of_sync = run->disk->origin.synced;

	run->err = err;
	map_release(&run->seen);
	if (tracked_walk(run->disk, of_sync, recorder_add_if_edited, run, err) != 0)
		return -1;
	/* What is recorded and was not met is gone, or is of a sync that there was once. */
	for (size_t i = 0; i < run->chain.count && !run->failed; i++) {
		const struct recorded_file *file = &run->chain.items[i];

		if (!object_id_is_none(&file->blob) &&
		    !map_get(&run->seen, slice_of(file->path), NULL))
			recorder_add_if_edited(run, file->path);
	}
	return run->failed ? -1 : 0;
}

/* The entries that an edit of a file is about; the file itself where none differs. */
static void recorder_refs_of_edit(struct run *run, struct ref_list *refs,
				  const struct recorded_file *file)
{
	struct object_id then = file_list_get(&run->chain, file->path);
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	struct comparison c;
	struct err ignored;

	sound_read(run->repo, NULL, file->path, &then, &before, &ignored);
	recorder_read_blob(run, &file->blob, &after);
	bool entries = tracked_compare(&c, file->path, str_slice(&before), str_slice(&after));
	for (size_t i = 0; entries && i < c.count; i++) {
		STR_AUTO ref = STR_INIT;

		ref_add(&ref, c.items[i].category, c.items[i].key);
		ref_list_add(refs, &run->arena, str_slice(&ref));
	}
	if (!entries || c.count == 0)
		ref_list_add(refs, &run->arena, slice_of(file->path));
	if (entries)
		comparison_release(&c);
}

/* After a power cut a change of ours may have lost its line in .pending, or its commit. */
static bool recorder_edits_may_be_ours(const struct run *run)
{
	return run->history->doubted || run->pending->lost ||
	       (run->pending->begun && !run->pending->this_boot);
}

/* Commits what was collected, and begins to collect anew. */
static int recorder_edits_commit(struct run *run, int64_t at_ms, struct err *err)
{
	bool first = object_id_is_none(recording_head(run->recording));
	bool ours = first || recorder_edits_may_be_ours(run);
	struct message message = {.verb = first  ? "begin"
					  : ours ? "recovered"
						 : "edit",
				  .host = run->host};
	REF_LIST_AUTO refs = {0};
	STR_AUTO text = STR_INIT;
	STR_AUTO name = STR_INIT;
	STR_AUTO email = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	char id[OBJECT_ID_DIGITS + 1];

	if (run->hand.count == 0)
		return 0;
	for (size_t i = 0; i < run->hand.count && !first; i++)
		recorder_refs_of_edit(run, &refs, &run->hand.items[i]);
	message.refs = refs.items;
	message.ref_count = refs.count;
	message_compose(&text, &message);
	message_who_edits(run->repo, &name, &email);
	struct commit_spec spec = (struct commit_spec){
		.message = text.ptr, .author = ours ? NULL : name.ptr, .email = email.ptr};
	int result = recorder_commit(run, &run->hand, &spec, at_ms, err);
	object_id_text(recording_head(run->recording), id);
	if (result == 0 && !ours && file_list_any_at(&run->hand, run->repo, &run->begun)) {
		notices_add(
			run->history->store,
			"older texts were put back while changes waited for the history, as git "
			"does: %s; nothing is lost, kota undo %.8s brings the changes back",
			shown(&scratch, message_subject(text.ptr)), id);
		notices_keep(run->history->store);
	}
	run->hand.count = 0;
	return result;
}

/* Adds what the file was before the line came upon it, when the branch has it otherwise. */
static int recorder_edits_before(struct run *run, const struct pending_line *line, struct err *err)
{
	struct object_id then = file_list_get(&run->chain, line->file.ptr);
	const struct recorded_file *moved = file_list_find(&run->moved, line->file.ptr);

	/* The blob of our last commit is no edit, whatever others have committed since. */
	if (moved && object_id_equal(&moved->blob, &line->before))
		return 0;
	if (object_id_is_none(&line->before) || object_id_equal(&line->before, &then) ||
	    file_list_find(&run->hand, line->file.ptr) ||
	    (!repo_has(run->repo, &line->before) && recorder_edits_are_held(run, line->file.ptr)))
		return 0;
	int there = recorder_ensure_blob(run, line->file.ptr, &line->before, err);
	if (there > 0)
		file_list_set(&run->hand, &run->arena, line->file.ptr, &line->before);
	return there < 0 ? -1 : 0;
}

/* ---- what the last commits say: changes that are recorded, and what others committed since */

static void recorder_know_recent(struct run *run)
{
	struct walk *walk;
	struct commit commit;
	struct err ignored;

	if (run->recent_known)
		return;
	run->recent_known = true;
	if (walk_open(&walk, run->repo, recording_head(run->recording), &ignored) != 0)
		return;
	for (int i = 0; i < RECENT && walk_next(walk, &commit, &ignored) == 1; i++) {
		const char *text = commit.message;
		struct slice change = message_trailer(&text, "Kota-Change");

		if (change.ptr)
			map_put(&run->recent, arena_copy(&run->arena, change), 0);
		if (object_id_is_none(&run->base) &&
		    (change.ptr || strcmp(commit.author, RECORD_AUTHOR) == 0))
			run->base = commit.id;
	}
	walk_close(walk);
}

static bool recorder_is_of(const struct run *run, size_t index, const char *name)
{
	return run->states[index] == LINE_MADE && slice_is(run->pending->lines[index].file, name);
}

/*
 * True if the branch's text, which the file has, too, contains what the line made. False if git has
 * put both back to what was before a change that is known to be made.
 */
static bool recorder_is_in_head(struct run *run, const struct pending_line *line,
				const struct object_id *head)
{
	STR_AUTO text = STR_INIT;

	if (!line->done || line->op_count == 0)
		return true;
	recorder_read_blob(run, head, &text);
	return rebuild_is_in(line->file.ptr,
			     object_id_is_none(head) ? slice_of(NULL) : str_slice(&text), line->ops,
			     line->op_count, line->at_ms);
}

/* Marks the lines that made what the branch has, from the last one that did backwards. */
static void recorder_mark_overtaken(struct run *run, const char *name, const struct object_id *head)
{
	const struct pending_line *last = NULL;
	struct object_id disk;
	size_t end = 0;
	bool same = recorder_disk_blob(run, name, &disk) && object_id_equal(&disk, head);

	for (size_t i = 0; i < run->pending->count; i++) {
		const struct pending_line *line = &run->pending->lines[i];

		if (!recorder_is_of(run, i, name))
			continue;
		if (object_id_equal(&line->before, head) &&
		    (!last || recorder_is_in_head(run, last, head)))
			end = i;
		if (object_id_equal(&line->after, head) ||
		    (same && recorder_is_in_head(run, line, head)))
			end = i + 1;
		last = line;
	}
	for (size_t i = 0; i < end; i++) {
		if (recorder_is_of(run, i, name))
			run->states[i] = LINE_OVERTAKEN;
	}
}

/* A file of which the branch has another text than our last commit: somebody committed it. */
static int recorder_look_at_file(struct run *run, const char *name, struct err *err)
{
	struct object_id head = file_list_get(&run->chain, name);
	struct object_id base;

	recorder_know_recent(run);
	if (object_id_is_none(&run->base))
		return 0;
	if (repo_file_at(run->repo, &run->base, name, &base, err) != 0)
		return -1;
	if (object_id_equal(&base, &head))
		return 0;
	file_list_set(&run->moved, &run->arena, name, &base);
	recorder_mark_overtaken(run, name, &head);
	return 0;
}

/* The line before in the same file, if this one goes on from the text that it has made. */
static const struct pending_line *recorder_previous(const struct run *run,
						    const struct pending_line *line)
{
	const struct pending_line *earlier = line;

	while (earlier-- > run->pending->lines) {
		if (slice_equal(earlier->file, line->file))
			return object_id_equal(&earlier->after, &line->before) ? earlier : NULL;
	}
	return NULL;
}

/*
 * Lines whose text somebody committed before we did, with `git commit -a` for one, are overtaken:
 * what came before them is not to be taken for an edit.
 */
static int recorder_recent_overtake(struct run *run, struct err *err)
{
	for (size_t i = 0; i < run->pending->count; i++) {
		const struct pending_line *line = &run->pending->lines[i];
		struct object_id head = file_list_get(&run->chain, line->file.ptr);

		/* Nearly always the first line started from what the branch has. */
		if (run->states[i] != LINE_MADE || object_id_equal(&line->before, &head) ||
		    (object_id_is_none(&line->before) && object_id_is_none(&line->after)) ||
		    recorder_previous(run, line) || file_list_find(&run->moved, line->file.ptr))
			continue;
		if (recorder_look_at_file(run, line->file.ptr, err) != 0)
			return -1;
	}
	return 0;
}

/* ---- the changes, in order */

static int recorder_add_to_chain(void *context, const char *path, const struct object_id *blob)
{
	struct run *run = context;

	if (tracked_is(path))
		file_list_set(&run->chain, &run->arena, path, blob);
	return 0;
}

/* True if the file on the disk has what the line is about. Without operations any text counts. */
static bool recorder_is_on_disk(struct run *run, const struct pending_line *line)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	if (line->op_count == 0)
		return true;
	return tracked_read(run->disk, line->file.ptr, &text, &id, &ignored) == 0 &&
	       rebuild_is_in(line->file.ptr, id.present ? str_slice(&text) : slice_of(NULL),
			     line->ops, line->op_count, line->at_ms);
}

/* What a line is about is not there when what stands there next is what stood there before. */
static bool recorder_did_happen(struct run *run, size_t index)
{
	const struct pending_line *line = &run->pending->lines[index];
	struct object_id next;

	if (object_id_is_none(&line->before) && object_id_is_none(&line->after))
		return line->held || tracked_is_appended(line->file.ptr) ||
		       recorder_is_on_disk(run, line);
	if (!recorder_disk_blob(run, line->file.ptr, &next))
		return true;
	for (size_t i = run->pending->count - 1; i > index; i--) {
		if (slice_equal(run->pending->lines[i].file, line->file) && !run->unmade[i] &&
		    !object_id_is_none(&run->pending->lines[i].after))
			next = run->pending->lines[i].before;
	}
	if (object_id_equal(&next, &line->after))
		return true;
	/* Nor when it is what stood before those that were to be made together with it. */
	while (line && !object_id_equal(&next, &line->before))
		line = recorder_previous(run, line);
	return line == NULL;
}

/* The text of the file in the chain, into *out; absent where it has none. */
static int recorder_chain_text(struct run *run, const char *name, struct str *out,
			       struct slice *text, struct err *err)
{
	struct object_id blob = file_list_get(&run->chain, name);

	*text = slice_of(NULL);
	if (object_id_is_none(&blob))
		return 0;
	if (repo_blob_read(run->repo, &blob, out, err) != 0)
		return -1;
	*text = str_slice(out);
	return 0;
}

/* Writes what the operations of the line make of the chain's text. As recorder_ensure_blob(). */
static int recorder_make_anew(struct run *run, const struct pending_line *line,
			      struct object_id *after, struct err *err)
{
	STR_AUTO before = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct slice then;
	bool gone;

	if (line->op_count == 0)
		return 0;
	if (recorder_chain_text(run, line->file.ptr, &before, &then, err) != 0)
		return -1;
	if (!rebuild_text(line->file.ptr, then, line->ops, line->op_count, line->at_ms, &text,
			  &gone))
		return 0;
	*after = (struct object_id){{0}};
	return gone || repo_blob_put(run->repo, str_slice(&text), after, err) == 0 ? 1 : -1;
}

/*
 * The blob that the line left, in the repository: from there, from the disk, or made anew from what
 * the change did. As recorder_ensure_blob().
 */
static int recorder_blob_of_line(struct run *run, const struct pending_line *line,
				 struct object_id *after, struct err *err)
{
	bool appended = tracked_is_appended(line->file.ptr);
	int there = 0;

	*after = line->after;
	if (!object_id_is_none(after) || (!object_id_is_none(&line->before) && !appended) ||
	    (appended && (!line->done || recorder_is_on_disk(run, line)) &&
	     recorder_disk_blob(run, line->file.ptr, after)))
		there = recorder_ensure_blob(run, line->file.ptr, after, err);
	return there != 0 ? there : recorder_make_anew(run, line, after, err);
}

/* The files of the lines from..to as the change left them. */
static int recorder_files_of_change(struct run *run, size_t from, size_t to,
				    struct file_list *files, struct ref_list *refs, struct err *err)
{
	for (size_t i = from; i < to; i++) {
		const struct pending_line *line = &run->pending->lines[i];
		struct object_id after;

		if (run->states[i] == LINE_VOID || recorder_leaves_out(run, line->file.ptr))
			continue;
		for (size_t r = 0; r < line->ref_count; r++)
			ref_list_add(refs, &run->arena, line->refs[r]);
		if (run->states[i] != LINE_MADE)
			continue;
		int there = recorder_blob_of_line(run, line, &after, err);
		if (there < 0)
			return -1;
		if (there > 0)
			file_list_set(files, &run->arena, line->file.ptr, &after);
	}
	return 0;
}

static int recorder_commit_change(struct run *run, size_t from, size_t to, struct err *err)
{
	const struct pending_line *line = &run->pending->lines[from];
	struct file_list files = {0};
	REF_LIST_AUTO refs = {0};
	STR_AUTO text = STR_INIT;
	struct message message = {
		/* "memory_set" is set. */
		.verb = line->tool.ptr + (slice_starts(line->tool, "memory_") ? 7 : 0),
		.tool = line->tool,
		.client = line->client,
		.client_version = line->client_version,
		.session = line->session,
		.host = run->host,
		.undoes = line->undoes,
		.change = line->change,
	};
	struct commit_spec spec = {0};

	for (size_t i = from; i < to; i++) {
		if (run->states[i] == LINE_MADE &&
		    recorder_edits_before(run, &run->pending->lines[i], err) != 0)
			return -1;
		spec.even_empty = spec.even_empty || run->states[i] == LINE_OVERTAKEN;
	}
	int result = recorder_edits_commit(run, line->at_ms, err);
	if (result == 0)
		result = recorder_files_of_change(run, from, to, &files, &refs, err);
	if (result == 0) {
		message.refs = refs.items;
		message.ref_count = refs.count;
		message_compose(&text, &message);
		spec.message = text.ptr;
		if (files.count > 0 || spec.even_empty)
			result = recorder_commit(run, &files, &spec, line->at_ms, err);
	}
	free(files.items);
	return result;
}

/* Of lines in a file that is appended to, those behind one that is held are too. */
static bool recorder_is_held(struct run *run, size_t index)
{
	const struct pending_line *line = &run->pending->lines[index];
	bool held = false;

	if (!object_id_is_none(&line->after))
		return false;
	for (size_t i = 0; i <= index && !held; i++)
		held = run->pending->lines[i].held &&
		       slice_equal(run->pending->lines[i].file, line->file);
	return held && recorder_edits_are_held(run, line->file.ptr);
}

static enum line_state recorder_state_of(struct run *run, size_t index)
{
	const struct pending_line *line = &run->pending->lines[index];

	if (recorder_is_held(run, index))
		return LINE_HELD;
	/* A process may have been killed between moving the branch and forgetting its lines. */
	if (!history_tells(run->history, line->change)) {
		recorder_know_recent(run);
		if (map_get(&run->recent, line->change, NULL))
			return LINE_VOID;
	}
	run->unmade[index] = !line->done && !recorder_did_happen(run, index);
	if (run->unmade[index])
		return LINE_VOID;
	/* A line that is no longer held is recorded with the edit that released it. */
	return line->held ? LINE_OVERTAKEN : LINE_MADE;
}

/*
 * True if files may differ from what the changes made of them, because some changes were not
 * recorded when they were made.
 */
static bool recorder_leaves_edits(const struct run *run)
{
	for (size_t i = 0; i < run->pending->count; i++) {
		const struct pending_line *line = &run->pending->lines[i];
		/* Recorded from the operations alone, since the text on disk must wait. */
		bool bare = object_id_is_none(&line->before) && object_id_is_none(&line->after) &&
			    !tracked_is_appended(line->file.ptr);

		if (run->states[i] == LINE_MADE &&
		    (bare || (line->done && !history_tells(run->history, line->change))))
			return true;
	}
	return false;
}

/*
 * Lines are judged before anything is committed, since a commit changes what the chain says. Then
 * the changes follow in their order, each after the edits that it came upon, and last the edits
 * that no change explains. The branch moves once, at the end: a kill in between leaves all of it
 * pending.
 */
static int recorder_commit_all(struct run *run, struct err *err)
{
	struct pending *pending = run->pending;
	size_t from = 0;

	run->begun = *recording_head(run->recording);
	if (recorder_edits_may_be_ours(run))
		recording_doubt_index(run->recording);
	if (repo_files(run->repo, recording_head(run->recording), recorder_add_to_chain, run,
		       err) != 0)
		return -1;
	/* Backwards: the text that a line made is the one that the next line started from. */
	for (size_t i = pending->count; i-- > 0;) {
		run->states[i] = recorder_state_of(run, i);
		pending->lines[i].stays = run->states[i] == LINE_HELD;
	}
	if (recorder_recent_overtake(run, err) != 0 || recorder_edits_find(run, err) != 0)
		return -1;
	for (size_t to = 1; from < pending->count; to++) {
		while (to < pending->count &&
		       slice_equal(pending->lines[to].change, pending->lines[from].change))
			to++;
		if (recorder_commit_change(run, from, to, err) != 0)
			return -1;
		from = to;
	}
	run->last = recorder_leaves_edits(run);
	if (run->last && recorder_edits_find(run, err) != 0)
		return -1;
	return recorder_edits_commit(run, run->now_ms, err);
}

/* Of the change at hand it is known that it is made, or it is not. */
static void recorder_mark_made(const struct history *history, struct pending *pending)
{
	for (size_t i = 0; i < pending->count && history->made; i++) {
		if (history_tells(history, pending->lines[i].change))
			pending->lines[i].done = true;
	}
}

int recorder_run(struct history *history, struct err *err)
{
	struct disk *disk = &history->store->disk;
	PENDING_AUTO pending = {.arena = ARENA_INIT};
	struct run run = {
		.history = history,
		.disk = disk,
		.repo = history->repo,
		.pending = &pending,
		.now_ms = history->store->now_ms,
		.arena = ARENA_INIT,
	};
	bool mended;

	if (object_log_begin(run.repo, disk->boot, &mended, err) != 0 ||
	    recording_begin(&run.recording, run.repo, err) != 0)
		return -1;
	int result = pending_read(&pending, disk, err);
	run.host = host_slice(disk, &run.arena);
	if (result == 0) {
		recorder_mark_made(history, &pending);
		run.states = mem_zalloc(pending.count, sizeof *run.states);
		run.unmade = mem_zalloc(pending.count, sizeof *run.unmade);
		result = recorder_commit_all(&run, err);
	}
	if (result == 0)
		result = recording_finish(run.recording, err);
	else
		recording_abandon(run.recording);
	pending.recorded = true;
	if (result == 0)
		result = pending_clear(disk, &pending, err);
	free(run.states);
	free(run.unmade);
	free(run.chain.items);
	free(run.moved.items);
	free(run.hand.items);
	map_release(&run.seen);
	map_release(&run.held);
	map_release(&run.recent);
	arena_release(&run.arena);
	return result;
}
