#include "text/dictionary.h"

static const char *dictionary_text(const struct dictionary_word *word)
{
	return (const char *)dictionary_texts + word->text;
}

const char *dictionary_spelling(const struct dictionary_row *row)
{
	return dictionary_text(&dictionary_words[row->word]);
}

/* The same hash as bucket_of() of dictionary.awk. */
static size_t dictionary_bucket(struct slice word)
{
	uint32_t hash = 0;

	for (size_t i = 0; i < word.len; i++)
		hash = (hash * 31 + (unsigned char)word.ptr[i]) % 65521;
	return hash % DICTIONARY_BUCKETS;
}

const struct dictionary_row *dictionary_find(struct slice word, size_t *count)
{
	size_t number = dictionary_buckets[dictionary_bucket(word)];

	*count = 0;
	while (number) {
		const struct dictionary_word *found = &dictionary_words[number - 1];

		if (slice_is(word, dictionary_text(found))) {
			*count = (size_t)(found[1].row - found->row);
			return dictionary_rows + found->row;
		}
		number = found->next;
	}
	return NULL;
}

bool dictionary_has(struct slice word, enum word_list list)
{
	size_t count;
	const struct dictionary_row *found = dictionary_find(word, &count);

	for (size_t i = 0; i < count; i++) {
		if (found[i].list == list)
			return true;
	}
	return false;
}

const char *dictionary_word_of_form(struct slice form)
{
	char padded[DICTIONARY_FORM_SIZE] = {0};
	size_t low = 0;
	size_t high = dictionary_form_count;

	if (form.len >= sizeof padded)
		return NULL;
	memcpy(padded, form.ptr, form.len);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = memcmp(dictionary_forms[middle].form, padded, sizeof padded);

		if (order == 0)
			return dictionary_forms[middle].word;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The word of a block that begins here. */
static struct slice dictionary_word_at(const char *text)
{
	return slice_make(text, strcspn(text, " "));
}

/* Looks for a word in the part of a block that ends there. */
static bool dictionary_is_in_block(const char *block, size_t end, struct slice word)
{
	size_t low = 0;

	while (low < end) {
		size_t middle = low + (end - low) / 2;

		while (middle > low && block[middle - 1] != ' ')
			middle--;
		struct slice found = dictionary_word_at(block + middle);
		int order = slice_compare(found, word);
		if (order == 0)
			return true;
		if (order < 0)
			low = middle + found.len + 1;
		else
			end = middle;
	}
	return false;
}

/* The last of these blocks that begins with the word or before it; the first if none does. */
static size_t dictionary_block_of(size_t low, size_t high, struct slice word)
{
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (slice_compare(dictionary_word_at(dictionary_blocks[middle].words), word) <= 0)
			low = middle;
		else
			high = middle;
	}
	return low;
}

enum dictionary_rarity dictionary_rarity(struct slice word)
{
	size_t begin = 0;

	while (begin < dictionary_block_count) {
		enum dictionary_rarity rarity = dictionary_blocks[begin].rarity;
		size_t end = begin;
		const char *words;

		while (end < dictionary_block_count && dictionary_blocks[end].rarity == rarity)
			end++;
		words = dictionary_blocks[dictionary_block_of(begin, end, word)].words;
		if (dictionary_is_in_block(words, strlen(words), word))
			return rarity;
		begin = end;
	}
	return RARITY_UNKNOWN;
}

static struct slice dictionary_turned(struct slice word)
{
	static const struct {
		const char *text;
		size_t least; /* characters of the rest: "import" is not the opposite of "port" */
	} prefixes[] = {{"un", 4}, {"non", 4}, {"in", 5}, {"im", 5}, {"ir", 5}, {"dis", 5}};

	/* A word begins with one of them at most. */
	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
		size_t len = strlen(prefixes[i].text);

		if (word.len >= len + prefixes[i].least &&
		    memcmp(word.ptr, prefixes[i].text, len) == 0)
			return slice_make(word.ptr + len, word.len - len);
	}
	return slice_make(NULL, 0);
}

