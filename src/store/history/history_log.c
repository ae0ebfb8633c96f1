#include "store/history/history_log.h"

#include "base/mem.h"
#include "git/walk.h"
#include "store/history/backlog.h"
#include "store/history/commit_message.h"
#include "store/history/history.h"
#include "store/history/sound_text.h"
#include "store/history/tracked.h"

#include <stdlib.h>

/* Files with entries, and archive.json. */
#define FILE_COUNT (CATEGORY_COUNT + 1)

/* All files, those without entries included. */
#define EVERYTHING (~0u)

/* So many changes at most are left out at once: all of them are read where the words of one lie. */
#define RUN_MAX 1000

/* For who waits. */
#define LOG_STEP "going through the history, change"

/* A text of a file, taken apart. */
struct kept {
	bool used;
	struct object_id blob; /* none: there was no such file */
	struct str text;
	struct edition edition;
};

struct history_log {
	struct store *store;
	struct repo *repo;
	struct walk *walk; /* NULL: it cannot be read, why says so */
	struct err why;
	struct backlog *backlog;         /* NULL: nothing waits */
	size_t steps;                    /* for who waits */
	const struct log_filter *filter; /* NULL: all changes are told */
	size_t one_by_one;               /* so many changes are told before any is left out */
	unsigned int wanted;             /* 1 << category; what the next step looks at */
	unsigned int looked;             /* ... and the last one did */
	struct object_id sides[2];       /* the commits that the last step compares */
	struct kept kept[FILE_COUNT][2]; /* before and after, or after and before */
	struct comparison comparisons[FILE_COUNT]; /* of the last step */
	struct difference *items;                  /* of all comparisons */
	size_t item_cap;
	const char **files;
	size_t file_cap;
	struct arena arena;
};

static void history_log_forget(struct history_log *log)
{
	for (int f = 0; f < FILE_COUNT; f++)
		comparison_release(&log->comparisons[f]);
	arena_release(&log->arena);
}

int history_log_open(struct history_log **out, struct store *store, const struct object_id *from,
		     struct err *err)
{
	struct history_log *log;
	struct backlog *backlog = NULL;
	struct walk *walk = NULL;
	struct repo *repo = NULL;
	struct err why = {.code = ERR_NONE};
	struct err ignored;
	struct file_id id;

	if (history_repo(store, &repo, &why) == 0 && walk_open(&walk, repo, from, &why) != 0)
		history_cannot_read(&why);
	if (!from && history_may_open(&store->disk, &id, &ignored) == 0 &&
	    backlog_open(&backlog, store, walk ? repo : NULL, err) != 0) {
		walk_close(walk);
		return -1;
	}
	if (!walk && !backlog) {
		*err = why;
		return -1;
	}
	log = mem_zalloc(1, sizeof *log);
	log->store = store;
	log->repo = repo;
	log->walk = walk;
	log->why = why;
	log->backlog = backlog;
	log->wanted = EVERYTHING;
	*out = log;
	return 0;
}

static void history_log_drop(struct kept *kept)
{
	if (kept->used)
		edition_release(&kept->edition);
	str_release(&kept->text);
	*kept = (struct kept){.text = STR_INIT};
}

void history_log_close(struct history_log *log)
{
	if (!log)
		return;
	history_log_forget(log);
	for (int f = 0; f < FILE_COUNT; f++) {
		history_log_drop(&log->kept[f][0]);
		history_log_drop(&log->kept[f][1]);
	}
	walk_close(log->walk);
	backlog_close(log->backlog);
	free(log->items);
	free(log->files);
	free(log);
}

void history_log_narrow(struct history_log *log, unsigned int categories)
{
	log->wanted = categories;
}

/* A version of a file: its blob, and the commit that has it. */
struct version {
	const char *path;
	struct object_id blob;
	const struct object_id *commit;
	struct slice text; /* NULL: to be read */
};

/*
 * Takes a text of a file apart, unless it is still at hand. One that cannot be believed stands for
 * the last one before it that can. beside is the other one, which stays.
 */
static const struct kept *history_log_keep(struct history_log *log, const struct version *version,
					   const struct kept *beside, struct err *err)
{
	const char *path = version->path;
	const struct object_id *blob = &version->blob;
	struct slice text = version->text;
	struct kept *pair = log->kept[tracked_category(path)];
	struct kept *slot = &pair[beside == &pair[0]];

	for (int i = 0; i < 2; i++) {
		if (pair[i].used && object_id_equal(&pair[i].blob, blob))
			return &pair[i];
	}
	history_log_drop(slot);
	if (text.ptr)
		str_add(&slot->text, text);
	else if (!object_id_is_none(blob) && walk_blob_read(log->walk, blob, &slot->text, err) != 0)
		return NULL;
	if (!object_id_is_none(blob) && sound_is_damaged(path, str_slice(&slot->text))) {
		struct version sound = {.path = path, .commit = version->commit};

		if (sound_blob_at(log->repo, version->commit, path, &sound.blob, err) != 0)
			return NULL;
		return history_log_keep(log, &sound, beside, err);
	}
	tracked_edition(&slot->edition, path,
			object_id_is_none(blob) ? slice_make(NULL, 0) : str_slice(&slot->text));
	slot->blob = *blob;
	slot->used = true;
	return slot;
}

