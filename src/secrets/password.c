#include "secrets/secret_scan_internal.h"

#include <string.h>

#define PASSWORD_MAX 128

/* ---- what may be a password */

bool secrets_is_password(struct slice text)
{
	static const char *const words[] = {
		"password", "passwd", "passphrase", "pwd",    "pass",   "secret", "user",
		"token",    "null",   "none",       "nil",    "true",   "false",  "undefined",
		"string",   "str",    "text",       "hidden", "prompt", "empty",  "unset",
	};
	bool seen = false;

	if (text.len < 4 || text.len > PASSWORD_MAX || secrets_is_placeholder(text))
		return false;
	if (strchr("$<{[(%*&#!.", text.ptr[0]) || memmem(text.ptr, text.len, "${", 2))
		return false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (text.len == strlen(words[i]) && secrets_begins_anycase(text, 0, words[i]))
			return false;
	}
	for (size_t i = 0; i < text.len; i++) {
		if (secrets_is_space(text.ptr[i]) || (unsigned char)text.ptr[i] < 0x20)
			return false;
		seen |= secrets_is_alnum(text.ptr[i]);
	}
	return seen;
}

bool secrets_is_plain_password(struct slice text)
{
	bool letter = false;
	bool digit = false;

	for (size_t i = 0; i < text.len; i++) {
		letter |= secrets_is_upper(text.ptr[i]) || secrets_is_lower(text.ptr[i]);
		digit |= secrets_is_digit(text.ptr[i]);
		if (strchr("()[]{}<>$\\|`", text.ptr[i]))
			return false;
	}
	return letter && digit && text.len >= 6;
}

/* ---- names, and with them everything that ends so: db_password, SSH passphrase */

static const char *const password_names[] = {"password", "passwd", "passphrase", "pwd", "passwort"};

static const char *const api_key_names[] = {"api_key",      "api-key",    "apikey",
					    "api key",      "secret_key", "secretkey",
					    "access_token", "auth_token", "client_secret"};

static const char *const aws_secret_names[] = {"secret_access_key", "secretaccesskey"};

static bool ends_in_one_of(struct slice name, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(words[i]);

		if (name.len >= len && secrets_begins_anycase(name, name.len - len, words[i]))
			return true;
	}
	return false;
}

#define ENDS_IN(name, words) ends_in_one_of(name, words, sizeof(words) / sizeof *(words))

/* Is this a name that a password goes by: password, db_passwd, "Wi-Fi password"? */
static bool secrets_is_password_name(struct slice name)
{
	return ENDS_IN(name, password_names);
}

/* What a value by itself would not say: the name does. */
bool secrets_find_named(struct slice name, struct slice text, struct secret *out)
{
	struct scan scan = {.text = text};
	struct value value = {0, text.len, true};
	struct secret found = {NULL, false};

	if (secrets_is_password_name(name)) {
		if (secrets_is_password(text))
			found.rule = "password";
	} else if (ENDS_IN(name, aws_secret_names)) {
		if (secrets_is_aws_secret(&scan, &value))
			found = (struct secret){"AWS secret key", true};
	} else if (ENDS_IN(name, api_key_names)) {
		if (secrets_is_api_key(&scan, &value))
			found.rule = "API key";
	} else if (slice_is_word(name, "authorization")) {
		if (secrets_is_bearer(&scan, 0))
			found = (struct secret){"bearer token", true};
		else if (secrets_is_authorization(&scan, 0))
			found.rule = "login in a header";
	}
	if (found.rule)
		*out = found;
	return found.rule != NULL;
}

/* ---- values behind a name */

size_t secrets_skip_spaces(struct slice text, size_t at)
{
	while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t'))
		at++;
	return at;
}

static bool is_quote(struct slice text, size_t at, const char *quotes)
{
	return at < text.len && text.ptr[at] && strchr(quotes, text.ptr[at]);
}

/* No password and no key is longer. The bound keeps the search linear, too. */
#define VALUE_MAX 300

bool secrets_value_at(struct scan *scan, size_t at, struct value *out)
{
	struct slice text = scan->text;
	struct value value = {at, 0, is_quote(text, at, "\"'")};

	if (!value.quoted) {
		value.len = secrets_span(scan, at, VALUE);
	} else {
		char quote = text.ptr[value.at++];
		size_t end = value.at;

		while (end < text.len && end - value.at <= VALUE_MAX && text.ptr[end] != quote &&
		       text.ptr[end] != '\n')
			end++;
		if (end == text.len || text.ptr[end] != quote)
			return false;
		value.len = end - value.at;
	}
	*out = value;
	return value.len > 0 && value.len <= VALUE_MAX;
}

bool secrets_assigned(struct scan *scan, size_t behind_name, struct value *out)
{
	struct slice text = scan->text;
	size_t at = behind_name;

	if (is_quote(text, at, "\"'"))
		at++;
	at = secrets_skip_spaces(text, at);
	if (at >= text.len || (text.ptr[at] != '=' && text.ptr[at] != ':'))
		return false;
	if (secrets_begins(text, at, "=>") || secrets_begins(text, at, ":="))
		at++;
	return secrets_value_at(scan, secrets_skip_spaces(text, at + 1), out);
}

