#include "store/txn/apply.h"

#include "store/files/change_observer.h"
#include "store/files/reviewed.h"
#include "store/log/cold.h"
#include "store/log/journal.h"
#include "store/swap/displaced.h"
#include "store/swap/member_update.h"
#include "store/swap/siblings.h"
#include "store/swap/signals.h"
#include "store/txn/note_file.h"

#include <errno.h>
#include <stdlib.h>

#define LOOK_AGAIN "the outcome is not certain, look before you repeat it"

/* Operations on their way into the files. */
struct work {
	struct disk *disk;
	const struct op *ops;
	size_t count;
	const struct change_meta *meta;
	int64_t at_ms;
	bool redo;   /* after a crash: what a person has written since then stays */
	bool *waits; /* in a redo, one for each operation: its file is broken, or out of reach */
};

/* Tells the history what is about to be done. */
static void apply_tell(const struct work *work)
{
	const struct witness *witness = work->disk->witness;

	if (witness)
		witness->change(witness->context, work->meta, work->ops, work->count, work->at_ms,
				false);
}

/* ... and that it is done. */
static void apply_tell_made(const struct work *work)
{
	const struct witness *witness = work->disk->witness;

	if (witness)
		witness->made(witness->context);
}

static bool apply_touches(const struct op *ops, size_t count, enum store_file file)
{
	for (size_t i = 0; i < count; i++) {
		if (build_concerns(&ops[i], file))
			return true;
	}
	return false;
}

static bool apply_is_cold(const struct op *op)
{
	return op->kind == OP_COLD_ADD || op->kind == OP_KEEP;
}

/* Appends what goes to the cold archive: the lines of one month at once, since they share a file.
 */
static int apply_cold(const struct work *work, struct err *err)
{
	for (size_t first = 0; first < work->count; first++) {
		const struct op *ops = work->ops;
		bool done = !apply_is_cold(&ops[first]);
		STR_AUTO lines = STR_INIT;

		for (size_t i = 0; !done && i < work->count; i++) {
			if (!apply_is_cold(&ops[i]) ||
			    !cold_same_month(ops[i].at_ms, ops[first].at_ms))
				continue;
			done = i < first;
			str_add(&lines, ops[i].text);
			str_addc(&lines, '\n');
		}
		if (!done && cold_append(work->disk, ops[first].at_ms, str_slice(&lines), err) != 0)
			return -1;
	}
	return 0;
}

static struct build apply_build(const struct work *work, enum store_file file)
{
	const struct layout *layouts = work->redo ? NULL : work->disk->layouts;

	return (struct build){
		.file = file,
		.ops = work->ops,
		.count = work->count,
		.redo = work->redo,
		.now_ms = work->at_ms,
		.layout = layouts ? &layouts[file] : NULL,
	};
}

static int apply_file(const struct work *work, enum store_file file, bool *written, struct err *err)
{
	struct build build = apply_build(work, file);
	struct rewrite rewrite = {.build = build_ops, .context = &build};

	if (!apply_touches(work->ops, work->count, file))
		return 0;
	return replace_file(work->disk, file, &rewrite, work->at_ms, written, err);
}

static int apply_notes(const struct work *work, struct err *err)
{
	for (size_t i = 0; i < work->count; i++) {
		const struct op *op = &work->ops[i];
		int result = 0;

		if (op->kind == OP_NOTE_ADD)
			result = note_file_add(work->disk, op->key, op->text, work->redo, err);
		else if (op->kind == OP_NOTE_REMOVE)
			result = note_file_remove(work->disk, op->key, op->text, err);
		if (result != 0 && !work->redo)
			return -1;
		if (result != 0)
			work->waits[i] = true;
	}
	return 0;
}

/* True if the change removes anything from the file. */
static bool apply_loses(const struct work *work, enum store_file file)
{
	for (size_t i = 0; i < work->count; i++) {
		enum op_kind kind = work->ops[i].kind;

		if (build_concerns(&work->ops[i], file) &&
		    (kind == OP_REMOVE || kind == OP_RECORD_REMOVE || kind == OP_LINK_REMOVE))
			return true;
	}
	return false;
}

