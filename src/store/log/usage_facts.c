#include "store/log/usage_facts.h"

#include "base/map.h"
#include "base/mem.h"
#include "json/write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* More hits than anybody has; sums of a few such counts stay far from overflowing. */
#define HITS_MAX INT64_C(1000000000000)

static const char *const compacted_names[] = {"ref",  "hits",  "last", "uses",   "crossed", "first",
					      "used", "shown", "seen", "digest", NULL};

void usage_facts_init(struct usage_facts *facts)
{
	*facts = (struct usage_facts){.epoch = {.since_ms = TIME_NONE}};
}

void usage_facts_release(struct usage_facts *facts)
{
	map_release(&facts->by_ref);
	arena_release(&facts->arena);
	free(facts->list);
	usage_facts_init(facts);
}

int64_t usage_add_hits(int64_t a, int64_t b)
{
	return a + b > HITS_MAX ? HITS_MAX : a + b;
}

static struct usage_known *usage_find_or_add(struct usage_facts *facts, struct slice ref)
{
	size_t at;

	if (map_get(&facts->by_ref, ref, &at))
		return &facts->list[at];
	facts->list = mem_grow(facts->list, &facts->cap, facts->count + 1, sizeof *facts->list);
	struct usage_known *known = &facts->list[facts->count];
	*known = (struct usage_known){.fact = usage_fact_none(arena_copy(&facts->arena, ref))};
	map_put(&facts->by_ref, known->fact.ref, facts->count++);
	return known;
}

/* What is known of this ref has changed, and of no other. */
static void usage_touch(struct usage_facts *facts, const struct usage_known *known)
{
	if (facts->touched_count == USAGE_TOUCHED_MAX) {
		facts->touched_count = 0;
		facts->upheavals++;
	}
	facts->touched[facts->touched_count++] = (size_t)(known - facts->list);
}

/* ---- reading a line; its root is an object, so that a missing member is no string or number */

static bool usage_read_time(const struct json *doc, const char *name, int64_t *ms)
{
	STR_AUTO scratch = STR_INIT;

	return timestamp_parse(json_string(doc, json_member(doc, JSON_ROOT, name), &scratch), false,
			       ms);
}

static int64_t usage_read_count(const struct json *doc, const char *name)
{
	uint32_t node = json_member(doc, JSON_ROOT, name);
	int64_t count;
	double number;

	if (json_int(doc, node, &count))
		return count < 0 ? 0 : usage_add_hits(0, count);
	if (!json_double(doc, node, &number) || number < 0)
		return 0;
	return number < (double)HITS_MAX ? (int64_t)number : HITS_MAX;
}

/* 0, which is no digest, when there is none or it is no number of this length. */
static uint64_t usage_read_digest(const struct json *doc)
{
	STR_AUTO scratch = STR_INIT;
	struct slice hex = json_string(doc, json_member(doc, JSON_ROOT, "digest"), &scratch);
	uint64_t digest = 0;

	if (hex.len == HEX_DIGITS)
		hex_read(hex, &digest);
	return digest;
}

static void usage_take_since(struct usage_facts *facts, const struct json *doc)
{
	bool outranks = false;

	if (!usage_read_time(doc, "since", &facts->epoch.since_ms))
		return;
	facts->upheavals++;
	json_bool(doc, json_member(doc, JSON_ROOT, "outranks"), &outranks);
	facts->epoch.outranks = outranks;
}

/* What happened to an entry once: every kind of line but a compacted one. */
static void usage_take_event(struct usage_facts *facts, enum usage_kind kind, struct slice ref,
			     const struct json *doc)
{
	uint64_t digest = kind == USAGE_SEEN ? usage_read_digest(doc) : 0;
	int64_t at_ms = TIME_NONE;
	bool timed = usage_read_time(doc, "at", &at_ms);
	struct usage_fact *fact;
	bool crossed = false;

	if (kind == USAGE_SEEN ? !digest : !timed)
		return;
	struct usage_known *known = usage_find_or_add(facts, ref);
	usage_touch(facts, known);
	fact = &known->fact;
	if (kind == USAGE_HIT) {
		fact->hits = usage_add_hits(fact->hits, 1);
		fact->last_ms = time_later(fact->last_ms, at_ms);
	} else if (kind == USAGE_USE) {
		json_bool(doc, json_member(doc, JSON_ROOT, "crossed"), &crossed);
		fact->uses = usage_add_hits(fact->uses, 1);
		fact->crossed = usage_add_hits(fact->crossed, crossed);
		fact->first_ms = usage_earlier(fact->first_ms, at_ms);
		fact->used_ms = time_later(fact->used_ms, at_ms);
	} else if (kind == USAGE_SHOWN) {
		fact->shown_ms = time_later(fact->shown_ms, at_ms);
	} else {
		fact->digest = digest;
		fact->seen_ms = time_later(fact->seen_ms, at_ms);
	}
}

/* The members of other names: of a later program, or a person's. */
static struct slice usage_copy_rest(struct usage_facts *facts, const struct json *doc)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO rest = STR_INIT;

	for (uint32_t m = json_first(doc, JSON_ROOT); m != JSON_NONE; m = json_next(doc, m)) {
		const struct json_node *node = &doc->nodes[m];
		struct slice name = json_name(doc, m, &scratch);
		const char *const *own = compacted_names;

		while (*own && !slice_is(name, *own))
			own++;
		if (*own)
			continue;
		if (rest.len > 0)
			str_addc(&rest, ',');
		str_add(&rest,
			slice_make(doc->text.ptr + node->name_start, node->end - node->name_start));
	}
	return rest.len > 0 ? arena_copy(&facts->arena, str_slice(&rest)) : slice_make(NULL, 0);
}