static struct slice text_of(const struct scan *scan, const struct value *value)
{
	return secrets_part(scan->text, value->at, value->len);
}

static bool is_password_value(const struct scan *scan, const struct value *value)
{
	struct slice text = text_of(scan, value);

	return secrets_is_password(text) && (value->quoted || secrets_is_plain_password(text));
}

/* ---- passwords in sentences and in .netrc */

#define WORD_MAX 100

/* The word before *at, which moves to its beginning; empty where none is. */
static struct slice word_before(struct slice text, size_t *at)
{
	size_t end = *at;
	size_t from;

	while (end > 0 && *at - end < WORD_MAX && secrets_is_space(text.ptr[end - 1]))
		end--;
	from = end;
	while (from > 0 && end - from < WORD_MAX && !secrets_is_space(text.ptr[from - 1]))
		from--;
	*at = from;
	return secrets_part(text, from, end - from);
}

/* "machine HOST login NAME", perhaps with "port NUMBER" or "account NAME" behind it. */
static bool is_behind_login(struct slice text, size_t at)
{
	struct slice host;
	struct slice tag;

	word_before(text, &at);
	tag = word_before(text, &at);
	if (slice_is(tag, "port") || slice_is(tag, "account")) {
		word_before(text, &at);
		tag = word_before(text, &at);
	}
	if (!slice_is(tag, "login"))
		return false;
	host = word_before(text, &at);
	return slice_is(host, "default") || slice_is(word_before(text, &at), "machine");
}

/* A line of .netrc, which may be broken anywhere. */
static bool is_netrc(struct scan *scan, size_t at, size_t behind)
{
	size_t from = behind;
	struct value value;

	while (from < scan->text.len && secrets_is_space(scan->text.ptr[from]))
		from++;
	return from > behind && secrets_value_at(scan, from, &value) && !value.quoted &&
	       secrets_is_password(text_of(scan, &value)) && is_behind_login(scan->text, at);
}

/* What is said of a password and is none: "is base64-encoded", "is required". */
static bool is_said_of_passwords(struct slice text)
{
	static const char *const words[] = {
		"base64",  "sha1",     "sha2",     "sha5",      "sha-",    "md5",     "bcrypt",
		"utf-8",   "utf8",     "aes",      "pbkdf2",    "argon2",  "encrypt", "require",
		"correct", "incorrec", "invalid",  "different", "unknown", "unchang", "optional",
		"expired", "stored",   "forgotte", "missing",   "written", "protect", "disabled",
		"enabled", "printed",  "changed",  "rejected",  "accepte", "verified"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (secrets_begins_anycase(text, 0, words[i]))
			return true;
	}
	return false;
}

static bool is_of_wifi(const struct scan *scan, size_t at)
{
	static const char *const words[] = {"wifi ", "wi-fi ", "wlan ", "wlan-"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t len = strlen(words[i]);

		if (at >= len && secrets_begins_anycase(scan->text, at - len, words[i]))
			return true;
	}
	return false;
}

/* The last word of its sentence. */
static bool ends_sentence(struct slice text, size_t end)
{
	while (end < text.len && strchr(".!\"')`", text.ptr[end]) && text.ptr[end])
		end++;
	return end == text.len || text.ptr[end] == '\n' ||
	       (text.ptr[end - 1] == '.' && text.ptr[end] == ' ');
}

/* "the wifi password is ...": a WPA password has eight characters at least, no digit perhaps. */
static bool is_told(struct scan *scan, size_t at, size_t behind)
{
	struct slice text = scan->text;
	size_t from = secrets_skip_spaces(text, behind);
	struct value value;
	struct slice word;

	if (from == behind || !secrets_begins(text, from, "is"))
		return false;
	from += secrets_begins(text, from, "ist ") ? 4 : secrets_begins(text, from, "is ") ? 3 : 0;
	if (text.ptr[from - 1] != ' ')
		return false;
	from = secrets_skip_spaces(text, from);
	if (is_quote(text, from, "`*"))
		from++;
	if (!secrets_value_at(scan, from, &value))
		return false;
	while (value.len > 1 && strchr(".:!?)`*", text.ptr[value.at + value.len - 1]))
		value.len--;
	word = text_of(scan, &value);
	if (!secrets_is_password(word) || is_said_of_passwords(word))
		return false;
	return value.quoted || secrets_is_plain_password(word) ||
	       (word.len >= 8 && is_of_wifi(scan, at) && ends_sentence(text, value.at + value.len));
}

bool secrets_password_at(struct scan *scan, size_t at, size_t behind)
{
	struct value value;

	if (secrets_assigned(scan, behind, &value) && is_password_value(scan, &value))
		return true;
	return is_told(scan, at, behind) || is_netrc(scan, at, behind);
}
