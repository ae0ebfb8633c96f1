/*
 * May an entry of this size and depth be stored?
 *
 * Pure. For whoever is about to put an entry, before and while the store is changed: one rule and
 * one sentence for both.
 */
#ifndef KOTA_MODEL_ADMIT_H
#define KOTA_MODEL_ADMIT_H

#include "base/err.h"
#include "base/slice.h"
#include "model/settings.h"

#include <stddef.h>

/*
 * Checks an entry's compact JSON text. ERR_TOO_LARGE with both sizes when it is over
 * limits.entry_bytes, except that an entry of old_size bytes (0: none) that was over it already may
 * shrink; ERR_TOO_LARGE when the value is nested deeper than VALUE_DEPTH_MAX; ERR_BAD_VALUE when
 * the text is not JSON. The sentence names the key.
 */
int admit_entry(struct slice key, struct slice text, size_t old_size,
		const struct settings *settings, struct err *err);

#endif