/* One of several files. In a redo those operations wait whose file is broken. */
static int apply_part(const struct work *work, enum store_file file, struct err *err)
{
	if (apply_file(work, file, NULL, err) == 0)
		return 0;
	if (!work->redo || err->code != ERR_BAD_DATA || file == STORE_FILE_ARCHIVE)
		return -1;
	for (size_t i = 0; i < work->count; i++)
		work->waits[i] = work->waits[i] || build_concerns(&work->ops[i], file);
	return 0;
}

/*
 * What moves is put into its new place before it leaves the old one: whoever copies the files
 * meanwhile, or after a kill, has it.
 */
static int apply_files(const struct work *work, struct err *err)
{
	if (apply_cold(work, err) != 0)
		return -1;
	for (int losing = 0; losing < 2; losing++) {
		for (int f = STORE_FILE_COUNT - 1; f >= 0; f--) {
			if (apply_loses(work, (enum store_file)f) == (losing == 1) &&
			    apply_part(work, (enum store_file)f, err) != 0)
				return -1;
		}
	}
	return apply_notes(work, err);
}

/*
 * Everything that a committed journal asks for. The names of the files become durable all at once:
 * until then the journal stands behind them.
 */
static int apply_all(const struct work *work, struct err *err)
{
	struct disk *disk = work->disk;

	disk->sync_later = true;
	int result = apply_files(work, err);
	disk->sync_later = false;
	if (result == 0 && file_fsync(disk->sys, disk->dirfd) != 0)
		result = err_set_errno(err, ERR_IO, errno, "cannot make %s durable", disk->path);
	return result;
}

/* ---- what has to be so before the commit point, since nothing may fail behind it */

/* Who stores something new need not know that what it displaces goes to the cold archive. */
static int apply_cannot_keep(struct err *err)
{
	return err_prefix(err, "the text to be replaced cannot be kept, so nothing was changed");
}

/* True if the cold files could take what the operations send there. */
static int apply_check_cold(const struct work *work, struct err *err)
{
	const struct op *last = NULL;

	for (size_t i = 0; i < work->count; i++) {
		const struct op *op = &work->ops[i];

		if (!apply_is_cold(op) || (last && cold_same_month(last->at_ms, op->at_ms)))
			continue;
		if (cold_check(work->disk, op->at_ms, err) != 0)
			return apply_cannot_keep(err);
		last = op;
	}
	return 0;
}

/* True if the file could take the operations. Nothing is written. */
static int apply_check_file(const struct work *work, enum store_file file, struct err *err)
{
	struct build build = apply_build(work, file);
	STR_AUTO text = STR_INIT;
	STR_AUTO out = STR_INIT;
	STR_AUTO aside = STR_INIT;
	struct file_id id;
	PATH_AUTO path = {0};
	struct json doc;

	if (path_open(&path, work->disk, store_file_name(file), err) != 0)
		return -1;
	int result = path_read_json(&path, path.name, false, &text, &doc, &id, err);
	if (result == 0) {
		result = sibling_check(&path, err);
		if (result == 0 && build_ops(&build, &doc, &out, &aside, err) != 0)
			result = err->code == ERR_BAD_DATA
					 ? path_blame(path.disk, path.file_name, err)
					 : -1;
		json_release(&doc);
	}
	if (result == 0) {
		result = path_parse(&path, str_slice(&out), &doc, err);
		if (result == 0) {
			json_release(&doc);
		} else {
			err->code = ERR_TOO_LARGE;
			err_prefix(err, "the new text would not be readable");
		}
	}
	return result == 0 && aside.len ? cold_check(work->disk, work->at_ms, err) : result;
}

