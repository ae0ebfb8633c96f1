#include "ops/history/change_summary.h"

#include "text/normalize.h"
#include "model/archive_record.h"

#include <stdlib.h>

/* A difference on its way into the telling. */
struct part {
	const struct difference *is;
	struct slice original_key; /* of a record, likewise below; absent when it cannot be read */
	struct slice reason;
	struct slice entry;
	bool told;
};

struct teller {
	struct part *parts;
	size_t count;
	/* Those that others are looked for among: a change that only adds has none. */
	struct part **records;
	size_t record_count;
	struct part **gone; /* entries */
	size_t gone_count;
	struct telling *out;
	struct arena *arena;
};

static bool parse(struct json *doc, struct slice text)
{
	struct json_fault fault;

	return text.ptr && json_parse(doc, text, &json_file_bounds, &fault) == 0;
}

bool told_same_json(struct slice a, struct slice b)
{
	struct json docs[2] = {{.count = 0}, {.count = 0}};
	bool same = slice_equal(a, b);

	if (!same && parse(&docs[0], a) && parse(&docs[1], b))
		same = json_equal(&docs[0], JSON_ROOT, &docs[1], JSON_ROOT);
	json_release(&docs[0]);
	json_release(&docs[1]);
	return same;
}

static bool is_same_key(struct slice a, struct slice b)
{
	STR_AUTO form_a = STR_INIT;
	STR_AUTO form_b = STR_INIT;

	if (slice_equal(a, b))
		return true;
	normalize_key(a, &form_a);
	normalize_key(b, &form_b);
	return slice_equal(str_slice(&form_a), str_slice(&form_b));
}

/* ---- putting differences together */

static void read_record(struct teller *teller, struct part *part)
{
	struct slice text = part->is->after.ptr ? part->is->after : part->is->before;
	struct record record;
	struct json doc;

	if (!parse(&doc, text))
		return;
	if (record_read(&record, part->is->category, &doc, JSON_ROOT, teller->arena)) {
		part->original_key = arena_copy(teller->arena, record.original_key);
		part->reason = arena_copy(teller->arena, record.reason);
		part->entry = record.entry.text;
	}
	json_release(&doc);
}

static bool came(const struct part *part, bool record)
{
	return !part->told && part->is->record == record && !part->is->before.ptr;
}

static bool went(const struct part *part, bool record)
{
	return !part->told && part->is->record == record && !part->is->after.ptr;
}

static struct told *add(struct teller *teller, struct part *part, enum deed deed)
{
	struct told *told = &teller->out->items[teller->out->count++];
	const struct difference *is = part->is;

	part->told = true;
	*told = (struct told){
		.deed = deed,
		.category = is->category,
		.key = is->key,
		.from_category = CATEGORY_ANY,
		.before = is->before,
		.after = is->after,
	};
	return told;
}

static void take_record(struct told *told, struct part *record)
{
	record->told = true;
	told->record = record->is->key;
	told->reason = record->reason;
}

/* The record of this entry that came, or that went; NULL when there is none. */
static struct part *find_record(struct teller *teller, const struct part *part, bool is_new)
{
	for (size_t i = 0; i < teller->record_count; i++) {
		struct part *record = teller->records[i];

		if ((is_new ? came(record, true) : went(record, true)) &&
		    record->original_key.ptr && record->is->category == part->is->category &&
		    is_same_key(record->original_key, part->is->key))
			return record;
	}
	return NULL;
}

/* A record that went, of another key or category, and was this entry. */
static struct part *find_source(struct teller *teller, const struct part *part)
{
	for (size_t i = 0; i < teller->record_count; i++) {
		struct part *record = teller->records[i];

		if (went(record, true) && record->entry.ptr &&
		    told_same_json(record->entry, part->is->after))
			return record;
	}
	return NULL;
}

static void tell_changed(struct teller *teller, struct part *part)
{
	struct part *record = find_record(teller, part, true);
	struct told *told = add(teller, part, DEED_CHANGED);

	if (record)
		take_record(told, record);
}

static void tell_archived(struct teller *teller, struct part *part)
{
	struct part *record = find_record(teller, part, true);

	if (!record)
		return;
	take_record(add(teller, part,
			slice_is(record->reason, reason_name(REASON_DELETED)) ? DEED_DELETED
									      : DEED_ARCHIVED),
		    record);
}

