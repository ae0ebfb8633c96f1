/*
 * Which known word somebody may have meant.
 *
 *	struct suggestion suggestion = suggestion_for(word);
 *	suggestion_offer(&suggestion, "get");
 *	suggestion_add(&suggestion, &sentence);
 */
#ifndef KOTA_CLI_ARGS_SUGGEST_H
#define KOTA_CLI_ARGS_SUGGEST_H

#include "base/str.h"

struct suggestion {
	struct slice word;
	const char *best; /* as it was offered; NULL when nothing is near */
	size_t distance;  /* of best; before, the first that is too far */
};

/* Nothing offered yet. The word must outlive it. */
struct suggestion suggestion_for(struct slice word);

/* Keeps the name, which must outlive the suggestion, when it is nearer than those before. */
void suggestion_offer(struct suggestion *suggestion, const char *name);

/* Appends "did you mean get? ", or nothing when nothing is near. */
void suggestion_add(const struct suggestion *suggestion, struct str *out);

#endif
