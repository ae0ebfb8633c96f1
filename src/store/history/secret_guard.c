#include "store/history/secret_guard.h"

#include "json/doc.h"
#include "secrets/secret_scan.h"
#include "store/history/tracked.h"

static bool secret_guard_refuses_text(struct slice text, struct secret *out)
{
	return secrets_find(text, out) && out->refuses;
}

/* As a JSON text, else as it stands. */
static bool secret_guard_refuses(struct slice text, struct slice name, struct secret *out)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return secret_guard_refuses_text(text, out);
	return secrets_find_json(&doc, JSON_ROOT, name, out) && out->refuses;
}

bool secret_guard_finds_in(struct slice json_text)
{
	struct secret secret;

	return secret_guard_refuses(json_text, slice_make(NULL, 0), &secret);
}

static void secret_guard_say(struct secret_guard *out, const struct secret *secret,
			     struct slice where)
{
	if (!out)
		return;
	out->rule = secret->rule;
	str_clear(&out->where);
	str_add(&out->where, where);
}

static bool secret_guard_finds_in_entries(const struct comparison *c, struct secret_guard *out)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct difference *item = &c->items[i];
		STR_AUTO ref = STR_INIT;
		struct secret secret;
		bool in_key = secret_guard_refuses_text(item->key, &secret);

		if (!item->after.ptr ||
		    (!in_key && !secret_guard_refuses(item->after, item->key, &secret)))
			continue;
		if (in_key)
			str_printf(&ref, "%s:(a key that is a secret)",
				   category_name(item->category));
		else
			ref_add(&ref, item->category, item->key);
		secret_guard_say(out, &secret, str_slice(&ref));
		return true;
	}
	return false;
}

static bool secret_guard_finds_in_text(const char *file_name, struct slice before,
				       struct slice after, struct secret_guard *out)
{
	struct secret secret;
	struct secret old;
	struct slice name = slice_make(NULL, 0);

	if (!secret_guard_refuses(after, name, &secret) ||
	    (before.len > 0 && secret_guard_refuses(before, name, &old) &&
	     strcmp(old.rule, secret.rule) == 0))
		return false;
	secret_guard_say(out, &secret, slice_of(file_name));
	return true;
}

bool secret_guard_finds(const char *file_name, struct slice before, struct slice after,
			struct secret_guard *out)
{
	struct comparison c;
	bool entries = tracked_compare(&c, file_name, before, after);

	if (entries && !c.after_broken) {
		bool found = secret_guard_finds_in_entries(&c, out);

		comparison_release(&c);
		return found;
	}
	if (entries)
		comparison_release(&c);
	return secret_guard_finds_in_text(file_name, before, after, out);
}
