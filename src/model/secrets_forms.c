#include "model/secrets_internal.h"

#include <stdint.h>
#include <string.h>

/* A run of base64 that no sentence has, before the block ends. Escaped newlines may part lines. */
static bool has_key_body(struct slice text, size_t from)
{
	size_t end = secrets_seek(text, from, "-----END");
	size_t limit = end < from + 600 ? end : from + 600;
	size_t run = 0;

	for (size_t i = from; i < limit; i++) {
		run = secrets_is_in(BASE64, text.ptr[i]) ? run + 1 : 0;
		if (run >= 32 && !secrets_is_repeated(secrets_part(text, i + 1 - run, run)))
			return true;
	}
	return false;
}

/* "-----BEGIN OPENSSH PRIVATE KEY-----" with something in it. */
static bool has_private_key(struct slice text)
{
	static const char begin[] = "-----BEGIN ";

	for (size_t at = secrets_seek(text, 0, begin); at < text.len;
	     at = secrets_seek(text, at + 1, begin)) {
		size_t from = at + strlen(begin);
		size_t end = secrets_seek(text, from, "-----");
		struct slice name = secrets_part(text, from, end - from);

		if (name.len > 40 || end == text.len)
			continue;
		if (memmem(name.ptr, name.len, "PRIVATE KEY", 11) && has_key_body(text, end + 5))
			return true;
	}
	return false;
}

/* xoxb-123456789012-..., xapp-1-A0123...-...: parts of digits among the others. */
static bool is_slack_body(struct slice body)
{
	size_t dashes = 0;
	size_t digits = 0;

	for (size_t i = 0; i < body.len; i++) {
		dashes += body.ptr[i] == '-';
		digits += secrets_is_digit(body.ptr[i]);
	}
	return body.len >= 24 && body.len <= 300 && dashes >= 1 && digits >= 4 &&
	       secrets_is_random(body, ALNUM_DASH);
}

static bool has_slack_token(struct slice text)
{
	for (size_t at = secrets_seek(text, 0, "xox"); at < text.len;
	     at = secrets_seek(text, at + 3, "xox")) {
		if (at + 5 > text.len || !strchr("abceoprs", text.ptr[at + 3]) ||
		    text.ptr[at + 4] != '-' || !secrets_at_word(text, at))
			continue;
		if (is_slack_body(
			    secrets_part(text, at + 5, secrets_span(text, at + 5, ALNUM_DASH))))
			return true;
	}
	for (size_t at = secrets_seek(text, 0, "xapp-"); at < text.len;
	     at = secrets_seek(text, at + 5, "xapp-")) {
		if (secrets_at_word(text, at) &&
		    is_slack_body(
			    secrets_part(text, at + 5, secrets_span(text, at + 5, ALNUM_DASH))))
			return true;
	}
	return false;
}

/* https://hooks.slack.com/services/T.../B.../... */
static bool has_slack_hook(struct slice text)
{
	static const char host[] = "hooks.slack.com/services/T";

	for (size_t at = secrets_seek(text, 0, host); at < text.len;
	     at = secrets_seek(text, at + 1, host)) {
		size_t team = at + strlen(host);
		size_t app = team + secrets_span(text, team, UPPER_DIGIT) + 2;
		size_t code;

		if (app - team < 10 || !secrets_begins(text, app - 2, "/B"))
			continue;
		code = app + secrets_span(text, app, UPPER_DIGIT) + 1;
		if (code - app >= 9 && secrets_begins(text, code - 1, "/") &&
		    secrets_span(text, code, ALNUM) == 24 &&
		    secrets_is_random(secrets_part(text, code, 24), ALNUM))
			return true;
	}
	return false;
}

/* PREFIX body . body, of these lengths. */
static bool has_pair(struct slice text, const char *prefix, char between, size_t first,
		     size_t second, enum char_class class)
{
	for (size_t at = secrets_seek(text, 0, prefix); at < text.len;
	     at = secrets_seek(text, at + 1, prefix)) {
		size_t from = at + strlen(prefix);
		size_t next = from + first + 1;

		if (!secrets_at_word(text, at) || secrets_span(text, from, class) != first ||
		    next > text.len || text.ptr[next - 1] != between ||
		    secrets_span(text, next, class) != second)
			continue;
		if (secrets_is_random(secrets_part(text, from, first + 1 + second), class))
			return true;
	}
	return false;
}