/* A change that could not be finished yet must not be overwritten by another. */
static int apply_check_journal(struct disk *disk, struct err *err)
{
	JOURNAL_AUTO journal = {0};
	int result = 0;
	int file = 0;

	if (journal_take(&journal, disk, err) != 0)
		return -1;
	if (journal.count > 0 && op_is_note(&journal.ops[0])) {
		result = err_set(err, ERR_BAD_DATA,
				 "an interrupted change waits until the note %.*s can be written; "
				 "check notes_dir: until then nothing else is archived or restored",
				 (int)journal.ops[0].key.len, journal.ops[0].key.ptr);
	} else if (journal.count > 0) {
		while (file < STORE_FILE_COUNT - 1 &&
		       !build_concerns(&journal.ops[0], (enum store_file)file))
			file++;
		result = err_set(err, ERR_BAD_DATA,
				 "an interrupted change waits until %s/%s can be read: fix that "
				 "file; until then nothing else is archived or restored",
				 disk->path, store_file_name((enum store_file)file));
	}
	return result;
}

/* Writes the notes that are to be, beside their place. */
static int apply_stage_notes(const struct work *work, struct err *err)
{
	for (size_t i = 0; i < work->count; i++) {
		const struct op *op = &work->ops[i];

		if (op->kind == OP_NOTE_ADD &&
		    note_file_stage(work->disk, op->key, op->text, err) != 0)
			return -1;
	}
	return 0;
}

/* ---- a change of several files */

static int apply_commit(struct work *work, bool *committed, struct err *err)
{
	/* In a store that is not the person's own, a journal would not be believed. */
	bool journaled = journal_is_used(work->disk);
	int result = apply_stage_notes(work, err);

	if (result == 0 && journaled)
		result = journal_commit(work->disk, work->ops, work->count, work->meta, work->at_ms,
					committed, err);
	for (size_t i = 0; !*committed && i < work->count; i++) {
		if (work->ops[i].kind == OP_NOTE_ADD)
			note_file_unstage(work->disk, work->ops[i].key);
	}
	if (result == 0)
		result = apply_all(work, err);
	if (result == 0 && journaled)
		result = journal_remove(work->disk, err);
	if (result == 0)
		apply_tell_made(work);
	if (result != 0 && !journaled)
		err_prefix(err, "the change may be made in part; " LOOK_AGAIN);
	return result;
}

static int apply_journaled(struct work *work, struct err *err)
{
	sigset_t before;
	bool committed = false;

	if (apply_check_journal(work->disk, err) != 0 || apply_check_cold(work, err) != 0)
		return -1;
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		if (apply_touches(work->ops, work->count, (enum store_file)f) &&
		    apply_check_file(work, (enum store_file)f, err) != 0)
			return -1;
	}
	signals_hold(&before);
	int result = apply_commit(work, &committed, err);
	signals_release(&before);
	if (result != 0 && committed)
		err_prefix(err,
			   "the change is written down and will be finished later; " LOOK_AGAIN);
	return result;
}

/* True if something other than the files has to happen together with them. */
static bool apply_goes_beyond_files(const struct work *work)
{
	for (size_t i = 0; i < work->count; i++) {
		if (work->ops[i].kind == OP_COLD_ADD || op_is_note(&work->ops[i]))
			return true;
	}
	return false;
}

int apply_ops(struct disk *disk, const struct op *ops, size_t count, const struct change_meta *meta,
	      int64_t now_ms, struct err *err)
{
	struct work work = {
		.disk = disk, .ops = ops, .count = count, .meta = meta, .at_ms = now_ms};
	bool written = false;
	size_t files = 0;
	int file = 0;

	if (count == 0)
		return 0;
	reviewed_note(disk, ops, count);
	apply_tell(&work);
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		if (apply_touches(ops, count, (enum store_file)f)) {
			files++;
			file = f;
		}
	}
	if (files != 1 || apply_goes_beyond_files(&work))
		return apply_journaled(&work, err);
	/* One file needs no journal: the exchange of its name is the commit point. */
	if (apply_cold(&work, err) != 0)
		return apply_cannot_keep(err);
	if (apply_file(&work, (enum store_file)file, &written, err) == 0) {
		apply_tell_made(&work);
		return 0;
	}
	return written ? err_prefix(err, "the change is made but may not be durable; " LOOK_AGAIN)
		       : -1;
}

