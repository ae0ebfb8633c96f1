/*
 * How texts are taken apart where secrets are looked for. For src/model/secrets*.c only.
 */
#ifndef KOTA_MODEL_SECRETS_INTERNAL_H
#define KOTA_MODEL_SECRETS_INTERNAL_H

#include "model/secrets.h"

enum char_class {
	UPPER_DIGIT,
	HEX, /* lower case */
	ALNUM,
	ALNUM_LINE, /* and _ */
	ALNUM_DASH, /* and - */
	URL64,      /* and both: base64 for URLs */
	BASE64      /* alphanumerics, + and / */
};

static inline bool secrets_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool secrets_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool secrets_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool secrets_is_alnum(char c)
{
	return secrets_is_digit(c) || secrets_is_upper(c) || secrets_is_lower(c);
}

static inline bool secrets_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

bool secrets_is_in(enum char_class class, char c);

/* How many bytes of this class stand at `at`. */
size_t secrets_span(struct slice text, size_t at, enum char_class class);

/* The len bytes at `at`, which are there. */
struct slice secrets_part(struct slice text, size_t at, size_t len);

/* Does this stand at `at`? False where at is behind the end. */
bool secrets_begins(struct slice text, size_t at, const char *prefix);

/* Position of needle at `from` or later, or text.len. */
size_t secrets_seek(struct slice text, size_t from, const char *needle);

/* Is the word in it, in whatever case? */
bool secrets_has_word(struct slice text, const char *word);

/* Does a word begin at `at`? Behind "%3A" and "\n", as encoded text has them, too. */
bool secrets_at_word(struct slice text, size_t at);

/* One short piece again and again: deadbeefdeadbeef. */
bool secrets_is_repeated(struct slice text);

/* What people write where a secret would stand: xxxxxxxx, 12345678, AKIAIOSFODNN7EXAMPLE. */
bool secrets_is_placeholder(struct slice text);

/* No placeholder, and no words: letters of one case alone are some, but where no other is allowed.
 */
bool secrets_is_random(struct slice body, enum char_class class);

/* Has it the form of a private key, a token of several parts...? One of secrets_forms.c. */
struct secret_form {
	struct secret secret;
	bool (*is_in)(struct slice text);
};

/* The forms that a fixed prefix alone does not describe; ended by a rule NULL. */
extern const struct secret_form secrets_forms[];

/* scheme://user:password@host, and password=... */
bool secrets_has_url_password(struct slice text);
bool secrets_has_assignment(struct slice text);

#endif
