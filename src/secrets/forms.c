#include "secrets/secret_scan_internal.h"

#include <stdint.h>
#include <string.h>

static char at_or_nul(const struct scan *scan, size_t at)
{
	return at < scan->text.len ? scan->text.ptr[at] : '\0';
}

/* Is what ends at `end` over, or does the word go on? */
static bool ends_word(const struct scan *scan, size_t end)
{
	return !secrets_is_in(ALNUM_LINE, at_or_nul(scan, end));
}

/* ---- private keys */

#define KEY_NAME_MAX 112
#define KEY_LOOK_MAX 600

/* A run of base64 that no sentence has. Escaped newlines may part the lines. */
static bool has_key_lines(struct slice body)
{
	size_t run = 0;

	for (size_t i = 0; i < body.len; i++) {
		run = secrets_is_in(BASE64, body.ptr[i]) ? run + 1 : 0;
		if (run >= 32 && !secrets_is_repeated(secrets_part(body, i + 1 - run, run)))
			return true;
	}
	return false;
}

/* Letters of both cases and digits, and nearly no blanks: a key in another encoding. */
static bool is_dense(struct slice body)
{
	size_t blanks = 0;

	for (size_t i = 0; i < body.len; i++)
		blanks += secrets_is_space(body.ptr[i]);
	return body.len >= 64 && blanks * 10 <= body.len && secrets_is_mixed(body) &&
	       !secrets_is_placeholder(body);
}

static bool names_private_key(struct slice name)
{
	for (size_t at = 0; at < name.len; at++) {
		if (secrets_begins_anycase(name, at, "PRIVATE KEY"))
			return true;
	}
	return false;
}

/* "-----BEGIN OPENSSH PRIVATE KEY-----" with something in it. */
bool secrets_private_key_at(struct scan *scan, size_t at, size_t behind)
{
	static const char dashes[] = "-----";
	size_t end = secrets_seek(scan->text, behind, dashes, KEY_NAME_MAX);
	struct slice body;

	(void)at;
	if (!secrets_begins(scan->text, end, dashes) ||
	    !names_private_key(secrets_part(scan->text, behind, end - behind)))
		return false;
	end += strlen(dashes);
	body = secrets_part(scan->text, end,
			    secrets_seek(scan->text, end, dashes, KEY_LOOK_MAX) - end);
	return has_key_lines(body) || is_dense(body);
}

/* ---- Slack */

static size_t count_of(struct slice text, enum char_class class)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += secrets_is_in(class, text.ptr[i]);
	return count;
}

/* 123456789012-...: parts of digits among the others. */
static bool is_slack_body(struct scan *scan, size_t at)
{
	size_t len = secrets_span(scan, at, ALNUM_DASH);
	struct slice body = secrets_part(scan->text, at, len);

	if (len < 8 || len > 300 || !secrets_is_random(scan, at, len, ALNUM_DASH))
		return false;
	if (len < 20 || count_of(body, ALNUM) == len)
		return secrets_is_scrambled(body);
	return count_of(body, DIGITS) >= 4;
}

/* xoxb-..., and xoxe.xoxb-1-... */
bool secrets_slack_token_at(struct scan *scan, size_t at, size_t behind)
{
	char kind = at_or_nul(scan, behind);

	(void)at;
	if (!kind || !strchr("abceoprsABCEOPRS", kind))
		return false;
	return at_or_nul(scan, at + 4) == '-' && is_slack_body(scan, at + 5);
}

bool secrets_slack_app_token_at(struct scan *scan, size_t at, size_t behind)
{
	(void)at;
	return is_slack_body(scan, behind);
}

/* https://hooks.slack.com/services/T.../B.../... */
bool secrets_slack_hook_at(struct scan *scan, size_t at, size_t behind)
{
	static const char *const kinds[] = {"services/", "workflows/", "triggers/"};
	(void)at;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t code = behind + strlen(kinds[i]);
		size_t len;

		if (!secrets_begins(scan->text, behind, kinds[i]))
			continue;
		len = secrets_span(scan, code, BASE64);
		return len >= 40 && len <= 80 &&
		       secrets_is_mixed(secrets_part(scan->text, code, len)) &&
		       secrets_is_random(scan, code, len, BASE64);
	}
	return false;
}

/* ---- marks within or behind a token */

/* Does a word of len bytes of chance end at the mark? */
static bool is_token_before(struct scan *scan, size_t at, enum char_class class, size_t len)
{
	size_t from = at - len;

	return at >= len && secrets_span_back(scan, at, class, len) == len &&
	       secrets_at_word(scan->text, from) && secrets_is_random(scan, from, len, class);
}

/* The mark that stands in the middle of OpenAI's keys: alone, where they have no other prefix. */
bool secrets_openai_mark_at(struct scan *scan, size_t at, size_t behind)
{
	(void)behind;
	return at >= 23 && secrets_begins(scan->text, at - 23, "sk-") &&
	       secrets_at_word(scan->text, at - 23) && secrets_span(scan, at - 20, ALNUM) == 48 &&
	       !secrets_has_mark(scan, at - 20, 48);
}

/* 14 characters, the mark, and some 65. */
bool secrets_terraform_mark_at(struct scan *scan, size_t at, size_t behind)
{
	size_t len = secrets_span(scan, behind, ALL64);

	return len >= 60 && len <= 70 && is_token_before(scan, at, ALNUM, 14) &&
	       secrets_is_random(scan, behind, len, ALL64);
}

