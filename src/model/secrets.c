#include "model/secrets_internal.h"

#include <string.h>

enum shape_flags {
	MIXED = 1 /* has upper and lower case letters and digits: long, so that all do */
};

struct shape {
	const char *rule;
	const char *prefix;
	const char *suffix; /* what follows the body, NULL for no matter what */
	size_t min;         /* bytes of the body */
	size_t max;
	enum char_class class;
	unsigned int flags;
};

static const struct shape shapes[] = {
	{"age key", "AGE-SECRET-KEY-1", NULL, 58, 58, UPPER_DIGIT, 0},
	{"age key", "AGE-SECRET-KEY-PQ-1", NULL, 58, 4000, UPPER_DIGIT, 0},
	{"AWS access key", "AKIA", NULL, 16, 16, UPPER_DIGIT, 0},
	{"AWS access key", "ASIA", NULL, 16, 16, UPPER_DIGIT, 0},
	{"GitHub token", "ghp_", NULL, 36, 255, ALNUM, 0},
	{"GitHub token", "gho_", NULL, 36, 255, ALNUM, 0},
	{"GitHub token", "ghu_", NULL, 36, 255, ALNUM, 0},
	{"GitHub token", "ghs_", NULL, 36, 255, ALNUM, 0},
	{"GitHub token", "ghr_", NULL, 36, 255, ALNUM, 0},
	{"GitHub token", "github_pat_", NULL, 70, 255, ALNUM_LINE, 0},
	{"GitLab token", "glpat-", NULL, 20, 300, URL64, 0},
	{"GitLab token", "gldt-", NULL, 20, 300, URL64, 0},
	{"GitLab token", "glrt-", NULL, 20, 300, URL64, 0},
	{"GitLab token", "glptt-", NULL, 40, 40, HEX, 0},
	{"Stripe key", "sk_live_", NULL, 20, 255, ALNUM, 0},
	{"Stripe key", "rk_live_", NULL, 20, 255, ALNUM, 0},
	{"Anthropic key", "sk-ant-", NULL, 40, 300, URL64, MIXED},
	{"OpenAI key", "sk-proj-", NULL, 40, 300, URL64, MIXED},
	{"OpenAI key", "sk-svcacct-", NULL, 40, 300, URL64, MIXED},
	{"OpenAI key", "sk-admin-", NULL, 40, 300, URL64, MIXED},
	{"OpenRouter key", "sk-or-v1-", NULL, 64, 64, HEX, 0},
	{"Groq key", "gsk_", NULL, 52, 52, ALNUM, 0},
	{"xAI key", "xai-", NULL, 80, 80, ALNUM, 0},
	{"Perplexity key", "pplx-", NULL, 48, 48, ALNUM, 0},
	{"Replicate token", "r8_", NULL, 37, 37, ALNUM, 0},
	{"Hugging Face token", "hf_", NULL, 34, 40, ALNUM, 0},
	{"Google API key", "AIza", NULL, 35, 35, URL64, 0},
	{"Google OAuth token", "ya29.", NULL, 40, 2000, URL64, MIXED},
	{"Google OAuth token", "GOCSPX-", NULL, 28, 28, URL64, 0},
	{"npm token", "npm_", NULL, 36, 36, ALNUM, 0},
	{"PyPI token", "pypi-AgE", NULL, 50, 1000, URL64, MIXED},
	{"RubyGems token", "rubygems_", NULL, 48, 48, HEX, 0},
	{"Docker token", "dckr_pat_", NULL, 27, 40, URL64, 0},
	{"Vault token", "hvs.", NULL, 24, 500, URL64, 0},
	{"Vault token", "hvb.", NULL, 100, 500, URL64, MIXED},
	{"DigitalOcean token", "dop_v1_", NULL, 64, 64, HEX, 0},
	{"DigitalOcean token", "doo_v1_", NULL, 64, 64, HEX, 0},
	{"DigitalOcean token", "dor_v1_", NULL, 64, 64, HEX, 0},
	{"Shopify token", "shpat_", NULL, 32, 32, HEX, 0},
	{"Shopify token", "shpca_", NULL, 32, 32, HEX, 0},
	{"Shopify token", "shppa_", NULL, 32, 32, HEX, 0},
	{"Shopify token", "shpss_", NULL, 32, 32, HEX, 0},
	{"Square token", "sq0csp-", NULL, 43, 43, URL64, 0},
	{"Square token", "sq0atp-", NULL, 22, 22, URL64, 0},
	{"Azure storage key", "AccountKey=", "==", 86, 86, BASE64, 0},
	{"Linear key", "lin_api_", NULL, 40, 40, ALNUM, 0},
	{"New Relic key", "NRAK-", NULL, 27, 27, UPPER_DIGIT, 0},
	{"Supabase token", "sbp_", NULL, 40, 40, HEX, 0},
	{"Pulumi token", "pul-", NULL, 40, 40, HEX, 0},
	{"Doppler token", "dp.pt.", NULL, 43, 43, ALNUM, 0},
	{"Atlassian token", "ATATT3xFfGF0", NULL, 100, 300, URL64, MIXED},
	{"Sentry token", "sntryu_", NULL, 64, 64, HEX, 0},
	{"Databricks token", "dapi", NULL, 32, 32, HEX, 0},
	{"Brevo key", "xkeysib-", NULL, 64, 64, HEX, 0},
	{"Tailscale key", "tskey-auth-", NULL, 24, 80, ALNUM_DASH, MIXED},
	{"Tailscale key", "tskey-api-", NULL, 24, 80, ALNUM_DASH, MIXED},
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
