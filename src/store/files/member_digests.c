#include "store/files/member_digests.h"

#include "base/map.h"
#include "base/mem.h"
#include "model/archive_record.h"
#include "model/relation.h"

#include <stdlib.h>

static struct member_digest *digests_add(struct digests *units)
{
	units->list = mem_grow(units->list, &units->cap, units->count + 1, sizeof *units->list);
	units->list[units->count] = (struct member_digest){.node = JSON_NONE};
	return &units->list[units->count++];
}

static void digests_add_node(struct digests *out, uint64_t id, enum category category,
			     const struct json *doc, uint32_t node)
{
	struct member_digest *unit = digests_add(out);

	unit->id = id;
	unit->digest = hash64(json_text(doc, node));
	unit->node = node;
	unit->category = category;
}

/* Hash of category and record key, or of the text of what is no record. */
static uint64_t digests_record_id(enum category category, const struct json *doc, uint32_t node)
{
	STR_AUTO name = STR_INIT;
	ARENA_AUTO arena = ARENA_INIT;
	struct record record;

	if (record_read(&record, category, doc, node, &arena))
		ref_add(&name, category, record.key);
	else
		str_add(&name, json_text(doc, node));
	uint64_t id = hash64(str_slice(&name));
	return id;
}

static void digests_read_records(struct digests *out, const struct json *doc)
{
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		uint32_t list = json_member(doc, JSON_ROOT, category_name((enum category)c));

		if (list == JSON_NONE || json_type(doc, list) != JSON_ARRAY)
			continue;
		for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
			uint64_t id = digests_record_id((enum category)c, doc, n);

			/* A person may have copied a record: the second of a name is another. */
			while (digests_find(out, id))
				id++;
			digests_add_node(out, id, (enum category)c, doc, n);
		}
	}
}

void digests_read(struct digests *out, enum store_file file, const struct json *doc)
{
	STR_AUTO scratch = STR_INIT;

	if (file == STORE_FILE_ARCHIVE) {
		digests_read_records(out, doc);
		return;
	}
	for (uint32_t m = json_first(doc, JSON_ROOT); m != JSON_NONE; m = json_next(doc, m))
		digests_add_node(out, hash64(json_name(doc, m, &scratch)),
				 file == STORE_FILE_RELATIONS ? relation_category(doc, m)
							      : (enum category)file,
				 doc, m);
}

void digests_release(struct digests *units)
{
	free(units->list);
	*units = (struct digests)UNITS_INIT;
}

void digests_copy(struct digests *out, const struct digests *from)
{
	for (size_t i = 0; i < from->count; i++)
		*digests_add(out) = from->list[i];
}

const struct member_digest *digests_find(const struct digests *units, uint64_t id)
{
	for (size_t i = 0; i < units->count; i++) {
		if (units->list[i].id == id)
			return &units->list[i];
	}
	return NULL;
}

void digests_encode(struct str *out, const struct digests *units)
{
	if (!units->count)
		str_addc(out, '-');
	str_reserve(out, units->count * 2 * HEX_DIGITS);
	for (size_t i = 0; i < units->count; i++) {
		hex_add(out, units->list[i].id);
		hex_add(out, units->list[i].digest);
	}
}

bool digests_decode(struct digests *out, struct slice word)
{
	if (slice_is(word, "-"))
		return true;
	if (word.len == 0 || word.len % (2 * HEX_DIGITS) != 0)
		return false;
	for (size_t at = 0; at < word.len; at += 2 * HEX_DIGITS) {
		struct member_digest *unit = digests_add(out);

		if (!hex_read(slice_make(word.ptr + at, HEX_DIGITS), &unit->id) ||
		    !hex_read(slice_make(word.ptr + at + HEX_DIGITS, HEX_DIGITS), &unit->digest)) {
			digests_release(out);
			return false;
		}
	}
	return true;
}

void unit_set_aside(struct str *lines, enum store_file file, enum category category,
		    const struct json *doc, uint32_t node, int64_t now_ms)
{
	STR_AUTO record = STR_INIT;
	STR_AUTO key = STR_INIT;
	ARENA_AUTO arena = ARENA_INIT;

	if (file == STORE_FILE_ARCHIVE && json_type(doc, node) == JSON_OBJECT) {
		record_compose_cold(lines, category, json_text(doc, node));
	} else {
		struct entry entry;

		entry_read(&entry, category, doc, node, &arena);
		if (file == STORE_FILE_ARCHIVE)
			entry.key = slice_of("archive");
		record_key(&key, entry.key, now_ms, 1);
		record_compose(&record, str_slice(&key), entry.key, now_ms, REASON_REPLACED,
			       &entry);
		record_compose_cold(lines, category, str_slice(&record));
	}
	str_addc(lines, '\n');
}
