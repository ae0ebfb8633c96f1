#include "ops/note_text.h"

#include "ops/common.h"

/* The JSON text of a member of the entry; absent when there is none. */
static struct slice note_text_member(const struct entry *entry, const char *name)
{
	uint32_t node = entry_member(entry, name);

	return node == JSON_NONE ? slice_of(NULL) : json_text(entry->doc, node);
}

void note_text_add(struct str *out, const struct entry *entry, const struct note_facts *known)
{
	struct note_facts facts = *known;
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, entry->category, entry->key);
	facts.ref = str_slice(&ref);
	facts.key = entry->key;
	facts.value = entry->value;
	facts.tags = note_text_member(entry, "tags");
	facts.entities = note_text_member(entry, "entities");
	note_compose(out, &facts);
}
