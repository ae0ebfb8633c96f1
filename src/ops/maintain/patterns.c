#include "ops/maintain/patterns.h"

#include "base/map.h"
#include "base/mem.h"
#include "ops/common.h"
#include "ops/similar_text.h"
#include "policy/consolidation.h"
#include "similarity/phrase.h"
#include "similarity/report.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Words of a pattern that its name is made of. */
#define KEY_WORDS 3

/* Entries that count as recent. */
#define RECENT_MAX 100

/* A subject came or went if so many entries have it, and so many times as large a share of them. */
#define DRIFT_ENTRIES 5
#define DRIFT_TIMES 3.0

/* ---- notes */

/* Notes of a conversation tell of all that was done in it. */
static bool patterns_is_note(const struct entry *entry)
{
	return entry->category == CATEGORY_STATE && !slice_is(entry->source, PATTERN_SOURCE) &&
	       !slice_is(entry->key, CONVERSATION_NOTES_KEY);
}

static struct pattern_note patterns_note(const struct item *item, struct arena *arena)
{
	return (struct pattern_note){
		.ref = common_ref(arena, item->entry.category, item->entry.key),
		.key = arena_copy(arena, item->entry.key),
		.text = alike_text(item, arena),
		.at_ms = item->updated_ms,
		.report = report_is_note(&item->entry),
	};
}

static int patterns_compare_times(const void *a, const void *b)
{
	const struct pattern_note *first = a;
	const struct pattern_note *second = b;

	if (first->at_ms != second->at_ms)
		return first->at_ms < second->at_ms ? -1 : 1;
	return slice_compare(first->ref, second->ref);
}

/* What is told by its newest text alone: a text that was replaced counts no more. */
static void patterns_add_archived(const struct archived *records, size_t count, struct map *known,
				  struct arena *arena, struct pattern_note *notes, size_t *found)
{
	for (size_t i = count; i-- > 0;) {
		const struct record *record = &records[i].record;
		struct item item = {.entry = record->entry};
		struct pattern_note note;

		item.entry.category = record->category;
		item.updated_ms = record->entry.updated_ms != TIME_NONE ? record->entry.updated_ms
									: record->archived_ms;
		if (!patterns_is_note(&item.entry) || !record_answers(record) || record->undo ||
		    slice_is(record->reason, reason_name(REASON_SUPERSEDED)) ||
		    item.updated_ms == TIME_NONE)
			continue;
		note = patterns_note(&item, arena);
		if (map_get(known, note.ref, NULL))
			continue;
		map_put(known, note.ref, 1);
		notes[(*found)++] = note;
	}
}

/*
 * The notes in state of the list, and with `archived` those that left it by age or for want of
 * room, in the order of time.
 */
static int patterns_notes(struct store *store, const struct facts *facts, size_t count,
			  bool archived, struct arena *arena, struct pattern_note **out,
			  size_t *out_count, struct err *err)
{
	MAP_AUTO known = MAP_INIT;
	const struct archived *records = NULL;
	size_t record_count = 0;
	size_t found = 0;

	if (archived && store_archive_all(store, &records, &record_count, err) != 0)
		return -1;
	*out = arena_alloc(arena, (count + record_count + 1) * sizeof **out);
	for (size_t i = 0; i < count; i++) {
		if (!patterns_is_note(&facts[i].item->entry))
			continue;
		(*out)[found] = patterns_note(facts[i].item, arena);
		map_put(&known, (*out)[found++].ref, 1);
	}
	patterns_add_archived(records, record_count, &known, arena, *out, &found);
	if (found)
		qsort(*out, found, sizeof **out, patterns_compare_times);
	*out_count = found;
	return 0;
}

/* ---- patterns */

size_t pattern_words(const struct pattern *pattern, enum recurring_role role, struct arena *arena,
		     struct slice **out)
{
	size_t count = 0;

	*out = arena_alloc(arena, (pattern->word_count + 1) * sizeof **out);
	for (size_t i = 0; i < pattern->word_count; i++) {
		if (pattern->words[i].role == role)
			(*out)[count++] = pattern->words[i].word;
	}
	return count;
}

