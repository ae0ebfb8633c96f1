#include "base/utf8.h"
#include "cli/args/args.h"
#include "cli/args/command.h"
#include "cli/args/run_tool.h"
#include "cli/term/streams.h"
#include "store/open/store.h"

#include <stdlib.h>

/* The command line as far as it is typed; the last word is the one to be completed. */
struct line {
	struct run *run;
	struct slice prefix;
	const struct tool *tool;       /* of the command, where it is an operation */
	const struct command *command; /* or one of the program's own */
	const struct param *param;     /* whose value is to come; NULL: none that is known */
	size_t place;                  /* words without a name before the last one */
	struct str *out;
};

/* What a shell would have to quote beyond recognition is left out. */
static void complete_offer(const struct line *line, struct slice text)
{
	STR_AUTO visible = STR_INIT;

	utf8_add_visible(&visible, text, false);
	if (text.len < line->prefix.len || !slice_equal(str_slice(&visible), text) ||
	    memcmp(text.ptr, line->prefix.ptr, line->prefix.len) != 0)
		return;
	str_add(line->out, text);
	str_addc(line->out, '\n');
}

/* ---- names */

static void complete_offer_commands(const struct line *line)
{
	for (const struct tool *const *tool = line->run->tools; *tool; tool++)
		complete_offer(line, slice_of((*tool)->command));
	for (const struct command *const *command = line->run->commands; *command; command++)
		complete_offer(line, slice_of((*command)->name));
}

static void complete_offer_options(const struct line *line)
{
	STR_AUTO name = STR_INIT;
	size_t count = line->tool ? line->tool->param_count : 0;

	for (size_t i = 0; i < count; i++) {
		str_clear(&name);
		str_adds(&name, "--");
		args_add_name(&name, line->tool->params[i].name);
		complete_offer(line, str_slice(&name));
	}
	const struct command_option *own = line->command ? line->command->options : NULL;
	for (; own && own->name; own++) {
		if (!own->hidden)
			complete_offer(line, slice_of(own->name));
	}
	for (const char *const *option = options_names; *option; option++)
		complete_offer(line, slice_of(*option));
}

/* ---- what is stored */

static void complete_offer_active(const struct line *line, struct store *store)
{
	size_t count;
	const struct item *items = store_items(store, &count);

	for (size_t i = 0; i < count; i++) {
		if (!items[i].due)
			complete_offer(line, items[i].ref);
	}
}

static void complete_offer_archived(const struct line *line, struct store *store)
{
	const struct archived *archived;
	struct err ignored;
	size_t count;

	if (store_archive_all(store, &archived, &count, &ignored) != 0)
		return;
	for (size_t i = 0; i < count; i++)
		complete_offer(line, archived[i].ref);
}

static void complete_offer_refs(const struct line *line, bool archived)
{
	struct store *store;
	struct err ignored;

	if (operation_open_store(line->run, &store, &ignored) != 0)
		return;
	if (store_refresh(store, line->run->cli->sys->now_ms(), &ignored) == 0) {
		if (archived)
			complete_offer_archived(line, store);
		else
			complete_offer_active(line, store);
	}
	store_close(store);
}

/* Parameters that name what is stored. */
static bool complete_takes_ref(const struct param *param)
{
	static const char *const names[] = {"key", "ref", "refs", "query", "from", "to", NULL};

	for (const char *const *name = names; *name; name++) {
		if (strcmp(param->name, *name) == 0)
			return param->type == PARAM_TEXT || param->type == PARAM_TEXTS;
	}
	return false;
}

static void complete_offer_values(const struct line *line)
{
	const struct param *param = line->param;

	if (param->type == PARAM_CHOICE) {
		for (const char *const *choice = param->choices; *choice; choice++)
			complete_offer(line, slice_of(*choice));
	} else if (complete_takes_ref(param)) {
		complete_offer_refs(line, strcmp(line->tool->command, "restore") == 0);
	}
}

