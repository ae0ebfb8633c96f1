#include "merge/worlds.h"

#include "base/mem.h"
#include "json/write.h"
#include "model/category.h"

#include <ctype.h>
#include <stdlib.h>

#define KEYS 6
#define RECORDS_MAX 400
#define PARTS_MAX 6

enum form { FORM_NONE, FORM_TEXT, FORM_OBJECT, FORM_LIST };

struct fact {
	enum form form;
	bool bare;
	unsigned parts[PARTS_MAX]; /* tokens: of a text, an object's members, a list's elements */
	unsigned count;
	unsigned created;
	unsigned updated;
	unsigned tags; /* a bit each */
	unsigned strength;
};

struct archived {
	unsigned category;
	unsigned key;
	unsigned at;
	const char *reason;
	struct fact fact;
};

struct side {
	struct fact facts[CATEGORY_COUNT][KEYS];
	struct archived records[RECORDS_MAX];
	unsigned record_count;
	unsigned links[KEYS][KEYS]; /* when it was made */
	unsigned cold[KEYS];        /* tokens */
	int skew;
};

struct draw {
	uint64_t state;
	unsigned token;
	unsigned clock;
};

static unsigned draw_below(struct draw *draw, unsigned limit)
{
	draw->state ^= draw->state << 13;
	draw->state ^= draw->state >> 7;
	draw->state ^= draw->state << 17;
	return (unsigned)((draw->state >> 20) % limit);
}

static unsigned worlds_now(struct draw *draw, const struct side *side)
{
	draw->clock += 1 + draw_below(draw, 40);
	return (unsigned)((int)draw->clock + side->skew);
}

static void worlds_set(struct draw *draw, struct fact *fact)
{
	fact->form = (enum form)(FORM_TEXT + draw_below(draw, 3));
	fact->count = fact->form == FORM_TEXT ? 1 : 1 + draw_below(draw, 3);
	for (unsigned i = 0; i < fact->count; i++)
		fact->parts[i] = ++draw->token;
}

/* One part more, or another one; a text gets a part behind it. */
static void worlds_update(struct draw *draw, struct fact *fact)
{
	bool more = fact->form != FORM_OBJECT || draw_below(draw, 2);

	if (more && fact->count < PARTS_MAX)
		fact->parts[fact->count++] = ++draw->token;
	else
		fact->parts[draw_below(draw, fact->count)] = ++draw->token;
}

static void worlds_archive(struct draw *draw, struct side *side, unsigned category, unsigned key,
			   const char *reason)
{
	struct fact *fact = &side->facts[category][key];

	if (side->record_count == RECORDS_MAX)
		return;
	side->records[side->record_count++] = (struct archived){
		category, key, worlds_now(draw, side), reason, *fact};
	*fact = (struct fact){0};
}

/* Puts the last record back into service, if its key is free. */
static void worlds_restore(struct side *side)
{
	struct archived *last;
	struct fact *fact;

	if (side->record_count == 0)
		return;
	last = &side->records[side->record_count - 1];
	fact = &side->facts[last->category][last->key];
	if (fact->form == FORM_NONE) {
		*fact = last->fact;
		side->record_count--;
	}
}

static void worlds_rename(struct draw *draw, struct side *side, unsigned category, unsigned key)
{
	struct fact *to = &side->facts[category][draw_below(draw, KEYS)];
	struct fact *from = &side->facts[category][key];

	if (to->form != FORM_NONE)
		return;
	*to = *from;
	*from = (struct fact){0};
}

static void worlds_by_tool(struct draw *draw, struct side *side, struct fact *fact, bool set)
{
	unsigned now = worlds_now(draw, side);

	if (fact->form == FORM_NONE)
		*fact = (struct fact){.created = now};
	if (set || fact->form == FORM_NONE)
		worlds_set(draw, fact);
	else
		worlds_update(draw, fact);
	fact->bare = false;
	fact->updated = now;
	fact->tags |= draw_below(draw, 4) ? 0 : 1U << draw_below(draw, 4);
}

