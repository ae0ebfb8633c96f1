#include "ops/enrich.h"

#include "nlp/entities.h"
#include "nlp/intent.h"
#include "secrets/secret_scan.h"

/* Strengths are rounded to so many decimals. */
#define STRENGTH_DECIMALS 2

/* Appends the texts in a value, a line each; what one text says ends there. */
static void enrich_add_texts(const struct json *doc, uint32_t node, struct str *out)
{
	STR_AUTO scratch = STR_INIT;

	if (json_type(doc, node) == JSON_STRING) {
		str_add(out, json_string(doc, node, &scratch));
		str_addc(out, '\n');
	}
	for (uint32_t n = json_first(doc, node); n != JSON_NONE; n = json_next(doc, n))
		enrich_add_texts(doc, n, out);
}

static void enrich_suggest(struct enrichment *out, const struct call *call, struct slice text)
{
	struct slice names[NAMES_MAX];
	size_t count = names_find(call->arena, text, names);
	STR_AUTO list = STR_INIT;
	STR_AUTO number = STR_INIT;
	struct json_writer w = json_writer_to(&list, &json_compact);

	json_write_array(&w);
	for (size_t i = 0; i < count; i++)
		json_write_string(&w, names[i]);
	json_write_end(&w);
	if (count > 0)
		out->entities = arena_copy(call->arena, str_slice(&list));
	w = json_writer_to(&number, &json_compact);
	json_write_fixed(&w, analyze_text_strength(text, count), STRENGTH_DECIMALS);
	if (!slice_is(str_slice(&number), "1"))
		out->strength = arena_copy(call->arena, str_slice(&number));
}

void enrich_fields(struct enrichment *out, const struct call *call, const struct settings *settings,
		   const struct item *old, struct entry_fields *fields)
{
	struct entry_fields enriched = *fields;
	STR_AUTO text = STR_INIT;
	struct secret secret;
	JSON_AUTO value = {0};

	*out = (struct enrichment){.wanted = settings->enrich};
	if (!out->wanted)
		return;
	common_parse(&value, fields->value);
	enrich_add_texts(&value, JSON_ROOT, &text);
	if (text.len && !secrets_find_json(&value, JSON_ROOT, slice_of(NULL), &secret))
		enrich_suggest(out, call, slice_make(text.ptr, text.len - 1));
	if (fields->entities.ptr || (old && entry_member(&old->entry, "entities")))
		out->entities = slice_of(NULL);
	if (fields->strength.ptr || (old && entry_member(&old->entry, "strength")))
		out->strength = slice_of(NULL);
	if (out->entities.ptr)
		enriched.entities = out->entities;
	if (out->strength.ptr)
		enriched.strength = out->strength;
	if (entry_size(common_compose(call, old, &enriched)) <= (size_t)settings->entry_bytes)
		*fields = enriched;
	else
		*out = (struct enrichment){.wanted = true};
}
