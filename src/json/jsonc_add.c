#include "json/scan.h"
#include "json/write.h"
#include "json/jsonc_internal.h"

/* A value under way into a text. */
struct addition {
	struct jsonc_edit *edit;
	const struct jsonc *doc;
	uint32_t container;
	const char *newline;
	struct slice indent; /* one level */
	struct str member;   /* on one line, with its name */
};

/* ---- what is put in */

static void open_names(struct json_writer *w, const char *const *names)
{
	for (; *names; names++) {
		json_write_object(w);
		json_write_name(w, slice_of(*names));
	}
}

/* {"a":{"b":value}} for the names that are missing. */
static void wrap(struct str *out, const char *const *names, bool in_array, struct slice value)
{
	struct json_writer w;

	json_writer_init(&w, out, &json_compact);
	open_names(&w, names);
	if (in_array)
		json_write_array(&w);
	json_write_raw(&w, value);
	if (in_array)
		json_write_end(&w);
	for (; *names; names++)
		json_write_end(&w);
}

/* A member or an element as its writer lays it out, each line but the first with a prefix. */
static void lay_out(struct str *out, const struct addition *it, struct slice prefix)
{
	bool named = it->member.ptr[0] == '"';
	STR_AUTO indent = STR_INIT;
	STR_AUTO whole = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct json_fault ignored;
	struct json_layout layout;
	struct json_writer w;
	struct json json;
	uint32_t node;

	str_add(&indent, it->indent);
	layout = (struct json_layout){indent.ptr, "\n", 0};
	str_printf(&whole, named ? "{%s}" : "%s", it->member.ptr);
	if (json_parse(&json, str_slice(&whole), &json_file_bounds, &ignored) != 0)
		return;
	node = named ? json_first(&json, JSON_ROOT) : JSON_ROOT;
	if (named)
		str_printf(&text,
			   "%.*s: ", (int)(json.nodes[node].name_end - json.nodes[node].name_start),
			   whole.ptr + json.nodes[node].name_start);
	json_writer_init(&w, &text, &layout);
	json_write_value(&w, &json, node);
	json_release(&json);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\n') {
			str_adds(out, it->newline);
			str_add(out, prefix);
		} else {
			str_addc(out, text.ptr[i]);
		}
	}
}

/* ---- how the text around it looks */

static const char *newline_of(struct slice text)
{
	const char *end = memchr(text.ptr, '\n', text.len);

	return end && end > text.ptr && end[-1] == '\r' ? "\r\n" : "\n";
}

/* Blanks before `at` on its line; "not there" when something else stands before it. */
static struct slice blanks_before(const struct jsonc *doc, size_t at)
{
	size_t from = at;

	while (from > 0 && (doc->text.ptr[from - 1] == ' ' || doc->text.ptr[from - 1] == '\t'))
		from--;
	if (from > 0 && doc->text.ptr[from - 1] != '\n')
		return slice_of(NULL);
	return slice_make(doc->text.ptr + from, at - from);
}

/* Blanks that the line of `at` begins with. */
static struct slice line_indent(const struct jsonc *doc, size_t at)
{
	size_t end;

	while (at > 0 && doc->text.ptr[at - 1] != '\n')
		at--;
	end = at;
	while (end < doc->text.len && (doc->text.ptr[end] == ' ' || doc->text.ptr[end] == '\t'))
		end++;
	return slice_make(doc->text.ptr + at, end - at);
}

static struct slice indent_of(const struct jsonc *doc)
{
	uint32_t first = json_first(&doc->json, JSON_ROOT);
	struct slice found = {NULL, 0};

	if (first != JSON_NONE)
		found = blanks_before(doc, jsonc_begin(doc, first));
	return found.len > 0 ? found : slice_of("  ");
}

/* ---- putting it in */

static void put(struct addition *it, struct slice text)
{
	str_add(&it->edit->text, text);
	str_add(&it->edit->lines, text);
}

/* Puts the member on lines of its own. */
static void put_lines(struct addition *it, struct slice prefix)
{
	STR_AUTO text = STR_INIT;

	str_adds(&text, it->newline);
	str_add(&text, prefix);
	lay_out(&text, it, prefix);
	put(it, str_slice(&text));
}

/*
 * Between two brackets with nothing but blanks or comments. A blank tells removing that they were
 * there before: behind the bracket when they touched, else behind the value.
 */
