/*
 * Measures the lookup on labelled questions:
 *
 *	recall DIR           the share of right answers of each class in DIR's *.json
 *	recall DIR CLASS     also every question of that class that is answered wrongly
 *
 * A file holds {"store": {category: {key: value}}, "queries": [{"class", "query", "expect"}]};
 * expect is "category:key", or null where there is nothing to find. Classes that begin with null_
 * count false answers, all others hits. Questions with "relevant" are asked of the ranked search
 * (recall_search.h). Files without a store of categories are passed over.
 */
#include "json/doc.h"
#include "base/mem.h"
#include "lookup/lookup.h"
#include "lookup/recall_search.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES_MAX 64

struct class_count {
	char name[48];
	size_t asked;
	size_t counted; /* hits, or false answers */
};

struct set {
	struct json doc;
	struct str text;
	struct lookup_item *items;
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

static void show_wrong(const struct set *set, struct slice query, struct slice expect,
		       const struct lookup_answer *answer)
{
	printf("  %.*s -> ", (int)query.len, query.ptr);
	if (answer->found)
		printf("%s %.3f %s", set->refs[answer->item].ptr, answer->confidence,
		       lookup_match_name(answer->match));
	else
		printf("null");
	printf(", right: %.*s\n", expect.ptr ? (int)expect.len : 4,
	       expect.ptr ? expect.ptr : "null");
}

static void ask(struct set *set, struct lookup *index, uint32_t node, const char *shown_class)
{
	STR_AUTO class_scratch = STR_INIT;
	STR_AUTO query_scratch = STR_INIT;
	STR_AUTO expect_scratch = STR_INIT;
	struct slice expect = {NULL, 0};
	uint32_t label = json_member(&set->doc, node, "expect");
	struct slice name = json_string(&set->doc, json_member(&set->doc, node, "class"),
					&class_scratch);
	struct slice query = json_string(&set->doc, json_member(&set->doc, node, "query"),
					 &query_scratch);
	struct class_count *class = class_of(set, name);
	struct slice rest = query;
	int scope = take_scope(set, &rest);
	struct lookup_answer answer;
	bool right;

	if (json_type(&set->doc, label) == JSON_STRING)
		expect = json_string(&set->doc, label, &expect_scratch);
	lookup_find(index, rest, scope, &answer);
	right = expect.ptr ? answer.found && slice_equal(str_slice(&set->refs[answer.item]), expect)
			   : !answer.found;
	class->asked++;
	class->counted += expect.ptr ? right : !right;
	if (!right && shown_class && slice_is(name, shown_class))
		show_wrong(set, query, expect, &answer);
}

static void print_table(const struct set *set, const char *path)
{
	double sum = 0;
	size_t classes = 0;

	printf("%s\n", path);
	for (size_t i = 0; i < set->class_count; i++) {
		const struct class_count *c = &set->classes[i];
		double share = 100.0 * (double)c->counted / (double)c->asked;
		bool none = strncmp(c->name, "null_", 5) == 0;

		printf("%-24s %5zu %6.1f%s\n", c->name, c->asked, share,
		       none ? "  false answers" : "");
		if (!none && strcmp(c->name, "synonym") != 0) {
			sum += share;
			classes++;
		}
	}
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

static void measure_lookup(struct set *set, uint32_t store, uint32_t queries, const char *path,
			   const char *shown_class)
{
	struct lookup *index;

	load_store(set, store);
	index = lookup_new(set->items, set->count);
	for (uint32_t q = json_first(&set->doc, queries); q != JSON_NONE;
	     q = json_next(&set->doc, q))
		ask(set, index, q, shown_class);
	lookup_free(index);
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
