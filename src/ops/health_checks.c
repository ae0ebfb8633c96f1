#include "ops/health_checks.h"

#include "base/mem.h"
#include "ops/health_similar.h"
#include "store/view/query.h"

#include <math.h>
#include <stdlib.h>

#define TEXT_LENGTH 200

/* An entry of a list, and what the list is sorted by. */
struct row {
	const struct facts *facts;
	double first; /* smallest first; among equals by the second */
	double second;
};

struct rows {
	struct row *list;
	size_t count; /* that are shown */
	size_t found;
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *one = a;
	const struct row *other = b;

	if (one->first != other->first)
		return one->first < other->first ? -1 : 1;
	if (one->second != other->second)
		return one->second < other->second ? -1 : 1;
	return one->facts < other->facts ? -1 : one->facts > other->facts;
}

/* Does the entry belong into the list? Then *row says where. */
typedef bool (*chooser)(const struct health *health, const struct facts *facts, struct row *row);

/* Sorts all that belong there, and only then cuts to the limit. */
static struct rows health_collect(const struct health *health, chooser choose)
{
	struct rows rows = {mem_zalloc(health->count, sizeof *rows.list), 0, 0};

	for (size_t i = 0; i < health->count; i++) {
		struct row row = {&health->facts[i], 0, 0};

		if (health_is_asked(health, row.facts) && choose(health, row.facts, &row))
			rows.list[rows.found++] = row;
	}
	if (rows.found)
		qsort(rows.list, rows.found, sizeof *rows.list, compare_rows);
	rows.count = rows.found;
	if (rows.count > (size_t)health->args->limit)
		rows.count = (size_t)health->args->limit;
	return rows;
}

static void write_days(struct json_writer *w, const char *name, double days)
{
	json_write_member_int(w, name, days > 0 ? (int64_t)days : 0);
}

/* ---- stale */

static int64_t cutoff_of(const struct health *health)
{
	return health->call->now_ms - health->args->days_unused * MS_PER_DAY;
}

static bool is_stale(const struct health *health, const struct facts *facts, struct row *row)
{
	row->first = (double)facts->item->active_ms;
	return facts->item->active_ms < cutoff_of(health);
}

static void write_stale(struct json_writer *w, const struct facts *facts)
{
	const struct item *item = facts->item;

	json_write_object(w);
	json_write_member_string(w, "id", item->ref);
	health_write_text(w, "text", facts, TEXT_LENGTH);
	if (item->accessed_ms == TIME_NONE)
		json_write_member_string(w, "last_accessed", slice_of("never"));
	else
		common_write_time(w, "last_accessed", item->accessed_ms);
	write_days(w, "days_since_access", facts->idle_days);
	json_write_member_int(w, "access_count", health_accesses(facts));
	common_write_number(w, "confidence", facts->item->entry.confidence, 4);
	json_write_member_string(w, "category", slice_of(category_name(item->entry.category)));
	json_write_member_string(w, "source",
				 facts->item->entry.source.ptr ? facts->item->entry.source
							       : slice_of("unknown"));
	json_write_end(w);
}

static void health_stale(const struct health *health, struct json_writer *w)
{
	struct rows rows = health_collect(health, is_stale);

	json_write_member_array(w, "stale_memories");
	for (size_t i = 0; i < rows.count; i++)
		write_stale(w, rows.list[i].facts);
	json_write_end(w);
	json_write_member_int(w, "total_checked", (int64_t)health->count);
	json_write_member_int(w, "stale_count", (int64_t)rows.found);
	common_write_time(w, "cutoff_date", cutoff_of(health));
	json_write_member_int(w, "days_threshold", health->args->days_unused);
	free(rows.list);
}

/* ---- low access */

static bool is_little_used(const struct health *health, const struct facts *facts, struct row *row)
{
	row->first = (double)health_accesses(facts);
	row->second = -facts->age_days;
	return health_accesses(facts) <= health->args->max_access_count &&
	       facts->age_days > (double)health->args->min_age_days;
}

static void health_low_access(const struct health *health, struct json_writer *w)
{
	struct rows rows = health_collect(health, is_little_used);

	json_write_member_array(w, "low_access_memories");
	for (size_t i = 0; i < rows.count; i++) {
		const struct facts *facts = rows.list[i].facts;

		json_write_object(w);
		json_write_member_string(w, "id", facts->item->ref);
		health_write_text(w, "text", facts, TEXT_LENGTH);
		json_write_member_int(w, "access_count", health_accesses(facts));
		write_days(w, "age_days", facts->age_days);
		common_write_number(w, "confidence", facts->item->entry.confidence, 4);
		json_write_member_string(w, "category",
					 slice_of(category_name(facts->item->entry.category)));
		json_write_end(w);
	}
	json_write_end(w);
	json_write_member_int(w, "total_checked", (int64_t)health->count);
	json_write_member_int(w, "flagged_count", (int64_t)rows.found);
	free(rows.list);
}

