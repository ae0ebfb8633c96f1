#include "model/combine.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "json/tree.h"
#include "model/category.h"
#include "model/entry.h"

#include <math.h>
#include <stdlib.h>

/* A text that takes part. */
struct piece {
	struct slice text;
	struct str lower; /* of the whole text */
	size_t characters;
	size_t position;
};

/* Longest first, equals in the order given. */
static int combine_compare_pieces(const void *a, const void *b)
{
	const struct piece *first = a;
	const struct piece *second = b;

	if (first->characters != second->characters)
		return first->characters > second->characters ? -1 : 1;
	return first->position < second->position ? -1 : 1;
}

static struct piece *combine_pieces_new(const struct slice *texts, size_t count)
{
	struct alphabet alphabet = alphabet_open();
	struct piece *pieces = mem_zalloc(count, sizeof *pieces);

	for (size_t i = 0; i < count; i++) {
		pieces[i] = (struct piece){texts[i], STR_INIT, utf8_count(texts[i]), i};
		for (size_t at = 0; at < texts[i].len;)
			utf8_add(&pieces[i].lower,
				 alphabet_lower(&alphabet, utf8_next(texts[i], &at)));
	}
	alphabet_close(&alphabet);
	qsort(pieces, count, sizeof *pieces, combine_compare_pieces);
	return pieces;
}

/* True if the text at the index equals one before it, apart from case and surrounding blanks. */
static bool combine_is_repeat(const struct piece *pieces, size_t index)
{
	struct slice text = blank_trim(str_slice(&pieces[index].lower));
	size_t i = 0;

	while (i < index && !slice_equal(blank_trim(str_slice(&pieces[i].lower)), text))
		i++;
	return i < index;
}

void combine_texts(const struct slice *texts, size_t count, struct str *out)
{
	struct piece *pieces = combine_pieces_new(texts, count);
	size_t start = out->len;
	size_t held = 1; /* texts that the longest contains, with itself */

	while (held < count &&
	       (!pieces[held].lower.len || memmem(pieces[0].lower.ptr, pieces[0].lower.len,
						  pieces[held].lower.ptr, pieces[held].lower.len)))
		held++;
	if (held == count)
		str_add(out, pieces[0].text);
	for (size_t i = 0; i < count && held < count; i++) {
		struct slice text = blank_trim(pieces[i].text);

		if (text.len == 0 || combine_is_repeat(pieces, i))
			continue;
		str_adds(out, out->len > start ? "\n\n" : "");
		str_add(out, text);
	}
	for (size_t i = 0; i < count; i++)
		str_release(&pieces[i].lower);
	free(pieces);
}

double combine_strength(const double *strengths, size_t count, double cohesion)
{
	double bonus = fmin(STRENGTH_BONUS_MAX, cohesion * (double)count * 0.1);
	double largest = count ? strengths[0] : 1;

	for (size_t i = 1; i < count; i++)
		largest = fmax(largest, strengths[i]);
	return fmin(STRENGTH_MAX, largest + bonus);
}

/* The text with its escapes where it is one of the strings, else written anew. */
static void combine_write_combined(const struct json *docs, size_t count, struct slice text,
				   struct str *out)
{
	STR_AUTO scratch = STR_INIT;
	struct json_writer w = json_writer_to(out, &json_compact);

	for (size_t i = 0; i < count; i++) {
		if (slice_equal(json_string(&docs[i], JSON_ROOT, &scratch), text)) {
			json_write_value(&w, &docs[i], JSON_ROOT);
			return;
		}
	}
	json_write_string(&w, text);
}

static void combine_strings(const struct json *docs, size_t count, struct str *out)
{
	struct slice *texts = mem_zalloc(count, sizeof *texts);
	struct str *scratch = mem_zalloc(count, sizeof *scratch);
	STR_AUTO joined = STR_INIT;

	for (size_t i = 0; i < count; i++) {
		str_init(&scratch[i]);
		texts[i] = json_string(&docs[i], JSON_ROOT, &scratch[i]);
	}
	combine_texts(texts, count, &joined);
	combine_write_combined(docs, count, str_slice(&joined), out);
	for (size_t i = 0; i < count; i++)
		str_release(&scratch[i]);
	free(scratch);
	free(texts);
}

/* The value that a tree has by now, to be compared; *text keeps it. */
static void combine_read_tree(struct json *out, struct str *text, const struct json_tree *tree)
{
	json_tree_print(text, tree);
	known_parse(out, str_slice(text));
}

