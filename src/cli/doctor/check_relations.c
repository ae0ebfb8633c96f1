/* What doctor says of relations.json: which links are about entries that are gone. */
#include "base/map.h"
#include "cli/doctor/check.h"
#include "model/archive_record.h"
#include "model/relation.h"
#include "store/files/resolve.h"
#include "store/log/cold.h"
#include "text/normalize.h"

#include <inttypes.h>

/* Links that are named one by one; of more only the number is said. */
#define NAMED_MAX 20

enum whereabouts { GONE, ARCHIVED, ACTIVE };

/* The entries that there are, by category and identity. */
struct known_entries {
	struct map places; /* enum whereabouts */
	struct arena arena;
};

static void check_know_ref(struct known_entries *known, enum category category, struct slice key,
			   enum whereabouts place)
{
	STR_AUTO identity = STR_INIT;
	STR_AUTO name = STR_INIT;
	size_t there;

	normalize_key(key, &identity);
	ref_add(&name, category, str_slice(&identity));
	if (!map_get(&known->places, str_slice(&name), &there) || there < (size_t)place)
		map_put(&known->places, arena_copy(&known->arena, str_slice(&name)), place);
}

static void check_know_entries(struct known_entries *known, enum category category,
			       const struct json *doc)
{
	for (uint32_t m = json_first(doc, JSON_ROOT); m != JSON_NONE; m = json_next(doc, m)) {
		STR_AUTO scratch = STR_INIT;

		check_know_ref(known, category, json_name(doc, m, &scratch), ACTIVE);
	}
}

static void check_know_records(struct known_entries *known, const struct json *doc)
{
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		uint32_t list = json_member(doc, JSON_ROOT, category_name((enum category)c));

		if (list == JSON_NONE || json_type(doc, list) != JSON_ARRAY)
			continue;
		for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
			struct record record;

			if (record_read(&record, (enum category)c, doc, n, &known->arena))
				check_know_ref(known, (enum category)c, record.original_key,
					       ARCHIVED);
		}
	}
}

static int check_know_line(void *context, const struct json *doc)
{
	struct known_entries *known = context;
	struct record record;

	if (record_read_line(&record, doc, JSON_ROOT, &known->arena))
		check_know_ref(known, record.category, record.original_key, ARCHIVED);
	return 0;
}

/* False when a file cannot be read, of which others say so: then nothing is known to be gone. */
static bool check_know_all(struct known_entries *known, struct checkup *checkup)
{
	struct err ignored;

	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++) {
		STR_AUTO text = STR_INIT;
		struct file_id id;
		JSON_AUTO doc = {0};

		if (disk_read_json(&checkup->disk, store_file_name((enum store_file)f), &text, &doc,
				   &id, &ignored) != 0)
			return false;
		if (f == STORE_FILE_ARCHIVE)
			check_know_records(known, &doc);
		else
			check_know_entries(known, (enum category)f, &doc);
	}
	return cold_walk(&checkup->disk, check_know_line, known, NULL, NULL, &ignored) == 0;
}

static enum whereabouts relations_find(const struct known_entries *known, struct slice written)
{
	const struct ref ref = ref_parse(written);
	size_t best = GONE;

	for (int c = 0; c < CATEGORY_COUNT; c++) {
		STR_AUTO identity = STR_INIT;
		STR_AUTO name = STR_INIT;
		size_t place;

		if (ref.category != CATEGORY_ANY && ref.category != c)
			continue;
		normalize_key(ref.key, &identity);
		ref_add(&name, (enum category)c, str_slice(&identity));
		if (map_get(&known->places, str_slice(&name), &place) && place > best)
			best = place;
	}
	return (enum whereabouts)best;
}

struct link_tally {
	size_t links;
	size_t hidden; /* until an entry is back */
	size_t gone;
	size_t bad; /* members that are not links */
};

static void check_add_end(struct str *out, struct slice written)
{
	const struct ref ref = ref_parse(written);

	checkup_add_ref(out,
			ref.category == CATEGORY_ANY ? "(any)"
						     : category_name((enum category)ref.category),
			ref.key);
}

static void check_tell_gone(struct checkup *checkup, const struct relation *relation,
			    bool from_gone)
{
	STR_AUTO from = STR_INIT;
	STR_AUTO to = STR_INIT;

	check_add_end(&from, relation->from);
	check_add_end(&to, relation->to);
	findings_add(checkup->found, FINDING_LINK_GONE, NULL,
		     "the link %s --[%s]--> %s is about an entry that is gone: %s", from.ptr,
		     relation_type_names[relation->type], to.ptr, from_gone ? from.ptr : to.ptr);
}

static void relations_check_link(struct checkup *checkup, const struct known_entries *known,
				 const struct relation *relation, struct link_tally *tally)
{
	enum whereabouts from = relations_find(known, relation->from);
	enum whereabouts to = relations_find(known, relation->to);

	if (from == ACTIVE && to == ACTIVE)
		return;
	if (from != GONE && to != GONE) {
		tally->hidden++;
		return;
	}
	if (tally->gone++ < NAMED_MAX)
		check_tell_gone(checkup, relation, from == GONE);
}

static void check_links(struct checkup *checkup, const struct known_entries *known,
			const struct json *doc, struct link_tally *tally)
{
	for (uint32_t m = json_first(doc, JSON_ROOT); m != JSON_NONE; m = json_next(doc, m)) {
		ARENA_AUTO arena = ARENA_INIT;
		STR_AUTO id = STR_INIT;
		struct relation relation;

		checkup_link_secrets(checkup, json_name(doc, m, &id), doc, m);
		if (!relation_read(&relation, doc, m, &arena)) {
			tally->bad++;
		} else {
			tally->links++;
			if (known)
				relations_check_link(checkup, known, &relation, tally);
		}
	}
}

void checkup_relations(struct checkup *checkup, const struct json *doc, struct str *summary)
{
	struct known_entries known = {0};
	struct link_tally tally = {0};
	bool all_known = check_know_all(&known, checkup);

	check_links(checkup, all_known ? &known : NULL, doc, &tally);
	str_printf(summary, ", %zu %s", tally.links, tally.links == 1 ? "link" : "links");
	if (tally.hidden)
		str_printf(summary, ", %zu hidden while an entry is archived", tally.hidden);
	if (tally.gone > NAMED_MAX)
		findings_add(checkup->found, FINDING_LINK_GONE, "They are hidden as well.",
			     "%zu more links are about entries that are gone",
			     tally.gone - NAMED_MAX);
	if (tally.bad)
		findings_add(checkup->found, FINDING_BAD_LINKS, NULL,
			     "%s has %zu %s that cannot be read as a link",
			     store_file_name(STORE_FILE_RELATIONS), tally.bad,
			     tally.bad == 1 ? "member" : "members");
	map_release(&known.places);
	arena_release(&known.arena);
}
