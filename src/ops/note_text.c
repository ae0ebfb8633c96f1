#include "ops/note_text.h"

#include "store/txn/change_ops.h"

#include <string.h>

/* The JSON text of a member of an entry; absent when there is none. */
static struct slice note_text_member(const struct json *doc, uint32_t entry, const char *name)
{
	uint32_t node = json_type(doc, entry) == JSON_OBJECT ? json_member(doc, entry, name)
							     : JSON_NONE;

	return node == JSON_NONE ? slice_of(NULL) : json_text(doc, node);
}

/* What the entry itself holds. */
static void note_text_fill(struct note_facts *facts, const struct json *doc, uint32_t entry)
{
	facts->tags = note_text_member(doc, entry, "tags");
	facts->entities = note_text_member(doc, entry, "entities");
}

void note_text_add(struct str *out, const struct entry *entry, const struct note_facts *known)
{
	struct note_facts facts = *known;
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, entry->category, entry->key);
	facts.ref = str_slice(&ref);
	facts.key = entry->key;
	facts.value = entry->value;
	if (!entry->bare)
		note_text_fill(&facts, entry->doc, entry->node);
	note_compose(out, &facts);
}

/* The name of the note in the folder; absent where it is elsewhere, or there is none. */
static struct slice note_text_file(const struct settings *settings, struct slice path)
{
	size_t folder = strlen(settings->notes_dir);

	if (path.len < folder + 2 || !slice_starts(path, settings->notes_dir) ||
	    path.ptr[folder] != '/')
		return slice_of(NULL);
	return slice_make(path.ptr + folder + 1, path.len - folder - 1);
}

int note_text_follow(struct change *change, const struct item *item, struct slice ref,
		     struct slice text, struct str *warning, struct err *err)
{
	ARENA_AUTO arena = ARENA_INIT;
	const struct entry *entry = &item->entry;
	struct note_facts old = {.ref = item->ref,
				 .key = entry->key,
				 .value = entry->value,
				 .updated_ms = item->updated_ms};
	struct note_facts now = {.ref = ref, .key = ref_parse(ref).key};
	struct settings settings;
	STR_AUTO note = STR_INIT;
	STR_AUTO again = STR_INIT;
	bool stays = true;
	JSON_AUTO doc = {0};

	if (!entry->promoted || entry->bare)
		return 0;
	if (store_settings(change_store(change), &settings, err) != 0)
		return -1;
	common_parse(&doc, text);
	struct slice path = json_member_text(entry->doc, entry->node, "promoted_to", &arena);
	struct slice file = note_text_file(&settings, path);
	/* An entry that was not promoted then has no note when it is put back. */
	if (!file.ptr ||
	    !slice_equal(path, json_member_text(&doc, JSON_ROOT, "promoted_to", &arena)) ||
	    !change_note_text(change, file, &note))
		return 0;
	note_text_fill(&old, entry->doc, entry->node);
	note_text_fill(&now, &doc, JSON_ROOT);
	now.value = note_text_member(&doc, JSON_ROOT, "value");
	struct slice told = json_member_text(&doc, JSON_ROOT, "last_updated", &arena);
	if (!told.ptr || !timestamp_parse(told, false, &now.updated_ms))
		now.updated_ms = change_now_ms(change);
	if (note_rewrite(str_slice(&note), &old, &now, &again) &&
	    change_note_again(change, entry->category, file, str_slice(&note), str_slice(&again),
			      &stays, err) != 0)
		return -1;
	if (stays && warning && warning->len == 0)
		str_printf(warning,
			   "the note %.*s was changed by hand and stays as it is: it does not say "
			   "what the entry says now",
			   (int)path.len, path.ptr);
	return 0;
}
