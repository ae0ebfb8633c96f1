#include "secrets/secret_scan_internal.h"

#include <stdint.h>
#include <string.h>

/* ---- forms that the parts of a rule cannot describe */

static char rules_at_or_nul(const struct scan *scan, size_t at)
{
	return at < scan->text.len ? scan->text.ptr[at] : '\0';
}

/* True if the word ends at `end` and does not go on. */
static bool rules_ends_word(const struct scan *scan, size_t end)
{
	return !secrets_is_in(ALNUM_LINE, rules_at_or_nul(scan, end));
}

/* ---- private keys */

#define KEY_NAME_MAX 112
#define KEY_LOOK_MAX 600

/* A run of base64 that no sentence has. Escaped newlines may part the lines. */
static bool rules_has_key_lines(struct slice body)
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
static bool rules_is_dense(struct slice body)
{
	size_t blanks = 0;

	for (size_t i = 0; i < body.len; i++)
		blanks += secrets_is_space(body.ptr[i]);
	return body.len >= 64 && blanks * 10 <= body.len && secrets_is_mixed(body) &&
	       !secrets_is_placeholder(body);
}

/* "-----BEGIN OPENSSH PRIVATE KEY-----" with something in it. */
static bool rules_private_key_at(struct scan *scan, size_t at, size_t behind)
{
	static const char dashes[] = "-----";
	size_t end = secrets_seek(scan->text, behind, dashes, KEY_NAME_MAX);

	(void)at;
	while (behind < end && !secrets_begins_anycase(scan->text, behind, "PRIVATE KEY"))
		behind++;
	if (behind == end || !secrets_begins(scan->text, end, dashes))
		return false;
	end += strlen(dashes);
	struct slice body = secrets_part(scan->text, end,
					 secrets_seek(scan->text, end, dashes, KEY_LOOK_MAX) - end);
	return rules_has_key_lines(body) || rules_is_dense(body);
}

/* ---- Slack */

/* 123456789012-...: parts of digits among the others. */
static bool rules_is_slack_body(struct scan *scan, size_t at)
{
	size_t len = secrets_span(scan, at, ALNUM_DASH);
	struct slice body = secrets_part(scan->text, at, len);

	if (len < 8 || len > 300 || !secrets_is_random(scan, at, len, ALNUM_DASH))
		return false;
	if (len < 20 || secrets_count(body, ALNUM) == len)
		return secrets_is_scrambled(body);
	return secrets_count(body, DIGITS) >= 4;
}

/* xoxb-..., and xoxe.xoxb-1-... */
static bool rules_slack_token_at(struct scan *scan, size_t at, size_t behind)
{
	char kind = rules_at_or_nul(scan, behind);

	(void)at;
	if (!kind || !strchr("abceoprsABCEOPRS", kind))
		return false;
	return rules_at_or_nul(scan, at + 4) == '-' && rules_is_slack_body(scan, at + 5);
}

static bool rules_slack_app_token_at(struct scan *scan, size_t at, size_t behind)
{
	(void)at;
	return rules_is_slack_body(scan, behind);
}

/* https://hooks.slack.com/services/T.../B.../... */
static bool rules_slack_hook_at(struct scan *scan, size_t at, size_t behind)
{
	static const char *const kinds[] = {"services/", "workflows/", "triggers/"};
	(void)at;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t code = behind + strlen(kinds[i]);

		if (!secrets_begins(scan->text, behind, kinds[i]))
			continue;
		size_t len = secrets_span(scan, code, BASE64);
		return len >= 40 && len <= 80 &&
		       secrets_is_mixed(secrets_part(scan->text, code, len)) &&
		       secrets_is_random(scan, code, len, BASE64);
	}
	return false;
}

/* ---- marks within or behind a token */

/* How many stand before `at`; counts up to max. */
static size_t rules_span_back(const struct scan *scan, size_t at, enum char_class class, size_t max)
{
	size_t count = 0;

	while (count < max && count < at && secrets_is_in(class, scan->text.ptr[at - count - 1]))
		count++;
	return count;
}

