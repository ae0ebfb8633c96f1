/*
 * From operations to the new text of a file. For apply.c.
 */
#ifndef KOTA_STORE_SWAP_MEMBER_UPDATE_H
#define KOTA_STORE_SWAP_MEMBER_UPDATE_H

#include "model/operation.h"
#include "store/files/dir.h"
#include "store/swap/layout.h"

/* The operations of a change as they concern one file. */
struct build {
	enum store_file file;
	const struct op *ops;
	size_t count;
	bool redo; /* after a crash: what a person wrote since then stays */
	int64_t now_ms;
	const struct layout *layout; /* how the file is to look if it can; NULL: no wish */
};

/* True if the operation changes this file. */
bool build_concerns(const struct op *op, enum store_file file);

/*
 * As edit.build(): does the operations on the document. One that is done already does nothing; one
 * that meets another text than it was made for sets that text aside, or, in a redo, its own.
 */
int build_ops(void *context, const struct json *doc, struct str *out, struct str *aside,
	      struct err *err);

#endif