static void patterns_add_words(struct str *out, const char *before, const struct pattern *pattern,
			       enum recurring_role role, struct arena *arena)
{
	struct slice *words;
	size_t count = pattern_words(pattern, role, arena, &words);

	for (size_t i = 0; i < count; i++) {
		str_adds(out, i ? ", " : before);
		str_add(out, words[i]);
	}
}

static void patterns_add_day(struct str *out, int64_t at_ms)
{
	char time[TIMESTAMP_SIZE];

	timestamp_format(at_ms, time);
	str_add(out, slice_make(time, strcspn(time, "T")));
}

/* "printer, labels, jam; after rain; done: cleaned; 8 times from 2026-01-07 to 2026-11-18" */
static void patterns_describe(struct pattern *pattern, struct arena *arena)
{
	STR_AUTO text = STR_INIT;

	patterns_add_words(&text, "", pattern, RECURRING_NAME, arena);
	patterns_add_words(&text, text.len ? ", " : "", pattern, RECURRING_WORD, arena);
	patterns_add_words(&text, text.len ? "; after " : "after ", pattern, RECURRING_CAUSE,
			   arena);
	patterns_add_words(&text, text.len ? "; done: " : "done: ", pattern, RECURRING_REMEDY,
			   arena);
	str_printf(&text, "; %zu times from ", pattern->count);
	patterns_add_day(&text, pattern->since_ms);
	str_adds(&text, " to ");
	patterns_add_day(&text, pattern->until_ms);
	pattern->description = arena_copy(arena, str_slice(&text));
}

/* What it is about before what was done about it, so that the key stays as long as that does. */
static void patterns_name(struct pattern *pattern, struct arena *arena)
{
	static const enum recurring_role roles[] = {RECURRING_NAME, RECURRING_WORD, RECURRING_CAUSE,
						    RECURRING_REMEDY};
	struct slice named[KEY_WORDS] = {0};
	STR_AUTO key = STR_INIT;
	size_t count = 0;

	for (size_t r = 0; r < sizeof roles / sizeof *roles; r++) {
		struct slice *words;
		size_t found = pattern_words(pattern, roles[r], arena, &words);

		for (size_t i = 0; i < found && count < KEY_WORDS; i++)
			named[count++] = words[i];
	}
	qsort(named, count, sizeof *named, slice_compare_elements);
	str_adds(&key, "about");
	for (size_t i = 0; i < count; i++) {
		str_addc(&key, ' ');
		str_add(&key, named[i]);
	}
	pattern->key = arena_copy(arena, str_slice(&key));
}

static struct pattern patterns_make(const struct recurring *recurring,
				    const struct pattern_note *notes, struct arena *arena)
{
	struct slice *members = arena_alloc(arena, recurring->count * sizeof *members);
	struct pattern pattern = {
		.members = members,
		.count = recurring->count,
		.since_ms = notes[recurring->notes[0]].at_ms,
		.until_ms = notes[recurring->notes[recurring->count - 1]].at_ms,
		.words = recurring->words,
		.word_count = recurring->word_count,
		.confidence = pattern_confidence(recurring->cohesion, recurring->count,
						 recurring->share),
	};

	for (size_t i = 0; i < recurring->count; i++)
		members[i] = notes[recurring->notes[i]].ref;
	patterns_describe(&pattern, arena);
	patterns_name(&pattern, arena);
	return pattern;
}

/* The surest first, then by their keys. */
static int patterns_compare_patterns(const void *a, const void *b)
{
	const struct pattern *first = a;
	const struct pattern *second = b;

	if (first->confidence != second->confidence)
		return first->confidence > second->confidence ? -1 : 1;
	return slice_compare(first->key, second->key);
}

