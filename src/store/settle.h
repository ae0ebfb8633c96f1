/*
 * What came out: comparing the displaced file with what was displaced, and taking in what differs.
 *
 * Units that only the person touched are taken over, units that only we touched stay; where both
 * did, one text is kept in the cold archive. The lock must be held throughout. For replace.c and
 * apply.c.
 */
#ifndef KOTA_STORE_SETTLE_H
#define KOTA_STORE_SETTLE_H

#include "store/path.h"

/*
 * Deals with a temporary file that an interrupted process left: what was to become the file goes,
 * what came out of it becomes the displaced file.
 */
int settle_leftover(const struct path *path, struct err *err);

/*
 * Right after a replacement: where both touched a unit, ours wins. When what came out is not valid
 * JSON the person's file is put back, *written becomes false, and the error says file:line:column.
 */
int settle_race(const struct path *path, enum store_file file, int64_t now_ms, bool *written,
		struct err *err);

/*
 * Later, before the next change: where both touched a unit, the person's text wins, because it may
 * be the newer one. What is not valid JSON is kept under another name. A file that itself does not
 * parse now is left for another time.
 */
int settle_later(const struct path *path, enum store_file file, int64_t now_ms, struct err *err);

#endif
