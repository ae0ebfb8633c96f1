/* What a killed process has left: see apply_recover(). */
#include "store/txn/apply_internal.h"

#include "store/log/journal.h"
#include "store/txn/note_file.h"
#include "store/files/resolve.h"
#include "store/swap/displaced.h"

/* Puts the operations that are about notes behind the others; the number of those. */
static size_t put_notes_last(struct journal *journal)
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

/* Those of notes are not carried out: they are kept where a person can see them. */
static int set_notes_aside(struct disk *disk, const struct journal *journal, size_t entries,
			   struct err *err)
{
	bool flag;

	if (entries == journal->count)
		return 0;
	if (journal_commit(disk, journal->ops + entries, journal->count - entries, &journal->meta,
			   journal->at_ms, &flag, err) != 0)
		return -1;
	return journal_set_aside(disk, "is about notes, and nobody can say who wrote it", err);
}

/* Leaves the operations in the journal that wait for their file. */
static int keep_waiting(struct disk *disk, struct journal *journal, const bool *waits, size_t count,
			struct err *err)
{
	bool whole = count == journal->count;
	size_t left = 0;
	bool flag;

	for (size_t i = 0; i < count; i++) {
		if (waits[i])
			journal->ops[left++] = journal->ops[i];
	}
	if (left == 0)
		return journal_remove(disk, err);
	if (left == journal->count && whole)
		return 0;
	return journal_commit(disk, journal->ops, left, &journal->meta, journal->at_ms, &flag, err);
}

/*
 * Does again what a journal asks for. What concerns a file that is broken stays in the journal, and
 * only that: the rest is done and must not be done once more, when a person or a change may have
 * gone on from it.
 */
static int redo_journal(struct disk *disk, struct journal *journal, struct err *err)
{
	bool *waits = arena_alloc(&journal->arena, (journal->count + 1) * sizeof *waits);
	size_t count = journal->entries_only ? put_notes_last(journal) : journal->count;

	apply_tell(disk, &journal->meta, journal->ops, count, journal->at_ms);
	if (apply_all(disk, journal->ops, count, true, journal->at_ms, waits, err) != 0 ||
	    set_notes_aside(disk, journal, count, err) != 0)
		return -1;
	return keep_waiting(disk, journal, waits, count, err);
}

static int redo(struct disk *disk, struct err *err)
{
	struct journal journal;
	int result = 0;

	if (journal_take(&journal, disk, err) != 0)
		return -1;
	if (journal.found)
		result = redo_journal(disk, &journal, err);
	journal_release(&journal);
	if (result != 0)
		err_prefix(err, "an interrupted change cannot be finished");
	return result;
}

int apply_aside(struct disk *disk, int number, struct err *err)
{
	return journal_put_back(disk, number, err) != 0 ? -1 : redo(disk, err);
}

/*
 * A link that leads nowhere, a directory in the place of a temporary file and the like concern that
 * file alone: whoever changes it says so.
 */
static int settle(struct disk *disk, enum store_file file, int64_t now_ms, struct err *err)
{
	struct err reason;
	struct path path;
	int result = path_open(&path, disk, store_file_name(file), &reason);

	if (result == 0) {
		result = settle_leftover(&path, &reason);
		if (result == 0)
			result = settle_displaced(&path, file, now_ms, &reason);
		path_release(&path);
	}
	if (result == 0 || reason.code == ERR_BAD_DATA)
		return 0;
	*err = reason;
	return -1;
}

int apply_recover(struct disk *disk, int64_t now_ms, struct err *err)
{
	if (disk->dirfd < 0)
		return 0;
	for (int f = 0; !disk->recovered && f < STORE_FILE_COUNT; f++) {
		if (origin_believes(&disk->origin, STATE_DISPLACED) &&
		    settle(disk, (enum store_file)f, now_ms, err) != 0)
			return -1;
	}
	if (!disk->recovered) {
		if (journal_is_used(disk))
			journal_tidy(disk);
		note_file_tidy(disk);
	}
	disk->recovered = true;
	return redo(disk, err);
}