static void add_first(struct addition *it)
{
	const struct jsonc *doc = it->doc;
	const struct json_node *brackets = &doc->json.nodes[it->container];
	size_t open = (size_t)brackets->start + 1;
	bool touching = open + 1 == brackets->end;
	bool one_line = it->container != JSON_ROOT && !memchr(doc->text.ptr, '\n', doc->text.len);
	struct slice outer = line_indent(doc, brackets->start);

	jsonc_copy(it->edit, doc, 0, open);
	str_adds(&it->edit->text, touching ? " " : "");
	if (one_line) {
		put(it, str_slice(&it->member));
	} else {
		STR_AUTO prefix = STR_INIT;

		str_add(&prefix, outer);
		str_add(&prefix, it->indent);
		put_lines(it, str_slice(&prefix));
	}
	if (one_line || !touching) {
		str_adds(&it->edit->text, " ");
	} else {
		str_adds(&it->edit->text, it->newline);
		str_add(&it->edit->text, outer);
	}
	jsonc_copy(it->edit, doc, open, doc->text.len);
}

/* Behind what ends at `at`, and behind a comment that stands on its line. */
static size_t behind_comment(const struct jsonc *doc, size_t at, size_t close)
{
	size_t end = at;

	for (; at < close && doc->bare.ptr[at] != '\n'; at++) {
		if (doc->bare.ptr[at] == '#')
			end = at + 1;
	}
	return end;
}

static void add_last(struct addition *it, uint32_t last)
{
	const struct jsonc *doc = it->doc;
	size_t close = (size_t)doc->json.nodes[it->container].end - 1;
	size_t end = doc->json.nodes[last].end;
	size_t comma = jsonc_comma(doc, end, close);
	struct slice prefix = blanks_before(doc, jsonc_begin(doc, last));
	bool trailing = comma < close;
	size_t at = trailing ? comma + 1 : end;

	jsonc_copy(it->edit, doc, 0, at);
	str_adds(&it->edit->text, trailing ? "" : ",");
	if (prefix.ptr) {
		size_t behind = behind_comment(doc, at, close);

		jsonc_copy(it->edit, doc, at, behind);
		at = behind;
		put_lines(it, prefix);
	} else {
		put(it, str_slice(&it->member));
	}
	str_adds(&it->edit->text, trailing ? "," : "");
	jsonc_copy(it->edit, doc, at, doc->text.len);
}

/* Follows the names as far as they lead; *left are the others. */
static int descend(const struct jsonc *doc, const struct jsonc_spot *spot, uint32_t *container,
		   const char *const **left, struct json_fault *fault)
{
	const char *const *name = spot->names;
	uint32_t node = JSON_ROOT;

	for (;; name++) {
		bool array = !*name && spot->element;
		uint32_t next;

		if (json_type(&doc->json, node) != (array ? JSON_ARRAY : JSON_OBJECT)) {
			json_fault_set(fault, doc->text, doc->json.nodes[node].start,
				       array ? "an array expected" : "an object expected");
			return -1;
		}
		next = *name ? json_member(&doc->json, node, *name) : JSON_NONE;
		if (next == JSON_NONE)
			break;
		node = next;
	}
	*container = node;
	*left = name;
	return 0;
}

static void add_to_nothing(struct jsonc_edit *edit, const struct jsonc_spot *spot,
			   struct slice value)
{
	STR_AUTO text = STR_INIT;
	struct addition it = {.edit = edit, .newline = "\n", .indent = slice_of("  ")};

	str_init(&it.member);
	wrap(&it.member, spot->names, spot->element, value);
	lay_out(&text, &it, slice_of(""));
	str_addc(&text, '\n');
	put(&it, str_slice(&text));
	str_release(&it.member);
}

int jsonc_add(struct jsonc_edit *edit, const struct jsonc *doc, const struct jsonc_spot *spot,
	      struct slice value, struct json_fault *fault)
{
	struct addition it = {.edit = edit, .doc = doc};
	const char *const *left;
	struct json_writer w;
	uint32_t last;

	if (!doc) {
		add_to_nothing(edit, spot, value);
		return 0;
	}
	if (descend(doc, spot, &it.container, &left, fault) != 0)
		return -1;
	str_init(&it.member);
	if (*left) {
		STR_AUTO name = STR_INIT;

		json_writer_init(&w, &name, &json_compact);
		json_write_string(&w, slice_of(*left));
		str_printf(&it.member, "%s:", name.ptr);
		wrap(&it.member, left + 1, spot->element, value);
	} else {
		str_add(&it.member, value);
	}
	it.newline = newline_of(doc->text);
	it.indent = indent_of(doc);
	last = jsonc_last(doc, it.container);
	if (last == JSON_NONE)
		add_first(&it);
	else
		add_last(&it, last);
	str_release(&it.member);
	return 0;
}
