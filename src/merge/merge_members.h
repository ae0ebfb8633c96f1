/*
 * Merging files whose root has members that are merged one by one: relations.json, activity.json,
 * config.json, synonyms.json.
 */
#ifndef KOTA_MERGE_MERGE_MEMBERS_H
#define KOTA_MERGE_MERGE_MEMBERS_H

#include "merge/merge_docs.h"
#include "merge/skeleton.h"

/* How a member that both sides changed is merged. */
enum members_rule {
	MEMBERS_LINKS,    /* member by member; equal links become one */
	MEMBERS_GREATER,  /* the greater text: the later day of last use */
	MEMBERS_SETTINGS, /* member by member; conflicts are reported */
	MEMBERS_WORDS     /* the same, arrays as sets */
};

/* Adds to *out the edits that turn ours into the merge; file is its name in the report. */
void members_merge(const struct merge_docs *docs, enum members_rule rule, struct slice file,
		   struct skeleton *out, struct merge_report *report);

#endif
