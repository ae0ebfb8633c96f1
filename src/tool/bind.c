#include "tool/tool.h"

#include "base/utf8.h"

#include <assert.h>

/* One argument on its way into its field. */
struct binding {
	const struct param *param;
	const struct json *doc;
	uint32_t node;
	struct arena *arena;
};

typedef int (*binder)(const struct binding *in, void *field, struct err *err);

static const char *const type_words[] = {
	[JSON_NULL] = "null",       [JSON_BOOL] = "a boolean", [JSON_NUMBER] = "a number",
	[JSON_STRING] = "a string", [JSON_ARRAY] = "a list",   [JSON_OBJECT] = "an object",
};

/* The decoded text of a string node, in the document or the arena. */
static struct slice bind_decode(const struct binding *in, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;
	struct slice text = json_string(in->doc, node, &scratch);

	if (text.ptr == scratch.ptr)
		return arena_copy(in->arena, text);
	return text;
}

static int bind_check_text(const struct param *param, struct slice text, struct err *err)
{
	if ((param->flags & PARAM_NOT_BLANK) && blank_trim(text).len == 0)
		return err_set(err, ERR_BLANK_ARGUMENT, "%s: blank; give %s", param->name,
			       param->help);
	if (param->max_bytes && text.len > param->max_bytes)
		return err_set(err, ERR_TOO_LARGE, "%s: %zu bytes; at most %zu are allowed",
			       param->name, text.len, param->max_bytes);
	return 0;
}

static int bind_text(const struct binding *in, void *field, struct err *err)
{
	struct slice text = bind_decode(in, in->node);

	if (bind_check_text(in->param, text, err) != 0)
		return -1;
	memcpy(field, &text, sizeof text);
	return 0;
}

/* Which of the choices a text is; -1 with an error that names them. */
static int bind_find_choice(const struct param *param, struct slice text, struct err *err)
{
	int found = slice_index(text, param->choices);
	STR_AUTO list = STR_INIT;
	STR_AUTO scratch = STR_INIT;

	if (found >= 0)
		return found;
	for (size_t i = 0; param->choices[i]; i++)
		str_printf(&list, "%s%s", i > 0 ? ", " : "", param->choices[i]);
	return err_set(err, ERR_BAD_VALUE, "%s: \"%s\" is none of %s", param->name,
		       shown(&scratch, text), list.ptr);
}

static int bind_item(const struct binding *in, uint32_t node, struct slice *out, struct err *err)
{
	if (json_type(in->doc, node) != JSON_STRING)
		return err_set(err, ERR_WRONG_TYPE, "%s: expected a list of strings, got %s in it",
			       in->param->name, type_words[json_type(in->doc, node)]);
	*out = bind_decode(in, node);
	if (in->param->choices && bind_find_choice(in->param, *out, err) < 0)
		return -1;
	return bind_check_text(in->param, *out, err);
}

/* A text in the place of a list is a list of one. */
static int bind_texts(const struct binding *in, void *field, struct err *err)
{
	bool one = json_type(in->doc, in->node) == JSON_STRING;
	uint32_t count = one ? 1 : in->doc->nodes[in->node].count;
	struct slice *items = arena_alloc(in->arena, (count + 1) * sizeof *items);
	struct arg_texts texts = {items, count, true};
	size_t i = 0;

	if (one && bind_item(in, in->node, items, err) != 0)
		return -1;
	for (uint32_t n = one ? JSON_NONE : json_first(in->doc, in->node); n != JSON_NONE;
	     n = json_next(in->doc, n)) {
		if (bind_item(in, n, &items[i++], err) != 0)
			return -1;
	}
	memcpy(field, &texts, sizeof texts);
	return 0;
}

static int bind_choice(const struct binding *in, void *field, struct err *err)
{
	int choice = bind_find_choice(in->param, bind_decode(in, in->node), err);

	if (choice < 0)
		return -1;
	memcpy(field, &choice, sizeof choice);
	return 0;
}

