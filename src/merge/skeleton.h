/*
 * A merged file as the text of one side with as few bytes changed as can be.
 *
 * That side is the skeleton: what it keeps stays where it is, byte for byte. What comes from the
 * other side is copied as it stands there if both texts have the same layout; else it is laid out
 * like the skeleton.
 */
#ifndef KOTA_MERGE_SKELETON_H
#define KOTA_MERGE_SKELETON_H

#include "base/err.h"
#include "json/splice.h"
#include "merge/canon.h"

struct skeleton {
	const struct canon *doc; /* its root is an object */
	struct splice *list;
	size_t count;
	size_t cap;
	struct arena arena;
};

/* Replaces the root's member, or adds it at the end. The text is copied. */
void skeleton_put(struct skeleton *s, struct slice name, struct slice text);

/* The same with a member of another document, under its own name or another. */
void skeleton_put_part(struct skeleton *s, struct slice name, struct part member);

/* Removes the root's member. */
void skeleton_remove(struct skeleton *s, struct slice name);

/* Removes an element of the root's array of this name. */
void skeleton_drop(struct skeleton *s, struct slice array, struct part element);

/* Appends an element to that array, which is created if it is missing. */
void skeleton_append(struct skeleton *s, struct slice array, struct slice text);

/* The same with an element of another document. */
void skeleton_append_part(struct skeleton *s, struct slice array, struct part element);

/*
 * Puts the text with all this done into *out, and forgets it. -1 and *err where an array is none.
 */
int skeleton_write(struct skeleton *s, struct str *out, struct err *err);

/* Frees what is left of one that has not been written. */
void skeleton_release(struct skeleton *s);

#endif