/* Do the words begin with these two, and go on alike? */
static bool dictionary_begin_apart(struct slice a, struct slice b, const char *one,
				   const char *other)
{
	size_t cut = strlen(one);
	size_t other_cut = strlen(other);

	return a.len >= cut + 4 && b.len >= other_cut && a.len - cut == b.len - other_cut &&
	       memcmp(a.ptr, one, cut) == 0 && memcmp(b.ptr, other, other_cut) == 0 &&
	       memcmp(a.ptr + cut, b.ptr + other_cut, a.len - cut) == 0;
}

/* "hypertension" and "hypotension", "ingress" and "egress": opposed by how they begin. */
static bool dictionary_are_begun_apart(struct slice a, struct slice b)
{
	static const struct {
		const char *one;
		const char *other;
	} beginnings[] = {
		{"hyper", "hypo"}, {"pre", "post"},     {"ante", "post"},   {"pre", "re"},
		{"in", "out"},     {"in", "e"},         {"in", "ex"},       {"im", "ex"},
		{"over", "under"}, {"up", "down"},      {"inter", "intra"}, {"mono", "poly"},
		{"mono", "multi"}, {"single", "multi"}, {"sub", "super"},   {"micro", "macro"},
		{"mini", "maxi"},  {"pro", "anti"},     {"homo", "hetero"}, {"endo", "exo"},
		{"en", "de"},      {"as", "des"},       {"intro", "extro"}, {"syn", "asyn"},
		{"kilo", "mega"},  {"milli", "micro"},  {"fore", "back"},   {"fore", "after"},
	};

	for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
		if (dictionary_begin_apart(a, b, beginnings[i].one, beginnings[i].other) ||
		    dictionary_begin_apart(b, a, beginnings[i].one, beginnings[i].other))
			return true;
	return false;
}

/* Of "payee" and "payer", "appellee" and "appellant" the one does what is done to the other. */
static bool dictionary_is_done_to(struct slice done, struct slice doer)
{
	static const char *const doers[] = {"er", "or", "ant", "ent"};

	for (size_t i = 0; i < sizeof doers / sizeof doers[0]; i++) {
		size_t cut = strlen(doers[i]);

		if (done.len >= 5 && doer.len == done.len - 2 + cut &&
		    memcmp(done.ptr + done.len - 2, "ee", 2) == 0 &&
		    memcmp(doer.ptr + doer.len - cut, doers[i], cut) == 0 &&
		    memcmp(done.ptr, doer.ptr, done.len - 2) == 0)
			return true;
	}
	return false;
}

struct dictionary_entry dictionary_look_up(struct slice word)
{
	struct dictionary_entry entry = {.word = word, .turned = dictionary_turned(word)};

	entry.rows = dictionary_find(word, &entry.count);
	return entry;
}

bool dictionary_opposed(const struct dictionary_entry *a, const struct dictionary_entry *b,
			bool *things)
{
	*things = false;
	for (size_t i = 0; i < a->count; i++) {
		for (size_t j = 0; j < b->count; j++) {
			const struct dictionary_row *one = &a->rows[i];
			const struct dictionary_row *other = &b->rows[j];

			if (one->list != DICTIONARY_OPPOSITES ||
			    other->list != DICTIONARY_OPPOSITES)
				continue;
			*things = one->things;
			if (one->line == other->line && one->side != other->side)
				return true;
		}
	}
	return (a->turned.len && slice_equal(a->turned, b->word)) ||
	       (b->turned.len && slice_equal(b->turned, a->word));
}

bool dictionary_counterparts(struct slice a, struct slice b, bool *same)
{
	size_t a_count;
	size_t b_count;
	const struct dictionary_row *one = dictionary_find(a, &a_count);
	const struct dictionary_row *other = dictionary_find(b, &b_count);
	bool apart = false;

	*same = false;
	for (size_t i = 0; i < a_count; i++) {
		for (size_t j = 0; j < b_count; j++) {
			if (one[i].list != DICTIONARY_COUNTERPARTS ||
			    other[j].list != DICTIONARY_COUNTERPARTS ||
			    one[i].line != other[j].line)
				continue;
			apart = apart || one[i].side != other[j].side;
			*same = *same || one[i].side == other[j].side;
		}
	}
	if (*same)
		return false;
	return apart || dictionary_are_begun_apart(a, b) || dictionary_is_done_to(a, b) ||
	       dictionary_is_done_to(b, a);
}
