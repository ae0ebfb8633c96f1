#include "cli/doctor/check.h"
#include "store/log/journal.h"

/* So many operations of a journal are named. */
#define OPS_NAMED 10

static const char *const doing[] = {
	[OP_PUT] = "sets",
	[OP_REMOVE] = "removes",
	[OP_RECORD_ADD] = "archives",
	[OP_RECORD_REMOVE] = "takes from the archive",
	[OP_LINK_PUT] = "links by",
	[OP_LINK_REMOVE] = "removes the link",
	[OP_NOTE_ADD] = "writes the note",
	[OP_NOTE_REMOVE] = "removes the note",
	[OP_COLD_ADD] = "keeps in the cold archive",
	[OP_KEEP] = "keeps in the cold archive",
};

/* What it would do, never with which value: "; it sets state:a, removes the note x.md". */
static void add_ops(struct str *out, const struct journal *journal)
{
	for (size_t i = 0; i < journal->count && i < OPS_NAMED; i++) {
		const struct op *op = &journal->ops[i];

		str_printf(out, "%s%s ", i ? ", " : "; it ", doing[op->kind]);
		if (op_is_note(op))
			checkup_add_key(out, op->key);
		else
			checkup_add_ref(out, category_name(op->category), op->key);
	}
	if (journal->count > OPS_NAMED)
		str_printf(out, " and %zu more", journal->count - OPS_NAMED);
}

static void tell_unsigned(struct checkup *checkup, const char *name, const struct journal *journal)
{
	STR_AUTO ops = STR_INIT;

	add_ops(&ops, journal);
	findings_add(checkup->found, FINDING_JOURNAL_UNSIGNED, NULL,
		     "%s is a change that was not finished and is not carried out by itself%s",
		     name, ops.ptr ? ops.ptr : "");
}

static void tell_refused(struct checkup *checkup, const char *name, const struct journal *journal)
{
	STR_AUTO remedy = STR_INIT;
	STR_AUTO ops = STR_INIT;

	add_ops(&ops, journal);
	str_printf(&remedy, "It is never carried out: remove it when you have seen it: rm %s/%s",
		   checkup->disk.path, name);
	findings_add(checkup->found, FINDING_JOURNAL_REFUSED, remedy.ptr, "%s %.*s%s", name,
		     (int)journal->why.len, journal->why.ptr, ops.ptr ? ops.ptr : "");
}

/* One that no change will carry out: would --fix? */
static void check_refused(struct checkup *checkup)
{
	struct journal journal;
	struct err err;

	checkup->disk.by_hand = true;
	if (journal_read(&journal, &checkup->disk, &err) != 0) {
		findings_add(checkup->found, FINDING_JOURNAL_BROKEN, NULL, "%s", err.text);
	} else {
		if (journal.found)
			tell_unsigned(checkup, ".journal", &journal);
		else if (journal.refused)
			tell_refused(checkup, ".journal", &journal);
		journal_release(&journal);
	}
	checkup->disk.by_hand = false;
}

/* Only while nobody holds the lock: else the journal is somebody's work in progress. */
static void check_journal(struct checkup *checkup)
{
	struct journal journal;
	struct err err;

	if (journal_read(&journal, &checkup->disk, &err) != 0) {
		findings_add(checkup->found, FINDING_JOURNAL_BROKEN, NULL, "%s", err.text);
		return;
	}
	if (journal.found)
		findings_add(checkup->found, FINDING_JOURNAL_LEFT, NULL,
			     "a change was interrupted after it was committed: .journal is "
			     "there");
	else if (journal.refused)
		check_refused(checkup);
	journal_release(&journal);
}

static void check_aside(struct checkup *checkup, int number)
{
	STR_AUTO name = STR_INIT;
	struct journal journal;
	struct err err;

	journal_aside_name(&name, number);
	if (journal_read_aside(&journal, &checkup->disk, number, &err) != 0) {
		findings_add(checkup->found, FINDING_JOURNAL_REFUSED, NULL, "%s", err.text);
		return;
	}
	if (journal.found)
		tell_unsigned(checkup, name.ptr, &journal);
	else if (journal.refused)
		tell_refused(checkup, name.ptr, &journal);
	journal_release(&journal);
}

static void check_key(struct checkup *checkup)
{
	struct disk *disk = &checkup->disk;

	if (signer_ask(&disk->signer, disk->sys, disk->env, disk->origin.root, false) ==
	    SIGNER_CANNOT)
		findings_add(checkup->found, FINDING_NO_KEY, NULL,
			     "changes of several files cannot be signed: %s",
			     disk->signer.why.text);
}

void checkup_journal(struct checkup *checkup)
{
	struct disk *disk = &checkup->disk;

	if (!journal_is_used(disk))
		return;
	disk->notes_dir_free = checkup->settings.notes_dir_free;
	check_journal(checkup);
	for (int n = journal_next_aside(disk, 0); n > 0; n = journal_next_aside(disk, n))
		check_aside(checkup, n);
	check_key(checkup);
}