static void tell_restored(struct teller *teller, struct part *part)
{
	struct part *record = find_record(teller, part, false);
	struct told *told;

	if (!record)
		record = find_source(teller, part);
	if (!record)
		return;
	told = add(teller, part, DEED_RESTORED);
	take_record(told, record);
	if (record->is->category != part->is->category ||
	    !slice_equal(record->original_key, part->is->key)) {
		told->from_category = (int)record->is->category;
		told->from_key = record->original_key;
	}
}

/*
 * Where an entry that came was before: the same key in another spelling or category, else the only
 * entry that went and looked the same.
 */
static struct part *find_move(struct teller *teller, const struct part *part)
{
	struct part *found = NULL;
	size_t count = 0;

	for (size_t i = 0; i < teller->gone_count; i++) {
		struct part *other = teller->gone[i];
		bool same_key = went(other, false) && is_same_key(other->is->key, part->is->key);

		if (!went(other, false))
			continue;
		if (same_key && other->is->category == part->is->category)
			return other;
		if (!told_same_json(other->is->before, part->is->after))
			continue;
		if (same_key)
			return other;
		found = other;
		count++;
	}
	return count == 1 ? found : NULL;
}

static void tell_moved(struct teller *teller, struct part *part)
{
	struct part *from = find_move(teller, part);
	struct told *told;

	if (!from)
		return;
	told = add(teller, part,
		   told_same_json(from->is->before, part->is->after) ? DEED_MOVED : DEED_CHANGED);
	from->told = true;
	told->from_category = (int)from->is->category;
	told->from_key = from->is->key;
	told->before = from->is->before;
}

static void tell_rest(struct teller *teller, struct part *part)
{
	static const enum deed deeds[2][3] = {
		{DEED_ADDED, DEED_DELETED, DEED_CHANGED},
		{DEED_RECORD_ADDED, DEED_RECORD_REMOVED, DEED_RECORD_CHANGED},
	};
	int which = !part->is->before.ptr ? 0 : !part->is->after.ptr ? 1 : 2;

	add(teller, part, deeds[part->is->record][which])->reason = part->reason;
}

static int compare_told(const void *a, const void *b)
{
	const struct told *told[2] = {a, b};
	int rank[2];

	for (int i = 0; i < 2; i++)
		rank[i] = (told[i]->deed >= DEED_RECORD_ADDED ? CATEGORY_COUNT : 0) +
			  (int)told[i]->category;
	return rank[0] != rank[1] ? rank[0] - rank[1] : slice_compare(told[0]->key, told[1]->key);
}

static void sort_parts(struct teller *teller, const struct past_change *change)
{
	size_t room = (change->count + 1) * sizeof(struct part *);

	teller->parts = arena_alloc(teller->arena, (change->count + 1) * sizeof *teller->parts);
	teller->records = arena_alloc(teller->arena, room);
	teller->gone = arena_alloc(teller->arena, room);
	for (size_t i = 0; i < change->count; i++) {
		struct part *part = &teller->parts[i];

		part->is = &change->items[i];
		if (part->is->record) {
			read_record(teller, part);
			teller->records[teller->record_count++] = part;
		} else if (!part->is->after.ptr) {
			teller->gone[teller->gone_count++] = part;
		}
	}
}

void tell(struct telling *out, const struct past_change *change, struct arena *arena)
{
	struct teller teller = {.count = change->count, .out = out, .arena = arena};

	out->items = arena_alloc(arena, (change->count + 1) * sizeof *out->items);
	out->count = 0;
	sort_parts(&teller, change);
	for (size_t i = 0; i < teller.count; i++) {
		struct part *part = &teller.parts[i];

		if (went(part, false))
			tell_archived(&teller, part);
		else if (came(part, false))
			tell_restored(&teller, part);
		else if (!part->told && !part->is->record)
			tell_changed(&teller, part);
	}
	for (size_t i = 0; i < teller.count; i++) {
		if (came(&teller.parts[i], false))
			tell_moved(&teller, &teller.parts[i]);
	}
	for (size_t i = 0; i < teller.count; i++) {
		if (!teller.parts[i].told)
			tell_rest(&teller, &teller.parts[i]);
	}
	qsort(out->items, out->count, sizeof *out->items, compare_told);
}
