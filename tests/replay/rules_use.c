/*
 * Replays what a use does to a memory: each function is for the file of cases of its name.
 */
#include "replay/golden.h"

#include "json/write.h"
#include "policy/decay.h"
#include "replay/texts.h"
#include "similarity/similarity.h"

enum golden_outcome replay_cross_domain(const struct json *doc, uint32_t node, struct str *why)
{
	static const char *const members[] = {"tags", "context_tags", NULL};
	uint32_t in = json_member(doc, node, "in");
	struct arena arena = ARENA_INIT;
	enum golden_outcome outcome = GOLDEN_UNKNOWN_FORM;
	struct slice *tags;
	struct slice *context;
	size_t tag_count;
	size_t context_count;

	if (golden_has_members(doc, in, members, why) &&
	    texts_read(doc, json_member(doc, in, "tags"), &arena, &tags, &tag_count, why) &&
	    texts_read(doc, json_member(doc, in, "context_tags"), &arena, &context, &context_count,
		       why)) {
		bool got = use_crosses(similar_sets(tags, tag_count, context, context_count),
				       tag_count, context_count);

		outcome = golden_compare_written(doc, json_member(doc, node, "out"),
						 slice_of(got ? "true" : "false"), why);
	}
	arena_release(&arena);
	return outcome;
}

static bool read_bool(const struct json *doc, uint32_t object, const char *name, bool *out)
{
	uint32_t node = json_member(doc, object, name);

	return node != JSON_NONE && json_bool(doc, node, out);
}

enum golden_outcome replay_reinforce(const struct json *doc, uint32_t node, struct str *why)
{
	static const char *const members[] = {"strength", "uses", "boost", "cross_domain", NULL};
	uint32_t in = json_member(doc, node, "in");
	STR_AUTO got = STR_INIT;
	double strength;
	double uses;
	bool boost;
	bool crosses;

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	if (!golden_number(doc, in, "strength", &strength) ||
	    !golden_number(doc, in, "uses", &uses) || !read_bool(doc, in, "boost", &boost) ||
	    !read_bool(doc, in, "cross_domain", &crosses))
		return golden_unknown_form(why, "no numbers, or no yes and no");
	struct json_writer w = json_writer_to(&got, &json_compact);
	json_write_object(&w);
	json_write_name(&w, slice_of("strength"));
	json_write_double(&w, use_strength(strength, boost, crosses));
	json_write_member_int(&w, "uses", (int64_t)uses + 1);
	json_write_member_int(&w, "cross_domain_added", crosses);
	json_write_end(&w);
	return golden_compare_written(doc, json_member(doc, node, "out"), str_slice(&got), why);
}
