/*
 * Carrying out a change: entry-level operations become durable files.
 *
 * The one code path by which the store's files change. Operations name entries and records, not
 * texts of files, so that they can be applied to whatever a person has made of the file meanwhile,
 * and redone after a crash. One file is replaced by exchange-rename; several go through a redo
 * journal whose directory fsync is the commit point. When apply_ops() returns 0 all of it is
 * durable. The lock must be held throughout.
 *
 * A person's edit is never lost: an operation that meets another text than it was made for (an
 * edit that raced us) sets that text aside in the cold archive, reason "replaced", and then does
 * its work; a redo after a crash leaves the person's later text and sets ours aside instead.
 */
#ifndef KOTA_STORE_TXN_APPLY_H
#define KOTA_STORE_TXN_APPLY_H

#include "model/operation.h"
#include "store/files/dir.h"

/*
 * Applies the operations, all or none. ERR_BAD_DATA before anything is written when a file that
 * they touch does not parse (file:line:column) or the cold archive is no place to write to. An
 * error after the commit point says that the outcome must be read again. The change is finished by
 * apply_recover() in that case.
 */
int apply_ops(struct disk *disk, const struct op *ops, size_t count, const struct change_meta *meta,
	      int64_t now_ms, struct err *err);

/* apply_preview: the operations do not touch this file. */
#define APPLY_UNTOUCHED SIZE_MAX

/*
 * How large category files and archive.json would be after the operations, without touching the
 * disk: docs are their parsed texts now, NULL where one is absent or broken. sizes[f] is
 * APPLY_UNTOUCHED where no operation is about file f, or where it cannot take them: apply_ops()
 * will say why.
 */
int apply_preview(const struct json *const docs[STORE_FILE_COUNT], const struct op *ops,
		  size_t count, size_t sizes[STORE_FILE_COUNT], struct err *err);

/*
 * Finishes what a killed process left: a committed journal is redone, displaced files and stale
 * temporary ones are compared with what is known of them and merged where a person's edit is in
 * them, then removed. Call with the lock held before reading anything that a change is based on.
 * Only ENOENT means that there is no journal. When a category file is broken the rest of a journal
 * is redone and what concerns that file waits in it: that is no failure, but apply_ops() refuses
 * changes of several files until it is mended. The displaced files of all files are looked at once
 * an open disk; later that of each file when it is replaced.
 */
int apply_recover(struct disk *disk, int64_t now_ms, struct err *err);

/*
 * Carries out the journal that was set aside under this number, if it is to be believed;
 * else it is set aside again. There may be no other journal.
 */
int apply_aside(struct disk *disk, int number, struct err *err);

#endif
