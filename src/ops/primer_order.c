#include "ops/primer_order.h"

#include "base/map.h"
#include "base/time.h"
#include "ops/common.h"
#include "ops/entry_stats.h"
#include "policy/retention.h"
#include "store/view/relations.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

/* From here on an entry is told however long nobody asked for it. */
#define HIGH_IMPORTANCE 0.7

/* What two lookups in these days come to. To be new is no reason to be told first. */
#define NOTED_USE 0.4

/* What four come to. */
#define STEADY_USE 0.7

#define IMPORTANCE_WEIGHT 4.0
#define NEWNESS_WEIGHT 0.3
#define WORK_NEWNESS_WEIGHT 0.6 /* what is going on is what changed last */

/* After so many days a lookup, or a change, counts for half. */
#define HALF_LIFE_DAYS 90.0

/* So many lookups in so many days are as much use as there can be. */
#define HITS_ENOUGH 8.0
#define RATE_DAYS 60.0

/* As many as make an entry stale. */
#define QUIET_DAYS 90.0

/* Of what happened nobody speaks any more so soon, unless it is asked for often. */
#define QUIET_REPORT_DAYS 21.0
#define WORK_HALF_LIFE_DAYS 30.0

/*
 * What took the place of something else is what old habits, documents and code get wrong, and no
 * less so with the months.
 */
#define SUCCESSOR_WEIGHT 0.3

/* What is over comes after all that holds, however new it is. */
#define REPORT_WEIGHT 1.0

/*
 * So many entries of the work are read, those that would come first: to read a text takes its time,
 * and the usual budget holds a quarter of them.
 */
#define READ_MAX 160

/* An entry that is written anew after this time is kept up to date, and not put right. */
#define KEPT_DAYS 1

static enum primer_part order_part_of(const struct item *item)
{
	static const enum primer_part parts[CATEGORY_COUNT] = {
		[CATEGORY_PREFERENCES] = PRIMER_RULES,    [CATEGORY_STATE] = PRIMER_WORK,
		[CATEGORY_CONNECTIONS] = PRIMER_PEOPLE,   [CATEGORY_PATTERNS] = PRIMER_HABITS,
		[CATEGORY_SHORTCUTS] = PRIMER_SHORTHANDS,
	};

	if (item->entry.pinned)
		return PRIMER_PINNED;
	if (item->entry.category == CATEGORY_STATE &&
	    slice_is(item->entry.key, CONVERSATION_NOTES_KEY))
		return PRIMER_NOTES;
	return parts[item->entry.category];
}

/* When it was last asked for or changed; being shown is neither. */
static int64_t order_wanted_ms(const struct item *item)
{
	return time_later(item->updated_ms, time_later(item->accessed_ms, item->used_ms));
}

static double order_days(int64_t from_ms, int64_t to_ms)
{
	return from_ms < to_ms ? (double)(to_ms - from_ms) / MS_PER_DAY : 0;
}

/*
 * What its text says of time. A note of what happened or was done is over, where a fact of the work
 * goes on to hold; so does what is written anew, was called important, or is asked for again and
 * again: "gave the van back, we go by lorry" is no news after months. What names a day is news
 * until then, and afterwards left out unless somebody still uses it.
 */
static void order_read(struct primer_line *line, int64_t now_ms)
{
	int64_t still_ms = now_ms - (int64_t)QUIET_REPORT_DAYS * MS_PER_DAY;
	struct facts facts;

	facts_read(&facts, line->item, now_ms);
	line->holds = facts.holds;
	line->rule = facts.rule;
	line->ahead = facts.due_ms > now_ms;
	if (facts.due_ms == TIME_NONE)
		line->report = facts.report && !line->successor &&
			       line->importance < HIGH_IMPORTANCE && line->use < STEADY_USE;
	else if (!line->ahead && line->item->used_ms < time_later(facts.due_ms, still_ms))
		line->done = true;
}

/* What a lookup, or a change, of that time counts for now. */
static double order_fade(int64_t then_ms, int64_t newest_ms, double half_life_days)
{
	return exp2(-order_days(then_ms, newest_ms) / half_life_days);
}

static double order_use(const struct item *item, int64_t newest_ms)
{
	double age = order_days(item->created_ms, newest_ms);
	double hits = ((double)item->hits + (double)item->uses) * RATE_DAYS / (RATE_DAYS + age);
	int64_t asked_ms = time_later(item->accessed_ms, item->used_ms);

	if (asked_ms == TIME_NONE)
		return 0;
	return fmin(1, log2(1 + hits) / log2(1 + HITS_ENOUGH)) *
	       order_fade(asked_ms, newest_ms, HALF_LIFE_DAYS);
}

