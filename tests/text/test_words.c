#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "text/words.h"

static void check_content(const char *question, const char *content)
{
	struct arena arena = ARENA_INIT;
	struct text text;
	struct text rest;

	text_make(&arena, slice_of(question), &text);
	words_content(&arena, &text, &rest);
	assert_true(slice_is(rest.bytes, content));
	arena_release(&arena);
}

static void question_words_go_from_both_ends(void **state)
{
	(void)state;
	check_content("what is the work context", "work context");
	check_content("where do i find my editor please", "editor");
	check_content("capital of mongolia", "capital of mongolia");
	check_content("editor", "editor");
	check_content("where is the format from", "format from");
	check_content("show me the editor please", "editor");
	check_content("", "");
}

static void what_somebody_does_is_no_content(void **state)
{
	(void)state;
	check_content("where did i put the editor", "editor");
	check_content("what did we set the work context to", "work context");
	check_content("which editor do we use", "editor");
	check_content("what was the editor again", "editor");
	check_content("what is the editor called now", "editor");
	/* without a question they are words like others */
	check_content("set format to", "set format to");
	check_content("use now", "use now");
	check_content("my play again", "play again");
	check_content("you use", "you use");
}

static void a_question_of_question_words_stays(void **state)
{
	(void)state;
	check_content("what is the", "what is the");
	check_content("about me", "about me");
}

static bool is_question_at(const char *question, uint32_t word)
{
	struct arena arena = ARENA_INIT;
	struct text text;
	bool result;

	text_make(&arena, slice_of(question), &text);
	result = words_is_listed_at(&text, word, DICTIONARY_ASKING);
	arena_release(&arena);
	return result;
}

/* The list is searched by halving: a word out of order would be lost. */
static void question_words_are_known(void **state)
{
	(void)state;
	assert_true(is_question_at("a", 0));
	assert_true(is_question_at("your", 0));
	assert_true(is_question_at("remember", 0));
	assert_true(is_question_at("recall", 0));
	assert_true(is_question_at("please", 0));
	assert_true(is_question_at("editor what", 1));
	assert_false(is_question_at("whatever", 0));
	assert_false(is_question_at("é", 0));
	assert_false(is_question_at("averyveryverylongword", 0));
}

static struct words_likeness compare(const char *query, const char *word)
{
	struct arena arena = ARENA_INIT;
	struct words_likeness result;
	struct text a;
	struct text b;

	text_make(&arena, slice_of(query), &a);
	text_make(&arena, slice_of(word), &b);
	result = words_compare(a.chars, a.len, b.chars, b.len);
	arena_release(&arena);
	return result;
}

static void words_resemble_each_other(void **state)
{
	(void)state;
	assert_true(compare("work", "work").likeness == 1 && compare("work", "work").near);
	assert_true(compare("wrok", "work").likeness == 0.75 && compare("wrok", "work").near);
	assert_true(compare("notif", "notification").likeness == WORDS_PREFIX);
	assert_false(compare("notif", "notification").near);
	assert_true(compare("no", "notification").likeness == 0);
	assert_true(compare("context", "contest").near);
	assert_true(compare("goals", "topics").likeness == 0);
	assert_true(compare("abc", "abd").likeness > 0.66 && !compare("abc", "abd").near);
	assert_true(compare("goals", "gaosl").likeness == 0);
}

/* The words of a query that are to be found, with a blank between them. */
static void check_subjects(const char *query, const char *want)
{
	struct arena arena = ARENA_INIT;
	struct text text;
	struct text rest;
	struct text_word words[WORDS_KINDS_MAX];
	uint64_t left_out;

	text_make(&arena, slice_of(query), &text);
	left_out = words_without_subject(&text, false, 0);
	rest = text;
	rest.words = words;
	rest.word_count = 0;
	for (uint32_t i = 0; i < text.word_count; i++)
		if (!(left_out >> i & 1))
			words[rest.word_count++] = text.words[i];
	text_join(&arena, &rest, &text);
	if (!slice_is(text.bytes, want))
		fail_msg("%s: %.*s", query, (int)text.bytes.len, text.bytes.ptr);
	arena_release(&arena);
}

