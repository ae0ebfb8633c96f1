#include "merge/merge_lines.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "json/doc.h"

#include <stdlib.h>

/* Lines of a text with their ends, which a text keeps as they are. */
struct lines {
	struct slice *list;
	size_t count;
	size_t cap;
};

static void lines_read(struct lines *out, struct slice text)
{
	while (text.len) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end ? (size_t)(end - text.ptr) + 1 : text.len;

		*MEM_ADD(out->list, out->count, out->cap) = slice_make(text.ptr, len);
		text = slice_make(text.ptr + len, text.len - len);
	}
}

/* ---- logs */

/* The lines of a log without their ends; those of a writer that was killed are left out. */
static void lines_read_log(struct lines *out, struct slice text)
{
	bool whole = true;
	struct slice last = json_last_line(text, &whole);

	lines_read(out, last.len && !whole ? slice_make(text.ptr, text.len - last.len) : text);
	for (size_t i = 0; i < out->count; i++) {
		struct slice *line = &out->list[i];

		if (line->len && line->ptr[line->len - 1] == '\n')
			line->len--;
	}
}

static void lines_index(const struct lines *lines, struct map *index)
{
	for (size_t i = 0; i < lines->count; i++)
		map_put(index, lines->list[i], i);
}

/* A log merge: which line is where. */
struct logs {
	struct lines a;
	struct lines b;
	struct map in_a;
	struct map in_b;
	struct map *in_bases;
	size_t count;
};

/* Every base has it and a side lacks it. */
static bool lines_gone(const struct logs *logs, struct slice line)
{
	for (size_t i = 0; i < logs->count; i++) {
		if (!map_get(&logs->in_bases[i], line, NULL))
			return false;
	}
	return logs->count &&
	       !(map_get(&logs->in_a, line, NULL) && map_get(&logs->in_b, line, NULL));
}

static void lines_write_log(const struct logs *logs, struct str *out)
{
	struct lines fresh = {0};

	for (size_t i = 0; i < logs->a.count; i++) {
		if (lines_gone(logs, logs->a.list[i]))
			continue;
		str_add(out, logs->a.list[i]);
		str_addc(out, '\n');
	}
	for (size_t i = 0; i < logs->b.count; i++) {
		struct slice line = logs->b.list[i];

		if (!lines_gone(logs, line) && !map_get(&logs->in_a, line, NULL))
			*MEM_ADD(fresh.list, fresh.count, fresh.cap) = line;
	}
	if (fresh.count)
		qsort(fresh.list, fresh.count, sizeof *fresh.list, slice_compare_elements);
	for (size_t i = 0; i < fresh.count; i++) {
		if (i > 0 && slice_equal(fresh.list[i], fresh.list[i - 1]))
			continue;
		str_add(out, fresh.list[i]);
		str_addc(out, '\n');
	}
	free(fresh.list);
}

void lines_merge_log(const struct merge_texts *texts, struct str *out)
{
	struct lines *bases = mem_zalloc(texts->base_count, sizeof *bases);
	struct logs logs = {.count = texts->base_count};

	logs.in_bases = mem_zalloc(texts->base_count, sizeof *logs.in_bases);
	lines_read_log(&logs.a, texts->ours);
	lines_read_log(&logs.b, texts->theirs);
	lines_index(&logs.a, &logs.in_a);
	lines_index(&logs.b, &logs.in_b);
	for (size_t i = 0; i < texts->base_count; i++) {
		lines_read_log(&bases[i], texts->bases[i]);
		lines_index(&bases[i], &logs.in_bases[i]);
	}
	str_clear(out);
	lines_write_log(&logs, out);
	for (size_t i = 0; i < texts->base_count; i++) {
		free(bases[i].list);
		map_release(&logs.in_bases[i]);
	}
	free(bases);
	free(logs.in_bases);
	free(logs.a.list);
	free(logs.b.list);
	map_release(&logs.in_a);
	map_release(&logs.in_b);
}

/* ---- texts */

/* No line of the other text. */
#define NO_LINE SIZE_MAX

/* The lines of two texts that are the same, in both orders: NO_LINE for those that are not. */
struct matching {
	const struct lines *base;
	const struct lines *side;
	size_t *of_base; /* line of the side */
};

/* Tables of lengths are kept up to this many cells; more is told apart by lines that come once. */
#define CELLS_MAX ((size_t)1 << 22)

