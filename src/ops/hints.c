#include "ops/hints.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "ops/similar_text.h"
#include "secrets/withhold.h"
#include "similarity/paraphrase.h"
#include "store/view/search_all.h"

#include <stdlib.h>

/* Characters of an entry that are searched for, and results that are looked at. */
#define HINTS_QUERY 300
#define HINTS_CANDIDATES 24

/* Pairs of entries of a whole store that are compared for saying the same. */
#define HINTS_COMPARED 50000

/* Most of a value that a hint repeats. */
#define HINTS_VALUE 120

static bool hints_is_object(const struct item *item)
{
	return json_type(item->entry.doc, item->entry.value_node) == JSON_OBJECT;
}

/*
 * Two objects: the first member says what they are about, of the others less than half may differ,
 * or the newer one has more.
 */
static enum statement_says hints_compare_objects(const struct item *older, const struct item *newer)
{
	const struct json *a = older->entry.doc;
	const struct json *b = newer->entry.doc;
	size_t equal = 0;
	size_t differing = 0;
	size_t missing = 0;

	for (uint32_t n = json_first(a, older->entry.value_node); n != JSON_NONE;
	     n = json_next(a, n)) {
		STR_AUTO scratch = STR_INIT;
		uint32_t m = json_member_slice(b, newer->entry.value_node,
					       json_name(a, n, &scratch));
		bool same = m != JSON_NONE && common_same_json(json_text(a, n), json_text(b, m));

		if (!same && !equal)
			return STATEMENT_NOTHING;
		equal += same;
		differing += m != JSON_NONE && !same;
		missing += m == JSON_NONE;
	}
	if (differing)
		return differing <= equal && !missing ? STATEMENT_OTHER : STATEMENT_NOTHING;
	if (missing || !equal)
		return STATEMENT_NOTHING;
	return equal == b->nodes[newer->entry.value_node].count ? STATEMENT_SAME
								: STATEMENT_RELATED;
}

/* Two names of one person: "Sunil" and "Sunil Nagaraj". */
static bool hints_is_one_person(const struct item *older, const struct item *newer)
{
	struct slice brief = older->identity;
	struct slice whole = newer->identity;

	if (older->entry.category != CATEGORY_CONNECTIONS ||
	    newer->entry.category != CATEGORY_CONNECTIONS)
		return false;
	if (brief.len > whole.len) {
		brief = newer->identity;
		whole = older->identity;
	}
	return brief.len > 2 && brief.len < whole.len &&
	       memcmp(whole.ptr, brief.ptr, brief.len) == 0 && whole.ptr[brief.len] == ' ';
}

static struct statement hints_statement(const struct item *item, struct arena *arena)
{
	STR_AUTO scratch = STR_INIT;
	struct slice value = json_string(item->entry.doc, item->entry.value_node, &scratch);
	struct slice text = alike_text(item, arena);

	/* One word is compared with the key before it. */
	return (struct statement){.text = text,
				  .key = item->entry.key,
				  .category = (int)item->entry.category,
				  .listed = !slice_equal(value, text)};
}

static enum statement_says hints_judge(const struct item *older, const struct statement *a,
				       const struct item *newer, const struct statement *b)
{
	bool objects = hints_is_object(older) && hints_is_object(newer);
	enum statement_says says;

	says = objects ? hints_compare_objects(older, newer) : statement_compare(a, b);
	/* A list of facts contradicts no sentence: it says only what it lists. */
	if (says == STATEMENT_OTHER && hints_is_object(older) != hints_is_object(newer))
		says = STATEMENT_NOTHING;
	return says == STATEMENT_NOTHING && hints_is_one_person(older, newer) ? STATEMENT_SAME
									      : says;
}

enum statement_says hints_compare(const struct item *older, const struct item *newer)
{
	ARENA_AUTO arena = ARENA_INIT;
	const struct statement a = hints_statement(older, &arena);
	const struct statement b = hints_statement(newer, &arena);

	return hints_judge(older, &a, newer, &b);
}

static int hints_rank(enum statement_says says)
{
	static const int ranks[] = {[STATEMENT_NOTHING] = 3,
				    [STATEMENT_OTHER] = 0,
				    [STATEMENT_SAME] = 1,
				    [STATEMENT_RELATED] = 2};

	return ranks[says];
}

/* Keeps the best, in the order in which they were found where they are of one kind. */
static size_t hints_keep(struct hint out[HINTS_MAX], size_t count, struct hint hint)
{
	size_t at = count;

	while (at > 0 && hints_rank(out[at - 1].says) > hints_rank(hint.says))
		at--;
	if (at == HINTS_MAX)
		return count;
	if (count < HINTS_MAX)
		count++;
	memmove(out + at + 1, out + at, (count - at - 1) * sizeof *out);
	out[at] = hint;
	return count;
}

