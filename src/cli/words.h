/*
 * The words of a command line, taken one after the other.
 *
 * For this folder only. The words are argv's and live as long as it.
 */
#ifndef KOTA_CLI_WORDS_H
#define KOTA_CLI_WORDS_H

#include "base/str.h"

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
 * Is the next word an option? "-" alone is a value, and so is a negative number. A "--" is taken
 * here, and ends the options.
 */
bool words_at_option(struct words *words);

#endif
