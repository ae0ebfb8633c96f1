/*
 * A look over all entries at once: those that say the same become one, what does not matter goes to
 * the archive, what is alike is linked, and what recurs is told and may be saved.
 */
#ifndef KOTA_OPS_MAINTAIN_CONSOLIDATE_H
#define KOTA_OPS_MAINTAIN_CONSOLIDATE_H

#include "ops/maintain/duplicates.h"
#include "ops/maintain/patterns.h"

/* Each does what the one before does, too. */
enum consolidate_mode {
	CONSOLIDATE_LIGHT, /* merge and archive */
	CONSOLIDATE_DEEP,  /* link */
	CONSOLIDATE_REM    /* look for patterns */
};

struct consolidate_wanted {
	enum consolidate_mode mode;
	double salience_threshold; /* what matters less goes */
	size_t max_memories;       /* the least recently active are looked at; 0: all */
	bool save;                 /* patterns */
};

struct consolidate_found {
	size_t active;                /* entries before */
	size_t clusters;              /* groups of entries that are alike; 0 in light mode */
	struct duplicates duplicates; /* its candidates are left to somebody */
	struct patterns patterns;     /* none but in rem mode */
};

/*
 * Adds to the plan what is to be done at the moment of the change. What is found lives in the arena
 * and outlasts a commit. ERR_BAD_DATA where the settings, the links or the archive cannot be read.
 */
int consolidate_plan(struct plan *plan, const struct change *change,
		     const struct consolidate_wanted *wanted, struct consolidate_found *found,
		     struct arena *arena, struct err *err);

#endif