/* What a search finds for the key and the beginning of the text of an entry. */
static size_t hints_search(struct store *store, const struct item *entry,
			   const struct sought **found)
{
	ARENA_AUTO arena = ARENA_INIT;
	STR_AUTO query = STR_INIT;

	str_add(&query, entry->entry.key);
	str_addc(&query, ' ');
	str_add(&query, utf8_cut(alike_text(entry, &arena), HINTS_QUERY));
	return store_search(store, str_slice(&query), found);
}

struct hints_read {
	struct store *store;
	struct arena arena;
	const struct item *items; /* of the view */
	size_t count;
	struct statement *list;
};

struct hints_read *hints_read_new(struct store *store)
{
	struct hints_read *read = mem_zalloc(1, sizeof *read);

	read->store = store;
	read->items = store_items(store, &read->count);
	read->list = mem_zalloc(read->count, sizeof *read->list);
	return read;
}

void hints_read_free(struct hints_read *read)
{
	arena_release(&read->arena);
	free(read->list);
	free(read);
}

static struct statement *hints_statement_of(struct hints_read *read, const struct item *item)
{
	struct statement *statement = &read->list[item - read->items];

	if (!statement->text.ptr) {
		*statement = hints_statement(item, &read->arena);
		statement_read(statement, &read->arena);
	}
	return statement;
}

static enum statement_says hints_says(struct hints_read *read, const struct item *older,
				      const struct item *newer)
{
	struct statement *statements[] = {hints_statement_of(read, older),
					  hints_statement_of(read, newer)};

	for (size_t i = 0; i < 2; i++)
		if (!statements[i]->clauses)
			statement_read_clauses(statements[i], &read->arena);
	return hints_judge(older, statements[0], newer, statements[1]);
}

size_t hints_find(struct hints_read *read, const struct item *entry, struct hint out[HINTS_MAX])
{
	const struct sought *found;
	size_t hits = hints_search(read->store, entry, &found);
	size_t looked = 0;
	size_t count = 0;

	for (size_t i = 0; i < hits && looked < HINTS_CANDIDATES; i++) {
		struct hint hint = {.item = found[i].item};

		if (!hint.item || hint.item->due || hint.item == entry ||
		    hint.item->updated_ms > entry->updated_ms)
			continue;
		looked++;
		hint.says = hints_says(read, hint.item, entry);
		if (hint.says != STATEMENT_NOTHING)
			count = hints_keep(out, count, hint);
	}
	return count;
}

/* ---- what says the same, of all entries */

struct sameness {
	const struct item *const *items;
	struct statement *statements;
	const struct similar *similar;
	double threshold;
	struct similar_pair *pairs;
	size_t count;
	size_t cap;
	size_t compared;
};

static bool hints_is_same(const struct sameness *same, size_t a, size_t b)
{
	const struct item *older = same->items[a];
	const struct item *newer = same->items[b];

	if (older->due || older->updated_ms > newer->updated_ms)
		return false;
	/* As hints_judge() has it, of which the rest decides nothing else for most pairs. */
	if (!(hints_is_object(older) && hints_is_object(newer)) &&
	    !hints_is_one_person(older, newer))
		return statement_is_same(&same->statements[a], &same->statements[b]);
	return hints_judge(older, &same->statements[a], newer, &same->statements[b]) ==
	       STATEMENT_SAME;
}

/* False when enough has been compared. */
static bool hints_try_same(void *context, size_t a, size_t b)
{
	struct sameness *same = context;
	double likeness = similar_jaccard(same->similar, a, b);

	if (likeness >= same->threshold)
		return true;
	if (hints_is_same(same, a, b) || hints_is_same(same, b, a))
		*MEM_ADD(same->pairs, same->count, same->cap) = (struct similar_pair){a, b,
										      likeness};
	return ++same->compared < HINTS_COMPARED;
}

/* Items that have a text in common: the last of each text, and the one before each. */
struct chains {
	struct map last;
	size_t *before;
};

static void hints_chain(struct chains *chains, struct slice text, size_t at)
{
	chains->before[at] = SIZE_MAX;
	map_get(&chains->last, text, &chains->before[at]);
	map_put(&chains->last, text, at);
}

static void hints_try_chain(struct sameness *same, const struct chains *chains, size_t from,
			    size_t at)
{
	for (; from != SIZE_MAX; from = chains->before[from])
		if (!hints_try_same(same, from < at ? from : at, from < at ? at : from))
			return;
}

/* Equal for objects that hints_compare_objects() may call the same: in any order of members. */
static uint64_t hints_digest(const struct item *item)
{
	const struct json *doc = item->entry.doc;
	uint64_t digest = 0;

	for (uint32_t n = json_first(doc, item->entry.value_node); n != JSON_NONE;
	     n = json_next(doc, n)) {
		STR_AUTO name = STR_INIT;
		STR_AUTO value = STR_INIT;
		struct slice text = json_string(doc, n, &value);

		digest += hash64(json_name(doc, n, &name)) *
			  (text.ptr ? hash64(text) | 1 : 2 * (uint64_t)json_type(doc, n) + 1);
	}
	return digest;
}

