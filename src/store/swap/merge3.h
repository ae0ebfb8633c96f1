/*
 * Bringing two texts of a file together that have grown apart from a third.
 *
 * For displaced.c: of the third only the digests of its units are known.
 */
#ifndef KOTA_STORE_SWAP_MERGE3_H
#define KOTA_STORE_SWAP_MERGE3_H

#include "store/files/member_digests.h"

struct merge3 {
	enum store_file file;
	const struct json *theirs;  /* the person's text, which keeps its bytes */
	const struct digests *base; /* what both come from */
	int64_t now_ms;
};

/*
 * Puts the merge of theirs and ours (the file as it is) into *out and what lost into
 * *aside, as rewrite.build() does.
 */
int merge3_build(void *context, const struct json *ours, struct str *out, struct str *aside,
		 struct err *err);

#endif
