#include "ops/related.h"

#include "store/view/conflicts.h"

void related_write_kind(struct json_writer *w, const struct relation *relation)
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
