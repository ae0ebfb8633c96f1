#include "secrets/secret_scan_internal.h"

#include <string.h>

#define PASSWORD_MAX 128

/* Where a value begins, and its length in bytes. */
struct value {
	size_t at;
	size_t len;
	bool quoted;
};

/* ---- what may be a password */

static bool named_is_password(struct slice text)
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

static bool named_is_plain_password(struct slice text)
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

/* ---- values behind a name */

static size_t named_skip_blanks(struct slice text, size_t at)
{
	while (at < text.len && secrets_is_space(text.ptr[at]))
		at++;
	return at;
}

static size_t named_skip_spaces(struct slice text, size_t at)
{
	while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t'))
		at++;
	return at;
}

static bool named_is_quote(struct slice text, size_t at, const char *quotes)
{
	return at < text.len && text.ptr[at] && strchr(quotes, text.ptr[at]);
}

/* No password and no key is longer. The bound keeps the search linear, too. */
#define VALUE_MAX 300

static bool value_at(struct scan *scan, size_t at, struct value *out)
{
	struct slice text = scan->text;
	struct value value = {at, 0, named_is_quote(text, at, "\"'")};

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

static bool named_assigned(struct scan *scan, size_t behind_name, struct value *out)
{
	struct slice text = scan->text;
	size_t at = behind_name;

	if (named_is_quote(text, at, "\"'"))
		at++;
	at = named_skip_spaces(text, at);
	if (at >= text.len || (text.ptr[at] != '=' && text.ptr[at] != ':'))
		return false;
	if (secrets_begins(text, at, "=>") || secrets_begins(text, at, ":="))
		at++;
	return value_at(scan, named_skip_spaces(text, at + 1), out);
}

static struct slice named_text_of(const struct scan *scan, const struct value *value)
{
	return secrets_part(scan->text, value->at, value->len);
}

/* ---- URLs */

/* scheme://user:password@host */
static bool named_url_at(struct scan *scan, size_t at, size_t behind)
{
	struct slice text = scan->text;
	size_t end = behind;

	/* What may stand between the "://" and the "@". */
	while (end < text.len && end - behind < 256 && !secrets_is_space(text.ptr[end]) &&
	       !strchr("/@\"'`<>\\?#,;)", text.ptr[end]))
		end++;
	const char *colon = memchr(text.ptr + behind, ':', end - behind);
	if (at == 0 || !secrets_is_alnum(text.ptr[at - 1]) || !colon || end + 1 >= text.len ||
	    text.ptr[end] != '@' || !secrets_is_in(URL64, text.ptr[end + 1]))
		return false;
	size_t password = (size_t)(colon - text.ptr) + 1;
	return named_is_password(secrets_part(text, password, end - password));
}

/* The same at a shop for parts of programs, whose two codes have eight digits each. */
static bool named_shop_url_at(struct scan *scan, size_t at, size_t behind)
{
	size_t host = behind + 18;

	return secrets_span(scan, behind, ANY_HEX) == 8 &&
	       secrets_begins(scan->text, behind + 8, ":") &&
	       secrets_span(scan, behind + 9, ANY_HEX) == 8 &&
	       (secrets_begins_anycase(scan->text, host - 1, "@gems.contribsys.com") ||
		secrets_begins_anycase(scan->text, host - 1, "@enterprise.contribsys.com")) &&
	       secrets_is_random(scan, behind, 17, URL64) && at > 0;
}

/* ---- commands and files of settings */

#define LINE_MAX_BYTES 400

/* curl -u user:password */
static bool named_curl_user_at(struct scan *scan, size_t at, size_t behind)
{
	struct slice text = scan->text;
	size_t from = named_skip_spaces(text, behind);
	struct value value;
	size_t near = at > LINE_MAX_BYTES ? at - LINE_MAX_BYTES : 0;

	if (from == behind && secrets_begins(text, from, "="))
		from++;
	if (from == behind || !value_at(scan, from, &value))
		return false;
	const char *colon = memchr(text.ptr + value.at, ':', value.len);
	if (!colon)
		return false;
	size_t password = (size_t)(colon - text.ptr) + 1;
	return named_is_password(secrets_part(text, password, value.at + value.len - password)) &&
	       memmem(text.ptr + near, at - near, "curl ", 5) != NULL;
}

/* <add key="ClearTextPassword" value="..." /> */
static bool named_nuget_at(struct scan *scan, size_t at, size_t behind)
{
	struct slice text = scan->text;
	struct value name;
	struct value value;

	(void)at;
	if (!value_at(scan, behind, &name) || !name.quoted || name.len > 20 ||
	    !secrets_begins_anycase(text, name.at + name.len - (name.len < 8 ? name.len : 8),
				    "password"))
		return false;
	size_t next = named_skip_spaces(text, name.at + name.len + 1);
	return secrets_begins_anycase(text, next, "value") &&
	       named_assigned(scan, next + strlen("value"), &value) && value.quoted &&
	       named_is_password(named_text_of(scan, &value));
}

/* A line `name: base64` within a few lines. */
static bool named_has_data(struct scan *scan, size_t from)
{
	struct slice text = scan->text;
	size_t limit = text.len - from < 200 ? text.len : from + 200;

	for (size_t at = from; at < limit; at++) {
		struct value value;

		if (text.ptr[at] != ':' || !named_assigned(scan, at, &value) || value.len < 10 ||
		    value.len > LINE_MAX_BYTES)
			continue;
		if (secrets_span(scan, value.at, ALL64) >= value.len &&
		    secrets_is_mixed(named_text_of(scan, &value)) &&
		    !secrets_is_placeholder(named_text_of(scan, &value)))
			return true;
	}
	return false;
}

/* kind: Secret ... data: ... */
static bool named_kubernetes_at(struct scan *scan, size_t at, size_t behind)
{
	struct slice text = scan->text;
	size_t kind = named_skip_spaces(text, behind);

	(void)at;
	if (kind < text.len && (text.ptr[kind] == '"' || text.ptr[kind] == '\''))
		kind++;
	if (!secrets_begins_anycase(text, kind, "secret"))
		return false;
	kind += strlen("secret");
	if (kind >= text.len || secrets_is_in(ALNUM_LINE, text.ptr[kind]))
		return false;
	size_t data = secrets_seek(text, kind, "data:", 220);
	return secrets_begins(text, data, "data:") && named_has_data(scan, data + strlen("data:"));
}

/* ---- headers */

#define HEADER_MAX 8192

struct header {
	size_t at;
	size_t len;
	bool basic; /* a name and a password in base64 */
};

/* "Bearer ...", "token ...", "Basic ...", or what has no scheme before it. */
static bool named_read_header(struct scan *scan, size_t at, struct header *out)
{
	struct header header = {at, 0, false};
	static const char *const schemes[] = {"bearer ",   "token ",     "basic ",
					      "apitoken ", "api-token ", "apikey "};

	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		if (!secrets_begins_anycase(scan->text, at, schemes[i]))
			continue;
		header.at = named_skip_spaces(scan->text, at + strlen(schemes[i]));
		header.basic = strcmp(schemes[i], "basic ") == 0;
		break;
	}
	header.len = secrets_span(scan, header.at, HEADER);
	*out = header;
	return header.len >= 8 && header.len <= HEADER_MAX;
}