static bool combine_tree_equals(const struct json_tree *tree, const struct json *doc, uint32_t node)
{
	STR_AUTO text = STR_INIT;
	JSON_AUTO parsed = {0};

	combine_read_tree(&parsed, &text, tree);
	return json_equal(&parsed, JSON_ROOT, doc, node);
}

/* Adds the members of node that object lacks; false, and *why, where one differs. */
static bool combine_add_members(struct json_tree *object, const struct json *doc, uint32_t node,
				struct str *why)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t m = json_first(doc, node); m != JSON_NONE; m = json_next(doc, m)) {
		struct slice name = json_name(doc, m, &scratch);
		struct json_tree *there = json_tree_member(object, name);

		if (!there) {
			json_tree_put(object, name, json_tree_from(doc, m));
		} else if (json_tree_type(there) == JSON_OBJECT &&
			   json_type(doc, m) == JSON_OBJECT) {
			if (!combine_add_members(there, doc, m, why))
				return false;
		} else if (!combine_tree_equals(there, doc, m)) {
			str_adds(why, "member \"");
			utf8_add_visible(why, name, false);
			str_adds(why, "\" differs");
			return false;
		}
	}
	return true;
}

static int combine_objects(const struct json *docs, size_t count, struct str *out, struct str *why)
{
	struct json_tree *object = json_tree_from(&docs[0], JSON_ROOT);
	bool whole = true;

	for (size_t i = 1; i < count && whole; i++)
		whole = combine_add_members(object, &docs[i], JSON_ROOT, why);
	if (whole) {
		json_tree_print(out, object);
	}
	json_tree_free(object);
	return whole ? 0 : -1;
}

static int combine_refuse(struct str *why, const char *text)
{
	str_adds(why, text);
	return -1;
}

static int combine_docs(const struct json *docs, size_t count, struct str *out, struct str *why)
{
	enum json_type type = json_type(&docs[0], JSON_ROOT);
	size_t same = 1;

	while (same < count && json_equal(&docs[0], JSON_ROOT, &docs[same], JSON_ROOT))
		same++;
	if (same == count) {
		json_print(out, &docs[0], JSON_ROOT);
		return 0;
	}
	for (size_t i = 1; i < count; i++) {
		if (json_type(&docs[i], JSON_ROOT) != type)
			return combine_refuse(why, "the values are of different types");
	}
	if (type == JSON_OBJECT)
		return combine_objects(docs, count, out, why);
	if (type != JSON_STRING)
		return combine_refuse(why, type == JSON_ARRAY ? "the lists differ"
							      : "the values differ");
	combine_strings(docs, count, out);
	return 0;
}

int combine_values(const struct slice *values, size_t count, struct str *out, struct str *why)
{
	struct json *docs = mem_zalloc(count, sizeof *docs);

	for (size_t i = 0; i < count; i++)
		known_parse(&docs[i], values[i]);
	int rc = combine_docs(docs, count, out, why);
	for (size_t i = 0; i < count; i++)
		json_release(&docs[i]);
	free(docs);
	return rc;
}

/*
 * The second half of combine.h: the facts about several entries become those of one.
 */

/* An entry that takes part, taken apart; one that is the value itself has no members. */
struct source {
	const struct combine_part *part;
	struct json doc;
	bool bare;
};

/* The entry that remains, while it is made. */
struct result {
	struct json_tree *object;
	const struct source *sources;
	size_t count;
	size_t kept;
};

static uint32_t combine_member(const struct source *source, const char *name)
{
	return source->bare ? JSON_NONE : json_member(&source->doc, JSON_ROOT, name);
}

static void combine_put_text(struct json_tree *object, struct slice name, struct slice text)
{
	JSON_AUTO doc = {0};

	known_parse(&doc, text);
	json_tree_put(object, name, json_tree_from(&doc, JSON_ROOT));
}

static void combine_put_number(struct json_tree *object, const char *name, double number)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_compact);

	json_write_fixed(&w, number, ENTRY_STRENGTH_DECIMALS);
	combine_put_text(object, slice_of(name), str_slice(&text));
}

/* A number of the entry; NAN where it has none. */
static double combine_number_of(const struct source *source, const char *name)
{
	uint32_t node = combine_member(source, name);
	double number;

	return node != JSON_NONE && json_double(&source->doc, node, &number) ? number : NAN;
}