static bool has_sendgrid_key(struct slice text)
{
	return has_pair(text, "SG.", '.', 22, 43, URL64);
}

static bool has_postman_key(struct slice text)
{
	return has_pair(text, "PMAK-", '-', 24, 34, HEX);
}

static bool has_grafana_token(struct slice text)
{
	return has_pair(text, "glsa_", '_', 32, 8, ALNUM);
}

/* The mark that stood in the middle of OpenAI's keys before they had prefixes of their own. */
static bool has_openai_key(struct slice text)
{
	static const char mark[] = "T3BlbkFJ";

	for (size_t at = secrets_seek(text, 0, mark); at < text.len;
	     at = secrets_seek(text, at + 1, mark)) {
		if (at >= 23 && secrets_begins(text, at - 23, "sk-") &&
		    secrets_at_word(text, at - 23) && secrets_span(text, at - 20, ALNUM) == 48 &&
		    !secrets_is_placeholder(secrets_part(text, at - 20, 48)))
			return true;
	}
	return false;
}

static int value64(char c)
{
	if (secrets_is_upper(c))
		return c - 'A';
	if (secrets_is_lower(c))
		return c - 'a' + 26;
	if (secrets_is_digit(c))
		return c - '0' + 52;
	return c == '-' || c == '+' ? 62 : 63;
}

/* The first bytes of what base64 text stands for, terminated. */
static void decode64(struct slice text, char out[64])
{
	uint32_t bits = 0;
	unsigned int held = 0;
	size_t len = 0;

	for (size_t i = 0; i < text.len && len < 63; i++) {
		bits = bits << 6 | (uint32_t)value64(text.ptr[i]);
		held += 6;
		if (held < 8)
			continue;
		held -= 8;
		out[len++] = (char)(bits >> held & 0xFF);
	}
	out[len] = '\0';
}

/* A header of {..."alg"..., a claim of {... that is not the one of every tutorial, a signature. */
static bool is_jwt(struct slice text, size_t at)
{
	size_t head = secrets_span(text, at, URL64);
	size_t claim = at + head + 1;
	size_t claim_len;
	size_t mark;
	char decoded[64];

	if (head < 16 || !secrets_begins(text, claim - 1, "."))
		return false;
	claim_len = secrets_span(text, claim, URL64);
	mark = claim + claim_len + 1;
	if (claim_len < 8 || !secrets_begins(text, mark - 1, ".") ||
	    secrets_span(text, mark, URL64) < 20)
		return false;
	decode64(secrets_part(text, at, head), decoded);
	if (decoded[0] != '{' || !strstr(decoded, "\"alg\""))
		return false;
	decode64(secrets_part(text, claim, claim_len), decoded);
	return decoded[0] == '{' && !strstr(decoded, "\"1234567890\"");
}

static bool has_jwt(struct slice text)
{
	for (size_t at = secrets_seek(text, 0, "e"); at < text.len;
	     at = secrets_seek(text, at + 1, "e")) {
		if ((secrets_begins(text, at, "ey") || secrets_begins(text, at, "ew")) &&
		    secrets_at_word(text, at) && is_jwt(text, at))
			return true;
	}
	return false;
}

/* A refusing one comes before one that warns. */
const struct secret_form secrets_forms[] = {
	{{"private key", true}, has_private_key},
	{{"JSON web token", true}, has_jwt},
	{{"Slack token", true}, has_slack_token},
	{{"Slack webhook", true}, has_slack_hook},
	{{"SendGrid key", true}, has_sendgrid_key},
	{{"Postman key", true}, has_postman_key},
	{{"Grafana token", true}, has_grafana_token},
	{{"OpenAI key", true}, has_openai_key},
	{{"password in a URL", false}, secrets_has_url_password},
	{{"password", false}, secrets_has_assignment},
	{{NULL, false}, NULL},
};
