#include "cli/render/template.h"

#include "base/time.h"
#include "base/utf8.h"
#include "json/write.h"

#include <inttypes.h>
#include <stdlib.h>

struct slice view_text(const struct view *view, uint32_t node, struct str *scratch)
{
	if (json_type(view->reply, node) == JSON_STRING)
		return json_string(view->reply, node, scratch);
	return json_text(view->reply, node);
}

uint32_t view_first_of(const struct view *view, uint32_t object, const char *name)
{
	uint32_t list = json_member(view->reply, object, name);

	return list == JSON_NONE ? JSON_NONE : json_first(view->reply, list);
}

int64_t view_number_of(const struct view *view, uint32_t object, const char *name)
{
	uint32_t node = json_member(view->reply, object, name);
	int64_t number = 0;

	if (node != JSON_NONE)
		json_int(view->reply, node, &number);
	return number;
}

void view_add_count(struct str *out, int64_t number)
{
	STR_AUTO digits = STR_INIT;

	str_printf(&digits, "%" PRId64, number);
	for (size_t i = 0; i < digits.len; i++) {
		if (i > 0 && (digits.len - i) % 3 == 0 && digits.ptr[i - 1] != '-')
			str_addc(out, ',');
		str_addc(out, digits.ptr[i]);
	}
}

void view_add_json(struct str *out, const struct view *view, uint32_t node)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_compact);

	json_write_value(&w, view->reply, node);
	utf8_add_visible_json(out, str_slice(&text));
}

/* Takes what stands before the first of these bytes off a text, and that byte too. */
static struct slice template_take(struct slice *text, const char *ends)
{
	size_t len = 0;

	while (len < text->len && !strchr(ends, text->ptr[len]))
		len++;
	struct slice part = slice_make(text->ptr, len);
	len += len < text->len ? 1 : 0;
	*text = slice_make(text->ptr + len, text->len - len);
	return part;
}

/* Follows a path from *node; false when it leads to nothing. */
static bool template_find(const struct view *view, uint32_t *node, struct slice path)
{
	if (slice_is(path, ".") || slice_is(path, "@"))
		return true;
	if (slice_starts(path, "/")) {
		*node = JSON_ROOT;
		path = slice_make(path.ptr + 1, path.len - 1);
	}
	while (path.len > 0) {
		struct slice name = template_take(&path, ".");

		*node = slice_is(name, "0") ? json_first(view->reply, *node)
					    : json_member_slice(view->reply, *node, name);
		if (*node == JSON_NONE)
			return false;
	}
	return true;
}

static bool template_is_true(const struct view *view, uint32_t node)
{
	struct slice text = json_text(view->reply, node);
	int64_t number;

	if (json_type(view->reply, node) == JSON_ARRAY ||
	    json_type(view->reply, node) == JSON_OBJECT)
		return view->reply->nodes[node].count > 0;
	return !slice_is(text, "false") && !slice_is(text, "null") && !slice_is(text, "\"\"") &&
	       !(json_int(view->reply, node, &number) && number == 0);
}

/* How long ago a time was; what is no time is left out. */
static void template_add_age(struct str *out, const struct view *view, struct slice time)
{
	char age[TIMESTAMP_SIZE];
	int64_t ms;

	if (!timestamp_parse(time, false, &ms))
		return;
	timestamp_age(ms, view->now_ms, age);
	str_adds(out, age);
}

/* Forms that are made of the JSON of the node; false where this is none of them. */
static bool template_add_json_form(struct str *out, const struct view *view, uint32_t node,
				   struct slice form)
{
	STR_AUTO json = STR_INIT;
	STR_AUTO scratch = STR_INIT;

	if (slice_is(form, "json")) {
		view_add_json(out, view, node);
		return true;
	}
	if (slice_is(form, "brief")) {
		view_add_json(&json, view, node);
		str_adds(out, shown(&scratch, str_slice(&json)));
		return true;
	}
	if (!slice_is(form, "shelljson"))
		return false;
	str_add_shell_word(&json, json_text(view->reply, node));
	utf8_add_visible(out, str_slice(&json), false);
	return true;
}

static void template_add_form(struct str *out, const struct view *view, uint32_t node,
			      struct slice form)
{
	STR_AUTO scratch = STR_INIT;
	struct slice text = view_text(view, node, &scratch);
	int64_t number = 0;

	if (slice_is(form, "age")) {
		template_add_age(out, view, text);
	} else if (slice_is(form, "when")) {
		if (view->cli->out_is_terminal && timestamp_parse(text, false, &number))
			template_add_age(out, view, text);
		else
			utf8_add_visible(out, text, false);
	} else if (slice_is(form, "n")) {
		json_int(view->reply, node, &number);
		view_add_count(out, number);
	} else if (slice_starts(form, ">")) {
		json_int(view->reply, node, &number);
		str_printf(out, "%*" PRId64, (int)strtol(form.ptr + 1, NULL, 10), number);
	} else if (slice_is(form, "words")) {
		STR_AUTO words = STR_INIT;

		for (size_t i = 0; i < text.len; i++)
			str_addc(&words, text.ptr[i] == '_' ? ' ' : text.ptr[i]);
		utf8_add_visible(out, str_slice(&words), false);
	} else if (slice_is(form, "shell")) {
		STR_AUTO word = STR_INIT;

		str_add_shell_word(&word, text);
		utf8_add_visible(out, str_slice(&word), false);
	} else if (slice_is(form, "raw")) {
		str_add(out, text);
	} else if (!template_add_json_form(out, view, node, form)) {
		text = form.len > 0 ? utf8_cut(text, strtoul(form.ptr, NULL, 10)) : text;
		utf8_add_visible(out, text, false);
	}
}

