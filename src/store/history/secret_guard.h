/*
 * Keeps out of the history secrets that a person has written into a file by hand.
 *
 * What an operation stores was checked before (ops/secret_check.h), and is recorded. An edit by
 * hand was not, and what is once in a history stays there: such a file is not recorded until the
 * secret is removed or the person allows it. With the setting "secrets" at warn or off nothing is
 * held. For history.c and the recorder; pure but for the settings.
 */
#ifndef KOTA_STORE_HISTORY_SECRET_GUARD_H
#define KOTA_STORE_HISTORY_SECRET_GUARD_H

#include "base/str.h"

#include <stdbool.h>

struct secret_guard {
	struct str where; /* the entry or the file that holds it, to be shown; released by the
			     caller */
	const char *rule; /* of secrets/secret_scan.h; static storage */
};

/*
 * True if `after` holds a secret of the kind that is refused, in an entry that `before` does not
 * have with the same text; in a file without entries, one of a kind that `before` does not have.
 * out may be NULL.
 */
bool secret_guard_finds(const char *file_name, struct slice before, struct slice after,
			struct secret_guard *out);

/* True if this JSON text holds such a secret. */
bool secret_guard_finds_in(struct slice json_text);

#endif
