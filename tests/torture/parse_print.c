/*
 * Parse and print: generated documents come back with every number text, string text and name in
 * its order, and the same holds for entries through the operations of a store.
 *
 * Faults: double (numbers are printed from a double), sorted (members are printed in the order of
 * their names), reformat (the whole file is printed anew after a change).
 */
#include "torture/document.h"
#include "torture/row.h"

#include "fuzz/fuzz_store.h"
#include "json/tree.h"
#include "json/write.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_planted(const struct row *row, const char *fault)
{
	return row->plant && strcmp(row->plant, fault) == 0;
}

/* ---- documents alone */

struct member {
	struct slice name; /* with its quotes */
	uint32_t node;
};

static int by_name(const void *left, const void *right)
{
	const struct member *a = left;
	const struct member *b = right;

	return slice_compare(a->name, b->name);
}

static void print(struct json_writer *w, const struct row *row, const struct json *doc,
		  uint32_t node);

/* The printer with a fault: members in the order of their names. */
static void print_sorted(struct json_writer *w, const struct row *row, const struct json *doc,
			 uint32_t node)
{
	struct member list[DOCUMENT_WIDTH];
	size_t count = 0;

	for (uint32_t m = json_first(doc, node); m != JSON_NONE; m = json_next(doc, m)) {
		const struct json_node *n = &doc->nodes[m];

		list[count].name = slice_make(doc->text.ptr + n->name_start,
					      n->name_end - n->name_start);
		list[count++].node = m;
	}
	qsort(list, count, sizeof *list, by_name);
	json_write_object(w);
	for (size_t i = 0; i < count; i++) {
		json_write_name_raw(w, list[i].name);
		print(w, row, doc, list[i].node);
	}
	json_write_end(w);
}

/* The printer, or what a careless program would have in its place. */
static void print(struct json_writer *w, const struct row *row, const struct json *doc,
		  uint32_t node)
{
	double number;

	if (is_planted(row, "sorted") && json_type(doc, node) == JSON_OBJECT)
		print_sorted(w, row, doc, node);
	else if (is_planted(row, "double") && json_double(doc, node, &number))
		json_write_double(w, number);
	else if (is_planted(row, "double") && json_type(doc, node) == JSON_ARRAY) {
		json_write_array(w);
		for (uint32_t m = json_first(doc, node); m != JSON_NONE; m = json_next(doc, m))
			print(w, row, doc, m);
		json_write_end(w);
	} else {
		json_write_value(w, doc, node);
	}
}

static void check_leaves(struct row *row, const struct json *doc, uint32_t node,
			 const struct str *expected, const char *what)
{
	STR_AUTO found = STR_INIT;

	document_leaves(doc, node, &found);
	if (!slice_equal(str_slice(&found), str_slice(expected)))
		row_violation(row, "%s: %s became %s", what, expected->ptr, found.ptr);
}

/* Printed once more, from the document and from a tree, it is the same text. */
static void check_fixpoint(struct row *row, const struct json *doc, struct slice once,
			   const struct json_layout *layout)
{
	struct json_tree *tree = json_tree_from(doc, JSON_ROOT);
	STR_AUTO twice = STR_INIT;
	struct json_writer w = json_writer_to(&twice, layout);

	json_write_value(&w, doc, JSON_ROOT);
	if (!slice_equal(str_slice(&twice), once))
		row_violation(row, "printed again it is another text: %s", twice.ptr);
	str_clear(&twice);
	w = json_writer_to(&twice, layout);
	json_tree_write(tree, &w);
	if (!slice_equal(str_slice(&twice), once))
		row_violation(row, "a tree prints another text: %s", twice.ptr);
	json_tree_free(tree);
}

