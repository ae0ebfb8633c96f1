#include "ops/related.h"

#include "base/map.h"
#include "store/view/conflicts.h"

/* Whatever asks for links later in the call may read the file anew. */
static void related_keep(struct arena *arena, struct link *link)
{
	struct slice *texts[] = {&link->relation.id,
				 &link->relation.from,
				 &link->relation.to,
				 &link->relation.metadata,
				 &link->relation.text,
				 &link->from,
				 &link->to,
				 NULL};

	for (size_t i = 0; texts[i]; i++)
		if (texts[i]->ptr)
			*texts[i] = arena_copy(arena, *texts[i]);
}

void related_read(struct related *related, const struct call *call)
{
	struct link *list;
	struct err err;

	*related = (struct related){0};
	if (store_links(call->store, &related->list, &related->count, &err) != 0) {
		if (call->warning->len == 0)
			str_printf(call->warning, "%s; relations are left out", err.text);
		return;
	}
	list = arena_alloc(call->arena, (related->count + 1) * sizeof *list);
	for (size_t i = 0; i < related->count; i++) {
		list[i] = related->list[i];
		related_keep(call->arena, &list[i]);
		related->shown += list[i].shown;
	}
	related->list = list;
}

static void related_write_kind(struct json_writer *w, const struct relation *relation)
{
	json_write_member_string(w, "type", slice_of(relation_type_names[relation->type]));
	json_write_member_double(w, "strength", relation->strength);
}

void related_write_link(struct json_writer *w, const struct call *call, const char *name,
			const struct link *link)
{
	json_write_member_string(w, name, link->relation.id);
	json_write_member_string(w, "from", link->from);
	json_write_member_string(w, "to", link->to);
	related_write_kind(w, &link->relation);
	if (link->relation.metadata.ptr)
		json_write_member_raw(w, "metadata", common_compact(call, link->relation.metadata));
	common_write_time(w, "created_at", link->relation.created_ms);
}

void related_write(const struct related *related, struct json_writer *w, const struct call *call,
		   const struct slice *refs, size_t count)
{
	MAP_AUTO wanted = MAP_INIT;

	for (size_t i = 0; i < count; i++)
		map_put(&wanted, refs[i], i);
	json_write_member_array(w, "relations");
	for (size_t i = 0; i < related->count; i++) {
		const struct link *link = &related->list[i];

		if (!link->shown ||
		    (!map_get(&wanted, link->from, NULL) && !map_get(&wanted, link->to, NULL)))
			continue;
		json_write_object(w);
		related_write_link(w, call, "id", link);
		json_write_end(w);
	}
	json_write_end(w);
}

void related_write_contradicting(struct json_writer *w, const struct call *call, struct slice ref)
{
	struct slice others[CONTRADICTING_MAX];
	const struct archived *other;
	const struct item *item;

	common_write_refs(w, "contradicts", others, store_contradicting(call->store, ref, others));
	item = store_find_ref(call->store, ref);
	other = item ? store_conflict_of(call->store, item) : NULL;
	if (other)
		json_write_member_string(w, "conflict", other->ref);
}

static void related_write_end_names(const struct related *related, struct json_writer *w,
				    struct slice ref, bool outgoing)
{
	json_write_member_array(w, outgoing ? "outgoing" : "incoming");
	for (size_t i = 0; i < related->count; i++) {
		const struct link *link = &related->list[i];

		if (!link->shown || !slice_equal(outgoing ? link->from : link->to, ref))
			continue;
		json_write_object(w);
		json_write_member_string(w, "id", link->relation.id);
		json_write_member_string(w, outgoing ? "to" : "from",
					 outgoing ? link->to : link->from);
		related_write_kind(w, &link->relation);
		json_write_end(w);
	}
	json_write_end(w);
}

void related_write_ends(const struct related *related, struct json_writer *w, struct slice ref)
{
	json_write_member_object(w, "relations");
	related_write_end_names(related, w, ref, true);
	related_write_end_names(related, w, ref, false);
	json_write_end(w);
}
