#include "model/secrets_internal.h"

#include <string.h>

enum shape_flags {
	MIXED = 1 /* has upper and lower case letters and digits: long, so that all do */
};

struct shape {
	const char *rule;
	const char *prefix;
	const char *suffix; /* what follows the body, NULL for no matter what */
	enum char_class class;
	size_t min; /* bytes of the body */
	size_t max;
	unsigned int flags;
};

static const struct shape shapes[] = {
	{"age key", "AGE-SECRET-KEY-1", NULL, UPPER_DIGIT, 58, 58, 0},
	{"age key", "AGE-SECRET-KEY-PQ-1", NULL, UPPER_DIGIT, 58, 4000, 0},
	{"AWS access key", "AKIA", NULL, UPPER_DIGIT, 16, 16, 0},
	{"AWS access key", "ASIA", NULL, UPPER_DIGIT, 16, 16, 0},
	{"GitHub token", "ghp_", NULL, ALNUM, 36, 255, 0},
	{"GitHub token", "gho_", NULL, ALNUM, 36, 255, 0},
	{"GitHub token", "ghu_", NULL, ALNUM, 36, 255, 0},
	{"GitHub token", "ghs_", NULL, ALNUM, 36, 255, 0},
	{"GitHub token", "ghr_", NULL, ALNUM, 36, 255, 0},
	{"GitHub token", "github_pat_", NULL, ALNUM_LINE, 70, 255, 0},
	{"GitLab token", "glpat-", NULL, URL64, 20, 300, 0},
	{"GitLab token", "gldt-", NULL, URL64, 20, 300, 0},
	{"GitLab token", "glrt-", NULL, URL64, 20, 300, 0},
	{"GitLab token", "glptt-", NULL, HEX, 40, 40, 0},
	{"Stripe key", "sk_live_", NULL, ALNUM, 20, 255, 0},
	{"Stripe key", "rk_live_", NULL, ALNUM, 20, 255, 0},
	{"Anthropic key", "sk-ant-", NULL, URL64, 40, 300, MIXED},
	{"OpenAI key", "sk-proj-", NULL, URL64, 40, 300, MIXED},
	{"OpenAI key", "sk-svcacct-", NULL, URL64, 40, 300, MIXED},
	{"OpenAI key", "sk-admin-", NULL, URL64, 40, 300, MIXED},
	{"OpenRouter key", "sk-or-v1-", NULL, HEX, 64, 64, 0},
	{"Groq key", "gsk_", NULL, ALNUM, 52, 52, 0},
	{"xAI key", "xai-", NULL, ALNUM, 80, 80, 0},
	{"Perplexity key", "pplx-", NULL, ALNUM, 48, 48, 0},
	{"Replicate token", "r8_", NULL, ALNUM, 37, 37, 0},
	{"Hugging Face token", "hf_", NULL, ALNUM, 34, 40, 0},
	{"Google API key", "AIza", NULL, URL64, 35, 35, 0},
	{"Google OAuth token", "ya29.", NULL, URL64, 40, 2000, MIXED},
	{"Google OAuth token", "GOCSPX-", NULL, URL64, 28, 28, 0},
	{"npm token", "npm_", NULL, ALNUM, 36, 36, 0},
	{"PyPI token", "pypi-AgE", NULL, URL64, 50, 1000, MIXED},
	{"RubyGems token", "rubygems_", NULL, HEX, 48, 48, 0},
	{"Docker token", "dckr_pat_", NULL, URL64, 27, 40, 0},
	{"Vault token", "hvs.", NULL, URL64, 24, 500, 0},
	{"Vault token", "hvb.", NULL, URL64, 100, 500, MIXED},
	{"DigitalOcean token", "dop_v1_", NULL, HEX, 64, 64, 0},
	{"DigitalOcean token", "doo_v1_", NULL, HEX, 64, 64, 0},
	{"DigitalOcean token", "dor_v1_", NULL, HEX, 64, 64, 0},
	{"Shopify token", "shpat_", NULL, HEX, 32, 32, 0},
	{"Shopify token", "shpca_", NULL, HEX, 32, 32, 0},
	{"Shopify token", "shppa_", NULL, HEX, 32, 32, 0},
	{"Shopify token", "shpss_", NULL, HEX, 32, 32, 0},
	{"Square token", "sq0csp-", NULL, URL64, 43, 43, 0},
	{"Square token", "sq0atp-", NULL, URL64, 22, 22, 0},
	{"Azure storage key", "AccountKey=", "==", BASE64, 86, 86, 0},
	{"Linear key", "lin_api_", NULL, ALNUM, 40, 40, 0},
	{"New Relic key", "NRAK-", NULL, UPPER_DIGIT, 27, 27, 0},
	{"Supabase token", "sbp_", NULL, HEX, 40, 40, 0},
	{"Pulumi token", "pul-", NULL, HEX, 40, 40, 0},
	{"Doppler token", "dp.pt.", NULL, ALNUM, 43, 43, 0},
	{"Atlassian token", "ATATT3xFfGF0", NULL, URL64, 100, 300, MIXED},
	{"Sentry token", "sntryu_", NULL, HEX, 64, 64, 0},
	{"Databricks token", "dapi", NULL, HEX, 32, 32, 0},
	{"Brevo key", "xkeysib-", NULL, HEX, 64, 64, 0},
	{"Tailscale key", "tskey-auth-", NULL, ALNUM_DASH, 24, 80, MIXED},
	{"Tailscale key", "tskey-api-", NULL, ALNUM_DASH, 24, 80, MIXED},
};

