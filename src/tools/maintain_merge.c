/* The step of maintenance that puts entries together which say the same. */
#include "ops/maintain/duplicates.h"
#include "tools/maintain.h"

/* From how alike two texts are they are looked at. */
#define MERGE_LIKENESS 0.75

int maintain_merge(struct maintenance *m, const struct facts *facts, size_t count,
		   struct json_writer *w, struct err *err)
{
	struct doubles doubles;

	(void)err;
	doubles_find(&doubles, facts, count, MERGE_LIKENESS, m->call->progress, &m->plan.arena);
	doubles_plan(&doubles, &m->plan, 0, &m->plan.arena);
	json_write_member_int(w, "candidate_count", (int64_t)doubles.candidate_count);
	json_write_name(w, slice_of("candidates"));
	json_write_array(w);
	for (size_t i = 0; i < doubles.candidate_count && i < MAINTAIN_LISTED_MAX; i++) {
		json_write_object(w);
		doubles_write_candidate(w, &doubles.candidates[i]);
		json_write_end(w);
	}
	json_write_end(w);
	return 0;
}
