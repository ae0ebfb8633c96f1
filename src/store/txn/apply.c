#include "store/txn/apply_internal.h"

#include "base/mem.h"
#include "store/swap/member_update.h"
#include "store/log/cold.h"
#include "store/log/journal.h"
#include "store/txn/note_file.h"
#include "store/files/resolve.h"
#include "store/swap/exchange.h"
#include "store/swap/replace.h"
#include "store/files/reviewed.h"
#include "store/swap/signals.h"
#include "store/files/change_observer.h"
#include "store/swap/siblings.h"

#include <errno.h>
#include <stdlib.h>

#define LOOK_AGAIN "the outcome is not certain, look before you repeat it"

void apply_tell(struct disk *disk, const struct change_meta *meta, const struct op *ops,
		size_t count, int64_t at_ms)
{
	if (disk->witness)
		disk->witness->change(disk->witness->context, meta, ops, count, at_ms);
}

static bool touches(const struct op *ops, size_t count, enum store_file file)
{
	for (size_t i = 0; i < count; i++) {
		if (build_concerns(&ops[i], file))
			return true;
	}
	return false;
}

static bool is_cold(const struct op *op)
{
	return op->kind == OP_COLD_ADD || op->kind == OP_KEEP;
}

/* Is there anything but the files that has to happen together with them? */
static bool goes_beyond_files(const struct op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (ops[i].kind == OP_COLD_ADD || op_is_note(&ops[i]))
			return true;
	}
	return false;
}

static struct rewrite rewrite_of(struct build *build)
{
	return (struct rewrite){.build = build_ops, .context = build};
}

/* Appends the records of the month of ops[first], unless an earlier one was of that month. */
static int apply_month(struct disk *disk, const struct op *ops, size_t count, size_t first,
		       struct err *err)
{
	STR_AUTO lines = STR_INIT;

	for (size_t i = 0; i < count; i++) {
		if (!is_cold(&ops[i]) || !cold_same_month(ops[i].at_ms, ops[first].at_ms))
			continue;
		if (i < first)
			return 0;
		str_add(&lines, ops[i].text);
		str_addc(&lines, '\n');
	}
	return cold_append(disk, ops[first].at_ms, str_slice(&lines), err);
}

static int apply_cold(struct disk *disk, const struct op *ops, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (is_cold(&ops[i]) && apply_month(disk, ops, count, i, err) != 0)
			return -1;
	}
	return 0;
}

static int apply_file(struct disk *disk, enum store_file file, const struct op *ops, size_t count,
		      bool redo, int64_t now_ms, bool *written, struct err *err)
{
	struct build build = {
		.file = file,
		.ops = ops,
		.count = count,
		.redo = redo,
		.now_ms = now_ms,
		.layout = disk->layouts && !redo ? &disk->layouts[file] : NULL,
	};
	struct rewrite rewrite = rewrite_of(&build);

	if (!touches(ops, count, file))
		return 0;
	return replace_file(disk, file, &rewrite, now_ms, written, err);
}

/* What is archived comes first, so that no entry is ever without a place. */
static int apply_archives(struct disk *disk, const struct op *ops, size_t count, bool redo,
			  int64_t now_ms, struct err *err)
{
	if (apply_cold(disk, ops, count, err) != 0)
		return -1;
	return apply_file(disk, STORE_FILE_ARCHIVE, ops, count, redo, now_ms, NULL, err);
}

static int apply_note(struct disk *disk, const struct op *op, bool redo, struct err *err)
{
	if (op->kind == OP_NOTE_ADD)
		return note_file_add(disk, op->key, op->text, redo, err);
	return note_file_remove(disk, op->key, op->text, err);
}

/* In a redo waits[] says of which operations the file is broken, or the folder not to be had. */
static int apply_notes(struct disk *disk, const struct op *ops, size_t count, bool redo,
		       bool *waits, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!op_is_note(&ops[i]) || apply_note(disk, &ops[i], redo, err) == 0)
			continue;
		if (!redo)
			return -1;
		waits[i] = true;
	}
	return 0;
}

