#include "nlp/forms.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "model/category.h"

#include <math.h>

/* So many words and marks of a message are looked at. */
#define TOKENS_MAX 80

/* Longest word that is compared; a longer one is no word of a form. */
#define WORD_MAX 48

/* What is shorter is no calling at the end of a word, but happens to be spelt like one. */
#define CALLING_MIN 6

#define GAP_MAX 4
#define WORDS_MAX 5

enum token_kind { TOKEN_WORD, TOKEN_MARK, TOKEN_QUOTE };

struct token {
	enum token_kind kind;
	bool capital;
	bool digit;
	bool first;        /* of the message, or behind what it opens with */
	struct slice text; /* folded */
};

struct sentence {
	struct arena arena;
	struct token tokens[TOKENS_MAX];
	size_t count;
	size_t start; /* behind "please" and the like */
	bool question;
};

/* ---- words that are one of a kind */

struct kind {
	const char *name;
	const char *words; /* divided by "|" */
};

static const struct kind kinds[] = {
	{"<day>",
	 "monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|montag|dienstag|"
	 "mittwoch|donnerstag|freitag|samstag|sonntag|wochenende"},
	{"<days>", "mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|"
		   "weekdays|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|"
		   "werktags|abends|morgens"},
	{"<month>",
	 "january|february|march|april|may|june|july|august|september|october|november|"
	 "december|januar|februar|märz|mai|juni|juli|oktober|dezember|noon|midnight|mittag|"
	 "mitternacht|christmas|easter|weihnachten|ostern"},
	{"<num>", "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|"
		  "forty|fifty|sixty|hundred|thousand|zwei|drei|vier|fünf|sechs|sieben|acht|neun|"
		  "zehn|elf|zwölf|zwanzig|dreißig|hundert|tausend"},
	{"<tongue>",
	 "english|german|french|spanish|portuguese|italian|dutch|swedish|danish|norwegian|"
	 "finnish|polish|czech|russian|ukrainian|turkish|arabic|hebrew|hindi|chinese|"
	 "japanese|korean|deutsch|englisch|französisch|spanisch|italienisch|"
	 "niederländisch|polnisch|russisch|türkisch"},
	{NULL, NULL},
};

/* Words of courtesy that a message may begin with before it begins. */
static const char openers[] = "please|also|hey|hi|hello|oh|and|but|so|well|just|btw|ah|right|bitte|"
			      "also|und|aber|übrigens|ach|hallo";

/* What ends like a verb in the third person, and is none. */
static const char no_verbs[] =
	"this|always|does|less|unless|yes|thus|plus|perhaps|sometimes|besides|"
	"towards|his|its|was|has|as|us|is|these|those|across|class|ours|"
	"theirs|afterwards|regards|thanks|looks|fails|seems|crashes|gives";

static bool forms_is_one_of(struct slice word, const char *words)
{
	for (const char *at = words; *at;) {
		size_t len = strcspn(at, "|");

		if (len == word.len && memcmp(at, word.ptr, len) == 0)
			return true;
		at += len + (at[len] == '|');
	}
	return false;
}

static bool forms_is_of_kind(struct slice word, const char *name)
{
	for (const struct kind *kind = kinds; kind->name; kind++) {
		if (strcmp(kind->name, name) == 0)
			return forms_is_one_of(word, kind->words);
	}
	return false;
}

/* The first word of a message has its capital anyway: there an ordinary word is no name. */
static bool forms_is_name(const struct token *token)
{
	return token->kind == TOKEN_WORD && token->capital && token->text.len > 1 &&
	       !(token->first && dictionary_rarity(token->text) <= RARITY_USUAL) &&
	       !forms_is_of_kind(token->text, "<day>") &&
	       !forms_is_of_kind(token->text, "<days>") &&
	       !forms_is_of_kind(token->text, "<month>");
}

static bool forms_is_verb(struct slice word)
{
	return word.len >= 4 && slice_ends(word, "s") && !slice_ends(word, "ss") &&
	       !forms_is_one_of(word, no_verbs);
}

