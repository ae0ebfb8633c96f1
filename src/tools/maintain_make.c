#include "base/map.h"
#include "base/mem.h"
#include "tools/maintain.h"

#include <stdlib.h>

const char *const maintain_step_names[MAINTAIN_STEP_COUNT + 1] = {
	"decay", "cluster", "merge", "promote", "relations", NULL,
};

static const maintain_planner planners[MAINTAIN_STEP_COUNT] = {
	maintain_decay, maintain_cluster, maintain_merge, maintain_promote, maintain_relations,
};

void maintain_write_number(struct json_writer *w, const char *name, double number)
{
	json_write_name(w, slice_of(name));
	json_write_fixed(w, number, 4);
}

/* Does an earlier step take the entry away? */
static bool is_gone(const struct plan *plan, struct slice ref)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_step *step = &plan->steps[i];

		if (plan_archives(step, ref))
			return true;
	}
	return false;
}

/* Facts of the entries that are left; the caller frees them, texts live in the plan's arena. */
static struct facts *read_facts(struct maintenance *m, size_t *count)
{
	size_t item_count;
	const struct item *items = store_items(change_store(m->change), &item_count);
	struct facts *facts = mem_zalloc(item_count, sizeof *facts);

	*count = 0;
	for (size_t i = 0; i < item_count; i++) {
		if (!items[i].due && !is_gone(&m->plan, items[i].ref))
			facts_read(&facts[(*count)++], &items[i], m->call->now_ms, &m->plan.arena);
	}
	return facts;
}

/*
 * Among others a step that cannot do without a file of links that cannot be read is left out, and
 * says so.
 */
static bool is_left_out(struct maintenance *m, enum maintain_step step, bool alone,
			struct json_writer *w)
{
	struct err why;

	if (step != MAINTAIN_RELATIONS || alone ||
	    store_check_file(m->call->store, STORE_FILE_RELATIONS, &why) == 0)
		return false;
	json_write_member_string(w, "skipped", slice_of(why.text));
	return true;
}

static int plan_step(struct maintenance *m, enum maintain_step step, bool alone, struct err *err)
{
	struct json_writer w;
	struct facts *facts;
	size_t count;
	int result = 0;

	progress_step(m->call->progress, maintain_step_names[step], step, MAINTAIN_STEP_COUNT);
	facts = read_facts(m, &count);
	m->from[step] = m->plan.count;
	json_writer_init(&w, &m->found[step], &json_compact);
	json_write_object(&w);
	if (!is_left_out(m, step, alone, &w))
		result = planners[step](m, facts, count, &w, err);
	json_write_end(&w);
	m->end[step] = m->plan.count;
	free(facts);
	return result;
}

int maintain_make(struct maintenance *m, const struct call *call, enum maintain_step only,
		  struct err *err)
{
	int result;

	*m = (struct maintenance){.call = call, .plan = PLAN_INIT};
	for (int s = 0; s < MAINTAIN_STEP_COUNT; s++)
		str_init(&m->found[s]);
	m->plan.unattended = true;
	if (change_rehearse(&m->change, call->store, call->now_ms, err) != 0)
		return -1;
	result = store_settings(call->store, &m->settings, err);
	for (int s = 0; result == 0 && s < MAINTAIN_STEP_COUNT; s++) {
		if (only == MAINTAIN_STEP_COUNT || (int)only == s)
			result = plan_step(m, (enum maintain_step)s, only != MAINTAIN_STEP_COUNT,
					   err);
	}
	if (result == 0)
		result = plan_apply(&m->plan, m->change, NULL, err);
	change_end(m->change);
	m->change = NULL;
	plan_settle(&m->plan);
	return result;
}

/* What our own step made of an entry is no reason to leave a later one out. */
static void follow_own(struct maintenance *m, const struct plan_step *done, size_t later)
{
	struct store *store = m->call->store;

	for (size_t i = later; i < m->plan.count; i++) {
		struct plan_step *step = &m->plan.steps[i];

		for (size_t k = 0; k < step->base_count; k++) {
			const struct item *item = store_find_ref(store, step->bases[k].ref);

			if (item && slice_equal(step->bases[k].ref, done->ref) &&
			    step->bases[k].digest == done->bases[0].digest)
				step->bases[k].digest = hash64(item->entry.text);
		}
	}
}

/* Carries out some steps of the plan as one change. */
static int apply_part(struct maintenance *m, size_t from, size_t end, size_t *standing,
		      struct err *err)
{
	struct plan part = m->plan;
	struct change *change;
	int result;

	*standing = 0;
	if (from == end)
		return 0;
	part.steps += from;
	part.count = end - from;
	if (plan_standing(&part) == 0)
		return 0;
	if (common_change_begin(&change, m->call, err) != 0)
		return -1;
	result = plan_apply(&part, change, NULL, err);
	/* Texts of the part live in the plan's arena. */
	m->plan.arena = part.arena;
	if (result == 0) {
		*standing = plan_standing(&part);
		for (size_t i = 0; i < part.count; i++) {
			if (part.steps[i].skip_code == ERR_NONE)
				follow_own(m, &part.steps[i], end);
		}
	}
	change_end(change);
	return result;
}

int maintain_do(struct maintenance *m, size_t *changes, struct err *err)
{
	*changes = 0;
	for (int s = 0; s < MAINTAIN_STEP_COUNT; s++) {
		size_t standing;

		if (m->found[s].len == 0)
			continue;
		progress_step(m->call->progress, maintain_step_names[s], (size_t)s,
			      MAINTAIN_STEP_COUNT);
		if (apply_part(m, m->from[s], m->end[s], &standing, err) != 0)
			return *changes == 0 ? -1
					     : err_prefix(err, "%s (what earlier steps did stands)",
							  maintain_step_names[s]);
		*changes += standing > 0;
	}
	return 0;
}

void maintain_release(struct maintenance *m)
{
	for (int s = 0; s < MAINTAIN_STEP_COUNT; s++)
		str_release(&m->found[s]);
	plan_release(&m->plan);
}