static void usage_take_known(struct usage_facts *facts, struct slice ref, const struct json *doc)
{
	struct usage_known *known = usage_find_or_add(facts, ref);
	struct usage_fact *fact = &known->fact;

	facts->upheavals++;
	*fact = usage_fact_none(fact->ref);
	fact->hits = usage_read_count(doc, "hits");
	fact->uses = usage_read_count(doc, "uses");
	fact->crossed = usage_read_count(doc, "crossed");
	usage_read_time(doc, "used", &fact->used_ms);
	/* A line of an earlier program knows the last use alone. */
	fact->first_ms = fact->used_ms;
	usage_read_time(doc, "first", &fact->first_ms);
	usage_read_time(doc, "last", &fact->last_ms);
	usage_read_time(doc, "shown", &fact->shown_ms);
	usage_read_time(doc, "seen", &fact->seen_ms);
	fact->digest = usage_read_digest(doc);
	known->rest = usage_copy_rest(facts, doc);
}

/*
 * By the member that names the ref. A compacted line has a "seen" and a "shown" too, so the order
 * counts.
 */
static const char *const kind_names[] = {
	[USAGE_HIT] = "hit",   [USAGE_KNOWN] = "ref",   [USAGE_USE] = "use",
	[USAGE_SEEN] = "seen", [USAGE_SHOWN] = "shown",
};

static int usage_take_line(void *context, const struct json_line *line)
{
	struct usage_facts *facts = context;
	const struct json *doc = line->doc;
	STR_AUTO scratch = STR_INIT;

	facts->lines++;
	if (!doc || json_type(doc, JSON_ROOT) != JSON_OBJECT)
		return 0;
	if (json_member(doc, JSON_ROOT, "since") != JSON_NONE) {
		usage_take_since(facts, doc);
		return 0;
	}
	for (size_t kind = 0; kind < sizeof kind_names / sizeof *kind_names; kind++) {
		uint32_t node = json_member(doc, JSON_ROOT, kind_names[kind]);
		struct slice ref = json_string(doc, node, &scratch);

		if (ref.len == 0)
			continue;
		if (kind == USAGE_KNOWN)
			usage_take_known(facts, ref, doc);
		else
			usage_take_event(facts, (enum usage_kind)kind, ref, doc);
		break;
	}
	return 0;
}

void usage_facts_take(struct usage_facts *facts, struct slice lines)
{
	json_parse_lines(lines, &json_line_bounds, usage_take_line, facts);
}

bool usage_known_empty(const struct usage_known *known)
{
	const struct usage_fact *fact = &known->fact;

	return fact->hits == 0 && fact->uses == 0 && fact->crossed == 0 &&
	       fact->used_ms == TIME_NONE && fact->last_ms == TIME_NONE &&
	       fact->shown_ms == TIME_NONE && fact->seen_ms == TIME_NONE && fact->digest == 0 &&
	       !known->rest.ptr;
}

const struct usage_known *usage_facts_find(const struct usage_facts *facts, struct slice ref)
{
	size_t at;

	if (!map_get(&facts->by_ref, ref, &at) || usage_known_empty(&facts->list[at]))
		return NULL;
	return &facts->list[at];
}

/* ---- writing a line */

/* TIME_NONE leaves the member out. */
static void usage_write_time(struct json_writer *w, const char *name, int64_t ms)
{
	char text[TIMESTAMP_SIZE];

	if (ms == TIME_NONE)
		return;
	timestamp_format(ms, text);
	json_write_member_string(w, name, slice_of(text));
}

/* 0 leaves the member out. */
static void usage_write_digest(struct json_writer *w, uint64_t digest)
{
	char text[HEX_DIGITS + 1];

	if (!digest)
		return;
	snprintf(text, sizeof text, "%016" PRIx64, digest);
	json_write_member_string(w, "digest", slice_of(text));
}

void usage_line_since(struct str *out, const struct usage_epoch *epoch)
{
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	usage_write_time(&w, "since", epoch->since_ms);
	if (epoch->outranks)
		json_write_member_bool(&w, "outranks", true);
	json_write_end(&w);
	str_addc(out, '\n');
}

void usage_line_add(struct str *out, enum usage_kind kind, struct slice ref, uint64_t digest,
		    int64_t at_ms, bool crossed)
{
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	json_write_member_string(&w, kind_names[kind], ref);
	usage_write_digest(&w, digest);
	usage_write_time(&w, "at", at_ms);
	if (crossed)
		json_write_member_bool(&w, "crossed", true);
	json_write_end(&w);
	str_addc(out, '\n');
}

void usage_line_known(struct str *out, const struct usage_known *known)
{
	const struct usage_fact *fact = &known->fact;
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	json_write_member_string(&w, "ref", fact->ref);
	if (fact->hits > 0)
		json_write_member_int(&w, "hits", fact->hits);
	usage_write_time(&w, "last", fact->last_ms);
	if (fact->uses > 0)
		json_write_member_int(&w, "uses", fact->uses);
	if (fact->crossed > 0)
		json_write_member_int(&w, "crossed", fact->crossed);
	if (fact->first_ms != fact->used_ms)
		usage_write_time(&w, "first", fact->first_ms);
	usage_write_time(&w, "used", fact->used_ms);
	usage_write_time(&w, "shown", fact->shown_ms);
	usage_write_time(&w, "seen", fact->seen_ms);
	usage_write_digest(&w, fact->digest);
	json_write_end(&w);
	if (known->rest.ptr) {
		/* Members in their exact text go before the brace that closes the line. */
		str_truncate(out, out->len - 1);
		str_addc(out, ',');
		str_add(out, known->rest);
		str_addc(out, '}');
	}
	str_addc(out, '\n');
}
