#include "nlp/topic.h"

#include "base/utf8.h"
#include "model/alphabet.h"
#include "nlp/entities_kind.h"

/* Most words of a key, beside the one of its kind, and of a query. */
#define KEY_WORDS_MAX 4
#define QUERY_WORDS_MAX 12

/* Longer words are cut, in characters: scripts without blanks have no end of them. */
#define WORD_CHARACTERS_MAX 32

/* Marks that stand inside of a word. */
#define INNER_MARKS "'.-_"

/* Signs that stand at the end of one. */
#define FINAL_SIGNS "+#"

static bool is_letter(const struct alphabet *alphabet, uint32_t c)
{
	return alphabet_is_letter(alphabet, c) || alphabet_is_mark(alphabet, c);
}

static bool is_inner_mark(uint32_t c)
{
	return c == TYPOGRAPHIC_APOSTROPHE || (c && c < 0x80 && strchr(INNER_MARKS, (int)c));
}

/* The end of the letters that begin at `at`; `at` when none do. */
static size_t end_of_letters(const struct alphabet *alphabet, struct slice text, size_t at)
{
	size_t end = at;

	while (at < text.len && is_letter(alphabet, utf8_next(text, &at)))
		end = at;
	return end;
}

/* The next word at or behind *at, which moves behind it; false when there is none. */
static bool next_word(const struct alphabet *alphabet, struct slice text, size_t *at,
		      struct slice *word)
{
	size_t start = *at;
	size_t end;
	size_t after;

	while (start < text.len && end_of_letters(alphabet, text, start) == start)
		utf8_next(text, &start);
	if (start >= text.len)
		return false;
	end = end_of_letters(alphabet, text, start);
	while (end < text.len) {
		after = end;
		if (!is_inner_mark(utf8_next(text, &after)) ||
		    end_of_letters(alphabet, text, after) == after)
			break;
		end = end_of_letters(alphabet, text, after);
	}
	while (end < text.len && strchr(FINAL_SIGNS, text.ptr[end]) && text.ptr[end])
		end++;
	*word = utf8_cut(slice_make(text.ptr + start, end - start), WORD_CHARACTERS_MAX);
	*at = end;
	return true;
}

/* The words that are left of a text, each once. */
static void add_words(const struct alphabet *alphabet, struct slice text, size_t most,
		      const char *joint, struct str *out)
{
	struct slice kept[QUERY_WORDS_MAX];
	struct slice word;
	size_t count = 0;

	for (size_t at = 0; count < most && next_word(alphabet, text, &at, &word);) {
		bool again = name_is_listed(alphabet, word, phrases_common);

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
static void take_out(struct str *text, struct slice phrase)
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
		take_out(&text, slice_of(kind->text));
		take_out(&text, slice_of(kind->note));
	}
	add_words(&alphabet, str_slice(&text), KEY_WORDS_MAX, "_", &words);
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
	add_words(&alphabet, message, QUERY_WORDS_MAX, " ", out);
	alphabet_close(&alphabet);
}
