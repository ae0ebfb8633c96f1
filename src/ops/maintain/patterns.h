/*
 * What a look over all entries finds beside duplicates: what happens again and again, and how far
 * the recent entries have drifted from the rest. What is found lives in the arena that is given.
 *
 *	struct patterns found;
 *	patterns_look(&found, store, facts, count, true, arena, &err);
 *	patterns_plan(&plan, change, &settings, &found, true, arena);
 */
#ifndef KOTA_OPS_MAINTAIN_PATTERNS_H
#define KOTA_OPS_MAINTAIN_PATTERNS_H

#include "ops/entry_stats.h"
#include "ops/maintain/plan.h"
#include "similarity/recurrence.h"

/* Most patterns of one look. */
#define PATTERNS_MAX 10

/* The source of the entries that patterns are saved as. */
#define PATTERN_SOURCE "consolidate"

/* A note of something that happened, active or in the archive. */
struct pattern_note {
	struct slice ref; /* without the time, where it is archived */
	struct slice key;
	struct slice text;
	int64_t at_ms; /* when it was told */
	bool report;
};

/* What happens again and again. */
struct pattern {
	struct slice key;            /* under which it is saved, made of its words */
	struct slice description;    /* a sentence */
	const struct slice *members; /* refs, in the order of time */
	size_t count;
	int64_t since_ms;
	int64_t until_ms;
	const struct recurring_word *words;
	size_t word_count;
	double confidence;
	bool saved; /* there is an entry of it, or is after this run */
};

/* The patterns in the notes, the surest first. Returns how many, at most PATTERNS_MAX. */
size_t patterns_find(const struct pattern_note *notes, size_t count, struct arena *arena,
		     struct pattern patterns[PATTERNS_MAX]);

/* The words of a pattern that have this role, as a list of texts in the arena. */
size_t pattern_words(const struct pattern *pattern, enum recurring_role role, struct arena *arena,
		     struct slice **out);

/* Most subjects that came, or went. */
#define DRIFT_SUBJECTS_MAX 5

struct drift_subject {
	struct slice word;
	size_t recent; /* entries with it, in any form */
	size_t older;
};

struct pattern_drift {
	bool known; /* there are older entries, and a subject that came or went */
	size_t recent;
	size_t older;
	double similarity;
	const char *level;
	struct drift_subject came[DRIFT_SUBJECTS_MAX]; /* the most frequent first */
	struct drift_subject went[DRIFT_SUBJECTS_MAX];
	size_t came_count;
	size_t went_count;
};

/* What the last hundred entries are about, and the rest was not, and the other way round. */
void pattern_drift(const struct facts *facts, const struct slice *texts, size_t count,
		   struct arena *arena, struct pattern_drift *out);

struct patterns {
	struct pattern list[PATTERNS_MAX]; /* the surest first */
	size_t count;
	struct pattern_drift drift;
};

/*
 * Looks at the entries of the list, for patterns at the notes in state among them, and with
 * `archived` at those that left it by age or for want of room. -1 where the archive cannot be read.
 */
int patterns_look(struct patterns *out, struct store *store, const struct facts *facts,
		  size_t count, bool archived, struct arena *arena, struct err *err);

/*
 * Says which of the patterns there are entries of, and with `save` adds a step for each of the
 * others, as far as nothing has to make room for it once the plan is carried out.
 */
void patterns_plan(struct plan *plan, const struct change *change, const struct settings *settings,
		   struct patterns *patterns, bool save, struct arena *arena);

#endif
