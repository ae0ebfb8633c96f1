/*
 * Journals as others write them: by an older program, by a newer one, by somebody who wants harm.
 *
 * For tests only.
 */
#ifndef KOTA_TESTS_FORGE_H
#define KOTA_TESTS_FORGE_H

#include "base/str.h"

/* Appends a journal of this body with the digest that belongs to it, as 0.1.0 wrote them. */
void forge_unsigned(struct str *out, const char *body);

/* Appends one that is signed with the key in this state home, which must have been made. */
void forge_signed(struct str *out, const char *body, const char *state_home);

/* The body of a journal of one operation. */
void forge_body(struct str *out, const char *kind, const char *category, const char *key,
		const char *text);

#endif
