#include "merge/stores.h"

#include "base/mem.h"
#include "json/tree.h"
#include "merge/canon.h"
#include "merge/merge_lines.h"
#include "merge/merge_value.h"

#include <stdio.h>
#include <stdlib.h>

/* What a store is made of: the files that are merged together, then the two beside them. */
enum { STORES_COLD = MERGE_STORE_FILES, STORES_RELATIONS, STORES_FILES };

static const char *stores_name(size_t file)
{
	static const char *const names[] = {"archive", "cold", "relations"};

	return file < CATEGORY_COUNT ? category_name((enum category)file)
				     : names[file - CATEGORY_COUNT];
}

static _Noreturn void stores_fail(const char *what)
{
	fprintf(stderr, "stores: %s\n", what);
	exit(1);
}

static void stores_parse(struct json *doc, struct slice text)
{
	struct json_fault fault;

	if (json_parse(doc, text, &json_file_bounds, &fault) != 0)
		stores_fail(fault.what);
}

/* The text of each file of a store. */
static void stores_take_apart(struct slice store, struct str files[STORES_FILES])
{
	JSON_AUTO doc = {0};

	stores_parse(&doc, store);
	for (size_t i = 0; i < STORES_FILES; i++) {
		uint32_t node = json_member(&doc, JSON_ROOT, stores_name(i));

		str_init(&files[i]);
		if (node == JSON_NONE)
			stores_fail(stores_name(i));
		if (i != STORES_COLD) {
			struct json_writer w = json_writer_to(&files[i], &json_pretty);
			json_write_value(&w, &doc, node);
			str_addc(&files[i], '\n');
			continue;
		}
		for (uint32_t l = json_first(&doc, node); l != JSON_NONE; l = json_next(&doc, l)) {
			STR_AUTO scratch = STR_INIT;

			str_add(&files[i], json_string(&doc, l, &scratch));
			str_addc(&files[i], '\n');
		}
	}
}

static void stores_put_together(const struct str files[STORES_FILES], struct str *out)
{
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	for (size_t i = 0; i < STORES_FILES; i++) {
		struct slice rest = str_slice(&files[i]);
		struct slice line;

		if (i != STORES_COLD) {
			JSON_AUTO doc = {0};

			stores_parse(&doc, rest);
			json_write_member_value(&w, stores_name(i), &doc, JSON_ROOT);
			continue;
		}
		json_write_member_array(&w, stores_name(i));
		while (slice_line(&rest, &line))
			json_write_string(&w, line);
		json_write_end(&w);
	}
	json_write_end(&w);
}

void stores_merge(struct slice base, struct slice ours, struct slice theirs, struct str *out)
{
	struct str files[3][STORES_FILES];
	struct str merged[STORES_FILES];
	struct merge_texts texts[STORES_FILES];
	struct slice bases[STORES_FILES];
	struct merge_report report;
	struct merge_report links;
	struct err err;

	stores_take_apart(base.ptr ? base : ours, files[0]);
	stores_take_apart(ours, files[1]);
	stores_take_apart(theirs, files[2]);
	for (size_t i = 0; i < STORES_FILES; i++) {
		str_init(&merged[i]);
		bases[i] = str_slice(&files[0][i]);
		texts[i] = (struct merge_texts){&bases[i], base.ptr ? 1 : 0,
						str_slice(&files[1][i]), str_slice(&files[2][i])};
	}
	if (merge_store(texts, 0, merged, &report, &err) != 0 ||
	    merge_file(slice_of("relations.json"), &texts[STORES_RELATIONS], 0,
		       &merged[STORES_RELATIONS], &links, &err) != 0)
		stores_fail(err.text);
	lines_merge_log(&texts[STORES_COLD], &merged[STORES_COLD]);
	stores_put_together(merged, out);
	merge_report_release(&report);
	merge_report_release(&links);
	for (size_t i = 0; i < STORES_FILES; i++) {
		for (size_t side = 0; side < 3; side++)
			str_release(&files[side][i]);
		str_release(&merged[i]);
	}
}

/* ---- canonical text */

static int stores_order(const void *left, const void *right)
{
	return part_compare(*(const struct part *)left, *(const struct part *)right);
}

/* A record without the digest that only some who write it add. */
static void stores_write_record(struct json_writer *w, struct part record)
{
	if (!part_is(record, JSON_OBJECT)) {
		part_write(record, w);
		return;
	}
	json_write_object(w);
	for (struct part m = part_first(record); m.doc; m = part_next(m)) {
		if (slice_is(part_name(m), "front"))
			continue;
		json_write_name(w, part_name(m));
		part_write(m, w);
	}
	json_write_end(w);
}

static void stores_write_sorted(struct json_writer *w, struct part list)
{
	struct part *sorted = mem_zalloc(part_count(list), sizeof *sorted);
	size_t count = 0;

	for (struct part e = part_first(list); e.doc; e = part_next(e))
		sorted[count++] = e;
	if (count)
		qsort(sorted, count, sizeof *sorted, stores_order);
	json_write_array(w);
	for (size_t i = 0; i < count; i++)
		stores_write_record(w, sorted[i]);
	json_write_end(w);
	free(sorted);
}

void stores_canonical(struct slice store, struct str *out)
{
	CANON_AUTO doc = {0};
	CANON_AUTO sorted = {0};
	STR_AUTO text = STR_INIT;

	canon_known(&doc, store);
	struct json_writer w = json_writer_to(&text, &json_compact);
	json_write_object(&w);
	for (struct part m = part_first(part_root(&doc)); m.doc; m = part_next(m)) {
		json_write_name(&w, part_name(m));
		if (slice_is(part_name(m), "cold")) {
			stores_write_sorted(&w, m);
		} else if (slice_is(part_name(m), "archive")) {
			json_write_object(&w);
			for (struct part c = part_first(m); c.doc; c = part_next(c)) {
				if (!part_count(c))
					continue;
				json_write_name(&w, part_name(c));
				stores_write_sorted(&w, c);
			}
			json_write_end(&w);
		} else {
			part_write(m, &w);
		}
	}
	json_write_end(&w);
	canon_known(&sorted, str_slice(&text));
	str_add(out, part_text(part_root(&sorted)));
}
