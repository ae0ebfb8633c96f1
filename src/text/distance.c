#include "text/distance.h"

#include "base/mem.h"
#include "text/tokens.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#define BLOCK_BITS 64
#define ASCII 128

/* So many columns are remembered: the next text may begin as the last one did. */
#define COLUMNS_KEPT 32

/* Columns are remembered from a text on that begins with so many characters of the last one. */
#define WORTH_KEEPING 3

/* Up to so many edits it pays to look where the like of each character stands. */
#define BAND_LIMIT 16

/* The state of one block of 64 rows after a column. */
struct block {
	uint64_t plus;     /* vertical differences that are +1 */
	uint64_t minus;    /* ... that are -1 */
	uint64_t diagonal; /* diagonal differences that are 0 */
	uint64_t matches;  /* rows whose character is the column's */
};

/* The last text as far as its columns are remembered, for patterns of one block. */
struct columns {
	uint32_t text[COLUMNS_KEPT];
	size_t text_len; /* of it, as far as it is remembered */
	size_t count;    /* columns that are */
	size_t distances[COLUMNS_KEPT];
	struct block states[COLUMNS_KEPT];
};

/*
 * For each character of the text the rows that hold it, a bit a row. ASCII characters have a
 * place of their own; the others share an open hash table.
 */
struct distance_pattern {
	size_t len;
	size_t blocks;
	size_t table_size; /* power of two, more than twice the other characters */
	uint32_t *table;   /* character of a place, 0 when empty */
	uint64_t *rows;    /* (ASCII + table_size) * blocks */
	struct block *state;
	struct columns *columns; /* NULL for a pattern that is asked once */
};

static size_t distance_table_place(const struct distance_pattern *p, uint32_t character)
{
	size_t mask = p->table_size - 1;
	size_t at = (size_t)(character * 2654435761u >> 7) & mask;

	while (p->table[at] && p->table[at] != character)
		at = (at + 1) & mask;
	return at;
}

static uint64_t *distance_rows_of(const struct distance_pattern *p, uint32_t character)
{
	if (character < ASCII)
		return p->rows + character * p->blocks;
	return p->rows + (ASCII + distance_table_place(p, character)) * p->blocks;
}

static size_t distance_count_others(const uint32_t *text, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += text[i] >= ASCII;
	return count;
}

static struct distance_pattern *distance_pattern_make(const uint32_t *text, size_t len)
{
	struct distance_pattern *p = mem_zalloc(1, sizeof *p);
	size_t others = distance_count_others(text, len);

	p->len = len;
	p->blocks = len ? (len + BLOCK_BITS - 1) / BLOCK_BITS : 1;
	p->table_size = 2;
	while (p->table_size <= 2 * others)
		p->table_size *= 2;
	p->table = mem_zalloc(p->table_size, sizeof *p->table);
	p->rows = mem_zalloc((ASCII + p->table_size) * p->blocks, sizeof *p->rows);
	p->state = mem_zalloc(p->blocks, sizeof *p->state);
	for (size_t i = 0; i < len; i++) {
		if (text[i] >= ASCII)
			p->table[distance_table_place(p, text[i])] = text[i];
		distance_rows_of(p, text[i])[i / BLOCK_BITS] |= (uint64_t)1 << (i % BLOCK_BITS);
	}
	return p;
}

struct distance_pattern *distance_pattern_new(const uint32_t *text, size_t len)
{
	struct distance_pattern *p = distance_pattern_make(text, len);

	if (len && p->blocks == 1)
		p->columns = mem_zalloc(1, sizeof *p->columns);
	return p;
}

void distance_pattern_free(struct distance_pattern *pattern)
{
	if (!pattern)
		return;
	free(pattern->table);
	free(pattern->rows);
	free(pattern->state);
	free(pattern->columns);
	free(pattern);
}

/* What one column passes from a block to the one below it. */
struct carry {
	uint64_t plus;
	uint64_t minus;
	uint64_t swap; /* the upper block's last row may be the first half of a swap */
};

/*
 * Computes a block of the next column; the carry comes in from above and goes out below. Returns
 * how the distance in row last_row (a bit) changes from column to column.
 */
