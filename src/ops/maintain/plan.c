#include "ops/maintain/plan.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "json/tree.h"
#include "model/entry.h"
#include "ops/common.h"
#include "ops/entry_stats.h"
#include "ops/note_text.h"
#include "store/open/store.h"
#include "store/view/relations.h"

#include <stdarg.h>
#include <stdlib.h>

void plan_release(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		free(plan->steps[i].bases);
	free(plan->steps);
	arena_release(&plan->arena);
	*plan = (struct plan)PLAN_INIT;
}

const char *const plan_kind_names[PLAN_KIND_COUNT + 1] = {
	[PLAN_ARCHIVE] = "archive", [PLAN_PUT] = "put",         [PLAN_MERGE] = "merge",
	[PLAN_LINK] = "link",       [PLAN_PROMOTE] = "promote",
};

/* Does the step put, or take away, the entry of this ref? */
static bool plan_step_changes(const struct plan_step *step, struct slice ref)
{
	if (step->kind == PLAN_LINK)
		return false;
	if (slice_equal(step->ref, ref))
		return true;
	for (size_t i = 0; step->kind == PLAN_MERGE && i < step->base_count; i++) {
		if (slice_equal(step->bases[i].ref, ref))
			return true;
	}
	return false;
}

bool plan_changes(const struct plan *plan, struct slice ref)
{
	for (size_t i = 0; i < plan->count; i++) {
		if (plan_step_changes(&plan->steps[i], ref))
			return true;
	}
	return false;
}

bool plan_archives(const struct plan_step *step, struct slice ref)
{
	if (slice_equal(step->ref, ref))
		return step->kind == PLAN_ARCHIVE;
	return step->kind == PLAN_MERGE && plan_step_changes(step, ref);
}

struct plan_step *plan_add(struct plan *plan, enum plan_kind kind)
{
	struct plan_step *step = MEM_ADD(plan->steps, plan->count, plan->cap);

	*step = (struct plan_step){.kind = kind};
	return step;
}

void plan_add_basis(struct plan_step *step, struct slice ref, uint64_t digest)
{
	size_t cap = step->base_count;

	*MEM_ADD(step->bases, step->base_count, cap) = (struct plan_basis){ref, digest};
}

void plan_rely(struct plan *plan, struct plan_step *step, const struct item *item)
{
	plan_add_basis(step, arena_copy(&plan->arena, item->ref), hash64(item->entry.text));
}

/* A step about an entry that is there. */
static struct plan_step *plan_add_for(struct plan *plan, enum plan_kind kind,
				      const struct item *item)
{
	struct plan_step *step = plan_add(plan, kind);

	plan_rely(plan, step, item);
	step->ref = step->bases[0].ref;
	return step;
}

struct plan_step *plan_archive(struct plan *plan, const struct item *item, enum reason reason)
{
	struct plan_step *step = plan_add_for(plan, PLAN_ARCHIVE, item);

	step->reason = reason;
	return step;
}

struct plan_step *plan_put(struct plan *plan, const struct item *item, enum category category,
			   struct slice key, struct slice text)
{
	struct plan_step *step = item ? plan_add_for(plan, PLAN_PUT, item)
				      : plan_add(plan, PLAN_PUT);

	if (!item) {
		step->ref = common_ref(&plan->arena, category, key);
		plan_add_basis(step, step->ref, 0);
	}
	step->text = arena_copy(&plan->arena, text);
	return step;
}

struct plan_step *plan_merge(struct plan *plan, const struct item *survivor, struct slice text,
			     const struct item *const *others, size_t count)
{
	struct plan_step *step = plan_add_for(plan, PLAN_MERGE, survivor);

	step->reason = REASON_MERGED;
	step->text = arena_copy(&plan->arena, text);
	for (size_t i = 0; i < count; i++)
		plan_rely(plan, step, others[i]);
	return step;
}

struct plan_step *plan_link(struct plan *plan, const struct item *from, const struct item *to,
			    enum relation_type type, double strength, struct slice metadata)
{
	struct plan_step *step = plan_add_for(plan, PLAN_LINK, from);

	plan_rely(plan, step, to);
	step->to = step->bases[1].ref;
	step->type = type;
	step->strength = strength;
	step->metadata = arena_copy(&plan->arena, metadata);
	return step;
}

struct plan_step *plan_promote(struct plan *plan, const struct item *item, struct slice text,
			       struct slice stem, struct slice note_text)
{
	struct plan_step *step = plan_add_for(plan, PLAN_PROMOTE, item);

