#include "tools/related.h"

#include "base/map.h"

static struct slice text_of(const struct call *call, const struct json *doc, uint32_t node,
			    const char *name)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t member = json_member(doc, node, name);

	if (member == JSON_NONE || json_type(doc, member) != JSON_STRING)
		return slice_of(NULL);
	return arena_copy(call->arena, json_string(doc, member, &scratch));
}

/* The refs of all active entries; their values do not matter. */
static void know_refs(struct map *refs, const struct call *call)
{
	size_t count;
	const struct item *items = store_items(call->store, &count);

	for (size_t i = 0; i < count; i++) {
		if (!items[i].due)
			map_put(refs, items[i].ref, i);
	}
}

static void add_relation(struct related *related, const struct call *call, const struct map *refs,
			 uint32_t node)
{
	struct relation relation = {.node = node};

	if (json_type(&related->doc, node) != JSON_OBJECT)
		return;
	relation.from = text_of(call, &related->doc, node, "from");
	relation.to = text_of(call, &related->doc, node, "to");
	if (relation.from.ptr && relation.to.ptr && map_get(refs, relation.from, NULL) &&
	    map_get(refs, relation.to, NULL))
		related->list[related->count++] = relation;
}

static void add_member(struct related *related, const struct call *call, const struct map *refs,
		       uint32_t member)
{
	if (json_type(&related->doc, member) != JSON_ARRAY) {
		add_relation(related, call, refs, member);
		return;
	}
	for (uint32_t n = json_first(&related->doc, member); n != JSON_NONE;
	     n = json_next(&related->doc, n))
		add_relation(related, call, refs, n);
}

void related_read(struct related *related, const struct call *call)
{
	struct map refs = MAP_INIT;
	struct file_id id;
	struct err err;

	*related = (struct related){.text = STR_INIT};
	if (store_disk(call->store)->dirfd < 0)
		return;
	if (disk_read_json(store_disk(call->store), store_file_name(STORE_FILE_RELATIONS),
			   &related->text, &related->doc, &id, &err) != 0) {
		if (call->warning->len == 0)
			str_printf(call->warning, "%s; relations are left out", err.text);
		return;
	}
	know_refs(&refs, call);
	related->list = arena_alloc(call->arena, related->doc.count * sizeof *related->list);
	for (uint32_t m = json_first(&related->doc, JSON_ROOT); m != JSON_NONE;
	     m = json_next(&related->doc, m))
		add_member(related, call, &refs, m);
	map_release(&refs);
}

void related_release(struct related *related)
{
	json_release(&related->doc);
	str_release(&related->text);
}

void related_write(const struct related *related, struct json_writer *w, const struct slice *refs,
		   size_t count)
{
	struct map shown = MAP_INIT;

	for (size_t i = 0; i < count; i++)
		map_put(&shown, refs[i], i);
	json_write_name(w, slice_of("relations"));
	json_write_array(w);
	for (size_t i = 0; i < related->count; i++) {
		const struct relation *relation = &related->list[i];

		if (map_get(&shown, relation->from, NULL) || map_get(&shown, relation->to, NULL))
			json_write_value(w, &related->doc, relation->node);
	}
	json_write_end(w);
	map_release(&shown);
}