/* ---- decay */

static bool is_fading(const struct health *health, const struct facts *facts, struct row *row)
{
	row->first = facts_score(facts, &health->settings, health->call->now_ms);
	return decay_urgency(row->first) != DECAY_AT_EASE;
}

static void write_fading(const struct health *health, struct json_writer *w, const struct row *row)
{
	const struct facts *facts = row->facts;
	bool kept = facts->kept != PROTECTION_NONE;
	enum decay_action action = decay_action(&health->settings, row->first, facts->item->uses,
						facts->item->entry.strength, kept);
	double seconds;

	json_write_object(w);
	json_write_member_string(w, "memory_id", facts->item->ref);
	health_write_text(w, "text", facts, TEXT_LENGTH);
	common_write_number(w, "score", row->first, 4);
	json_write_member_string(w, "urgency",
				 slice_of(decay_urgency_name(decay_urgency(row->first))));
	json_write_member_string(w, "action", slice_of(decay_action_name(action)));
	common_write_number(w, "review_priority", decay_review_priority(row->first), 4);
	if (decay_time_until(&health->settings, row->first, health->settings.forget_threshold,
			     facts->idle_days * (double)MS_PER_DAY / 1000, &seconds))
		write_days(w, "days_until_faded", seconds * 1000 / (double)MS_PER_DAY);
	if (kept)
		json_write_member_string(w, "protected", slice_of(protection_text(facts->kept)));
	json_write_end(w);
}

static void write_urgencies(struct json_writer *w, const struct rows *rows)
{
	int64_t counts[DECAY_HIGH + 1] = {0};

	for (size_t i = 0; i < rows->found; i++)
		counts[decay_urgency(rows->list[i].first)]++;
	for (int u = DECAY_HIGH; u >= DECAY_LOW; u--)
		json_write_member_int(w, decay_urgency_name((enum decay_urgency)u), counts[u]);
}

static void health_decay(const struct health *health, struct json_writer *w)
{
	struct rows rows = health_collect(health, is_fading);

	json_write_member_array(w, "at_risk");
	for (size_t i = 0; i < rows.count; i++)
		write_fading(health, w, &rows.list[i]);
	json_write_end(w);
	json_write_member_int(w, "total_checked", (int64_t)health->count);
	json_write_member_int(w, "at_risk_count", (int64_t)rows.found);
	json_write_member_object(w, "urgencies");
	write_urgencies(w, &rows);
	json_write_end(w);
	free(rows.list);
}

/* ---- promotable */

static unsigned int merits_of(const struct health *health, const struct facts *facts)
{
	const struct call *call = health->call;
	double score = facts_score(facts, &health->settings, call->now_ms);

	return decay_merits(&health->settings, score, facts->item->uses, facts->item->created_ms,
			    facts->item->used_ms, call->now_ms);
}

static bool is_promotable(const struct health *health, const struct facts *facts, struct row *row)
{
	row->first = -facts_score(facts, &health->settings, health->call->now_ms);
	return !facts->item->entry.promoted && merits_of(health, facts) != 0;
}

static void add_reason(const struct health *health, const struct row *row, struct str *out)
{
	unsigned int merits = merits_of(health, row->facts);

	if (merits & DECAY_MERIT_SCORE)
		str_printf(out, "score %.4f, at least %g (promote_threshold)", -row->first,
			   health->settings.promote_threshold);
	if (merits & DECAY_MERIT_USES)
		str_printf(out, "%s%lld uses within %lld days", out->len ? "; " : "",
			   (long long)row->facts->item->uses,
			   (long long)health->settings.promote_days);
}

static void health_promotable(const struct health *health, struct json_writer *w)
{
	struct rows rows = health_collect(health, is_promotable);

	json_write_member_array(w, "candidates");
	for (size_t i = 0; i < rows.count; i++) {
		const struct facts *facts = rows.list[i].facts;
		STR_AUTO reason = STR_INIT;

		add_reason(health, &rows.list[i], &reason);
		json_write_object(w);
		json_write_member_string(w, "id", facts->item->ref);
		health_write_text(w, "content_preview", facts, TEXT_LENGTH);
		json_write_member_string(w, "reason", str_slice(&reason));
		common_write_number(w, "score", -rows.list[i].first, 4);
		json_write_member_int(w, "use_count", facts->item->uses);
		json_write_member_fixed(w, "age_days", facts->age_days, 1);
		json_write_end(w);
	}
	json_write_end(w);
	json_write_member_int(w, "total_checked", (int64_t)health->count);
	json_write_member_int(w, "candidates_found", (int64_t)rows.found);
	free(rows.list);
}

/* ---- the summary */

/* Days without activity after which an entry counts as stale here. */
#define STALE_DAYS 30

/* Fullness from which on it counts against the score, up to full. */
#define ROOM_ENOUGH 0.8

/* What speaks against the health of the memory: shares from 0 to 1, a quarter of the score each. */
struct ailments {
	double stale;
	double repeated;
	double faded;
	double full;
};

