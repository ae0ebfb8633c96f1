/*
 * The operations of a change: each checks by itself what it is asked for, and is only collected.
 * change_commit() carries them out.
 */
#ifndef KOTA_STORE_TXN_CHANGE_OPS_H
#define KOTA_STORE_TXN_CHANGE_OPS_H

#include "model/relation.h"
#include "store/txn/apply.h"
#include "store/view/query.h"

/* How much a store held at some time. */
struct held {
	int64_t entries[CATEGORY_COUNT];
	int64_t bytes; /* that count against limits.total_bytes */
};

struct change;

/* True for a rehearsal, see change_rehearse(). */
bool change_is_rehearsal(const struct change *change);

/* The store that is changed, its view current. */
struct store *change_store(const struct change *change);

/* The moment at which it is made. */
int64_t change_now_ms(const struct change *change);

/*
 * The category's file must be readable for what follows: ERR_BAD_DATA with file:line:column when it
 * is not. The functions below check by themselves.
 */
int change_check_category(const struct change *change, enum category category, struct err *err);

/* Likewise archive.json. */
int change_check_archive(const struct change *change, struct err *err);

/*
 * Puts an entry (compact JSON text, copied) under a key as it is to be spelt: replaces the entry
 * of exactly this spelling, else adds one. ERR_TOO_LARGE with both sizes when it is over
 * limits.entry_bytes, except that an entry that was over it already, under this key or one that the
 * same change removed, may stay as large or shrink; ERR_TOO_LARGE when
 * it is nested too deep.
 */
int change_put(struct change *change, enum category category, struct slice key,
	       struct slice entry_text, struct err *err);

/* Takes an active entry out of its file without a trace: for mv, which puts it elsewhere. */
int change_remove(struct change *change, const struct item *item, struct err *err);

/* Moves an active entry to the archive. The record's time is the change's now. */
int change_archive(struct change *change, const struct item *item, enum reason reason,
		   struct err *err);

/* Archives a copy of an entry that stays or is replaced in the same change. */
int change_archive_copy(struct change *change, const struct item *item, enum reason reason,
			struct err *err);

/*
 * Links two entries, which need not be active: a merged one is linked to those it was made of. from
 * and to are refs as the entries are spelt; id and text are not looked at, created_ms TIME_NONE
 * stands for now. A link of the same kind between the same two that is there already stays as it
 * is. *id is the link's, valid until change_end. ERR_BAD_VALUE for a link of an entry with itself,
 * ERR_TOO_LARGE when it is over limits.entry_bytes, ERR_STORE_FULL for one more than LINKS_MAX.
 */
int change_relate(struct change *change, const struct relation *relation, struct slice *id,
		  struct err *err);

/*
 * The item goes to the archive, and from now on the entry of the ref `by`, which is linked to it,
 * answers for it.
 */
int change_supersede(struct change *change, struct slice by, const struct item *item,
		     enum reason reason, struct err *err);

/* Takes a link out of relations.json; ERR_NOT_FOUND when there is none of this id. */
int change_unrelate(struct change *change, struct slice id, struct err *err);

/*
 * Links that begin or end at the entry `from`, a ref as it is spelt, do so at `to` from now on: for
 * an entry that gets another name, or is merged into another. Those that say the same as another
 * link then, or would lead from an entry to itself, go. Call it before change_relate() for links
 * that are to stay between the two.
 */
int change_repoint(struct change *change, struct slice from, struct slice to, struct err *err);

/*
 * Gives a note of the folder another text. *stays says that nothing is done, because the note is
 * not there with the old one any more: another one is a person's.
 */
int change_note_again(struct change *change, enum category category, struct slice file,
		      struct slice old, struct slice text, bool *stays, struct err *err);

/* The text of a note of the folder; false where there is none, or none to be read. */
bool change_note_text(struct change *change, struct slice file, struct str *out);

/*
 * Makes a note: a file of this text in the folder of notes, called STEM.md, or STEM-2.md and so on
 * where that is taken. stem is a plain name: no "/", no dot first. *file is its name, valid until
 * change_end. category and text of the note are copied; the category is that of the entry that it
 * is made of. A note never replaces a file. ERR_CANNOT_WRITE where there is no writing to the
 * folder.
 */
int change_note(struct change *change, enum category category, struct slice stem, struct slice text,
		struct slice *file, struct err *err);

/* Refuses (ERR_STORE_FULL) what would pin more than half of a limit; call before change_put. */
int change_check_pin(struct change *change, enum category category, const struct item *replaced,
		     struct slice entry_text, struct err *err);

#endif