/* Long, and with as many digits as chance or hex has, and names have not. */
static bool named_is_bearer(struct scan *scan, size_t at)
{
	struct header header;

	if (!named_read_header(scan, at, &header) || header.basic || header.len < 20)
		return false;
	struct slice token = secrets_part(scan->text, header.at, header.len);
	return (secrets_is_scrambled(token) || secrets_count(token, DIGITS) * 6 >= token.len) &&
	       secrets_is_random(scan, header.at, header.len, HEADER);
}

static bool named_is_authorization(struct scan *scan, size_t at)
{
	struct header header;

	if (!named_read_header(scan, at, &header) || header.len > 300)
		return false;
	struct slice token = secrets_part(scan->text, header.at, header.len);
	return (secrets_is_mixed(token) || secrets_count(token, DIGITS) * 6 >= token.len) &&
	       named_is_plain_password(token) && !secrets_is_placeholder(token);
}

/* The place where the header's own text begins; 0 for none. */
static size_t named_header_value(struct slice text, size_t at)
{
	if (at < text.len && (text.ptr[at] == '"' || text.ptr[at] == '\''))
		at++;
	at = named_skip_spaces(text, at);
	if (at >= text.len || (text.ptr[at] != ':' && text.ptr[at] != '='))
		return 0;
	at = named_skip_spaces(text, at + 1);
	if (at < text.len && (text.ptr[at] == '"' || text.ptr[at] == '\''))
		at++;
	return at;
}

/* Authorization: Bearer ..., where the token is surely one. */
static bool named_bearer_at(struct scan *scan, size_t at, size_t behind)
{
	size_t value = named_header_value(scan->text, behind);

	(void)at;
	return value && named_is_bearer(scan, value);
}

/* And where it may be one. */
static bool named_authorization_at(struct scan *scan, size_t at, size_t behind)
{
	size_t value = named_header_value(scan->text, behind);

	(void)at;
	return value && named_is_authorization(scan, value);
}

/* ---- keys with a name */

static bool named_is_aws_secret(struct scan *scan, const struct value *value)
{
	return value->len >= 40 && secrets_span(scan, value->at, BASE64) == 40 &&
	       secrets_is_mixed(secrets_part(scan->text, value->at, 40)) &&
	       secrets_is_random(scan, value->at, 40, BASE64);
}

