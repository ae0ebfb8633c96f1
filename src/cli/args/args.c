#include "cli/args/args.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "cli/term/streams.h"

#include <ctype.h>
#include <stdlib.h>

/* Depth is left to the document as a whole, so that too deep a value is not taken for a text. */
static const struct json_bounds value_bounds = {
	.bytes = ARGS_INPUT_MAX, .nodes = (uint32_t)1 << 19, .depth = 512, .allow_bom = false};

/* A word without a name. */
struct plain {
	struct slice text;
	bool literal; /* stood behind "--": a "-" is a "-" */
};

/* What was given for one parameter. */
struct given {
	struct slice *texts;
	size_t count;
	size_t cap;
};

struct parser {
	const struct tool *tool;
	struct words *words;
	struct options *options;
	FILE *in;
	struct str *hints;
	bool input_taken;
	struct given *given; /* one a parameter */
	struct plain *plain;
	size_t plain_count;
	size_t plain_cap;
	struct arena arena;
};

/* ---- names */

static void args_append_name(struct str *out, struct slice name)
{
	for (size_t i = 0; i < name.len; i++) {
		char byte = name.ptr[i];

		if (byte >= 'A' && byte <= 'Z') {
			if (i > 0)
				str_addc(out, '-');
			str_addc(out, (char)(byte - 'A' + 'a'));
		} else if (byte == '_') {
			str_addc(out, '-');
		} else {
			str_addc(out, byte);
		}
	}
}

void args_add_name(struct str *out, const char *name)
{
	args_append_name(out, slice_of(name));
}

/* Position of the parameter of this name, or param_count. */
static size_t args_find_param(const struct tool *tool, struct slice name)
{
	STR_AUTO asked = STR_INIT;
	STR_AUTO known = STR_INIT;
	size_t i;

	args_append_name(&asked, name);
	for (i = 0; i < tool->param_count; i++) {
		str_clear(&known);
		args_add_name(&known, tool->params[i].name);
		if (slice_equal(str_slice(&asked), str_slice(&known)))
			break;
	}
	return i;
}

static int args_refuse_option(struct parser *parser, struct slice option, struct err *err)
{
	const struct tool *tool = parser->tool;
	const char **own = mem_zalloc(tool->param_count + 1, sizeof *own);

	for (size_t i = 0; i < tool->param_count; i++) {
		STR_AUTO name = STR_INIT;

		str_adds(&name, "--");
		args_add_name(&name, tool->params[i].name);
		own[i] = arena_copy(&parser->arena, str_slice(&name)).ptr;
	}
	int result = options_refuse(option, own, tool->command, err);
	free(own);
	return result;
}

void args_add_typed(struct str *out, const struct param *param)
{
	size_t from = out->len + 2;

	str_adds(out, "--");
	args_add_name(out, param->name);
	if (!(param->flags & PARAM_POSITIONAL))
		return;
	for (size_t i = from; i < out->len; i++)
		out->ptr[i - 2] = (char)toupper((unsigned char)out->ptr[i]);
	str_truncate(out, out->len - 2);
}

/* ---- values */

static int args_read_input(struct parser *parser, const struct param *param, struct slice *out,
			   struct err *err)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO text = STR_INIT;

	args_add_typed(&name, param);
	if (parser->input_taken)
		return err_set(err, ERR_USAGE, "%s: only one value can be read from standard input",
			       name.ptr);
	parser->input_taken = true;
	if (streams_read(parser->in, ARGS_INPUT_MAX, &text, err) != 0)
		return err_prefix(err, "%s", name.ptr);
	if (text.len > 0 && text.ptr[text.len - 1] == '\n')
		str_truncate(&text, text.len - 1);
	/* Usually the writer of the pipe has failed, which is no reason to lose a value. */
	if (text.len == 0)
		return err_set(err, ERR_BLANK_ARGUMENT, "%s: standard input is empty; give %s",
			       name.ptr,
			       param->type == PARAM_JSON ? "'\"\"' for an empty text" : "a text");
	*out = arena_copy(&parser->arena, str_slice(&text));
	return 0;
}

/* One text, or the labels that stand in it with commas between them. */
static void args_add_texts(struct given *given, const struct param *param, struct slice text)
{
	const char *comma = NULL;

	if (param->flags & PARAM_LABELS)
		comma = memchr(text.ptr, ',', text.len);
	while (comma) {
		size_t len = (size_t)(comma - text.ptr);

		if (len > 0)
			*MEM_ADD(given->texts, given->count, given->cap) = slice_make(text.ptr,
										      len);
		text = slice_make(comma + 1, text.len - len - 1);
		if (text.len == 0)
			return;
		comma = memchr(text.ptr, ',', text.len);
	}
	*MEM_ADD(given->texts, given->count, given->cap) = text;
}

