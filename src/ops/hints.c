#include "ops/hints.h"

#include "base/utf8.h"
#include "ops/similar_text.h"
#include "secrets/withhold.h"
#include "similarity/report.h"
#include "store/view/search_all.h"

/* Characters of an entry that are searched for, and results that are looked at. */
#define HINTS_QUERY 300
#define HINTS_CANDIDATES 24

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

/* A note of what happened? One word, which is compared with the key before it, is none. */
static bool hints_is_report(const struct item *item)
{
	STR_AUTO scratch = STR_INIT;
	struct slice text = json_string(item->entry.doc, item->entry.value_node, &scratch);

	return text.ptr && report_read(text) == REPORT_EVENT;
}

static struct statement hints_statement(const struct item *item, struct arena *arena)
{
	return (struct statement){.text = alike_text(item, arena),
				  .key = item->entry.key,
				  .category = (int)item->entry.category};
}

enum statement_says hints_compare(const struct item *older, const struct item *newer)
{
	ARENA_AUTO arena = ARENA_INIT;
	const struct statement a = hints_statement(older, &arena);
	const struct statement b = hints_statement(newer, &arena);
	bool objects = hints_is_object(older) && hints_is_object(newer);
	enum statement_says says;

	says = objects ? hints_compare_objects(older, newer) : statement_compare(&a, &b);
	/* A text is read through for that, so it is asked of the few that say something. */
	if (!objects && says != STATEMENT_NOTHING &&
	    (hints_is_report(older) || hints_is_report(newer)))
		says = STATEMENT_NOTHING;
	/* A list of facts contradicts no sentence: it says only what it lists. */
	if (says == STATEMENT_OTHER && hints_is_object(older) != hints_is_object(newer))
		says = STATEMENT_NOTHING;
	return says == STATEMENT_NOTHING && hints_is_one_person(older, newer) ? STATEMENT_SAME
									      : says;
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

size_t hints_find(struct store *store, const struct item *entry, struct hint out[HINTS_MAX])
{
	const struct sought *found;
	size_t hits = hints_search(store, entry, &found);
	size_t looked = 0;
	size_t count = 0;

	for (size_t i = 0; i < hits && looked < HINTS_CANDIDATES; i++) {
		struct hint hint = {.item = found[i].item};

		if (!hint.item || hint.item->due || hint.item == entry ||
		    hint.item->updated_ms > entry->updated_ms)
			continue;
		looked++;
		hint.says = hints_compare(hint.item, entry);
		if (hint.says != STATEMENT_NOTHING)
			count = hints_keep(out, count, hint);
	}
	return count;
}

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

void hints_write(struct json_writer *w, const struct call *call, struct slice ref)
{
	const struct item *entry = store_find_ref(call->store, ref);
	struct hint hints[HINTS_MAX];
	size_t count = entry ? hints_find(call->store, entry, hints) : 0;

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
