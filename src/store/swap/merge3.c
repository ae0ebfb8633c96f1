#include "store/swap/merge3.h"

#include "base/arena.h"
#include "base/mem.h"
#include "json/splice.h"

#include <stdlib.h>

/* A merge under way: the splices that make theirs into the result. */
struct merging {
	const struct merge3 *merge;
	const struct json *ours;
	struct digests our_units;
	struct digests their_units;
	struct splice *splices;
	size_t count;
	size_t cap;
	struct arena arena;
	struct str *aside;
};

static struct splice *merge3_add(struct merging *m, enum splice_kind kind, const struct json *doc,
				 const struct member_digest *unit)
{
	STR_AUTO scratch = STR_INIT;

	m->splices = mem_grow(m->splices, &m->cap, m->count + 1, sizeof *m->splices);
	struct splice *splice = &m->splices[m->count++];
	*splice = (struct splice){.kind = kind, .element = unit->node};
	if (m->merge->file == STORE_FILE_ARCHIVE)
		splice->path = slice_of(category_name(unit->category));
	else
		splice->name = arena_copy(&m->arena, json_name(doc, unit->node, &scratch));
	return splice;
}

static bool merge3_is_archive(const struct merging *m)
{
	return m->merge->file == STORE_FILE_ARCHIVE;
}

static void merge3_remove_theirs(struct merging *m, const struct member_digest *theirs)
{
	merge3_add(m, merge3_is_archive(m) ? SPLICE_DROP : SPLICE_REMOVE, m->merge->theirs, theirs);
}

static void merge3_put_ours(struct merging *m, const struct member_digest *ours,
			    const struct member_digest *theirs)
{
	/* As it stands, name and all: it may be a person's, whose spacing is theirs. */
	size_t begin = json_begin(m->ours, ours->node);

	if (merge3_is_archive(m) && theirs)
		merge3_remove_theirs(m, theirs);
	struct splice *splice = merge3_add(m, merge3_is_archive(m) ? SPLICE_APPEND : SPLICE_PUT,
					   m->ours, ours);
	splice->text = slice_make(m->ours->text.ptr + begin,
				  m->ours->nodes[ours->node].end - begin);
	splice->verbatim = true;
}

/* A unit that the file has now. */
static void merge3_merge_ours(struct merging *m, const struct member_digest *ours)
{
	const struct member_digest *theirs = digests_find(&m->their_units, ours->id);
	const struct member_digest *base = digests_find(m->merge->base, ours->id);

	if (theirs && theirs->digest == ours->digest)
		return;
	if (base && base->digest == ours->digest)
		return; /* only they have changed or removed it */
	/* They removed what we changed: it stays, since the change was acknowledged. */
	if (!theirs || (base && base->digest == theirs->digest)) {
		merge3_put_ours(m, ours, theirs);
		return;
	}
	unit_set_aside(m->aside, m->merge->file, ours->category, m->ours, ours->node,
		       m->merge->now_ms);
}

int merge3_build(void *context, const struct json *ours, struct str *out, struct str *aside,
		 struct err *err)
{
	const struct merge3 *merge = context;
	struct merging m = {.merge = merge, .ours = ours, .aside = aside};

	digests_read(&m.our_units, merge->file, ours);
	digests_read(&m.their_units, merge->file, merge->theirs);
	for (size_t i = 0; i < m.our_units.count; i++)
		merge3_merge_ours(&m, &m.our_units.list[i]);
	/* Of theirs, those that we removed and they left alone go. */
	for (size_t i = 0; i < m.their_units.count; i++) {
		const struct member_digest *theirs = &m.their_units.list[i];
		const struct member_digest *base = digests_find(merge->base, theirs->id);

		if (base && base->digest == theirs->digest &&
		    !digests_find(&m.our_units, theirs->id))
			merge3_remove_theirs(&m, theirs);
	}
	int result = splice_apply(out, merge->theirs, m.splices, m.count, err);
	digests_release(&m.our_units);
	digests_release(&m.their_units);
	free(m.splices);
	arena_release(&m.arena);
	return result;
}
