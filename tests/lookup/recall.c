/*
 * Measures the lookup on labelled questions:
 *
 *	recall DIR           the share of right answers of each class in DIR's *.json
 *	recall DIR CLASS     also every question of that class that is answered wrongly; all: of any
 *
 * A file holds {"store": {category: {key: value}}, "queries": [{"class", "query", "expect"}]};
 * expect is "category:key", a list of such where each is right, or null where there is nothing to
 * find. Classes that begin with null_ count false answers of the lookup and queries for which the
 * ranked search returns anything, all others hits and where the ranked search has the answer.
 * Questions with "relevant" are asked of the ranked search
 * (recall_search.h). Files without a store of categories are passed over.
 */
#include "base/mem.h"
#include "json/doc.h"
#include "lookup/lookup.h"
#include "lookup/recall_search.h"
#include "search/search.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES_MAX 64

struct class_count {
	char name[48];
	size_t asked;
	size_t counted; /* hits, or false answers */
	size_t at_5;    /* the ranked search has it among the first five; returns anything */
	double reciprocal;
};

struct set {
	struct json doc;
	struct str text;
	struct lookup_item *items;
	struct lookup *lookup;
	struct search *search;
	struct str *keys;
	struct str *refs;
	size_t count;
	struct str *scopes;
	size_t scope_count;
	struct class_count classes[CLASSES_MAX];
	size_t class_count;
};

static int read_file(const char *path, struct str *out)
{
	FILE *file = fopen(path, "rb");
	char buffer[65536];
	size_t len;

	if (!file)
		return -1;
	while ((len = fread(buffer, 1, sizeof buffer, file)) > 0)
		str_add(out, slice_make(buffer, len));
	fclose(file);
	return 0;
}

static void load_item(struct set *set, uint32_t node, int scope)
{
	struct str scratch = STR_INIT;
	struct lookup_item *item = &set->items[set->count];
	struct str *key = &set->keys[set->count];
	struct str *ref = &set->refs[set->count];

	str_init(key);
	str_init(ref);
	str_add(key, json_name(&set->doc, node, &scratch));
	str_printf(ref, "%s:%s", set->scopes[scope].ptr, key->ptr);
	*item = (struct lookup_item){.scope = scope,
				     .key = str_slice(key),
				     .value = json_text(&set->doc, node),
				     .ref = str_slice(ref)};
	set->count++;
	str_release(&scratch);
}

static size_t count_items(const struct json *doc, uint32_t store)
{
	size_t count = 0;

	for (uint32_t c = json_first(doc, store); c != JSON_NONE; c = json_next(doc, c))
		count += doc->nodes[c].count;
	return count;
}

static void load_store(struct set *set, uint32_t store)
{
	size_t items = count_items(&set->doc, store);
	struct str scratch = STR_INIT;

	set->items = mem_zalloc(items, sizeof *set->items);
	set->keys = mem_zalloc(items, sizeof *set->keys);
	set->refs = mem_zalloc(items, sizeof *set->refs);
	set->scopes = mem_zalloc(set->doc.nodes[store].count, sizeof *set->scopes);
	for (uint32_t c = json_first(&set->doc, store); c != JSON_NONE;
	     c = json_next(&set->doc, c)) {
		struct str *scope = &set->scopes[set->scope_count];

		str_init(scope);
		str_add(scope, json_name(&set->doc, c, &scratch));
		for (uint32_t e = json_first(&set->doc, c); e != JSON_NONE;
		     e = json_next(&set->doc, e))
			load_item(set, e, (int)set->scope_count);
		set->scope_count++;
	}
	str_release(&scratch);
}

/* Cuts "category:" off the query where it names one. */
static int take_scope(const struct set *set, struct slice *query)
{
	const char *colon = memchr(query->ptr, ':', query->len);
	size_t len = colon ? (size_t)(colon - query->ptr) : 0;

	for (size_t i = 0; colon && i < set->scope_count; i++) {
		if (slice_equal(str_slice(&set->scopes[i]), slice_make(query->ptr, len))) {
			*query = slice_make(colon + 1, query->len - len - 1);
			return (int)i;
		}
	}
	return LOOKUP_ANY_SCOPE;
}

static struct class_count *class_of(struct set *set, struct slice name)
{
	struct class_count *found;

