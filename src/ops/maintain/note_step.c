/* The step that makes a note of an entry. */
#include "ops/common.h"
#include "tools/promote.h"

/* A member of the entry as it is written there; absent when there is none. */
static struct slice field(const struct json *doc, const char *name)
{
	uint32_t node = json_member(doc, JSON_ROOT, name);

	return node == JSON_NONE ? slice_of(NULL) : json_text(doc, node);
}

void promote_note_text(struct str *out, const struct entry *entry, const struct note_facts *known)
{
	struct note_facts facts = *known;
	STR_AUTO ref = STR_INIT;
	struct json doc = {0};

	ref_add(&ref, entry->category, entry->key);
	facts.ref = str_slice(&ref);
	facts.key = entry->key;
	facts.value = entry->value;
	common_parse(&doc, entry->text);
	if (!entry->bare) {
		facts.tags = field(&doc, "tags");
		facts.entities = field(&doc, "entities");
	}
	note_compose(out, &facts);
	json_release(&doc);
}

/* The times stay: nobody has used the entry or said anything new. A bare value becomes an entry. */
static void entry_text(struct str *out, const struct entry *entry)
{
	struct json doc = {0};
	struct json_writer w;

	common_parse(&doc, entry->text);
	json_writer_init(&w, out, &json_compact);
	if (entry->bare) {
		json_write_object(&w);
		json_write_name(&w, slice_of("value"));
	}
	json_write_value(&w, &doc, JSON_ROOT);
	if (entry->bare)
		json_write_end(&w);
	json_release(&doc);
}

struct plan_step *promote_step(struct plan *plan, const struct facts *facts, double score,
			       int64_t now_ms)
{
	STR_AUTO stem = STR_INIT;
	STR_AUTO note = STR_INIT;
	STR_AUTO text = STR_INIT;

	note_stem(&stem, facts->item->entry.key);
	promote_note_text(&note, &facts->item->entry,
			  &(struct note_facts){
				  .created_ms = facts->item->created_ms,
				  .updated_ms = facts->item->updated_ms,
				  .promoted_ms = now_ms,
				  .score = score,
				  .uses = facts->uses,
			  });
	entry_text(&text, &facts->item->entry);
	return plan_promote(plan, facts->item, str_slice(&text), str_slice(&stem),
			    str_slice(&note));
}