	step->text = arena_copy(&plan->arena, text);
	step->note_stem = arena_copy(&plan->arena, stem);
	step->note_text = arena_copy(&plan->arena, note_text);
	return step;
}

void plan_because(struct plan *plan, struct plan_step *step, const char *format, ...)
{
	STR_AUTO text = STR_INIT;
	va_list args;

	va_start(args, format);
	str_vprintf(&text, format, args);
	va_end(args);
	step->because = arena_copy(&plan->arena, str_slice(&text));
}

size_t plan_standing(const struct plan *plan)
{
	size_t standing = 0;

	for (size_t i = 0; i < plan->count; i++)
		standing += plan->steps[i].skip_code == ERR_NONE;
	return standing;
}

struct applying {
	struct plan *plan;
	struct change *change;
	struct store *store;
	struct settings settings;
	struct str *warning;
	struct map changed; /* refs that earlier steps change */
	struct map gone;    /* those of them that are archived */
};

/* A ref of a step is spelt to the byte: blanks at the ends of a key belong to it. */
static struct ref plan_parts_of(struct slice ref)
{
	struct ref parts = ref_parse(ref);
	const char *colon = memchr(ref.ptr, ':', ref.len);

	if (parts.category != CATEGORY_ANY && colon)
		parts.key = slice_make(colon + 1, (size_t)(ref.ptr + ref.len - colon) - 1);
	return parts;
}

static int plan_check_basis(const struct applying *a, const struct plan_basis *basis,
			    struct err *why)
{
	const struct item *item = store_find_ref(a->store, basis->ref);
	struct ref parts = plan_parts_of(basis->ref);
	STR_AUTO scratch = STR_INIT;

	/* A key that was absent must not exist under another spelling either. */
	if (basis->digest == 0) {
		item = store_find(a->store, parts.category, parts.key);
		return item ? err_set(why, ERR_EXISTS, "%s exists by now",
				      shown(&scratch, item->ref))
			    : common_check_new_key("ref", parts.key, why);
	}
	if (!item)
		return err_set(why, ERR_NOT_FOUND, "%s is no longer there",
			       shown(&scratch, basis->ref));
	if (hash64(item->entry.text) != basis->digest)
		return err_set(why, ERR_BAD_VALUE, "%s has changed since",
			       shown(&scratch, basis->ref));
	return 0;
}

/* May a step change the entry? An earlier step may have done so. */
static int plan_apply_check_free(const struct applying *a, const struct plan_step *step,
				 struct slice ref, struct err *why)
{
	const struct item *item = store_find_ref(a->store, ref);
	STR_AUTO scratch = STR_INIT;
	struct facts facts;

	if (map_get(&a->changed, ref, NULL))
		return err_set(why, ERR_EXISTS, "%s is changed by an earlier step",
			       shown(&scratch, ref));
	/* Protected entries are spared unless they were named. */
	if (!a->plan->unattended || step->named || !item)
		return 0;
	facts_read(&facts, item, change_now_ms(a->change));
	if (facts.kept == PROTECTION_NONE)
		return 0;
	return err_set(why, ERR_BAD_VALUE, "%s is protected: %s", shown(&scratch, ref),
		       protection_text(facts.kept));
}

/* May the entry have this text? */
static int plan_apply_check_text(const struct applying *a, const struct plan_step *step,
				 struct err *why)
{
	const struct item *old = store_find_ref(a->store, step->ref);
	struct ref parts = plan_parts_of(step->ref);
	bool pinned = false;
	JSON_AUTO doc = {0};

	if (admit_entry(&doc, parts.key, step->text, old ? entry_stored_size(&old->entry) : 0,
			&a->settings, why) != 0)
		return -1;
	json_bool(&doc, json_member(&doc, JSON_ROOT, "pinned"), &pinned);
	if (!pinned || (old && old->entry.pinned && step->text.len <= old->entry.text.len))
		return 0;
	return change_check_pin(a->change, (enum category)parts.category, old, step->text, why);
}

/* A link needs both ends, and is made once. */
static int plan_apply_check_link(const struct applying *a, const struct plan_step *step,
				 struct err *why)
{
	const struct link *links;
	size_t count;

	if (map_get(&a->gone, step->ref, NULL) || map_get(&a->gone, step->to, NULL))
		return err_set(why, ERR_NOT_FOUND, "an earlier step archives one of the two");
	if (slice_equal(step->ref, step->to))
		return err_set(why, ERR_BAD_VALUE, "a link must lead to another entry");
	if (store_links(a->store, &links, &count, why) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (links[i].relation.type == step->type && slice_equal(links[i].from, step->ref) &&
		    slice_equal(links[i].to, step->to))
			return err_set(why, ERR_EXISTS, "this link exists already");
	}
	return 0;
}

