/* The names that an entry had before, as records and links tell them; see purge_internal.h. */
#include "model/relation.h"
#include "store/purge/purge_internal.h"
#include "store/files/resolve.h"

static const struct archived *last_record_of(const struct archived *all, size_t count,
					     const struct purge_key *key, const char *reason)
{
	const struct archived *last = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct record *record = &all[i].record;

		if (record->category == key->category && purge_key_is(key, record->original_key) &&
		    (!reason || slice_is(record->reason, reason)) &&
		    (!last || record->archived_ms >= last->record.archived_ms))
			last = &all[i];
	}
	return last;
}

struct archive {
	struct purging *purging;
	const struct archived *all;
	size_t count;
};

/* What was merged is archived as such; without that, and under a name that stands, it is not. */
static void add_merged(struct archive *archive, struct slice text)
{
	struct ref ref = ref_parse(text);
	const struct archived *last;
	struct purge_key key;
	size_t at;

	if (ref.category == CATEGORY_ANY || ref.key.len == 0)
		return;
	purge_key_init(&key, (enum category)ref.category, ref.key);
	last = last_record_of(archive->all, archive->count, &key, reason_name(REASON_MERGED));
	if (last || !purge_stands(archive->purging, &key)) {
		at = purge_set_add(archive->purging->set, key.category, ref.key);
		if (last && last->record.archived_ms > archive->purging->set->keys[at].until_ms)
			archive->purging->set->keys[at].until_ms = last->record.archived_ms;
	}
	purge_key_release(&key);
}

/* The last record of what was created at that moment under the name of this record. */
static const struct archived *last_of_life(const struct archive *archive,
					   const struct archived *other)
{
	const struct archived *last = other;
	struct purge_key key;

	purge_key_init(&key, other->record.category, other->record.original_key);
	for (size_t i = 0; i < archive->count; i++) {
		const struct record *record = &archive->all[i].record;

		if (record->category == key.category && purge_key_is(&key, record->original_key) &&
		    record->archived_ms > last->record.archived_ms &&
		    purge_same_birth(record->entry.text, other->record.entry.text))
			last = &archive->all[i];
	}
	purge_key_release(&key);
	return last;
}

/*
 * A record of another name, of an entry that was created at the same moment. Where no record says
 * that it was taken out, and it is not there any more, it has got another name.
 */
static void add_moved(struct archive *archive, const struct archived *other)
{
	struct purge_set *set = archive->purging->set;
	const struct record *record = &other->record;
	const struct item *item = store_find(archive->purging->store, (int)record->category,
					     record->original_key);
	const struct archived *last = last_of_life(archive, other);
	size_t at;

	if (!slice_is(last->record.reason, reason_name(REASON_REPLACED)) ||
	    (item && purge_same_birth(item->entry.text, record->entry.text)))
		return;
	at = purge_set_add(set, record->category, record->original_key);
	if (last->record.archived_ms > set->keys[at].until_ms)
		set->keys[at].until_ms = last->record.archived_ms;
}

/* What the text of an entry, active or archived, says of other names. */
static void read_entry(struct archive *archive, struct slice text)
{
	STR_AUTO birth = STR_INIT;
	struct json_fault fault;
	struct json doc;
	uint32_t list;
	uint32_t created;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return;
	list = json_member(&doc, JSON_ROOT, "merged_from");
	created = json_member(&doc, JSON_ROOT, "created_at");
	for (uint32_t n = list == JSON_NONE ? JSON_NONE : json_first(&doc, list); n != JSON_NONE;
	     n = json_next(&doc, n)) {
		STR_AUTO scratch = STR_INIT;

		add_merged(archive, json_string(&doc, n, &scratch));
	}
	if (created != JSON_NONE && json_type(&doc, created) == JSON_STRING)
		str_add(&birth, json_text(&doc, created));
	for (size_t i = 0; birth.len > 0 && i < archive->count; i++) {
		struct slice entry = archive->all[i].record.entry.text;

		if (entry.len > birth.len && memmem(entry.ptr, entry.len, birth.ptr, birth.len) &&
		    purge_same_birth(entry, text))
			add_moved(archive, &archive->all[i]);
	}
	json_release(&doc);
}

/* Links of the kind that merging makes. */
static int read_links(struct archive *archive, const struct purge_key *key, struct err *err)
{
	struct disk *disk = archive->purging->disk;
	struct arena arena = ARENA_INIT;
	STR_AUTO text = STR_INIT;
	struct relation link;
	struct file_id id;
	struct json doc;

	if (disk_read_json(disk, store_file_name(STORE_FILE_RELATIONS), &text, &doc, &id, err) != 0)
		return -1;
	for (uint32_t n = json_first(&doc, JSON_ROOT); n != JSON_NONE; n = json_next(&doc, n)) {
		struct purge_key to;
		struct ref ref;

		if (!relation_read(&link, &doc, n, &arena) ||
		    link.type != RELATION_CONSOLIDATED_FROM || !purge_key_has_ref(key, link.from))
			continue;
		ref = ref_parse(link.to);
		if (ref.category == CATEGORY_ANY)
			continue;
		purge_key_init(&to, (enum category)ref.category, ref.key);
		/* Anybody may make such a link; only who was merged is archived as such. */
		if (last_record_of(archive->all, archive->count, &to, reason_name(REASON_MERGED)))
			add_merged(archive, link.to);
		purge_key_release(&to);
	}
	arena_release(&arena);
	json_release(&doc);
	return 0;
}

int purge_records_search(struct purging *purging, struct err *err)
{
	struct archive archive = {.purging = purging};
	int result = store_archive_whole(purging->store, &archive.all, &archive.count, err);

	for (size_t k = 0; result == 0 && k < purging->set->count; k++) {
		/* The set grows, and its keys move. */
		struct purge_key key = purging->set->keys[k];
		const struct item *item = store_find(purging->store, (int)key.category,
						     ref_parse(str_slice(&key.ref)).key);

		if (item && !key.earlier)
			read_entry(&archive, item->entry.text);
		for (size_t i = 0; i < archive.count; i++) {
			const struct record *record = &archive.all[i].record;

			if (record->category == key.category &&
			    purge_key_is(&key, record->original_key))
				read_entry(&archive, record->entry.text);
		}
		result = read_links(&archive, &key, err);
	}
	return result;
}
