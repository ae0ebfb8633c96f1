#include "store/view/relations.h"

#include "base/map.h"
#include "base/mem.h"
#include "store/view/loader.h"
#include "store/view/notices.h"
#include "store/view/query.h"

#include <stdlib.h>

struct links {
	struct arena arena; /* of what the file says */
	struct relation *relations;
	size_t count;
	size_t cap;
	unsigned loads;    /* of the file when it was read */
	struct link *list; /* of the last answer */
	size_t list_cap;
	struct arena answer;
	size_t of_type[RELATION_TYPE_COUNT];
	struct predecessor *predecessors; /* of the last answer */
	size_t predecessor_cap;
};

void links_free(struct links *links)
{
	if (!links)
		return;
	arena_release(&links->arena);
	arena_release(&links->answer);
	free(links->relations);
	free(links->list);
	free(links->predecessors);
	free(links);
}

static void relations_read(struct links *links, const struct loaded *file)
{
	const struct json *doc = loader_document(file);

	arena_release(&links->arena);
	links->count = 0;
	memset(links->of_type, 0, sizeof links->of_type);
	if (!doc)
		return;
	links->relations = mem_grow(links->relations, &links->cap, doc->nodes[JSON_ROOT].count,
				    sizeof *links->relations);
	for (uint32_t m = json_first(doc, JSON_ROOT); m != JSON_NONE; m = json_next(doc, m)) {
		if (relation_read(&links->relations[links->count], doc, m, &links->arena))
			links->of_type[links->relations[links->count++].type]++;
	}
}

/* The ref of the entry that is meant; what is written where no active entry is. */
static bool relations_find_end(struct links *links, const struct store *store, struct slice written,
			       struct slice *out)
{
	const struct ref ref = ref_parse(written);
	const struct item *item = store_find(store, ref.category, ref.key);
	STR_AUTO text = STR_INIT;

	*out = item ? item->ref : written;
	if (!item && ref.category != CATEGORY_ANY) {
		ref_add(&text, (enum category)ref.category, ref.key);
		*out = arena_copy(&links->answer, str_slice(&text));
	}
	return item != NULL;
}

static void relations_answer(struct links *links, const struct store *store)
{
	arena_release(&links->answer);
	links->list = mem_grow(links->list, &links->list_cap, links->count, sizeof *links->list);
	for (size_t i = 0; i < links->count; i++) {
		struct link *link = &links->list[i];
		bool from;
		bool to;

		*link = (struct link){.relation = links->relations[i]};
		from = relations_find_end(links, store, link->relation.from, &link->from);
		to = relations_find_end(links, store, link->relation.to, &link->to);
		link->shown = from && to;
	}
}

/* Reads the file where it changed; NULL with an error when it cannot be used. */
static struct links *relations_load(struct store *store, struct err *err)
{
	const struct loaded *file = &store->files[STORE_FILE_RELATIONS];

	if (!store->links)
		store->links = mem_zalloc(1, sizeof *store->links);
	loader_read(store, STORE_FILE_RELATIONS);
	if (store->links->loads != file->loads) {
		store->links->loads = file->loads;
		relations_read(store->links, file);
		/* Keep the answers that were handed out before up to date. */
		relations_answer(store->links, store);
	}
	if (file->broken)
		notices_broken_file(store, file);
	/* A change needs the file itself, not the last text that stands for it. */
	if (!file->broken || (file->stands && store->disk.lock_fd < 0))
		return store->links;
	*err = file->error;
	return NULL;
}

int store_links(struct store *store, const struct link **out, size_t *count, struct err *err)
{
	*out = NULL;
	*count = 0;
	if (store->disk.dirfd < 0)
		return 0;
	struct links *links = relations_load(store, err);
	if (!links)
		return -1;
	relations_answer(links, store);
	*out = links->list;
	*count = links->count;
	return 0;
}

/* The links, where there are any of this type; NULL where there are none or they are unreadable. */
static struct links *relations_of_type(struct store *store, enum relation_type type)
{
	struct err ignored;

	if (store->disk.dirfd < 0)
		return NULL;
	struct links *links = relations_load(store, &ignored);
	return links && links->of_type[type] ? links : NULL;
}

/* ---- what took the place of what */