static void check_layout(struct row *row, const struct json *doc, const struct str *leaves,
			 const struct json_layout *layout)
{
	STR_AUTO once = STR_INIT;
	struct json_fault fault;
	struct json again;
	struct json_writer w = json_writer_to(&once, layout);

	print(&w, row, doc, JSON_ROOT);
	if (json_parse(&again, str_slice(&once), &json_file_bounds, &fault) != 0) {
		row_violation(row, "what is printed does not parse: %s: %s", fault.what, once.ptr);
		return;
	}
	check_leaves(row, &again, JSON_ROOT, leaves, "printed");
	if (!json_equal(doc, JSON_ROOT, &again, JSON_ROOT))
		row_violation(row, "what is printed is not equal: %s", once.ptr);
	check_fixpoint(row, &again, str_slice(&once), layout);
	json_release(&again);
}

/* Equal regardless of the order of members, and no longer equal with one leaf changed. */
static void check_equality(struct row *row, const struct json *doc)
{
	STR_AUTO turned = STR_INIT;
	STR_AUTO changed = STR_INIT;
	struct json_fault fault;
	struct json other;

	document_turn(doc, JSON_ROOT, &turned);
	if (json_parse(&other, str_slice(&turned), &json_file_bounds, &fault) != 0)
		row_fatal("a turned document does not parse");
	if (!json_equal(doc, JSON_ROOT, &other, JSON_ROOT))
		row_violation(row, "the order of members counts: %s", turned.ptr);
	json_release(&other);
	if (!document_change(row, doc, &changed))
		return;
	if (json_parse(&other, str_slice(&changed), &json_file_bounds, &fault) != 0)
		row_fatal("a changed document does not parse");
	if (json_equal(doc, JSON_ROOT, &other, JSON_ROOT))
		row_violation(row, "a changed document is equal: %s", changed.ptr);
	json_release(&other);
}

static void check_document(struct row *row)
{
	static const struct json_layout tabs = {.indent = "\t", .newline = "\r\n", .depth = 2};
	struct document document = DOCUMENT_INIT;
	struct json_fault fault;
	struct json doc;

	document_make(&document, row, 6);
	if (json_parse(&doc, str_slice(&document.text), &json_file_bounds, &fault) != 0) {
		row_violation(row, "does not parse: %s: %s", fault.what, document.text.ptr);
	} else {
		check_leaves(row, &doc, JSON_ROOT, &document.leaves, "parsed");
		check_layout(row, &doc, &document.leaves, &json_compact);
		check_layout(row, &doc, &document.leaves, &json_pretty);
		check_layout(row, &doc, &document.leaves, &tabs);
		check_equality(row, &doc);
		json_release(&doc);
	}
	document_release(&document);
}

/* ---- entries in a store */

#define FILE_NAME "preferences.json"

/* An entry of the file and what must be left of it. */
struct kept {
	char key[16];
	struct document value;
	struct document field; /* one that a person added */
};

#define KEPT 3

static void make_kept(struct kept *kept, struct row *row, unsigned number)
{
	snprintf(kept->key, sizeof kept->key, "key %u", number);
	kept->value = (struct document)DOCUMENT_INIT;
	kept->field = (struct document)DOCUMENT_INIT;
	document_value(&kept->value, row, 3);
	document_value(&kept->field, row, 2);
}

static void add_member(struct str *file, struct row *row, const struct kept *kept)
{
	document_space(file, row);
	str_printf(file, "\"%s\"", kept->key);
	document_space(file, row);
	str_adds(file, ":");
	document_space(file, row);
	str_printf(file, "{\"value\":%s,", kept->value.text.ptr);
	document_space(file, row);
	str_printf(file, "\"mine\":%s}", kept->field.text.ptr);
	document_space(file, row);
}

static void make_file(struct row *row, const struct kept kept[KEPT])
{
	STR_AUTO file = STR_INIT;

	if (row_below(row, 8) == 0)
		str_adds(&file, "\xEF\xBB\xBF");
	str_adds(&file, "{");
	for (unsigned i = 0; i < KEPT; i++) {
		if (i > 0)
			str_addc(&file, ',');
		add_member(&file, row, &kept[i]);
	}
	str_adds(&file, "}");
	document_space(&file, row);
	fuzz_store_write(FILE_NAME, str_slice(&file));
}

