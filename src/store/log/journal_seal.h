/*
 * The signature of a journal, and the store that it names. For journal.c.
 */
#ifndef KOTA_STORE_LOG_JOURNAL_SEAL_H
#define KOTA_STORE_LOG_JOURNAL_SEAL_H

#include "json/doc.h"
#include "json/write.h"
#include "store/files/dir.h"

enum seal {
	SEAL_GOOD,
	SEAL_NONE,      /* there is no signature */
	SEAL_BAD,       /* it does not verify */
	SEAL_ELSEWHERE, /* it does, and the journal was written in another store */
	SEAL_UNKNOWN    /* this process has no key */
};

/*
 * Finds whether this process can sign. Makes the key if there is none and the lock is held. An
 * error, never SIGNER_FAILED, when that cannot be said for the moment.
 */
int journal_seal_ask(struct disk *disk, enum signer_state *state, struct err *err);

/* Writes the member that says which store this is. */
int journal_seal_write_place(const struct disk *disk, struct json_writer *w, struct err *err);

/* Appends the member with the signature of the body, and a comma. */
void journal_seal_add(struct disk *disk, struct slice body, struct str *out);

/* What the signature in the parsed journal says of its body. */
int journal_seal_check(struct disk *disk, const struct json *doc, uint32_t body, enum seal *seal,
		       struct err *err);

#endif
