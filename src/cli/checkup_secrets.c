#include "cli/checkup.h"

#include "model/secrets.h"

static bool is_secret(struct slice key)
{
	struct secret secret;

	return key.ptr && secrets_find(key, &secret) && secret.refuses;
}

void checkup_add_ref(struct str *out, const char *category, struct slice key)
{
	str_printf(out, "%s:", category);
	if (is_secret(key))
		str_adds(out, "(a key that is a secret)");
	else
		str_add(out, key);
}

void checkup_secrets(struct checkup *checkup, const char *file, const char *category,
		     struct slice key, const struct json *doc, uint32_t node)
{
	STR_AUTO ref = STR_INIT;
	struct secret secret;

	if (checkup->settings.secrets == SECRETS_OFF ||
	    (!secrets_find_json(doc, node, key, &secret) && !secrets_find(key, &secret)))
		return;
	checkup_add_ref(&ref, category, key);
	findings_add(checkup->found, secret.refuses ? FINDING_SECRET : FINDING_PASSWORD, NULL,
		     "%s: %s holds a secret (%s)", file, ref.ptr, secret.rule);
}