static bool named_aws_secret_at(struct scan *scan, size_t at, size_t behind)
{
	struct value value;

	(void)at;
	return named_assigned(scan, behind, &value) && named_is_aws_secret(scan, &value);
}

/* 'secret_key' => 'sk_...', perhaps on several lines. */
static bool named_freemius_at(struct scan *scan, size_t at, size_t behind)
{
	size_t arrow = named_skip_blanks(scan->text, behind + 1);
	struct value value;

	(void)at;
	return secrets_begins(scan->text, arrow, "=>") &&
	       value_at(scan, named_skip_blanks(scan->text, arrow + 2), &value) && value.quoted &&
	       value.len == 32 && secrets_begins(scan->text, value.at, "sk_") &&
	       secrets_is_random(scan, value.at + 3, 29, VALUE);
}

static bool named_is_api_key(const struct scan *scan, const struct value *value)
{
	struct slice text = secrets_part(scan->text, value->at, value->len);

	return text.len >= 12 && named_is_password(text) && named_is_plain_password(text);
}

static bool named_api_key_at(struct scan *scan, size_t at, size_t behind)
{
	struct value value;

	(void)at;
	return named_assigned(scan, behind, &value) && named_is_api_key(scan, &value);
}

/* ---- passwords in sentences and in .netrc */

#define WORD_MAX 100

/* The word before *at, which moves to its beginning; empty where none is. */
static struct slice named_word_before(struct slice text, size_t *at)
{
	size_t end = *at;

	while (end > 0 && *at - end < WORD_MAX && secrets_is_space(text.ptr[end - 1]))
		end--;
	size_t from = end;
	while (from > 0 && end - from < WORD_MAX && !secrets_is_space(text.ptr[from - 1]))
		from--;
	*at = from;
	return secrets_part(text, from, end - from);
}

/* "machine HOST login NAME", perhaps with "port NUMBER" or "account NAME" behind it. */
static bool named_is_behind_login(struct slice text, size_t at)
{
	named_word_before(text, &at);
	struct slice tag = named_word_before(text, &at);
	if (slice_is(tag, "port") || slice_is(tag, "account")) {
		named_word_before(text, &at);
		tag = named_word_before(text, &at);
	}
	if (!slice_is(tag, "login"))
		return false;
	struct slice host = named_word_before(text, &at);
	return slice_is(host, "default") || slice_is(named_word_before(text, &at), "machine");
}

/* What is said of a password and is none: "is base64-encoded", "is required". */
static bool named_is_said_of_passwords(struct slice text)
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

static bool named_is_of_wifi(const struct scan *scan, size_t at)
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
static bool named_ends_sentence(struct slice text, size_t end)
{
	while (end < text.len && strchr(".!\"')`", text.ptr[end]) && text.ptr[end])
		end++;
	return end == text.len || text.ptr[end] == '\n' ||
	       (text.ptr[end - 1] == '.' && text.ptr[end] == ' ');
}

/* "the wifi password is ...": a WPA password has eight characters at least, no digit perhaps. */
static bool named_is_told(struct scan *scan, size_t at, size_t behind)
{
	struct slice text = scan->text;
	size_t from = named_skip_spaces(text, behind);
	struct value value;

	if (from == behind || !secrets_begins(text, from, "is"))
		return false;
	from += secrets_begins(text, from, "ist ") ? 4 : secrets_begins(text, from, "is ") ? 3 : 0;
	if (text.ptr[from - 1] != ' ')
		return false;
	from = named_skip_spaces(text, from);
	if (named_is_quote(text, from, "`*"))
		from++;
	if (!value_at(scan, from, &value))
		return false;
	while (value.len > 1 && strchr(".:!?)`*", text.ptr[value.at + value.len - 1]))
		value.len--;
	struct slice word = named_text_of(scan, &value);
	if (!named_is_password(word) || named_is_said_of_passwords(word))
		return false;
	return value.quoted || named_is_plain_password(word) ||
	       (word.len >= 8 && named_is_of_wifi(scan, at) &&
		named_ends_sentence(text, value.at + value.len));
}

/* password = ..., "login bob password ...", "the password is ..." */
static bool named_password_at(struct scan *scan, size_t at, size_t behind)
{
	size_t next = named_skip_blanks(scan->text, behind);
	struct value value;

	if (named_assigned(scan, behind, &value) &&
	    named_is_password(named_text_of(scan, &value)) &&
	    (value.quoted || named_is_plain_password(named_text_of(scan, &value))))
		return true;
	if (named_is_told(scan, at, behind))
		return true;
	/* A line of .netrc, which may be broken anywhere. */
	return next > behind && value_at(scan, next, &value) && !value.quoted &&
	       named_is_password(named_text_of(scan, &value)) &&
	       named_is_behind_login(scan->text, at);
}