/* All the files; waits[] as above, one for each operation, all false before. */
static int apply_journal(struct disk *disk, const struct op *ops, size_t count, bool redo,
			 int64_t now_ms, bool *waits, struct err *err)
{
	if (apply_archives(disk, ops, count, redo, now_ms, err) != 0)
		return -1;
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		if (f == STORE_FILE_ARCHIVE ||
		    apply_file(disk, (enum store_file)f, ops, count, redo, now_ms, NULL, err) == 0)
			continue;
		if (!redo || err->code != ERR_BAD_DATA)
			return -1;
		for (size_t i = 0; i < count; i++)
			waits[i] = waits[i] || build_concerns(&ops[i], (enum store_file)f);
	}
	return apply_notes(disk, ops, count, redo, waits, err);
}

int apply_all(struct disk *disk, const struct op *ops, size_t count, bool redo, int64_t now_ms,
	      bool *waits, struct err *err)
{
	int result;

	disk->sync_later = true;
	result = apply_journal(disk, ops, count, redo, now_ms, waits, err);
	disk->sync_later = false;
	if (result == 0 && file_fsync(disk->sys, disk->dirfd) != 0)
		result = err_set_errno(err, ERR_IO, errno, "cannot make %s durable", disk->path);
	return result;
}

/* Who stores something new need not know that what it displaces goes to the cold archive. */
static int cannot_keep(struct err *err)
{
	return err_prefix(err, "the text that gives way cannot be kept, so nothing is changed");
}

/* Could the cold files take what the operations send there? */
static int check_cold(struct disk *disk, const struct op *ops, size_t count, struct err *err)
{
	const struct op *last = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!is_cold(&ops[i]) || (last && cold_same_month(last->at_ms, ops[i].at_ms)))
			continue;
		if (cold_check(disk, ops[i].at_ms, err) != 0)
			return cannot_keep(err);
		last = &ops[i];
	}
	return 0;
}

/* Is nothing in the place of the file's twins that would stop it from being replaced? */
static int check_beside(struct disk *disk, enum store_file file, struct err *err)
{
	struct path path;
	int result;

	if (path_open(&path, disk, store_file_name(file), err) != 0)
		return -1;
	result = twin_check(&path, err);
	path_release(&path);
	return result;
}

/* Could the file take the operations? Nothing is written. */
static int check_file(struct disk *disk, enum store_file file, const struct op *ops, size_t count,
		      int64_t now_ms, struct err *err)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO out = STR_INIT;
	STR_AUTO aside = STR_INIT;
	struct build build = {file, ops, count, false, now_ms, NULL};
	struct path path = {.disk = disk, .file_name = store_file_name(file), .dirfd = -1};
	struct file_id id;
	struct json doc;
	int result;

	if (disk_read_json(disk, store_file_name(file), &text, &doc, &id, err) != 0)
		return -1;
	if (check_beside(disk, file, err) != 0) {
		json_release(&doc);
		return -1;
	}
	result = build_ops(&build, &doc, &out, &aside, err);
	json_release(&doc);
	if (result != 0)
		return err->code == ERR_BAD_DATA ? path_blame(disk, store_file_name(file), err)
						 : -1;
	if (path_parse(&path, str_slice(&out), &doc, err) != 0) {
		err->code = ERR_TOO_LARGE;
		return err_prefix(err, "the new text would not be readable");
	}
	json_release(&doc);
	return aside.len ? cold_check(disk, now_ms, err) : 0;
}

/* The file that an operation waits for. */
static const char *file_name_of(const struct op *op)
{
	int file = 0;

	while (file < STORE_FILE_COUNT - 1 && !build_concerns(op, (enum store_file)file))
		file++;
	return store_file_name((enum store_file)file);
}

/* A change that could not be finished yet must not be overwritten by another. */
static int check_journal(struct disk *disk, struct err *err)
{
	struct journal journal;
	int result = 0;

	if (journal_take(&journal, disk, err) != 0)
		return -1;
	if (journal.count > 0 && op_is_note(&journal.ops[0]))
		result = err_set(
			err, ERR_BAD_DATA,
			"an interrupted change waits until the note %.*s can be written; "
			"see to notes_dir: until then nothing else is archived or restored",
			(int)journal.ops[0].key.len, journal.ops[0].key.ptr);
	else if (journal.count > 0)
		result = err_set(err, ERR_BAD_DATA,
				 "an interrupted change waits until %s/%s can be read: mend that "
				 "file; until then nothing else is archived or restored",
				 disk->path, file_name_of(&journal.ops[0]));
	journal_release(&journal);
	return result;
}