static void worlds_by_hand(struct draw *draw, struct fact *fact)
{
	if (fact->form == FORM_NONE)
		*fact = (struct fact){.bare = draw_below(draw, 2)};
	worlds_set(draw, fact);
}

static void worlds_change(struct draw *draw, struct side *side)
{
	unsigned category = draw_below(draw, CATEGORY_COUNT);
	unsigned key = draw_below(draw, KEYS);
	struct fact *fact = &side->facts[category][key];
	unsigned what = draw_below(draw, 20);

	if (what < 7 || fact->form == FORM_NONE)
		worlds_by_tool(draw, side, fact, what < 4);
	else if (what < 11)
		worlds_by_hand(draw, fact);
	else if (what < 13)
		worlds_archive(draw, side, category, key, what == 11 ? "deleted" : "evicted");
	else if (what == 13)
		worlds_restore(side);
	else if (what == 14)
		worlds_rename(draw, side, category, key);
	else if (what == 15)
		fact->strength = fact->bare ? 0 : fact->strength + 1;
	else if (what == 16)
		side->links[key][draw_below(draw, KEYS)] = worlds_now(draw, side);
	else if (what == 17)
		side->cold[key] = ++draw->token;
	else if (what == 18)
		*fact = (struct fact){0}; /* taken out by hand */
	else
		fact->tags &= 5;
}

/* ---- as text */

static void worlds_write_token(struct json_writer *w, unsigned token)
{
	STR_AUTO text = STR_INIT;

	str_printf(&text, "says t%u.", token);
	json_write_string(w, str_slice(&text));
}

static void worlds_write_value(struct json_writer *w, const struct fact *fact)
{
	STR_AUTO text = STR_INIT;

	if (fact->form == FORM_TEXT) {
		for (unsigned i = 0; i < fact->count; i++)
			str_printf(&text, "%st%u.", i ? " " : "", fact->parts[i]);
		json_write_string(w, str_slice(&text));
		return;
	}
	if (fact->form == FORM_OBJECT)
		json_write_object(w);
	else
		json_write_array(w);
	for (unsigned i = 0; i < fact->count; i++) {
		char name[2] = {(char)('a' + i), '\0'};

		if (fact->form == FORM_OBJECT)
			json_write_name(w, slice_of(name));
		worlds_write_token(w, fact->parts[i]);
	}
	json_write_end(w);
}

static void worlds_write_time(struct json_writer *w, const char *name, unsigned at)
{
	STR_AUTO text = STR_INIT;

	if (!at)
		return;
	str_printf(&text, "2026-01-%02uT%02u:%02u:00.000Z", 1 + at / 1440 % 28, at / 60 % 24,
		   at % 60);
	json_write_member_string(w, name, str_slice(&text));
}

static void worlds_write_fact(struct json_writer *w, const struct fact *fact)
{
	if (fact->bare) {
		worlds_write_value(w, fact);
		return;
	}
	json_write_object(w);
	json_write_name(w, slice_of("value"));
	worlds_write_value(w, fact);
	if (fact->tags) {
		json_write_member_array(w, "tags");
		for (unsigned i = 0; i < 4; i++) {
			char name[2] = {(char)('p' + i), '\0'};

			if (fact->tags & 1U << i)
				json_write_string(w, slice_of(name));
		}
		json_write_end(w);
	}
	if (fact->strength)
		json_write_member_fixed(w, "strength", 1 + fact->strength / 10.0, 1);
	worlds_write_time(w, "created_at", fact->created);
	worlds_write_time(w, "last_updated", fact->updated);
	json_write_end(w);
}

static void worlds_name(struct str *out, unsigned key)
{
	str_clear(out);
	str_printf(out, "key %u", key);
}

static void worlds_write_record(struct json_writer *w, const struct archived *record)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO key = STR_INIT;

	worlds_name(&name, record->key);
	str_printf(&key, "%s@%u", name.ptr, record->at);
	json_write_object(w);
	json_write_member_string(w, "key", str_slice(&key));
	json_write_member_string(w, "originalKey", str_slice(&name));
	worlds_write_time(w, "archivedAt", record->at);
	json_write_member_string(w, "reason", slice_of(record->reason));
	json_write_name(w, slice_of("entry"));
	worlds_write_fact(w, &record->fact);
	json_write_end(w);
}