static int bind_bool(const struct binding *in, void *field, struct err *err)
{
	bool given = false;

	(void)err;
	json_bool(in->doc, in->node, &given);
	int value = given;
	memcpy(field, &value, sizeof value);
	return 0;
}

static int bind_check_range(const struct binding *in, struct err *err)
{
	const struct param *param = in->param;
	STR_AUTO scratch = STR_INIT;
	double number;

	if (param->min >= param->max)
		return 0;
	if (json_double(in->doc, in->node, &number) && number >= param->min && number <= param->max)
		return 0;
	return err_set(err, ERR_BAD_VALUE, "%s: %s is not between %.15g and %.15g", param->name,
		       shown(&scratch, json_text(in->doc, in->node)), param->min, param->max);
}

static int bind_int(const struct binding *in, void *field, struct err *err)
{
	STR_AUTO scratch = STR_INIT;
	int64_t number;

	if (bind_check_range(in, err) != 0)
		return -1;
	if (!json_int(in->doc, in->node, &number) || number == ARG_NONE)
		return err_set(err, ERR_BAD_VALUE, "%s: %s is not a whole number, or too large",
			       in->param->name, shown(&scratch, json_text(in->doc, in->node)));
	memcpy(field, &number, sizeof number);
	return 0;
}

static int bind_json(const struct binding *in, void *field, struct err *err)
{
	struct arg_json value = {in->doc, in->node};

	(void)err;
	memcpy(field, &value, sizeof value);
	return 0;
}

static int bind_number(const struct binding *in, void *field, struct err *err)
{
	if (bind_check_range(in, err) != 0)
		return -1;
	return bind_json(in, field, err);
}

static void bind_absent_int(void *field)
{
	const int absent = -1;

	memcpy(field, &absent, sizeof absent);
}

static void bind_absent_int64(void *field)
{
	const int64_t absent = ARG_NONE;

	memcpy(field, &absent, sizeof absent);
}

/* What each type of parameter takes, and how it gets into its field. */
static const struct kind {
	bool any; /* takes a value of every type, null too */
	enum json_type type;
	const char *words;
	binder bind;
	void (*absent)(void *field); /* NULL: cleared memory says "not given" */
} kinds[] = {
	[PARAM_TEXT] = {false, JSON_STRING, "a string", bind_text, NULL},
	[PARAM_TEXTS] = {false, JSON_ARRAY, "a list of strings", bind_texts, NULL},
	[PARAM_CHOICE] = {false, JSON_STRING, "a string", bind_choice, bind_absent_int},
	[PARAM_BOOL] = {false, JSON_BOOL, "true or false", bind_bool, bind_absent_int},
	[PARAM_INT] = {false, JSON_NUMBER, "a number", bind_int, bind_absent_int64},
	[PARAM_NUMBER] = {false, JSON_NUMBER, "a number", bind_number, NULL},
	[PARAM_OBJECT] = {false, JSON_OBJECT, "an object", bind_json, NULL},
	[PARAM_JSON] = {true, JSON_NULL, "a JSON value", bind_json, NULL},
};

/* Parses text into a document that lives in the arena; NULL when it is not JSON. */
static const struct json *bind_parse_into_arena(struct arena *arena, struct slice text)
{
	struct json *doc = arena_alloc(arena, sizeof *doc);
	struct json parsed;
	struct json_fault fault;

	if (json_parse(&parsed, text, &json_line_bounds, &fault) != 0)
		return NULL;
	*doc = parsed;
	doc->nodes = arena_alloc(arena, parsed.count * sizeof *doc->nodes);
	memcpy(doc->nodes, parsed.nodes, parsed.count * sizeof *doc->nodes);
	json_release(&parsed);
	return doc;
}

/*
 * True if the string is a list, an object, a number or a boolean: models often send one as a
 * string.
 */
static bool bind_unquote(struct binding *in, enum json_type type)
{
	if (json_type(in->doc, in->node) != JSON_STRING)
		return false;
	const struct json *doc = bind_parse_into_arena(in->arena, bind_decode(in, in->node));
	if (!doc || json_type(doc, JSON_ROOT) != type)
		return false;
	in->doc = doc;
	in->node = JSON_ROOT;
	return true;
}