static int args_add_value(struct parser *parser, size_t position, struct plain value,
			  struct err *err)
{
	const struct param *param = &parser->tool->params[position];
	struct given *given = &parser->given[position];
	struct slice text = value.text;
	bool input = !value.literal && slice_is(text, "-");
	STR_AUTO name = STR_INIT;

	args_add_typed(&name, param);
	if (given->count > 0 && param->type != PARAM_TEXTS)
		return err_set(err, ERR_USAGE, "%s was given more than once", name.ptr);
	if (param->flags & PARAM_FILE) {
		/* Behind "--" it is a file of this name. */
		if (slice_is(text, "-") && value.literal)
			text = slice_of("./-");
		input = false;
	}
	if (input && args_read_input(parser, param, &text, err) != 0)
		return -1;
	if (utf8_valid_prefix(text) != text.len)
		return err_set(err, input ? ERR_BAD_DATA : ERR_BAD_VALUE,
			       "%s: not valid UTF-8 at byte %zu", name.ptr,
			       utf8_valid_prefix(text) + 1);
	args_add_texts(given, param, text);
	return 0;
}

/* --name or --no-name: true when the option was such a switch. */
static bool args_find_switch(const struct parser *parser, struct slice name, size_t *position,
			     bool *value)
{
	*value = true;
	*position = args_find_param(parser->tool, name);
	if (*position == parser->tool->param_count && name.len > 3 &&
	    (memcmp(name.ptr, "no-", 3) == 0 || memcmp(name.ptr, "no_", 3) == 0)) {
		*value = false;
		*position = args_find_param(parser->tool, slice_make(name.ptr + 3, name.len - 3));
	}
	return *position < parser->tool->param_count &&
	       parser->tool->params[*position].type == PARAM_BOOL;
}

static int args_take_switch(struct parser *parser, const struct option_text *option,
			    size_t position, bool value, struct err *err)
{
	struct plain text = {slice_of(value ? "true" : "false"), true};

	const char *next = value ? words_peek(parser->words) : NULL;

	if (!value && option_no_value(option, err) != 0)
		return -1;
	if (option->value.ptr)
		text.text = option->value;
	else if (next && (strcmp(next, "true") == 0 || strcmp(next, "false") == 0))
		text.text = slice_of(words_next(parser->words));
	return args_add_value(parser, position, text, err);
}

static int args_take_option(struct parser *parser, struct err *err)
{
	struct option_text option = option_split(words_next(parser->words));
	struct slice name = slice_of(NULL);
	const char *value;
	size_t position;
	bool on;

	if (option.name.len > 2 && memcmp(option.name.ptr, "--", 2) == 0)
		name = slice_make(option.name.ptr + 2, option.name.len - 2);
	if (args_find_switch(parser, name, &position, &on))
		return args_take_switch(parser, &option, position, on, err);
	if (position == parser->tool->param_count || !on)
		return args_refuse_option(parser, option.name, err);
	if (option_value(&option, parser->words, &value, err) != 0)
		return -1;
	return args_add_value(parser, position, (struct plain){slice_of(value), false}, err);
}

/* ---- words without a name */

static bool args_takes_words(const struct parser *parser, size_t position)
{
	return (parser->tool->params[position].flags & PARAM_POSITIONAL) &&
	       parser->given[position].count == 0;
}

/* How many of the words from `from` on belong to this parameter. */
static size_t args_share(const struct parser *parser, size_t position, size_t from)
{
	enum param_type type = parser->tool->params[position].type;

	for (size_t i = position + 1; i < parser->tool->param_count; i++) {
		if (args_takes_words(parser, i))
			return 1;
	}
	return type == PARAM_TEXT || type == PARAM_JSON || type == PARAM_TEXTS
		       ? parser->plain_count - from
		       : 1;
}

static struct plain args_join(struct parser *parser, size_t from, size_t count)
{
	STR_AUTO text = STR_INIT;

	if (count == 1)
		return parser->plain[from];
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			str_addc(&text, ' ');
		str_add(&text, parser->plain[from + i].text);
	}
	return (struct plain){arena_copy(&parser->arena, str_slice(&text)), true};
}

