#include "lookup/recall_search.h"

#include "base/mem.h"
#include "search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES_MAX 64

struct tally {
	char name[48];
	size_t asked;
	double at_5;
	double at_10;
	double reciprocal;
	size_t nothing;  /* returned, where there was something to find */
	size_t returned; /* of queries with nothing to find: those that returned anything */
};

struct measure {
	const struct json *doc;
	struct search *index;
	struct search_item *items;
	char **refs;
	char **texts;
	size_t count;
	struct tally tallies[CLASSES_MAX];
	size_t tally_count;
	struct tally all;
	struct tally none;
};

static void load(struct measure *m, uint32_t store)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO category = STR_INIT;
	size_t room = 0;

	for (uint32_t c = json_first(m->doc, store); c != JSON_NONE; c = json_next(m->doc, c))
		room += m->doc->nodes[c].count;
	m->items = mem_zalloc(room, sizeof *m->items);
	m->refs = mem_zalloc(room, sizeof *m->refs);
	m->texts = mem_zalloc(room, sizeof *m->texts);
	for (uint32_t c = json_first(m->doc, store); c != JSON_NONE; c = json_next(m->doc, c)) {
		struct slice scope = json_name(m->doc, c, &category);

		for (uint32_t e = json_first(m->doc, c); e != JSON_NONE; e = json_next(m->doc, e)) {
			struct slice key = json_name(m->doc, e, &name);
			struct str ref = STR_INIT;

			str_printf(&ref, "%.*s:%.*s", (int)scope.len, scope.ptr, (int)key.len,
				   key.ptr);
			m->texts[m->count] = mem_strndup(key.ptr, key.len);
			m->items[m->count].key = slice_of(m->texts[m->count]);
			m->items[m->count].value = json_text(m->doc, e);
			m->refs[m->count++] = str_detach(&ref);
		}
	}
}

static struct tally *tally_of(struct measure *m, struct slice name)
{
	struct tally *found;

	for (size_t i = 0; i < m->tally_count; i++) {
		if (slice_is(name, m->tallies[i].name))
			return &m->tallies[i];
	}
	if (m->tally_count == CLASSES_MAX)
		return &m->tallies[CLASSES_MAX - 1];
	found = &m->tallies[m->tally_count++];
	snprintf(found->name, sizeof found->name, "%.*s", (int)name.len, name.ptr);
	return found;
}

/* The grade of a ref in a query's labels; 0 when it has none. */
static int64_t grade_of(const struct measure *m, uint32_t relevant, const char *ref)
{
	STR_AUTO scratch = STR_INIT;
	int64_t grade = 0;

	for (uint32_t n = json_first(m->doc, relevant); n != JSON_NONE; n = json_next(m->doc, n)) {
		uint32_t name = json_member(m->doc, n, "ref");

		if (slice_is(json_string(m->doc, name, &scratch), ref)) {
			json_int(m->doc, json_member(m->doc, n, "grade"), &grade);
			return grade;
		}
	}
	return 0;
}

static size_t count_answers(const struct measure *m, uint32_t relevant)
{
	size_t count = 0;
	int64_t grade;

	for (uint32_t n = json_first(m->doc, relevant); n != JSON_NONE; n = json_next(m->doc, n))
		count += json_int(m->doc, json_member(m->doc, n, "grade"), &grade) && grade == 2;
	return count;
}

static void add(struct tally *tally, const size_t found[11], size_t answers, size_t first,
		size_t count)
{
	tally->asked++;
	tally->at_5 += (double)found[5] / (double)(answers < 5 ? answers : 5);
	tally->at_10 += (double)found[10] / (double)(answers < 10 ? answers : 10);
	tally->reciprocal += first ? 1.0 / (double)first : 0;
	tally->nothing += !count;
}

static void show_wrong(const struct measure *m, struct slice query, const struct search_hit *hits,
		       size_t count, uint32_t relevant)
{
	printf("  %.*s\n", (int)query.len, query.ptr);
	for (size_t i = 0; i < count && i < 6; i++)
		printf("    %.3f grade %d %s %.*s\n", hits[i].relevance,
		       (int)grade_of(m, relevant, m->refs[hits[i].item]), m->refs[hits[i].item],
		       (int)m->items[hits[i].item].value.len, m->items[hits[i].item].value.ptr);
}

static void ask(struct measure *m, uint32_t node, const char *shown_class)
{
	STR_AUTO class_scratch = STR_INIT;
	STR_AUTO query_scratch = STR_INIT;
	uint32_t relevant = json_member(m->doc, node, "relevant");
	struct slice name = json_string(m->doc, json_member(m->doc, node, "class"), &class_scratch);
	struct slice query = json_string(m->doc, json_member(m->doc, node, "query"),
					 &query_scratch);
	size_t answers = count_answers(m, relevant);
	const struct search_hit *hits;
	size_t count = search_find(m->index, query, NULL, &hits);
	size_t found[11] = {0};
	size_t first = 0;
	size_t rank = 0;

	for (size_t i = 0; i < count; i++) {
		bool right = grade_of(m, relevant, m->refs[hits[i].item]) == 2;

		if (hits[0].whole && hits[i].coverage < SEARCH_CLOSE)
			continue;
		rank++;
		if (right && !first)
			first = rank;
		found[5] += right && rank <= 5;
		found[10] += right && rank <= 10;
	}
	if (shown_class && slice_is(name, shown_class) && (answers ? first != 1 : count > 0))
		show_wrong(m, query, hits, count, relevant);
	if (!answers) {
		m->none.asked++;
		m->none.returned += count > 0;
		return;
	}
	add(tally_of(m, name), found, answers, first, count);
	add(&m->all, found, answers, first, count);
}

static void print_row(const char *name, const struct tally *tally)
{
	double asked = tally->asked ? (double)tally->asked : 1;

	printf("%-24s %5zu %8.1f %9.1f %5.1f %8.1f\n", name, tally->asked,
	       100 * tally->at_5 / asked, 100 * tally->at_10 / asked,
	       100 * tally->reciprocal / asked, 100 * (double)tally->nothing / asked);
}

static void print_table(const struct measure *m, const char *path)
{
	double none = m->none.asked ? (double)m->none.asked : 1;

	printf("%s\n%-24s %5s %8s %9s %5s %8s\n", path, "search", "n", "recall@5", "recall@10",
	       "MRR", "nothing");
	for (size_t i = 0; i < m->tally_count; i++)
		print_row(m->tallies[i].name, &m->tallies[i]);
	print_row("all", &m->all);
	printf("%-24s %5zu %6.1f  something returned\n\n", "null", m->none.asked,
	       100.0 * (double)m->none.returned / none);
}

void recall_search(const struct json *doc, uint32_t store, uint32_t queries, const char *path,
		   const char *shown_class)
{
	struct measure m = {.doc = doc};

	load(&m, store);
	m.index = search_new(m.items, m.count);
	for (uint32_t q = json_first(doc, queries); q != JSON_NONE; q = json_next(doc, q))
		ask(&m, q, shown_class);
	search_free(m.index);
	print_table(&m, path);
	for (size_t i = 0; i < m.count; i++) {
		free(m.refs[i]);
		free(m.texts[i]);
	}
	free(m.items);
	free(m.refs);
	free(m.texts);
}