/* The longest common subsequence of two short runs, by the usual table. */
static void lines_match_table(struct matching *m, size_t base_from, size_t base_to,
			      size_t side_from, size_t side_to)
{
	size_t rows = base_to - base_from;
	size_t columns = side_to - side_from;
	uint32_t *best = mem_zalloc((rows + 1) * (columns + 1), sizeof *best);
	size_t i = 0;
	size_t j = 0;

#define BEST(i, j) best[(i) * (columns + 1) + (j)]
	for (i = rows; i-- > 0;) {
		for (j = columns; j-- > 0;) {
			uint32_t down = BEST(i + 1, j);
			uint32_t right = BEST(i, j + 1);

			BEST(i, j) = slice_equal(m->base->list[base_from + i],
						 m->side->list[side_from + j])
					     ? BEST(i + 1, j + 1) + 1
				     : down > right ? down
						    : right;
		}
	}
	for (i = j = 0; i < rows && j < columns;) {
		if (slice_equal(m->base->list[base_from + i], m->side->list[side_from + j]))
			m->of_base[base_from + i++] = side_from + j++;
		else if (BEST(i + 1, j) >= BEST(i, j + 1))
			i++;
		else
			j++;
	}
#undef BEST
	free(best);
}

/* Matches base and side; what is too long for the table is one hunk from end to end. */
static void lines_match(struct matching *m)
{
	size_t from = 0;
	size_t base_to = m->base->count;
	size_t side_to = m->side->count;

	for (size_t i = 0; i < m->base->count; i++)
		m->of_base[i] = NO_LINE;
	while (from < base_to && from < side_to &&
	       slice_equal(m->base->list[from], m->side->list[from])) {
		m->of_base[from] = from;
		from++;
	}
	while (base_to > from && side_to > from &&
	       slice_equal(m->base->list[base_to - 1], m->side->list[side_to - 1]))
		m->of_base[--base_to] = --side_to;
	if (base_to > from && side_to > from &&
	    (base_to - from + 1) <= CELLS_MAX / (side_to - from + 1))
		lines_match_table(m, from, base_to, from, side_to);
}

/* A run of lines of one text. */
struct run {
	const struct lines *lines;
	size_t from;
	size_t to;
};

static struct slice lines_run_text(const struct run *run)
{
	struct slice first;
	struct slice last;

	if (run->from == run->to)
		return slice_make("", 0);
	first = run->lines->list[run->from];
	last = run->lines->list[run->to - 1];
	return slice_make(first.ptr, (size_t)(last.ptr + last.len - first.ptr));
}

static void lines_end_line(struct str *out)
{
	if (out->len && out->ptr[out->len - 1] != '\n')
		str_addc(out, '\n');
}

static void lines_write_hunk(const struct run *base, const struct run *a, const struct run *b,
			     struct str *out)
{
	struct slice base_text = lines_run_text(base);
	struct slice left = lines_run_text(a);
	struct slice right = lines_run_text(b);
	int order = slice_compare(left, right);

	if (order == 0 || slice_equal(base_text, right)) {
		str_add(out, left);
	} else if (slice_equal(base_text, left)) {
		str_add(out, right);
	} else if (left.len == 0 || right.len == 0) {
		str_add(out, left.len ? left : right); /* a change outlives a removal */
	} else {
		str_add(out, order < 0 ? left : right);
		lines_end_line(out);
		str_addc(out, '\n');
		str_add(out, order < 0 ? right : left);
	}
}

/* Writes hunk after hunk: between them stand the lines that all three texts have. */
static void lines_write_text(const struct matching *to_a, const struct matching *to_b,
			     struct str *out)
{
	struct run base = {to_a->base, 0, 0};
	struct run a = {to_a->side, 0, 0};
	struct run b = {to_b->side, 0, 0};

	for (size_t i = 0; i <= base.lines->count; i++) {
		bool end = i == base.lines->count;

		if (!end && (to_a->of_base[i] == NO_LINE || to_b->of_base[i] == NO_LINE))
			continue;
		base.to = i;
		a.to = end ? a.lines->count : to_a->of_base[i];
		b.to = end ? b.lines->count : to_b->of_base[i];
		lines_write_hunk(&base, &a, &b, out);
		if (end)
			break;
		lines_end_line(out);
		str_add(out, base.lines->list[i]);
		base.from = i + 1;
		a.from = a.to + 1;
		b.from = b.to + 1;
	}
}

void lines_merge_text(const struct merge_texts *texts, struct str *out)
{
	struct lines base = {0};
	struct lines a = {0};
	struct lines b = {0};
	struct matching to_a = {&base, &a, NULL};
	struct matching to_b = {&base, &b, NULL};

	str_clear(out);
	if (texts->base_count)
		lines_read(&base, texts->bases[0]);
	lines_read(&a, texts->ours);
	lines_read(&b, texts->theirs);
	to_a.of_base = mem_zalloc(base.count, sizeof *to_a.of_base);
	to_b.of_base = mem_zalloc(base.count, sizeof *to_b.of_base);
	lines_match(&to_a);
	lines_match(&to_b);
	lines_write_text(&to_a, &to_b, out);
	free(to_a.of_base);
	free(to_b.of_base);
	free(base.list);
	free(a.list);
	free(b.list);
}
