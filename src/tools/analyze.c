#include "base/utf8.h"
#include "model/category.h"
#include "nlp/entities.h"
#include "nlp/intent.h"
#include "ops/common.h"
#include "ops/prompted.h"
#include "tools/registry.h"

/* Most tags that are suggested, and longest one in bytes. */
#define TAGS_MAX 5
#define TAG_BYTES_MAX 40

#define MESSAGE_BYTES_MAX 65536

/* In the order of enum analyze_intent. */
static const char *const intents[] = {"save", "recall", NULL};

struct analyze_args {
	struct slice message;
	int intent;
};

static const struct param params[] = {
	{PARAM(TEXT, analyze_args, message),
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_PLAIN,
	 .help = "what was said", .max_bytes = MESSAGE_BYTES_MAX},
	{PARAM(CHOICE, analyze_args, intent), .flags = PARAM_PLAIN, .choices = intents,
	 .help = "is it worth saving, or does it ask for a memory", .fallback = "\"save\""},
};

/* A message, and what was found in it. */
struct finding {
	struct slice message;
	enum analyze_intent intent;
	struct analysis analysis;
	int category; /* that its form tells; CATEGORY_ANY */
	struct slice names[NAMES_MAX];
	size_t name_count;
};

/* Names that make good tags: what they are cleaned to is short, and not there yet. */
static void analyze_write_tags(struct json_writer *w, const struct call *call,
			       const struct finding *finding)
{
	struct slice tags[TAGS_MAX];
	STR_AUTO cleaned = STR_INIT;
	size_t count = 0;

	for (size_t i = 0; i < finding->name_count && count < TAGS_MAX; i++) {
		bool again = false;

		tag_clean(finding->names[i], &cleaned);
		for (size_t j = 0; j < count; j++)
			again |= slice_equal(tags[j], str_slice(&cleaned));
		if (cleaned.len > 0 && cleaned.len <= TAG_BYTES_MAX && !again)
			tags[count++] = arena_copy(call->arena, str_slice(&cleaned));
	}
	common_write_texts(w, "suggested_tags", tags, count);
}

static void analyze_write_key(struct json_writer *w, const struct finding *finding)
{
	STR_AUTO key = STR_INIT;

	topic_key(finding->message, finding->analysis.kind, &key);
	if (key.len == 0)
		return;
	json_write_member_string(w, "suggested_key", str_slice(&key));
	json_write_member_string(w, "suggested_category",
				 slice_of(category_name(common_category_of_new(
					 str_slice(&key), finding->category))));
}

static void analyze_write_signals(struct json_writer *w, const struct analysis *analysis)
{
	json_write_member_object(w, "signals");
	for (int i = 0; i < ANALYZE_SIGNAL_COUNT; i++) {
		if (analysis->weight[i] != 0)
			json_write_member_double(w, analyze_signal_names[i], analysis->weight[i]);
	}
	json_write_end(w);
}

/* What was found for a signal, in parentheses or as a list. */
static void analyze_add_evidence(struct str *out, const struct finding *finding,
				 enum analyze_signal signal)
{
	const struct phrase *found = finding->analysis.found[signal];

	if (found)
		str_printf(out, " (\"%s\")", found->text);
	for (size_t i = 0; signal == ANALYZE_ENTITIES && i < finding->name_count; i++) {
		str_adds(out, i ? ", " : " ");
		str_add(out, finding->names[i]);
	}
}

static const char *analyze_conclusion(const struct finding *finding)
{
	enum analyze_decision decision = finding->analysis.decision;

	if (decision == ANALYZE_DECIDES_SKIP)
		return finding->intent == ANALYZE_SAVE ? "nothing to save" : "nothing to look up";
	if (decision == ANALYZE_DECIDES_AUTO)
		return finding->intent == ANALYZE_SAVE ? "save it" : "look it up";
	if (finding->intent == ANALYZE_SAVE && finding->analysis.question)
		return "as it is a question, ask the user before saving it";
	return finding->intent == ANALYZE_SAVE ? "ask the user before saving it"
					       : "ask the user before looking it up";
}

