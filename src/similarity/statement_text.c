#include "similarity/statement_text.h"

#include "similarity/phrase.h"

/* More clauses are not looked at. */
#define CLAUSES_MAX 6

/* The words of a text, as they are before it is compared; returns how many. */
static size_t statement_keep_words(struct arena *arena, struct slice text, const struct word **out)
{
	struct words phrase;
	struct word *words;

	phrase_read(arena, text, &phrase);
	words = arena_alloc(arena, (phrase.count + 1) * sizeof *words);
	memcpy(words, phrase.words, phrase.count * sizeof *words);
	*out = words;
	return phrase.count;
}

void statement_read(struct statement *statement, struct arena *arena)
{
	if (statement->text.len > STATEMENT_BYTES)
		return;
	statement->word_count = statement_keep_words(arena, statement->text, &statement->words);
}

/* Behind a colon stands what the words before it are about. */
static size_t statement_clause_end(struct slice text, size_t from)
{
	size_t end = phrase_clause_end(text, from);

	return end < text.len && text.ptr[end] == ':' ? phrase_clause_end(text, end + 1) : end;
}

/* A text of one clause is read once. */
static void statement_read_part(struct statement *statement, struct slice text, struct arena *arena,
				struct statement_part *out)
{
	if (text.len == statement->text.len && statement->words) {
		*out = (struct statement_part){.words = statement->words,
					       .count = statement->word_count,
					       .tells = statement->tells};
		return;
	}
	out->count = statement_keep_words(arena, text, &out->words);
	out->tells = report_read(text);
}

void statement_read_clauses(struct statement *statement, struct arena *arena)
{
	const struct slice text = statement->text;
	struct statement_part *clauses;
	size_t count = 0;

	if (text.len > STATEMENT_BYTES)
		return;
	clauses = arena_alloc(arena, CLAUSES_MAX * sizeof *clauses);
	statement->tells = report_read(text);
	for (size_t from = 0; from < text.len && count < CLAUSES_MAX; count++) {
		size_t end = statement_clause_end(text, from);

		statement_read_part(statement, slice_make(text.ptr + from, end - from), arena,
				    &clauses[count]);
		from = end + 1;
	}
	statement->clauses = clauses;
	statement->clause_count = count;
}
