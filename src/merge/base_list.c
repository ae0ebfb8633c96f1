#include "merge/base_list.h"

#include "base/mem.h"

#include <stdlib.h>

/* What several begin with, and no JSON does; then, for each: its length, a line end, the text. */
#define SEVERAL "kota: several bases\n"

/* As many are kept: with each crossing there may be twice as many. */
#define BASES_MAX 8

void base_list_add(struct base_list *list, struct slice text)
{
	*MEM_ADD(list->list, list->count, list->cap) = text;
}

/* Takes the first of several from *rest; false where there is none. */
static bool base_list_take(struct slice *rest, struct slice *text)
{
	const char *end = memchr(rest->ptr, '\n', rest->len);
	size_t left = end ? (size_t)(rest->ptr + rest->len - end) - 1 : 0;
	char *behind;
	size_t len;

	if (!end || rest->ptr[0] < '0' || rest->ptr[0] > '9')
		return false;
	len = strtoul(rest->ptr, &behind, 10);
	if (behind != end || len > left)
		return false;
	*text = slice_make(end + 1, len);
	*rest = slice_make(end + 1 + len, left - len);
	return true;
}

void base_list_split(struct base_list *list, struct slice text)
{
	size_t before = list->count;
	struct slice rest = text;
	struct slice one;

	if (slice_starts(text, SEVERAL)) {
		rest = slice_make(text.ptr + strlen(SEVERAL), text.len - strlen(SEVERAL));
		while (base_list_take(&rest, &one))
			base_list_add(list, one);
	}
	if (list->count == before || rest.len > 0) {
		list->count = before;
		base_list_add(list, text);
	}
}

void base_list_join(struct base_list *list, struct str *out)
{
	size_t count = 0;

	if (list->count)
		qsort(list->list, list->count, sizeof *list->list, slice_compare_elements);
	for (size_t i = 0; i < list->count && count < BASES_MAX; i++) {
		if (count == 0 || !slice_equal(list->list[count - 1], list->list[i]))
			list->list[count++] = list->list[i];
	}
	str_clear(out);
	if (count == 1)
		str_add(out, list->list[0]);
	else
		str_adds(out, SEVERAL);
	for (size_t i = 0; count > 1 && i < count; i++) {
		str_printf(out, "%zu\n", list->list[i].len);
		str_add(out, list->list[i]);
	}
}

void base_list_release(struct base_list *list)
{
	free(list->list);
	*list = (struct base_list){0};
}