/* Three characters, a digit, the mark, and some 33. */
bool secrets_azure_mark_at(struct scan *scan, size_t at, size_t behind)
{
	size_t len = secrets_span(scan, behind, TILDE64);

	/* The end of a sentence is no part of it. */
	if (len > 0 && scan->text.ptr[behind + len - 1] == '.')
		len--;
	return at >= 4 && secrets_is_digit(scan->text.ptr[at - 1]) &&
	       secrets_span_back(scan, at, TILDE64, 4) == 4 &&
	       secrets_at_word(scan->text, at - 4) && len >= 31 && len <= 34 &&
	       secrets_is_mixed(secrets_part(scan->text, behind, len)) &&
	       secrets_is_random(scan, behind, len, TILDE64);
}

/* abcdef_..._mmk */
bool secrets_maxmind_mark_at(struct scan *scan, size_t at, size_t behind)
{
	size_t from = at - 36;

	return at >= 36 && ends_word(scan, behind) &&
	       secrets_span_back(scan, at, ALNUM, 30) == 29 && scan->text.ptr[at - 30] == '_' &&
	       secrets_span_back(scan, at - 30, ALNUM, 6) == 6 &&
	       secrets_at_word(scan->text, from) &&
	       secrets_is_mixed(secrets_part(scan->text, from, 36)) &&
	       secrets_is_random(scan, from, 36, ALNUM_LINE);
}

/* The number of an application, | or its %7C, and a code. */
bool secrets_facebook_mark_at(struct scan *scan, size_t at, size_t behind)
{
	size_t digits = secrets_span_back(scan, at, DIGITS, 17);
	size_t len;

	if ((digits != 15 && digits != 16) || !secrets_at_word(scan->text, at - digits))
		return false;
	if (secrets_begins_anycase(scan->text, at, "%7c"))
		behind += 2;
	len = secrets_span(scan, behind, URL64);
	return len >= 27 && len <= 40 &&
	       secrets_is_scrambled(secrets_part(scan->text, behind, len)) &&
	       secrets_is_random(scan, behind, len, URL64);
}

/* The number of a bot, a colon, and a code that begins with A. */
bool secrets_telegram_mark_at(struct scan *scan, size_t at, size_t behind)
{
	size_t digits = secrets_span_back(scan, at, DIGITS, 17);
	size_t len;

	(void)behind;
	if (digits < 5 || digits > 16 || !secrets_at_word(scan->text, at - digits))
		return false;
	len = secrets_span(scan, at + 1, URL64);
	return len == 35 && secrets_is_scrambled(secrets_part(scan->text, at + 1, len)) &&
	       secrets_is_random(scan, at + 1, len, URL64);
}

/* A code of hex digits, and the computing centre: ...-us12. */
bool secrets_mailchimp_mark_at(struct scan *scan, size_t at, size_t behind)
{
	size_t digits = secrets_span(scan, behind, DIGITS);

	return digits >= 1 && digits <= 2 && ends_word(scan, behind + digits) &&
	       is_token_before(scan, at, HEX, 32);
}

/* ---- JSON web tokens */

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

/* A header of {..."alg"..., a claim of {... that is not the one of every tutorial. */
static bool is_json_pair(struct slice head, struct slice claim)
{
	char decoded[64];

	decode64(head, decoded);
	if (decoded[0] != '{' || !strstr(decoded, "\"alg\""))
		return false;
	decode64(claim, decoded);
	return decoded[0] == '{' && !strstr(decoded, "\"1234567890\"");
}

/* Parts may lie in each other, as tokens do: what is looked at of each is bounded. */
static struct slice beginning(struct slice part)
{
	return slice_make(part.ptr, part.len < 64 ? part.len : 64);
}

/* Two parts that begin as JSON in base64 does, and are chance behind that. */
static bool is_pair_of_chance(struct slice head, struct slice claim)
{
	char decoded[64];

	if (memcmp(claim.ptr, "ey", 2) != 0 || !secrets_is_scrambled(beginning(head)) ||
	    !secrets_is_scrambled(beginning(claim)))
		return false;
	decode64(claim, decoded);
	return !strstr(decoded, "\"1234567890\"");
}

#define JWT_PART_MAX 16384

/* Header, claim and signature. */
bool secrets_jwt_at(struct scan *scan, size_t at, size_t behind)
{
	size_t head_len = secrets_span(scan, at, URL64);
	size_t claim_at = at + head_len + 1;
	struct slice head;
	struct slice claim;
	size_t mark;

	(void)behind;
	if (head_len < 16 || head_len > JWT_PART_MAX ||
	    !secrets_begins(scan->text, claim_at - 1, "."))
		return false;
	head = secrets_part(scan->text, at, head_len);
	claim = secrets_part(scan->text, claim_at, secrets_span(scan, claim_at, URL64));
	mark = claim_at + claim.len;
	if (claim.len < 8 || claim.len > JWT_PART_MAX || !secrets_begins(scan->text, mark, ".") ||
	    secrets_span(scan, mark + 1, URL64) < 10)
		return false;
	/* What is not one of JSON has to be longer. */
	return is_json_pair(head, claim) ||
	       (head.len >= 19 && claim.len >= 19 && is_pair_of_chance(head, claim));
}
