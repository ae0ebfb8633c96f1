#include "base/mem.h"
#include "store/links.h"
#include "tools/migrate.h"

static int type_of(struct slice name)
{
	for (int i = 0; i < RELATION_TYPE_COUNT; i++) {
		if (slice_is(name, relation_type_names[i]))
			return i;
	}
	return -1;
}

/* What the link was called, where it is none of our types. */
static struct slice metadata_for(const struct migration *m, const struct migrate_relation *relation)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w;

	if (!relation->type.ptr || type_of(relation->type) >= 0)
		return slice_of(NULL);
	json_writer_init(&w, &text, &json_compact);
	json_write_object(&w);
	json_write_member_string(&w, relation->type_name, relation->type);
	json_write_end(&w);
	return arena_copy(m->call->arena, str_slice(&text));
}

static double clamped(double strength)
{
	if (!(strength >= 0))
		return 0;
	return strength > 1 ? 1 : strength;
}

static struct slice name_of(const struct migration *m, const struct migrate_relation *relation)
{
	STR_AUTO name = STR_INIT;

	str_add(&name, relation->from);
	str_adds(&name, " -> ");
	str_add(&name, relation->to);
	return arena_copy(m->call->arena, str_slice(&name));
}

void migrate_link(struct migration *m, const struct migrate_relation *relation)
{
	struct slice from = migrate_ref(m, relation->from);
	struct slice to = migrate_ref(m, relation->to);
	struct slice name = name_of(m, relation);
	int type = type_of(relation->type);

	if (!from.ptr || !to.ptr) {
		migrate_leave(m, name, "one of the two is not here");
		return;
	}
	if (slice_equal(from, to)) {
		migrate_leave(m, name, "leads from an entry to itself");
		return;
	}
	m->total++;
	m->links = mem_grow(m->links, &m->link_cap, m->link_count + 1, sizeof *m->links);
	m->links[m->link_count++] = (struct migrate_link){
		.relation = {.from = from,
			     .to = to,
			     .type = type < 0 ? RELATION_RELATED : (enum relation_type)type,
			     .strength = clamped(relation->strength),
			     .metadata = metadata_for(m, relation),
			     .created_ms = relation->created_ms},
		.name = name,
	};
}

static bool is_there(const struct link *links, size_t count, const struct relation *relation)
{
	for (size_t i = 0; i < count; i++) {
		if (links[i].relation.type == relation->type &&
		    slice_equal(links[i].from, relation->from) &&
		    slice_equal(links[i].to, relation->to))
			return true;
	}
	return false;
}

/* Is the entry here, or about to be? */
static bool stands(const struct migration *m, struct slice ref)
{
	if (store_find_ref(m->call->store, ref))
		return true;
	for (size_t i = 0; i < m->plan.count; i++) {
		if (slice_equal(m->plan.steps[i].ref, ref))
			return m->plan.steps[i].skip_code == ERR_NONE;
	}
	return false;
}

int migrate_relate(struct migration *m, struct err *err)
{
	const struct link *links;
	size_t count;

	if (m->link_count == 0)
		return 0;
	if (store_links(m->call->store, &links, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < m->link_count; i++) {
		const struct migrate_link *link = &m->links[i];
		struct slice id;
		struct err why;

		/* Counted when it was found. */
		m->total--;
		if (is_there(links, count, &link->relation)) {
			migrate_leave(m, link->name, "is there already");
		} else if (!stands(m, link->relation.from) || !stands(m, link->relation.to)) {
			migrate_leave(m, link->name, "one of the two is not here");
		} else if (change_relate(m->change, &link->relation, &id, &why) != 0) {
			migrate_leave(m, link->name, "%s", why.text);
		} else {
			m->total++;
			m->migrated++;
		}
	}
	return 0;
}
