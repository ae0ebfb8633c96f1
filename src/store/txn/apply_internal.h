/*
 * Between apply.c, which makes a change, and redo.c, which finishes one.
 */
#ifndef KOTA_STORE_TXN_APPLY_INTERNAL_H
#define KOTA_STORE_TXN_APPLY_INTERNAL_H

#include "store/txn/apply.h"

/* Tells the history what is about to be done. */
void apply_tell(struct disk *disk, const struct change_meta *meta, const struct op *ops,
		size_t count, int64_t at_ms);

/*
 * Everything that a committed journal asks for. The names of the files become durable all at once:
 * until then the journal stands behind them. In a redo waits[], one for each operation and all
 * false before, says of which the file is broken, or the folder not to be had.
 */
int apply_all(struct disk *disk, const struct op *ops, size_t count, bool redo, int64_t now_ms,
	      bool *waits, struct err *err);

#endif