static void order_weigh(struct primer_line *line, int64_t newest_ms)
{
	const struct item *item = line->item;
	bool is_wanted;

	line->use = order_use(item, newest_ms);
	is_wanted = line->use >= NOTED_USE;
	line->worth = IMPORTANCE_WEIGHT * line->importance + line->use -
		      (line->report ? REPORT_WEIGHT : 0);
	if (line->ahead)
		line->worth += WORK_NEWNESS_WEIGHT;
	else if (line->part == PRIMER_WORK)
		line->worth += WORK_NEWNESS_WEIGHT *
			       order_fade(item->updated_ms, newest_ms, WORK_HALF_LIFE_DAYS);
	else
		line->worth += NEWNESS_WEIGHT *
			       order_fade(item->updated_ms, newest_ms, HALF_LIFE_DAYS);
	if (line->successor)
		line->worth += SUCCESSOR_WEIGHT;
	line->noted = line->importance >= HIGH_IMPORTANCE ||
		      (!line->report && (is_wanted || line->successor));
	line->quiet = line->part > PRIMER_FIRST && line->importance < HIGH_IMPORTANCE &&
		      !line->ahead && !line->rule &&
		      (line->report ? !is_wanted && order_days(item->updated_ms, newest_ms) >
							    QUIET_REPORT_DAYS
				    : order_days(order_wanted_ms(item), newest_ms) > QUIET_DAYS);
}

static int order_compare(const void *left, const void *right)
{
	const struct primer_line *a = left;
	const struct primer_line *b = right;

	if (a->worth != b->worth)
		return a->worth > b->worth ? -1 : 1;
	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/*
 * Marks the lines of entries that took the place of others, as a link says, or of their own older
 * value. What was important stays so under its new name, unless somebody
 * says how important that is.
 */
static void order_mark_successors(const struct call *call, struct primer_line *lines, size_t count)
{
	const struct predecessor *old;
	size_t old_count = store_predecessors(call->store, &old);
	struct map places = MAP_INIT;
	size_t place;

	for (size_t i = 0; i < count; i++) {
		const struct item *item = lines[i].item;

		map_put(&places, item->ref, i);
		lines[i].importance = item->entry.importance;
		lines[i].successor = item->created_ms != TIME_NONE &&
				     order_days(item->created_ms, item->updated_ms) >= KEPT_DAYS;
	}
	for (size_t i = 0; i < old_count; i++) {
		if (!old[i].successor.item || !map_get(&places, old[i].successor.item->ref, &place))
			continue;
		/* What said the same took no other's place. */
		if (!old[i].archived ||
		    !slice_is(old[i].archived->record.reason, reason_name(REASON_DELETED)))
			lines[place].successor = lines[place].superseding = true;
		if (old[i].archived && lines[place].item->entry.importance == IMPORTANCE_UNSET)
			lines[place].importance = fmax(lines[place].importance,
						       old[i].archived->record.entry.importance);
	}
	map_release(&places);
}

/* Weighs the work anew by what its texts say of time. The lines are in order before and after. */
static void order_read_work(struct primer_line *lines, size_t count, int64_t newest_ms,
			    int64_t now_ms)
{
	size_t read = 0;

	for (size_t i = 0; i < count && read < READ_MAX; i++) {
		if (lines[i].part != PRIMER_WORK)
			continue;
		read++;
		order_read(&lines[i], now_ms);
		order_weigh(&lines[i], newest_ms);
	}
	qsort(lines, count, sizeof *lines, order_compare);
}

/* Of the days after which an entry expires, the last part in which it is told once more. */
#define FADING_PART 6

/*
 * To be told keeps what lasts from expiring, and what is never told would expire unseen: so it has
 * its turn before.
 */
static void order_mark_fading(const struct call *call, struct primer_line *lines, size_t count)
{
	struct settings settings;
	struct err ignored;

	if (store_settings(call->store, &settings, &ignored) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct item *item = lines[i].item;
		int64_t due_ms = retention_due_ms(item->kept_ms, retention_spares(&item->entry),
						  &settings);
		int64_t notice_ms = settings.expiry_days * MS_PER_DAY / FADING_PART;

		lines[i].fading = item->entry.category != CATEGORY_STATE && due_ms != INT64_MAX &&
				  due_ms - notice_ms <= call->now_ms;
	}
}

struct primer_line *primer_order(const struct call *call, int64_t since_ms, size_t *count)
{
	size_t item_count;
	const struct item *items = store_items(call->store, &item_count);
	struct primer_line *lines = arena_alloc(call->arena, item_count * sizeof *lines);
	int64_t newest_ms = TIME_NONE;

	*count = 0;
	for (size_t i = 0; i < item_count; i++) {
		if (items[i].due)
			continue;
		newest_ms = time_later(newest_ms, order_wanted_ms(&items[i]));
		if (since_ms == TIME_NONE || items[i].updated_ms > since_ms)
			lines[(*count)++] = (struct primer_line){
				.item = &items[i], .part = order_part_of(&items[i]), .place = i};
	}
	/* A time in the future, written by hand, does not make the entry old. */
	if (newest_ms > call->now_ms)
		newest_ms = call->now_ms;
	order_mark_successors(call, lines, *count);
	order_mark_fading(call, lines, *count);
	for (size_t i = 0; i < *count; i++) {
		lines[i].done = lines[i].part == PRIMER_WORK && facts_done(lines[i].item);
		order_weigh(&lines[i], newest_ms);
	}
	if (*count > 0) {
		qsort(lines, *count, sizeof *lines, order_compare);
		order_read_work(lines, *count, newest_ms, call->now_ms);
	}
	return lines;
}
