#include "base/mem.h"
#include "base/utf8.h"
#include "ops/transfer/import_entries.h"
#include "store/txn/undo.h"
#include "store/view/relations.h"

#include <inttypes.h>
#include <math.h>

/* What the link was called, where it is none of our types. */
static struct slice import_metadata_for(const struct import *m,
					const struct import_relation *relation)
{
	STR_AUTO text = STR_INIT;

	if (!relation->type.ptr || slice_index(relation->type, relation_type_names) >= 0)
		return slice_of(NULL);
	struct json_writer w = json_writer_to(&text, &json_compact);
	json_write_object(&w);
	json_write_member_string(&w, relation->type_name, relation->type);
	json_write_end(&w);
	return arena_copy(m->call->arena, str_slice(&text));
}

static struct slice import_relations_name_of(const struct import *m, struct slice from,
					     struct slice to)
{
	STR_AUTO name = STR_INIT;

	str_add(&name, from);
	str_adds(&name, " -> ");
	str_add(&name, to);
	return arena_copy(m->call->arena, str_slice(&name));
}

static struct import_link *import_relations_add_link(struct import *m)
{
	m->total++;
	if (m->link_count >= IMPORT_THINGS_MAX) {
		m->overflowed = true;
		m->link_count--;
	}
	return MEM_ADD(m->links, m->link_count, m->link_cap);
}

void import_link(struct import *m, const struct import_relation *relation)
{
	*MEM_ADD(m->waiting, m->waiting_count, m->waiting_cap) = *relation;
}

static void import_relations_take(struct import *m, const struct import_relation *relation)
{
	struct slice from = import_ref(m, relation->from);
	struct slice to = import_ref(m, relation->to);
	struct slice name = import_relations_name_of(m, relation->from, relation->to);
	int type = slice_index(relation->type, relation_type_names);

	if (!from.ptr || !to.ptr)
		import_leave(m, name, "one of the two is not here");
	else if (slice_equal(from, to))
		import_leave(m, name, "leads from an entry to itself");
	else
		*import_relations_add_link(m) = (struct import_link){
			.relation = {.from = from,
				     .to = to,
				     .type = type < 0 ? RELATION_RELATED : (enum relation_type)type,
				     .strength = fmin(1, fmax(0, relation->strength)),
				     .metadata = import_metadata_for(m, relation),
				     .created_ms = relation->created_ms},
			.name = name,
		};
}

void import_link_waiting(struct import *m)
{
	for (size_t i = 0; i < m->waiting_count; i++)
		import_relations_take(m, &m->waiting[i]);
	m->waiting_count = 0;
}

void import_own_link(struct import *m, struct slice id, const struct json *doc, uint32_t node)
{
	struct relation relation;

	if (!relation_read(&relation, doc, node, m->call->arena)) {
		import_leave(m, id, "is no link: it needs from, to and one of the six types");
		return;
	}
	relation.from = arena_copy(m->call->arena, relation.from);
	relation.to = arena_copy(m->call->arena, relation.to);
	*import_relations_add_link(m) = (struct import_link){
		.relation = relation,
		.id = arena_copy(m->call->arena, id),
		.text = common_json(m->call, (struct arg_json){doc, node}),
		.name = import_relations_name_of(m, relation.from, relation.to),
	};
}

/* The links that are here, and those that were made of the source by now. */
struct known {
	const struct link *links;
	size_t count;
	struct map made; /* what a link joins, and its type -> number in m->links */
	struct arena *arena;
};

static struct slice import_relations_joins(const struct known *known,
					   const struct relation *relation)
{
	STR_AUTO text = STR_INIT;

	str_add(&text, relation->from);
	str_addc(&text, '\n');
	str_add(&text, relation->to);
	str_printf(&text, "\n%s", relation_type_names[relation->type]);
	return arena_copy(known->arena, str_slice(&text));
}

/* True if all that the metadata of one says is in those of the other, too. */
static bool import_says_as_much(struct slice there, struct slice wanted)
{
	STR_AUTO scratch = STR_INIT;
	JSON_AUTO have = {0};
	JSON_AUTO want = {0};

	if (!there.ptr || !wanted.ptr)
		return !wanted.ptr;
	common_parse(&have, there);
	common_parse(&want, wanted);
	for (uint32_t n = json_first(&want, JSON_ROOT); n != JSON_NONE; n = json_next(&want, n)) {
		uint32_t same = json_member_slice(&have, JSON_ROOT, json_name(&want, n, &scratch));

		if (same == JSON_NONE || !json_equal(&have, same, &want, n))
			return false;
	}
	return true;
}

enum standing {
	STANDING_NONE,
	STANDING_SAME,
	STANDING_OTHER, /* something of this one would be lost in it */
};

/* True if there is a link of this type between the two entries already. There can be only one. */
static enum standing import_standing_of(const struct import *m, const struct known *known,
					const struct relation *relation)
{
	enum standing standing = STANDING_NONE;
	size_t number;

	for (size_t i = 0; i < known->count; i++) {
		const struct link *link = &known->links[i];

		if (link->relation.type != relation->type ||
		    !slice_equal(link->from, relation->from) ||
		    !slice_equal(link->to, relation->to))
			continue;
		if (import_says_as_much(link->relation.metadata, relation->metadata))
			return STANDING_SAME;
		standing = STANDING_OTHER;
	}
	if (standing == STANDING_NONE &&
	    map_get(&known->made, import_relations_joins(known, relation), &number))
		standing = import_says_as_much(m->links[number].relation.metadata,
					       relation->metadata)
				   ? STANDING_SAME
				   : STANDING_OTHER;
	return standing;
}

