#include "cli/doctor/check.h"

#include "secrets/secret_scan.h"

static bool is_secret(struct slice key)
{
	struct secret secret;

	return key.ptr && secrets_find(key, &secret) && secret.refuses;
}

void checkup_add_key(struct str *out, struct slice key)
{
	if (is_secret(key))
		str_adds(out, "(a key that is a secret)");
	else
		str_add(out, key);
}

void checkup_add_ref(struct str *out, const char *category, struct slice key)
{
	str_printf(out, "%s:", category);
	checkup_add_key(out, key);
}

/* In the value or in the key: a secret that is refused before one that is only warned of. */
static bool find(const struct json *doc, uint32_t node, struct slice key, struct secret *out)
{
	struct secret of_key;
	bool in_value = secrets_find_json(doc, node, key, out);

	if ((in_value && out->refuses) || !key.ptr || !secrets_find(key, &of_key))
		return in_value;
	if (!in_value || of_key.refuses)
		*out = of_key;
	return true;
}

static void look(struct checkup *checkup, const char *file, struct slice name, struct slice key,
		 const struct json *doc, uint32_t node)
{
	struct secret secret;

	if (checkup->settings.secrets == SECRETS_OFF || !find(doc, node, key, &secret))
		return;
	findings_add(checkup->found, secret.refuses ? FINDING_SECRET : FINDING_PASSWORD, NULL,
		     "%s: %s holds a secret (%s)", file, name.ptr, secret.rule);
}

void checkup_secrets(struct checkup *checkup, const char *file, const char *category,
		     struct slice key, const struct json *doc, uint32_t node)
{
	STR_AUTO ref = STR_INIT;

	checkup_add_ref(&ref, category, key);
	look(checkup, file, str_slice(&ref), key, doc, node);
}

void checkup_link_secrets(struct checkup *checkup, struct slice id, const struct json *doc,
			  uint32_t node)
{
	STR_AUTO name = STR_INIT;

	str_adds(&name, "the link ");
	checkup_add_key(&name, id);
	look(checkup, store_file_name(STORE_FILE_RELATIONS), str_slice(&name), id, doc, node);
}