static void words_without_a_subject_need_not_be_found(void **state)
{
	(void)state;
	check_subjects("how do i list the open invoices", "open invoices");
	check_subjects("welche sprache benutzen wir für die berichte", "sprache berichte");
	check_subjects("dans quelle langue sont les rapports", "langue rapports");
	check_subjects("dónde están las facturas", "facturas");
	check_subjects("dove sono le fatture", "fatture");
	check_subjects("onde estão as faturas", "faturas");
	check_subjects("waar staan de facturen", "facturen");
	check_subjects("gdzie są faktury", "faktury");
	check_subjects("где лежат счета", "счета");
	/* of which one word is of that language alone */
	check_subjects("a quale banchina scaricano i camion", "banchina scaricano camion");
	check_subjects("quem limpa a chaminé", "limpa chaminé");
	check_subjects("pull request 12", "12");
	/* what is asked for behind a question word */
	check_subjects("how long do the lentils cook", "lentils cook");
	check_subjects("at what time does the ferry leave", "ferry");
	check_subjects("wie hoch ist die kaution", "kaution");
	check_subjects("the time of the ferry", "time ferry");
	check_subjects("what caused the outage in march", "outage march");
	/* the verb, where the answer's kind is all that is left */
	check_subjects("on which days do i run", "run");
	check_subjects("how long do i work", "work");
	/* written without spaces, and with particles */
	check_subjects("租金什么时候交", "租 金 交");
	check_subjects("长假有多长时间", "长 假");
	check_subjects("장애가 나면 누구에게 전화해야 해", "장애가 나면 전화해야");
	check_subjects("열쇠는 어디에 있어", "열쇠는");
	check_subjects("vim 을 쓰나요", "vim");
	check_subjects("vimを使いますか", "vim を");
	check_subjects("谁在geosync工作", "geosync");
	/* verbs of everyday questions */
	check_subjects("wie schreiben wir die namen", "namen");
	check_subjects("comment sont écrits les noms", "noms");
	check_subjects("cómo se escriben los nombres", "nombres");
	check_subjects("как мы пишем имена", "имена");
}

static void words_of_a_name_are_all_to_be_found(void **state)
{
	(void)state;
	/* no sentence: the verb is a word of the key */
	check_subjects("work contxt", "work contxt");
	/* one word of another language makes no question in it */
	check_subjects("die size", "die size");
	check_subjects("request limit", "request limit");
	/* nothing else is left */
	check_subjects("what is the", "what is the");
}

static enum dictionary_rarity rarity_of(const char *word)
{
	struct arena arena = ARENA_INIT;
	struct text text;
	enum dictionary_rarity rarity;

	text_make(&arena, slice_of(word), &text);
	rarity = words_rarity_at(&text, 0);
	arena_release(&arena);
	return rarity;
}

static void words_of_the_language_are_known_in_their_forms(void **state)
{
	static const struct {
		const char *word;
		enum dictionary_rarity rarity;
	} words[] = {
		{"account", RARITY_COMMON},   {"accounts", RARITY_COMMON},
		{"stopped", RARITY_COMMON},   {"making", RARITY_COMMON},
		{"companies", RARITY_COMMON}, {"kubernetes", RARITY_USUAL},
		{"payee", RARITY_USUAL},      {"maria", RARITY_USUAL},
		{"tundra", RARITY_USUAL},     {"unlock", RARITY_COMMON},
		{"egress", RARITY_RARE},      {"diastolic", RARITY_RARE},
		{"acount", RARITY_UNKNOWN},   {"statuss", RARITY_UNKNOWN},
		{"ownner", RARITY_UNKNOWN},   {"edittor", RARITY_UNKNOWN},
		{"passs", RARITY_UNKNOWN},    {"updatees", RARITY_UNKNOWN},
		{"zorbix", RARITY_UNKNOWN},   {"taging", RARITY_UNKNOWN},
		{"tagging", RARITY_COMMON},   {"aaa", RARITY_UNKNOWN},
		{"zzz", RARITY_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (rarity_of(words[i].word) != words[i].rarity)
			fail_msg("%s: %d", words[i].word, (int)rarity_of(words[i].word));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_without_a_subject_need_not_be_found),
		cmocka_unit_test(words_of_a_name_are_all_to_be_found),
		cmocka_unit_test(words_of_the_language_are_known_in_their_forms),
		cmocka_unit_test(question_words_go_from_both_ends),
		cmocka_unit_test(what_somebody_does_is_no_content),
		cmocka_unit_test(a_question_of_question_words_stays),
		cmocka_unit_test(question_words_are_known),
		cmocka_unit_test(words_resemble_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
