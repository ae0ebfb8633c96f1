/*
 * Finds secrets in a text: tokens, keys, passwords.
 *
 * Pure. For whoever is about to keep or to show a text, and for doctor. There are two kinds of
 * rules. A fixed form is a secret and nothing else: it is refused. A value in a place that is made
 * for a password or a key (in a URL, behind "password=") is only worth a warning, because the place
 * is certain and the value is not. There is no rule on hex digits or entropy, for the reason in
 * docs/internals/adr/0006-secrets.md. Placeholders (AKIAIOSFODNN7EXAMPLE, ghp_xxxx...) are no
 * secrets. A secret that is spread over several texts is not found.
 *
 * The time is linear in the length of the text, whatever it says: about 10 ms for 1 MiB.
 *
 * The result names the rule and never shows the secret. Whoever shows texts can ask secrets_find()
 * for each and write the rule's name in place of a text that refuses.
 */
#ifndef KOTA_SECRETS_SECRET_SCAN_H
#define KOTA_SECRETS_SECRET_SCAN_H

#include "json/doc.h"

#include <stdbool.h>

struct secret {
	const char *rule; /* "GitHub token": goes into sentences; static storage */
	bool refuses;     /* else a warning is enough */
};

/*
 * Finds a secret in text: the first that refuses, or else the first that warns. Returns false, and
 * leaves *out alone, when there is none.
 */
bool secrets_find(struct slice text, struct secret *out);

/*
 * Likewise in a JSON value at any depth: texts and names of members, decoded, and what a text that
 * is JSON itself holds. name is what the value goes by, NULL ptr for nothing: see
 * secrets_find_named().
 */
bool secrets_find_json(const struct json *doc, uint32_t node, struct slice name,
		       struct secret *out);

/*
 * True if text is a secret because of its name: "hunter2" as "password", a key as "api_key", 40
 * characters as "aws_secret_access_key", "Bearer ..." as "Authorization". Returns false, and leaves
 * *out alone, when it is not. What the text would be under any name is secrets_find()'s to say.
 */
bool secrets_find_named(struct slice name, struct slice text, struct secret *out);

#endif