#define SHAPES (sizeof shapes / sizeof *shapes)

static bool is_mixed(struct slice text)
{
	bool upper = false;
	bool lower = false;
	bool digit = false;

	for (size_t i = 0; i < text.len; i++) {
		upper |= secrets_is_upper(text.ptr[i]);
		lower |= secrets_is_lower(text.ptr[i]);
		digit |= secrets_is_digit(text.ptr[i]);
	}
	return upper && lower && digit;
}

static bool fits(const struct shape *shape, struct slice text, size_t at)
{
	size_t from = at + strlen(shape->prefix);
	size_t len = secrets_span(text, from, shape->class);

	if (!secrets_at_word(text, at) || len < shape->min || len > shape->max)
		return false;
	/* A longer word of another alphabet is something else. */
	if (shape->min == shape->max && !shape->suffix && from + len < text.len &&
	    secrets_is_in(URL64, text.ptr[from + len]) && text.ptr[from + len] != '-')
		return false;
	if (shape->suffix && !secrets_begins(text, from + len, shape->suffix))
		return false;
	if ((shape->flags & MIXED) && !is_mixed(secrets_part(text, from, len)))
		return false;
	return secrets_is_random(secrets_part(text, from, len), shape->class);
}

static bool has_shape(const struct shape *shape, struct slice text)
{
	size_t len = strlen(shape->prefix);

	for (size_t at = secrets_seek(text, 0, shape->prefix); at < text.len;
	     at = secrets_seek(text, at + len, shape->prefix)) {
		if (fits(shape, text, at))
			return true;
	}
	return false;
}

bool secrets_find(struct slice text, struct secret *out)
{
	for (size_t i = 0; i < SHAPES; i++) {
		if (has_shape(&shapes[i], text)) {
			*out = (struct secret){shapes[i].rule, true};
			return true;
		}
	}
	for (const struct secret_form *form = secrets_forms; form->is_in; form++) {
		if (form->is_in(text)) {
			*out = form->secret;
			return true;
		}
	}
	return false;
}

const char *secrets_rule(size_t index)
{
	size_t i = SHAPES;

	if (index < SHAPES)
		return shapes[index].rule;
	for (const struct secret_form *form = secrets_forms; form->is_in; form++) {
		if (i++ == index)
			return form->secret.rule;
	}
	return NULL;
}
