/*
 * The redo journal: a change of several files, written down whole before the first is touched.
 *
 * `.journal` holds the operations and who made them. Its name appears by a rename whose directory
 * fsync is the commit point of the change; it goes when all files are durable. The lock must be
 * held throughout. For apply.c; doctor reads it.
 *
 * It is signed with the person's key (signer.h) over all that it says and the store that it was
 * written in, because whoever can put a file into a store can write one: a repository, an archive.
 * It is believed when the signature verifies and the store is still at its path, or still is the
 * folder of that inode and birth time. What does not verify is set aside as `.journal.aside-N` and
 * holds nothing up. One without a signature is carried out in the person's own place, where older
 * programs wrote them, and elsewhere when the person has asked for it (disk->by_hand). In a store
 * that is somebody else's there is no journal, whatever stands there: none is read, moved or
 * written.
 *
 * A process that can have no key writes journals without a signature and carries out of those that
 * it finds what is about entries, but nothing that is about notes.
 */
#ifndef KOTA_STORE_LOG_JOURNAL_H
#define KOTA_STORE_LOG_JOURNAL_H

#include "base/arena.h"
#include "json/write.h"
#include "model/operation.h"
#include "store/files/dir.h"

#define JOURNAL_NAME ".journal"

struct journal {
	bool found;        /* there is one that is to be carried out */
	bool entries_only; /* then: but nothing that is about notes */
	bool refused; /* there is one that is not: the rest, where it could be read, is to show */
	bool only_unsigned; /* then: for want of a signature alone */
	struct slice why;   /* then: "is not signed", what follows its name in a sentence */
	int64_t at_ms;
	struct op *ops;
	size_t count;
	struct change_meta meta;
	struct arena arena; /* owns all of it */
};

/*
 * Writes the journal and makes it durable. On failure *committed says whether it may be in force
 * nevertheless.
 */
int journal_commit(struct disk *disk, const struct op *ops, size_t count,
		   const struct change_meta *meta, int64_t now_ms, bool *committed,
		   struct err *err);

/*
 * Reads the journal and judges it; none is success with neither found nor refused. It is an error
 * when it cannot be read, or is to be believed and cannot be understood. Makes the key, where there
 * is none, only while the lock is held. On success: journal_release().
 */
int journal_read(struct journal *out, struct disk *disk, struct err *err);

/* As journal_read(), but a refused one is set aside, with a remark, and is none. */
int journal_take(struct journal *out, struct disk *disk, struct err *err);

/* Sets the journal aside: it gets the first free name of its kind. */
int journal_set_aside(struct disk *disk, const char *why, struct err *err);

/* Appends the name of the journal that was set aside as number n. */
void journal_aside_name(struct str *out, int n);

/* The number of the next one that was set aside, after this one (0: the first); 0 when none is. */
int journal_next_aside(const struct disk *disk, int after);

/* As journal_read() for one that was set aside, judged as when a person has asked for it. */
int journal_read_aside(struct journal *out, struct disk *disk, int n, struct err *err);

/* Puts it back in its place, where there may be none; it must be read again. */
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

/* Removes what a killed process left of a journal that never was in force. */
void journal_tidy(struct disk *disk);

/* Takes the journal away, durably. All that it is about has to be durable before. */
int journal_remove(struct disk *disk, struct err *err);

#endif
