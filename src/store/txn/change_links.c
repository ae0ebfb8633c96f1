/* Links in a change: what change.h says of them. */
#include "base/map.h"
#include "base/mem.h"
#include "store/txn/change_ops_internal.h"
#include "store/view/loader.h"
#include "store/view/relations.h"

#include <inttypes.h>

static struct link_work *links_add_work(struct change *change)
{
	change->links = mem_grow(change->links, &change->link_cap, change->link_count + 1,
				 sizeof *change->links);
	change->links[change->link_count] = (struct link_work){0};
	return &change->links[change->link_count++];
}

static void links_take_link(struct change *change, const struct link *link)
{
	struct link_work *work = links_add_work(change);

	work->id = arena_copy(&change->arena, link->relation.id);
	work->from = arena_copy(&change->arena, link->from);
	work->to = arena_copy(&change->arena, link->to);
	work->type = link->relation.type;
	work->text = arena_copy(&change->arena, link->relation.text);
	work->before = hash64(link->relation.text);
}

/* Reads the links of the store, with the first that the change is about. */
static int links_know_links(struct change *change, struct err *err)
{
	const struct link *links;
	size_t count;

	if (change->links_known)
		return 0;
	if (store_links(change->store, &links, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		links_take_link(change, &links[i]);
	change->links_known = true;
	return 0;
}

static enum category links_category_of(struct slice ref)
{
	int category = ref.ptr ? ref_parse(ref).category : CATEGORY_ANY;

	return category == CATEGORY_ANY ? CATEGORY_STATE : (enum category)category;
}

/* Sees to it that the one operation of a link does what is wanted of it now. */
static void links_write_op(struct change *change, struct link_work *work)
{
	struct op op = {
		.kind = work->gone ? OP_LINK_REMOVE : OP_LINK_PUT,
		.category = links_category_of(work->from),
		.key = work->id,
		.text = work->text,
		.before = work->before,
	};

	if (work->op) {
		change->ops[work->op - 1] = op;
		return;
	}
	change_add_op(change, &op);
	work->op = change->op_count;
}

static struct link_work *links_find_said(struct change *change, struct slice from, struct slice to,
					 enum relation_type type, const struct link_work *but)
{
	for (size_t i = 0; i < change->link_count; i++) {
		struct link_work *work = &change->links[i];

		if (work != but && !work->gone && work->type == type &&
		    slice_equal(work->from, from) && slice_equal(work->to, to))
			return work;
	}
	return NULL;
}

static struct link_work *links_find_id(struct change *change, struct slice id)
{
	for (size_t i = 0; i < change->link_count; i++) {
		if (slice_equal(change->links[i].id, id))
			return &change->links[i];
	}
	return NULL;
}

/* True if a member of the file, link or not, or a link of the change has this name. */
static bool links_is_taken(struct change *change, struct slice id)
{
	const struct loaded *file = &change->store->files[STORE_FILE_RELATIONS];

	return links_find_id(change, id) ||
	       (loader_document(file) && json_member_slice(&file->doc, JSON_ROOT, id) != JSON_NONE);
}

static struct slice links_new_id(struct change *change, const struct relation *relation)
{
	STR_AUTO id = STR_INIT;

	for (int n = 1; !id.len || links_is_taken(change, str_slice(&id)); n++) {
		str_clear(&id);
		relation_id(&id, relation->from, relation->to, relation->type, n);
	}
	return arena_copy(&change->arena, str_slice(&id));
}

static int links_check_relation(const struct change *change, const struct relation *relation,
				struct err *err)
{
	if (slice_equal(relation->from, relation->to))
		return err_set(err, ERR_BAD_VALUE,
			       "to: %.*s is where the link begins; give another entry",
			       (int)relation->to.len, relation->to.ptr);
	if (change->link_count >= LINKS_MAX)
		return err_set(err, ERR_STORE_FULL,
			       "there are %zu links; at most %d are kept: remove some first",
			       change->link_count, LINKS_MAX);
	return 0;
}

static int links_check_size(const struct change *change, struct slice text, struct err *err)
{
	int64_t limit = change->store->settings.entry_bytes;

	if ((int64_t)text.len <= limit)
		return 0;
	return err_set(err, ERR_TOO_LARGE,
		       "the link would have %zu bytes; the limit is %" PRId64
		       " (limits.entry_bytes): shorten its metadata",
		       text.len, limit);
}

int change_relate(struct change *change, const struct relation *relation, struct slice *id,
		  struct err *err)
{
	struct relation dated = *relation;
	STR_AUTO text = STR_INIT;

	if (links_know_links(change, err) != 0)
		return -1;
	const struct link_work *there = links_find_said(change, relation->from, relation->to,
							relation->type, NULL);
	if (there) {
		*id = there->id;
		return 0;
	}
	if (dated.created_ms == TIME_NONE)
		dated.created_ms = change->now_ms;
	relation_compose(&text, &dated);
	if (links_check_relation(change, relation, err) != 0 ||
	    links_check_size(change, str_slice(&text), err) != 0)
		return -1;
	dated.id = links_new_id(change, relation);
	struct link_work *work = links_add_work(change);
	work->id = dated.id;
	work->from = arena_copy(&change->arena, relation->from);
	work->to = arena_copy(&change->arena, relation->to);
	work->type = relation->type;
	work->text = arena_copy(&change->arena, str_slice(&text));
	links_write_op(change, work);
	*id = work->id;
	return 0;
}

int change_supersede(struct change *change, struct slice by, const struct item *item,
		     enum reason reason, struct err *err)
{
	const struct relation relation = {
		.from = by,
		.to = item->ref,
		.type = RELATION_SUPERSEDES,
		.strength = RELATION_STRENGTH,
		.created_ms = change->now_ms,
	};
	struct slice id;

	if (change_archive(change, item, reason, err) != 0)
		return -1;
	return change_relate(change, &relation, &id, err);
}

void links_end_supersession(struct change *change, struct slice ref)
{
	struct err ignored;

	/* Without links nobody has superseded it. */
	if (links_know_links(change, &ignored) != 0)
		return;
	for (size_t i = 0; i < change->link_count; i++) {
		struct link_work *work = &change->links[i];

		if (work->gone || work->type != RELATION_SUPERSEDES || !slice_equal(work->to, ref))
			continue;
		work->gone = true;
		links_write_op(change, work);
	}
}

int change_unrelate(struct change *change, struct slice id, struct err *err)
{
	if (links_know_links(change, err) != 0)
		return -1;
	struct link_work *work = links_find_id(change, id);
	if (!work || work->gone)
		return err_set(err, ERR_NOT_FOUND, "there is no link %.*s", (int)id.len, id.ptr);
	work->gone = true;
	links_write_op(change, work);
	return 0;
}

static void links_repoint(struct change *change, struct link_work *work, struct slice from,
			  struct slice to)
{
	struct slice none = slice_make(NULL, 0);
	struct slice target = arena_copy(&change->arena, to);
	bool begins = slice_equal(work->from, from);
	bool ends = slice_equal(work->to, from);
	STR_AUTO text = STR_INIT;

	work->from = begins ? target : work->from;
	work->to = ends ? target : work->to;
	work->gone = slice_equal(work->from, work->to) ||
		     links_find_said(change, work->from, work->to, work->type, work);
	if (!work->gone) {
		relation_repoint(&text, work->text, begins ? target : none, ends ? target : none);
		work->text = arena_copy(&change->arena, str_slice(&text));
	}
	links_write_op(change, work);
}

int change_repoint(struct change *change, struct slice from, struct slice to, struct err *err)
{
	if (links_know_links(change, err) != 0)
		return -1;
	for (size_t i = 0; i < change->link_count; i++) {
		struct link_work *work = &change->links[i];

		if (!work->gone && (slice_equal(work->from, from) || slice_equal(work->to, from)))
			links_repoint(change, work, from, to);
	}
	return 0;
}

/* The ends that a text names, as far as it is a link. */
static void links_name_ends(struct change *change, struct link_work *work)
{
	struct json_fault fault;
	struct relation relation;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, work->text, &json_file_bounds, &fault) != 0)
		return;
	if (relation_read(&relation, &doc, JSON_ROOT, &change->arena)) {
		work->from = relation.from;
		work->to = relation.to;
		work->type = relation.type;
	}
}

