#include "json/splice.h"

#include "base/map.h"
#include "base/mem.h"
#include "json/edit.h"
#include "json/scan.h"
#include "json/write.h"

#include <stdlib.h>

struct child {
	uint32_t node;
	size_t begin;
	size_t end;
	bool gone;
};

struct addition {
	struct slice name; /* absent in an array, and where text holds it */
	struct slice text;
	bool verbatim;
};

/* What happens to one object or array. */
struct work {
	const struct json *doc;
	uint32_t container;
	struct child *children;
	size_t count;
	struct addition *added;
	size_t added_count;
	size_t added_cap;
	struct json_edits *edits;
};

static void splice_work_open(struct work *work, const struct json *doc, uint32_t container,
			     struct json_edits *edits)
{
	size_t i = 0;

	*work = (struct work){.doc = doc, .container = container, .edits = edits};
	work->count = doc->nodes[container].count;
	work->children = mem_zalloc(work->count, sizeof *work->children);
	for (uint32_t c = json_first(doc, container); c != JSON_NONE; c = json_next(doc, c)) {
		work->children[i].node = c;
		work->children[i].begin = json_begin(doc, c);
		work->children[i].end = doc->nodes[c].end;
		i++;
	}
}

static void splice_work_release(struct work *work)
{
	free(work->children);
	free(work->added);
}

static int splice_compare_children(const void *node, const void *child)
{
	const uint32_t *left = node;
	const struct child *right = child;

	return (*left > right->node) - (*left < right->node);
}

/* NULL if the node is none of the children. They stand in the order of their numbers. */
static struct child *splice_work_child(struct work *work, uint32_t node)
{
	return work->count == 0 ? NULL
				: bsearch(&node, work->children, work->count,
					  sizeof *work->children, splice_compare_children);
}

static void splice_work_add(struct work *work, struct slice name, struct slice text, bool verbatim)
{
	work->added = mem_grow(work->added, &work->added_cap, work->added_count + 1,
			       sizeof *work->added);
	work->added[work->added_count++] = (struct addition){name, text, verbatim};
}

/* Where the blanks before a child begin: behind the one before it, or the opening bracket. */
static size_t splice_gap_start(const struct work *work, size_t index)
{
	if (index > 0)
		return work->children[index - 1].end;
	return work->doc->nodes[work->container].start + 1;
}

/* True if there is a line break between two places of a text. */
static bool splice_breaks(struct slice text, size_t from, size_t to)
{
	return from < to && memchr(text.ptr + from, '\n', to - from) != NULL;
}

/* The colon of a member with the blanks around it; ": " or ":" when that goes over lines. */
static struct slice splice_colon(const struct json *doc, uint32_t member)
{
	const struct json_node *node = &doc->nodes[member];

	if (node->name_end == 0 || splice_breaks(doc->text, node->name_end, node->start))
		return slice_of(": ");
	return slice_make(doc->text.ptr + node->name_end, node->start - node->name_end);
}

/* One level of indentation, as the distance of an inner line from an outer one; else two spaces. */
static struct slice splice_unit(struct slice outer, struct slice inner)
{
	if (inner.len > outer.len && memcmp(inner.ptr, outer.ptr, outer.len) == 0)
		return slice_make(inner.ptr + outer.len, inner.len - outer.len);
	return slice_of("  ");
}

/* Blanks of a text on one line: from the first members of the model. */
static void splice_one_line_like(struct style *style, const struct json *doc, uint32_t model)
{
	uint32_t first = json_first(doc, model);
	uint32_t second = json_next(doc, first);
	size_t begin = json_begin(doc, first);

	if (json_type(doc, model) == JSON_OBJECT) {
		style->colon = splice_colon(doc, first);
		style->pad = slice_make(doc->text.ptr + doc->nodes[model].start + 1,
					begin - doc->nodes[model].start - 1);
	}
	if (second != JSON_NONE) {
		size_t end = doc->nodes[first].end;

		style->comma = slice_make(doc->text.ptr + end, json_begin(doc, second) - end);
	} else if (style->colon.len > 1) {
		style->comma = slice_of(", ");
	}
}

