/*
 * Secrets for tests, made up anew each time: none is anybody's, and none stands in a source.
 *
 * For tests only. A pattern is text with "%A36;" for 36 random characters of a kind: A letters and
 * digits, U capitals and digits, H hex digits, W those of base64 in URLs, B of base64, D digits.
 */
#ifndef KOTA_TESTS_SECRET_SAMPLE_H
#define KOTA_TESTS_SECRET_SAMPLE_H

#include "base/str.h"

#include <stdint.h>

struct secret_sample {
	const char *rule;
	const char *pattern;
};

/* Of each fixed prefix and form at least one that is refused; ended by a rule NULL. */
extern const struct secret_sample secret_samples[];

/* Passwords, which only warn; likewise. */
extern const struct secret_sample password_samples[];

/* Texts that look alike and are none; ended by NULL. */
extern const char *const secret_placeholders[];

/*
 * Makes a secret of the pattern (out is cleared first). *state is of the random numbers, and moves
 * on. No two neighbours are the same or rise by one, which a placeholder might.
 */
void secret_make(const char *pattern, uint64_t *state, struct str *out);

#endif
