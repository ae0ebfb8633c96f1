/*
 * A file of entries as of the last commit, parsed once for many lookups. For src/store/history
 * only.
 */
#ifndef KOTA_STORE_HISTORY_RECORDED_DOC_H
#define KOTA_STORE_HISTORY_RECORDED_DOC_H

#include "git/repo.h"
#include "json/doc.h"

struct recorded_doc {
	bool parsed;
	struct object_id head; /* the commit in which it was looked up */
	const char *file_name; /* of the caller; not to be freed */
	struct object_id blob; /* of which it is */
	struct str text;
	struct json doc; /* slices of the text */
};

/*
 * The file of that name, which must outlive the cache; NULL where there is none that can be read.
 * Owned by the cache.
 */
const struct json *recorded_doc_of(struct recorded_doc *cache, struct repo *repo,
				   const char *file_name);

void recorded_doc_release(struct recorded_doc *cache);

#endif
