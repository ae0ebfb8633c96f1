#include "cli/words.h"

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

bool words_at_option(struct words *words)
{
	const char *word = words_peek(words);

	if (words->plain || !word || word[0] != '-' || word[1] == '\0' || is_digit(word[1]))
		return false;
	if (strcmp(word, "--") != 0)
		return true;
	words->plain = true;
	words->at++;
	return false;
}
