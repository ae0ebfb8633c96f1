/*
 * Replacing one file of the store, by exchange-rename.
 *
 * The new text is built from the fresh one, written to `.NAME.tmp`, made durable, and exchanged
 * with the file. What came out is compared with what the new text was built from; where it
 * differs, somebody's edit raced ours: the exchange is taken back at once and the text built anew
 * from the edit. Else what came out is kept as `.NAME.prev`, because an editor that writes in
 * place may still hold it. The lock must be held throughout. For displaced.c.
 */
#ifndef KOTA_STORE_SWAP_EXCHANGE_H
#define KOTA_STORE_SWAP_EXCHANGE_H

#include "store/files/resolve.h"

/* How the new text comes from the fresh one. */
struct rewrite {
	/*
	 * Puts the new text of the file into *out (empty before), and into *aside (empty before)
	 * lines for the cold archive: texts that the new one leaves out. May be called again with
	 * another document. ERR_BAD_DATA with "LINE:COLUMN: " first when the document cannot
	 * take it.
	 */
	int (*build)(void *context, const struct json *doc, struct str *out, struct str *aside,
		     struct err *err);
	/*
	 * Tells the witness of the new text where that is more than one change, and takes back what
	 * it told when the text was built anew since. NULL: the exchange itself does.
	 */
	void (*tell)(void *context, const struct witness *witness);
	void *context;
	/* A displaced text that build takes in, and its document; 0 and NULL: none. */
	uint64_t merged;
	const struct json *theirs;
	bool by_hand; /* the new text is a person's edit: nobody is told that it is ours */
};

enum replaced {
	REPLACED_NOTHING, /* the new text is the old one: not a byte was written */
	REPLACED_DONE,    /* durable */
	REPLACED_STIRRED, /* durable, and somebody has just written to what was displaced */
	REPLACED_AGAIN    /* somebody changed the file meanwhile: as if nothing had been tried */
};

/*
 * Tries the replacement once. On failure *written, unless written is NULL, says whether the new
 * text may be in place all the same.
 */
int replace_once(const struct path *path, enum store_file file, const struct rewrite *rewrite,
		 int64_t now_ms, enum replaced *what, bool *written, struct err *err);

#endif
