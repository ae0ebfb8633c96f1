#include "torture/standing.h"

#include "base/mem.h"
#include "json/doc.h"
#include "torture/server.h"

#include <stdlib.h>

void standing_init(struct standing *standing, const struct books *books, size_t limit, bool narrow)
{
	*standing = (struct standing){.books = books, .limit = limit, .narrow = narrow};
}

void standing_release(struct standing *standing)
{
	free(standing->marks);
}

/* There are more keys by now than when it was looked last. */
static void grow(struct standing *standing)
{
	size_t before = standing->cap;

	standing->marks = mem_grow(standing->marks, &standing->cap, standing->books->key_count + 1,
				   sizeof *standing->marks);
	for (size_t i = before; i < standing->cap; i++)
		standing->marks[i] = 0;
}

static enum category category_of(const struct standing *standing, size_t key)
{
	return standing->books->keys[key].category;
}

static void clear_state(const struct standing *standing, uint32_t *marks)
{
	for (size_t k = 0; k < standing->books->key_count; k++) {
		if (category_of(standing, k) == CATEGORY_STATE)
			marks[k] = 0;
	}
}

/* Who had to make room, by the structured part of an answer. */
static void take_evicted(struct standing *standing, struct slice reply)
{
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	struct json doc;
	uint32_t list;
	size_t key;

	if (json_parse(&doc, reply, &json_file_bounds, &fault) != 0)
		return;
	list = json_member(&doc, JSON_ROOT, "result");
	list = list == JSON_NONE ? JSON_NONE : json_member(&doc, list, "structuredContent");
	list = list == JSON_NONE ? JSON_NONE : json_member(&doc, list, "evicted");
	for (uint32_t n = list == JSON_NONE ? JSON_NONE : json_first(&doc, list); n != JSON_NONE;
	     n = json_next(&doc, n)) {
		if (map_get(&standing->books->index, json_string(&doc, n, &scratch), &key))
			standing->marks[key] = 0;
	}
	json_release(&doc);
}

void standing_answer(struct standing *standing, uint32_t asked, struct slice reply)
{
	grow(standing);
	if (asked == ASKED_NOTHING || !reply_is_ok(reply))
		return;
	if (asked == ASKED_CLEAR) {
		clear_state(standing, standing->marks);
		return;
	}
	take_evicted(standing, reply);
	standing->marks[standing->books->deeds[asked].key] =
		standing->books->deeds[asked].kind == DEED_DELETE ? 0 : asked;
}

static bool same(const struct standing *standing, const uint32_t *marks, const uint32_t *there)
{
	for (size_t k = 0; k < standing->books->key_count; k++) {
		if (marks[k] != there[k])
			return false;
	}
	return true;
}

static size_t count(const struct standing *standing, const uint32_t *marks, enum category category)
{
	size_t n = 0;

	for (size_t k = 0; k < standing->books->key_count; k++)
		n += marks[k] && category_of(standing, k) == category;
	return n;
}

/* The value is there: have as many made room for it as had to, and no others? */
static bool is_whole_put(const struct standing *standing, uint32_t asked, const uint32_t *there)
{
	const struct deed *deed = &standing->books->deeds[asked];
	enum category category = category_of(standing, deed->key);
	size_t after = count(standing, standing->marks, category) + !standing->marks[deed->key];
	size_t wanted = after > standing->limit ? after - standing->limit : 0;
	size_t gone = 0;

	for (size_t k = 0; k < standing->books->key_count; k++) {
		if (k == deed->key || standing->marks[k] == there[k])
			continue;
		if (there[k] || (!standing->narrow && category_of(standing, k) != category))
			return false;
		gone++;
	}
	return there[deed->key] == asked && (gone == wanted || (standing->narrow && gone > wanted));
}

/* Is it the state after the operation that was under way? */
static bool is_after(const struct standing *standing, uint32_t asked, const uint32_t *there)
{
	size_t size = standing->cap * sizeof *standing->marks;
	uint32_t *after;
	bool result;

	if (asked == ASKED_NOTHING)
		return false;
	if (asked != ASKED_CLEAR && standing->books->deeds[asked].kind != DEED_DELETE)
		return is_whole_put(standing, asked, there);
	after = mem_zalloc(standing->cap, sizeof *after);
	memcpy(after, standing->marks, size);
	if (asked == ASKED_CLEAR)
		clear_state(standing, after);
	else
		after[standing->books->deeds[asked].key] = 0;
	result = same(standing, after, there);
	free(after);
	return result;
}

static void read_standing(const struct standing *standing, const struct files *files,
			  uint32_t *there, struct row *row)
{
	STR_AUTO ref = STR_INIT;
	size_t key;

	for (size_t i = 0; i < files->count; i++) {
		const struct found *found = &files->list[i];

		if (found->place != PLACE_ACTIVE || !found->mark)
			continue;
		str_clear(&ref);
		ref_add(&ref, found->category, found->key);
		if (!map_get(&standing->books->index, str_slice(&ref), &key))
			continue;
		there[key] = found->mark;
		if (standing->books->deeds[found->mark].kind == DEED_HAND)
			row_violation(row, "%s was due and has not expired", ref.ptr);
	}
}

static void report(const struct standing *standing, uint32_t asked, const uint32_t *there,
		   struct row *row)
{
	for (size_t k = 0; k < standing->books->key_count; k++) {
		if (standing->marks[k] != there[k])
			row_violation(row, "%s:%s should hold #%u and holds #%u; #%u was under way",
				      category_name(category_of(standing, k)),
				      standing->books->keys[k].name.ptr, standing->marks[k],
				      there[k], asked);
	}
}

void standing_judge(struct standing *standing, uint32_t asked, struct slice touched,
		    const struct files *files, struct row *row)
{
	uint32_t *there;

	grow(standing);
	there = mem_zalloc(standing->cap, sizeof *there);
	read_standing(standing, files, there, row);
	if (standing->narrow)
		take_evicted(standing, touched);
	if (!same(standing, standing->marks, there) && !is_after(standing, asked, there))
		report(standing, asked, there, row);
	memcpy(standing->marks, there, standing->cap * sizeof *there);
	free(there);
}
