/*
 * Does a text hold a secret: a token, a key, a password?
 *
 * Pure. For whoever is about to keep what somebody gave, and for doctor. Two kinds of rules: fixed
 * forms, which are a secret and nothing else and which are refused, and passwords in a place that
 * is made for one (of a URL, of an assignment), which are only worth a warning. There is no rule on
 * hex digits or entropy: docs/adr/0006 says why. Placeholders (AKIAIOSFODNN7EXAMPLE, ghp_xxxx...)
 * are none. A secret that is spread over several texts is not found.
 *
 * What is found is named by its rule, never shown.
 */
#ifndef KOTA_MODEL_SECRETS_H
#define KOTA_MODEL_SECRETS_H

#include "base/json.h"

#include <stdbool.h>

struct secret {
	const char *rule; /* "GitHub token": goes into sentences; static storage */
	bool refuses;     /* else a warning is enough */
};

/* Finds a secret in text, one that refuses before one that warns. *out is untouched without. */
bool secrets_find(struct slice text, struct secret *out);

/*
 * Likewise in a JSON value at any depth: texts and names of members, decoded, and what a text that
 * is JSON itself holds. name is what the value goes by, NULL ptr for nothing: a text that goes by
 * "password" is worth a warning.
 */
bool secrets_find_json(const struct json *doc, uint32_t node, struct slice name,
		       struct secret *out);

/* Is this a name that a password goes by: password, db_passwd, "Wi-Fi password"? */
bool secrets_is_password_name(struct slice name);

/* Could this be somebody's password, and not a placeholder, a variable or nothing? */
bool secrets_is_password(struct slice text);

/* The name of rule `index`, NULL behind the last; rules of one name stand for one kind of secret.
 */
const char *secrets_rule(size_t index);

#endif
