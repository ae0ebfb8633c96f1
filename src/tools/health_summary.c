#include "tools/health.h"

#include "store/view/store_size.h"

#include <math.h>

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

static void count_entries(const struct health *health, int64_t counts[CATEGORY_COUNT])
{
	for (int c = 0; c < CATEGORY_COUNT; c++)
		counts[c] = 0;
	for (size_t i = 0; i < health->count; i++)
		counts[health->facts[i].item->entry.category]++;
}

static size_t count_if(const struct health *health,
		       bool (*is)(const struct health *health, const struct facts *facts))
{
	size_t count = 0;

	for (size_t i = 0; i < health->count; i++)
		count += is(health, &health->facts[i]);
	return count;
}

static bool is_stale(const struct health *health, const struct facts *facts)
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

static bool is_pinned(const struct health *health, const struct facts *facts)
{
	(void)health;
	return facts->item->entry.pinned;
}

static void write_count(struct json_writer *w, const char *name, size_t count)
{
	json_write_member_int(w, name, (int64_t)count);
}

static void write_counts(struct json_writer *w, const char *name,
			 const int64_t counts[CATEGORY_COUNT])
{
	json_write_name(w, slice_of(name));
	json_write_object(w);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		json_write_member_int(w, category_name((enum category)c), counts[c]);
	json_write_end(w);
}

static void write_bytes(struct json_writer *w, const struct store_weight *weight)
{
	json_write_name(w, slice_of("bytes"));
	json_write_object(w);
	json_write_member_int(w, "total", weight->total);
	write_counts(w, "categories", weight->categories);
	json_write_member_int(w, "archive", weight->archive);
	json_write_end(w);
}

static void write_share(struct json_writer *w, const char *name, double share)
{
	json_write_name(w, slice_of(name));
	json_write_fixed(w, share, 4);
}

static void write_score(struct json_writer *w, const struct ailments *ailments)
{
	double against = ailments->stale + ailments->repeated + ailments->faded + ailments->full;

	json_write_member_int(w, "score", (int64_t)round(100 * (1 - against / 4)));
	json_write_name(w, slice_of("against"));
	json_write_object(w);
	write_share(w, "stale", ailments->stale);
	write_share(w, "duplicates", ailments->repeated);
	write_share(w, "faded", ailments->faded);
	write_share(w, "full", ailments->full);
	json_write_end(w);
}

void health_summary(const struct health *health, struct json_writer *w)
{
	const struct settings *settings = &health->settings;
	size_t stale = count_if(health, is_stale);
	size_t faded = count_if(health, has_faded);
	size_t repeated = health_count_repeated(health);
	double entries = fmax(1, (double)health->count);
	int64_t counts[CATEGORY_COUNT];
	struct store_weight weight;
	struct ailments ailments = {(double)stale / entries, (double)repeated / entries,
				    (double)faded / entries, 0};

	store_weigh(health->call->store, &weight);
	count_entries(health, counts);
	ailments.full = fullness((double)weight.total, settings->total_bytes);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		ailments.full = fmax(ailments.full,
				     fullness((double)counts[c], settings->entries_per_category));
	write_score(w, &ailments);
	write_count(w, "total_checked", health->count);
	write_counts(w, "counts", counts);
	write_bytes(w, &weight);
	common_write_limits(w, settings);
	json_write_member_int(w, "archived", weight.records);
	write_count(w, "pinned", count_if(health, is_pinned));
	write_count(w, "stale_count", stale);
	write_count(w, "duplicates_count", repeated);
	write_count(w, "faded_count", faded);
}