/* Writes the notes that are to be, beside their place. */
static int stage_notes(struct disk *disk, const struct op *ops, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (ops[i].kind == OP_NOTE_ADD &&
		    note_file_stage(disk, ops[i].key, ops[i].text, err) != 0)
			return -1;
	}
	return 0;
}

static void unstage_notes(struct disk *disk, const struct op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (ops[i].kind == OP_NOTE_ADD)
			note_file_unstage(disk, ops[i].key);
	}
}

static int commit_and_apply(struct disk *disk, const struct op *ops, size_t count,
			    const struct change_meta *meta, int64_t now_ms, bool *committed,
			    struct err *err)
{
	/* In a store that is somebody else's nothing stands behind a change of several files. */
	bool journaled = journal_is_used(disk);
	bool *waits = mem_zalloc(count, sizeof *waits);
	int result = stage_notes(disk, ops, count, err);

	if (result == 0 && journaled)
		result = journal_commit(disk, ops, count, meta, now_ms, committed, err);
	if (!*committed)
		unstage_notes(disk, ops, count);
	if (result == 0)
		result = apply_all(disk, ops, count, false, now_ms, waits, err);
	if (result == 0 && journaled)
		result = journal_remove(disk, err);
	free(waits);
	if (result != 0 && !journaled)
		err_prefix(err, "the change may be made in part; " LOOK_AGAIN);
	return result;
}

static int apply_journaled(struct disk *disk, const struct op *ops, size_t count,
			   const struct change_meta *meta, int64_t now_ms, struct err *err)
{
	sigset_t before;
	bool committed = false;
	int result;

	if (check_journal(disk, err) != 0 || check_cold(disk, ops, count, err) != 0)
		return -1;
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		if (touches(ops, count, (enum store_file)f) &&
		    check_file(disk, (enum store_file)f, ops, count, now_ms, err) != 0)
			return -1;
	}
	signals_hold(&before);
	result = commit_and_apply(disk, ops, count, meta, now_ms, &committed, err);
	signals_release(&before);
	if (result != 0 && committed)
		err_prefix(err,
			   "the change is written down and will be finished later; " LOOK_AGAIN);
	return result;
}

static int apply_single(struct disk *disk, enum store_file file, const struct op *ops, size_t count,
			int64_t now_ms, struct err *err)
{
	bool written = false;
	int result = apply_file(disk, file, ops, count, false, now_ms, &written, err);

	if (result != 0 && written)
		err_prefix(err, "the change is made but may not be durable; " LOOK_AGAIN);
	return result;
}

int apply_ops(struct disk *disk, const struct op *ops, size_t count, const struct change_meta *meta,
	      int64_t now_ms, struct err *err)
{
	size_t files = 0;
	int file = 0;

	if (count == 0)
		return 0;
	reviewed_note(disk, ops, count);
	apply_tell(disk, meta, ops, count, now_ms);
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		if (touches(ops, count, (enum store_file)f)) {
			files++;
			file = f;
		}
	}
	if (files == 1 && !goes_beyond_files(ops, count)) {
		if (apply_cold(disk, ops, count, err) != 0)
			return cannot_keep(err);
		return apply_single(disk, (enum store_file)file, ops, count, now_ms, err);
	}
	return apply_journaled(disk, ops, count, meta, now_ms, err);
}

int apply_preview(const struct json *const docs[STORE_FILE_COUNT], const struct op *ops,
		  size_t count, size_t sizes[STORE_FILE_COUNT], struct err *err)
{
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		struct build build = {(enum store_file)f, ops, count, false, 0, NULL};
		STR_AUTO aside = STR_INIT;
		STR_AUTO out = STR_INIT;
		struct json_fault fault;
		struct json none = {0};
		int result;

		sizes[f] = APPLY_UNTOUCHED;
		if (!touches(ops, count, (enum store_file)f))
			continue;
		if (!docs[f])
			json_parse(&none, slice_of(NEW_FILE), &json_file_bounds, &fault);
		result = build_ops(&build, docs[f] ? docs[f] : &none, &out, &aside, err);
		json_release(&none);
		if (result != 0 && err->code != ERR_BAD_DATA)
			return -1;
		if (result == 0)
			sizes[f] = out.len;
	}
	return 0;
}