	for (size_t i = 0; i < set->class_count; i++) {
		if (slice_is(name, set->classes[i].name))
			return &set->classes[i];
	}
	if (set->class_count == CLASSES_MAX)
		return &set->classes[CLASSES_MAX - 1];
	found = &set->classes[set->class_count++];
	snprintf(found->name, sizeof found->name, "%.*s", (int)name.len, name.ptr);
	return found;
}

static void show_wrong(const struct set *set, struct slice query, uint32_t expect,
		       const struct lookup_answer *answer)
{
	struct slice right = json_text(&set->doc, expect);

	printf("  %.*s -> ", (int)query.len, query.ptr);
	if (answer->found)
		printf("%s %.3f %s", set->refs[answer->item].ptr, answer->confidence,
		       lookup_match_names[answer->match]);
	else
		printf("null");
	for (size_t i = 0; i < answer->also_count; i++)
		if (answer->also[i].asked.len)
			printf(" [not %s: %.*s, %.*s]", set->refs[answer->also[i].item].ptr,
			       (int)answer->also[i].asked.len, answer->also[i].asked.ptr,
			       (int)answer->also[i].stored.len, answer->also[i].stored.ptr);
	printf(", right: %.*s\n", (int)right.len, right.ptr);
}

/* Is this item what was expected, or one of what was? */
static bool is_expected(const struct set *set, uint32_t expect, size_t item)
{
	STR_AUTO scratch = STR_INIT;
	struct slice ref = str_slice(&set->refs[item]);

	if (json_type(&set->doc, expect) == JSON_STRING)
		return slice_equal(json_string(&set->doc, expect, &scratch), ref);
	if (json_type(&set->doc, expect) != JSON_ARRAY)
		return false;
	for (uint32_t n = json_first(&set->doc, expect); n != JSON_NONE;
	     n = json_next(&set->doc, n))
		if (slice_equal(json_string(&set->doc, n, &scratch), ref))
			return true;
	return false;
}

/* What memory_get answers: the lookup, and where it finds nothing what the search is sure of. */
static bool recall_look_up(struct set *set, struct slice query, int scope, uint32_t expect,
			   struct lookup_answer *answer, struct class_count *class)
{
	const struct search_hit *hits;
	const struct search_hit *best[2] = {NULL, NULL};
	size_t count = search_find(set->search, query, NULL, &hits);
	size_t found = 0;
	size_t rank = 0;
	double confidence;
	bool in_list = false;

	for (size_t i = 0; i < count; i++) {
		if (scope != LOOKUP_ANY_SCOPE && set->items[hits[i].item].scope != scope)
			continue;
		if (found < 2)
			best[found++] = &hits[i];
		if (best[0]->whole && hits[i].coverage < SEARCH_CLOSE)
			continue;
		rank++;
		if (in_list || !is_expected(set, expect, hits[i].item))
			continue;
		in_list = true;
		class->at_5 += rank <= 5;
		class->reciprocal += 1.0 / (double)rank;
	}
	if (json_type(&set->doc, expect) == JSON_NULL)
		class->at_5 += rank > 0;
	lookup_find(set->lookup, query, scope, answer);
	if (!answer->found && best[0] && search_is_sure(best[0], best[1], &confidence))
		lookup_take(set->lookup, query, best[0]->item, confidence, answer);
	return answer->found;
}

static void ask(struct set *set, uint32_t node, const char *shown_class)
{
	STR_AUTO class_scratch = STR_INIT;
	STR_AUTO query_scratch = STR_INIT;
	uint32_t expect = json_member(&set->doc, node, "expect");
	struct slice name = json_string(&set->doc, json_member(&set->doc, node, "class"),
					&class_scratch);
	struct slice query = json_string(&set->doc, json_member(&set->doc, node, "query"),
					 &query_scratch);
	struct class_count *class = class_of(set, name);
	bool none = json_type(&set->doc, expect) == JSON_NULL;
	struct slice rest = query;
	int scope = take_scope(set, &rest);
	struct lookup_answer answer;
	bool found = recall_look_up(set, rest, scope, expect, &answer, class);
	bool right = none ? !found : found && is_expected(set, expect, answer.item);

	class->asked++;
	class->counted += none ? found : right;
	if (!right && shown_class &&
	    (slice_is(name, shown_class) || strcmp(shown_class, "all") == 0))
		show_wrong(set, query, expect, &answer);
}