/*
 * The style of a value beside others: model is a value to imitate (a container that is not empty),
 * or JSON_NONE: then one_line says how. unit is used when the model does not show one.
 */
static void splice_style_like(struct style *style, const struct json *doc, uint32_t model,
			      bool one_line, struct slice prefix, struct slice unit)
{
	*style = (struct style){
		.one_line = one_line,
		.newline = style_newline(doc->text),
		.prefix = prefix,
		.unit = unit,
		.colon = slice_of(":"),
		.comma = slice_of(","),
		.pad = slice_of(""),
	};
	if (model == JSON_NONE)
		return;
	style->one_line = !splice_breaks(doc->text, doc->nodes[model].start, doc->nodes[model].end);
	if (style->one_line) {
		splice_one_line_like(style, doc, model);
	} else {
		size_t inner = json_begin(doc, json_first(doc, model));

		if (splice_breaks(doc->text, doc->nodes[model].start, inner))
			style->unit = splice_unit(style_indent(doc->text, doc->nodes[model].start),
						  style_indent(doc->text, inner));
	}
}

static bool splice_starts_line(const struct work *work, size_t index)
{
	return splice_breaks(work->doc->text, splice_gap_start(work, index),
			     work->children[index].begin);
}

static bool splice_is_model(const struct work *work, size_t index)
{
	const struct json_node *node = &work->doc->nodes[work->children[index].node];

	return (node->type == JSON_ARRAY || node->type == JSON_OBJECT) && node->count > 0;
}

/* The value to imitate at a place: the one there, else the nearest before it, else after it. */
static uint32_t splice_find_model(const struct work *work, size_t index)
{
	for (size_t i = index + 1; i-- > 0;) {
		if (splice_is_model(work, i))
			return work->children[i].node;
	}
	for (size_t i = index + 1; i < work->count; i++) {
		if (splice_is_model(work, i))
			return work->children[i].node;
	}
	return JSON_NONE;
}

/* The style of a value in the place of a child, or right behind it. */
static void splice_style_at(struct style *style, const struct work *work, size_t index)
{
	const struct json *doc = work->doc;
	struct slice indent = style_indent(doc->text, work->children[index].begin);
	struct slice outer = style_indent(doc->text, doc->nodes[work->container].start);

	splice_style_like(style, doc, splice_find_model(work, index),
			  !splice_starts_line(work, index), indent, splice_unit(outer, indent));
}

static int splice_bad_text(struct err *err)
{
	return err_set(err, ERR_INTERNAL, "text that is to be stored is not valid JSON");
}

static int splice_work_replace(struct work *work, uint32_t node, struct slice text, bool verbatim,
			       struct err *err)
{
	const struct child *child = splice_work_child(work, node);
	size_t index = (size_t)(child - work->children);
	struct style style;

	if (verbatim) {
		str_add(json_edits_add(work->edits, child->begin, child->end), text);
		return 0;
	}
	splice_style_at(&style, work, index);
	if (!style_write(json_edits_add(work->edits, work->doc->nodes[node].start,
					work->doc->nodes[node].end),
			 &style, text))
		return splice_bad_text(err);
	return 0;
}

/* What stands between a child and a new one behind it, comma included. */
static void splice_add_separator(struct str *out, const struct work *work, size_t index)
{
	const char *text = work->doc->text.ptr;
	size_t begin = work->children[index].begin;
	size_t from = splice_gap_start(work, index);

	if (splice_starts_line(work, index)) {
		size_t line = begin;

		while (text[line - 1] != '\n')
			line--;
		/* A comma at the beginning of the line is copied with the blanks around it. */
		if (index == 0 || !memchr(text + line, ',', begin - line))
			str_addc(out, ',');
		str_add(out, style_newline(work->doc->text));
		str_add(out, slice_make(text + line, begin - line));
	} else if (index > 0) {
		str_add(out, slice_make(text + from, begin - from));
	} else {
		struct slice colon = splice_colon(work->doc, work->children[0].node);

		str_adds(out, begin > from || (work->doc->nodes[work->children[0].node].name_end &&
					       colon.len > 1)
				      ? ", "
				      : ",");
	}
}

