#include "nlp/intent.h"

#include "base/utf8.h"
#include "model/category.h"
#include "nlp/entities.h"

#include <math.h>

/* What the sum of the signals has to reach for a confidence of one half. */
#define THRESHOLD 2.0

#define ENTITY_WEIGHT 0.8
#define ENTITIES_WEIGHT_MAX 3.2
#define STRONG_IMPORTANCE_WEIGHT 3.0

#define FULLWIDTH_QUESTION_MARK 0xFF1F
#define ARABIC_QUESTION_MARK 0x061F
#define GREEK_QUESTION_MARK 0x037E

/* Where in a message a phrase has to stand. */
enum place {
	PLACE_ANYWHERE, /* also inside of words */
	PLACE_WORD,     /* as whole words */
	PLACE_BEGINNING /* first, perhaps as the beginning of a longer word */
};

/* A list that is looked for, and what it counts. */
struct evidence {
	enum analyze_signal signal;
	enum place place;
	const struct phrase *phrases;
	double weight;
};

static const struct evidence save_evidence[] = {
	{ANALYZE_SAVE_PHRASE, PLACE_ANYWHERE, phrases_save, 5},
	{ANALYZE_IMPORTANCE, PLACE_WORD, phrases_importance, 2},
	{ANALYZE_EXCLUSION, PLACE_ANYWHERE, phrases_exclusion, -5},
	{ANALYZE_UNCERTAINTY, PLACE_ANYWHERE, phrases_uncertainty, -3},
	{ANALYZE_DECISION, PLACE_ANYWHERE, phrases_decision, 4},
};

static const struct evidence recall_evidence[] = {
	{ANALYZE_RECALL_PHRASE, PLACE_ANYWHERE, phrases_recall, 4},
	{ANALYZE_PAST, PLACE_ANYWHERE, phrases_past, 2},
	{ANALYZE_QUESTION, PLACE_BEGINNING, phrases_question, 1.5},
	{ANALYZE_POSSESSIVE, PLACE_ANYWHERE, phrases_possessive, 2},
	{ANALYZE_EXCLUSION, PLACE_ANYWHERE, phrases_exclusion, -4},
};

/* A message as phrases are compared with it. */
struct folded {
	const struct alphabet *alphabet;
	struct slice text;
};

/* The character that ends before this byte of a text that is valid; 0 at its beginning. */
static uint32_t intent_character_before(struct slice text, size_t at)
{
	if (at == 0)
		return 0;
	do {
		at--;
	} while (at > 0 && ((unsigned char)text.ptr[at] & 0xC0) == 0x80);
	return utf8_next(text, &at);
}

static bool intent_is_word_character(const struct folded *in, uint32_t c)
{
	return c == '_' || alphabet_is_letter(in->alphabet, c) || alphabet_is_mark(in->alphabet, c);
}

static bool intent_is_word(const struct folded *in, size_t start, size_t end)
{
	size_t after = end;

	if (start > 0 && intent_is_word_character(in, intent_character_before(in->text, start)))
		return false;
	return end == in->text.len || !intent_is_word_character(in, utf8_next(in->text, &after));
}

static bool intent_stands_in(const struct folded *in, struct slice phrase, enum place place)
{
	const char *end = in->text.ptr + in->text.len;
	const char *at = in->text.ptr;

	if (place == PLACE_BEGINNING)
		return in->text.len >= phrase.len && memcmp(at, phrase.ptr, phrase.len) == 0;
	while ((at = memmem(at, (size_t)(end - at), phrase.ptr, phrase.len))) {
		size_t start = (size_t)(at - in->text.ptr);

		if (place == PLACE_ANYWHERE || intent_is_word(in, start, start + phrase.len))
			return true;
		at++;
	}
	return false;
}

/* The first phrase of the list that is found, of those with a note only where noted says so. */
static const struct phrase *intent_find(const struct folded *in, const struct phrase *list,
					enum place place, bool noted)
{
	for (const struct phrase *p = list; p->text; p++) {
		if ((p->note || !noted) && intent_stands_in(in, slice_of(p->text), place))
			return p;
	}
	return NULL;
}

static bool intent_ends_in_question_mark(struct slice text)
{
	uint32_t last = intent_character_before(text, text.len);

	return last == '?' || last == FULLWIDTH_QUESTION_MARK || last == ARABIC_QUESTION_MARK ||
	       last == GREEK_QUESTION_MARK;
}