size_t patterns_find(const struct pattern_note *notes, size_t count, struct arena *arena,
		     struct pattern patterns[PATTERNS_MAX])
{
	struct recurring_note *told = arena_alloc(arena, (count + 1) * sizeof *told);
	struct recurring *recurring;
	struct pattern *all;
	size_t recurring_count;
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		told[i] = (struct recurring_note){.text = notes[i].text,
						  .key = notes[i].key,
						  .day = notes[i].at_ms / MS_PER_DAY,
						  .report = notes[i].report};
	recurring_count = recurrence_find(told, count, arena, &recurring);
	all = arena_alloc(arena, (recurring_count + 1) * sizeof *all);
	for (size_t i = 0; i < recurring_count; i++) {
		size_t other = 0;

		all[found] = patterns_make(&recurring[i], notes, arena);
		while (!slice_equal(all[other].key, all[found].key))
			other++;
		/* Of those with one key the first stays. */
		found += other == found;
	}
	if (found)
		qsort(all, found, sizeof *all, patterns_compare_patterns);
	if (found > PATTERNS_MAX)
		found = PATTERNS_MAX;
	for (size_t i = 0; i < found; i++)
		patterns[i] = all[i];
	return found;
}

/* ---- drift */

/* A subject, and in how many of the entries it is. */
struct subject {
	struct slice word; /* as it was met first */
	size_t recent;
	size_t older;
	size_t last; /* the entry that was counted last, plus 1 */
};

struct subjects {
	struct subject *list;
	size_t count;
	size_t cap;
	struct map by_stem;
	struct arena *arena;
};

static void patterns_count_subjects(struct subjects *subjects, struct slice text, size_t entry,
				    bool recent)
{
	ARENA_AUTO scratch = ARENA_INIT;
	struct words *words = arena_alloc(&scratch, sizeof *words);

	phrase_read(&scratch, text, words);
	for (size_t i = 0; i < words->count; i++) {
		const struct word *word = &words->words[i];
		struct subject *subject;
		size_t at = subjects->count;

		if (!phrase_is_subject(word))
			continue;
		if (!map_get(&subjects->by_stem, word->stem, &at)) {
			*MEM_ADD(subjects->list, subjects->count, subjects->cap) = (struct subject){
				.word = arena_copy(subjects->arena, word->text)};
			map_put(&subjects->by_stem, arena_copy(subjects->arena, word->stem), at);
		}
		assert(subjects->list);
		subject = &subjects->list[at];
		if (subject->last == entry + 1)
			continue;
		subject->last = entry + 1;
		subject->recent += recent;
		subject->older += !recent;
	}
}

/* The last made first. */
static int patterns_compare_made(const void *a, const void *b)
{
	const struct facts *first = *(const struct facts *const *)a;
	const struct facts *second = *(const struct facts *const *)b;

	if (first->item->created_ms != second->item->created_ms)
		return first->item->created_ms > second->item->created_ms ? -1 : 1;
	return slice_compare(first->item->ref, second->item->ref);
}

/* Cosine of the numbers of entries that have each subject. */
static double patterns_likeness(const struct subjects *subjects)
{
	double product = 0;
	double square_recent = 0;
	double square_older = 0;

	for (size_t i = 0; i < subjects->count; i++) {
		double recent = (double)subjects->list[i].recent;
		double older = (double)subjects->list[i].older;

		product += recent * older;
		square_recent += recent * recent;
		square_older += older * older;
	}
	return square_recent > 0 && square_older > 0 ? product / sqrt(square_recent * square_older)
						     : 0;
}

/* Puts the subject behind those that more of the entries have, as far as there is room. */
static void patterns_keep_subject(struct drift_subject list[DRIFT_SUBJECTS_MAX], size_t *count,
				  const struct subject *subject)
{
	size_t entries = subject->recent + subject->older;
	size_t at = *count;

	while (at > 0 && list[at - 1].recent + list[at - 1].older < entries)
		at--;
	if (at == DRIFT_SUBJECTS_MAX)
		return;
	*count += *count < DRIFT_SUBJECTS_MAX;
	memmove(list + at + 1, list + at, (*count - at - 1) * sizeof *list);
	list[at] = (struct drift_subject){subject->word, subject->recent, subject->older};
}

static bool patterns_came(size_t here, size_t here_of, size_t there, size_t there_of)
{
	double share = (double)here / (double)here_of;
	double other = (double)there / (double)there_of;

	return here >= DRIFT_ENTRIES && share >= DRIFT_TIMES * other;
}

