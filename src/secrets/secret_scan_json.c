#include "base/utf8.h"
#include "secrets/secret_scan.h"

/* JSON in a text in a text: deeper than this nobody looks. */
#define NESTED_MAX 3

struct search {
	struct secret *out;
	bool found; /* a warning, when it goes on */
	unsigned int nested;
};

/* True when a secret was found that refuses: the search is over. */
static bool secret_json_take(struct search *search, struct secret secret)
{
	if (!search->found || secret.refuses)
		*search->out = secret;
	search->found = true;
	return secret.refuses;
}

static bool secret_json_look_at(struct search *search, struct slice text)
{
	struct secret secret;

	return secrets_find(text, &secret) && secret_json_take(search, secret);
}

static bool secret_json_walk(struct search *search, const struct json *doc, uint32_t node,
			     struct slice name);

/* A text that is JSON: what its escapes stand for may be read out of it one day. */
static bool secret_json_look_inside(struct search *search, struct slice text, struct slice name)
{
	struct slice trimmed = blank_trim(text);
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (search->nested == NESTED_MAX || trimmed.len == 0 || !strchr("{[\"", trimmed.ptr[0]) ||
	    json_parse(&doc, text, &json_line_bounds, &fault) != 0)
		return false;
	search->nested++;
	bool over = secret_json_walk(search, &doc, JSON_ROOT, name);
	search->nested--;
	return over;
}

static bool secret_json_look_at_text(struct search *search, struct slice text, struct slice name)
{
	struct secret secret;

	if (secret_json_look_at(search, text) || secret_json_look_inside(search, text, name))
		return true;
	return name.ptr && secrets_find_named(name, text, &secret) &&
	       secret_json_take(search, secret);
}

/* An entry's value goes by the key of the entry. */
static bool secret_json_walk_members(struct search *search, const struct json *doc, uint32_t node,
				     struct slice name)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t n = json_first(doc, node); n != JSON_NONE; n = json_next(doc, n)) {
		struct slice own = json_name(doc, n, &scratch);

		if (own.ptr && secret_json_look_at(search, own))
			return true;
		if (secret_json_walk(search, doc, n,
				     own.ptr && !slice_is(own, "value") ? own : name))
			return true;
	}
	return false;
}

static bool secret_json_walk(struct search *search, const struct json *doc, uint32_t node,
			     struct slice name)
{
	STR_AUTO scratch = STR_INIT;

	if (json_type(doc, node) == JSON_STRING)
		return secret_json_look_at_text(search, json_string(doc, node, &scratch), name);
	return secret_json_walk_members(search, doc, node, name);
}

bool secrets_find_json(const struct json *doc, uint32_t node, struct slice name, struct secret *out)
{
	struct secret found = {NULL, false};
	struct search search = {.out = &found};

	secret_json_walk(&search, doc, node, name);
	if (search.found)
		*out = found;
	return search.found;
}