static bool intent_begins_with_question_word(const struct folded *in)
{
	for (const struct phrase *p = phrases_question; p->text; p++) {
		struct slice word = slice_of(p->text);

		if (intent_stands_in(in, word, PLACE_BEGINNING) && intent_is_word(in, 0, word.len))
			return true;
	}
	return false;
}

/* Which phrase speaks, and with which weight. */
static double intent_weigh(const struct folded *in, const struct evidence *evidence,
			   const struct phrase **found)
{
	const struct phrase *strong = NULL;

	*found = intent_find(in, evidence->phrases, evidence->place, false);
	if (!*found)
		return 0;
	if (evidence->signal == ANALYZE_IMPORTANCE)
		strong = intent_find(in, evidence->phrases, evidence->place, true);
	if (!strong)
		return evidence->weight;
	*found = strong;
	return STRONG_IMPORTANCE_WEIGHT;
}

static void intent_weigh_all(const struct folded *in, const struct evidence *evidence, size_t count,
			     struct analysis *out)
{
	for (size_t i = 0; i < count; i++)
		out->weight[evidence[i].signal] = intent_weigh(in, &evidence[i],
							       &out->found[evidence[i].signal]);
	if (out->found[ANALYZE_SAVE_PHRASE]) {
		out->weight[ANALYZE_EXCLUSION] = 0;
		out->found[ANALYZE_EXCLUSION] = NULL;
	}
}

static enum analyze_decision intent_decide(const struct analysis *analysis,
					   enum analyze_intent intent)
{
	if (analysis->confidence < ANALYZE_ASK)
		return ANALYZE_DECIDES_SKIP;
	if (analysis->confidence < ANALYZE_AUTO || (intent == ANALYZE_SAVE && analysis->question))
		return ANALYZE_DECIDES_ASK;
	return ANALYZE_DECIDES_AUTO;
}

void analyze_conclude(struct analysis *analysis, enum analyze_intent intent, double sum)
{
	analysis->confidence = analyze_logistic(sum - THRESHOLD);
	analysis->decision = intent_decide(analysis, intent);
}

void analyze_message(struct slice message, enum analyze_intent intent, size_t entities,
		     struct analysis *out)
{
	struct alphabet alphabet = alphabet_open();
	struct folded in = {.alphabet = &alphabet};
	STR_AUTO text = STR_INIT;
	double sum = 0;

	*out = (struct analysis){0};
	alphabet_fold(&alphabet, blank_trim(message), &text);
	in.text = str_slice(&text);
	out->question = intent_ends_in_question_mark(in.text) ||
			intent_begins_with_question_word(&in);
	if (intent == ANALYZE_SAVE) {
		intent_weigh_all(&in, save_evidence, sizeof save_evidence / sizeof *save_evidence,
				 out);
		out->kind = intent_find(&in, phrases_save, PLACE_ANYWHERE, true);
	} else {
		intent_weigh_all(&in, recall_evidence,
				 sizeof recall_evidence / sizeof *recall_evidence, out);
	}
	out->weight[ANALYZE_ENTITIES] = fmin(ENTITIES_WEIGHT_MAX, ENTITY_WEIGHT * (double)entities);
	for (size_t i = 0; i < ANALYZE_SIGNAL_COUNT; i++)
		sum += out->weight[i];
	analyze_conclude(out, intent, sum);
	alphabet_close(&alphabet);
}

const char *const analyze_signal_names[ANALYZE_SIGNAL_COUNT] = {
#define X(id, name, meaning) name,
	ANALYZE_SIGNALS(X)
#undef X
};

const char *const analyze_signal_meanings[ANALYZE_SIGNAL_COUNT] = {
#define X(id, name, meaning) meaning,
	ANALYZE_SIGNALS(X)
#undef X
};

const char *const analyze_decision_names[ANALYZE_DECISION_COUNT] = {"skip", "ask", "auto"};

double analyze_logistic(double x)
{
	double power = exp(-fabs(x));

	return x >= 0 ? 1 / (1 + power) : power / (1 + power);
}

double analyze_strength(size_t length, size_t entities, bool important, bool question)
{
	double strength = 1 + 0.2 * fmin(1, (double)length / 500) +
			  0.3 * fmin(1, (double)entities / 5) + (important ? 0.4 : 0) +
			  (question ? 0.05 : 0);

	return fmin(2, strength);
}