/* "It asks to be remembered ("remember that") and names Rust: save it." */
static void analyze_write_reasoning(struct json_writer *w, const struct finding *finding)
{
	STR_AUTO text = STR_INIT;
	size_t count = 0;

	for (int i = 0; i < ANALYZE_SIGNAL_COUNT; i++) {
		if (finding->analysis.weight[i] == 0)
			continue;
		str_adds(&text, count++ ? "; it " : "It ");
		str_adds(&text, analyze_signal_meanings[i]);
		analyze_add_evidence(&text, finding, (enum analyze_signal)i);
	}
	if (count == 0)
		str_adds(&text, "It holds no sign of a memory");
	str_adds(&text, ": ");
	str_adds(&text, analyze_conclusion(finding));
	str_addc(&text, '.');
	json_write_member_string(w, "reasoning", str_slice(&text));
}

static void analyze_write_suggestions(struct json_writer *w, const struct call *call,
				      const struct finding *finding)
{
	const struct analysis *analysis = &finding->analysis;
	STR_AUTO query = STR_INIT;

	if (finding->intent == ANALYZE_SAVE)
		analyze_write_key(w, finding);
	else
		topic_query(finding->message, &query);
	if (query.len)
		json_write_member_string(w, "suggested_query", str_slice(&query));
	analyze_write_tags(w, call, finding);
	common_write_texts(w, "suggested_entities", finding->names, finding->name_count);
	if (finding->intent == ANALYZE_SAVE)
		common_write_score(w, "suggested_strength",
				   analyze_strength(utf8_count(finding->message),
						    finding->name_count,
						    analysis->weight[ANALYZE_IMPORTANCE] > 0,
						    analysis->question));
}

/*
 * Where something is stored already, a message is also judged by how it is put and by what is
 * there. A store that cannot be read says nothing.
 */
static void analyze_look_again(const struct call *call, struct finding *finding)
{
	const struct item *prompted[PROMPTED_MAX];
	struct forms_finding forms;
	struct err ignored;
	size_t count = 0;

	if (common_refresh(call, &ignored) != 0)
		return;
	store_items(call->store, &count);
	if (count == 0)
		return;
	forms_find(finding->message, finding->intent, &forms);
	forms_add(&forms,
		  finding->intent == ANALYZE_RECALL &&
			  prompted_find(call, finding->message, &forms, prompted) > 0,
		  finding->intent, &finding->analysis);
	finding->category = forms.category;
}

static int analyze_handle(const struct call *call, const void *arguments, struct json_writer *w,
			  struct err *err)
{
	const struct analyze_args *args = arguments;
	struct finding finding = {
		.message = args->message,
		.intent = (enum analyze_intent)args->intent,
		.category = CATEGORY_ANY,
	};

	(void)err;
	finding.name_count = names_find(call->arena, args->message, finding.names);
	analyze_message(args->message, finding.intent, finding.name_count, &finding.analysis);
	analyze_look_again(call, &finding);
	json_write_object(w);
	json_write_member_bool(w, finding.intent == ANALYZE_SAVE ? "should_save" : "should_search",
			       finding.analysis.decision == ANALYZE_DECIDES_AUTO);
	common_write_score(w, "confidence", finding.analysis.confidence);
	json_write_member_string(w, "decision",
				 slice_of(analyze_decision_names[finding.analysis.decision]));
	analyze_write_suggestions(w, call, &finding);
	analyze_write_signals(w, &finding.analysis);
	analyze_write_reasoning(w, &finding);
	json_write_end(w);
	return 0;
}

const struct tool tool_analyze = {
	.name = "memory_analyze",
	.command = "analyze",
	.title = "Judge a message",
	.section = SECTION_MEMORIES,
	.summary =
		"Judge if a message is worth saving or asks for a memory; better judge yourself.",
	TOOL_TAKES(params, analyze_args),
	.flags = TOOL_READ_ONLY,
	.run = analyze_handle,
};
