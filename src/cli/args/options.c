#include "cli/args/options.h"

#include "base/utf8.h"
#include "cli/args/suggest.h"

enum option_id { OPTION_DIR, OPTION_JSON, OPTION_HELP, OPTION_HELP_SHORT, OPTION_VERSION };

const char *const options_names[] = {
	[OPTION_DIR] = "--dir",     [OPTION_JSON] = "--json",       [OPTION_HELP] = "--help",
	[OPTION_HELP_SHORT] = "-h", [OPTION_VERSION] = "--version", NULL,
};

struct option_text option_split(const char *word)
{
	const char *equals = strchr(word, '=');
	struct option_text option = {slice_of(word), slice_of(NULL)};

	if (equals) {
		option.name.len = (size_t)(equals - word);
		option.value = slice_of(equals + 1);
	}
	return option;
}

int option_value(const struct option_text *option, struct words *words, const char **out,
		 struct err *err)
{
	STR_AUTO scratch = STR_INIT;
	const char *value = option->value.ptr ? option->value.ptr : words_next(words);

	if (!value)
		return err_set(err, ERR_USAGE, "%s needs a value", shown(&scratch, option->name));
	*out = value;
	return 0;
}

int option_no_value(const struct option_text *option, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	if (!option->value.ptr)
		return 0;
	return err_set(err, ERR_USAGE, "%s takes no value", shown(&scratch, option->name));
}

int options_refuse(struct slice option, const char *const *own, const char *command,
		   struct err *err)
{
	struct suggestion suggestion = suggestion_for(option);
	STR_AUTO hint = STR_INIT;
	STR_AUTO scratch = STR_INIT;

	for (; own && *own; own++)
		suggestion_offer(&suggestion, *own);
	for (const char *const *name = options_names; *name; name++)
		suggestion_offer(&suggestion, *name);
	suggestion_add(&suggestion, &hint);
	return err_set(err, ERR_USAGE, "unknown option %s; %skota help%s%s lists the options",
		       shown(&scratch, option), hint.len ? hint.ptr : "", command ? " " : "",
		       command ? command : "");
}

int words_refuse(struct slice word, const char *command, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	return err_set(err, ERR_USAGE, "unexpected argument \"%s\"; see kota help %s",
		       shown(&scratch, word), command);
}

int options_take(struct options *options, struct words *words, bool *taken, struct err *err)
{
	struct option_text option = option_split(words_peek(words));
	int id = 0;

	while (options_names[id] && !slice_is(option.name, options_names[id]))
		id++;
	*taken = options_names[id] != NULL;
	if (!*taken)
		return 0;
	words->at++;
	if (id == OPTION_DIR)
		return option_value(&option, words, &options->dir, err);
	if (option_no_value(&option, err) != 0)
		return -1;
	options->json = options->json || id == OPTION_JSON;
	options->version = options->version || id == OPTION_VERSION;
	options->help = options->help || id == OPTION_HELP || id == OPTION_HELP_SHORT;
	return 0;
}

bool words_at_option(struct words *words)
{
	const char *word = words_peek(words);

	if (words->plain || !word || word[0] != '-' || word[1] == '\0' ||
	    (word[1] >= '0' && word[1] <= '9'))
		return false;
	if (strcmp(word, "--") != 0)
		return true;
	words->plain = true;
	words->at++;
	return false;
}