/* The planted fault of a program that prints files as a whole. */
static void reformat(void)
{
	struct slice text = fuzz_store_read(FILE_NAME);
	STR_AUTO copy = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct json_fault fault;
	struct json doc;

	str_add(&copy, text);
	if (json_parse(&doc, str_slice(&copy), &json_file_bounds, &fault) != 0)
		row_fatal("the file does not parse");
	struct json_writer w = json_writer_to(&out, &json_pretty);
	json_write_value(&w, &doc, JSON_ROOT);
	fuzz_store_write(FILE_NAME, str_slice(&out));
	json_release(&doc);
}

static void run(struct row *row, const char *command, struct str *arguments, struct str *reply)
{
	if (!fuzz_store_run(command, str_slice(arguments), reply))
		row_violation(row, "%s %s fails", command, arguments->ptr);
	if (is_planted(row, "reformat"))
		reformat();
}

/* The text of the member in a document, from its name's quote to its end. */
static struct slice member_text(const struct json *doc, const char *key)
{
	uint32_t node = json_member(doc, JSON_ROOT, key);

	if (node == JSON_NONE)
		return slice_make(NULL, 0);
	return slice_make(doc->text.ptr + doc->nodes[node].name_start,
			  doc->nodes[node].end - doc->nodes[node].name_start);
}

/* A file of the store, as it is now; the caller releases both. */
static void read_file(const char *name, struct str *text, struct json *doc)
{
	struct json_fault fault;

	str_clear(text);
	str_add(text, fuzz_store_read(name));
	if (json_parse(doc, str_slice(text), &json_file_bounds, &fault) != 0)
		row_fatal("a file of the store does not parse");
}

/* Runs a command; all entries but that of `key` keep their bytes. */
static void run_beside(struct row *row, const char *command, struct str *arguments, const char *key,
		       const struct kept kept[KEPT])
{
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	struct json old;
	struct json new;

	read_file(FILE_NAME, &before, &old);
	run(row, command, arguments, NULL);
	read_file(FILE_NAME, &after, &new);
	for (int i = 0; i < KEPT; i++) {
		if (strcmp(kept[i].key, key) != 0 &&
		    !slice_equal(member_text(&old, kept[i].key), member_text(&new, kept[i].key)))
			row_violation(row, "%s of \"%s\" changes \"%s\": %s became %s", command,
				      key, kept[i].key, before.ptr, after.ptr);
	}
	json_release(&old);
	json_release(&new);
}

/* The value and the person's field of an entry, wherever it stands. */
static void check_entry(struct row *row, const struct json *doc, uint32_t entry,
			const struct str *value, const struct kept *kept, const char *what)
{
	uint32_t there = entry ? json_member(doc, entry, "value") : JSON_NONE;
	uint32_t mine = entry ? json_member(doc, entry, "mine") : JSON_NONE;

	if (!there || !mine) {
		row_violation(row, "%s: \"%s\" is incomplete", what, kept->key);
		return;
	}
	check_leaves(row, doc, there, value, what);
	check_leaves(row, doc, mine, &kept->field.leaves, what);
}

static void check_active(struct row *row, const struct kept *kept, const struct str *value,
			 const char *what)
{
	STR_AUTO text = STR_INIT;
	struct json doc;

	read_file(FILE_NAME, &text, &doc);
	check_entry(row, &doc, json_member(&doc, JSON_ROOT, kept->key), value, kept, what);
	json_release(&doc);
}