/* The newest record of an entry in archive.json; NULL where there is none. */
static const struct archived *relations_record_of(const struct store *store, struct slice ref)
{
	const struct ref parts = ref_parse(ref);
	const struct archived *newest = NULL;

	for (size_t i = 0; i < store->archive.count; i++) {
		const struct archived *archived = &store->archive.records[i];

		if (parts.category == (int)archived->record.category &&
		    slice_equal(parts.key, archived->record.original_key) &&
		    (!newest || archived->record.archived_ms >= newest->record.archived_ms))
			newest = archived;
	}
	return newest;
}

/* The links that supersede, by the ref of the superseded entry: the youngest of each. */
static void relations_map_superseding(const struct links *links, struct map *by_target)
{
	for (size_t i = 0; i < links->count; i++) {
		const struct relation *relation = &links->relations[i];
		size_t there;

		if (relation->type == RELATION_SUPERSEDES &&
		    (!map_get(by_target, relation->to, &there) ||
		     links->relations[there].created_ms <= relation->created_ms))
			map_put(by_target, relation->to, i);
	}
}

static const struct item *relations_active(const struct store *store, struct slice ref)
{
	const struct ref parts = ref_parse(ref);

	return parts.category == CATEGORY_ANY ? NULL : store_find(store, parts.category, parts.key);
}

static bool relations_follow(const struct store *store, const struct links *links,
			     const struct map *by_target, struct slice ref, struct successor *out)
{
	size_t at;

	*out = (struct successor){0};
	if (relations_active(store, ref))
		return false;
	/* As many steps as there are links: a person may have written a circle. */
	for (size_t steps = 0; steps < links->count && map_get(by_target, ref, &at); steps++) {
		ref = links->relations[at].from;
		out->ref = ref;
		out->item = relations_active(store, ref);
		if (out->item)
			return true;
		out->archived = relations_record_of(store, ref);
	}
	return out->archived && record_answers(&out->archived->record) &&
	       !slice_is(out->archived->record.reason, reason_name(REASON_SUPERSEDED));
}

bool store_successor(struct store *store, struct slice ref, struct successor *out)
{
	const struct links *links = relations_of_type(store, RELATION_SUPERSEDES);
	MAP_AUTO by_target = MAP_INIT;

	if (!links)
		return false;
	relations_map_superseding(links, &by_target);
	return relations_follow(store, links, &by_target, ref, out);
}

size_t store_predecessors(struct store *store, const struct predecessor **out)
{
	struct links *links = relations_of_type(store, RELATION_SUPERSEDES);
	MAP_AUTO by_target = MAP_INIT;
	size_t count = 0;

	*out = NULL;
	if (!links)
		return 0;
	relations_map_superseding(links, &by_target);
	links->predecessors = mem_grow(links->predecessors, &links->predecessor_cap, links->count,
				       sizeof *links->predecessors);
	for (size_t i = 0; i < links->count; i++) {
		struct predecessor *old = &links->predecessors[count];
		size_t at;

		/* Each once. */
		*old = (struct predecessor){.ref = links->relations[i].to};
		if (links->relations[i].type != RELATION_SUPERSEDES ||
		    !map_get(&by_target, old->ref, &at) || at != i ||
		    !relations_follow(store, links, &by_target, old->ref, &old->successor))
			continue;
		old->archived = relations_record_of(store, old->ref);
		count++;
	}
	*out = links->predecessors;
	return count;
}

/* ---- what contradicts what */

size_t store_contradicting(struct store *store, struct slice ref,
			   struct slice out[CONTRADICTING_MAX])
{
	const struct links *links = relations_of_type(store, RELATION_CONTRADICTS);
	const struct item *self = links ? relations_active(store, ref) : NULL;
	size_t count = 0;

	for (size_t i = 0; self && i < links->count && count < CONTRADICTING_MAX; i++) {
		const struct relation *relation = &links->relations[i];
		const struct item *from;
		const struct item *to;

		if (relation->type != RELATION_CONTRADICTS)
			continue;
		from = relations_active(store, relation->from);
		to = relations_active(store, relation->to);
		if (from && to && from != to && (from == self || to == self))
			out[count++] = from == self ? to->ref : from->ref;
	}
	return count;
}

struct slice store_link_text(struct store *store, struct slice id)
{
	const struct loaded *file = &store->files[STORE_FILE_RELATIONS];
	struct err ignored;

	if (store->disk.dirfd < 0 || !relations_load(store, &ignored))
		return slice_make(NULL, 0);
	uint32_t node = json_member_slice(&file->doc, JSON_ROOT, id);
	return node == JSON_NONE ? slice_make(NULL, 0) : json_text(&file->doc, node);
}