static inline int distance_advance_block(struct block *b, uint64_t matches, bool swaps,
					 struct carry *carry, uint64_t last_row)
{
	uint64_t open = ~b->diagonal & matches;
	uint64_t swapped = swaps ? ((open << 1) | carry->swap) & b->matches : 0;
	uint64_t seen = matches | carry->minus;
	uint64_t diagonal = (((seen & b->plus) + b->plus) ^ b->plus) | seen | b->minus | swapped;
	uint64_t plus = b->minus | ~(diagonal | b->plus);
	uint64_t minus = diagonal & b->plus;
	uint64_t plus_in = (plus << 1) | carry->plus;
	uint64_t minus_in = (minus << 1) | carry->minus;

	b->plus = minus_in | ~(diagonal | plus_in);
	b->minus = plus_in & diagonal;
	b->diagonal = diagonal;
	b->matches = matches;
	carry->swap = open >> (BLOCK_BITS - 1);
	carry->plus = plus >> (BLOCK_BITS - 1);
	carry->minus = minus >> (BLOCK_BITS - 1);
	return ((plus & last_row) != 0) - ((minus & last_row) != 0);
}

/* One column through all blocks. */
static int distance_advance_column(struct distance_pattern *p, uint32_t character, bool swaps,
				   uint64_t last_row)
{
	const uint64_t *rows = distance_rows_of(p, character);
	struct carry carry = {1, 0, 0};
	size_t last = p->blocks - 1;

	for (size_t i = 0; i < last; i++)
		distance_advance_block(&p->state[i], rows[i], swaps, &carry, 0);
	return distance_advance_block(&p->state[last], rows[last], swaps, &carry, last_row);
}

/* Each further column lowers the distance by one at most. */
static bool distance_is_out_of_reach(size_t distance, size_t columns_left, size_t limit)
{
	return distance > limit && distance - limit > columns_left;
}

/* How much of the text is as in the last one. Remembers it. */
static size_t distance_compare_with_last(struct columns *columns, const uint32_t *text, size_t len)
{
	size_t kept = len < COLUMNS_KEPT ? len : COLUMNS_KEPT;
	size_t same = 0;

	while (same < columns->text_len && same < kept && columns->text[same] == text[same])
		same++;
	for (size_t i = same; i < kept; i++)
		columns->text[i] = text[i];
	columns->text_len = kept;
	return same;
}

/* The columns of a text from this one on; with keep they are remembered. */
static inline size_t distance_add_columns(const struct distance_pattern *p, const uint32_t *text,
					  size_t len, size_t limit, size_t from, bool keep)
{
	struct columns *columns = p->columns;
	struct block state = {~(uint64_t)0, 0, 0, 0};
	uint64_t last_row = (uint64_t)1 << (p->len - 1);
	size_t distance = p->len;

	if (from) {
		state = columns->states[from - 1];
		distance = columns->distances[from - 1];
	}
	for (size_t i = from; i < len; i++) {
		struct carry carry = {1, 0, 0};

		distance += (size_t)distance_advance_block(&state, *distance_rows_of(p, text[i]),
							   true, &carry, last_row);
		if (keep && i < COLUMNS_KEPT) {
			columns->distances[i] = distance;
			columns->states[i] = state;
			columns->count = i + 1;
		}
		if (distance_is_out_of_reach(distance, len - i - 1, limit))
			return limit + 1;
	}
	return distance;
}

/*
 * True if so few edits may lie between them. With as many more characters as the text is longer, a
 * row stands no further from its like in the text than the edits that are left move it, and no more
 * rows are without one. Much cheaper to see than the distance.
 */
static bool distance_may_be_within(const struct distance_pattern *p, const uint32_t *text,
				   size_t len, size_t limit)
{
	size_t longer = len > p->len ? len - p->len : 0;
	size_t shorter = len < p->len ? p->len - len : 0;
	size_t before = (limit - longer + shorter + 1) / 2;
	size_t behind = (limit + longer - shorter + 1) / 2;
	uint64_t band = ((uint64_t)1 << (before + behind + 1)) - 1;
	uint64_t alone = ~(uint64_t)0 >> (BLOCK_BITS - p->len);

	for (size_t i = 0; i < len; i++) {
		uint64_t rows = i < behind ? band >> (behind - i) : band << (i - behind);

		alone &= ~(rows & *distance_rows_of(p, text[i]));
	}
	return text_count_bits(alone) <= limit - longer;
}

