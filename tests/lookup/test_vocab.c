#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lookup/vocab.h"
#include "text/words.h"

struct fixture {
	struct arena arena;
	struct vocab vocab;
};

/* Item i has the words of keys[i] in its key and the words of values[i] in its value. */
static void fill(struct fixture *f, const char *const *keys, const char *const *values,
		 uint32_t count)
{
	f->arena = (struct arena)ARENA_INIT;
	f->vocab = (struct vocab){0};
	for (uint32_t i = 0; i < count; i++) {
		struct text key;
		struct text value;

		text_make(&f->arena, slice_of(keys[i]), &key);
		text_make(&f->arena, slice_of(values[i]), &value);
		for (uint32_t w = 0; w < key.word_count; w++) {
			uint32_t id = vocab_id(&f->vocab, &key, w);

			vocab_add_form(&f->vocab, id, i);
			vocab_add_item(&f->vocab, id, i, VOCAB_IN_KEY, 0);
		}
		for (uint32_t w = 0; w < value.word_count; w++)
			vocab_add_item(&f->vocab, vocab_id(&f->vocab, &value, w), i, VOCAB_IN_VALUE,
				       0);
	}
	vocab_set_items(&f->vocab, count);
}

static void release(struct fixture *f)
{
	vocab_release(&f->vocab);
	arena_release(&f->arena);
}

/* vocab_find_containing() by word, as vocab_find() is asked. */
static size_t find_containing(struct vocab *vocab, const struct text *query, uint32_t word,
			      const struct vocab_match **out)
{
	return vocab_find_containing(vocab, query->chars + query->words[word].start,
				     query->words[word].len, out);
}

typedef size_t finder(struct vocab *vocab, const struct text *query, uint32_t word,
		      const struct vocab_match **out);

/* Likeness with which the stored word is found, 0 when it is not. */
static double likeness_of(struct fixture *f, finder *find, const char *query, const char *stored)
{
	const struct vocab_match *matches;
	struct text text;
	struct text other;
	size_t count;

	text_make(&f->arena, slice_of(query), &text);
	text_make(&f->arena, slice_of(stored), &other);
	count = find(&f->vocab, &text, 0, &matches);
	for (size_t i = 0; i < count; i++) {
		const struct vocab_word *word = &f->vocab.words[matches[i].word];

		if (slice_equal(slice_make((const char *)word->chars, word->len * 4),
				text_word_bytes(&other, 0)))
			return matches[i].likeness;
	}
	return 0;
}

static const char *const keys[] = {"work context", "work limit", "q3 plan", "notification"};
static const char *const values[] = {"sync engine", "eight hours work", "port 7822", "slack"};

static void words_are_found_by_likeness(void **state)
{
	struct fixture f;

	(void)state;
	fill(&f, keys, values, 4);
	assert_true(likeness_of(&f, vocab_find, "work", "work") == 1);
	assert_true(likeness_of(&f, vocab_find, "contxt", "context") > 0.85);
	assert_true(likeness_of(&f, vocab_find, "notif", "notification") == WORDS_PREFIX);
	assert_true(likeness_of(&f, vocab_find, "enigne", "engine") > 0.8);
	assert_true(likeness_of(&f, vocab_find, "banana", "engine") == 0);
	release(&f);
}

static void words_with_digits_only_equal_themselves(void **state)
{
	struct fixture f;

	(void)state;
	fill(&f, keys, values, 4);
	assert_true(likeness_of(&f, vocab_find, "q3", "q3") == 1);
	assert_true(likeness_of(&f, vocab_find, "q4", "q3") == 0);
	assert_true(likeness_of(&f, vocab_find, "7823", "7822") == 0);
	assert_true(likeness_of(&f, vocab_find, "782", "7822") == 0);
	release(&f);
}

static void words_that_contain_one_are_found(void **state)
{
	struct fixture f;

	(void)state;
	fill(&f, keys, values, 4);
	assert_true(likeness_of(&f, find_containing, "ficat", "notification") == 1);
	assert_true(likeness_of(&f, find_containing, "ork", "work") == 1);
	assert_true(likeness_of(&f, find_containing, "works", "work") == 0);
	release(&f);
}

