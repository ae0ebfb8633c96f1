#include "json/jsonc_internal.h"

/* Parts of the text that are left out: the comma before a value, and the value. */
struct cut {
	size_t comma; /* `from` when there is none */
	size_t from;
	size_t to;
};

static void cut_out(struct jsonc_edit *edit, const struct jsonc *doc, const struct cut *cut)
{
	size_t behind = cut->comma < cut->from ? cut->comma + 1 : cut->from;

	str_clear(&edit->text);
	str_clear(&edit->lines);
	jsonc_copy(edit, doc, 0, cut->comma);
	jsonc_copy(edit, doc, behind, cut->from);
	jsonc_copy(edit, doc, cut->to, doc->text.len);
	str_add(&edit->lines, slice_make(doc->text.ptr + cut->from, cut->to - cut->from));
}

/* Does adding the value to the new text give the old one? */
static bool leads_back(const struct jsonc_edit *edit, const struct jsonc *doc,
		       const struct jsonc_spot *spot, struct slice value)
{
	struct jsonc_edit again = JSONC_EDIT_INIT;
	struct json_fault ignored;
	struct jsonc before;
	bool same = false;

	if (edit->absent) {
		jsonc_add(&again, NULL, spot, value, &ignored);
		same = slice_equal(str_slice(&again.text), doc->text);
	} else if (jsonc_parse(&before, str_slice(&edit->text), &ignored) == 0) {
		same = jsonc_add(&again, &before, spot, value, &ignored) == 0 &&
		       slice_equal(str_slice(&again.text), doc->text);
		jsonc_release(&before);
	}
	jsonc_edit_release(&again);
	return same;
}

static uint32_t before_of(const struct jsonc *doc, uint32_t container, uint32_t node)
{
	uint32_t before = JSON_NONE;

	for (uint32_t it = json_first(&doc->json, container); it != node;
	     it = json_next(&doc->json, it))
		before = it;
	return before;
}

/* The value with the blanks before it and the comma that is superfluous without it. */
static struct cut cut_of(const struct jsonc *doc, uint32_t container, uint32_t node)
{
	uint32_t before = before_of(doc, container, node);
	uint32_t next = json_next(&doc->json, node);
	size_t close = (size_t)doc->json.nodes[container].end - 1;
	size_t limit = next != JSON_NONE ? jsonc_begin(doc, next) : close;
	size_t begin = jsonc_begin(doc, node);
	struct cut cut = {0, begin, doc->json.nodes[node].end};
	size_t comma = jsonc_comma(doc, cut.to, limit);

	while (jsonc_is_blank(doc->bare.ptr[cut.from - 1]))
		cut.from--;
	cut.comma = cut.from;
	if (comma < limit)
		cut.to = comma + 1;
	else if (before != JSON_NONE)
		cut.comma = jsonc_comma(doc, doc->json.nodes[before].end, begin);
	if (cut.comma > cut.from)
		cut.from = cut.comma;
	return cut;
}

/* Tries to take out one value, and so many bytes of blanks behind it. */
static bool try_part(struct jsonc_edit *edit, const struct jsonc *doc,
		     const struct jsonc_spot *spot, struct cut cut, size_t behind,
		     struct slice value)
{
	cut.to += behind;
	cut_out(edit, doc, &cut);
	return leads_back(edit, doc, spot, value);
}

/* Tries to take out one value; alone in its brackets, with one blank behind it or with all. */
static bool try_cut(struct jsonc_edit *edit, const struct jsonc *doc, const struct jsonc_spot *spot,
		    uint32_t container, uint32_t node, struct slice value)
{
	struct cut cut = cut_of(doc, container, node);
	size_t close = (size_t)doc->json.nodes[container].end - 1;
	size_t blanks = 0;

	if (doc->json.nodes[container].count > 1)
		return try_part(edit, doc, spot, cut, 0, value);
	while (cut.to + blanks < close && jsonc_is_blank(doc->bare.ptr[cut.to + blanks]))
		blanks++;
	return try_part(edit, doc, spot, cut, blanks, value) ||
	       (blanks > 0 && try_part(edit, doc, spot, cut, 1, value));
}

/* Was all from this container on made for the value alone? The larger part is tried first. */
static bool try_levels(struct jsonc_edit *edit, const struct jsonc *doc,
		       const struct jsonc_spot *spot, uint32_t node, struct slice value)
{
	uint32_t container = JSON_ROOT;

	for (const char *const *name = spot->names; *name; name++) {
		uint32_t member = json_member(&doc->json, container, *name);

		if (try_cut(edit, doc, spot, container, member, value))
			return true;
		container = member;
	}
	return spot->element && try_cut(edit, doc, spot, container, node, value);
}

static uint32_t container_of(const struct jsonc *doc, const struct jsonc_spot *spot)
{
	uint32_t container = JSON_ROOT;

	for (const char *const *name = spot->names; *name && (name[1] || spot->element); name++)
		container = json_member(&doc->json, container, *name);
	return container;
}

void jsonc_remove(struct jsonc_edit *edit, const struct jsonc *doc, const struct jsonc_spot *spot,
		  uint32_t node)
{
	struct slice value = json_text(&doc->json, node);
	struct cut cut;

	edit->absent = true;
	if (leads_back(edit, doc, spot, value)) {
		str_add(&edit->lines, doc->text);
		return;
	}
	edit->absent = false;
	if (try_levels(edit, doc, spot, node, value))
		return;
	cut = cut_of(doc, container_of(doc, spot), node);
	cut_out(edit, doc, &cut);
}