/* True if a random word of len bytes ends at the mark. */
static bool rules_is_token_before(struct scan *scan, size_t at, enum char_class class, size_t len)
{
	size_t from = at - len;

	return at >= len && rules_span_back(scan, at, class, len) == len &&
	       secrets_at_word(scan->text, from) && secrets_is_random(scan, from, len, class);
}

/* The mark that stands in the middle of OpenAI's keys: alone, where they have no other prefix. */
static bool rules_openai_mark_at(struct scan *scan, size_t at, size_t behind)
{
	(void)behind;
	return at >= 23 && secrets_begins(scan->text, at - 23, "sk-") &&
	       secrets_at_word(scan->text, at - 23) && secrets_span(scan, at - 20, ALNUM) == 48 &&
	       !secrets_has_mark(scan, at - 20, 48);
}

/* 14 characters, the mark, and some 65. */
static bool rules_terraform_mark_at(struct scan *scan, size_t at, size_t behind)
{
	size_t len = secrets_span(scan, behind, ALL64);

	return len >= 60 && len <= 70 && rules_is_token_before(scan, at, ALNUM, 14) &&
	       secrets_is_random(scan, behind, len, ALL64);
}

/* Three characters, a digit, the mark, and some 33. */
static bool rules_azure_mark_at(struct scan *scan, size_t at, size_t behind)
{
	size_t len = secrets_span(scan, behind, TILDE64);

	/* Punctuation at the end of a sentence is not part of it. */
	if (len > 0 && scan->text.ptr[behind + len - 1] == '.')
		len--;
	return at >= 4 && secrets_is_digit(scan->text.ptr[at - 1]) &&
	       rules_span_back(scan, at, TILDE64, 4) == 4 && secrets_at_word(scan->text, at - 4) &&
	       len >= 31 && len <= 34 && secrets_is_mixed(secrets_part(scan->text, behind, len)) &&
	       secrets_is_random(scan, behind, len, TILDE64);
}

/* abcdef_..._mmk */
static bool rules_maxmind_mark_at(struct scan *scan, size_t at, size_t behind)
{
	size_t from = at - 36;

	return at >= 36 && rules_ends_word(scan, behind) &&
	       rules_span_back(scan, at, ALNUM, 30) == 29 && scan->text.ptr[at - 30] == '_' &&
	       rules_span_back(scan, at - 30, ALNUM, 6) == 6 && secrets_at_word(scan->text, from) &&
	       secrets_is_mixed(secrets_part(scan->text, from, 36)) &&
	       secrets_is_random(scan, from, 36, ALNUM_LINE);
}

/* The number of an application, | or its %7C, and a code. */
static bool rules_facebook_mark_at(struct scan *scan, size_t at, size_t behind)
{
	size_t digits = rules_span_back(scan, at, DIGITS, 17);

	if ((digits != 15 && digits != 16) || !secrets_at_word(scan->text, at - digits))
		return false;
	if (secrets_begins_anycase(scan->text, at, "%7c"))
		behind += 2;
	size_t len = secrets_span(scan, behind, URL64);
	return len >= 27 && len <= 40 &&
	       secrets_is_scrambled(secrets_part(scan->text, behind, len)) &&
	       secrets_is_random(scan, behind, len, URL64);
}

/* The number of a bot, a colon, and a code that begins with A. */
static bool rules_telegram_mark_at(struct scan *scan, size_t at, size_t behind)
{
	size_t digits = rules_span_back(scan, at, DIGITS, 17);

	(void)behind;
	if (digits < 5 || digits > 16 || !secrets_at_word(scan->text, at - digits))
		return false;
	size_t len = secrets_span(scan, at + 1, URL64);
	return len == 35 && secrets_is_mixed(secrets_part(scan->text, at + 1, len)) &&
	       secrets_is_random(scan, at + 1, len, URL64);
}