static void postings_say_where_a_word_stands(void **state)
{
	struct fixture f;
	struct text text;
	const struct vocab_word *work;

	(void)state;
	fill(&f, keys, values, 4);
	text_make(&f.arena, slice_of("work"), &text);
	work = &f.vocab.words[vocab_id(&f.vocab, &text, 0)];
	assert_int_equal(work->form_count, 2);
	assert_int_equal(work->item_count, 2);
	assert_int_equal(work->items[0].places, VOCAB_IN_KEY);
	assert_int_equal(work->items[1].places, VOCAB_IN_KEY | VOCAB_IN_VALUE);
	release(&f);
}

static void rare_words_weigh_more(void **state)
{
	struct fixture f;
	struct text text;
	uint32_t work;
	uint32_t plan;
	uint32_t slack;

	(void)state;
	fill(&f, keys, values, 4);
	text_make(&f.arena, slice_of("work plan slack"), &text);
	work = vocab_id(&f.vocab, &text, 0);
	plan = vocab_id(&f.vocab, &text, 1);
	slack = vocab_id(&f.vocab, &text, 2);
	assert_true(vocab_weight(&f.vocab, work) < vocab_weight(&f.vocab, plan));
	assert_true(vocab_weight(&f.vocab, plan) < vocab_weight(&f.vocab, slack));
	assert_true(vocab_weight(&f.vocab, slack) == vocab_rarest(&f.vocab));
	release(&f);
}

static void weights_follow_what_comes_and_goes(void **state)
{
	struct fixture f;
	struct text text;
	uint32_t work;
	uint32_t plan;

	(void)state;
	fill(&f, keys, values, 4);
	text_make(&f.arena, slice_of("work plan"), &text);
	work = vocab_id(&f.vocab, &text, 0);
	plan = vocab_id(&f.vocab, &text, 1);
	vocab_drop_key(&f.vocab, work, 0);
	vocab_drop_key(&f.vocab, work, 0);
	assert_true(vocab_weight(&f.vocab, work) == vocab_weight(&f.vocab, plan));
	vocab_drop_key(&f.vocab, work, 3);
	assert_true(vocab_weight(&f.vocab, work) == vocab_weight(&f.vocab, plan));
	vocab_drop_key(&f.vocab, work, 1);
	assert_true(vocab_weight(&f.vocab, work) == vocab_rarest(&f.vocab));
	vocab_add_item(&f.vocab, work, 4, VOCAB_IN_KEY, 0);
	vocab_set_items(&f.vocab, 5);
	assert_true(vocab_weight(&f.vocab, work) == vocab_weight(&f.vocab, plan));
	assert_true(vocab_weight(&f.vocab, work) < vocab_rarest(&f.vocab));
	release(&f);
}

static void words_of_any_length_have_a_place(void **state)
{
	struct fixture f;
	char longest[300];
	const char *const long_keys[] = {longest};
	const char *const no_values[] = {""};

	(void)state;
	memset(longest, 'x', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	fill(&f, long_keys, no_values, 1);
	assert_true(likeness_of(&f, vocab_find, longest, longest) == 1);
	assert_true(likeness_of(&f, find_containing, "xxx", longest) == 1);
	assert_true(likeness_of(&f, find_containing, longest + 1, longest) == 1);
	release(&f);
}

static void an_empty_vocabulary_finds_nothing(void **state)
{
	struct fixture f;

	(void)state;
	fill(&f, NULL, NULL, 0);
	assert_true(likeness_of(&f, vocab_find, "work", "work") == 0);
	assert_true(likeness_of(&f, find_containing, "work", "work") == 0);
	release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_found_by_likeness),
		cmocka_unit_test(words_with_digits_only_equal_themselves),
		cmocka_unit_test(words_that_contain_one_are_found),
		cmocka_unit_test(postings_say_where_a_word_stands),
		cmocka_unit_test(rare_words_weigh_more),
		cmocka_unit_test(weights_follow_what_comes_and_goes),
		cmocka_unit_test(words_of_any_length_have_a_place),
		cmocka_unit_test(an_empty_vocabulary_finds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