/* Texts of a file before and after a change; NULL when they are to be read. */
struct sides {
	struct slice before;
	struct slice after;
};

static int history_log_compare_file(struct history_log *log, const struct file_change *file,
				    const struct sides *texts, struct log_change *out,
				    struct err *err)
{
	const struct version versions[2] = {
		{file->path, file->before, &log->sides[0], texts->before},
		{file->path, file->after, &log->sides[1], texts->after},
	};
	const struct kept *after = history_log_keep(log, &versions[1], NULL, err);
	const struct kept *before = after ? history_log_keep(log, &versions[0], after, err) : NULL;
	struct comparison *c = &log->comparisons[tracked_category(file->path)];

	if (!before)
		return -1;
	compare_editions(c, &before->edition, &after->edition);
	log->items = mem_grow(log->items, &log->item_cap, out->count + c->count,
			      sizeof *log->items);
	for (size_t i = 0; i < c->count; i++)
		log->items[out->count++] = c->items[i];
	out->items = log->items;
	return 0;
}

static void history_log_take_file(struct history_log *log, const char *path, struct log_change *out)
{
	log->files = mem_grow(log->files, &log->file_cap, out->file_count + 1, sizeof *log->files);
	log->files[out->file_count++] = path;
	out->files = log->files;
}

/* Looks at the files of the last step that are wanted and were not looked at yet. */
static int history_log_look(struct history_log *log, unsigned int wanted, struct log_change *out,
			    struct err *err)
{
	const struct sides to_be_read = {{NULL, 0}, {NULL, 0}};
	const struct file_change *files;
	size_t count;

	if (walk_changes(log->walk, &files, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		int category = tracked_category(files[i].path);
		unsigned int bit = category == CATEGORY_ANY ? 1u << FILE_COUNT : 1u << category;

		if (!(wanted & bit) || (log->looked & bit) || !tracked_is(files[i].path))
			continue;
		if (category == CATEGORY_ANY)
			history_log_take_file(log, files[i].path, out);
		else if (history_log_compare_file(log, &files[i], &to_be_read, out, err) != 0)
			return -1;
	}
	log->looked |= wanted;
	return 0;
}

int history_log_whole(struct history_log *log, struct log_change *change, struct err *err)
{
	return change->waits ? 0 : history_log_look(log, EVERYTHING, change, err);
}

/* ---- two states */

struct between {
	struct history_log *log;
	const struct object_id *from;
	const struct object_id *to;    /* NULL: the files as they are */
	const struct backlog *backlog; /* changes after from; NULL: none */
	struct log_change change;
	struct err *err;
	bool failed;
};

static int history_log_take_difference(struct between *b, const struct file_change *file,
				       const struct sides *texts)
{
	if (!b->to && object_id_is_none(&file->before) && repo_ignores(b->log->repo, file->path))
		return 0;
	if (tracked_category(file->path) == CATEGORY_ANY)
		history_log_take_file(b->log, arena_copy(&b->log->arena, slice_of(file->path)).ptr,
				      &b->change);
	else
		b->failed = history_log_compare_file(b->log, file, texts, &b->change, b->err) != 0;
	return b->failed;
}

/* What the file was: as the commit has it, or as the changes after it left it. */
static int history_log_find_before(struct between *b, struct file_change *file, struct slice *text)
{
	*text = slice_of(NULL);
	if (!b->backlog || !backlog_text(b->backlog, file->path, text))
		return repo_file_at(b->log->repo, b->from, file->path, &file->before, b->err);
	file->before = (struct object_id){{0}};
	return text->ptr ? repo_blob_id(b->log->repo, *text, &file->before, b->err) : 0;
}

/* Compares a file that is there with what it was; text is what it has, absent: to be read. */
static int history_log_compare_with_from(struct between *b, struct file_change *file,
					 struct slice text)
{
	struct sides texts = {.after = text};