/* A code of hex digits, and the computing centre: ...-us12. */
static bool rules_mailchimp_mark_at(struct scan *scan, size_t at, size_t behind)
{
	size_t digits = secrets_span(scan, behind, DIGITS);

	return digits >= 1 && digits <= 2 && rules_ends_word(scan, behind + digits) &&
	       rules_is_token_before(scan, at, HEX, 32);
}

/* ---- JSON web tokens */

static int rules_value64(char c)
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
static void rules_decode64(struct slice text, char out[64])
{
	uint32_t bits = 0;
	unsigned int held = 0;
	size_t len = 0;

	for (size_t i = 0; i < text.len && len < 63; i++) {
		bits = bits << 6 | (uint32_t)rules_value64(text.ptr[i]);
		held += 6;
		if (held < 8)
			continue;
		held -= 8;
		out[len++] = (char)(bits >> held & 0xFF);
	}
	out[len] = '\0';
}

/* A header of {..."alg"..., a claim of {... that is not the one of every tutorial. */
static bool rules_is_json_pair(struct slice head, struct slice claim)
{
	char decoded[64];

	rules_decode64(head, decoded);
	if (decoded[0] != '{' || !strstr(decoded, "\"alg\""))
		return false;
	rules_decode64(claim, decoded);
	return decoded[0] == '{' && !strstr(decoded, "\"1234567890\"");
}

/* Parts may lie in each other, as tokens do: what is looked at of each is bounded. */
static struct slice rules_beginning(struct slice part)
{
	return slice_make(part.ptr, part.len < 64 ? part.len : 64);
}

/* Two parts that begin as JSON in base64 does, and are chance behind that. */
static bool rules_is_pair_of_chance(struct slice head, struct slice claim)
{
	char decoded[64];

	if (memcmp(claim.ptr, "ey", 2) != 0 || !secrets_is_scrambled(rules_beginning(head)) ||
	    !secrets_is_scrambled(rules_beginning(claim)))
		return false;
	rules_decode64(claim, decoded);
	return !strstr(decoded, "\"1234567890\"");
}

#define JWT_PART_MAX 16384

/* Header, claim and signature. */
static bool rules_jwt_at(struct scan *scan, size_t at, size_t behind)
{
	size_t head_len = secrets_span(scan, at, URL64);
	size_t claim_at = at + head_len + 1;

	(void)behind;
	if (head_len < 16 || head_len > JWT_PART_MAX ||
	    !secrets_begins(scan->text, claim_at - 1, "."))
		return false;
	struct slice head = secrets_part(scan->text, at, head_len);
	struct slice claim = secrets_part(scan->text, claim_at,
					  secrets_span(scan, claim_at, URL64));
	size_t mark = claim_at + claim.len;
	if (claim.len < 8 || claim.len > JWT_PART_MAX || !secrets_begins(scan->text, mark, ".") ||
	    secrets_span(scan, mark + 1, URL64) < 10)
		return false;
	/* Parts that are not JSON have to be longer. */
	return rules_is_json_pair(head, claim) ||
	       (head.len >= 19 && claim.len >= 19 && rules_is_pair_of_chance(head, claim));
}

/* ---- the rules */

/* Several tokens of an issuer have the same parts. */
#define AUTHRESS                                                                                   \
	{                                                                                          \
		{ALNUM, 5, 30, "."}, {ALNUM, 4, 6, ".acc"}, {URL64, 11, 33, "."},                  \
		{                                                                                  \
			ALL64, 30, 120, NULL                                                       \
		}                                                                                  \
	}
#define HARNESS                                                                                    \
	{                                                                                          \
		{URL64, 22, 22, "."}, {ALNUM, 24, 24, "."},                                        \
		{                                                                                  \
			ALNUM, 20, 20, NULL                                                        \
		}                                                                                  \
	}

/* What issuers say of their tokens, or what public scanners know of them: prefix, alphabet, length.
 */
