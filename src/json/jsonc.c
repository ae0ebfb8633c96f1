#include "json/jsonc.h"

#include "json/edit.h"
#include "json/scan.h"
#include "json/write.h"

#include <string.h>

/* ---- reading */

static bool jsonc_is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* As deep and large as other programs' files may be. */
static const struct json_bounds jsonc_bounds = {
	.bytes = 64 << 20,
	.nodes = 1 << 24,
	.depth = 200,
	.allow_bom = true,
};

/* Where a string that begins at `at` ends. */
static size_t jsonc_skip_string(struct slice text, size_t at)
{
	at++;
	while (at < text.len && text.ptr[at] != '"' && text.ptr[at] != '\n')
		at += text.ptr[at] == '\\' && at + 1 < text.len ? 2 : 1;
	return at < text.len ? at + 1 : text.len;
}

static size_t jsonc_skip_line(struct slice text, size_t at)
{
	while (at < text.len && text.ptr[at] != '\n')
		at++;
	return at > 0 && at < text.len && text.ptr[at - 1] == '\r' ? at - 1 : at;
}

/* Where the comment that begins at `at` ends; `at` itself when there is none. */
static size_t jsonc_skip_comment(struct slice text, size_t at)
{
	char next = at + 1 < text.len ? text.ptr[at + 1] : '\0';

	if (next == '/')
		return jsonc_skip_line(text, at);
	if (next != '*')
		return at;
	for (size_t end = at + 2; end + 1 < text.len; end++) {
		if (text.ptr[end] == '*' && text.ptr[end + 1] == '/')
			return end + 2;
	}
	return at;
}

/* Blanks the comment that begins at `from`, if there is one; where to go on. */
static size_t jsonc_blank_comment(struct jsonc *doc, size_t from)
{
	size_t end = jsonc_skip_comment(doc->text, from);

	for (size_t i = from; i < end; i++) {
		doc->bare.ptr[i] = '#';
		/* Newlines stay, so that a later fault is reported on its line. */
		if (doc->strict.ptr[i] != '\n')
			doc->strict.ptr[i] = ' ';
	}
	return end > from ? end : from + 1;
}

static void jsonc_blank(struct jsonc *doc)
{
	size_t comma = SIZE_MAX; /* the last one, while only blanks follow */
	size_t at = 0;

	while (at < doc->text.len) {
		char byte = doc->text.ptr[at];
		size_t from = at++;

		if (byte == '/') {
			at = jsonc_blank_comment(doc, from);
			continue;
		}
		if (jsonc_is_blank(byte))
			continue;
		if ((byte == '}' || byte == ']') && comma != SIZE_MAX)
			doc->strict.ptr[comma] = ' ';
		comma = byte == ',' ? from : SIZE_MAX;
		if (byte == '"')
			at = jsonc_skip_string(doc->text, from);
	}
}

/* A comma with nothing before it is a fault: [,] */
static bool jsonc_is_superfluous(const struct jsonc *doc, size_t comma)
{
	size_t at = comma;

	while (at > 0 && (jsonc_is_blank(doc->bare.ptr[at - 1]) || doc->bare.ptr[at - 1] == '#'))
		at--;
	return at > 0 && !strchr("[{,:", doc->bare.ptr[at - 1]);
}

int jsonc_parse(struct jsonc *doc, struct slice text, struct json_fault *fault)
{
	struct jsonc read = {.text = text, .bare = STR_INIT, .strict = STR_INIT};

	str_add(&read.bare, text);
	str_add(&read.strict, text);
	jsonc_blank(&read);
	/* Put back the commas that are not superfluous, so that they are found as faults. */
	for (size_t i = 0; i < read.strict.len; i++) {
		if (read.bare.ptr[i] == ',' && read.strict.ptr[i] == ' ' &&
		    !jsonc_is_superfluous(&read, i))
			read.strict.ptr[i] = ',';
	}
	if (json_parse(&read.json, str_slice(&read.strict), &jsonc_bounds, fault) != 0) {
		str_release(&read.bare);
		str_release(&read.strict);
		return -1;
	}
	*doc = read;
	return 0;
}

void jsonc_release(struct jsonc *doc)
{
	json_release(&doc->json);
	str_release(&doc->bare);
	str_release(&doc->strict);
}

void jsonc_edit_release(struct jsonc_edit *edit)
{
	str_release(&edit->text);
	str_release(&edit->lines);
}

