#include "secrets/secret_scan_internal.h"

#include <string.h>

/* ---- URLs */

/* The end of what may stand between the "://" and the "@". */
static size_t userinfo_end(struct slice text, size_t from)
{
	size_t i = from;

	while (i < text.len && i - from < 256 && !secrets_is_space(text.ptr[i]) &&
	       !strchr("/@\"'`<>\\?#,;)", text.ptr[i]))
		i++;
	return i;
}

bool secrets_url_at(struct scan *scan, size_t at, size_t behind)
{
	struct slice text = scan->text;
	size_t end = userinfo_end(text, behind);
	const char *colon = memchr(text.ptr + behind, ':', end - behind);
	size_t password;

	if (at == 0 || !secrets_is_alnum(text.ptr[at - 1]) || !colon || end + 1 >= text.len ||
	    text.ptr[end] != '@' || !secrets_is_in(URL64, text.ptr[end + 1]))
		return false;
	password = (size_t)(colon - text.ptr) + 1;
	return secrets_is_password(secrets_part(text, password, end - password));
}

/* Two codes of eight digits, at a shop for parts of programs. */
bool secrets_shop_url_at(struct scan *scan, size_t at, size_t behind)
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

/* Is there a curl before `at`, on this line or a little before it? */
static bool is_of_curl(struct slice text, size_t at)
{
	size_t from = at > LINE_MAX_BYTES ? at - LINE_MAX_BYTES : 0;

	return memmem(text.ptr + from, at - from, "curl ", 5) != NULL;
}

bool secrets_curl_user_at(struct scan *scan, size_t at, size_t behind)
{
	struct slice text = scan->text;
	size_t from = secrets_skip_spaces(text, behind);
	struct value value;
	const char *colon;
	size_t password;

	if (from == behind && secrets_begins(text, from, "="))
		from++;
	if (from == behind || !secrets_value_at(scan, from, &value))
		return false;
	colon = memchr(text.ptr + value.at, ':', value.len);
	if (!colon)
		return false;
	password = (size_t)(colon - text.ptr) + 1;
	return secrets_is_password(secrets_part(text, password, value.at + value.len - password)) &&
	       is_of_curl(text, at);
}

/* <add key="ClearTextPassword" value="..." /> */
bool secrets_nuget_at(struct scan *scan, size_t at, size_t behind)
{
	struct slice text = scan->text;
	struct value name;
	struct value value;
	size_t next;

	(void)at;
	if (!secrets_value_at(scan, behind, &name) || !name.quoted || name.len > 20 ||
	    !secrets_begins_anycase(text, name.at + name.len - (name.len < 8 ? name.len : 8),
				    "password"))
		return false;
	next = secrets_skip_spaces(text, name.at + name.len + 1);
	return secrets_begins_anycase(text, next, "value") &&
	       secrets_assigned(scan, next + strlen("value"), &value) && value.quoted &&
	       secrets_is_password(secrets_part(text, value.at, value.len));
}

/* A line `name: base64` within a few lines. */
static bool has_data(struct scan *scan, size_t from)
{
	struct slice text = scan->text;
	size_t limit = text.len - from < 200 ? text.len : from + 200;

	for (size_t at = from; at < limit; at++) {
		struct value value;

		if (text.ptr[at] != ':' || !secrets_assigned(scan, at, &value) || value.len < 10 ||
		    value.len > LINE_MAX_BYTES)
			continue;
		if (secrets_span(scan, value.at, ALL64) >= value.len &&
		    secrets_is_mixed(secrets_part(text, value.at, value.len)) &&
		    !secrets_is_placeholder(secrets_part(text, value.at, value.len)))
			return true;
	}
	return false;
}

/* kind: Secret ... data: ... */
bool secrets_kubernetes_at(struct scan *scan, size_t at, size_t behind)
{
	struct slice text = scan->text;
	size_t kind = secrets_skip_spaces(text, behind);
	size_t data;

	(void)at;
	if (kind < text.len && (text.ptr[kind] == '"' || text.ptr[kind] == '\''))
		kind++;
	if (!secrets_begins_anycase(text, kind, "secret"))
		return false;
	kind += strlen("secret");
	if (kind >= text.len || secrets_is_in(ALNUM_LINE, text.ptr[kind]))
		return false;
	data = secrets_seek(text, kind, "data:", 220);
	return secrets_begins(text, data, "data:") && has_data(scan, data + strlen("data:"));
}

/* ---- headers */

#define HEADER_MAX 8192

struct header {
	size_t at;
	size_t len;
	bool basic; /* a name and a password in base64 */
};