void pattern_drift(const struct facts *facts, const struct slice *texts, size_t count,
		   struct arena *arena, struct pattern_drift *out)
{
	const struct facts **order = mem_zalloc(count, sizeof(void *));
	struct subjects subjects = {.arena = arena};

	*out = (struct pattern_drift){.recent = count < RECENT_MAX ? count : RECENT_MAX};
	out->older = count - out->recent;
	for (size_t i = 0; i < count; i++)
		order[i] = &facts[i];
	if (count)
		qsort(order, count, sizeof(void *), patterns_compare_made);
	for (size_t i = 0; out->older && i < count; i++)
		patterns_count_subjects(&subjects, texts[order[i] - facts], i, i < out->recent);
	for (size_t i = 0; i < subjects.count; i++) {
		const struct subject *s = &subjects.list[i];

		if (patterns_came(s->recent, out->recent, s->older, out->older))
			patterns_keep_subject(out->came, &out->came_count, s);
		if (patterns_came(s->older, out->older, s->recent, out->recent))
			patterns_keep_subject(out->went, &out->went_count, s);
	}
	out->known = out->came_count + out->went_count > 0;
	out->similarity = out->older ? patterns_likeness(&subjects) : 1;
	out->level = drift_level(out->similarity);
	free(subjects.list);
	map_release(&subjects.by_stem);
	free(order);
}

int patterns_look(struct patterns *out, struct store *store, const struct facts *facts,
		  size_t count, bool archived, struct arena *arena, struct err *err)
{
	struct pattern_note *notes;
	size_t note_count;

	if (patterns_notes(store, facts, count, archived, arena, &notes, &note_count, err) != 0)
		return -1;
	out->count = patterns_find(notes, note_count, arena, out->list);
	pattern_drift(facts, alike_texts(facts, count, arena), count, arena, &out->drift);
	return 0;
}

/* ---- saving them */

/* Members that a saved pattern names: the last ones. */
#define NAMED_MAX 20

/* Bytes that are left free when patterns are saved: nothing has to make room for them. */
#define ROOM_BYTES 4096

/* How many members of the pattern the entry names. */
static size_t patterns_count_members(const struct entry *entry, const struct pattern *pattern)
{
	uint32_t list = json_member(entry->doc, entry->value_node, "members");
	size_t count = 0;

	for (uint32_t n = json_first(entry->doc, list); n != JSON_NONE;
	     n = json_next(entry->doc, n)) {
		STR_AUTO scratch = STR_INIT;
		struct slice ref = json_string(entry->doc, n, &scratch);

		for (size_t i = 0; i < pattern->count; i++)
			count += slice_equal(ref, pattern->members[i]);
	}
	return count;
}

/*
 * The entry that the pattern was saved as: what it is named after may be another word by now, so
 * that most of its members count.
 */
static const struct item *patterns_find_known(struct store *store, const struct pattern *pattern)
{
	size_t count;
	const struct item *items = store_items(store, &count);
	const struct item *named = store_find(store, CATEGORY_PATTERNS, pattern->key);

	for (size_t i = 0; i < count && !named; i++) {
		const struct entry *entry = &items[i].entry;

		if (entry->category == CATEGORY_PATTERNS && !items[i].due &&
		    slice_is(entry->source, PATTERN_SOURCE) &&
		    patterns_count_members(entry, pattern) * 2 > pattern->count)
			named = &items[i];
	}
	return named;
}

static struct slice patterns_entry(const struct pattern *pattern, const struct item *known,
				   int64_t now_ms, struct arena *arena)
{
	size_t first = pattern->count > NAMED_MAX ? pattern->count - NAMED_MAX : 0;
	STR_AUTO value = STR_INIT;
	STR_AUTO confidence = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct entry_fields fields = {.source = slice_of("\"" PATTERN_SOURCE "\"")};
	struct json_writer w = json_writer_to(&value, &json_compact);

	json_write_object(&w);
	json_write_member_string(&w, "pattern", pattern->description);
	common_write_texts(&w, "members", pattern->members + first, pattern->count - first);
	json_write_end(&w);
	w = json_writer_to(&confidence, &json_compact);
	json_write_fixed(&w, pattern->confidence, 4);
	fields.value = str_slice(&value);
	fields.confidence = str_slice(&confidence);
	entry_compose(&text, known ? &known->entry : NULL, &fields, now_ms);
	return arena_copy(arena, str_slice(&text));
}