/*
 * The ref of the entry of this category and key, in whatever spelling, that is here or about to be;
 * absent when there is none.
 */
static struct slice import_standing(const struct import *m, enum category category,
				    struct slice key)
{
	const struct item *item = store_find(m->call->store, (int)category, key);
	STR_AUTO identity = STR_INIT;
	size_t step;

	if (item)
		return item->ref;
	common_add_identity(&identity, category, key);
	if (map_get(&m->taken, str_slice(&identity), &step) &&
	    m->plan.steps[step].skip_code == ERR_NONE)
		return m->plan.steps[step].ref;
	return slice_of(NULL);
}

/*
 * The entry, or archived one, that an end of a link means: in the category that it names, else in
 * the first that has it. Where the value here is another one, nobody knows whether it still holds.
 */
static bool import_relations_find_end(const struct import *m, struct slice *end, struct err *why)
{
	struct ref asked = ref_parse(*end);
	STR_AUTO scratch = STR_INIT;

	for (int c = 0; c < CATEGORY_COUNT; c++) {
		enum category category = (enum category)c;
		STR_AUTO identity = STR_INIT;

		if (asked.category != CATEGORY_ANY && asked.category != c)
			continue;
		common_add_identity(&identity, category, asked.key);
		struct slice ref = import_standing(m, category, asked.key);
		if (!ref.ptr && !map_get(&m->archived, str_slice(&identity), NULL))
			continue;
		if (map_get(&m->declined, str_slice(&identity), NULL)) {
			err_set(why, ERR_BAD_VALUE, "another value is stored under %s",
				shown(&scratch, *end));
			return false;
		}
		*end = ref.ptr ? ref : common_ref(m->call->arena, category, asked.key);
		return true;
	}
	err_set(why, ERR_NOT_FOUND, "one of the two is not here");
	return false;
}

/* What a new one says beyond the refs of entries that are here is its metadata. */
static int import_relations_make(struct import *m, const struct import_link *link, struct err *why)
{
	struct slice text = link->id.ptr ? link->text : link->relation.metadata;
	struct slice id;

	if (slice_equal(link->relation.from, link->relation.to))
		return err_set(why, ERR_BAD_VALUE, "leads from an entry to itself");
	/* Check the size first, so that no text of any length is searched. */
	if ((int64_t)text.len > m->settings.entry_bytes || link->id.len > KEY_BYTES_MAX)
		return err_set(why, ERR_TOO_LARGE,
			       "has %zu bytes; the limit is %" PRId64 " (limits.entry_bytes)",
			       text.len + link->id.len, m->settings.entry_bytes);
	const char *rule = text.ptr ? import_secret_in(m, text, link->id) : NULL;
	if (rule)
		return err_set(why, ERR_BAD_VALUE, "holds a secret (%s)", rule);
	if (link->id.ptr) {
		if (store_link_text(m->call->store, link->id).ptr)
			return err_set(why, ERR_EXISTS, "another link has the same name");
		return undo_link(m->change, link->id, link->text, why);
	}
	return change_relate(m->change, &link->relation, &id, why);
}

static void import_relate_one(struct import *m, size_t number, struct known *known)
{
	struct import_link *link = &m->links[number];
	enum standing standing = STANDING_NONE;
	struct slice now = slice_of(NULL);
	struct err why;

	/* Hidden links count too, those with an archived end. */
	if (link->id.ptr)
		now = store_link_text(m->call->store, link->id);
	if (now.ptr && common_same_json(now, link->text))
		standing = STANDING_SAME;
	if (standing == STANDING_NONE &&
	    (!import_relations_find_end(m, &link->relation.from, &why) ||
	     !import_relations_find_end(m, &link->relation.to, &why))) {
		import_leave(m, link->name, "%s", why.text);
		return;
	}
	if (standing == STANDING_NONE)
		standing = import_standing_of(m, known, &link->relation);
	if (standing == STANDING_OTHER)
		import_leave(m, link->name,
			     "a %s link that says something else joins the two already",
			     relation_type_names[link->relation.type]);
	else if (standing == STANDING_SAME)
		import_leave_as(m, IMPORT_THERE, link->name, "is there already");
	else if (import_relations_make(m, link, &why) == 0) {
		m->total++;
		m->migrated++;
		m->relation_count++;
		/* Known to those that follow; one with a name of its own may have a twin. */
		if (!link->id.ptr)
			map_put(&known->made, import_relations_joins(known, &link->relation),
				number);
	} else if (why.code == ERR_EXISTS)
		import_leave_as(m, IMPORT_CONFLICT, link->name, why.text);
	else
		import_leave(m, link->name, "%s", why.text);
}

int import_relate(struct import *m, struct err *err)
{
	struct known known = {.arena = m->call->arena};

	if (m->link_count == 0)
		return 0;
	if (store_links(m->call->store, &known.links, &known.count, err) != 0)
		return -1;
	if (known.count + m->link_count > LINKS_MAX)
		return err_set(err, ERR_STORE_FULL,
			       "there would be %zu links; at most %d are kept: remove some first",
			       known.count + m->link_count, LINKS_MAX);
	for (size_t i = 0; i < m->link_count; i++) {
		/* Counted when it was found. */
		m->total--;
		import_relate_one(m, i, &known);
	}
	map_release(&known.made);
	return 0;
}
