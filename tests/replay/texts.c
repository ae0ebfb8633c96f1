#include "replay/texts.h"

bool texts_read(const struct json *doc, uint32_t node, struct arena *arena, struct slice **texts,
		size_t *count, struct str *why)
{
	STR_AUTO scratch = STR_INIT;
	struct slice *list;
	size_t len = 0;

	if (node == JSON_NONE || json_type(doc, node) != JSON_ARRAY) {
		golden_unknown_form(why, "no list of texts");
		return false;
	}
	list = arena_alloc(arena, doc->nodes[node].count * sizeof *list);
	for (uint32_t at = json_first(doc, node); at != JSON_NONE; at = json_next(doc, at)) {
		struct slice text = json_string(doc, at, &scratch);

		if (!text.ptr) {
			golden_unknown_form(why, "a list with what is no text");
			return false;
		}
		list[len++] = arena_copy(arena, text);
	}
	*texts = list;
	*count = len;
	return true;
}
