/*
 * Merging files whose root has members that are merged one by one: relations.json, activity.json,
 * config.json, synonyms.json.
 */
#ifndef KOTA_MERGE_MERGE_MEMBERS_H
#define KOTA_MERGE_MERGE_MEMBERS_H

#include "merge/merge_docs.h"
#include "merge/skeleton.h"

/* What becomes of a member that both sides have changed. */
enum members_rule {
	MEMBERS_LINKS,    /* member by member, and links that say the same become one */
	MEMBERS_GREATER,  /* the greater text: a day of last use is the later one */
	MEMBERS_SETTINGS, /* member by member; reported where one has to give way */
	MEMBERS_WORDS     /* the same, arrays as sets */
};

/* Adds to *out what makes the merge of ours; file is the name that the report has. */
void members_merge(const struct merge_docs *docs, enum members_rule rule, struct slice file,
		   struct skeleton *out, struct merge_report *report);

#endif
