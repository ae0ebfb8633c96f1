/*
 * The index behind lookup.h: items decoded, their words, and scratch memory for questions.
 *
 * lookup_index.c builds it, candidates.c says which items to look at,
 * lookup.c scores them and chooses the answer. The arena owns all texts. An item that was removed
 * stays where it is, marked, until the index is built anew.
 */
#ifndef KOTA_LOOKUP_LOOKUP_INDEX_H
#define KOTA_LOOKUP_LOOKUP_INDEX_H

#include "base/str.h"
#include "lookup/lookup_item.h"
#include "lookup/score.h"
#include "lookup/vocab.h"

#include <limits.h>

/* The forms of the keys whose letters are so many, and what each of them consists of. */
struct shape_bucket {
	uint64_t *bags;
	struct shape *shapes;
	uint32_t count;
	uint32_t longest; /* of the shapes */
	size_t bag_cap;
	size_t shape_cap;
};

/* What is known of a form whose letters alone do not tell that it is another. */
struct shape {
	uint64_t pairs;        /* of its compact text */
	uint64_t sorted_pairs; /* of its sorted one */
	uint32_t form;
	uint32_t longest; /* characters of its longest text */
};

/* Keys with more letters than this are not alike to any query: LOOKUP_QUERY_MAX and a quarter. */
#define SHAPE_MAX 1281

/* Scope of an item that was removed. */
#define INDEX_GONE INT_MIN

/* A key of an item: what it is called now, or was before. */
struct item_name {
	uint32_t item;
	bool former;
	size_t next_equal; /* the next name that is equal but for spaces, or NAME_NONE */
};

#define NAME_NONE SIZE_MAX

/* An item of the index. */
struct indexed {
	bool archived;
	bool has_words; /* lookup_add_words() has filled what stands below ref */
	int64_t active_ms;
	struct slice ref;
	uint32_t first_form; /* its forms are neighbours */
	uint32_t form_count;
	uint32_t word_count; /* of key and value */
	struct text value;   /* split; without its characters, see text_make_brief() */
	struct text plain;   /* not split; the same as value where that is no other */
};

/* Why an item is looked at: a set. */
enum index_reason {
	INDEX_SIMILAR = 1,   /* the letters of its key are nearly those of the query */
	INDEX_CONTAINED = 2, /* may contain the query, or be contained in it */
};

/* What is known of an item while a query is asked. */
struct looked {
	uint64_t ask;      /* listed for this query */
	uint64_t question; /* a candidate in this reading of it */
	uint64_t counted;  /* words are of this reading */
	uint32_t words;    /* words of the query that its own may contain */
	uint8_t reasons;
};

/* A list of item numbers. */
struct index_list {
	uint32_t *items;
	size_t count;
	size_t cap;
};

/* What has been found of the words of a question in one form or item, kept while it is asked. */
struct tally {
	uint64_t question; /* counts only for this question */
	uint32_t word;     /* last word counted, from 1 */
	uint32_t found;
	uint32_t numbers; /* words with digits among those found */
	double best;      /* likeness of the last word */
	double likeness;  /* sum over the words */
	double weighted;  /* sum of likeness times weight */
	double relevance; /* BM25 */
};

/* An item whose key is like the query and differs in a word that tells two things apart. */
struct refused {
	uint32_t item;
	double confidence; /* without that */
	struct slice asked;
	struct slice stored;
};

struct lookup {
	struct arena arena;
	struct indexed *entries; /* those that were removed too */
	int *scopes;             /* of the entries; INDEX_GONE */
	uint32_t *value_lens;    /* characters of the shorter text of each value */
	size_t entry_count;
	size_t live_count;
	size_t entry_cap;
	size_t scope_cap;
	size_t value_len_cap;
	struct key_form *forms;
	uint32_t *form_items;
	size_t form_count;
	size_t form_cap;
	size_t form_item_cap;
	struct item_name *names;
	size_t name_count;
	size_t name_cap;
	struct map compact; /* key without its spaces -> newest name that is that */
	struct map symbols; /* likewise of keys without letters or numbers */
	struct shape_bucket shapes[SHAPE_MAX + 1]; /* by number of letters */
	struct vocab vocab;
	uint64_t word_total; /* of the items, together */
	bool whole;          /* looks at every item for every query: for tests */

	uint64_t ask;                 /* number of the query */
	uint64_t question;            /* number of its reading, see struct tally */
	struct index_list listed;     /* items with a score for this query */
	struct index_list candidates; /* items to be looked at for this reading */
	uint64_t *all;                /* sets of items */
	uint64_t *some;
	struct looked *looked;
	struct tally *form_tally;
	struct tally *item_tally;
	struct arena question_texts; /* of the query */
	struct refused *refused;     /* for this query */
	size_t refused_count;
	size_t refused_cap;
	double *word_best; /* best likeness of each word of the vocabulary to a word asked for */
	uint64_t *word_question;
	struct score *scores;
	size_t all_cap;
	size_t some_cap;
	size_t looked_cap;
	size_t form_tally_cap;
	size_t item_tally_cap;
	size_t word_best_cap;
	size_t word_question_cap;
	size_t score_cap;
};

/* True if this item may answer a question with this scope. One that was removed may not. */
static inline bool index_in_scope(const struct lookup *index, size_t item, int scope)
{
	return scope == LOOKUP_ANY_SCOPE ? index->scopes[item] != INDEX_GONE
					 : index->scopes[item] == scope;
}

/*
 * A key without letters or numbers in the form in which it is compared: without spaces and
 * variation selectors.
 */
void index_symbols(struct slice key, struct str *out);

#endif