/* Also at the end of a compound: "Lagerleiter". */
static bool forms_is_calling(struct slice word)
{
	for (size_t at = 0; at == 0 || at + CALLING_MIN <= word.len; at++) {
		if (dictionary_has(slice_make(word.ptr + at, word.len - at), DICTIONARY_CALLINGS))
			return true;
	}
	return false;
}

static bool forms_fits_kind(const struct token *token, struct slice kind)
{
	char name[WORD_MAX] = "";

	if (kind.len < sizeof name)
		memcpy(name, kind.ptr, kind.len);
	if (strcmp(name, "<quote>") == 0)
		return token->kind == TOKEN_QUOTE;
	if (token->kind != TOKEN_WORD)
		return false;
	if (strcmp(name, "<name>") == 0)
		return forms_is_name(token);
	if (strcmp(name, "<verb>") == 0)
		return forms_is_verb(token->text);
	if (strcmp(name, "<ing>") == 0)
		return token->text.len > 4 && slice_ends(token->text, "ing");
	if (strcmp(name, "<calling>") == 0)
		return forms_is_calling(token->text);
	return (token->digit && strcmp(name, "<num>") == 0) || forms_is_of_kind(token->text, name);
}

/* ---- a message as words and marks */

static bool forms_is_quote(uint32_t c)
{
	return c == '"' || (c >= 0x201C && c <= 0x201F) || c == 0xAB || c == 0xBB;
}

static bool forms_is_word_character(uint32_t c, const struct alphabet *alphabet)
{
	return alphabet_is_letter(alphabet, c) || alphabet_is_mark(alphabet, c) ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* What may stand inside of a word, where another character of one follows. */
static bool forms_is_inner(uint32_t c)
{
	return c == '\'' || c == TYPOGRAPHIC_APOSTROPHE || c == '-' || c == '.' || c == '@' ||
	       c == '/' || c == '+' || c == '#' || c == '&';
}

static void forms_add_token(struct sentence *in, const struct alphabet *alphabet, struct slice word)
{
	STR_AUTO folded = STR_INIT;
	size_t at = 0;
	uint32_t first = utf8_next(word, &at);
	struct token token = {.kind = TOKEN_WORD};

	if (in->count == TOKENS_MAX)
		return;
	alphabet_fold(alphabet, word, &folded);
	token.text = arena_copy(&in->arena, str_slice(&folded));
	token.capital = alphabet_lower(alphabet, first) != first;
	for (size_t i = 0; i < word.len; i++)
		token.digit |= word.ptr[i] >= '0' && word.ptr[i] <= '9';
	in->tokens[in->count++] = token;
}

/* "Joaquín's" is a name and what belongs to it. */
static void forms_add_word(struct sentence *in, const struct alphabet *alphabet, struct slice word)
{
	static const char *const ends[] = {"'s", "\xe2\x80\x99s"};

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t len = strlen(ends[i]);

		if (word.len > len && slice_ends(word, ends[i])) {
			forms_add_token(in, alphabet, slice_make(word.ptr, word.len - len));
			forms_add_token(in, alphabet, slice_of("'s"));
			return;
		}
	}
	forms_add_token(in, alphabet, word);
}

static size_t forms_end_of_word(struct slice text, size_t at, const struct alphabet *alphabet)
{
	size_t end = at;

	while (at < text.len) {
		size_t next = at;
		uint32_t c = utf8_next(text, &next);
		size_t after = next;

		if (forms_is_word_character(c, alphabet))
			end = next;
		else if (!forms_is_inner(c) || next >= text.len ||
			 !forms_is_word_character(utf8_next(text, &after), alphabet))
			break;
		at = next;
	}
	return end;
}