static void print_row(const struct class_count *c)
{
	bool none = strncmp(c->name, "null_", 5) == 0;
	double asked = c->asked ? (double)c->asked : 1;

	printf("%-24s %5zu %6.1f %8.1f", c->name, c->asked, 100 * (double)c->counted / asked,
	       100 * (double)c->at_5 / asked);
	if (none)
		printf("        false answers, something returned\n");
	else
		printf(" %6.1f\n", 100 * c->reciprocal / asked);
}

static void print_table(const struct set *set, const char *path)
{
	struct class_count all = {.name = "all questions"};
	double sum = 0;
	size_t classes = 0;

	printf("%s\n%-24s %5s %6s %8s %6s\n", path, "class", "n", "hit@1", "search@5", "MRR");
	for (size_t i = 0; i < set->class_count; i++) {
		const struct class_count *c = &set->classes[i];

		print_row(c);
		if (strncmp(c->name, "null_", 5) == 0 || strcmp(c->name, "synonym") == 0)
			continue;
		sum += 100 * (double)c->counted / (double)c->asked;
		classes++;
		all.asked += c->asked;
		all.counted += c->counted;
		all.at_5 += c->at_5;
		all.reciprocal += c->reciprocal;
	}
	print_row(&all);
	printf("%-24s %5s %6.1f\n\n", "mean hit@1", "", classes ? sum / (double)classes : 0);
}

static void release(struct set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		str_release(&set->keys[i]);
		str_release(&set->refs[i]);
	}
	for (size_t i = 0; i < set->scope_count; i++)
		str_release(&set->scopes[i]);
	free(set->items);
	free(set->keys);
	free(set->refs);
	free(set->scopes);
	json_release(&set->doc);
	str_release(&set->text);
}

static struct search *index_for_search(const struct set *set)
{
	struct search *index = search_new(NULL, 0);

	for (size_t i = 0; i < set->count; i++)
		search_add(index, &(struct search_item){.key = set->items[i].key,
							.value = set->items[i].value});
	return index;
}

static void measure_lookup(struct set *set, uint32_t store, uint32_t queries, const char *path,
			   const char *shown_class)
{
	load_store(set, store);
	set->lookup = lookup_new(set->items, set->count);
	set->search = index_for_search(set);
	for (uint32_t q = json_first(&set->doc, queries); q != JSON_NONE;
	     q = json_next(&set->doc, q))
		ask(set, q, shown_class);
	lookup_free(set->lookup);
	search_free(set->search);
	print_table(set, path);
}

static int measure(const char *path, const char *shown_class)
{
	struct set set = {.text = STR_INIT};
	struct json_fault fault;
	uint32_t store;
	uint32_t queries;
	uint32_t first;

	if (read_file(path, &set.text) != 0 ||
	    json_parse(&set.doc, str_slice(&set.text), &json_file_bounds, &fault) != 0) {
		fprintf(stderr, "recall: %s cannot be read as JSON\n", path);
		str_release(&set.text);
		return -1;
	}
	store = json_member(&set.doc, JSON_ROOT, "store");
	queries = json_member(&set.doc, JSON_ROOT, "queries");
	first = queries == JSON_NONE ? JSON_NONE : json_first(&set.doc, queries);
	if (store != JSON_NONE && json_type(&set.doc, store) == JSON_OBJECT && first != JSON_NONE &&
	    json_member(&set.doc, first, "class") != JSON_NONE) {
		if (json_member(&set.doc, first, "relevant") != JSON_NONE)
			recall_search(&set.doc, store, queries, path, shown_class);
		else if (json_member(&set.doc, first, "expect") != JSON_NONE)
			measure_lookup(&set, store, queries, path, shown_class);
	}
	release(&set);
	return 0;
}

static int is_json(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 5 && strcmp(entry->d_name + len - 5, ".json") == 0;
}

int main(int argc, char **argv)
{
	struct dirent **files;
	int failed = 0;
	int count;

	if (argc < 2) {
		fputs("usage: recall DIR [CLASS]\n", stderr);
		return 2;
	}
	count = scandir(argv[1], &files, is_json, alphasort);
	if (count <= 0) {
		fprintf(stderr, "recall: no *.json in %s\n", argv[1]);
		return 2;
	}
	for (int i = 0; i < count; i++) {
		struct str path = STR_INIT;

		str_printf(&path, "%s/%s", argv[1], files[i]->d_name);
		failed |= measure(path.ptr, argc > 2 ? argv[2] : NULL) != 0;
		str_release(&path);
		free(files[i]);
	}
	free(files);
	return failed;
}
