#include "text/value_text.h"

#include "json/doc.h"

static void add_words(struct str *out, struct slice text)
{
	str_add(out, text);
	str_addc(out, ' ');
}

/* Recursion is bounded by the depth that the scanner allows. */
static void add_value(const struct json *doc, uint32_t node, struct str *out, struct str *switches,
		      struct str *scratch)
{
	switch (json_type(doc, node)) {
	case JSON_STRING:
		add_words(out, json_string(doc, node, scratch));
		break;
	case JSON_NUMBER:
		add_words(out, json_text(doc, node));
		break;
	case JSON_BOOL:
		add_words(switches, json_text(doc, node));
		break;
	case JSON_NULL:
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		for (uint32_t at = json_first(doc, node); at != JSON_NONE;
		     at = json_next(doc, at)) {
			if (json_type(doc, node) == JSON_OBJECT)
				add_words(out, json_name(doc, at, scratch));
			add_value(doc, at, out, switches, scratch);
		}
		break;
	}
}

void value_text(struct slice json, struct str *out, struct str *switches)
{
	struct json doc;
	struct json_fault fault;
	STR_AUTO scratch = STR_INIT;

	if (json_parse(&doc, json, &json_file_bounds, &fault) != 0) {
		add_words(out, json);
		return;
	}
	add_value(&doc, JSON_ROOT, out, switches, &scratch);
	json_release(&doc);
}
