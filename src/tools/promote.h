/*
 * What has deserved to last, and is to become a note.
 *
 * For this folder and src/cli.
 */
#ifndef KOTA_TOOLS_PROMOTE_H
#define KOTA_TOOLS_PROMOTE_H

#include "model/note.h"
#include "ops/entry_stats.h"
#include "ops/maintain/plan.h"

/* What speaks for an entry. Texts live in the plan's arena. */
struct candidate {
	struct slice ref;
	struct slice preview; /* the beginning of its value */
	struct slice reason;
	double score;
	int64_t uses;
	double age_days;
	size_t step;          /* of the plan; PROMOTE_NOT when it is not promoted */
	enum protection kept; /* why not */
};

#define PROMOTE_NOT SIZE_MAX

struct candidates {
	struct candidate *list; /* in the plan's arena */
	size_t count;
};

/*
 * Finds all entries of the view that meet the criteria and are not promoted yet, the highest score
 * first, and adds a step for each that nothing protects. ERR_BAD_DATA where the settings cannot be
 * read.
 */
int promote_plan(struct plan *plan, const struct change *change, struct candidates *out,
		 struct err *err);

/* Adds the step that makes a note of the entry. */
struct plan_step *promote_step(struct plan *plan, const struct facts *facts, double score,
			       int64_t now_ms);

/*
 * Appends the note that is made of an entry; of the facts those count that the entry does not say:
 * times, score, uses.
 */
void promote_note_text(struct str *out, const struct entry *entry, const struct note_facts *known);

#endif
