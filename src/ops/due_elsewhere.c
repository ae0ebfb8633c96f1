#include "ops/due_elsewhere.h"

#include "policy/retention.h"
#include "store/view/query.h"

bool due_elsewhere_expired(const struct store *store, const struct facts *facts,
			   const struct settings *settings, int64_t now_ms)
{
	const struct item *item = facts->item;

	return !store_may_judge(store) &&
	       retention_expired(item->kept_ms, retention_spares(&item->entry), settings, now_ms);
}

void due_elsewhere_write(struct json_writer *w, const struct call *call,
			 const struct settings *settings, const struct facts *facts, size_t count)
{
	int64_t found = 0;

	if (store_may_judge(call->store))
		return;
	for (size_t i = 0; i < count; i++) {
		bool faded = facts[i].kept == PROTECTION_NONE &&
			     decay_faded(settings, facts_score(&facts[i], settings, call->now_ms));

		if (!faded &&
		    !due_elsewhere_expired(call->store, &facts[i], settings, call->now_ms))
			continue;
		if (found == 0)
			json_write_member_array(w, "due");
		json_write_string(w, facts[i].item->ref);
		found++;
	}
	if (found == 0)
		return;
	json_write_end(w);
	json_write_member_int(w, "due_count", found);
}