uint32_t jsonc_find(const struct jsonc *doc, const struct jsonc_spot *spot)
{
	uint32_t node = JSON_ROOT;

	for (const char *const *name = spot->names; *name; name++) {
		node = json_member(&doc->json, node, *name);
		if (node == JSON_NONE)
			return JSON_NONE;
	}
	return node;
}

void jsonc_replace(struct jsonc_edit *edit, const struct jsonc *doc, uint32_t node,
		   struct slice value)
{
	const struct json_node *old = &doc->json.nodes[node];
	struct json_edits edits = {0};

	str_add(json_edits_add(&edits, old->start, old->end), value);
	json_edits_apply(&edits, doc->text, &edit->text);
	json_edits_release(&edits);
	str_add(&edit->lines, value);
}

/* ---- putting in */

/* A value under way into a text. */
struct addition {
	const struct jsonc *doc;
	uint32_t container;
	struct style style;
	struct str name; /* with its quotes; empty for an element */
	struct str value;
	struct str *out;   /* what is being put in */
	struct str *lines; /* what of it is shown */
};

/* {"a":{"b":value}} for the names that are missing. */
static void jsonc_wrap(struct str *out, const char *const *names, bool in_array, struct slice value)
{
	size_t depth = 0;
	struct json_writer w = json_writer_to(out, &json_compact);

	for (; names[depth]; depth++) {
		json_write_object(&w);
		json_write_name(&w, slice_of(names[depth]));
	}
	if (in_array)
		json_write_array(&w);
	json_write_raw(&w, value);
	if (in_array)
		json_write_end(&w);
	for (; depth > 0; depth--)
		json_write_end(&w);
}

/* Blanks before `at` on its line; "not there" when something else stands before it. */
static struct slice jsonc_blanks_before(const struct jsonc *doc, size_t at)
{
	size_t from = at;

	while (from > 0 && (doc->text.ptr[from - 1] == ' ' || doc->text.ptr[from - 1] == '\t'))
		from--;
	if (from > 0 && doc->text.ptr[from - 1] != '\n')
		return slice_of(NULL);
	return slice_make(doc->text.ptr + from, at - from);
}

/* One level of indentation. */
static struct slice jsonc_indent_of(const struct jsonc *doc)
{
	uint32_t first = json_first(&doc->json, JSON_ROOT);
	struct slice found = {NULL, 0};

	if (first != JSON_NONE)
		found = jsonc_blanks_before(doc, json_begin(&doc->json, first));
	return found.len > 0 ? found : slice_of("  ");
}

static void jsonc_put(struct addition *it, struct slice text)
{
	str_add(it->out, text);
	str_add(it->lines, text);
}

static void jsonc_put_on_one_line(struct addition *it)
{
	jsonc_put(it, str_slice(&it->name));
	jsonc_put(it, slice_of(it->name.len ? ":" : ""));
	jsonc_put(it, str_slice(&it->value));
}

/* On lines of their own, as the style says. */
static void jsonc_put_on_lines(struct addition *it, struct slice prefix)
{
	STR_AUTO text = STR_INIT;

	it->style.prefix = prefix;
	str_add(&text, it->style.newline);
	str_add(&text, prefix);
	str_add(&text, str_slice(&it->name));
	str_adds(&text, it->name.len ? ": " : "");
	style_write(&text, &it->style, str_slice(&it->value));
	jsonc_put(it, str_slice(&text));
}

/*
 * Between two brackets with nothing but blanks or comments. A blank tells removing that they were
 * there before: behind the bracket when they touched, else behind the value.
 */
static void jsonc_add_first(struct addition *it, struct json_edits *edits)
{
	const struct jsonc *doc = it->doc;
	const struct json_node *brackets = &doc->json.nodes[it->container];
	size_t open = (size_t)brackets->start + 1;
	bool touching = open + 1 == brackets->end;
	bool one_line = it->container != JSON_ROOT && !memchr(doc->text.ptr, '\n', doc->text.len);
	struct slice outer = style_indent(doc->text, brackets->start);

	it->out = json_edits_add(edits, open, open);
	str_adds(it->out, touching ? " " : "");
	if (one_line) {
		jsonc_put_on_one_line(it);
	} else {
		STR_AUTO prefix = STR_INIT;

		str_add(&prefix, outer);
		str_add(&prefix, it->style.unit);
		jsonc_put_on_lines(it, str_slice(&prefix));
	}
	if (one_line || !touching) {
		str_addc(it->out, ' ');
	} else {
		str_add(it->out, it->style.newline);
		str_add(it->out, outer);
	}
}

