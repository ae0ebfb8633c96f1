#include "model/combine.h"

#include "base/blank.h"
#include "json/tree.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "model/alphabet.h"
#include "model/known.h"

#include <math.h>
#include <stdlib.h>

/* A text that takes part. */
struct piece {
	struct slice text;
	struct str lower; /* of the whole text */
	size_t characters;
	size_t position;
};

static void add_lower(struct str *out, struct slice text, const struct alphabet *alphabet)
{
	size_t at = 0;

	while (at < text.len)
		utf8_add(out, alphabet_lower(alphabet, utf8_next(text, &at)));
}

/* Longest first, equals in the order given. */
static int compare_pieces(const void *a, const void *b)
{
	const struct piece *first = a;
	const struct piece *second = b;

	if (first->characters != second->characters)
		return first->characters > second->characters ? -1 : 1;
	return first->position < second->position ? -1 : 1;
}

static struct piece *pieces_new(const struct slice *texts, size_t count)
{
	struct alphabet alphabet = alphabet_open();
	struct piece *pieces = mem_zalloc(count, sizeof *pieces);

	for (size_t i = 0; i < count; i++) {
		pieces[i] = (struct piece){texts[i], STR_INIT, utf8_count(texts[i]), i};
		add_lower(&pieces[i].lower, texts[i], &alphabet);
	}
	alphabet_close(&alphabet);
	qsort(pieces, count, sizeof *pieces, compare_pieces);
	return pieces;
}

static void pieces_free(struct piece *pieces, size_t count)
{
	for (size_t i = 0; i < count; i++)
		str_release(&pieces[i].lower);
	free(pieces);
}

static bool first_has_all(const struct piece *pieces, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct str *whole = &pieces[0].lower;
		const struct str *part = &pieces[i].lower;

		if (part->len && !memmem(whole->ptr, whole->len, part->ptr, part->len))
			return false;
	}
	return true;
}

static bool is_repeat(const struct piece *pieces, size_t i)
{
	struct slice text = blank_trim(str_slice(&pieces[i].lower));

	for (size_t k = 0; k < i; k++) {
		if (slice_equal(blank_trim(str_slice(&pieces[k].lower)), text))
			return true;
	}
	return false;
}

void combine_texts(const struct slice *texts, size_t count, struct str *out)
{
	struct piece *pieces = pieces_new(texts, count);
	size_t start = out->len;

	if (count && first_has_all(pieces, count)) {
		str_add(out, pieces[0].text);
	} else {
		for (size_t i = 0; i < count; i++) {
			struct slice text = blank_trim(pieces[i].text);

			if (text.len == 0 || is_repeat(pieces, i))
				continue;
			str_adds(out, out->len > start ? "\n\n" : "");
			str_add(out, text);
		}
	}
	pieces_free(pieces, count);
}

double combine_strength(const double *strengths, size_t count, double cohesion)
{
	double bonus = fmin(STRENGTH_BONUS_MAX, cohesion * (double)count * 0.1);
	double largest = count ? strengths[0] : 1;

	for (size_t i = 1; i < count; i++)
		largest = fmax(largest, strengths[i]);
	return fmin(STRENGTH_MAX, largest + bonus);
}

static bool all_equal(const struct json *docs, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (!json_equal(&docs[0], JSON_ROOT, &docs[i], JSON_ROOT))
			return false;
	}
	return true;
}

/* The text with its escapes where it is one of the strings, else written anew. */
static void write_combined(const struct json *docs, size_t count, struct slice text,
			   struct str *out)
{
	STR_AUTO scratch = STR_INIT;
	struct json_writer w;

	json_writer_init(&w, out, &json_compact);
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
	write_combined(docs, count, str_slice(&joined), out);
	for (size_t i = 0; i < count; i++)
		str_release(&scratch[i]);
	free(scratch);
	free(texts);
}

static bool tree_equals(const struct json_tree *tree, const struct json *doc, uint32_t node)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w;
	struct json parsed = {0};
	bool equal;

	json_writer_init(&w, &text, &json_compact);
	json_tree_write(tree, &w);
	known_parse(&parsed, str_slice(&text));
	equal = json_equal(&parsed, JSON_ROOT, doc, node);
	json_release(&parsed);
	return equal;
}

/* Adds the members of node that object lacks; false, and *why, where one differs. */
static bool add_members(struct json_tree *object, const struct json *doc, uint32_t node,
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
			if (!add_members(there, doc, m, why))
				return false;
		} else if (!tree_equals(there, doc, m)) {
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
	struct json_writer w;

	for (size_t i = 1; i < count && whole; i++)
		whole = add_members(object, &docs[i], JSON_ROOT, why);
	if (whole) {
		json_writer_init(&w, out, &json_compact);
		json_tree_write(object, &w);
	}
	json_tree_free(object);
	return whole ? 0 : -1;
}

static int refuse(struct str *why, const char *text)
{
	str_adds(why, text);
	return -1;
}

static int combine_docs(const struct json *docs, size_t count, struct str *out, struct str *why)
{
	enum json_type type = json_type(&docs[0], JSON_ROOT);
	struct json_writer w;

	if (all_equal(docs, count)) {
		json_writer_init(&w, out, &json_compact);
		json_write_value(&w, &docs[0], JSON_ROOT);
		return 0;
	}
	for (size_t i = 1; i < count; i++) {
		if (json_type(&docs[i], JSON_ROOT) != type)
			return refuse(why, "the values are of different types");
	}
	if (type == JSON_OBJECT)
		return combine_objects(docs, count, out, why);
	if (type != JSON_STRING)
		return refuse(why, type == JSON_ARRAY ? "the lists differ" : "the values differ");
	combine_strings(docs, count, out);
	return 0;
}

int combine_values(const struct slice *values, size_t count, struct str *out, struct str *why)
{
	struct json *docs = mem_zalloc(count, sizeof *docs);
	int rc;

	for (size_t i = 0; i < count; i++)
		known_parse(&docs[i], values[i]);
	rc = combine_docs(docs, count, out, why);
	for (size_t i = 0; i < count; i++)
		json_release(&docs[i]);
	free(docs);
	return rc;
}