static void forms_read(struct sentence *in, struct slice text, const struct alphabet *alphabet)
{
	for (size_t at = 0; at < text.len && in->count < TOKENS_MAX;) {
		size_t end = forms_end_of_word(text, at, alphabet);
		size_t from = at;

		if (end > at) {
			forms_add_word(in, alphabet, slice_make(text.ptr + at, end - at));
			at = end;
			continue;
		}
		uint32_t c = utf8_next(text, &at);
		if (c == ',' || c == ':' || forms_is_quote(c))
			in->tokens[in->count++] = (struct token){
				.kind = forms_is_quote(c) ? TOKEN_QUOTE : TOKEN_MARK,
				.text = slice_make(text.ptr + from, at - from),
			};
	}
	while (in->start < in->count && forms_is_one_of(in->tokens[in->start].text, openers))
		in->start++;
	if (in->count > 0)
		in->tokens[0].first = true;
	if (in->start < in->count)
		in->tokens[in->start].first = true;
}

/* ---- a form */

static bool forms_fits(const struct token *token, struct slice part)
{
	for (size_t at = 0; at < part.len;) {
		const char *bar = memchr(part.ptr + at, '|', part.len - at);
		size_t len = bar ? (size_t)(bar - part.ptr) - at : part.len - at;
		struct slice word = slice_make(part.ptr + at, len);

		if (len > 0 && word.ptr[0] == '<') {
			if (forms_fits_kind(token, word))
				return true;
		} else if (token->kind != TOKEN_QUOTE && slice_equal(token->text, word)) {
			return true;
		}
		at += len + 1;
	}
	return false;
}

/* The first word of a form, which moves behind it. */
static struct slice forms_next_part(struct slice *form)
{
	struct slice part = {.ptr = form->ptr};

	while (part.len < form->len && form->ptr[part.len] != ' ')
		part.len++;
	form->ptr += part.len + (part.len < form->len);
	form->len -= part.len + (part.len < form->len);
	return part;
}

/* True if the rest of a form fits from this word on. A form has few gaps, so this ends soon. */
static bool forms_fit_rest(const struct sentence *in, size_t at, struct slice form)
{
	size_t least = 0;
	size_t most = 0;

	if (form.len == 0)
		return true;
	struct slice part = forms_next_part(&form);
	if (slice_is(part, "$"))
		return at == in->count;
	if (slice_is(part, "*") || slice_is(part, "+")) {
		least = part.ptr[0] == '+';
		most = part.ptr[0] == '+' ? WORDS_MAX : GAP_MAX;
		for (size_t n = least; n <= most && at + n <= in->count; n++) {
			if (forms_fit_rest(in, at + n, form))
				return true;
		}
		return false;
	}
	if (part.len > 1 && part.ptr[part.len - 1] == '?') {
		part.len--;
		if (forms_fit_rest(in, at, form))
			return true;
	}
	return at < in->count && forms_fits(&in->tokens[at], part) &&
	       forms_fit_rest(in, at + 1, form);
}

static bool forms_fit(const struct sentence *in, const char *text)
{
	struct slice form = slice_of(text);

	if (slice_starts(form, "^ ")) {
		form = slice_make(form.ptr + 2, form.len - 2);
		return forms_fit_rest(in, in->start, form) ||
		       (in->start > 0 && forms_fit_rest(in, 0, form));
	}
	for (size_t at = 0; at < in->count; at++) {
		if (forms_fit_rest(in, at, form))
			return true;
	}
	return false;
}

/* The first form of a list that fits, of those that hold only elsewhere not where it is passing. */
static const struct phrase *forms_search(const struct sentence *in, const struct phrase *list,
					 bool passing)
{
	for (const struct phrase *form = list; form->text; form++) {
		bool guarded = form->note && slice_ends(slice_of(form->note), "?");

		if (!(guarded && passing) && forms_fit(in, form->text))
			return form;
	}
	return NULL;
}

static int forms_category(const struct phrase *form)
{
	struct slice name = slice_of(form->note ? form->note : "");

	name.len -= slice_ends(name, "?");
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (slice_is(name, category_name((enum category)c)))
			return c;
	}
	return CATEGORY_ANY;
}

/* "can you", also without its mark; but not "when I say", which begins like one. */
static bool forms_is_question(const struct sentence *in, struct slice text)
{
	static const char *const askings[] = {
		"^ can|could|would|will|do|did|are|kannst|könntest|würdest you|du|sie",
		"^ what|why|how|who|which|where|was|warum|wieso|wie|wer|welche|wo "
		"'s|is|are|do|does|"
		"did|can|should|has|have|many|much|of|ist|sind|hat|kann|viele|viel|soll",
	};

	if (slice_ends(text, "?"))
		return true;
	for (size_t i = 0; i < sizeof askings / sizeof *askings; i++) {
		if (forms_fit(in, askings[i]))
			return true;
	}
	return false;
}

