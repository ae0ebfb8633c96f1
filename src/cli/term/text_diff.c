#include "cli/term/text_diff.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <stdlib.h>

/* So many equal lines are shown around a difference. */
#define CONTEXT 2

/* Beyond so many pairs of lines everything counts as different. */
#define PAIRS_MAX ((size_t)1 << 20)

struct side {
	struct slice *lines;
	size_t count;
	size_t cap;
};

struct line {
	char mark;
	struct slice text;
};

struct comparison {
	struct side sides[2];
	unsigned int *common; /* [i][j]: most lines that before from i and after from j share */
	struct line *lines;
	size_t count;
};

static void text_diff_split(struct side *side, struct slice text)
{
	while (text.ptr) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end ? (size_t)(end - text.ptr) : text.len;

		*MEM_ADD(side->lines, side->count, side->cap) = slice_make(text.ptr, len);
		text = end ? slice_make(end + 1, text.len - len - 1) : slice_make(NULL, 0);
	}
}

static unsigned int *text_diff_cell(const struct comparison *c, size_t i, size_t j)
{
	return &c->common[i * (c->sides[1].count + 1) + j];
}

static bool text_diff_same(const struct comparison *c, size_t i, size_t j)
{
	return slice_equal(c->sides[0].lines[i], c->sides[1].lines[j]);
}

static void text_diff_measure(struct comparison *c)
{
	size_t rows = c->sides[0].count + 1;
	size_t columns = c->sides[1].count + 1;

	if (rows * columns > PAIRS_MAX)
		return;
	c->common = mem_zalloc(rows * columns, sizeof *c->common);
	for (size_t i = rows - 1; i-- > 0;) {
		for (size_t j = columns - 1; j-- > 0;) {
			unsigned int down = *text_diff_cell(c, i + 1, j);
			unsigned int right = *text_diff_cell(c, i, j + 1);

			*text_diff_cell(c, i, j) = text_diff_same(c, i, j)
							   ? *text_diff_cell(c, i + 1, j + 1) + 1
						   : down > right ? down
								  : right;
		}
	}
}

static void text_diff_take(struct comparison *c, char mark, struct slice text)
{
	c->lines[c->count++] = (struct line){mark, text};
}

static void text_diff_align(struct comparison *c)
{
	size_t i = 0;
	size_t j = 0;

	c->lines = mem_zalloc(c->sides[0].count + c->sides[1].count, sizeof *c->lines);
	while (c->common && i < c->sides[0].count && j < c->sides[1].count) {
		if (text_diff_same(c, i, j)) {
			text_diff_take(c, ' ', c->sides[0].lines[i++]);
			j++;
		} else if (*text_diff_cell(c, i + 1, j) >= *text_diff_cell(c, i, j + 1)) {
			text_diff_take(c, '-', c->sides[0].lines[i++]);
		} else {
			text_diff_take(c, '+', c->sides[1].lines[j++]);
		}
	}
	while (i < c->sides[0].count)
		text_diff_take(c, '-', c->sides[0].lines[i++]);
	while (j < c->sides[1].count)
		text_diff_take(c, '+', c->sides[1].lines[j++]);
}

static bool text_diff_is_near(const struct comparison *c, size_t at)
{
	size_t from = at > CONTEXT ? at - CONTEXT : 0;

	for (size_t i = from; i < c->count && i <= at + CONTEXT; i++) {
		if (c->lines[i].mark != ' ')
			return true;
	}
	return false;
}

static void text_diff_print(const struct comparison *c, const char *indent,
			    const struct paint *paint, struct str *out)
{
	bool skipped = false;

	for (size_t i = 0; i < c->count; i++) {
		const struct line *line = &c->lines[i];
		const char *before = line->mark == '-'   ? paint->warn
				     : line->mark == '+' ? paint->strong
							 : paint->faint;

		if (!text_diff_is_near(c, i)) {
			if (!skipped)
				str_printf(out, "%s  ...\n", indent);
			skipped = true;
			continue;
		}
		skipped = false;
		str_printf(out, "%s%s%c ", indent, before, line->mark);
		utf8_add_visible(out, line->text, false);
		str_printf(out, "%s\n", before[0] ? paint->plain : "");
	}
}

void text_diff_add(struct str *out, const char *indent, struct slice before, struct slice after,
		   const struct paint *paint)
{
	struct comparison c = {.common = NULL};

	text_diff_split(&c.sides[0], before);
	text_diff_split(&c.sides[1], after);
	text_diff_measure(&c);
	text_diff_align(&c);
	text_diff_print(&c, indent, paint, out);
	free(c.sides[0].lines);
	free(c.sides[1].lines);
	free(c.common);
	free(c.lines);
}