/* "Bearer ...", "token ...", "Basic ...", or what has no scheme before it. */
static bool read_header(struct scan *scan, size_t at, struct header *out)
{
	struct header header = {at, 0, false};
	static const char *const schemes[] = {"bearer ",   "token ",     "basic ",
					      "apitoken ", "api-token ", "apikey "};

	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		if (!secrets_begins_anycase(scan->text, at, schemes[i]))
			continue;
		header.at = secrets_skip_spaces(scan->text, at + strlen(schemes[i]));
		header.basic = strcmp(schemes[i], "basic ") == 0;
		break;
	}
	header.len = secrets_span(scan, header.at, HEADER);
	*out = header;
	return header.len >= 8 && header.len <= HEADER_MAX;
}

static size_t count_digits(struct slice text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += secrets_is_digit(text.ptr[i]);
	return count;
}

/* Long, and with as many digits as chance or hex has, and names have not. */
bool secrets_is_bearer(struct scan *scan, size_t at)
{
	struct header header;
	struct slice token;

	if (!read_header(scan, at, &header) || header.basic || header.len < 20)
		return false;
	token = secrets_part(scan->text, header.at, header.len);
	return (secrets_is_scrambled(token) || count_digits(token) * 6 >= token.len) &&
	       secrets_is_random(scan, header.at, header.len, HEADER);
}

bool secrets_is_authorization(struct scan *scan, size_t at)
{
	struct header header;
	struct slice token;

	if (!read_header(scan, at, &header) || header.len > 300)
		return false;
	token = secrets_part(scan->text, header.at, header.len);
	return (secrets_is_mixed(token) || count_digits(token) * 6 >= token.len) &&
	       secrets_is_plain_password(token) && !secrets_is_placeholder(token);
}

/* The place where the header's own text begins; 0 for none. */
static size_t header_value(struct slice text, size_t at)
{
	if (at < text.len && (text.ptr[at] == '"' || text.ptr[at] == '\''))
		at++;
	at = secrets_skip_spaces(text, at);
	if (at >= text.len || (text.ptr[at] != ':' && text.ptr[at] != '='))
		return 0;
	at = secrets_skip_spaces(text, at + 1);
	if (at < text.len && (text.ptr[at] == '"' || text.ptr[at] == '\''))
		at++;
	return at;
}

bool secrets_bearer_at(struct scan *scan, size_t at, size_t behind)
{
	size_t value = header_value(scan->text, behind);

	(void)at;
	return value && secrets_is_bearer(scan, value);
}

bool secrets_authorization_at(struct scan *scan, size_t at, size_t behind)
{
	size_t value = header_value(scan->text, behind);

	(void)at;
	return value && secrets_is_authorization(scan, value);
}

/* ---- keys with a name */

bool secrets_is_aws_secret(struct scan *scan, const struct value *value)
{
	return value->len >= 40 && secrets_span(scan, value->at, BASE64) == 40 &&
	       secrets_is_mixed(secrets_part(scan->text, value->at, 40)) &&
	       secrets_is_random(scan, value->at, 40, BASE64);
}

bool secrets_aws_secret_at(struct scan *scan, size_t at, size_t behind)
{
	struct value value;

	(void)at;
	return secrets_assigned(scan, behind, &value) && secrets_is_aws_secret(scan, &value);
}

static size_t skip_blanks(struct slice text, size_t at)
{
	while (at < text.len && secrets_is_space(text.ptr[at]))
		at++;
	return at;
}

/* 'secret_key' => 'sk_...', perhaps on several lines. */
bool secrets_freemius_at(struct scan *scan, size_t at, size_t behind)
{
	size_t arrow = skip_blanks(scan->text, behind + 1);
	struct value value;

	(void)at;
	return secrets_begins(scan->text, arrow, "=>") &&
	       secrets_value_at(scan, skip_blanks(scan->text, arrow + 2), &value) && value.quoted &&
	       value.len == 32 && secrets_begins(scan->text, value.at, "sk_") &&
	       secrets_is_random(scan, value.at + 3, 29, VALUE);
}

bool secrets_is_api_key(const struct scan *scan, const struct value *value)
{
	struct slice text = secrets_part(scan->text, value->at, value->len);

	return text.len >= 12 && secrets_is_password(text) && secrets_is_plain_password(text);
}

bool secrets_api_key_at(struct scan *scan, size_t at, size_t behind)
{
	struct value value;

	(void)at;
	return secrets_assigned(scan, behind, &value) && secrets_is_api_key(scan, &value);
}