static int splice_add_member(struct str *out, const struct addition *added, struct slice colon,
			     const struct style *style, struct err *err)
{
	if (added->verbatim) {
		str_add(out, added->text);
		return 0;
	}
	if (added->name.ptr) {
		json_quote(out, added->name);
		str_add(out, colon);
	}
	return style_write(out, style, added->text) ? 0 : splice_bad_text(err);
}

/* Puts the new members into *out, set out like the child at index; a separator before each. */
static int splice_add_members(struct str *out, const struct work *work, size_t index,
			      bool separator_first, struct err *err)
{
	struct slice colon = splice_colon(work->doc, work->children[index].node);
	struct style style;

	splice_style_at(&style, work, index);
	for (size_t i = 0; i < work->added_count; i++) {
		if (i > 0 || separator_first)
			splice_add_separator(out, work, index);
		if (splice_add_member(out, &work->added[i], colon, &style, err) != 0)
			return -1;
	}
	return 0;
}

/* New members in a container that is empty: on lines of their own unless the file is one line. */
static int splice_fill_empty(struct work *work, struct err *err)
{
	const struct json *doc = work->doc;
	const struct json_node *node = &doc->nodes[work->container];
	struct slice newline = style_newline(doc->text);
	struct slice outer = style_indent(doc->text, node->start);
	bool one_line = work->container != JSON_ROOT &&
			!splice_breaks(doc->text, doc->nodes[JSON_ROOT].start,
				       doc->nodes[JSON_ROOT].end);
	struct str *out = json_edits_add(work->edits, node->start + 1, node->end - 1);
	STR_AUTO inner = STR_INIT;
	struct style style;

	str_add(&inner, outer);
	str_add(&inner, splice_unit(slice_of(""), outer));
	splice_style_like(&style, doc, JSON_NONE, one_line, str_slice(&inner),
			  splice_unit(slice_of(""), outer));
	for (size_t i = 0; i < work->added_count; i++) {
		if (i > 0)
			str_addc(out, ',');
		if (!one_line) {
			str_add(out, newline);
			str_add(out, str_slice(&inner));
		}
		if (splice_add_member(out, &work->added[i], slice_of(one_line ? ":" : ": "), &style,
				      err) != 0)
			return -1;
	}
	if (!one_line) {
		str_add(out, newline);
		str_add(out, outer);
	}
	return 0;
}

/* All children go. */
static int splice_replace_all(struct work *work, struct err *err)
{
	const struct json_node *node = &work->doc->nodes[work->container];

	if (work->added_count == 0) {
		json_edits_add(work->edits, node->start + 1, node->end - 1);
		return 0;
	}
	return splice_add_members(json_edits_add(work->edits, work->children[0].begin,
						 work->children[work->count - 1].end),
				  work, 0, false, err);
}

/* Takes out the children from first to last, which have a kept one before or after them. */
static void splice_cut_run(struct work *work, size_t first, size_t last)
{
	const struct child *children = work->children;

	/* The line break before the run stays with what follows it; else the one behind it. */
	if (first == 0 || splice_starts_line(work, first))
		json_edits_add(work->edits, children[first].begin, children[last + 1].begin);
	else
		json_edits_add(work->edits, children[first - 1].end, children[last].end);
}

static int splice_work_finish(struct work *work, struct err *err)
{
	size_t kept_end = work->count; /* behind the last child that stays */
	size_t first = 0;

	while (kept_end > 0 && work->children[kept_end - 1].gone)
		kept_end--;
	if (kept_end == 0 && work->count > 0)
		return splice_replace_all(work, err);
	for (size_t i = 0; i < kept_end; i++) {
		if (work->children[i].gone)
			continue;
		if (i > first)
			splice_cut_run(work, first, i - 1);
		first = i + 1;
	}
	if (work->count == 0)
		return work->added_count ? splice_fill_empty(work, err) : 0;
	if (kept_end == work->count && work->added_count == 0)
		return 0;
	return splice_add_members(json_edits_add(work->edits, work->children[kept_end - 1].end,
						 work->children[work->count - 1].end),
				  work, kept_end - 1, true, err);
}