/* Does the step still hold? *why says why not. */
static int plan_check_step(const struct applying *a, const struct plan_step *step, struct err *why)
{
	/*
	 * Unattended, a file of links that cannot be read is a reason to leave out what has to do
	 * with links, and no reason to leave everything as it is.
	 */
	if (a->plan->unattended && (step->kind == PLAN_MERGE || step->kind == PLAN_LINK) &&
	    store_check_change(a->store, STORE_FILE_RELATIONS, why) != 0)
		return -1;
	if (step->kind == PLAN_ARCHIVE && !store_may_judge(a->store))
		return err_set(why, ERR_BAD_VALUE,
			       "it is due, but this store is shared and others may use "
			       "it: `kota delete` removes it for everyone");
	for (size_t i = 0; i < step->base_count; i++) {
		const struct plan_basis *basis = &step->bases[i];
		enum store_file file = (enum store_file)plan_parts_of(basis->ref).category;

		if (store_check_change(a->store, file, why) != 0 ||
		    plan_check_basis(a, basis, why) != 0)
			return -1;
		if (plan_step_changes(step, basis->ref) &&
		    plan_apply_check_free(a, step, basis->ref, why) != 0)
			return -1;
	}
	if (step->kind == PLAN_LINK)
		return plan_apply_check_link(a, step, why);
	return step->kind == PLAN_ARCHIVE ? 0 : plan_apply_check_text(a, step, why);
}

static int plan_apply_put(const struct applying *a, const struct plan_step *step, struct slice text,
			  struct err *err)
{
	const struct item *old = store_find_ref(a->store, step->ref);
	struct ref parts = plan_parts_of(step->ref);

	return change_put(a->change, (enum category)parts.category,
			  old ? old->entry.key : parts.key, text, err);
}

/* Makes a link, and says in the step under which id it is known. */
static int plan_apply_link(const struct applying *a, struct plan_step *step, struct slice to,
			   enum relation_type type, double strength, struct err *err)
{
	struct slice *ids = arena_alloc(&a->plan->arena, (step->link_count + 1) * sizeof *ids);
	const struct relation relation = {
		.from = step->ref,
		.to = to,
		.type = type,
		.strength = strength,
		.metadata = step->metadata,
		.created_ms = TIME_NONE,
	};
	struct slice id;

	if (change_relate(a->change, &relation, &id, err) != 0)
		return -1;
	for (size_t i = 0; i < step->link_count; i++)
		ids[i] = step->link_ids[i];
	ids[step->link_count++] = arena_copy(&a->plan->arena, id);
	step->link_ids = ids;
	return 0;
}

/* Links of what goes lead to what stays, which is linked to what it was made of. */
static int plan_lead_to_survivor(const struct applying *a, struct plan_step *step, struct err *err)
{
	for (size_t i = 1; i < step->base_count; i++) {
		if (change_repoint(a->change, step->bases[i].ref, step->ref, err) != 0)
			return -1;
	}
	for (size_t i = 1; i < step->base_count; i++) {
		if (plan_apply_link(a, step, step->bases[i].ref, RELATION_CONSOLIDATED_FROM,
				    RELATION_STRENGTH, err) != 0)
			return -1;
	}
	return 0;
}

static int plan_apply_merge(const struct applying *a, struct plan_step *step, struct err *err)
{
	const struct item *survivor = store_find_ref(a->store, step->ref);
	STR_AUTO now = STR_INIT;

	/* Where only the white space of its file differs it stays. */
	json_print(&now, survivor->entry.doc, survivor->entry.node);
	if (!slice_equal(str_slice(&now), step->text) &&
	    (change_archive_copy(a->change, survivor, REASON_MERGED, err) != 0 ||
	     note_text_follow(a->change, survivor, survivor->ref, step->text, a->warning, err) !=
		     0 ||
	     plan_apply_put(a, step, step->text, err) != 0))
		return -1;
	for (size_t i = 1; i < step->base_count; i++) {
		if (change_archive(a->change, store_find_ref(a->store, step->bases[i].ref),
				   REASON_MERGED, err) != 0)
			return -1;
	}
	return plan_lead_to_survivor(a, step, err);
}

/* The entry's text, which says that it was promoted and where to. */
static void plan_mark_promoted(const struct applying *a, const struct plan_step *step,
			       struct str *out)
{
	STR_AUTO path = STR_INIT;
	struct json_tree *tree;
	JSON_AUTO doc = {0};