/* memory_set of a new value, and what memory_get says of it. */
static void check_set(struct row *row, struct kept kept[KEPT])
{
	struct document value = DOCUMENT_INIT;
	STR_AUTO arguments = STR_INIT;
	STR_AUTO reply = STR_INIT;
	struct json_fault fault;
	struct json doc;
	uint32_t result;

	document_value(&value, row, 3);
	str_printf(&arguments, "{\"key\":\"preferences:%s\",\"value\":%s}", kept[0].key,
		   value.text.ptr);
	run_beside(row, "set", &arguments, kept[0].key, kept);
	check_active(row, &kept[0], &value.leaves, "set");
	str_clear(&arguments);
	str_printf(&arguments, "{\"query\":\"preferences:%s\"}", kept[0].key);
	run(row, "get", &arguments, &reply);
	if (json_parse(&doc, str_slice(&reply), &json_file_bounds, &fault) != 0)
		row_fatal("a reply does not parse");
	result = json_member(&doc, JSON_ROOT, "value");
	if (!result && json_member(&doc, JSON_ROOT, "result"))
		result = json_member(&doc, json_member(&doc, JSON_ROOT, "result"), "value");
	if (!result)
		row_violation(row, "get finds nothing: %s", reply.ptr);
	else
		check_leaves(row, &doc, result, &value.leaves, "get");
	json_release(&doc);
	document_release(&value);
}

/* memory_update of an object with a member more: what was there stays before it. */
static void check_update(struct row *row, const struct kept kept[KEPT])
{
	struct document more = DOCUMENT_INIT;
	STR_AUTO arguments = STR_INIT;
	STR_AUTO leaves = STR_INIT;

	document_value(&more, row, 2);
	str_printf(&arguments, "{\"key\":\"preferences:%s\",\"value\":{\"a\":%s}}", kept[0].key,
		   kept[0].value.text.ptr);
	run_beside(row, "set", &arguments, kept[0].key, kept);
	str_clear(&arguments);
	str_printf(&arguments, "{\"key\":\"preferences:%s\",\"addition\":{\"b\":%s}}", kept[0].key,
		   more.text.ptr);
	run_beside(row, "update", &arguments, kept[0].key, kept);
	str_printf(&leaves, "{\n\"a\"\n%s\"b\"\n%s}\n", kept[0].value.leaves.ptr, more.leaves.ptr);
	check_active(row, &kept[0], &leaves, "update");
	document_release(&more);
}

/* memory_delete: the record has the entry as it was. */
static void check_delete(struct row *row, const struct kept kept[KEPT])
{
	STR_AUTO arguments = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct json doc;
	uint32_t records;
	uint32_t entry = JSON_NONE;

	str_printf(&arguments, "{\"key\":\"preferences:%s\"}", kept[1].key);
	run_beside(row, "delete", &arguments, kept[1].key, kept);
	read_file("archive.json", &text, &doc);
	records = json_member(&doc, JSON_ROOT, "preferences");
	if (records && json_first(&doc, records))
		entry = json_member(&doc, json_first(&doc, records), "entry");
	check_entry(row, &doc, entry, &kept[1].value.leaves, &kept[1], "delete");
	json_release(&doc);
}

static void check_store(struct row *row)
{
	struct kept kept[KEPT];
	STR_AUTO none = STR_INIT;

	fuzz_store_begin();
	for (unsigned i = 0; i < KEPT; i++)
		make_kept(&kept[i], row, i);
	make_file(row, kept);
	str_adds(&none, "{}");
	run_beside(row, "list", &none, "", kept);
	check_set(row, kept);
	check_update(row, kept);
	check_delete(row, kept);
	run_beside(row, "archived", &none, kept[1].key, kept);
	for (unsigned i = 0; i < KEPT; i++) {
		document_release(&kept[i].value);
		document_release(&kept[i].field);
	}
	fuzz_store_end();
}

int main(int argc, char **argv)
{
	unsigned documents;
	unsigned stores;
	struct row row;

	row_init(&row, argc, argv);
	/* That fault concerns the files of a store alone. */
	documents = is_planted(&row, "reformat") ? 0 : row_times(&row, 2000, 100000);
	stores = row_times(&row, 60, 2000);
	for (unsigned i = 0; i < documents && !row_is_over(&row); i++)
		check_document(&row);
	for (unsigned i = 0; i < stores && !row_is_over(&row); i++)
		check_store(&row);
	return row_end(&row,
		       "%u documents printed in three layouts, %u category files through six "
		       "operations: every text and order kept",
		       documents, stores);
}