static void combine_add_strength(struct result *result, double cohesion)
{
	double *strengths = mem_zalloc(result->count, sizeof *strengths);
	double before = combine_number_of(&result->sources[result->kept], "strength");

	for (size_t i = 0; i < result->count; i++) {
		double own = combine_number_of(&result->sources[i], "strength");

		strengths[i] = isnan(own) ? 1 : own;
	}
	double after = combine_strength(strengths, result->count, cohesion);
	free(strengths);
	if (after != (isnan(before) ? 1 : before))
		combine_put_number(result->object, "strength", after);
}

/* The largest that any of them has, in its own text. */
static void combine_add_largest(struct result *result, const char *name)
{
	const struct source *kept = &result->sources[result->kept];
	double largest = combine_number_of(kept, name);

	for (size_t i = 0; i < result->count; i++) {
		const struct source *source = &result->sources[i];
		double number = combine_number_of(source, name);

		if (isnan(number) || number <= largest)
			continue;
		largest = number;
		json_tree_put(result->object, slice_of(name),
			      json_tree_from(&source->doc, combine_member(source, name)));
	}
}

/* A list of the one that remains gets a text unless it is there, or a person wrote no list there.
 */
static void combine_add_to_list(struct result *result, const char *name, struct slice text)
{
	struct json_tree *list = json_tree_member(result->object, slice_of(name));
	STR_AUTO printed = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	JSON_AUTO doc = {0};

	if (!list) {
		combine_put_text(result->object, slice_of(name), slice_of("[]"));
		list = json_tree_member(result->object, slice_of(name));
	}
	if (json_tree_type(list) != JSON_ARRAY)
		return;
	combine_read_tree(&doc, &printed, list);
	uint32_t n = json_first(&doc, JSON_ROOT);
	while (n != JSON_NONE && !slice_equal(json_string(&doc, n, &scratch), text))
		n = json_next(&doc, n);
	if (n == JSON_NONE)
		json_tree_append(list, json_tree_string(text));
}

/* The texts of a list that a source has join the one that remains. */
static void combine_add_list(struct result *result, const struct source *source, const char *name)
{
	uint32_t list = combine_member(source, name);
	STR_AUTO scratch = STR_INIT;

	if (list == JSON_NONE || json_type(&source->doc, list) != JSON_ARRAY)
		return;
	for (uint32_t n = json_first(&source->doc, list); n != JSON_NONE;
	     n = json_next(&source->doc, n)) {
		if (json_type(&source->doc, n) == JSON_STRING)
			combine_add_to_list(result, name, json_string(&source->doc, n, &scratch));
	}
}

static void combine_add_pinned(struct result *result)
{
	for (size_t i = 0; i < result->count; i++) {
		uint32_t node = combine_member(&result->sources[i], "pinned");
		bool pinned;

		if (node != JSON_NONE && json_bool(&result->sources[i].doc, node, &pinned) &&
		    pinned)
			combine_put_text(result->object, slice_of("pinned"), slice_of("true"));
	}
}

/* Puts a time unless the entry says it already, under its name or its former one. */
static void combine_put_other_time(struct result *result, const char *name, const char *former,
				   int64_t ms)
{
	const struct source *kept = &result->sources[result->kept];
	int64_t own_ms = entry_time(&kept->doc, combine_member(kept, name));
	char text[TIMESTAMP_SIZE];

	if (own_ms == TIME_NONE)
		own_ms = entry_time(&kept->doc, combine_member(kept, former));
	if (ms == TIME_NONE || ms == own_ms)
		return;
	timestamp_format(ms, text);
	json_tree_put(result->object, slice_of(name), json_tree_string(slice_of(text)));
}

static void combine_add_times(struct result *result)
{
	int64_t created_ms = TIME_NONE;
	int64_t updated_ms = TIME_NONE;

	for (size_t i = 0; i < result->count; i++) {
		const struct combine_part *part = result->sources[i].part;

		updated_ms = time_later(updated_ms, part->updated_ms);
		if (created_ms == TIME_NONE ||
		    (part->created_ms != TIME_NONE && part->created_ms < created_ms))
			created_ms = part->created_ms;
	}
	combine_put_other_time(result, "created_at", "created", created_ms);
	combine_put_other_time(result, "last_updated", "updated", updated_ms);
}

