#include "merge/merge_conflict.h"

#include "base/map.h"
#include "json/write.h"
#include "merge/merge_entry.h"
#include "model/archive_record.h"

/* A digest of the value that won over a text. */
#define RECORD_FRONT "front"

void conflict_report(struct merge_report *report, struct slice file, struct slice key,
		     struct part front, struct part loser)
{
	struct merge_conflict *conflict = merge_report_add(report);

	*conflict = (struct merge_conflict){
		.file = arena_copy(&report->arena, file),
		.key = arena_copy(&report->arena, key),
		.loser = arena_copy(&report->arena, json_text(&loser.doc->json, loser.node)),
		.front = arena_copy(&report->arena, part_text(entry_value(front))),
		.time = entry_later_time(front, loser, &report->arena),
	};
}

/* The list of texts that lost; none where the member is something else. */
static struct part conflict_list(struct part entry)
{
	struct part list = part_member(entry, slice_of(ENTRY_CONFLICT));

	if (entry_is_bare(entry) || !part_is(list, JSON_ARRAY) || part_count(list) == 0)
		return part_none();
	for (struct part e = part_first(list); e.doc; e = part_next(e)) {
		if (entry_is_bare(e))
			return part_none();
	}
	return list;
}

/* An entry that was the value itself is again: it has no other member than these two. */
static void conflict_write_rest(struct part entry, struct str *rest)
{
	struct json_writer w = json_writer_to(rest, &json_compact);

	if (part_count(entry) == 2) {
		part_write(entry_value(entry), &w);
		return;
	}
	json_write_object(&w);
	for (struct part m = part_first(entry); m.doc; m = part_next(m)) {
		if (slice_is(part_name(m), ENTRY_CONFLICT))
			continue;
		json_write_name(&w, part_name(m));
		part_write(m, &w);
	}
	json_write_end(&w);
}

bool conflict_lift(struct slice file, struct slice key, struct slice entry, struct str *rest,
		   struct merge_report *report)
{
	CANON_AUTO doc = {0};
	struct part root;
	struct part list;

	canon_known(&doc, entry);
	root = part_root(&doc);
	list = conflict_list(root);
	if (!list.doc)
		return false;
	str_clear(rest);
	conflict_write_rest(root, rest);
	for (struct part e = part_first(list); e.doc; e = part_next(e))
		conflict_report(report, file, key, root, e);
	return true;
}

bool conflict_is_open(struct slice record, struct slice entry)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO now = STR_INIT;
	CANON_AUTO doc = {0};
	CANON_AUTO kept = {0};
	struct json_fault unused;
	struct part front;

	if (canon_parse(&kept, record, &unused) != 0 || canon_parse(&doc, entry, &unused) != 0)
		return false;
	front = part_member(part_root(&kept), slice_of(RECORD_FRONT));
	hex_add(&now, hash64(part_text(entry_value(part_root(&doc)))));
	return front.doc && slice_equal(part_string(front, &scratch), str_slice(&now));
}

void conflict_record_key(struct str *out, const struct merge_conflict *conflict)
{
	str_add(out, conflict->key);
	str_addc(out, '@');
	str_add(out, conflict->time.len ? conflict->time : slice_of("0"));
}

void conflict_record(struct str *out, const struct merge_conflict *conflict, struct slice key)
{
	STR_AUTO front = STR_INIT;

	hex_add(&front, hash64(conflict->front));
	struct json_writer w = json_writer_to(out, &json_compact);
	json_write_object(&w);
	json_write_member_string(&w, "key", key);
	json_write_member_string(&w, "originalKey", conflict->key);
	json_write_member_string(&w, "archivedAt",
				 conflict->time.len ? conflict->time : slice_of("0"));
	json_write_member_string(&w, "reason", slice_of(reason_name(REASON_CONFLICT)));
	json_write_member_string(&w, RECORD_FRONT, str_slice(&front));
	json_write_member_raw(&w, "entry", conflict->loser);
	json_write_end(&w);
}
