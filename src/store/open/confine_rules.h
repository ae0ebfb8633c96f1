/*
 * The files that a confined server may access: see store/files/confine.h.
 */
#ifndef KOTA_STORE_OPEN_CONFINE_RULES_H
#define KOTA_STORE_OPEN_CONFINE_RULES_H

#include "store/files/confine.h"

/*
 * Confines the process to the store, of which the folder is open and the origin known, unless that
 * was done or tried before. Does nothing if the kernel cannot; doctor says so.
 */
void confine_rules_enter(struct confine *confine, struct disk *disk);

#endif