/* As distance_pattern_distance() for a pattern of one block that is held against many texts. */
static size_t distance_one_block_distance(const struct distance_pattern *p, const uint32_t *text,
					  size_t len, size_t limit)
{
	struct columns *columns = p->columns;
	size_t apart = len > p->len ? len - p->len : p->len - len;

	assert(p->len >= 1 && p->len <= BLOCK_BITS); /* else it has no columns */
	if (apart > limit)
		return limit + 1;
	size_t same = distance_compare_with_last(columns, text, len);
	columns->count = same < columns->count ? same : columns->count;
	if (same < WORTH_KEEPING && limit < BAND_LIMIT &&
	    !distance_may_be_within(p, text, len, limit))
		return limit + 1;
	if (same < WORTH_KEEPING)
		return distance_add_columns(p, text, len, limit, columns->count, false);
	return distance_add_columns(p, text, len, limit, columns->count, true);
}

static size_t distance_pattern_distance(struct distance_pattern *p, const uint32_t *text,
					size_t len, size_t limit, bool swaps)
{
	size_t distance = p->len;

	if (p->len == 0)
		return len;
	uint64_t last_row = (uint64_t)1 << ((p->len - 1) % BLOCK_BITS);
	for (size_t i = 0; i < p->blocks; i++)
		p->state[i] = (struct block){~(uint64_t)0, 0, 0, 0};
	for (size_t i = 0; i < len; i++) {
		distance += (size_t)distance_advance_column(p, text[i], swaps, last_row);
		if (distance_is_out_of_reach(distance, len - i - 1, limit))
			return limit + 1;
	}
	return distance;
}

size_t distance_pattern_osa(struct distance_pattern *pattern, const uint32_t *text, size_t len,
			    size_t limit)
{
	if (pattern->columns)
		return distance_one_block_distance(pattern, text, len, limit);
	return distance_pattern_distance(pattern, text, len, limit, true);
}

/* Equal characters at both ends never change either distance. */
static void distance_cut_equal_ends(const uint32_t **a, size_t *a_len, const uint32_t **b,
				    size_t *b_len)
{
	while (*a_len && *b_len && (*a)[0] == (*b)[0]) {
		(*a)++;
		(*b)++;
		(*a_len)--;
		(*b_len)--;
	}
	while (*a_len && *b_len && (*a)[*a_len - 1] == (*b)[*b_len - 1]) {
		(*a_len)--;
		(*b_len)--;
	}
}

/* Small texts without non-ASCII characters cost no allocation. */
static size_t distance_short(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len,
			     size_t limit, bool swaps)
{
	uint64_t rows[ASCII + 1] = {0};
	uint32_t table = 0;
	struct block state;
	struct distance_pattern p = {a_len, 1, 1, &table, rows, &state, NULL};

	for (size_t i = 0; i < a_len; i++)
		rows[a[i]] |= (uint64_t)1 << i;
	return distance_pattern_distance(&p, b, b_len, limit, swaps);
}

static size_t distance_between(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len,
			       size_t limit, bool swaps)
{
	distance_cut_equal_ends(&a, &a_len, &b, &b_len);
	if (a_len == 0 || b_len == 0)
		return a_len + b_len;
	if (a_len <= BLOCK_BITS && distance_count_others(a, a_len) == 0)
		return distance_short(a, a_len, b, b_len, limit, swaps);
	struct distance_pattern *p = distance_pattern_make(a, a_len);
	size_t result = distance_pattern_distance(p, b, b_len, limit, swaps);
	distance_pattern_free(p);
	return result;
}

size_t distance_levenshtein(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len)
{
	return distance_between(a, a_len, b, b_len, SIZE_MAX, false);
}

size_t distance_osa(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len, size_t limit)
{
	return distance_between(a, a_len, b, b_len, limit, true);
}
