/*
 * Comparing a store with what a sequence says it holds in the end.
 */
#ifndef KOTA_TESTS_GOLDEN_FINAL_H
#define KOTA_TESTS_GOLDEN_FINAL_H

#include "replay/golden.h"
#include "store/open/store.h"

/*
 * Does the store hold at now_ms what the object at final says? `active` names the values of each
 * category, "..." standing for any value, or their number; categories that it does not name are
 * empty. `archived` lists "category:key reason" in any order, reason "*" standing for any. A part
 * that is missing is not looked at. When not, *why says what differs.
 */
enum golden_outcome final_agrees(const struct json *doc, uint32_t final, struct store *store,
				 int64_t now_ms, struct str *why);

#endif
