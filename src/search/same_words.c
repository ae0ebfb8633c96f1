#include "search/same_words.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "search/search_index.h"
#include "text/dictionary.h"

#include <stdlib.h>
#include <string.h>

struct same_words {
	struct arena arena;
	struct same_word *list; /* those of a line are neighbours */
	size_t count;
	struct map firsts; /* stem -> the first word of its line */
};

static int same_words_compare(const void *a, const void *b)
{
	const struct same_word *x = a;
	const struct same_word *y = b;

	return x->line != y->line ? (int)x->line - (int)y->line : slice_compare(x->stem, y->stem);
}

static struct slice same_words_stem(struct arena *arena, const char *word)
{
	size_t len = strlen(word);
	uint32_t *chars = arena_alloc(arena, (len + 1) * sizeof *chars);
	struct slice stem;

	for (size_t i = 0; i < len; i++)
		chars[i] = (unsigned char)word[i];
	search_stem(arena, chars, (uint32_t)len, false, &stem);
	return stem;
}

struct same_words *same_words_new(void)
{
	struct same_words *same = mem_zalloc(1, sizeof *same);
	size_t cap = 0;

	for (size_t i = 0; i < dictionary_row_count; i++) {
		const struct dictionary_row *row = &dictionary_rows[i];

		if (row->list != DICTIONARY_SAME)
			continue;
		same->list = mem_grow(same->list, &cap, same->count + 1, sizeof *same->list);
		same->list[same->count++] = (struct same_word){
			same_words_stem(&same->arena, dictionary_spelling(row)), row->line};
	}
	qsort(same->list, same->count, sizeof *same->list, same_words_compare);
	for (size_t i = 0, first = 0; i < same->count; i++) {
		if (same->list[i].line != same->list[first].line)
			first = i;
		if (!map_get(&same->firsts, same->list[i].stem, NULL))
			map_put(&same->firsts, same->list[i].stem, first);
	}
	return same;
}

void same_words_free(struct same_words *same)
{
	if (!same)
		return;
	arena_release(&same->arena);
	map_release(&same->firsts);
	free(same->list);
	free(same);
}

const struct same_word *same_words_of(const struct same_words *same, struct slice stem,
				      size_t *count)
{
	size_t first;
	size_t last;

	*count = 0;
	if (!map_get(&same->firsts, stem, &first))
		return NULL;
	for (last = first; last < same->count && same->list[last].line == same->list[first].line;)
		last++;
	*count = last - first;
	return same->list + first;
}
