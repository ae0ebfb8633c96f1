/*
 * When the store was last maintained by schedule: .maintained, one line with a time.
 *
 * Not under version control, and no harm when it is lost: then it is time.
 */
#ifndef KOTA_STORE_UPKEEP_MAINTAINED_H
#define KOTA_STORE_UPKEEP_MAINTAINED_H

#include "store/view/query.h"

/* TIME_NONE when never, or when it is not to be read. */
int64_t store_maintained_ms(struct store *store);

/* Notes the time; takes the lock itself. A store that does not exist stays so. */
int store_note_maintained(struct store *store, int64_t now_ms, struct err *err);

#endif