static void hints_try_objects(struct sameness *same, size_t count)
{
	uint64_t *digests = mem_zalloc(count, sizeof *digests);
	struct chains chains = {MAP_INIT, mem_zalloc(count, sizeof *chains.before)};

	for (size_t i = 0; i < count; i++) {
		if (!hints_is_object(same->items[i]))
			continue;
		digests[i] = hints_digest(same->items[i]);
		hints_chain(&chains, slice_make((const char *)&digests[i], sizeof *digests), i);
		hints_try_chain(same, &chains, chains.before[i], i);
	}
	map_release(&chains.last);
	free(chains.before);
	free(digests);
}

/* The entries of people whose name begins with that of another one. */
static void hints_try_people(struct sameness *same, size_t count)
{
	struct chains chains = {MAP_INIT, mem_zalloc(count, sizeof *chains.before)};

	for (size_t i = 0; i < count; i++)
		if (same->items[i]->entry.category == CATEGORY_CONNECTIONS)
			hints_chain(&chains, same->items[i]->identity, i);
	for (size_t i = 0; i < count; i++) {
		struct slice name = same->items[i]->identity;

		if (same->items[i]->entry.category != CATEGORY_CONNECTIONS)
			continue;
		for (size_t len = 0; len < name.len; len++) {
			size_t from = SIZE_MAX;

			if (name.ptr[len] == ' ')
				map_get(&chains.last, slice_make(name.ptr, len), &from);
			hints_try_chain(same, &chains, from, i);
		}
	}
	map_release(&chains.last);
	free(chains.before);
}

static int hints_compare_pairs(const void *a, const void *b)
{
	const struct similar_pair *x = a;
	const struct similar_pair *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

size_t hints_find_same(struct hints_read *read, const struct item *const *items,
		       const struct similar *similar, double threshold, struct similar_pair **pairs)
{
	struct sameness same = {.items = items, .similar = similar, .threshold = threshold};
	size_t count = similar_count(similar);
	size_t kept = 0;

	same.statements = mem_zalloc(count, sizeof *same.statements);
	for (size_t i = 0; i < count; i++)
		same.statements[i] = *hints_statement_of(read, items[i]);
	paraphrase_find(same.statements, count, hints_try_same, &same);
	hints_try_objects(&same, count);
	hints_try_people(&same, count);
	if (same.count)
		qsort(same.pairs, same.count, sizeof *same.pairs, hints_compare_pairs);
	for (size_t i = 0; i < same.count; i++)
		if (!kept || hints_compare_pairs(&same.pairs[kept - 1], &same.pairs[i]) != 0)
			same.pairs[kept++] = same.pairs[i];
	free(same.statements);
	*pairs = same.pairs;
	return kept;
}

/* ---- what is newer */

const struct item *hints_newer(struct store *store, const struct record *record)
{
	const struct item old = {.entry = record->entry, .identity = record->original_key};
	const struct sought *found;
	size_t hits = hints_search(store, &old, &found);
	size_t looked = 0;

	for (size_t i = 0; i < hits && looked < HINTS_CANDIDATES; i++) {
		const struct item *item = found[i].item;

		if (!item || item->due || item->updated_ms < record->entry.updated_ms)
			continue;
		looked++;
		if (hints_compare(&old, item) == STATEMENT_OTHER)
			return item;
	}
	return NULL;
}

const struct item *hints_twin(struct store *store, const struct item *entry)
{
	const struct sought *found;
	size_t hits = hints_search(store, entry, &found);
	size_t looked = 0;

	for (size_t i = 0; i < hits && looked < HINTS_CANDIDATES; i++) {
		const struct item *item = found[i].item;

		if (!item || item->due || item == entry)
			continue;
		looked++;
		if ((item->updated_ms <= entry->updated_ms &&
		     hints_compare(item, entry) == STATEMENT_SAME) ||
		    (item->updated_ms >= entry->updated_ms &&
		     hints_compare(entry, item) == STATEMENT_SAME))
			return item;
	}
	return NULL;
}

void hints_write_list(struct json_writer *w, const struct hint *hints, size_t count)
{
	if (!count)
		return;
	json_write_member_array(w, "similar");
	for (size_t i = 0; i < count; i++) {
		STR_AUTO preview = STR_INIT;
		STR_AUTO scratch = STR_INIT;

		common_add_preview(&preview, &hints[i].item->entry, HINTS_VALUE);
		json_write_object(w);
		json_write_member_string(w, "ref", hints[i].item->ref);
		json_write_member_string(w, "value", withhold(&scratch, str_slice(&preview)));
		json_write_member_string(w, "says", slice_of(statement_says_names[hints[i].says]));
		json_write_end(w);
	}
	json_write_end(w);
}

void hints_write(struct json_writer *w, const struct call *call, struct slice ref)
{
	const struct item *entry = store_find_ref(call->store, ref);
	struct hints_read *read = hints_read_new(call->store);
	struct hint hints[HINTS_MAX];

	hints_write_list(w, hints, entry ? hints_find(read, entry, hints) : 0);
	hints_read_free(read);
}
