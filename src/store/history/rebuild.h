/*
 * The text that a change gave a file, made anew from its operations.
 *
 * For lines of .pending whose text is neither in the file any more nor in the repository: git has
 * put another one there, or has pruned what nothing named. For history.c and recorder.c; pure.
 */
#ifndef KOTA_STORE_HISTORY_REBUILD_H
#define KOTA_STORE_HISTORY_REBUILD_H

#include "base/str.h"
#include "model/operation.h"

#include <stdbool.h>

/* True if the operation is about the file of this name in the store. */
bool rebuild_concerns(const struct op *op, const char *file_name);

/*
 * What the operations make of a text, into *out (cleared first); absent is no file. A text that
 * cannot take them counts as none: what they put is in *out in any case. *gone says that they take
 * the file away. False where no operation is about the file.
 */
bool rebuild_text(const char *file_name, struct slice before, const struct op *ops, size_t count,
		  int64_t at_ms, struct str *out, bool *gone);

/* True if the operations would change nothing in the text. */
bool rebuild_is_in(const char *file_name, struct slice text, const struct op *ops, size_t count,
		   int64_t at_ms);

#endif