/* Where the first comma outside comments is, of a part without values; `to` when there is none. */
static size_t jsonc_find_comma(const struct jsonc *doc, size_t from, size_t to)
{
	while (from < to && doc->bare.ptr[from] != ',')
		from++;
	return from;
}

/* Behind what ends at `at`, and behind a comment that stands on its line. */
static size_t jsonc_behind_comment(const struct jsonc *doc, size_t at, size_t close)
{
	size_t end = at;

	for (; at < close && doc->bare.ptr[at] != '\n'; at++) {
		if (doc->bare.ptr[at] == '#')
			end = at + 1;
	}
	return end;
}

static void jsonc_add_last(struct addition *it, uint32_t last, struct json_edits *edits)
{
	const struct jsonc *doc = it->doc;
	size_t close = (size_t)doc->json.nodes[it->container].end - 1;
	size_t end = doc->json.nodes[last].end;
	size_t comma = jsonc_find_comma(doc, end, close);
	struct slice prefix = jsonc_blanks_before(doc, json_begin(&doc->json, last));
	bool trailing = comma < close;
	size_t at = trailing ? comma + 1 : end;

	it->out = json_edits_add(edits, at, at);
	str_adds(it->out, trailing ? "" : ",");
	if (prefix.ptr) {
		size_t behind = jsonc_behind_comment(doc, at, close);

		if (behind > at)
			it->out = json_edits_add(edits, behind, behind);
		jsonc_put_on_lines(it, prefix);
	} else {
		jsonc_put_on_one_line(it);
	}
	str_adds(it->out, trailing ? "," : "");
}

/* Follows the names as far as they lead; *left are the others. */
static int jsonc_descend(const struct jsonc *doc, const struct jsonc_spot *spot,
			 uint32_t *container, const char *const **left, struct json_fault *fault)
{
	const char *const *name = spot->names;
	uint32_t node = JSON_ROOT;

	for (;; name++) {
		bool array = !*name && spot->element;

		if (json_type(&doc->json, node) != (array ? JSON_ARRAY : JSON_OBJECT)) {
			json_fault_set(fault, doc->text, doc->json.nodes[node].start,
				       array ? "an array expected" : "an object expected");
			return -1;
		}
		uint32_t next = *name ? json_member(&doc->json, node, *name) : JSON_NONE;
		if (next == JSON_NONE)
			break;
		node = next;
	}
	*container = node;
	*left = name;
	return 0;
}

/* The text of a file that is made for the value alone. */
static void jsonc_add_to_nothing(struct jsonc_edit *edit, const struct jsonc_spot *spot,
				 struct slice value)
{
	const struct style style = {.newline = slice_of("\n"), .unit = slice_of("  ")};
	STR_AUTO whole = STR_INIT;

	jsonc_wrap(&whole, spot->names, spot->element, value);
	style_write(&edit->text, &style, str_slice(&whole));
	str_addc(&edit->text, '\n');
	str_add(&edit->lines, str_slice(&edit->text));
}

int jsonc_add(struct jsonc_edit *edit, const struct jsonc *doc, const struct jsonc_spot *spot,
	      struct slice value, struct json_fault *fault)
{
	struct addition it = {
		.doc = doc, .name = STR_INIT, .value = STR_INIT, .lines = &edit->lines};
	struct json_edits edits = {0};
	const char *const *left;
	uint32_t last = JSON_NONE;

	if (!doc) {
		jsonc_add_to_nothing(edit, spot, value);
		return 0;
	}
	if (jsonc_descend(doc, spot, &it.container, &left, fault) != 0)
		return -1;
	if (*left) {
		json_quote(&it.name, slice_of(*left));
		jsonc_wrap(&it.value, left + 1, spot->element, value);
	} else {
		str_add(&it.value, value);
	}
	it.style = (struct style){.newline = style_newline(doc->text),
				  .unit = jsonc_indent_of(doc)};
	for (uint32_t node = json_first(&doc->json, it.container); node != JSON_NONE;
	     node = json_next(&doc->json, node))
		last = node;
	if (last == JSON_NONE)
		jsonc_add_first(&it, &edits);
	else
		jsonc_add_last(&it, last, &edits);
	json_edits_apply(&edits, doc->text, &edit->text);
	json_edits_release(&edits);
	str_release(&it.name);
	str_release(&it.value);
	return 0;
}

/* ---- taking out */

/* Parts of the text that are left out: the comma before a value, and the value. */
struct cut {
	size_t comma; /* `from` when there is none */
	size_t from;
	size_t to;
};