/* ---- reading the line */

static const struct param *complete_param_named(const struct tool *tool, struct slice option)
{
	STR_AUTO name = STR_INIT;

	for (size_t i = 0; tool && i < tool->param_count; i++) {
		str_clear(&name);
		str_adds(&name, "--");
		args_add_name(&name, tool->params[i].name);
		if (slice_equal(str_slice(&name), option))
			return &tool->params[i];
	}
	return NULL;
}

static const struct param *complete_param_at(const struct tool *tool, size_t place)
{
	for (size_t i = 0; tool && i < tool->param_count; i++) {
		if ((tool->params[i].flags & PARAM_POSITIONAL) && place-- == 0)
			return &tool->params[i];
	}
	return NULL;
}

/* An option that is not the last word; its value, where it takes one, goes with it. */
static void complete_take_option(struct line *line, struct words *words)
{
	struct option_text option = option_split(words_peek(words));
	struct err ignored;
	bool taken;

	if (words->at + 1 < words->count &&
	    options_take(&line->run->options, words, &taken, &ignored) == 0 && taken)
		return;
	words_next(words);
	line->param = complete_param_named(line->tool, option.name);
	if (line->param && (line->param->type == PARAM_BOOL || option.value.ptr))
		line->param = NULL;
	if (line->param && words->at + 1 < words->count) {
		words_next(words);
		line->param = NULL;
	}
}

static void complete_take_word(struct line *line, struct words *words)
{
	struct slice word = slice_of(words_next(words));

	if (line->tool || line->command) {
		line->place++;
		return;
	}
	line->tool = tool_find_command(line->run->tools, word);
	if (!line->tool)
		line->command = command_find(line->run->commands, word);
}

/* All words but the last. */
static void complete_read_line(struct line *line, struct words *words)
{
	while (words->at + 1 < words->count) {
		line->param = NULL;
		if (words_at_option(words))
			complete_take_option(line, words);
		else if (words->at + 1 < words->count)
			complete_take_word(line, words);
	}
}

static void complete_line(struct line *line, struct words *words)
{
	complete_read_line(line, words);
	line->prefix = slice_of(words_peek(words) ? words_peek(words) : "");
	for (const char *const *word = line->command && line->place == 0 ? line->command->offers
									 : NULL;
	     word && *word; word++)
		complete_offer(line, slice_of(*word));
	if (!line->param && line->prefix.len > 0 && line->prefix.ptr[0] == '-')
		complete_offer_options(line);
	else if ((!line->tool && !line->command) ||
		 (line->command == &command_help && line->place == 0))
		complete_offer_commands(line);
	else if ((line->command == &command_purge || line->command == &command_edit) &&
		 line->place == 0)
		complete_offer_refs(line, false);
	if (!line->param)
		line->param = complete_param_at(line->tool, line->place);
	if (line->param && (line->prefix.len == 0 || line->prefix.ptr[0] != '-'))
		complete_offer_values(line);
}

/* Whoever types sees what can be said, and nothing of what went wrong. */
static int complete_execute(struct run *run, struct err *err)
{
	STR_AUTO out = STR_INIT;
	struct line line = {.run = run, .out = &out};

	/* The dashes belong to the call for completion, not to the line that is typed. */
	if (words_peek(&run->words) && strcmp(words_peek(&run->words), "--") == 0)
		words_next(&run->words);
	complete_line(&line, &run->words);
	return streams_write(run->cli, str_slice(&out), err);
}

const struct command command_complete = {
	.name = "complete",
	.topic = "[WORD...]",
	.takes_all = true,
	.summary = "List the completions of a command line, for the shell",
	.description =
		"Print, one per line, how the last of these words can be completed in a kota\n"
		"command line that begins with the others. The completions for bash, zsh and\n"
		"fish that come with the program use this.\n",
	.execute = complete_execute,
};
