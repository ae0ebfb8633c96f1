/*
 * What a public scanner takes for a secret, to measure ours by: its rules whose tokens identify
 * themselves, and texts made by them.
 *
 * For tests only. A pattern is text with "%A36;" or "%A10-20;" for so many random characters of a
 * kind (the kinds are in public_rules.c), "%[one|two];" for one of these, which may have runs, and
 * "%%" for a percent sign. The characters are plainly random: a sample may look like a placeholder
 * or like words, as a real token may.
 */
#ifndef KOTA_TESTS_PUBLIC_RULES_H
#define KOTA_TESTS_PUBLIC_RULES_H

#include "base/str.h"

#include <stdint.h>

/* A rule with several forms has several rows, one behind the other. */
struct public_rule {
	const char *id;
	const char *pattern;
};

/* Ended by an id NULL. */
extern const struct public_rule public_rules[];

/* Makes a text of the pattern; out is cleared first. *state is of the random numbers, and moves on.
 */
void public_rule_make(const char *pattern, uint64_t *state, struct str *out);

#endif