const struct rule secrets_rules[] = {
	/* Forms of their own. */
	{"private key", "-----BEGIN", ANYCASE | INSIDE, rules_private_key_at, {{0}}},
	{"JSON web token", "ey", 0, rules_jwt_at, {{0}}},
	{"JSON web token", "ew", 0, rules_jwt_at, {{0}}},
	{"JSON web token", "ZXlK", MIXED, NULL, {{WRAPPED64, 40, 9000, NULL}}},
	{"Slack token", "xox", ANYCASE, rules_slack_token_at, {{0}}},
	{"Slack token", "xapp-", ANYCASE, rules_slack_app_token_at, {{0}}},
	{"Slack webhook", "hooks.slack.com/", INSIDE, rules_slack_hook_at, {{0}}},
	{"OpenAI key", "T3BlbkFJ", INSIDE, rules_openai_mark_at, {{0}}},
	{"Terraform token", ".atlasv1.", INSIDE, rules_terraform_mark_at, {{0}}},
	{"Azure client secret", "Q~", INSIDE, rules_azure_mark_at, {{0}}},
	{"MaxMind key", "_mmk", INSIDE, rules_maxmind_mark_at, {{0}}},
	{"Facebook token", "|", INSIDE, rules_facebook_mark_at, {{0}}},
	{"Facebook token", "%", INSIDE, rules_facebook_mark_at, {{0}}},
	{"Telegram token", ":A", INSIDE, rules_telegram_mark_at, {{0}}},
	{"Mailchimp key", "-us", INSIDE, rules_mailchimp_mark_at, {{0}}},

	/* Clouds and their machines. */
	{"AWS access key", "AKIA", 0, NULL, {{UPPER_DIGIT, 16, 16, NULL}}},
	{"AWS access key", "ASIA", 0, NULL, {{UPPER_DIGIT, 16, 16, NULL}}},
	{"AWS access key", "ABIA", 0, NULL, {{UPPER_DIGIT, 16, 16, NULL}}},
	{"AWS access key", "ACCA", 0, NULL, {{UPPER_DIGIT, 16, 16, NULL}}},
	{"AWS access key", "A3T", 0, NULL, {{UPPER_DIGIT, 17, 17, NULL}}},
	{"AWS Bedrock key", "ABSK", MIXED, NULL, {{ALL64, 109, 271, NULL}}},
	{"AWS Bedrock key", "bedrock-api-key-", MIXED, NULL, {{ALL64, 60, 4000, NULL}}},
	{"Alibaba access key", "LTAI", 0, NULL, {{ALNUM, 20, 20, NULL}}},
	{"Azure storage key", "AccountKey=", 0, NULL, {{BASE64, 86, 86, "=="}}},
	{"Cloudflare origin key", "v1.0-", 0, NULL, {{HEX, 24, 24, "-"}, {HEX, 146, 146, NULL}}},
	{"Databricks token", "dapi", 0, NULL, {{HEX, 32, 32, NULL}}},
	{"DigitalOcean token", "dop_v1_", 0, NULL, {{HEX, 64, 64, NULL}}},
	{"DigitalOcean token", "doo_v1_", 0, NULL, {{HEX, 64, 64, NULL}}},
	{"DigitalOcean token", "dor_v1_", ANYCASE, NULL, {{ANY_HEX, 64, 64, NULL}}},
	{"Fly.io token", "fo1_", 0, NULL, {{URL64, 43, 43, NULL}}},
	{"Fly.io token", "fm1a_", MIXED, NULL, {{BASE64, 100, 4000, NULL}}},
	{"Fly.io token", "fm1r_", MIXED, NULL, {{BASE64, 100, 4000, NULL}}},
	{"Fly.io token", "fm2_", MIXED, NULL, {{BASE64, 100, 4000, NULL}}},
	{"Google API key", "AIza", 0, NULL, {{URL64, 35, 35, NULL}}},
	{"Google OAuth token", "ya29.", MIXED, NULL, {{URL64, 40, 2000, NULL}}},
	{"Google OAuth token", "GOCSPX-", 0, NULL, {{URL64, 28, 28, NULL}}},
	{"Heroku key", "HRKU-AA", 0, NULL, {{URL64, 58, 58, NULL}}},
	{"OpenShift token", "sha256~", MIXED, NULL, {{URL64, 43, 43, NULL}}},
	{"Scalingo token", "tk-us-", MIXED, NULL, {{URL64, 48, 48, NULL}}},
	{"Supabase token", "sbp_", 0, NULL, {{HEX, 40, 40, NULL}}},
	{"Tailscale key", "tskey-auth-", MIXED, NULL, {{ALNUM_DASH, 24, 80, NULL}}},
	{"Tailscale key", "tskey-api-", MIXED, NULL, {{ALNUM_DASH, 24, 80, NULL}}},
	{"Yandex key", "AQVN", SCRAMBLED, NULL, {{URL64, 35, 38, NULL}}},
	{"Yandex token", "t1.", MIXED, NULL, {{DOT64, 90, 600, NULL}}},
	{"Nebula token", "dnkey-", 0, NULL, {{ALL64, 79, 79, NULL}}},

	/* Secrets of those who keep and deploy things. */
	{"age key", "AGE-SECRET-KEY-1", 0, NULL, {{UPPER_DIGIT, 58, 58, NULL}}},
	{"age key", "AGE-SECRET-KEY-PQ-1", 0, NULL, {{UPPER_DIGIT, 58, 4000, NULL}}},
	{"1Password key", "A3-", 0, NULL, {{UPPER_DASH, 36, 37, NULL}}},
	{"1Password token", "ops_eyJ", MIXED, NULL, {{BASE64, 200, 4000, NULL}}},
	{"Vault token", "hvs.", 0, NULL, {{URL64, 24, 500, NULL}}},
	{"Vault token", "hvb.", MIXED, NULL, {{URL64, 100, 500, NULL}}},
	{"Vault token", "s.", SCRAMBLED, NULL, {{ALNUM, 24, 24, NULL}}},
	{"Doppler token", "dp.pt.", 0, NULL, {{ALNUM, 43, 43, NULL}}},
	{"Pulumi token", "pul-", 0, NULL, {{HEX, 40, 40, NULL}}},
	{"Infracost key", "ico-", NOT_HEX, NULL, {{ALNUM, 32, 32, NULL}}},
	{"Harness key", "pat.", MIXED, NULL, HARNESS},
	{"Harness key", "sat.", MIXED, NULL, HARNESS},
	{"Octopus Deploy key", "API-", 0, NULL, {{UPPER_DIGIT, 26, 26, NULL}}},
	{"Prefect key", "pnu_", 0, NULL, {{ALNUM, 36, 36, NULL}}},
	{"Authress key", "sc_", 0, NULL, AUTHRESS},
	{"Authress key", "ext_", 0, NULL, AUTHRESS},
	{"Authress key", "scauth_", 0, NULL, AUTHRESS},
	{"Authress key", "authress_", 0, NULL, AUTHRESS},

	/* Sources, packages, images. */
	{"GitHub token", "ghp_", 0, NULL, {{ALNUM, 36, 255, NULL}}},
	{"GitHub token", "gho_", 0, NULL, {{ALNUM, 36, 255, NULL}}},
	{"GitHub token", "ghu_", 0, NULL, {{ALNUM, 36, 255, NULL}}},
	{"GitHub token", "ghs_", 0, NULL, {{ALNUM, 36, 255, NULL}}},
	{"GitHub token", "ghr_", 0, NULL, {{ALNUM, 36, 255, NULL}}},
	{"GitHub token", "github_pat_", 0, NULL, {{ALNUM_LINE, 70, 255, NULL}}},
	{"GitLab token", "glpat-", 0, NULL, {{URL64, 20, 300, NULL}}},
	{"GitLab token", "gldt-", 0, NULL, {{URL64, 20, 300, NULL}}},
	{"GitLab token", "glrt-", 0, NULL, {{URL64, 20, 300, NULL}}},
	{"GitLab token", "glptt-", 0, NULL, {{HEX, 40, 40, NULL}}},
	{"GitLab token", "glcbt-", 0, NULL, {{URL64, 22, 300, NULL}}},
	{"GitLab token", "glffct-", 0, NULL, {{URL64, 20, 300, NULL}}},
	{"GitLab token", "glft-", 0, NULL, {{URL64, 20, 300, NULL}}},
	{"GitLab token", "glimt-", 0, NULL, {{URL64, 25, 300, NULL}}},
	{"GitLab token", "glagent-", 0, NULL, {{URL64, 50, 300, NULL}}},
	{"GitLab token", "gloas-", 0, NULL, {{URL64, 64, 300, NULL}}},
	{"GitLab token", "glsoat-", 0, NULL, {{URL64, 20, 300, NULL}}},
	{"GitLab token", "GR1348941", 0, NULL, {{URL64, 20, 20, NULL}}},
	{"GitLab session", "_gitlab_session=", 0, NULL, {{ALNUM, 32, 32, NULL}}},
	{"Artifactory key", "AKCp", MIXED, NULL, {{ALNUM, 69, 69, NULL}}},
	{"Artifactory token", "cmVmd", MIXED, NULL, {{ALNUM, 59, 59, NULL}}},
	{"Clojars token", "CLOJARS_", ANYCASE, NULL, {{ALNUM, 60, 60, NULL}}},
	{"Docker token", "dckr_pat_", 0, NULL, {{URL64, 27, 40, NULL}}},
	{"npm token", "npm_", ANYCASE, NULL, {{ALNUM, 36, 36, NULL}}},
	{"PyPI token", "pypi-AgE", MIXED, NULL, {{URL64, 50, 1100, NULL}}},
	{"RubyGems token", "rubygems_", 0, NULL, {{HEX, 48, 48, NULL}}},
	{"Sourcegraph token", "sgp_", ANYCASE, NULL, {{ANY_HEX, 40, 40, NULL}}},
	{"Sourcegraph token",
	 "sgp_",
	 ANYCASE,
	 NULL,
	 {{ANY_HEX, 16, 16, "_"}, {ANY_HEX, 40, 40, NULL}}},
	{"Sourcegraph token", "sgp_local_", ANYCASE, NULL, {{ANY_HEX, 40, 40, NULL}}},
	{"SonarQube token", "squ_", 0, NULL, {{HEX, 40, 40, NULL}}},
	{"SonarQube token", "sqp_", 0, NULL, {{HEX, 40, 40, NULL}}},
	{"SonarQube token", "sqa_", 0, NULL, {{HEX, 40, 40, NULL}}},

	/* Models. */
	{"Anthropic key", "sk-ant-", MIXED, NULL, {{URL64, 40, 300, NULL}}},
	{"OpenAI key", "sk-proj-", MIXED, NULL, {{URL64, 40, 300, NULL}}},
	{"OpenAI key", "sk-svcacct-", MIXED, NULL, {{URL64, 40, 300, NULL}}},
	{"OpenAI key", "sk-admin-", MIXED, NULL, {{URL64, 40, 300, NULL}}},
	{"OpenRouter key", "sk-or-v1-", 0, NULL, {{HEX, 64, 64, NULL}}},
	{"Groq key", "gsk_", 0, NULL, {{ALNUM, 52, 52, NULL}}},
	{"xAI key", "xai-", 0, NULL, {{ALNUM, 80, 80, NULL}}},
	{"Perplexity key", "pplx-", 0, NULL, {{ALNUM, 48, 48, NULL}}},
	{"Replicate token", "r8_", 0, NULL, {{ALNUM, 37, 37, NULL}}},
	{"Hugging Face token", "hf_", 0, NULL, {{ALNUM, 34, 40, NULL}}},
	{"Hugging Face token", "hf_", WORDS, NULL, {{LETTERS, 34, 34, NULL}}},
	{"Hugging Face token", "api_org_", WORDS, NULL, {{LETTERS, 34, 34, NULL}}},

	/* Money. */
	{"Stripe key", "sk_live_", UNLESS_LONG, NULL, {{ALNUM, 10, 255, NULL}}},
	{"Stripe key", "rk_live_", UNLESS_LONG, NULL, {{ALNUM, 10, 255, NULL}}},
	{"Stripe key", "sk_prod_", UNLESS_LONG, NULL, {{ALNUM, 10, 255, NULL}}},
	{"Stripe key", "rk_prod_", UNLESS_LONG, NULL, {{ALNUM, 10, 255, NULL}}},
	{"Stripe key", "sk_test_", UNLESS_LONG, NULL, {{ALNUM, 10, 255, NULL}}},
	{"Stripe key", "rk_test_", UNLESS_LONG, NULL, {{ALNUM, 10, 255, NULL}}},
	{"Flutterwave key", "FLWSECK_TEST-", 0, NULL, {{ALNUM, 12, 12, NULL}}},
	{"Flutterwave key", "FLWSECK_TEST-", 0, NULL, {{ALNUM, 32, 32, "-X"}}},
	{"Flutterwave key", "FLWSECK-", 0, NULL, {{ALNUM, 32, 32, "-X"}}},
	{"Flutterwave public key", "FLWPUBK_TEST-", WARNS, NULL, {{ALNUM, 32, 32, "-X"}}},
	{"Plaid token", "access-sandbox-", 0, NULL, {{ALNUM_DASH, 36, 36, NULL}}},
	{"Plaid token", "access-development-", 0, NULL, {{ALNUM_DASH, 36, 36, NULL}}},
	{"Plaid token", "access-production-", 0, NULL, {{ALNUM_DASH, 36, 36, NULL}}},
	{"Shopify token", "shpat_", 0, NULL, {{ANY_HEX, 32, 32, NULL}}},
	{"Shopify token", "shpca_", 0, NULL, {{ANY_HEX, 32, 32, NULL}}},
	{"Shopify token", "shppa_", 0, NULL, {{ANY_HEX, 32, 32, NULL}}},
	{"Shopify token", "shpss_", 0, NULL, {{ANY_HEX, 32, 32, NULL}}},
	{"Square token", "sq0csp-", 0, NULL, {{URL64, 43, 43, NULL}}},
	{"Square token", "sq0atp-", 0, NULL, {{URL64, 22, 60, NULL}}},
	{"Square token", "EAAA", SCRAMBLED, NULL, {{URL64, 22, 60, NULL}}},

	/* Mail, messages, pages. */
	{"Airtable token", "pat", MIXED, NULL, {{ALNUM, 14, 14, "."}, {HEX, 64, 64, NULL}}},
	{"Adobe client secret", "p8e-", 0, NULL, {{ALNUM, 32, 32, NULL}}},
	{"Atlassian token", "ATATT3", MIXED, NULL, {{ALL64, 100, 300, NULL}}},
	{"Brevo key", "xkeysib-", 0, NULL, {{HEX, 64, 64, NULL}}},
	{"Dropbox token", "sl.", MIXED, NULL, {{DOT64, 130, 2000, NULL}}},
	{"Facebook page token", "EAAM", 0, NULL, {{ALNUM, 100, 500, NULL}}},
	{"Facebook page token", "EAAC", 0, NULL, {{ALNUM, 100, 500, NULL}}},
	{"Frame.io token", "fio-u-", 0, NULL, {{ALL64, 64, 64, NULL}}},
	{"Intra42 secret", "s-s4t2ud-", 0, NULL, {{ANY_HEX, 64, 64, NULL}}},
	{"Intra42 secret", "s-s4t2af-", 0, NULL, {{ANY_HEX, 64, 64, NULL}}},
	{"Linear key", "lin_api_", 0, NULL, {{ALNUM, 40, 40, NULL}}},
	{"Notion token", "ntn_", MIXED, NULL, {{ALNUM, 46, 46, NULL}}},
	{"Postman key", "PMAK-", 0, NULL, {{ANY_HEX, 24, 24, "-"}, {ANY_HEX, 34, 34, NULL}}},
	{"ReadMe key", "rdme_", 0, NULL, {{ALNUM, 70, 70, NULL}}},
	{"SendGrid key", "SG.", 0, NULL, {{URL64, 22, 22, "."}, {URL64, 43, 43, NULL}}},
	{"SendGrid key", "SG.", 0, NULL, {{DOT64, 66, 66, NULL}}},
	{"SettleMint token", "sm_aat_", 0, NULL, {{ALNUM, 16, 16, NULL}}},
	{"SettleMint token", "sm_pat_", 0, NULL, {{ALNUM, 16, 16, NULL}}},
	{"SettleMint token", "sm_sat_", 0, NULL, {{ALNUM, 16, 16, NULL}}},
	{"Teams webhook",
	 ".webhook.office.com/webhookb2/",
	 INSIDE,
	 NULL,
	 {{ALNUM_DASH, 36, 36, "@"},
	  {ALNUM_DASH, 36, 36, "/IncomingWebhook/"},
	  {ALNUM, 32, 32, "/"},
	  {ALNUM_DASH, 36, 36, NULL}}},
	{"Typeform token", "tfp_", MIXED, NULL, {{DOT64, 59, 59, NULL}}},

	/* Data and what is measured of machines. */
	{"ClickHouse key", "4b1d", MIXED, NULL, {{ALNUM, 38, 38, NULL}}},
	{"PlanetScale token", "pscale_tkn_", 0, NULL, {{DOT64, 32, 64, NULL}}},
	{"PlanetScale token", "pscale_oauth_", 0, NULL, {{DOT64, 32, 64, NULL}}},
	{"PlanetScale password", "pscale_pw_", ANYCASE, NULL, {{DOT64, 32, 64, NULL}}},
	{"Dynatrace token", "dt0c01.", 0, NULL, {{ALNUM, 24, 24, "."}, {ALNUM, 64, 64, NULL}}},
	{"Grafana key", "eyJrIjoi", ANYCASE | MIXED, NULL, {{ALNUM, 70, 400, NULL}}},
	{"Grafana token", "glc_", ANYCASE | MIXED, NULL, {{BASE64, 32, 400, NULL}}},
	{"Grafana token", "glsa_", ANYCASE, NULL, {{ALNUM, 32, 32, "_"}, {ANY_HEX, 8, 8, NULL}}},
	{"New Relic key", "NRAK-", 0, NULL, {{UPPER_DIGIT, 27, 27, NULL}}},
	{"New Relic key", "NRII-", 0, NULL, {{URL64, 32, 32, NULL}}},
	{"New Relic key", "NRJS-", 0, NULL, {{HEX, 19, 19, NULL}}},
	{"Sentry token", "sntryu_", 0, NULL, {{HEX, 64, 64, NULL}}},
	{"Sentry token", "sntrys_", MIXED, NULL, {{ALL64, 60, 600, NULL}}},

	/* Shops, parcels, journeys. */
	{"Duffel token", "duffel_test_", 0, NULL, {{ALL64, 43, 43, NULL}}},
	{"Duffel token", "duffel_live_", 0, NULL, {{ALL64, 43, 43, NULL}}},
	{"EasyPost key", "EZAK", 0, NULL, {{ALNUM, 54, 54, NULL}}},
	{"EasyPost key", "EZTK", 0, NULL, {{ALNUM, 54, 54, NULL}}},
	{"Lob key", "live_", 0, NULL, {{HEX, 35, 35, NULL}}},
	{"Lob key", "test_", 0, NULL, {{HEX, 35, 35, NULL}}},
	{"Shippo token", "shippo_live_", 0, NULL, {{ANY_HEX, 40, 40, NULL}}},
	{"Shippo token", "shippo_test_", 0, NULL, {{ANY_HEX, 40, 40, NULL}}},
	{"Twilio key", "SK", 0, NULL, {{ANY_HEX, 32, 32, NULL}}},
};

const size_t secrets_rules_count = sizeof secrets_rules / sizeof *secrets_rules;
