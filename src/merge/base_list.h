/*
 * Several bases, also as one text.
 *
 * Where histories were merged crosswise, two sides have several bases. git hands a driver one file:
 * it merges the bases into it first. If that had one text of an entry that several bases have
 * changed, a side with another of their texts would seem to have changed it, and clones that keep
 * merging would exchange their texts for ever. So it has all of them, and the merge of the two
 * sides takes them apart.
 */
#ifndef KOTA_MERGE_BASE_LIST_H
#define KOTA_MERGE_BASE_LIST_H

#include "base/str.h"

/* Texts of somebody else's. */
struct base_list {
	struct slice *list;
	size_t count;
	size_t cap;
};

/* Appends a text, which the caller keeps alive. */
void base_list_add(struct base_list *list, struct slice text);

/* Appends the texts that base_list_join() has put into one; any other text is one. */
void base_list_split(struct base_list *list, struct slice text);

/*
 * Puts them into *out (cleared first): one text as it is; several, each once, sorted, so that the
 * result is the same in whichever order they come. Of more than a few the rest is left out. Sorts
 * the list.
 */
void base_list_join(struct base_list *list, struct str *out);

/* Frees the list, leaves an empty one. */
void base_list_release(struct base_list *list);

#endif