/* ---- the rules: what the name of such a place is, and who looks at what follows it */

const struct rule secrets_named_rules[] = {
	{"key of a shop in a URL", "://", INSIDE, named_shop_url_at, {{0}}},
	{"bearer token", "authorization", ANYCASE | INSIDE, named_bearer_at, {{0}}},
	{"AWS secret key", "secret_access_key", ANYCASE | INSIDE, named_aws_secret_at, {{0}}},
	{"AWS secret key", "secretaccesskey", ANYCASE | INSIDE, named_aws_secret_at, {{0}}},
	{"Freemius key", "secret_key", ANYCASE | INSIDE, named_freemius_at, {{0}}},
	{"login in a header",
	 "authorization",
	 ANYCASE | INSIDE | WARNS,
	 named_authorization_at,
	 {{0}}},
	{"password in a URL", "://", INSIDE | WARNS, named_url_at, {{0}}},
	{"password of a command", "-u", WARNS, named_curl_user_at, {{0}}},
	{"password of a command", "--user", WARNS, named_curl_user_at, {{0}}},
	{"NuGet password", "<add key=", ANYCASE | INSIDE | WARNS, named_nuget_at, {{0}}},
	{"Kubernetes secret", "kind:", ANYCASE | WARNS, named_kubernetes_at, {{0}}},
	{"API key", "api_key", ANYCASE | INSIDE | WARNS, named_api_key_at, {{0}}},
	{"API key", "api-key", ANYCASE | INSIDE | WARNS, named_api_key_at, {{0}}},
	{"API key", "apikey", ANYCASE | INSIDE | WARNS, named_api_key_at, {{0}}},
	{"API key", "secret_key", ANYCASE | INSIDE | WARNS, named_api_key_at, {{0}}},
	{"API key", "secretkey", ANYCASE | INSIDE | WARNS, named_api_key_at, {{0}}},
	{"API key", "access_token", ANYCASE | INSIDE | WARNS, named_api_key_at, {{0}}},
	{"API key", "auth_token", ANYCASE | INSIDE | WARNS, named_api_key_at, {{0}}},
	{"API key", "authtoken", ANYCASE | INSIDE | WARNS, named_api_key_at, {{0}}},
	{"API key", "client_secret", ANYCASE | INSIDE | WARNS, named_api_key_at, {{0}}},
	{"password", "password", ANYCASE | INSIDE | WARNS, named_password_at, {{0}}},
	{"password", "passwort", ANYCASE | INSIDE | WARNS, named_password_at, {{0}}},
	{"password", "passwd", ANYCASE | INSIDE | WARNS, named_password_at, {{0}}},
	{"password", "passphrase", ANYCASE | INSIDE | WARNS, named_password_at, {{0}}},
	{"password", "pwd", ANYCASE | INSIDE | WARNS, named_password_at, {{0}}},
};

const size_t secrets_named_rules_count = sizeof secrets_named_rules / sizeof *secrets_named_rules;

/* ---- names, and with them everything that ends so: db_password, SSH passphrase */

static const char *const password_names[] = {"password", "passwd", "passphrase", "pwd", "passwort"};

static const char *const api_key_names[] = {"api_key",      "api-key",    "apikey",
					    "api key",      "secret_key", "secretkey",
					    "access_token", "auth_token", "client_secret"};

static const char *const aws_secret_names[] = {"secret_access_key", "secretaccesskey"};

static bool named_ends_in_one_of(struct slice name, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(words[i]);

		if (name.len >= len && secrets_begins_anycase(name, name.len - len, words[i]))
			return true;
	}
	return false;
}

#define ENDS_IN(name, words) named_ends_in_one_of(name, words, sizeof(words) / sizeof *(words))

/* What a value by itself would not say: the name does ("Wi-Fi password"). */
bool secrets_find_named(struct slice name, struct slice text, struct secret *out)
{
	struct scan scan = {.text = text};
	struct value value = {0, text.len, true};
	struct secret found = {NULL, false};

	if (ENDS_IN(name, password_names)) {
		if (named_is_password(text))
			found.rule = "password";
	} else if (ENDS_IN(name, aws_secret_names)) {
		if (named_is_aws_secret(&scan, &value))
			found = (struct secret){"AWS secret key", true};
	} else if (ENDS_IN(name, api_key_names)) {
		if (named_is_api_key(&scan, &value))
			found.rule = "API key";
	} else if (slice_is_word(name, "authorization")) {
		if (named_is_bearer(&scan, 0))
			found = (struct secret){"bearer token", true};
		else if (named_is_authorization(&scan, 0))
			found.rule = "login in a header";
	}
	if (found.rule)
		*out = found;
	return found.rule != NULL;
}
