/*
 * Replays what is said about messages: each function is for the file of cases of its name.
 */
#include "replay/golden.h"

#include "json/write.h"
#include "nlp/intent.h"

static bool is_of(const struct json *doc, uint32_t node, enum json_type type)
{
	return node != JSON_NONE && json_type(doc, node) == type;
}

static bool count_of(const struct json *doc, uint32_t node, size_t *out)
{
	int64_t number;

	if (node == JSON_NONE || !json_int(doc, node, &number) || number < 0)
		return false;
	*out = (size_t)number;
	return true;
}

static void write_analysis(const struct analysis *analysis, struct str *out)
{
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	json_write_name(&w, slice_of("signals"));
	json_write_object(&w);
	for (int i = 0; i < ANALYZE_SIGNAL_COUNT; i++) {
		enum analyze_signal signal = (enum analyze_signal)i;

		if (analysis->weight[i] == 0)
			continue;
		json_write_name(&w, slice_of(analyze_signal_names[signal]));
		json_write_double(&w, analysis->weight[i]);
	}
	json_write_end(&w);
	json_write_name(&w, slice_of("confidence"));
	json_write_double(&w, analysis->confidence);
	json_write_member_string(&w, "decision",
				 slice_of(analyze_decision_names[analysis->decision]));
	json_write_end(&w);
}

enum golden_outcome replay_analyze(const struct json *doc, uint32_t node, struct str *why)
{
	static const char *const members[] = {"message", "intent", "entities", NULL};
	uint32_t in = json_member(doc, node, "in");
	enum analyze_intent intent = ANALYZE_SAVE;
	struct analysis analysis;
	STR_AUTO scratch = STR_INIT;
	STR_AUTO got = STR_INIT;
	size_t entities;
	struct slice name;

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	if (!is_of(doc, json_member(doc, in, "message"), JSON_STRING) ||
	    !is_of(doc, json_member(doc, in, "intent"), JSON_STRING) ||
	    !count_of(doc, json_member(doc, in, "entities"), &entities))
		return golden_unknown_form(why, "not a text, an intent and a number");
	name = json_string(doc, json_member(doc, in, "intent"), &scratch);
	if (slice_is(name, "recall"))
		intent = ANALYZE_RECALL;
	else if (!slice_is(name, "save"))
		return golden_unknown_form(why, "intent is neither save nor recall");
	analyze_message(json_string(doc, json_member(doc, in, "message"), &scratch), intent,
			entities, &analysis);
	write_analysis(&analysis, &got);
	return golden_compare_written(doc, json_member(doc, node, "out"), str_slice(&got), why);
}

enum golden_outcome replay_importance(const struct json *doc, uint32_t node, struct str *why)
{
	static const char *const members[] = {"length", "entities", "marker", "question", NULL};
	uint32_t in = json_member(doc, node, "in");
	size_t entities;
	size_t length;
	bool question;
	bool marker;

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	if (!count_of(doc, json_member(doc, in, "length"), &length) ||
	    !count_of(doc, json_member(doc, in, "entities"), &entities) ||
	    !json_bool(doc, json_member(doc, in, "marker"), &marker) ||
	    !json_bool(doc, json_member(doc, in, "question"), &question))
		return golden_unknown_form(why, "not two numbers and two booleans");
	return golden_compare_number(doc, json_member(doc, node, "out"),
				     analyze_strength(length, entities, marker, question),
				     &golden_usual, why);
}

enum golden_outcome replay_sigmoid(const struct json *doc, uint32_t node, struct str *why)
{
	double x;

	if (!json_double(doc, json_member(doc, node, "in"), &x))
		return golden_unknown_form(why, "in is no number");
	return golden_compare_number(doc, json_member(doc, node, "out"), analyze_logistic(x),
				     &golden_usual, why);
}
