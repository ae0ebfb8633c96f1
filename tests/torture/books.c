#include "torture/books.h"

#include "base/mem.h"

#include <stdlib.h>

/* Where the value of a deed was seen. */
struct seen {
	unsigned active;
	unsigned archived;
	unsigned undo;
};

void books_init(struct books *books)
{
	*books = (struct books){.arena = ARENA_INIT, .index = MAP_INIT, .count = 1};
	books->deeds = mem_grow(NULL, &books->deed_cap, 1, sizeof *books->deeds);
	books->deeds[0] = (struct deed){.outcome = OUTCOME_VOID};
}

void books_release(struct books *books)
{
	map_release(&books->index);
	free(books->deeds);
	free(books->keys);
	arena_release(&books->arena);
}

static size_t key_of(struct books *books, enum category category, const char *name)
{
	STR_AUTO ref = STR_INIT;
	size_t at;

	ref_add(&ref, category, slice_of(name));
	if (map_get(&books->index, str_slice(&ref), &at))
		return at;
	books->keys = mem_grow(books->keys, &books->key_cap, books->key_count + 1,
			       sizeof *books->keys);
	at = books->key_count++;
	books->keys[at] = (struct tracked){
		.category = category,
		.name = arena_copy(&books->arena, slice_of(name)),
	};
	map_put(&books->index, arena_copy(&books->arena, str_slice(&ref)), at);
	return at;
}

uint32_t books_note(struct books *books, enum deed_kind kind, enum category category,
		    const char *key)
{
	size_t at = key_of(books, category, key);
	uint32_t mark = (uint32_t)books->count;

	books->deeds = mem_grow(books->deeds, &books->deed_cap, books->count + 1,
				sizeof *books->deeds);
	books->deeds[books->count++] = (struct deed){
		.kind = kind,
		.key = (uint32_t)at,
		.before = books->keys[at].last,
	};
	books->keys[at].last = mark;
	return mark;
}

void books_acknowledge(struct books *books, uint32_t mark)
{
	books->deeds[mark].outcome = OUTCOME_DONE;
	books->acknowledged++;
}

static const char *key_name(const struct books *books, uint32_t mark)
{
	return books->keys[books->deeds[mark].key].name.ptr;
}

/* Was one of these kinds asked of the key after the deed, and perhaps done? */
static bool followed_by(const struct books *books, uint32_t mark, unsigned kinds, bool tried)
{
	uint32_t later = books->keys[books->deeds[mark].key].last;

	for (; later > mark; later = books->deeds[later].before) {
		const struct deed *deed = &books->deeds[later];

		if ((kinds >> deed->kind & 1) && (tried || deed->outcome != OUTCOME_VOID))
			return true;
	}
	return false;
}

/* May the value of this deed have gone for this reason? */
static bool may_have_gone(const struct books *books, uint32_t mark, const struct found *found)
{
	static const unsigned puts = 1U << DEED_SET | 1U << DEED_UPDATE | 1U << DEED_NOTES;

	/* It is kept before the change, which may fail then. */
	if (found->place == PLACE_UNDO)
		return followed_by(books, mark, puts, true);
	if (slice_is(found->reason, "deleted"))
		return followed_by(books, mark, 1U << DEED_DELETE, false);
	if (slice_is(found->reason, "replaced"))
		return followed_by(books, mark, 1U << DEED_UPDATE | 1U << DEED_NOTES, false);
	if (slice_is(found->reason, "state_clear"))
		return found->category == CATEGORY_STATE && books->cleared;
	if (slice_is(found->reason, "expiry"))
		return books->deeds[mark].kind == DEED_HAND;
	return slice_is(found->reason, "evicted");
}

static void take(struct seen *seen, const struct books *books, const struct found *found,
		 struct row *row)
{
	uint32_t mark = found->mark;
	const struct tracked *key;

