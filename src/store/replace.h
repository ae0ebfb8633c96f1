/*
 * Replacing one file of the store, by exchange-rename, and taking in what a person wrote meanwhile.
 *
 * The new text is built from the fresh one, written to `.NAME.tmp`, made durable, and exchanged
 * with the file. What came out is kept as `.NAME.prev` and compared with what the new text was
 * built from; where it differs, somebody's edit raced ours and is merged in, unit by unit. An
 * editor that writes in place may still hold the displaced file, so that the comparison is made
 * again before the next change. The lock must be held throughout. For apply.c alone.
 */
#ifndef KOTA_STORE_REPLACE_H
#define KOTA_STORE_REPLACE_H

#include "store/path.h"

/* How the new text comes from the fresh one. */
struct edit {
	/*
	 * Puts the new text of the file into *out (empty before), and into *aside (empty before)
	 * lines for the cold archive: texts that the new one leaves out. May be called again with
	 * another document. ERR_BAD_DATA without path when the document cannot take it.
	 */
	int (*build)(void *context, const struct json *doc, struct str *out, struct str *aside,
		     struct err *err);
	void *context;
	uint64_t merged; /* digest of a displaced text that build takes in; 0: none */
};

enum replaced {
	REPLACED_NOTHING, /* the new text is the old one: not a byte was written */
	REPLACED_DONE     /* durable */
};

/*
 * Does the replacement, without looking at what came out. The displaced file must have been
 * settled. On failure *written says whether the file may have been exchanged already.
 */
int replace_once(const struct path *path, const struct edit *edit, int64_t now_ms,
		 enum replaced *what, bool *written, struct err *err);

/* replace_once(), and settle_race() afterwards. */
int replace_file(struct disk *disk, enum store_file file, const struct edit *edit, int64_t now_ms,
		 bool *written, struct err *err);

#endif
