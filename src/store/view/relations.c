#include "store/view/relations.h"

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
};

void links_free(struct links *links)
{
	if (!links)
		return;
	arena_release(&links->arena);
	arena_release(&links->answer);
	free(links->relations);
	free(links->list);
	free(links);
}

static void relations_read(struct links *links, const struct loaded *file)
{
	const struct json *doc = loader_document(file);

	arena_release(&links->arena);
	links->count = 0;
	if (!doc)
		return;
	links->relations = mem_grow(links->relations, &links->cap, doc->nodes[JSON_ROOT].count,
				    sizeof *links->relations);
	for (uint32_t m = json_first(doc, JSON_ROOT); m != JSON_NONE; m = json_next(doc, m)) {
		if (relation_read(&links->relations[links->count], doc, m, &links->arena))
			links->count++;
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

int store_links(struct store *store, const struct link **out, size_t *count, struct err *err)
{
	const struct loaded *file = &store->files[STORE_FILE_RELATIONS];

	*out = NULL;
	*count = 0;
	if (store->disk.dirfd < 0)
		return 0;
	if (!store->links)
		store->links = mem_zalloc(1, sizeof *store->links);
	loader_read(store, STORE_FILE_RELATIONS);
	if (store->links->loads != file->loads) {
		store->links->loads = file->loads;
		relations_read(store->links, file);
	}
	if (file->broken)
		notices_broken_file(store, file);
	/* What is to be changed has to be there. */
	if (file->broken && (!file->stands || store->disk.lock_fd >= 0)) {
		*err = file->error;
		return -1;
	}
	relations_answer(store->links, store);
	*out = store->links->list;
	*count = store->links->count;
	return 0;
}

struct slice store_link_text(struct store *store, struct slice id)
{
	const struct loaded *file = &store->files[STORE_FILE_RELATIONS];
	const struct link *links;
	struct err ignored;
	uint32_t node;
	size_t count;

	if (store->disk.dirfd < 0 || store_links(store, &links, &count, &ignored) != 0)
		return slice_make(NULL, 0);
	node = json_member_slice(&file->doc, JSON_ROOT, id);
	return node == JSON_NONE ? slice_make(NULL, 0) : json_text(&file->doc, node);
}