int apply_preview(const struct json *const docs[STORE_FILE_COUNT], const struct op *ops,
		  size_t count, size_t sizes[STORE_FILE_COUNT], struct err *err)
{
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		struct build build = {(enum store_file)f, ops, count, false, 0, NULL};
		STR_AUTO aside = STR_INIT;
		STR_AUTO out = STR_INIT;
		struct json none = {0};

		sizes[f] = APPLY_UNTOUCHED;
		if (!apply_touches(ops, count, (enum store_file)f))
			continue;
		if (!docs[f])
			json_empty_object(&none);
		int result = build_ops(&build, docs[f] ? docs[f] : &none, &out, &aside, err);
		json_release(&none);
		if (result != 0 && err->code != ERR_BAD_DATA)
			return -1;
		if (result == 0)
			sizes[f] = out.len;
	}
	return 0;
}

/* ---- what a killed process has left */

/* Puts the operations that are about notes behind the others; the number of those. */
static size_t apply_redo_put_notes_last(struct journal *journal)
{
	struct op *sorted = arena_alloc(&journal->arena, (journal->count + 1) * sizeof *sorted);
	size_t entries = 0;
	size_t count = 0;

	for (int notes = 0; notes < 2; notes++) {
		for (size_t i = 0; i < journal->count; i++) {
			if (op_is_note(&journal->ops[i]) == (notes == 1))
				sorted[count++] = journal->ops[i];
		}
		entries = notes ? entries : count;
	}
	journal->ops = sorted;
	return entries;
}

/*
 * Does again what a journal asks for. What concerns a file that is broken stays in the journal, and
 * only that: the rest is done and must not be done once more, when a person or a change may have
 * gone on from it. Operations of notes in a journal that nobody signed are set aside.
 */
static int apply_redo_journal(struct disk *disk, struct journal *journal, struct err *err)
{
	struct work work = {
		.disk = disk,
		.count = journal->entries_only ? apply_redo_put_notes_last(journal)
					       : journal->count,
		.meta = &journal->meta,
		.at_ms = journal->at_ms,
		.redo = true,
		.waits = arena_alloc(&journal->arena, (journal->count + 1) * sizeof *work.waits),
	};
	bool whole = work.count == journal->count;
	size_t left = 0;
	bool flag;

	work.ops = journal->ops;
	apply_tell(&work);
	if (apply_all(&work, err) != 0)
		return -1;
	if (!whole &&
	    (journal_commit(disk, journal->ops + work.count, journal->count - work.count,
			    &journal->meta, journal->at_ms, &flag, err) != 0 ||
	     journal_set_aside(disk, "is about notes, and nobody can say who wrote it", err) != 0))
		return -1;
	for (size_t i = 0; i < work.count; i++) {
		if (work.waits[i])
			journal->ops[left++] = journal->ops[i];
	}
	if (left == 0) {
		if (journal_remove(disk, err) != 0)
			return -1;
		apply_tell_made(&work);
		return 0;
	}
	if (left == journal->count && whole)
		return 0;
	return journal_commit(disk, journal->ops, left, &journal->meta, journal->at_ms, &flag, err);
}

static int apply_redo(struct disk *disk, struct err *err)
{
	struct journal journal;
	int result = 0;

	if (journal_take(&journal, disk, err) != 0)
		return -1;
	if (journal.found)
		result = apply_redo_journal(disk, &journal, err);
	else
		disk->unjournaled_round = disk->look_rounds;
	journal_release(&journal);
	if (result != 0)
		err_prefix(err, "an interrupted change cannot be finished");
	return result;
}

int apply_aside(struct disk *disk, int number, struct err *err)
{
	return journal_put_back(disk, number, err) != 0 ? -1 : apply_redo(disk, err);
}

int apply_recover(struct disk *disk, int64_t now_ms, struct err *err)
{
	if (disk->dirfd < 0)
		return 0;
	if (!disk->recovered) {
		for (int f = 0; f < STORE_FILE_COUNT; f++) {
			if (origin_believes(&disk->origin, STATE_DISPLACED) &&
			    displaced_absorb(disk, (enum store_file)f, now_ms, err) != 0)
				return -1;
		}
		if (journal_is_used(disk))
			journal_tidy(disk);
		note_file_tidy(disk);
	}
	disk->recovered = true;
	return apply_redo(disk, err);
}