static int args_give_words(struct parser *parser, size_t position, size_t from, size_t count,
			   struct err *err)
{
	if (parser->tool->params[position].type != PARAM_TEXTS)
		return args_add_value(parser, position, args_join(parser, from, count), err);
	for (size_t i = from; i < from + count; i++) {
		if (args_add_value(parser, position, parser->plain[i], err) != 0)
			return -1;
	}
	return 0;
}

static int args_assign_words(struct parser *parser, struct err *err)
{
	size_t from = 0;

	for (size_t i = 0; i < parser->tool->param_count && from < parser->plain_count; i++) {
		if (!args_takes_words(parser, i))
			continue;
		size_t count = args_share(parser, i, from);
		if (args_give_words(parser, i, from, count, err) != 0)
			return -1;
		from += count;
	}
	if (from == parser->plain_count)
		return 0;
	return words_refuse(parser->plain[from].text, parser->tool->command, err);
}

/* ---- to JSON */

/* A text in the brackets of an object or list, or at least begun like one, was meant to be one. */
static bool args_looks_like_json(struct slice text)
{
	text = blank_trim(text);
	if (text.len < 2 || !strchr("{[\"", text.ptr[0]))
		return false;
	if (text.ptr[0] == '"')
		return text.ptr[text.len - 1] == '"';
	return text.ptr[text.len - 1] == (text.ptr[0] == '{' ? '}' : ']') ||
	       strchr("\"{[", blank_trim(slice_make(text.ptr + 1, text.len - 1)).ptr[0]);
}

/* Who has lost a quote to the shell reads it here; a text is kept all the same. */
static void args_hint(const struct parser *parser, const struct param *param, struct slice text,
		      const struct json_fault *fault)
{
	if (!parser->hints || !args_looks_like_json(text))
		return;
	args_add_typed(parser->hints, param);
	str_printf(parser->hints, " looks like JSON but is none (%u:%u: %s): taken as text\n",
		   (unsigned int)fault->line, (unsigned int)fault->column, fault->what);
}

static void args_write_value(const struct parser *parser, struct json_writer *w,
			     const struct param *param, const struct given *given)
{
	enum param_type type = param->type;
	struct json_fault fault;
	struct json doc;

	if (type == PARAM_TEXTS) {
		json_write_array(w);
		for (size_t i = 0; i < given->count; i++)
			json_write_string(w, given->texts[i]);
		json_write_end(w);
	} else if (type == PARAM_JSON &&
		   json_parse(&doc, given->texts[0], &value_bounds, &fault) == 0) {
		json_write_raw(w, given->texts[0]);
		json_release(&doc);
	} else {
		if (type == PARAM_JSON)
			args_hint(parser, param, given->texts[0], &fault);
		/* Numbers, switches and objects too: a text that parses as one is taken as that. */
		json_write_string(w, given->texts[0]);
	}
}

static void args_write_arguments(const struct parser *parser, struct str *out)
{
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	for (size_t i = 0; i < parser->tool->param_count; i++) {
		if (parser->given[i].count == 0)
			continue;
		json_write_name(&w, slice_of(parser->tool->params[i].name));
		args_write_value(parser, &w, &parser->tool->params[i], &parser->given[i]);
	}
	json_write_end(&w);
}

static int args_collect(struct parser *parser, struct err *err)
{
	while (words_peek(parser->words)) {
		bool taken = false;

		if (!words_at_option(parser->words)) {
			if (words_peek(parser->words))
				*MEM_ADD(parser->plain, parser->plain_count,
					 parser->plain_cap) = (struct plain){
					slice_of(words_next(parser->words)), parser->words->plain};
			continue;
		}
		if (options_take(parser->options, parser->words, &taken, err) != 0 ||
		    (!taken && args_take_option(parser, err) != 0))
			return -1;
		if (parser->options->help)
			return 0;
	}
	return args_assign_words(parser, err);
}

int args_parse(const struct tool *tool, struct words *words, struct options *options, FILE *in,
	       struct str *out, struct str *hints, struct err *err)
{
	struct parser parser = {
		.tool = tool,
		.words = words,
		.options = options,
		.in = in,
		.hints = hints,
		.given = mem_zalloc(tool->param_count + 1, sizeof *parser.given),
	};
	int result = args_collect(&parser, err);

	if (result == 0 && !options->help)
		args_write_arguments(&parser, out);
	for (size_t i = 0; i < tool->param_count; i++)
		free(parser.given[i].texts);
	free(parser.given);
	free(parser.plain);
	arena_release(&parser.arena);
	return result;
}
