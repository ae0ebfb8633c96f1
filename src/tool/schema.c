#include "tool/tool.h"

/* Clients take a result of up to this many characters whole where a tool says so. */
#define RESULT_CHARS_MAX 500000

static void schema_write_type(struct json_writer *w, const char *type)
{
	json_write_member_string(w, "type", slice_of(type));
}

static void schema_write_choice(const struct param *param, struct json_writer *w)
{
	schema_write_type(w, "string");
	json_write_member_array(w, "enum");
	for (size_t i = 0; param->choices[i]; i++)
		json_write_string(w, slice_of(param->choices[i]));
	json_write_end(w);
}

static void schema_write_texts(const struct param *param, struct json_writer *w)
{
	schema_write_type(w, "array");
	json_write_member_object(w, "items");
	if (param->choices)
		schema_write_choice(param, w);
	else
		schema_write_type(w, "string");
	json_write_end(w);
}

static void schema_write_range(const struct param *param, struct json_writer *w)
{
	if (param->min >= param->max || (param->flags & PARAM_OPEN_RANGE))
		return;
	json_write_member_double(w, "minimum", param->min);
	json_write_member_double(w, "maximum", param->max);
}

/* One type a branch: the only form of "any value" that every client and API takes unchanged. */
static void schema_write_any(const struct param *param, struct json_writer *w)
{
	static const char *const types[] = {"string", "number", "boolean",
					    "object", "array",  "null"};

	(void)param;
	json_write_member_array(w, "anyOf");
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		json_write_object(w);
		schema_write_type(w, types[i]);
		json_write_end(w);
	}
	json_write_end(w);
}

/* How a type of parameter looks in a schema: its type, or what to write when more is needed. */
static const struct {
	const char *type;
	void (*write)(const struct param *param, struct json_writer *w);
} forms[] = {
	[PARAM_TEXT] = {"string", NULL},
	[PARAM_TEXTS] = {NULL, schema_write_texts},
	[PARAM_CHOICE] = {NULL, schema_write_choice},
	[PARAM_BOOL] = {"boolean", NULL},
	[PARAM_INT] = {"integer", schema_write_range},
	[PARAM_NUMBER] = {"number", schema_write_range},
	[PARAM_OBJECT] = {"object", NULL},
	[PARAM_JSON] = {NULL, schema_write_any},
};

static void schema_write_param(const struct param *param, struct json_writer *w)
{
	json_write_member_object(w, param->name);
	if (forms[param->type].type)
		schema_write_type(w, forms[param->type].type);
	if (forms[param->type].write)
		forms[param->type].write(param, w);
	if (param->fallback)
		json_write_member_raw(w, "default", slice_of(param->fallback));
	if (param->help && !(param->flags & PARAM_PLAIN))
		json_write_member_string(w, "description", slice_of(param->help));
	json_write_end(w);
}

static bool schema_is_offered(const struct param *param)
{
	return !(param->flags & (PARAM_SHELL_ONLY | PARAM_UNLISTED));
}

static bool schema_is_demanded(const struct param *param)
{
	return schema_is_offered(param) && (param->flags & PARAM_REQUIRED);
}

static void schema_write_required(const struct tool *tool, struct json_writer *w)
{
	bool any = false;

	for (size_t i = 0; i < tool->param_count; i++)
		any |= schema_is_demanded(&tool->params[i]);
	if (!any)
		return;
	json_write_member_array(w, "required");
	for (size_t i = 0; i < tool->param_count; i++) {
		if (schema_is_demanded(&tool->params[i]))
			json_write_string(w, slice_of(tool->params[i].name));
	}
	json_write_end(w);
}

void tool_write_schema(const struct tool *tool, bool few, struct json_writer *w)
{
	json_write_object(w);
	schema_write_type(w, "object");
	json_write_member_object(w, "properties");
	for (size_t i = 0; i < tool->param_count; i++) {
		const struct param *param = &tool->params[i];

		if (schema_is_offered(param) && !(few && (param->flags & PARAM_EXTRA)))
			schema_write_param(param, w);
	}
	json_write_end(w);
	/* Unknown names are refused here, not by a word in the schema: see tool_bind_json(). */
	schema_write_required(tool, w);
	json_write_end(w);
}

static bool schema_has_flag(const struct tool *tool, unsigned int flag)
{
	return (tool->flags & flag) != 0;
}

/* What differs from the specification's defaults; two of them only say more of what writes. */
static void schema_write_annotations(const struct tool *tool, struct json_writer *w)
{
	json_write_member_object(w, "annotations");
	if (schema_has_flag(tool, TOOL_READ_ONLY))
		json_write_member_bool(w, "readOnlyHint", true);
	else if (!schema_has_flag(tool, TOOL_DESTRUCTIVE))
		json_write_member_bool(w, "destructiveHint", false);
	if (schema_has_flag(tool, TOOL_IDEMPOTENT) && !schema_has_flag(tool, TOOL_READ_ONLY))
		json_write_member_bool(w, "idempotentHint", true);
	json_write_member_bool(w, "openWorldHint", false);
	json_write_end(w);
}

static void schema_write_meta(const struct tool *tool, struct json_writer *w)
{
	if (!schema_has_flag(tool, TOOL_ALWAYS_LOAD | TOOL_LARGE_RESULT))
		return;
	json_write_member_object(w, "_meta");
	if (schema_has_flag(tool, TOOL_ALWAYS_LOAD))
		json_write_member_bool(w, "anthropic/alwaysLoad", true);
	if (schema_has_flag(tool, TOOL_LARGE_RESULT))
		json_write_member_int(w, "anthropic/maxResultSizeChars", RESULT_CHARS_MAX);
	json_write_end(w);
}

void tool_write_definition(const struct tool *tool, bool few, struct json_writer *w)
{
	json_write_object(w);
	json_write_member_string(w, "name", slice_of(tool->name));
	json_write_member_string(w, "title", slice_of(tool->title));
	json_write_member_string(w, "description", slice_of(tool->summary));
	json_write_name(w, slice_of("inputSchema"));
	tool_write_schema(tool, few, w);
	if (tool->output_schema)
		json_write_member_raw(w, "outputSchema", slice_of(tool->output_schema));
	schema_write_annotations(tool, w);
	schema_write_meta(tool, w);
	json_write_end(w);
}
