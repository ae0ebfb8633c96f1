/*
 * The redo journal: a change of several files, written completely before the first is touched.
 *
 * `.journal` holds the operations and who made them. It is renamed into place, and the fsync of the
 * directory after that is the commit point of the change. It is removed when all files are durable.
 * The lock must be held throughout. For apply.c; doctor reads it.
 *
 * Anyone who can put files into a store, through a repository or an archive, can write a journal.
 * So it is signed with the person's key (signer.h), over its content and the identity of the store.
 * It is carried out if the signature verifies and the store is at the same path, or is the folder
 * with that inode and birth time. Otherwise it is set aside as `.journal.aside-N` and blocks
 * nothing. An unsigned journal is carried out in the personal store, where older programs wrote
 * them, and elsewhere if the person asks for it (disk->by_hand). In a store of another user no
 * journal is read, moved or written.
 *
 * A process without access to the key writes unsigned journals. Of those that it finds it carries
 * out the operations on entries, but not those on notes.
 */
#ifndef KOTA_STORE_LOG_JOURNAL_H
#define KOTA_STORE_LOG_JOURNAL_H

#include "base/arena.h"
#include "json/write.h"
#include "model/operation.h"
#include "store/files/dir.h"

#define JOURNAL_NAME ".journal"

struct journal {
	bool found;         /* there is one to be carried out */
	bool entries_only;  /* then: without its operations on notes */
	bool refused;       /* there is one that is not; the rest is for display */
	bool only_unsigned; /* then: only because it is not signed */
	struct slice why;   /* then: the reason, as in "is not signed" */
	int64_t at_ms;
	struct op *ops;
	size_t count;
	struct change_meta meta;
	struct arena arena; /* owns all of it */
};

/* Writes the journal durably. On failure *committed says whether it may be in force anyway. */
int journal_commit(struct disk *disk, const struct op *ops, size_t count,
		   const struct change_meta *meta, int64_t now_ms, bool *committed,
		   struct err *err);

/*
 * Reads and verifies the journal. If there is none, it succeeds with neither found nor refused.
 * Fails if the journal cannot be read, or verifies and does not parse. Makes a missing key only if
 * the lock is held. On success, call journal_release().
 */
int journal_read(struct journal *out, struct disk *disk, struct err *err);

/* As journal_read(), but sets a refused one aside, with a remark, and reports none. */
int journal_take(struct journal *out, struct disk *disk, struct err *err);

/* Sets the journal aside under the first free name. */
int journal_set_aside(struct disk *disk, const char *why, struct err *err);

/* Appends the name of the journal that was set aside as number n. */
void journal_aside_name(struct str *out, int n);

/* The number of the next journal set aside, after this number (0: the first); 0 if none is left. */
int journal_next_aside(const struct disk *disk, int after);

/* As journal_read() for one that was set aside, as if the person had asked for it. */
int journal_read_aside(struct journal *out, struct disk *disk, int n, struct err *err);

/* Moves it back into place, which must be free; it must be read again. */
int journal_put_back(struct disk *disk, int n, struct err *err);

/* True if this store uses a journal. A foreign one does not. */
static inline bool journal_is_used(const struct disk *disk)
{
	return disk->origin.kind != ORIGIN_FOREIGN;
}

/* Writes an operation as the journal and .pending have it. */
void op_write(struct json_writer *w, const struct op *op);

/* Reads one; its texts are in the arena. False, and *out untouched, for anything else. */
bool op_read(const struct json *doc, uint32_t node, struct op *out, struct arena *arena);

/* True if the operation is about a note. */
static inline bool op_is_note(const struct op *op)
{
	return op->kind == OP_NOTE_ADD || op->kind == OP_NOTE_REMOVE;
}

/* Frees the operations and their texts. */
void journal_release(struct journal *journal);

/* Released at the end of the scope: `JOURNAL_AUTO journal = {0};` */
#define JOURNAL_AUTO __attribute__((cleanup(journal_release))) struct journal

/* Removes what a killed process left of a journal that was never in force. */
void journal_tidy(struct disk *disk);

/* Removes the journal, durably. Everything that it describes must be durable before. */
int journal_remove(struct disk *disk, struct err *err);

#endif
