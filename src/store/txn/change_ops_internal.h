/*
 * The inside of a change: the operations collected so far. For src/store only.
 */
#ifndef KOTA_STORE_TXN_CHANGE_OPS_INTERNAL_H
#define KOTA_STORE_TXN_CHANGE_OPS_INTERNAL_H

#include "model/kept_part.h"
#include "store/swap/layout.h"
#include "store/txn/change_ops.h"
#include "store/view/snapshot.h"

/* A link as the change will leave it. */
struct link_work {
	struct slice id;
	struct slice from; /* refs of entries, see struct link */
	struct slice to;
	enum relation_type type;
	struct slice text;
	uint64_t before; /* hash64 of what the file has; 0: nothing */
	size_t op;       /* which operation changes it, counted from 1; 0: none */
	bool gone;
};

/* An entry that is replaced or removed; or a new one, whose times do not tell that it is. */
struct overwritten {
	const struct item *item; /* NULL: it comes */
	enum reason reason;
	enum category category; /* of one that comes, as its key */
	struct slice key;
};

struct change {
	struct store *store;
	struct change_meta meta;
	int64_t now_ms;
	bool locked;    /* the lock is ours to release */
	bool recorded;  /* in the history, or tried */
	bool waits;     /* for others, see group.h, which owns it */
	bool rehearsal; /* only says what it would do */
	struct arena arena;
	struct op *ops;
	size_t op_count;
	size_t op_cap;
	struct map touched;     /* refs that an operation names: never evicted */
	struct map record_keys; /* refs of all records, so that a new one gets its own key */
	bool record_keys_known;
	struct map taken_back; /* refs of records that it takes out of archive.json */
	struct layout layouts[STORE_FILE_COUNT]; /* how files are to look again, if they can */
	bool revives;            /* what it puts counts as active now, whatever its times */
	bool takes_back;         /* puts back what was there: no entry makes room for it */
	struct map others;       /* refs of entries that it leaves as others wrote them */
	struct map sheltered;    /* refs of which this change archives a copy */
	struct link_work *links; /* of relations.json, once the change is about any */
	size_t link_count;
	size_t link_cap;
	bool links_known;
	int64_t added[CATEGORY_COUNT];
	int64_t removed[CATEGORY_COUNT];
	struct overwritten *overwritten; /* what the history is expected to have */
	size_t overwritten_count;
	size_t overwritten_cap;
	struct kept_part *parts; /* records that it takes out of the archive, or puts back there */
	size_t part_count;
	size_t part_cap;
	size_t removed_size;   /* of the largest entry taken out: one that moves may be as large */
	struct slice archived; /* ref of the record that change_archive_copy() made */
	struct slice *evicted;
	size_t evicted_count;
	size_t evicted_cap;
};

/* A change without the lock, for one that is made inside another: the caller holds it. */
struct change *change_new(struct store *store, const struct change_meta *meta, int64_t now_ms);

/* Frees a change, done or not; the lock stays as it is. */
void change_free(struct change *change);

/* Adds an operation; its texts must live in the change's arena or in the view. */
void change_add_op(struct change *change, const struct op *op);

/* Takes the item out of its file and puts it into the archive, or straight into the cold one. */
int change_move_out(struct change *change, const struct item *item, enum reason reason, bool cold,
		    struct err *err);

/*
 * Adds what becomes of links that the files have, or that come with an older time, to the parts of
 * the change, so that it can be undone. For change_commit().
 */
void links_keep(struct change *change);

/* The entry of this ref is in service again: who superseded it does so no more. */
void links_end_supersession(struct change *change, struct slice ref);

/* For undo.c, which says what it does: a link gets a text, or goes where that is absent. */
int change_put_link(struct change *change, struct slice id, struct slice text, struct err *err);

/*
 * The ref of a new record whose key is "K@TIME", with #2 and so on behind it where that is taken;
 * *key gets the key in it. Both live as long as the change.
 */
struct slice change_record_ref(struct change *change, enum category category, struct slice dated,
			       struct slice *key);

/*
 * Keeps what the change overwrites: without a history as a line of the cold archive, else listed in
 * change->overwritten, and change_commit() sees whether the history has it, and will have the
 * change.
 */
void change_keep(struct change *change, const struct overwritten *old);

/* Adds that line to the operations. */
void change_add_copy(struct change *change, const struct overwritten *old);

/*
 * What becomes of a record in the archive, or of a link, is kept with the change, where no history
 * has it. The name and the text live as long as the change, or as the view.
 */
void change_keep_part(struct change *change, const struct kept_part *part);

#endif