static void jsonc_cut_out(struct jsonc_edit *edit, const struct jsonc *doc, const struct cut *cut)
{
	struct json_edits edits = {0};

	if (cut->comma < cut->from)
		json_edits_add(&edits, cut->comma, cut->comma + 1);
	json_edits_add(&edits, cut->from, cut->to);
	str_clear(&edit->text);
	json_edits_apply(&edits, doc->text, &edit->text);
	json_edits_release(&edits);
	str_clear(&edit->lines);
	str_add(&edit->lines, slice_make(doc->text.ptr + cut->from, cut->to - cut->from));
}

/* True if adding the value to the new text gives the old one. */
static bool jsonc_leads_back(const struct jsonc_edit *edit, const struct jsonc *doc,
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

static uint32_t jsonc_before_of(const struct jsonc *doc, uint32_t container, uint32_t node)
{
	uint32_t before = JSON_NONE;

	for (uint32_t it = json_first(&doc->json, container); it != node;
	     it = json_next(&doc->json, it))
		before = it;
	return before;
}

/* The value with the blanks before it and the comma that is superfluous without it. */
static struct cut jsonc_cut_of(const struct jsonc *doc, uint32_t container, uint32_t node)
{
	uint32_t before = jsonc_before_of(doc, container, node);
	uint32_t next = json_next(&doc->json, node);
	size_t close = (size_t)doc->json.nodes[container].end - 1;
	size_t limit = next != JSON_NONE ? json_begin(&doc->json, next) : close;
	size_t begin = json_begin(&doc->json, node);
	struct cut cut = {0, begin, doc->json.nodes[node].end};
	size_t comma = jsonc_find_comma(doc, cut.to, limit);

	while (jsonc_is_blank(doc->bare.ptr[cut.from - 1]))
		cut.from--;
	cut.comma = cut.from;
	if (comma < limit)
		cut.to = comma + 1;
	else if (before != JSON_NONE)
		cut.comma = jsonc_find_comma(doc, doc->json.nodes[before].end, begin);
	if (cut.comma > cut.from)
		cut.from = cut.comma;
	return cut;
}

/* Tries to take out one value, and so many bytes of blanks behind it. */
static bool jsonc_try_part(struct jsonc_edit *edit, const struct jsonc *doc,
			   const struct jsonc_spot *spot, struct cut cut, size_t behind,
			   struct slice value)
{
	cut.to += behind;
	jsonc_cut_out(edit, doc, &cut);
	return jsonc_leads_back(edit, doc, spot, value);
}

/* Tries to take out one value; alone in its brackets, with one blank behind it or with all. */
static bool jsonc_try_cut(struct jsonc_edit *edit, const struct jsonc *doc,
			  const struct jsonc_spot *spot, uint32_t container, uint32_t node,
			  struct slice value)
{
	struct cut cut = jsonc_cut_of(doc, container, node);
	size_t close = (size_t)doc->json.nodes[container].end - 1;
	size_t blanks = 0;

	if (doc->json.nodes[container].count > 1)
		return jsonc_try_part(edit, doc, spot, cut, 0, value);
	while (cut.to + blanks < close && jsonc_is_blank(doc->bare.ptr[cut.to + blanks]))
		blanks++;
	return jsonc_try_part(edit, doc, spot, cut, blanks, value) ||
	       (blanks > 0 && jsonc_try_part(edit, doc, spot, cut, 1, value));
}

/*
 * True if everything from this container on was made for the value alone. The larger part is tried
 * first.
 */
static bool jsonc_try_levels(struct jsonc_edit *edit, const struct jsonc *doc,
			     const struct jsonc_spot *spot, uint32_t node, struct slice value)
{
	uint32_t container = JSON_ROOT;

	for (const char *const *name = spot->names; *name; name++) {
		uint32_t member = json_member(&doc->json, container, *name);

		if (jsonc_try_cut(edit, doc, spot, container, member, value))
			return true;
		container = member;
	}
	return spot->element && jsonc_try_cut(edit, doc, spot, container, node, value);
}

static uint32_t jsonc_container_of(const struct jsonc *doc, const struct jsonc_spot *spot)
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

	edit->absent = true;
	if (jsonc_leads_back(edit, doc, spot, value)) {
		str_add(&edit->lines, doc->text);
		return;
	}
	edit->absent = false;
	if (jsonc_try_levels(edit, doc, spot, node, value))
		return;
	struct cut cut = jsonc_cut_of(doc, jsonc_container_of(doc, spot), node);
	jsonc_cut_out(edit, doc, &cut);
}