/* Elements in one line; of an object each member's name before its value. */
static void template_add_list(struct str *out, const struct view *view, uint32_t list,
			      struct slice between)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t n = json_first(view->reply, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		if (n != json_first(view->reply, list))
			str_add(out, between);
		if (json_type(view->reply, list) == JSON_OBJECT) {
			utf8_add_visible(out, json_name(view->reply, n, &scratch), false);
			str_addc(out, ' ');
		}
		utf8_add_visible(out, view_text(view, n, &scratch), false);
	}
}

/* "1 entry": of a list how long it is. */
static void template_add_number(struct str *out, const struct view *view, uint32_t node,
				struct slice form, struct slice words)
{
	struct slice one = template_take(&words, "|");
	int64_t number = view->reply->nodes[node].count;

	if (json_type(view->reply, node) != JSON_ARRAY && !json_int(view->reply, node, &number))
		return;
	if (slice_is(form, "n"))
		view_add_count(out, number);
	else
		str_printf(out, "%" PRId64, number);
	str_addc(out, ' ');
	str_add(out, number == 1 ? one : words);
}

/* Adds what a field like "name:form|one|more" stands for; false when there is no such member. */
static bool template_add_field(struct str *out, const struct view *view, uint32_t node,
			       struct slice field)
{
	struct slice path = template_take(&field, ":|*");
	char kind = field.ptr[-1]; /* the byte that ended the path, if there is more */
	struct slice form = slice_of("");
	STR_AUTO scratch = STR_INIT;

	if (field.len > 0 && kind == ':')
		form = template_take(&field, "|");
	if (!template_find(view, &node, path))
		return false;
	if (slice_is(path, "@"))
		utf8_add_visible(out, json_name(view->reply, node, &scratch), false);
	else if (field.len > 0 && kind == '*')
		template_add_list(out, view, node, field);
	else if (field.len > 0)
		template_add_number(out, view, node, form, field);
	else
		template_add_form(out, view, node, form);
	return true;
}

/* What a template is filled with, and where it goes. */
struct filling {
	const struct view *view;
	struct str *out; /* NULL: the text is passed over */
	uint32_t node;
	bool missing; /* a member that was named is not there */
};

/* NOLINTNEXTLINE(misc-no-recursion): a text in a text, as deep as the templates of this room */
static const char *template_fill(struct filling *filling, const char *at, const char *ends);

/* Behind "{?": one of two texts. */
static const char *template_fill_either(const struct filling *filling, const char *at)
{
	size_t len = strcspn(at, ":");
	struct slice condition = slice_make(at, len);
	struct slice path = template_take(&condition, "=");
	struct filling yes = *filling;
	struct filling no = *filling;
	STR_AUTO scratch = STR_INIT;
	uint32_t node = filling->node;
	bool is = template_find(filling->view, &node, path);

	if (is && condition.len > 0)
		is = slice_equal(view_text(filling->view, node, &scratch), condition);
	else if (is)
		is = template_is_true(filling->view, node);
	*(is ? &no.out : &yes.out) = NULL;
	at = template_fill(&yes, at + len + 1, "|}");
	return *at == '|' ? template_fill(&no, at + 1, "}") : at;
}

/* Behind "{*": a text for each. */
static const char *template_fill_each(const struct filling *filling, const char *at)
{
	size_t len = strcspn(at, ":");
	struct filling each = *filling;
	const char *text = at + len + 1;
	uint32_t list = filling->node;

	if (filling->out && template_find(filling->view, &list, slice_make(at, len))) {
		if (json_type(filling->view->reply, list) == JSON_OBJECT) {
			each.node = list;
			return template_fill(&each, text, "}");
		}
		for (uint32_t n = json_first(filling->view->reply, list); n != JSON_NONE;
		     n = json_next(filling->view->reply, n)) {
			each.node = n;
			template_fill(&each, text, "}");
		}
	}
	each.out = NULL;
	return template_fill(&each, text, "}");
}

/* Behind "[": a text if all that it names is there, else the other. */
static const char *template_fill_optional(const struct filling *filling, const char *at)
{
	STR_AUTO text = STR_INIT;
	struct filling part = {filling->view, filling->out ? &text : NULL, filling->node, false};

	at = template_fill(&part, at, "|]");
	if (filling->out && !part.missing)
		str_add(filling->out, str_slice(&text));
	part.out = part.missing ? filling->out : NULL;
	return *at == '|' ? template_fill(&part, at + 1, "]") : at;
}

/* Behind "{": one of the parts that stand in braces. */
static const char *template_fill_braces(struct filling *filling, const char *at)
{
	size_t len = strcspn(at, "}");

	if (*at == '?')
		return template_fill_either(filling, at + 1);
	if (*at == '*')
		return template_fill_each(filling, at + 1);
	if (filling->out &&
	    !template_add_field(filling->out, filling->view, filling->node, slice_make(at, len)))
		filling->missing = true;
	return at + len;
}

/* Fills up to one of these bytes or the end, and says where that is. */
static const char *template_fill(struct filling *filling, const char *at, const char *ends)
{
	for (; *at && !strchr(ends, *at); at++) {
		if (*at == '{')
			at = template_fill_braces(filling, at + 1);
		else if (*at == '[')
			at = template_fill_optional(filling, at + 1);
		else if (filling->out)
			str_addc(filling->out, *at);
	}
	return at;
}

void template_add(struct str *out, const struct view *view, uint32_t object, const char *text)
{
	struct filling filling = {view, out, object, false};

	template_fill(&filling, text, "");
}