	if (mark == 0)
		return;
	if (mark >= books->count || books->deeds[mark].kind == DEED_DELETE) {
		row_violation(row, "%s holds what nobody wrote: %s", found->key.ptr,
			      found->value.ptr);
		return;
	}
	key = &books->keys[books->deeds[mark].key];
	if (key->category != found->category || !slice_equal(key->name, found->key))
		row_violation(row, "%s holds the value of %s: %s", found->key.ptr, key->name.ptr,
			      found->value.ptr);
	if (found->place != PLACE_ACTIVE && !may_have_gone(books, mark, found))
		row_violation(row, "#%u of %s is archived (%s) without cause", mark, key->name.ptr,
			      found->reason.ptr);
	seen[mark].active += found->place == PLACE_ACTIVE;
	seen[mark].archived += found->place == PLACE_ARCHIVED;
	seen[mark].undo += found->place == PLACE_UNDO;
}

static void judge_put(const struct books *books, const struct seen *seen, uint32_t mark,
		      bool outdated, struct row *row)
{
	const struct seen *here = &seen[mark];
	enum outcome outcome = books->deeds[mark].outcome;
	bool anywhere = here->active + here->archived + here->undo > 0;

	if (outcome == OUTCOME_DONE && !anywhere)
		row_violation(row, "#%u of %s was acknowledged and is gone", mark,
			      key_name(books, mark));
	if (outcome == OUTCOME_VOID && anywhere)
		row_violation(row, "#%u of %s had not happened, and is there", mark,
			      key_name(books, mark));
	if (here->active + here->archived > 1)
		row_violation(row, "#%u of %s is doubled: %u in service, %u archived", mark,
			      key_name(books, mark), here->active, here->archived);
	if (here->active && outdated)
		row_violation(row, "#%u of %s is in service again", mark, key_name(books, mark));
}

/* From the last deed on the key to the first. */
static void judge_key(const struct books *books, const struct seen *seen, const struct tracked *key,
		      struct row *row)
{
	bool outdated = false; /* a later deed is known to have happened */
	bool stands = false;   /* there is a later value, or it is known that none has to be */

	for (uint32_t mark = key->last; mark; mark = books->deeds[mark].before) {
		const struct deed *deed = &books->deeds[mark];
		bool done = deed->outcome == OUTCOME_DONE;

		if (deed->kind == DEED_DELETE) {
			outdated = outdated || done;
			stands = stands || done;
			continue;
		}
		judge_put(books, seen, mark, outdated, row);
		stands = stands || seen[mark].active || seen[mark].archived;
		if (done && !stands)
			row_violation(row, "#%u of %s was overwritten by nothing", mark,
				      key->name.ptr);
		outdated = outdated || done;
		stands = stands || done;
	}
}

/* What has not happened now never does. */
static void settle(struct books *books, const struct seen *seen)
{
	for (size_t k = 0; k < books->key_count; k++) {
		bool stands = false; /* an earlier value is in service */

		for (uint32_t mark = books->keys[k].last; mark; mark = books->deeds[mark].before)
			stands = stands || seen[mark].active;
		for (uint32_t mark = books->keys[k].last; mark; mark = books->deeds[mark].before) {
			struct deed *deed = &books->deeds[mark];
			bool happened = seen[mark].active + seen[mark].archived + seen[mark].undo;

			if (deed->kind == DEED_DELETE)
				happened = !stands;
			stands = stands && !seen[mark].active;
			if (deed->outcome == OUTCOME_OPEN)
				deed->outcome = happened ? OUTCOME_DONE : OUTCOME_VOID;
		}
	}
}

void books_judge(struct books *books, const struct files *files, struct row *row)
{
	struct seen *seen = mem_zalloc(books->count, sizeof *seen);

	for (size_t i = 0; i < files->count; i++)
		take(seen, books, &files->list[i], row);
	for (size_t k = 0; k < books->key_count; k++)
		judge_key(books, seen, &books->keys[k], row);
	settle(books, seen);
	free(seen);
}
