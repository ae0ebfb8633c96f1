#include "base/mem.h"
#include "ops/maintain/discover_relations.h"
#include "tools/gc.h"
#include "tools/maintain.h"
#include "ops/maintain/promotion.h"

#include <stdlib.h>

/* ---- decay */

struct fading {
	const struct facts *facts;
	double score;
};

static int lower_first(const void *a, const void *b)
{
	const struct fading *x = a;
	const struct fading *y = b;

	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	return (x->facts > y->facts) - (x->facts < y->facts);
}

/* What fades and is still there; the caller frees it. */
static struct fading *find_fading(const struct maintenance *m, const struct facts *facts,
				  size_t count, size_t *out_count)
{
	struct fading *list = mem_zalloc(count, sizeof *list);

	*out_count = 0;
	for (size_t i = 0; i < count; i++) {
		double score = facts_score(&facts[i], &m->settings, m->call->now_ms);

		if (decay_urgency(score) != DECAY_AT_EASE &&
		    !plan_changes(&m->plan, facts[i].item->ref))
			list[(*out_count)++] = (struct fading){&facts[i], score};
	}
	if (*out_count > 1)
		qsort(list, *out_count, sizeof *list, lower_first);
	return list;
}

int maintain_decay(struct maintenance *m, const struct facts *facts, size_t count,
		   struct json_writer *w, struct err *err)
{
	struct gc_found faded;
	struct fading *fading;
	size_t fading_count;

	if (gc_plan(&m->plan, m->change, GC_ALL, &faded, err) != 0)
		return -1;
	fading = find_fading(m, facts, count, &fading_count);
	json_write_member_int(w, "at_risk_count", (int64_t)fading_count);
	json_write_name(w, slice_of("at_risk"));
	json_write_array(w);
	for (size_t i = 0; i < fading_count && i < MAINTAIN_LISTED_MAX; i++) {
		json_write_object(w);
		json_write_member_string(w, "ref", fading[i].facts->item->ref);
		maintain_write_number(w, "score", fading[i].score);
		json_write_member_string(
			w, "urgency", slice_of(decay_urgency_name(decay_urgency(fading[i].score))));
		json_write_end(w);
	}
	json_write_end(w);
	free(fading);
	return 0;
}

/* ---- promote */

int maintain_promote(struct maintenance *m, const struct facts *facts, size_t count,
		     struct json_writer *w, struct err *err)
{
	struct candidates candidates;

	(void)facts;
	(void)count;
	if (promotion_plan(&m->plan, m->change, &candidates, err) != 0)
		return -1;
	json_write_name(w, slice_of("candidates"));
	json_write_array(w);
	for (size_t i = 0; i < candidates.count && i < MAINTAIN_LISTED_MAX; i++) {
		const struct candidate *candidate = &candidates.list[i];

		json_write_object(w);
		json_write_member_string(w, "ref", candidate->ref);
		maintain_write_number(w, "score", candidate->score);
		json_write_member_string(w, "reason", candidate->reason);
		if (candidate->step == PROMOTE_NOT)
			json_write_member_string(w, "protected",
						 slice_of(protection_text(candidate->kept)));
		json_write_end(w);
	}
	json_write_end(w);
	return 0;
}

/* ---- relations */

static void write_discovered(struct json_writer *w, const struct discovered *found)
{
	json_write_object(w);
	json_write_member_string(w, "from_id", found->from);
	json_write_member_string(w, "to_id", found->to);
	json_write_member_string(w, "relation_type",
				 slice_of(relation_type_names[RELATION_RELATED]));
	maintain_write_number(w, "strength", found->strength);
	maintain_write_number(w, "confidence", found->confidence);
	common_write_texts(w, "shared_entities", found->shared, found->shared_count);
	json_write_member_string(w, "reasoning", found->reasoning);
	json_write_end(w);
}

int maintain_relations(struct maintenance *m, const struct facts *facts, size_t count,
		       struct json_writer *w, struct err *err)
{
	const struct discovered *found;
	size_t found_count;

	if (discover_plan(&m->plan, change_store(m->change), facts, count, &found, &found_count,
			  err) != 0)
		return -1;
	json_write_name(w, slice_of("relations"));
	json_write_array(w);
	for (size_t i = 0; i < found_count; i++)
		write_discovered(w, &found[i]);
	json_write_end(w);
	return 0;
}