void forms_find(struct slice message, enum analyze_intent intent, struct forms_finding *out)
{
	struct alphabet alphabet = alphabet_open();
	struct sentence in = {.arena = ARENA_INIT};
	struct slice text = blank_trim(message);

	*out = (struct forms_finding){.category = CATEGORY_ANY};
	forms_read(&in, text, &alphabet);
	out->question = forms_is_question(&in, text);
	out->passing = forms_search(&in, phrases_passing, false) != NULL;
	out->general = forms_search(&in, phrases_general, false) != NULL;
	if (intent == ANALYZE_RECALL)
		out->form = out->general ? NULL : forms_search(&in, phrases_recalling, false);
	else if (!out->question)
		out->form = forms_search(&in, phrases_telling, out->passing);
	out->own = forms_fit(&in, "my|our|mine|ours|mein|meine|meinen|meinem|meiner|unser|unsere|"
				  "unseren|unserem|unserer");
	if (out->form)
		out->category = forms_category(out->form);
	arena_release(&in.arena);
	alphabet_close(&alphabet);
}

/*
 * Names, a question and the sound of "our" are no reason by themselves; nor is anything where it is
 * about what is being done.
 */
static bool forms_is_slight(const struct forms_finding *finding, enum analyze_intent intent,
			    const struct analysis *analysis)
{
	double sum = 0;

	if (intent == ANALYZE_SAVE ? finding->passing || finding->question : finding->general)
		return true;
	for (size_t i = 0; i < ANALYZE_SIGNAL_COUNT; i++) {
		if (i == ANALYZE_POSSESSIVE ? finding->own
					    : i != ANALYZE_ENTITIES && i != ANALYZE_QUESTION)
			sum += analysis->weight[i];
	}
	return sum <= 0;
}

/*
 * Does it ask in so many words? "I prefer" tells something, but perhaps only which of two drafts:
 * its phrase has a note, which those that ask have not.
 */
static bool forms_is_asked(const struct analysis *analysis)
{
	const struct phrase *phrase = analysis->found[ANALYZE_SAVE_PHRASE];

	return analysis->found[ANALYZE_RECALL_PHRASE] || (phrase && !phrase->note);
}

void forms_add(const struct forms_finding *finding, bool known, enum analyze_intent intent,
	       struct analysis *analysis)
{
	bool asked = analysis->weight[ANALYZE_SAVE_PHRASE] > 0 ||
		     analysis->weight[ANALYZE_RECALL_PHRASE] > 0;
	bool doubtful = intent == ANALYZE_SAVE && (analysis->weight[ANALYZE_UNCERTAINTY] < 0 ||
						   analysis->weight[ANALYZE_EXCLUSION] < 0);
	bool has_form = finding->form && !doubtful;
	enum analyze_decision before = analysis->decision;
	double sum = 0;

	if (has_form)
		analysis->weight[ANALYZE_FORM] = FORMS_WEIGHT;
	if (known)
		analysis->weight[ANALYZE_KNOWN] = FORMS_WEIGHT;
	if (!asked && !has_form && !known && forms_is_slight(finding, intent, analysis))
		analysis->weight[ANALYZE_PASSING] = FORMS_PASSING_WEIGHT;
	for (size_t i = 0; i < ANALYZE_SIGNAL_COUNT; i++)
		sum += analysis->weight[i];
	analyze_conclude(analysis, intent, sum);
	bool unasked = before == ANALYZE_DECIDES_AUTO &&
		       (!finding->passing || forms_is_asked(analysis));
	if ((analysis->decision == ANALYZE_DECIDES_AUTO && !unasked) ||
	    (analysis->decision == ANALYZE_DECIDES_SKIP && (has_form || known)))
		analysis->decision = ANALYZE_DECIDES_ASK;
}