double analyze_text_strength(struct slice text, size_t entities)
{
	struct analysis analysis;

	analyze_message(text, ANALYZE_SAVE, entities, &analysis);
	return analyze_strength(utf8_count(text), entities, analysis.weight[ANALYZE_IMPORTANCE] > 0,
				analysis.question);
}

/* Most words of a key, beside the one of its kind, and of a query. */
#define KEY_WORDS_MAX 4
#define QUERY_WORDS_MAX 12

/* Longer words are cut, in characters: scripts without blanks have no end of them. */
#define WORD_CHARACTERS_MAX 32

/* Marks that stand inside of a word. */
#define INNER_MARKS "'.-_"

/* Signs that stand at the end of one. */
#define FINAL_SIGNS "+#"

static bool intent_is_letter(const struct alphabet *alphabet, uint32_t c)
{
	return alphabet_is_letter(alphabet, c) || alphabet_is_mark(alphabet, c);
}

static bool intent_is_inner_mark(uint32_t c)
{
	return c == TYPOGRAPHIC_APOSTROPHE || (c && c < 0x80 && strchr(INNER_MARKS, (int)c));
}

/* The end of the letters that begin at `at`; `at` when none do. */
static size_t intent_end_of_letters(const struct alphabet *alphabet, struct slice text, size_t at)
{
	size_t end = at;

	while (at < text.len && intent_is_letter(alphabet, utf8_next(text, &at)))
		end = at;
	return end;
}

/* The next word at or behind *at, which moves behind it; false when there is none. */
static bool intent_next_word(const struct alphabet *alphabet, struct slice text, size_t *at,
			     struct slice *word)
{
	size_t start = *at;

	while (start < text.len && intent_end_of_letters(alphabet, text, start) == start)
		utf8_next(text, &start);
	if (start >= text.len)
		return false;
	size_t end = intent_end_of_letters(alphabet, text, start);
	while (end < text.len) {
		size_t after = end;

		if (!intent_is_inner_mark(utf8_next(text, &after)) ||
		    intent_end_of_letters(alphabet, text, after) == after)
			break;
		end = intent_end_of_letters(alphabet, text, after);
	}
	while (end < text.len && strchr(FINAL_SIGNS, text.ptr[end]) && text.ptr[end])
		end++;
	*word = utf8_cut(slice_make(text.ptr + start, end - start), WORD_CHARACTERS_MAX);
	*at = end;
	return true;
}

/* The words that are left of a text, each once. */
static void intent_add_words(const struct alphabet *alphabet, struct slice text, size_t most,
			     const char *joint, struct str *out)
{
	struct slice kept[QUERY_WORDS_MAX];
	struct slice word;
	size_t count = 0;

	for (size_t at = 0; count < most && intent_next_word(alphabet, text, &at, &word);) {
		bool again = name_is_listed(alphabet, word, DICTIONARY_COMMON);

		for (size_t i = 0; i < count && !again; i++)
			again = slice_equal(kept[i], word);
		if (again)
			continue;
		kept[count++] = word;
		if (out->len)
			str_adds(out, joint);
		str_add(out, word);
	}
}

/* Blanks in the place of the phrase: its word stands for it. */
static void intent_take_out(struct str *text, struct slice phrase)
{
	char *at = memmem(text->ptr, text->len, phrase.ptr, phrase.len);

	if (at)
		memset(at, ' ', phrase.len);
}

void topic_key(struct slice message, const struct phrase *kind, struct str *out)
{
	struct alphabet alphabet = alphabet_open();
	STR_AUTO text = STR_INIT;
	STR_AUTO words = STR_INIT;

	str_clear(out);
	alphabet_fold(&alphabet, message, &text);
	if (kind) {
		intent_take_out(&text, slice_of(kind->text));
		intent_take_out(&text, slice_of(kind->note));
	}
	intent_add_words(&alphabet, str_slice(&text), KEY_WORDS_MAX, "_", &words);
	for (size_t i = 0; i < words.len; i++) {
		if (strchr(INNER_MARKS, words.ptr[i]))
			words.ptr[i] = '_';
	}
	if (words.len && kind) {
		str_adds(out, kind->note);
		str_addc(out, '_');
	}
	str_add(out, str_slice(&words));
	alphabet_close(&alphabet);
}

void topic_query(struct slice message, struct str *out)
{
	struct alphabet alphabet = alphabet_open();

	str_clear(out);
	intent_add_words(&alphabet, message, QUERY_WORDS_MAX, " ", out);
	alphabet_close(&alphabet);
}
