#include "model/relation.h"

#include "base/map.h"
#include "base/utf8.h"
#include "json/write.h"
#include "model/entry.h"

#include <inttypes.h>

/* Digits of a new id: few to type, and no two of a store's links are likely to share them. */
#define ID_BITS 48

const char *const relation_type_names[RELATION_TYPE_COUNT + 1] = {
#define X(id, name) name,
	RELATION_TYPES(X)
#undef X
		NULL,
};

/* A string member that says something; else absent. */
static struct slice relation_member_text(const struct json *doc, uint32_t object, const char *name,
					 struct arena *arena)
{
	struct slice text = json_member_text(doc, object, name, arena);

	return blank_trim(text).len ? text : slice_of(NULL);
}

/* Index in the names, RELATED where none is given, -1 where the name is none of them. */
static int relation_read_type(const struct json *doc, uint32_t object)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t node = json_member(doc, object, "type");

	if (node == JSON_NONE)
		return RELATION_RELATED;
	for (int i = 0; i < RELATION_TYPE_COUNT; i++) {
		if (slice_is(json_string(doc, node, &scratch), relation_type_names[i]))
			return i;
	}
	return -1;
}

static double relation_read_strength(const struct json *doc, uint32_t object)
{
	uint32_t node = json_member(doc, object, "strength");
	double strength = RELATION_STRENGTH;

	if (node == JSON_NONE || !json_double(doc, node, &strength))
		return RELATION_STRENGTH;
	return strength < 0 ? 0 : strength > 1 ? 1 : strength;
}

bool relation_read(struct relation *out, const struct json *doc, uint32_t member,
		   struct arena *arena)
{
	STR_AUTO scratch = STR_INIT;

	if (json_type(doc, member) != JSON_OBJECT)
		return false;
	int type = relation_read_type(doc, member);
	*out = (struct relation){
		.from = relation_member_text(doc, member, "from", arena),
		.to = relation_member_text(doc, member, "to", arena),
		.strength = relation_read_strength(doc, member),
		.created_ms = entry_time(doc, json_member(doc, member, "created_at")),
		.text = json_text(doc, member),
	};
	if (type < 0 || !out->from.ptr || !out->to.ptr)
		return false;
	out->type = (enum relation_type)type;
	out->id = arena_copy(arena, json_name(doc, member, &scratch));
	uint32_t metadata = json_member(doc, member, "metadata");
	if (metadata != JSON_NONE && json_type(doc, metadata) == JSON_OBJECT)
		out->metadata = json_text(doc, metadata);
	return true;
}

enum category relation_category(const struct json *doc, uint32_t member)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t from = json_member(doc, member, "from");
	int category = CATEGORY_ANY;

	if (from != JSON_NONE && json_type(doc, from) == JSON_STRING)
		category = ref_parse(json_string(doc, from, &scratch)).category;
	return category == CATEGORY_ANY ? CATEGORY_STATE : (enum category)category;
}

void relation_compose(struct str *out, const struct relation *relation)
{
	char time[TIMESTAMP_SIZE];
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	json_write_member_string(&w, "from", relation->from);
	json_write_member_string(&w, "to", relation->to);
	json_write_member_string(&w, "type", slice_of(relation_type_names[relation->type]));
	json_write_name(&w, slice_of("strength"));
	json_write_double(&w, relation->strength);
	if (relation->metadata.ptr)
		json_write_member_raw(&w, "metadata", relation->metadata);
	if (relation->created_ms != TIME_NONE) {
		timestamp_format(relation->created_ms, time);
		json_write_member_string(&w, "created_at", slice_of(time));
	}
	json_write_end(&w);
}

void relation_repoint(struct str *out, struct slice text, struct slice from, struct slice to)
{
	STR_AUTO scratch = STR_INIT;
	JSON_AUTO doc = {0};

	known_parse(&doc, text);
	struct json_writer w = json_writer_to(out, &json_compact);
	json_write_object(&w);
	for (uint32_t m = json_first(&doc, JSON_ROOT); m != JSON_NONE; m = json_next(&doc, m)) {
		struct slice name = json_name(&doc, m, &scratch);

		json_write_name_raw(&w, json_name_text(&doc, m));
		if (from.ptr && slice_is(name, "from"))
			json_write_string(&w, from);
		else if (to.ptr && slice_is(name, "to"))
			json_write_string(&w, to);
		else
			json_write_value(&w, &doc, m);
	}
	json_write_end(&w);
}

void relation_id(struct str *out, struct slice from, struct slice to, enum relation_type type,
		 int n)
{
	STR_AUTO said = STR_INIT;

	str_add(&said, from);
	str_addc(&said, '\n');
	str_add(&said, to);
	str_addc(&said, '\n');
	str_adds(&said, relation_type_names[type]);
	str_printf(out, "rel-%0*" PRIx64, ID_BITS / 4, hash64(str_slice(&said)) >> (64 - ID_BITS));
	if (n > 1)
		str_printf(out, "-%d", n);
}
