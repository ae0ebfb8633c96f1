#include "cli/args/describe.h"

#include <string.h>

#include "cli/args/args.h"

static const struct {
	const char *noun; /* what stands for it in a usage line */
	const char *words;
} types[] = {
	[PARAM_TEXT] = {"TEXT", "a text"},          [PARAM_TEXTS] = {"TEXT", "texts"},
	[PARAM_CHOICE] = {"NAME", "one of"},        [PARAM_BOOL] = {"", "true or false"},
	[PARAM_INT] = {"NUMBER", "a whole number"}, [PARAM_NUMBER] = {"NUMBER", "a number"},
	[PARAM_OBJECT] = {"JSON", "a JSON object"}, [PARAM_JSON] = {"JSON", "any JSON value"},
};

const struct term describe_options[] = {
	{"--dir DIR", "the store; default: KOTA_MEMORY_DIR, else data/kota_memory of the project "
		      "or here, else the one of your home"},
	{"--json", "the reply as JSON"},
	{"--help", "this help, or that of a command"},
	{"--version", "the version of the program"},
	{NULL, NULL},
};

const struct term describe_statuses[] = {
	{"0", "done"},
	{"1", "nothing found; doctor: something needs doing"},
	{"2", "the command line is wrong"},
	{"65", "data is broken, too large, or of another format"},
	{"69", "there is no history"},
	{"71", "out of memory"},
	{"73, 74", "cannot write; input or output failed"},
	{"75", "another process is changing the store: try again"},
	{"130, 143", "ended by SIGINT, by SIGTERM"},
	{NULL, NULL},
};

const struct term describe_environment[] = {
	{"KOTA_MEMORY_DIR", "the store"},
	{"CLAUDE_PLUGIN_OPTION_MEMORY_DIR",
	 "the same, from the option of the plugin; comes before it"},
	{"CLAUDE_PROJECT_DIR", "the project whose data/kota_memory is used, if it exists"},
	{"XDG_DATA_HOME, XDG_CONFIG_HOME", "where the store and the settings of your home are"},
	{"KOTA_MEMORY_GIT", "own or off: whether changes are recorded"},
	{"KOTA_MEMORY_SECRETS", "refuse, warn or off: what is done about secrets"},
	{NULL, NULL},
};

const char *const describe_arguments =
	"A value of - is read from standard input, without its last newline. Put -- before a word "
	"that begins with -. The last positional argument takes all remaining words. A value that "
	"is "
	"valid JSON is stored as JSON, any other text as a string.";

void describe_usage(struct str *out, const struct tool *tool)
{
	str_adds(out, tool->command);
	for (size_t i = 0; i < tool->param_count; i++) {
		const struct param *param = &tool->params[i];
		bool required = param->flags & PARAM_REQUIRED;

		if (!(param->flags & PARAM_POSITIONAL))
			continue;
		str_adds(out, required ? " " : " [");
		args_add_typed(out, param);
		str_adds(out, required ? "" : "]");
	}
}

void describe_command(struct str *out, const struct command *command)
{
	str_adds(out, command->name);
	if (command->usage)
		str_printf(out, " %s", command->usage);
	if (command->topic)
		str_printf(out, " %s", command->topic);
}

bool describe_has_options(const struct tool *tool)
{
	for (size_t i = 0; i < tool->param_count; i++) {
		if (!(tool->params[i].flags & PARAM_POSITIONAL))
			return true;
	}
	return false;
}

void describe_option(struct str *out, const struct param *param)
{
	if (param->flags & PARAM_POSITIONAL) {
		args_add_typed(out, param);
		return;
	}
	str_adds(out, param->type == PARAM_BOOL ? "--[no-]" : "--");
	args_add_name(out, param->name);
	if (types[param->type].noun[0])
		str_printf(out, " %s", types[param->type].noun);
}

void describe_type(struct str *out, const struct param *param)
{
	str_adds(out, param->type == PARAM_TEXTS && param->choices ? "any of"
								   : types[param->type].words);
	for (size_t i = 0; param->choices && param->choices[i]; i++)
		str_printf(out, "%s%s", i > 0 ? ", " : " ", param->choices[i]);
	if (param->min < param->max)
		str_printf(out, ", %.15g to %.15g", param->min, param->max);
}

/* Puts a semicolon between two parts. */
static void describe_begin_part(struct str *out, size_t from)
{
	if (out->len > from)
		str_adds(out, "; ");
}

/* The default as it is typed, without the marks of JSON. */
static void describe_default(struct str *out, const struct param *param)
{
	for (const char *at = param->fallback; *at; at++) {
		if (*at == ',')
			str_adds(out, ", ");
		else if (!strchr("[]\"", *at))
			str_addc(out, *at);
	}
}

void describe_param(struct str *out, const struct param *param, const char *help)
{
	size_t from = out->len;

	help = help ? help : param->help;
	str_adds(out, help ? help : "");
	/* Where the type says more than the usage line does. */
	if (param->choices || param->min < param->max || param->type == PARAM_INT) {
		describe_begin_part(out, from);
		describe_type(out, param);
	}
	if (param->type == PARAM_TEXTS) {
		describe_begin_part(out, from);
		str_adds(out, param->flags & PARAM_LABELS ? "repeat it, or separate with commas"
							  : "repeat it for more");
	}
	/* An option that is off unless it is given needs no word about it. */
	if (param->fallback &&
	    !(param->type == PARAM_BOOL && strcmp(param->fallback, "false") == 0)) {
		describe_begin_part(out, from);
		str_adds(out, "default ");
		describe_default(out, param);
	}
	if (!(param->flags & PARAM_POSITIONAL) && (param->flags & PARAM_REQUIRED)) {
		describe_begin_part(out, from);
		str_adds(out, "required");
	}
}
