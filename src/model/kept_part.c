#include "model/kept_part.h"

#include "json/write.h"
#include "model/entry.h"

static const char *const names[] = {"record", "link"};
static const char *const texts[] = {"was", "came"};
static const char left_name[] = "left";

/* What only a line of the cold archive says of a record. */
static bool kept_part_is_of_line(struct slice name)
{
	return slice_is(name, "category") || slice_is(name, "undo");
}

static void kept_part_write_text(struct json_writer *w, const struct kept_part *part,
				 struct slice text)
{
	JSON_AUTO doc = {0};

	known_parse(&doc, text);
	if (part->link || json_type(&doc, JSON_ROOT) != JSON_OBJECT) {
		json_write_value(w, &doc, JSON_ROOT);
		return;
	}
	json_write_object(w);
	for (uint32_t n = json_first(&doc, JSON_ROOT); n != JSON_NONE; n = json_next(&doc, n)) {
		STR_AUTO scratch = STR_INIT;
		struct slice name = json_name(&doc, n, &scratch);

		if (kept_part_is_of_line(name))
			continue;
		json_write_name(w, name);
		json_write_value(w, &doc, n);
	}
	json_write_end(w);
}

void kept_part_compose(struct str *out, const struct kept_part *part)
{
	char time[TIMESTAMP_SIZE];

	timestamp_format(part->at_ms, time);
	struct json_writer w = json_writer_to(out, &json_compact);
	json_write_object(&w);
	json_write_member_string(&w, "category", slice_of(category_name(part->category)));
	json_write_member_bool(&w, "undo", true);
	json_write_member_string(&w, "archivedAt", slice_of(time));
	json_write_member_string(&w, names[part->link], part->name);
	json_write_name(&w, slice_of(texts[part->came]));
	kept_part_write_text(&w, part, part->text);
	if (part->left.ptr) {
		json_write_name(&w, slice_of(left_name));
		kept_part_write_text(&w, part, part->left);
	}
	json_write_end(&w);
}

uint32_t kept_part_text(const struct json *doc, uint32_t node)
{
	uint32_t text = json_member(doc, node, texts[0]);

	return text != JSON_NONE ? text : json_member(doc, node, texts[1]);
}

uint32_t kept_part_left(const struct json *doc, uint32_t node)
{
	return json_member(doc, node, left_name);
}

bool kept_part_read(struct kept_part *out, const struct json *doc, uint32_t node,
		    struct arena *arena)
{
	uint32_t text = kept_part_text(doc, node);
	uint32_t left = kept_part_left(doc, node);
	int category = category_find(json_member_text(doc, node, "category", arena));

	*out = (struct kept_part){.name = json_member_text(doc, node, names[0], arena)};
	if (!out->name.ptr) {
		out->name = json_member_text(doc, node, names[1], arena);
		out->link = true;
	}
	if (!out->name.ptr || text == JSON_NONE || category == CATEGORY_ANY)
		return false;
	out->came = json_member(doc, node, texts[0]) == JSON_NONE;
	out->category = (enum category)category;
	out->text = json_text(doc, text);
	if (left != JSON_NONE)
		out->left = json_text(doc, left);
	out->at_ms = entry_time(doc, json_member(doc, node, "archivedAt"));
	return true;
}