int change_put_link(struct change *change, struct slice id, struct slice text, struct err *err)
{
	if (links_know_links(change, err) != 0)
		return -1;
	struct link_work *work = links_find_id(change, id);
	if (!work) {
		struct slice now = store_link_text(change->store, id);

		work = links_add_work(change);
		work->id = arena_copy(&change->arena, id);
		work->text = arena_copy(&change->arena, now.ptr ? now : slice_of("null"));
		work->before = now.ptr ? hash64(now) : 0;
	}
	work->gone = !text.ptr;
	if (text.ptr) {
		work->text = arena_copy(&change->arena, text);
		links_name_ends(change, work);
	}
	links_write_op(change, work);
	return 0;
}

/* When the link says that it was made. */
static int64_t links_made_ms(struct slice text)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};

	return json_parse(&doc, text, &json_file_bounds, &fault) == 0
		       ? entry_time(&doc, json_member(&doc, JSON_ROOT, "created_at"))
		       : TIME_NONE;
}

void links_keep(struct change *change)
{
	for (size_t i = 0; i < change->link_count; i++) {
		const struct link_work *work = &change->links[i];
		struct kept_part part = {
			.link = true,
			.category = links_category_of(work->from),
			.name = work->id,
			.at_ms = change->now_ms,
		};

		if (!work->op)
			continue;
		struct slice now = store_link_text(change->store, work->id);
		part.came = !now.ptr;
		part.text = now.ptr ? arena_copy(&change->arena, now) : work->text;
		if (part.came && work->gone)
			continue;
		/* A new link that was made now is known by that, as an entry is. */
		if (part.came ? links_made_ms(work->text) == change->now_ms
			      : !work->gone && slice_equal(now, work->text))
			continue;
		if (!part.came && !work->gone)
			part.left = work->text;
		change_keep_part(change, &part);
	}
}
