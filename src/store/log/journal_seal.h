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

/* Can this process sign? Makes the key where there is none while the lock is held. */
bool seal_ready(struct disk *disk);

/* Writes the member that says which store this is. */
void seal_write_place(struct disk *disk, struct json_writer *w);

/* Appends the member with the signature of the body, and a comma. */
void seal_add(struct disk *disk, struct slice body, struct str *out);

/* What the signature in the parsed journal says of its body. */
enum seal seal_check(struct disk *disk, const struct json *doc, uint32_t body);

#endif
