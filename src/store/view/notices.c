#include "store/view/notices.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void notices_add(struct store *store, const char *format, ...)
{
	char text[ERR_TEXT_MAX];
	struct notices *notices = &store->notices;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	for (size_t i = 0; i < notices->count; i++)
		if (slice_is(slice_of(notices->items[i]), text))
			return;
	notices->items = mem_grow(notices->items, &notices->cap, notices->count + 1,
				  sizeof *notices->items);
	notices->items[notices->count++] = mem_strdup(text);
}

void notices_keep(struct store *store)
{
	store->notices.kept = store->notices.count;
}

void notices_take_remarks(struct store *store)
{
	struct str *remarks = &store->disk.remarks;
	char *rest = remarks->ptr;

	for (char *end; rest && (end = strchr(rest, '\n')) != NULL; rest = end + 1)
		notices_add(store, "%.*s", (int)(end - rest), rest);
	str_clear(remarks);
}

void notices_broken_file(struct store *store, const struct loaded *file)
{
	notices_add(store,
		    file->stands ? "%s; answers use its last readable text, and changes to it are "
				   "refused"
				 : "%s; its entries are left out until it is fixed",
		    file->error.text);
}

void notices_clear(struct store *store)
{
	struct notices *notices = &store->notices;

	while (notices->count > notices->kept)
		free(notices->items[--notices->count]);
}
