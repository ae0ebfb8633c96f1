/*
 * Replacing one file of the store, by exchange-rename.
 *
 * The new text is built from the current one, written to `.NAME.tmp`, made durable, and exchanged
 * with the file. The displaced file is compared with the text from which the new one was built. If
 * it differs, somebody edited it meanwhile: the exchange is reverted at once, and the text is built
 * again from the edit. Otherwise the displaced file is kept as `.NAME.prev`, because an editor that
 * writes in place may still have it open. The lock must be held throughout. For displaced.c.
 */
#ifndef KOTA_STORE_SWAP_EXCHANGE_H
#define KOTA_STORE_SWAP_EXCHANGE_H

#include "store/files/resolve.h"

/* How the new text is built from the current one. */
struct rewrite {
	/*
	 * Writes the new text of the file to *out, and lines for the cold archive to *aside: texts
	 * that the new one leaves out. Both are empty at first. May be called again with another
	 * document. ERR_BAD_DATA, beginning with "LINE:COLUMN: ", if the document does not allow
	 * the change.
	 */
	int (*build)(void *context, const struct json *doc, struct str *out, struct str *aside,
		     struct err *err);
	/*
	 * Tells the witness of the new text where that is more than one change, and takes back what
	 * it told when the text was built anew since. NULL: the exchange itself does.
	 */
	void (*tell)(void *context, const struct witness *witness);
	void *context;
	/* A displaced text that build merges, and its document; 0 and NULL: none. */
	uint64_t merged;
	const struct json *theirs;
	bool by_hand; /* the new text is a person's edit, and is not noted as ours */
};

enum replaced {
	REPLACED_NOTHING, /* the new text is the old one: not a byte was written */
	REPLACED_DONE,    /* durable */
	REPLACED_STIRRED, /* durable, but somebody has just written to the displaced file */
	REPLACED_AGAIN    /* somebody changed the file meanwhile; nothing was done */
};

/*
 * Tries the replacement once. On failure *written says whether the new text may be in place anyway.
 * written may be NULL.
 */
int replace_once(const struct path *path, enum store_file file, const struct rewrite *rewrite,
		 int64_t now_ms, enum replaced *what, bool *written, struct err *err);

#endif
