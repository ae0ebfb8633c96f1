/*
 * Rebuilds the text that a change gave a file from its operations.
 *
 * For lines of .pending whose text is no longer in the file or the repository: git has replaced it,
 * or pruned its unreferenced blob. For history.c and recorder.c; pure.
 */
#ifndef KOTA_STORE_HISTORY_REBUILD_H
#define KOTA_STORE_HISTORY_REBUILD_H

#include "base/str.h"
#include "model/operation.h"

#include <stdbool.h>

/* True if the operation is about the file of this name in the store. */
bool rebuild_concerns(const struct op *op, const char *file_name);

/*
 * Applies the operations to a text, into *out (cleared first); absent: there is no file. A text to
 * which they cannot be applied counts as absent, so that what they put is in *out in any case.
 * *gone says that they remove the file. False if no operation concerns the file.
 */
bool rebuild_text(const char *file_name, struct slice before, const struct op *ops, size_t count,
		  int64_t at_ms, struct str *out, bool *gone);

/* True if the operations would change nothing in the text. */
bool rebuild_is_in(const char *file_name, struct slice text, const struct op *ops, size_t count,
		   int64_t at_ms);

#endif
