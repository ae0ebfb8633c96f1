#include "ops/entry_stats.h"

#include "policy/retention.h"
#include "similarity/due.h"
#include "similarity/report.h"
#include "store/view/query.h"
#include "store/view/relations.h"

static double facts_days_since(int64_t ms, int64_t now_ms)
{
	return ((double)now_ms - (double)ms) / (double)MS_PER_DAY;
}

/*
 * What the text of an entry of state says of time; all others hold. One that names a day to come
 * does not fade until then, and afterwards as a note of what happened: from that day on, or from
 * when somebody asked for it after that.
 */
static void facts_read_text(struct facts *out, int64_t now_ms)
{
	const struct entry *entry = &out->item->entry;
	STR_AUTO scratch = STR_INIT;
	struct slice text = json_string(entry->doc, entry->value_node, &scratch);

	out->holds = entry->category != CATEGORY_STATE;
	if (out->holds || !text.ptr)
		return;
	enum report report = report_read(text);
	out->report = report == REPORT_EVENT;
	out->holds = report == REPORT_HOLDS;
	out->due_ms = out->report ? TIME_NONE : due_of(text, out->item->updated_ms);
	out->rule = out->holds && out->due_ms == TIME_NONE && report_is_rule(text);
	if (out->due_ms == TIME_NONE)
		return;
	out->report = out->due_ms <= now_ms;
	out->holds = !out->report;
	out->fades_from_ms = time_later(out->item->accessed_ms, out->due_ms);
}

void facts_read(struct facts *out, const struct item *item, int64_t now_ms)
{
	*out = (struct facts){
		.item = item,
		.bytes = (int64_t)entry_stored_size(&item->entry),
		.age_days = facts_days_since(item->created_ms, now_ms),
		.idle_days = facts_days_since(item->active_ms, now_ms),
		.due_ms = TIME_NONE,
		.fades_from_ms = item->active_ms,
		.kept = protect_reason(&item->entry, item->hits, now_ms - item->created_ms),
	};
	facts_read_text(out, now_ms);
	out->salience = salience_score(&(struct salience_facts){
		.age_days = out->age_days,
		.idle_days = out->idle_days,
		.importance = item->entry.importance,
		.bytes = out->bytes,
		.hits = item->hits,
	});
}

/* "The gas boiler was taken out; a heat pump warms the flat": what is so instead goes on. */
static void facts_mark_successors(struct store *store, struct facts *list, size_t count)
{
	const struct predecessor *old;
	size_t old_count = store_predecessors(store, &old);

	for (size_t i = 0; i < old_count; i++) {
		const struct item *item = old[i].successor.item;
		const struct archived *archived = old[i].archived;

		if (!item || !archived ||
		    !slice_is(archived->record.reason, reason_name(REASON_SUPERSEDED)))
			continue;
		for (size_t k = 0; k < count; k++) {
			if (list[k].item != item || !list[k].report || list[k].due_ms != TIME_NONE)
				continue;
			list[k].report = false;
			list[k].holds = true;
		}
	}
}

struct facts *facts_read_all(struct store *store, int64_t now_ms, struct arena *arena,
			     size_t *count)
{
	size_t item_count;
	const struct item *items = store_items(store, &item_count);
	struct facts *list = arena_alloc(arena, (item_count + 1) * sizeof *list);

	*count = 0;
	for (size_t i = 0; i < item_count; i++) {
		if (!items[i].due)
			facts_read(&list[(*count)++], &items[i], now_ms);
	}
	facts_mark_successors(store, list, *count);
	return list;
}

double facts_half_life(const struct facts *facts, const struct settings *settings)
{
	return decay_half_life(settings, facts->item->entry.category, facts->report);
}

double facts_score(const struct facts *facts, const struct settings *settings, int64_t now_ms)
{
	return decay_score(settings, facts_half_life(facts, settings), facts->item->uses,
			   facts->item->entry.strength, facts->fades_from_ms, now_ms);
}

bool facts_expired_elsewhere(const struct facts *facts, const struct store *store,
			     const struct settings *settings, int64_t now_ms)
{
	const struct item *item = facts->item;

	return !store_may_judge(store) &&
	       retention_expired(item->kept_ms, retention_spares(&item->entry), settings, now_ms);
}

int facts_compare_idle(const void *a, const void *b)
{
	const struct item *first = ((const struct facts *)a)->item;
	const struct item *second = ((const struct facts *)b)->item;

	if (first->active_ms != second->active_ms)
		return first->active_ms < second->active_ms ? -1 : 1;
	return (first > second) - (first < second);
}

void facts_hold(struct facts *facts, struct arena *arena)
{
	struct item *copy = arena_alloc(arena, sizeof *copy);

	*copy = *facts->item;
	copy->ref = arena_copy(arena, copy->ref);
	copy->entry.key = arena_copy(arena, copy->entry.key);
	facts->item = copy;
}

/*
 * Is this a mark of what is done? As a value "Done: the importer" and "[x] the importer" are, too;
 * but what is closed may be a shop.
 */
static bool facts_say_done(struct slice text, bool is_value)
{
	static const char *const marks[] = {"closed", "done", "finished", "completed", "[x]"};

	for (size_t i = is_value ? 1 : 0; i < sizeof marks / sizeof *marks; i++) {
		size_t len = strlen(marks[i]);

		if (text.len < len || strncasecmp(text.ptr, marks[i], len) != 0)
			continue;
		if (text.len == len || (is_value && (text.ptr[len] == ':' || marks[i][0] == '[')))
			return true;
	}
	return false;
}

bool facts_done(const struct item *item)
{
	const struct json *doc = item->entry.doc;
	uint32_t value = item->entry.value_node;
	uint32_t tags = entry_member(&item->entry, "tags");
	STR_AUTO scratch = STR_INIT;
	bool done = false;

	if (json_type(doc, value) == JSON_OBJECT) {
		uint32_t status = json_member(doc, value, "status");
		uint32_t flag = json_member(doc, value, "done");

		if (flag != JSON_NONE)
			json_bool(doc, flag, &done);
		if (status != JSON_NONE && json_type(doc, status) == JSON_STRING)
			done = done || facts_say_done(json_string(doc, status, &scratch), false);
	} else if (json_type(doc, value) == JSON_STRING) {
		done = facts_say_done(json_string(doc, value, &scratch), true);
	}
	if (tags == JSON_NONE || json_type(doc, tags) != JSON_ARRAY)
		return done;
	for (uint32_t n = json_first(doc, tags); n != JSON_NONE && !done; n = json_next(doc, n)) {
		str_clear(&scratch);
		done = json_type(doc, n) == JSON_STRING &&
		       facts_say_done(json_string(doc, n, &scratch), false);
	}
	return done;
}

unsigned int facts_merits(const struct facts *facts, double score, const struct settings *settings,
			  int64_t now_ms)
{
	const struct decay_uses uses = {facts->item->uses, facts->item->first_used_ms,
					facts->item->used_ms};

	return facts_done(facts->item)
		       ? 0
		       : decay_merits(settings, score, &uses, facts->item->created_ms, now_ms);
}
