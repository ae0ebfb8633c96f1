#include "ops/similar_text.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/doc.h"
#include "similarity/contradiction.h"
#include "text/normalize.h"
#include "text/tokens.h"
#include "text/value_text.h"

#include <inttypes.h>
#include <stdlib.h>

/* Cohesion from which on a group is one thing, and from which on somebody should look. */
#define MERGE_COHESION 0.85
#define REVIEW_COHESION 0.65

/* Words from which on a text says what it is about. */
#define TELLING_WORDS 3

/* What the name of a group begins with. */
#define GROUP_NAME "cluster-"

/* Characters in which a few words can be counted. */
#define COUNTED 256

/* Number of words; of a long text, of its beginning. */
static size_t alike_count_words(struct slice text)
{
	ARENA_AUTO arena = ARENA_INIT;
	STR_AUTO normal = STR_INIT;
	struct text decoded;

	normalize_words(utf8_cut(text, COUNTED), &normal);
	text_make(&arena, str_slice(&normal), &decoded);
	return decoded.word_count;
}

/* Are there at least two words? Two runs of letters and digits with a blank between are. */
static bool alike_has_two_words(struct slice text)
{
	bool word = false;
	bool behind = false;

	for (size_t i = 0; i < text.len && i < COUNTED; i++) {
		char c = text.ptr[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
			if (behind)
				return true;
			word = true;
		} else {
			behind = word && (behind || c == ' ');
		}
	}
	return alike_count_words(text) >= 2;
}

struct slice alike_text(const struct item *item, struct arena *arena)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO value = STR_INIT;
	STR_AUTO whole = STR_INIT;

	/* The value itself if it is a string, else the words in it. */
	if (json_type(item->entry.doc, item->entry.value_node) == JSON_STRING)
		str_add(&value, json_string(item->entry.doc, item->entry.value_node, &scratch));
	else
		value_text(item->entry.doc, item->entry.value_node, &value, &value);
	if (!alike_has_two_words(str_slice(&value))) {
		normalize_words(item->entry.key, &whole);
		str_addc(&whole, ' ');
	}
	str_add(&whole, str_slice(&value));
	return arena_copy(arena, str_slice(&whole));
}

struct slice *alike_texts(const struct facts *facts, size_t count, struct arena *arena)
{
	struct slice *texts = arena_alloc(arena, (count + 1) * sizeof *texts);

	for (size_t i = 0; i < count; i++)
		texts[i] = alike_text(facts[i].item, arena);
	return texts;
}

void alike_groups(struct clusters *out, const struct slice *texts, size_t count, double threshold,
		  const struct settings *settings, const struct progress *progress)
{
	struct similar *similar = similar_new(texts, count);

	similar_watch(similar, progress);
	clusters_find(similar, threshold, (size_t)settings->cluster_min,
		      (size_t)settings->cluster_max, out);
	similar_free(similar);
}

bool alike_may_merge(struct slice a, struct slice b)
{
	return alike_count_words(a) >= TELLING_WORDS && alike_count_words(b) >= TELLING_WORDS &&
	       conflict_may_merge(a, b);
}

void alike_group_name(struct str *out, const struct slice *refs, size_t count)
{
	struct slice *sorted = mem_zalloc(count, sizeof *sorted);
	STR_AUTO joined = STR_INIT;

	for (size_t i = 0; i < count; i++)
		sorted[i] = refs[i];
	qsort(sorted, count, sizeof *sorted, slice_compare_elements);
	for (size_t i = 0; i < count; i++) {
		str_add(&joined, sorted[i]);
		str_addc(&joined, '\n');
	}
	free(sorted);
	str_printf(out, GROUP_NAME "%016" PRIx64, hash64(str_slice(&joined)));
}

bool alike_is_group_name(struct slice text)
{
	return text.len > strlen(GROUP_NAME) + 1 && slice_starts(text, GROUP_NAME);
}

const char *alike_suggested_action(double cohesion, bool conflicts)
{
	if (cohesion < REVIEW_COHESION)
		return "keep_separate";
	return cohesion < MERGE_COHESION || conflicts ? "review" : "merge";
}
