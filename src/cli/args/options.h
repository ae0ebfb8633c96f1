/*
 * The words of a command line, and the options that every command takes: --dir, --json, --help,
 * --version. Values point into argv.
 */
#ifndef KOTA_CLI_ARGS_OPTIONS_H
#define KOTA_CLI_ARGS_OPTIONS_H

#include "base/err.h"
#include "base/str.h"

/* The words of a command line, taken one after the other. They are argv's and live as long as it.
 */
struct words {
	char **list;
	int count;
	int at;     /* the next one */
	bool plain; /* "--" was taken: what follows are no options */
};

/* The next word, or NULL; not taken. */
static inline const char *words_peek(const struct words *words)
{
	return words->at < words->count ? words->list[words->at] : NULL;
}

/* Takes the next word; NULL when there is none. */
static inline const char *words_next(struct words *words)
{
	return words->at < words->count ? words->list[words->at++] : NULL;
}

/*
 * True if the next word is an option. "-" alone is a value, and so is a negative number. A "--" is
 * taken here, and ends the options.
 */
bool words_at_option(struct words *words);

/* What the options of every command say. */
struct options {
	const char *dir; /* NULL when not given */
	bool json;
	bool help;
	bool version;
};

/* An option as it was written: --name, --name=value. */
struct option_text {
	struct slice name;  /* with its dashes */
	struct slice value; /* absent without "=" */
};

/* Takes a word apart at its first "="; both parts point into it. */
struct option_text option_split(const char *word);

/*
 * Takes the next word (and its value) when it is one of these options. *taken says whether it was;
 * fails when its value is missing or not wanted.
 */
int options_take(struct options *options, struct words *words, bool *taken, struct err *err);

/*
 * The value of an option: what stands behind "=", else the next word, whatever it looks like, which
 * is taken then.
 */
int option_value(const struct option_text *option, struct words *words, const char **out,
		 struct err *err);

/* Refuses the value that was given to an option that takes none; 0 when it has none. */
int option_no_value(const struct option_text *option, struct err *err);

/*
 * Refuses an option that is none of every command's and none of the command's own (ended by NULL;
 * or NULL), with the nearest of them. command may be NULL. Returns -1.
 */
int options_refuse(struct slice option, const char *const *own, const char *command,
		   struct err *err);

/* Refuses a word that the command does not take. Returns -1. */
int words_refuse(struct slice word, const char *command, struct err *err);

/* Names of these options with their dashes, ended by NULL, for suggestions. */
extern const char *const options_names[];

#endif