static void worlds_write_links(struct json_writer *w, const struct side *side)
{
	STR_AUTO text = STR_INIT;

	json_write_member_object(w, "relations");
	for (unsigned from = 0; from < KEYS; from++) {
		for (unsigned to = 0; to < KEYS; to++) {
			unsigned at = side->links[from][to];

			if (!at)
				continue;
			str_clear(&text);
			str_printf(&text, "rel-%u", at);
			json_write_name(w, str_slice(&text));
			json_write_object(w);
			worlds_name(&text, from);
			json_write_member_string(w, "from", str_slice(&text));
			worlds_name(&text, to);
			json_write_member_string(w, "to", str_slice(&text));
			worlds_write_time(w, "created_at", at);
			json_write_end(w);
		}
	}
	json_write_end(w);
}

static void worlds_write_archive(struct json_writer *w, const struct side *side)
{
	json_write_member_object(w, "archive");
	for (unsigned c = 0; c < CATEGORY_COUNT; c++) {
		json_write_member_array(w, category_name((enum category)c));
		for (unsigned i = 0; i < side->record_count; i++) {
			if (side->records[i].category == c)
				worlds_write_record(w, &side->records[i]);
		}
		json_write_end(w);
	}
	json_write_end(w);
}

static void worlds_write(struct str *out, const struct side *side)
{
	STR_AUTO name = STR_INIT;

	str_init(out);
	struct json_writer w = json_writer_to(out, &json_compact);
	json_write_object(&w);
	for (unsigned c = 0; c < CATEGORY_COUNT; c++) {
		json_write_member_object(&w, category_name((enum category)c));
		for (unsigned k = 0; k < KEYS; k++) {
			if (side->facts[c][k].form == FORM_NONE)
				continue;
			worlds_name(&name, k);
			json_write_name(&w, str_slice(&name));
			worlds_write_fact(&w, &side->facts[c][k]);
		}
		json_write_end(&w);
	}
	worlds_write_archive(&w, side);
	json_write_member_array(&w, "cold");
	for (unsigned k = 0; k < KEYS; k++) {
		if (side->cold[k])
			worlds_write_token(&w, side->cold[k]);
	}
	json_write_end(&w);
	worlds_write_links(&w, side);
	json_write_end(&w);
}

void worlds_make(struct worlds *out, uint64_t seed)
{
	static const unsigned changes[] = {2, 6, 20, 60};
	struct draw draw = {.state = seed * 0x9e3779b97f4a7c15 + 1, .clock = 20000};
	struct side *sides = mem_zalloc(3, sizeof *sides);
	unsigned count = changes[seed % 4];

	for (unsigned i = 0; i < 30; i++)
		worlds_change(&draw, &sides[0]);
	sides[1] = sides[2] = sides[0];
	sides[1].skew = (int)draw_below(&draw, 9000);
	sides[2].skew = -(int)draw_below(&draw, 9000);
	for (unsigned i = 0; i < count; i++)
		worlds_change(&draw, &sides[1 + draw_below(&draw, 2)]);
	worlds_write(&out->base, &sides[0]);
	worlds_write(&out->a, &sides[1]);
	worlds_write(&out->b, &sides[2]);
	free(sides);
}

void worlds_release(struct worlds *worlds)
{
	str_release(&worlds->base);
	str_release(&worlds->a);
	str_release(&worlds->b);
}

struct slice worlds_token(struct slice from, size_t *at)
{
	for (size_t i = *at; i < from.len; i++) {
		size_t end = i + 1;

		if (from.ptr[i] != 't')
			continue;
		while (end < from.len && isdigit((unsigned char)from.ptr[end]))
			end++;
		if (end == i + 1 || end == from.len || from.ptr[end] != '.')
			continue;
		*at = end + 1;
		return slice_make(from.ptr + i, end + 1 - i);
	}
	return slice_of(NULL);
}