/* What the original handler counted in the entry itself: hits add up, the last access stays. */
static void combine_add_counted(struct result *result)
{
	int64_t accessed_ms = TIME_NONE;
	int64_t latest = -1;
	double hits = 0;

	for (size_t i = 0; i < result->count; i++) {
		const struct source *source = &result->sources[i];
		double own = combine_number_of(source, "hits");
		int64_t own_ms = entry_time(&source->doc, combine_member(source, "accessed_at"));

		hits += isnan(own) || own < 0 ? 0 : own;
		if (own_ms > accessed_ms) {
			accessed_ms = own_ms;
			latest = (int64_t)i;
		}
	}
	if (hits > 0 && hits != combine_number_of(&result->sources[result->kept], "hits"))
		combine_put_number(result->object, "hits", fmin(hits, 9007199254740992.0));
	if (latest >= 0 && (size_t)latest != result->kept)
		json_tree_put(
			result->object, slice_of("accessed_at"),
			json_tree_from(&result->sources[latest].doc,
				       combine_member(&result->sources[latest], "accessed_at")));
}

/* Texts of context say together what each of them says. */
static void combine_add_context(struct result *result)
{
	struct slice *texts = mem_zalloc(result->count, sizeof *texts);
	STR_AUTO joined = STR_INIT;
	STR_AUTO why = STR_INIT;
	size_t count = 0;

	for (size_t i = 0; i < result->count; i++) {
		const struct source *source = &result->sources[i];
		uint32_t node = combine_member(source, "context");

		if (node != JSON_NONE && json_type(&source->doc, node) == JSON_STRING)
			texts[count++] = json_text(&source->doc, node);
	}
	if (count > 1 && combine_values(texts, count, &joined, &why) == 0)
		combine_put_text(result->object, slice_of("context"), str_slice(&joined));
	free(texts);
}

/* Names whose meaning is the entry's own, or that are dealt with above. */
static bool combine_is_own(struct slice name)
{
	static const char *const own[] = {"value",    "created_at",  "last_updated", "created",
					  "updated",  "accessed",    "accessed_at",  "hits",
					  "status",   "promoted_to", "tags",         "entities",
					  "strength", "pinned",      "merged_from",  NULL};

	return slice_index(name, own) >= 0;
}

/* What the one that remains lacks; where both have a member, its own stays. */
static void combine_add_lacking(struct json_tree *object, const struct json *doc, uint32_t node,
				bool root)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t m = json_first(doc, node); m != JSON_NONE; m = json_next(doc, m)) {
		struct slice name = json_name(doc, m, &scratch);
		struct json_tree *there = json_tree_member(object, name);

		if (root && combine_is_own(name))
			continue;
		if (!there)
			json_tree_put(object, name, json_tree_from(doc, m));
		else if (root && slice_is(name, "meta") && json_type(doc, m) == JSON_OBJECT &&
			 json_tree_type(there) == JSON_OBJECT)
			combine_add_lacking(there, doc, m, false);
	}
}

static void combine_add_source(struct result *result, const struct source *source)
{
	combine_add_list(result, source, "tags");
	combine_add_list(result, source, "entities");
	combine_add_to_list(result, "merged_from", source->part->ref);
	combine_add_list(result, source, "merged_from");
	if (!source->bare)
		combine_add_lacking(result->object, &source->doc, JSON_ROOT, true);
}

static struct source *combine_sources_new(const struct combine_part *parts, size_t count)
{
	struct source *sources = mem_zalloc(count, sizeof *sources);

	for (size_t i = 0; i < count; i++) {
		sources[i].part = &parts[i];
		known_parse(&sources[i].doc, parts[i].text);
		sources[i].bare = json_member(&sources[i].doc, JSON_ROOT, "value") == JSON_NONE;
	}
	return sources;
}

void combine_entries(const struct combine_part *parts, size_t count, size_t kept,
		     struct slice value, double cohesion, struct str *out)
{
	struct source *sources = combine_sources_new(parts, count);
	struct result result = {NULL, sources, count, kept};

	result.object = sources[kept].bare ? json_tree_object()
					   : json_tree_from(&sources[kept].doc, JSON_ROOT);
	combine_put_text(result.object, slice_of("value"), value);
	combine_add_context(&result);
	combine_add_times(&result);
	combine_add_strength(&result, cohesion);
	combine_add_largest(&result, "importance");
	combine_add_largest(&result, "confidence");
	combine_add_pinned(&result);
	combine_add_counted(&result);
	for (size_t i = 0; i < count; i++) {
		if (i != kept)
			combine_add_source(&result, &sources[i]);
	}
	json_tree_print(out, result.object);
	json_tree_free(result.object);
	for (size_t i = 0; i < count; i++)
		json_release(&sources[i].doc);
	free(sources);
}
