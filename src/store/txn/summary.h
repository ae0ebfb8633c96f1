/*
 * What metadata.json says of a store's view: see metadata.h. For src/store only.
 */
#ifndef KOTA_STORE_TXN_SUMMARY_H
#define KOTA_STORE_TXN_SUMMARY_H

#include <stdbool.h>

struct store;

/*
 * Writes metadata.json as the view has it; the lock must be held. cleaned says that what was due
 * has just been let expire. Derived, so that failing is only worth a notice.
 */
void summary_write(struct store *store, bool cleaned);

/*
 * Writes it where it is missing, torn or does not agree with the view. Not while a file of entries
 * cannot be read, whose entries nobody can count; nor over what is no file.
 */
void summary_refresh(struct store *store);

#endif