	str_printf(&path, "%s/%s", a->settings.notes_dir, step->note_file.ptr);
	common_parse(&doc, step->text);
	tree = json_tree_from(&doc, JSON_ROOT);
	json_tree_put(tree, slice_of("status"), json_tree_string(slice_of("promoted")));
	json_tree_put(tree, slice_of("promoted_to"), json_tree_string(str_slice(&path)));
	json_tree_print(out, tree);
	json_tree_free(tree);
}

static int plan_apply_promote(const struct applying *a, struct plan_step *step, struct err *err)
{
	enum category category = (enum category)plan_parts_of(step->ref).category;
	STR_AUTO text = STR_INIT;
	struct slice file;

	if (change_note(a->change, category, step->note_stem, step->note_text, &file, err) != 0)
		return -1;
	step->note_file = arena_copy(&a->plan->arena, file);
	plan_mark_promoted(a, step, &text);
	return plan_apply_put(a, step, str_slice(&text), err);
}

static int plan_do_step(const struct applying *a, struct plan_step *step, struct err *err)
{
	const struct item *old = store_find_ref(a->store, step->ref);

	switch (step->kind) {
	case PLAN_ARCHIVE:
		return change_archive(a->change, old, step->reason, err);
	case PLAN_PUT:
		if (step->keeps_old && old &&
		    change_archive_copy(a->change, old, REASON_REPLACED, err) != 0)
			return -1;
		return plan_apply_put(a, step, step->text, err);
	case PLAN_MERGE:
		return plan_apply_merge(a, step, err);
	case PLAN_LINK:
		return plan_apply_link(a, step, step->to, step->type, step->strength, err);
	case PLAN_PROMOTE:
		return plan_apply_promote(a, step, err);
	case PLAN_KIND_COUNT:
		break;
	}
	return 0;
}

/* What later steps have to know. */
static void plan_note_changes(struct applying *a, const struct plan_step *step)
{
	for (size_t i = 0; i < step->base_count; i++) {
		struct slice ref = step->bases[i].ref;

		if (!plan_step_changes(step, ref))
			continue;
		map_put(&a->changed, ref, 0);
		if (step->kind == PLAN_ARCHIVE || (step->kind == PLAN_MERGE && i > 0))
			map_put(&a->gone, ref, 0);
	}
}

static int plan_take_step(struct applying *a, struct plan_step *step, struct err *err)
{
	struct err why;

	if (step->settled)
		return 0;
	/* Unreadable files stop the run: an entry in them may be protected by now. */
	for (size_t i = 0; i < step->base_count; i++) {
		struct ref parts = plan_parts_of(step->bases[i].ref);

		if (change_check_category(a->change, (enum category)parts.category, err) != 0)
			return -1;
	}
	step->skip_code = ERR_NONE;
	step->skipped = slice_make(NULL, 0);
	step->link_count = 0;
	if (plan_check_step(a, step, &why) != 0) {
		step->skip_code = why.code;
		step->skipped = arena_copy(&a->plan->arena, slice_of(why.text));
		return 0;
	}
	plan_note_changes(a, step);
	return plan_do_step(a, step, err);
}

/* What was wanted of an entry that went was wanted of the one that stays. */
static void plan_join_usage(const struct plan *plan, struct store *store)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_step *step = &plan->steps[i];

		if (step->kind != PLAN_MERGE || step->skip_code != ERR_NONE)
			continue;
		for (size_t k = 1; k < step->base_count; k++)
			store_join_usage(store, step->bases[k].ref, step->ref);
	}
}

int plan_take(struct plan *plan, struct change *change, struct str *warning, struct err *err)
{
	struct applying applying = {plan,
				    change,
				    change_store(change),
				    .warning = warning,
				    .changed = MAP_INIT,
				    .gone = MAP_INIT};
	int status = store_settings(applying.store, &applying.settings, err);

	for (size_t i = 0; i < plan->count && status == 0; i++) {
		progress_step(store_watcher(applying.store), "putting together", i, plan->count);
		status = plan_take_step(&applying, &plan->steps[i], err);
	}
	map_release(&applying.changed);
	map_release(&applying.gone);
	return status;
}

int plan_apply(struct plan *plan, struct change *change, struct str *warning,
	       struct change_result *result, struct err *err)
{
	if (!store_knows_usage(change_store(change)))
		return err_set(err, ERR_IO,
			       "usage.jsonl cannot be read: without it nobody can tell what is "
			       "still used, so nothing is done; fix or remove it, and try again");
	if (plan_take(plan, change, warning, err) != 0 || change_commit(change, result, err) != 0)
		return -1;
	if (!change_is_rehearsal(change))
		plan_join_usage(plan, change_store(change));
	return 0;
}
