/*
 * Moves texts that lost a merge by git from their entries into the archive.
 */
#ifndef KOTA_STORE_TXN_LIFT_H
#define KOTA_STORE_TXN_LIFT_H

struct store;

/*
 * Makes records of them, as a change of its own. Where that cannot be they stay in their entries,
 * which is a notice. The lock is held and the view current, before and after.
 */
void lift_conflicts(struct store *store);

#endif