/* The compact text of an array of all that is appended under a path. */
static char *splice_new_array(const struct splice *splices, size_t count, struct slice path)
{
	struct str text = STR_INIT;

	for (size_t i = 0; i < count; i++) {
		if (splices[i].kind != SPLICE_APPEND || !slice_equal(splices[i].path, path))
			continue;
		str_addc(&text, text.len ? ',' : '[');
		str_add(&text, splices[i].text);
	}
	if (text.len)
		str_addc(&text, ']');
	return str_detach(&text);
}

static int splice_not_a_list(const struct json *doc, uint32_t node, struct slice name,
			     struct err *err)
{
	struct json_fault fault;

	json_fault_shown(&fault, doc->text, doc->nodes[node].start, "\"", name,
			 "\" must be a list, in [ and ]");
	return err_set(err, ERR_BAD_DATA, "%u:%u: %s", fault.line, fault.column, fault.what);
}

static int splice_edit_array(const struct json *doc, uint32_t array, const struct splice *splices,
			     size_t count, struct slice path, struct json_edits *edits,
			     struct err *err)
{
	struct work work;

	if (json_type(doc, array) != JSON_ARRAY)
		return splice_not_a_list(doc, array, path, err);
	splice_work_open(&work, doc, array, edits);
	for (size_t i = 0; i < count; i++) {
		if (!slice_equal(splices[i].path, path))
			continue;
		if (splices[i].kind == SPLICE_APPEND)
			splice_work_add(&work, slice_make(NULL, 0), splices[i].text,
					splices[i].verbatim);
		struct child *child = splices[i].kind == SPLICE_DROP
					      ? splice_work_child(&work, splices[i].element)
					      : NULL;
		if (child)
			child->gone = true;
	}
	int result = splice_work_finish(&work, err);
	splice_work_release(&work);
	return result;
}

static int splice_edit_member(struct work *root, const struct splice *splice, struct err *err)
{
	uint32_t member = json_member_slice(root->doc, JSON_ROOT, splice->name);

	if (splice->kind == SPLICE_REMOVE) {
		if (member != JSON_NONE)
			splice_work_child(root, member)->gone = true;
		return 0;
	}
	if (member != JSON_NONE)
		return splice_work_replace(root, member, splice->text, splice->verbatim, err);
	splice_work_add(root, splice->verbatim ? slice_make(NULL, 0) : splice->name, splice->text,
			splice->verbatim);
	return 0;
}

/*
 * One splice of the root object, or all those of one of its arrays, with the first of its path;
 * made[] keeps new texts.
 */
static int splice_edit_one(struct work *root, const struct splice *splices, size_t count,
			   size_t index, struct map *paths, char **made, struct err *err)
{
	struct slice path = splices[index].path;

	if (!path.ptr)
		return splice_edit_member(root, &splices[index], err);
	if (map_get(paths, path, NULL))
		return 0;
	map_put(paths, path, 0);
	uint32_t member = json_member_slice(root->doc, JSON_ROOT, path);
	if (member != JSON_NONE)
		return splice_edit_array(root->doc, member, splices, count, path, root->edits, err);
	*made = splice_new_array(splices, count, path);
	if (**made)
		splice_work_add(root, path, slice_of(*made), false);
	return 0;
}

int splice_apply(struct str *out, const struct json *doc, const struct splice *splices,
		 size_t count, struct err *err)
{
	char **made = mem_zalloc(count, sizeof *made);
	struct json_edits edits = {0};
	MAP_AUTO paths = MAP_INIT;
	struct work root;
	int result = 0;

	splice_work_open(&root, doc, JSON_ROOT, &edits);
	for (size_t i = 0; result == 0 && i < count; i++)
		result = splice_edit_one(&root, splices, count, i, &paths, &made[i], err);
	if (result == 0)
		result = splice_work_finish(&root, err);
	if (result == 0) {
		str_clear(out);
		json_edits_apply(&edits, doc->text, out);
	}
	splice_work_release(&root);
	json_edits_release(&edits);
	for (size_t i = 0; i < count; i++)
		free(made[i]);
	free(made);
	return result;
}