static int bind_value(struct binding *in, void *field, struct err *err)
{
	const struct kind *kind = &kinds[in->param->type];
	bool is = kind->any || json_type(in->doc, in->node) == kind->type ||
		  bind_unquote(in, kind->type);

	/* If the text is no list in quotes either, it is the only element. */
	if (!is && !(kind->type == JSON_ARRAY && json_type(in->doc, in->node) == JSON_STRING))
		return err_set(err, ERR_WRONG_TYPE, "%s: expected %s, got %s", in->param->name,
			       kind->words, type_words[json_type(in->doc, in->node)]);
	return kind->bind(in, field, err);
}

static int bind_absent(struct binding *in, void *field, struct err *err)
{
	const struct param *param = in->param;
	const struct kind *kind = &kinds[param->type];

	if (param->flags & PARAM_REQUIRED)
		return err_set(err, ERR_MISSING_ARGUMENT, "%s: missing; give %s", param->name,
			       param->help);
	if (kind->absent)
		kind->absent(field);
	if (!param->fallback)
		return 0;
	in->doc = bind_parse_into_arena(in->arena, slice_of(param->fallback));
	in->node = JSON_ROOT;
	assert(in->doc);
	return bind_value(in, field, err);
}

/* null says "not given", as models do, except where null is a value like any other. */
static bool bind_is_given(const struct binding *in)
{
	if (!in->doc || in->node == JSON_NONE)
		return false;
	return kinds[in->param->type].any || json_type(in->doc, in->node) != JSON_NULL;
}

/* What only the shell takes does not exist for others. */
static bool bind_is_offered(const struct param *param, bool shell)
{
	return shell || !(param->flags & PARAM_SHELL_ONLY);
}

static bool bind_is_param(const struct tool *tool, bool shell, struct slice name)
{
	for (size_t i = 0; i < tool->param_count; i++) {
		if (bind_is_offered(&tool->params[i], shell) &&
		    slice_is(name, tool->params[i].name))
			return true;
	}
	return false;
}

static int bind_refuse_unknown(const struct tool *tool, bool shell, struct slice name,
			       struct err *err)
{
	STR_AUTO known = STR_INIT;
	STR_AUTO scratch = STR_INIT;

	for (size_t i = 0; i < tool->param_count; i++) {
		if (bind_is_offered(&tool->params[i], shell))
			str_printf(&known, "%s%s", known.len ? ", " : "", tool->params[i].name);
	}
	return err_set(err, ERR_UNKNOWN_ARGUMENT, "%s: no such argument; %s takes %s",
		       shown(&scratch, name), tool->name, known.len ? known.ptr : "none");
}

static int bind_check_names(const struct tool *tool, bool shell, const struct json *doc,
			    uint32_t arguments, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	if (json_type(doc, arguments) != JSON_OBJECT)
		return err_set(err, ERR_WRONG_TYPE, "arguments: expected an object, got %s",
			       type_words[json_type(doc, arguments)]);
	for (uint32_t n = json_first(doc, arguments); n != JSON_NONE; n = json_next(doc, n)) {
		struct slice name = json_name(doc, n, &scratch);

		if (!bind_is_param(tool, shell, name))
			return bind_refuse_unknown(tool, shell, name, err);
	}
	return 0;
}

int tool_bind_json(const struct tool *tool, bool shell, const struct json *doc, uint32_t arguments,
		   void *args, struct arena *arena, struct err *err)
{
	if (doc && bind_check_names(tool, shell, doc, arguments, err) != 0)
		return -1;
	for (size_t i = 0; i < tool->param_count; i++) {
		const struct param *param = &tool->params[i];
		struct binding in = {param, doc, JSON_NONE, arena};
		void *field = (char *)args + param->offset;

		if (doc)
			in.node = json_member(doc, arguments, param->name);
		if ((bind_is_given(&in) ? bind_value : bind_absent)(&in, field, err) != 0)
			return -1;
	}
	return 0;
}
