#include "text/value_text.h"

#include "json/doc.h"

static void value_text_add_words(struct str *out, struct slice text)
{
	str_add(out, text);
	str_addc(out, ' ');
}

/* Recursion is bounded by the depth that the scanner allows. */
void value_text(const struct json *doc, uint32_t node, struct str *out, struct str *switches)
{
	STR_AUTO scratch = STR_INIT;

	switch (json_type(doc, node)) {
	case JSON_STRING:
		value_text_add_words(out, json_string(doc, node, &scratch));
		break;
	case JSON_NUMBER:
		value_text_add_words(out, json_text(doc, node));
		break;
	case JSON_BOOL:
		value_text_add_words(switches, json_text(doc, node));
		break;
	case JSON_NULL:
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		for (uint32_t at = json_first(doc, node); at != JSON_NONE;
		     at = json_next(doc, at)) {
			if (json_type(doc, node) == JSON_OBJECT)
				value_text_add_words(out, json_name(doc, at, &scratch));
			value_text(doc, at, out, switches);
		}
		break;
	}
}

void value_text_of_json(struct slice json, struct str *out, struct str *switches)
{
	JSON_AUTO doc = {0};
	struct json_fault fault;

	if (json_parse(&doc, json, &json_file_bounds, &fault) != 0) {
		value_text_add_words(out, json);
		return;
	}
	value_text(&doc, JSON_ROOT, out, switches);
}
