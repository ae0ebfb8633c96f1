#include "ops/related.h"

#include "base/utf8.h"
#include "store/view/conflicts.h"

/* What is not active cannot be superseded: it is archived, or was never there. */
static int related_refuse_inactive(const struct call *call, struct slice text, struct err *err)
{
	const struct archived *records;
	const struct ref ref = ref_parse(text);
	STR_AUTO scratch = STR_INIT;
	size_t count;

	if (store_archive_all(call->store, &records, &count, err) != 0)
		return -1;
	for (size_t i = count; i-- > 0;) {
		bool named = (ref.category == CATEGORY_ANY ||
			      ref.category == (int)records[i].record.category) &&
			     common_same_key(records[i].record.original_key, ref.key);

		if (named || slice_equal(records[i].ref, text))
			return err_set(err, ERR_NOT_FOUND,
				       "supersedes: %s is already archived; "
				       "leave it out",
				       shown(&scratch, text));
	}
	return common_refuse_unknown(call, "supersedes", text, err);
}

int related_supersede(struct change *change, const struct call *call, const struct arg_texts *old,
		      struct slice by, struct slice gone[SUPERSEDES_MAX], size_t *gone_count,
		      struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	*gone_count = 0;
	if (old->count > SUPERSEDES_MAX)
		return err_set(err, ERR_BAD_VALUE, "supersedes: %zu refs; at most %d are allowed",
			       old->count, SUPERSEDES_MAX);
	for (size_t i = 0; i < old->count; i++) {
		const struct item *item = common_look_up(call, old->items[i]);
		struct successor successor;
		bool again = false;

		if (slice_equal(old->items[i], by) || (item && slice_equal(item->ref, by)))
			return err_set(err, ERR_BAD_VALUE,
				       "supersedes: %s is the entry being set; its old value is "
				       "archived anyway",
				       shown(&scratch, by));
		/* It has superseded that one already. */
		if (!item && ref_parse(old->items[i]).category != CATEGORY_ANY &&
		    store_successor(call->store, old->items[i], &successor) && successor.item &&
		    slice_equal(successor.item->ref, by))
			continue;
		if (!item)
			return related_refuse_inactive(call, old->items[i], err);
		for (size_t k = 0; k < *gone_count; k++)
			again = again || slice_equal(gone[k], item->ref);
		if (again)
			continue;
		gone[(*gone_count)++] = arena_copy(call->arena, item->ref);
		if (change_supersede(change, by, item, REASON_SUPERSEDED, err) != 0)
			return -1;
	}
	return 0;
}

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

	common_write_refs(w, "contradicts", others, store_contradicting(call->store, ref, others));
	const struct item *item = store_find_ref(call->store, ref);
	const struct archived *other = item ? store_conflict_of(call->store, item) : NULL;
	if (other)
		json_write_member_string(w, "conflict", other->ref);
}