	if (history_log_find_before(b, file, &texts.before) != 0) {
		b->failed = true;
		return 1;
	}
	return object_id_equal(&file->before, &file->after)
		       ? 0
		       : history_log_take_difference(b, file, &texts);
}

/* A file that cannot be read says nothing: whoever needs it says what is wrong with it. */
static int history_log_compare_now(void *context, const char *name)
{
	struct between *b = context;
	struct file_change file = {.path = name};
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	if (tracked_read(&b->log->store->disk, name, &text, &id, &ignored) != 0 || !id.present ||
	    repo_blob_id(b->log->repo, str_slice(&text), &file.after, &ignored) != 0)
		return 0;
	str_adds(&text, "");
	return history_log_compare_with_from(b, &file, str_slice(&text));
}

static int history_log_compare_then(void *context, const char *path, const struct object_id *blob)
{
	struct file_change file = {.path = path, .after = *blob};

	return tracked_is(path) ? history_log_compare_with_from(context, &file, slice_make(NULL, 0))
				: 0;
}

static bool history_log_is_there(struct between *b, const char *path)
{
	const struct disk *disk = &b->log->store->disk;
	struct object_id blob;
	struct file_id id;
	struct err ignored;

	if (b->to)
		return repo_file_at(b->log->repo, b->to, path, &blob, &ignored) != 0 ||
		       !object_id_is_none(&blob);
	return file_identify(disk->sys, disk->dirfd, path, &id, &ignored) != 0 || id.present;
}

static int history_log_take_if_gone(void *context, const char *path, const struct object_id *blob)
{
	struct file_change file = {.path = path, .before = *blob};
	struct between *b = context;
	struct sides texts = {.after = {NULL, 0}};

	if (!tracked_is(path) || history_log_is_there(b, path))
		return 0;
	if (history_log_find_before(b, &file, &texts.before) != 0) {
		b->failed = true;
		return 1;
	}
	return object_id_is_none(&file.before) ? 0 : history_log_take_difference(b, &file, &texts);
}

static int history_log_compare_ends(struct between *b, struct log_change *out)
{
	struct history_log *log = b->log;

	history_log_forget(log);
	log->sides[0] = *b->from;
	if (b->to)
		log->sides[1] = *b->to;
	else if (repo_head(log->repo, &log->sides[1], b->err) != 0)
		return -1;
	int result = b->to ? repo_files(log->repo, b->to, history_log_compare_then, b, b->err)
			   : tracked_walk(&log->store->disk, true, history_log_compare_now, b,
					  b->err);
	if (result != 0 || b->failed ||
	    repo_files(log->repo, b->from, history_log_take_if_gone, b, b->err) != 0 || b->failed)
		return -1;
	*out = b->change;
	return 0;
}

/* Of a log that has only what waits: as history_log_open() found the rest. */
static int history_log_refuse(const struct history_log *log, struct err *err)
{
	*err = log->why;
	return -1;
}

int history_log_between(struct history_log *log, const struct object_id *from,
			const struct object_id *to, struct log_change *out, struct err *err)
{
	struct between b = {.log = log, .from = from, .to = to, .err = err};

	return log->walk ? history_log_compare_ends(&b, out) : history_log_refuse(log, err);
}

int history_log_unrecorded(struct history_log *log, struct log_change *out, struct err *err)
{
	struct object_id head;
	struct between b = {.log = log, .from = &head, .backlog = log->backlog, .err = err};

	*out = (struct log_change){.count = 0};
	if (!log->walk)
		return 0;
	if (repo_head(log->repo, &head, err) == 0 && history_log_compare_ends(&b, out) == 0)
		return 0;
	history_cannot_read(err);
	if (!log->backlog || err->code != ERR_NO_HISTORY)
		return -1;
	/* What is pending can still be shown. */
	walk_close(log->walk);
	log->walk = NULL;
	log->why = *err;
	return 0;
}

/* ---- changes */

static struct slice history_log_trailer(struct history_log *log, const char *message,
					const char *name)
{
	return arena_copy(&log->arena, message_trailer(&message, name));
}

void history_log_expect(struct history_log *log, const struct log_filter *filter)
{
	log->filter = filter;
}

/* True if it is a change of the program whose subject names only other entries. */
static bool history_log_is_of_others(const struct history_log *log, const struct commit *commit)
{
	const struct log_filter *filter = log->filter;
	const char *text = commit->message;
	STR_AUTO scratch = STR_INIT;
	struct slice name;
	size_t count = 0;

	if (strcmp(commit->author, RECORD_AUTHOR) != 0 ||
	    !message_trailer(&text, "Kota-Tool").ptr ||
	    (filter->stop && object_id_equal(filter->stop, &commit->id)))
		return false;
	while ((name = message_ref(&text, &scratch)).ptr) {
		struct ref ref = ref_parse(name);

		if (ref.category != CATEGORY_ANY &&
		    filter->concerns(filter->context, (enum category)ref.category, ref.key))
			return false;
		count++;
	}
	return count > 0 && count < MESSAGE_REFS_MAX;
}

/* Goes to the end of such changes, or as far as is looked at once. */
static int history_log_run_on(struct history_log *log, size_t *count, struct err *err)
{
	struct object_id end = walk_position(log->walk);
	struct commit commit;
	int result = 1;

	*count = 0;
	while (*count < RUN_MAX && (result = walk_next(log->walk, &commit, err)) == 1 &&
	       history_log_is_of_others(log, &commit)) {
		progress_step(log->store->disk.progress, LOG_STEP, log->steps++, 0);
		end = commit.parent;
		++*count;
	}
	if (result >= 0)
		walk_seek(log->walk, &end);
	return result < 0 ? -1 : 0;
}

static bool history_log_concerns(const struct history_log *log, const struct log_change *change)
{
	const struct log_filter *filter = log->filter;

	for (size_t i = 0; i < change->count; i++) {
		if (!change->items[i].record &&
		    filter->concerns(filter->context, change->items[i].category,
				     change->items[i].key))
			return true;
	}
	return false;
}

/*
 * Leaves out changes that do not concern what is looked for. Words alone are not believed, as
 * somebody may have amended a commit: where an entry differs nevertheless, each change is told.
 */
static int history_log_leave_out(struct history_log *log, struct err *err)
{
	struct log_change change;
	size_t count = RUN_MAX;

	while (count == RUN_MAX && log->filter && log->one_by_one == 0) {
		struct object_id from = walk_position(log->walk);

		if (history_log_run_on(log, &count, err) != 0)
			return -1;
		struct object_id to = walk_position(log->walk);
		if (count > 1 && history_log_between(log, &to, &from, &change, err) != 0)
			return -1;
		if (count > 1 && !history_log_concerns(log, &change))
			continue;
		log->one_by_one = count + 1;
		walk_seek(log->walk, &from);
	}
	return 0;
}

int history_log_next(struct history_log *log, struct log_change *out, struct err *err)
{
	struct commit commit;
	const char *message;

	if (log->backlog && backlog_next(log->backlog, out))
		return 1;
	if (!log->walk)
		return history_log_refuse(log, err);
	if (history_log_leave_out(log, err) != 0)
		return history_cannot_read(err);
	if (log->one_by_one > 0)
		log->one_by_one--;
	history_log_forget(log);
	progress_step(log->store->disk.progress, LOG_STEP, log->steps++, 0);
	int result = walk_next(log->walk, &commit, err);
	if (result != 1)
		return result == 0 ? 0 : history_cannot_read(err);
	message = commit.message;
	struct log_change change = (struct log_change){
		.id = commit.id,
		.author = commit.author,
		.email = commit.email,
		.subject = message_subject(message),
		.time_ms = commit.time_ms,
		.offset_min = commit.offset_min,
		.tool = history_log_trailer(log, message, "Kota-Tool"),
		.client = history_log_trailer(log, message, "Kota-Client"),
		.session = history_log_trailer(log, message, "Kota-Session"),
		.host = history_log_trailer(log, message, "Kota-Host"),
		.change = history_log_trailer(log, message, "Kota-Change"),
	};
	change.by_hand = !change.tool.ptr && strcmp(commit.author, RECORD_AUTHOR) != 0;
	log->looked = 0;
	log->sides[0] = commit.parent;
	log->sides[1] = commit.id;
	if (history_log_look(log, log->wanted, &change, err) != 0)
		return history_cannot_read(err);
	*out = change;
	return 1;
}

int history_log_resolve(struct store *store, struct slice name, struct object_id *out,
			struct err *err)
{
	struct repo *repo;

	if (history_repo(store, &repo, err) != 0)
		return -1;
	return repo_resolve(repo, name, out, err);
}

int history_log_entry_at(struct store *store, const struct object_id *change,
			 enum category category, struct slice key, struct str *out, struct err *err)
{
	const char *file = store_file_name((enum store_file)category);
	STR_AUTO text = STR_INIT;
	struct object_id blob;
	struct edition edition;
	struct repo *repo;

	str_clear(out);
	if (history_repo(store, &repo, err) != 0 ||
	    repo_file_at(repo, change, file, &blob, err) != 0)
		return -1;
	if (object_id_is_none(&blob))
		return 0;
	if (sound_read(repo, change, file, &blob, &text, err) != 0)
		return -1;
	edition_of_entries(&edition, category, str_slice(&text));
	str_add(out, edition_entry(&edition, category, key));
	edition_release(&edition);
	return 0;
}