static double fullness(double used, int64_t limit)
{
	double over = limit > 0 ? used / (double)limit - ROOM_ENOUGH : 1;

	return fmin(1, fmax(0, over / (1 - ROOM_ENOUGH)));
}

static size_t count_if(const struct health *health,
		       bool (*is)(const struct health *health, const struct facts *facts))
{
	size_t count = 0;

	for (size_t i = 0; i < health->count; i++)
		count += is(health, &health->facts[i]);
	return count;
}

static bool is_long_idle(const struct health *health, const struct facts *facts)
{
	(void)health;
	return facts->idle_days > STALE_DAYS;
}

/* What is protected is there to stay, however long nobody asks for it. */
static bool has_faded(const struct health *health, const struct facts *facts)
{
	return facts->kept == PROTECTION_NONE &&
	       decay_faded(&health->settings,
			   facts_score(facts, &health->settings, health->call->now_ms));
}

static bool health_is_pinned(const struct health *health, const struct facts *facts)
{
	(void)health;
	return facts->item->entry.pinned;
}

static void health_write_count(struct json_writer *w, const char *name, size_t count)
{
	json_write_member_int(w, name, (int64_t)count);
}

static void health_write_counts(struct json_writer *w, const char *name,
				const int64_t counts[CATEGORY_COUNT])
{
	json_write_member_object(w, name);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		json_write_member_int(w, category_name((enum category)c), counts[c]);
	json_write_end(w);
}

static void write_bytes(struct json_writer *w, const struct store_weight *weight)
{
	json_write_member_object(w, "bytes");
	json_write_member_int(w, "total", weight->total);
	health_write_counts(w, "categories", weight->categories);
	json_write_member_int(w, "archive", weight->archive);
	json_write_end(w);
}

static void health_write_score(struct json_writer *w, const struct ailments *ailments)
{
	double against = ailments->stale + ailments->repeated + ailments->faded + ailments->full;

	json_write_member_int(w, "score", (int64_t)round(100 * (1 - against / 4)));
	json_write_member_object(w, "against");
	json_write_member_fixed(w, "stale", ailments->stale, 4);
	json_write_member_fixed(w, "duplicates", ailments->repeated, 4);
	json_write_member_fixed(w, "faded", ailments->faded, 4);
	json_write_member_fixed(w, "full", ailments->full, 4);
	json_write_end(w);
}

static void health_summary(const struct health *health, struct json_writer *w)
{
	const struct settings *settings = &health->settings;
	size_t stale = count_if(health, is_long_idle);
	size_t faded = count_if(health, has_faded);
	size_t repeated = health_count_repeated(health);
	double entries = fmax(1, (double)health->count);
	int64_t counts[CATEGORY_COUNT] = {0};
	struct store_weight weight;
	struct ailments ailments = {(double)stale / entries, (double)repeated / entries,
				    (double)faded / entries, 0};

	store_weigh(health->call->store, &weight);
	for (size_t i = 0; i < health->count; i++)
		counts[health->facts[i].item->entry.category]++;
	ailments.full = fullness((double)weight.total, settings->total_bytes);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		ailments.full = fmax(ailments.full,
				     fullness((double)counts[c], settings->entries_per_category));
	health_write_score(w, &ailments);
	health_write_count(w, "total_checked", health->count);
	health_write_counts(w, "counts", counts);
	write_bytes(w, &weight);
	common_write_limits(w, settings);
	json_write_member_int(w, "archived", weight.records);
	health_write_count(w, "pinned", count_if(health, health_is_pinned));
	health_write_count(w, "stale_count", stale);
	health_write_count(w, "duplicates_count", repeated);
	health_write_count(w, "faded_count", faded);
}

/* ---- the table */

const char *const health_check_names[HEALTH_CHECK_COUNT + 1] = {
	"summary", "stale", "low_access", "duplicates", "clusters", "decay", "promotable", NULL};

/* Each writes the members of its reply. Those that list sort first, and cut then. */
static void (*const health_writers[HEALTH_CHECK_COUNT])(const struct health *health,
							struct json_writer *w) = {
	health_summary,  health_stale, health_low_access, health_duplicates,
	health_clusters, health_decay, health_promotable,
};

int health_run(const struct call *call, const struct health_args *args, struct json_writer *w,
	       struct err *err)
{
	int check = args->check < 0 ? HEALTH_SUMMARY : args->check;
	struct health health = {.call = call, .args = args};

	if (common_refresh(call, err) != 0 ||
	    store_settings(call->store, &health.settings, err) != 0)
		return -1;
	health.facts = facts_read_all(call->store, call->now_ms, call->arena, &health.count);
	json_write_object(w);
	json_write_member_bool(w, "success", true);
	json_write_member_string(w, "check", slice_of(health_check_names[check]));
	health_writers[check](&health, w);
	common_end_reply(w, call);
	return 0;
}