/* An entry that says so already, or is the person's own, stays as it is. */
static bool patterns_stays(const struct item *known, struct slice text)
{
	JSON_AUTO doc = {0};

	if (!slice_is(known->entry.source, PATTERN_SOURCE))
		return true;
	common_parse(&doc, text);
	return common_same_json(known->entry.value,
				json_text(&doc, json_member(&doc, JSON_ROOT, "value")));
}

/* Bytes that an entry takes in its file: an estimate from above. */
static int64_t patterns_bytes(struct slice text)
{
	return 2 * (int64_t)text.len;
}

/* Bytes of the texts of entries that the plan changes, by their refs; 0 for those that go. */
static void patterns_read_plan(struct map *sizes, const struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_step *step = &plan->steps[i];

		for (size_t k = 0; step->kind != PLAN_LINK && k < step->base_count; k++)
			map_put(sizes, step->bases[k].ref, k == 0 ? step->text.len : 0);
	}
}

/*
 * Room for entries of the category, and for bytes, when all that the plan does is done, so that
 * another run finds no more room than this one. Patterns that were found again are left out of the
 * bytes: all that were found are counted alike, whether they are there or not.
 */
static void patterns_count_room(const struct plan *plan, const struct store *store,
				const struct item *const *known, size_t known_count,
				int64_t *entries, int64_t *bytes)
{
	MAP_AUTO sizes = MAP_INIT;
	size_t count;
	const struct item *items = store_items(store, &count);

	patterns_read_plan(&sizes, plan);
	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &items[i].entry;
		size_t len = entry->text.len;
		bool found = false;
		size_t then;

		for (size_t k = 0; k < known_count; k++)
			found = found || known[k] == &items[i];
		if (map_get(&sizes, items[i].ref, &then)) {
			if (then == 0)
				continue;
			/* In the spacing of the text that it replaces. */
			len = len * then / entry_stored_size(entry);
		}
		*entries -= entry->category == CATEGORY_PATTERNS;
		if (!found)
			*bytes -= (int64_t)(len + 2 * entry->key.len + 16);
	}
}

void patterns_plan(struct plan *plan, const struct change *change, const struct settings *settings,
		   struct patterns *patterns, bool save, struct arena *arena)
{
	const struct item *known[PATTERNS_MAX];
	struct slice texts[PATTERNS_MAX];
	int64_t entries = settings->entries_per_category;
	int64_t bytes = settings->total_bytes - ROOM_BYTES;

	for (size_t i = 0; i < patterns->count; i++) {
		known[i] = patterns_find_known(change_store(change), &patterns->list[i]);
		texts[i] = patterns_entry(&patterns->list[i], known[i], change_now_ms(change),
					  arena);
		if (known[i])
			bytes -= patterns_bytes(texts[i]);
	}
	patterns_count_room(plan, change_store(change), known, patterns->count, &entries, &bytes);
	for (size_t i = 0; i < patterns->count; i++) {
		struct pattern *pattern = &patterns->list[i];
		struct plan_step *step;

		if (known[i]) {
			pattern->key = arena_copy(arena, known[i]->entry.key);
			pattern->saved = true;
		}
		if (!save || (known[i] && patterns_stays(known[i], texts[i])))
			continue;
		if (!known[i]) {
			bytes -= patterns_bytes(texts[i]);
			if (--entries < 0 || bytes < 0)
				continue;
		}
		step = plan_put(plan, known[i], CATEGORY_PATTERNS, pattern->key, texts[i]);
		step->named = step->keeps_old = known[i] != NULL;
		plan_because(plan, step, "%s", pattern->description.ptr);
		pattern->saved = true;
	}
}
