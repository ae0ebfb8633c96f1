/*
 * Making what a reader sees current; what is due expires on the way.
 */
#ifndef KOTA_STORE_TXN_REFRESH_H
#define KOTA_STORE_TXN_REFRESH_H

#include "store/view/query.h"

/*
 * Makes the view current at now_ms. What is due to expire is archived as a change of its own when
 * the lock is free, else it is marked `due`. Fails only when the directory itself cannot be read.
 */
int store_refresh(struct store *store, int64_t now_ms, struct err *err);

/* The same, with hands off for as long as it takes: for who copies a store. */
int store_look(struct store *store, int64_t now_ms, struct err *err);

/*
 * Archives every entry that is due, in one change (reason expiry); the lock must be held and the
 * view current, and is current again afterwards. What cannot be moved stays in its file, marked
 * due, and a notice says why: expiry never stands in the way of the operation that it precedes.
 */
void expire_due(struct store *store);

/* A request that follows changes that wait: the view is current, and the lock held. */
void store_look_on(struct store *store, int64_t now_ms);

#endif
