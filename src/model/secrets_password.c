#include "model/secrets_internal.h"

#include <string.h>
#include <strings.h>

bool secrets_is_password(struct slice text)
{
	static const char *const words[] = {
		"password", "passwd", "passphrase", "pwd",    "pass",   "secret", "user",
		"token",    "null",   "none",       "nil",    "true",   "false",  "undefined",
		"string",   "str",    "text",       "hidden", "prompt", "empty",  "unset",
	};
	bool seen = false;

	if (text.len < 4 || text.len > 128 || secrets_is_repeated(text) ||
	    secrets_is_placeholder(text))
		return false;
	if (strchr("$<{[(%*&#!.", text.ptr[0]) || memmem(text.ptr, text.len, "${", 2))
		return false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (text.len == strlen(words[i]) && secrets_has_word(text, words[i]))
			return false;
	}
	for (size_t i = 0; i < text.len; i++) {
		if (secrets_is_space(text.ptr[i]) || (unsigned char)text.ptr[i] < 0x20)
			return false;
		seen |= secrets_is_alnum(text.ptr[i]);
	}
	return seen;
}

/* The names, and with them everything that ends so: db_password, SSH passphrase. */
static const char *const password_names[] = {"password", "passwd", "passphrase", "pwd"};

#define PASSWORD_NAMES (sizeof password_names / sizeof *password_names)

bool secrets_is_password_name(struct slice name)
{
	for (size_t i = 0; i < PASSWORD_NAMES; i++) {
		size_t len = strlen(password_names[i]);

		if (name.len >= len &&
		    strncasecmp(name.ptr + name.len - len, password_names[i], len) == 0)
			return true;
	}
	return false;
}

/* The end of what may stand between the "://" and the "@". */
static size_t userinfo_end(struct slice text, size_t from)
{
	size_t i = from;

	while (i < text.len && i - from < 256 && !secrets_is_space(text.ptr[i]) &&
	       !strchr("/@\"'`<>\\?#,;)", text.ptr[i]))
		i++;
	return i;
}

bool secrets_has_url_password(struct slice text)
{
	for (size_t at = secrets_seek(text, 0, "://"); at < text.len;
	     at = secrets_seek(text, at + 3, "://")) {
		size_t from = at + 3;
		size_t end = userinfo_end(text, from);
		const char *colon = memchr(text.ptr + from, ':', end - from);
		size_t password;

		if (at == 0 || !secrets_is_alnum(text.ptr[at - 1]) || !colon ||
		    end + 1 >= text.len || text.ptr[end] != '@' ||
		    !secrets_is_in(URL64, text.ptr[end + 1]))
			continue;
		password = (size_t)(colon - text.ptr) + 1;
		if (secrets_is_password(secrets_part(text, password, end - password)))
			return true;
	}
	return false;
}

/* Letters with digits: what stands behind an = without quotes may be any word of a program. */
static bool is_plain_password(struct slice text)
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

static size_t skip_spaces(struct slice text, size_t at)
{
	while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t'))
		at++;
	return at;
}

/* The value of an assignment whose name ends at `at`: `: "hunter2"`, `=hunter2`. */
static bool is_assigned(struct slice text, size_t at)
{
	size_t from;
	size_t end;
	char quote = 0;

	if (at < text.len && strchr("\"'", text.ptr[at]))
		at++;
	at = skip_spaces(text, at);
	if (at >= text.len || (text.ptr[at] != '=' && text.ptr[at] != ':'))
		return false;
	from = skip_spaces(text, at + 1);
	if (from < text.len && strchr("\"'", text.ptr[from]))
		quote = text.ptr[from++];
	for (end = from; end < text.len; end++) {
		char c = text.ptr[end];

		if (quote ? c == quote || c == '\n' : secrets_is_space(c) || strchr(",;\"'&", c))
			break;
	}
	if (quote && (end == text.len || text.ptr[end] != quote))
		return false;
	return secrets_is_password(secrets_part(text, from, end - from)) &&
	       (quote || is_plain_password(secrets_part(text, from, end - from)));
}

bool secrets_has_assignment(struct slice text)
{
	for (size_t at = 0; at + 3 < text.len; at++) {
		if (text.ptr[at] != 'p' && text.ptr[at] != 'P')
			continue;
		for (size_t i = 0; i < PASSWORD_NAMES; i++) {
			size_t len = strlen(password_names[i]);

			if (text.len - at > len &&
			    strncasecmp(text.ptr + at, password_names[i], len) == 0 &&
			    is_assigned(text, at + len))
				return true;
		}
	}
	return false;
}
