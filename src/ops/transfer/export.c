#include "ops/transfer/export.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>

void export_lose(struct export *export, const char *format, ...)
{
	char sentence[ERR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof sentence, format, args);
	va_end(args);
	export->lost = mem_grow(export->lost, &export->lost_cap, export->lost_count + 1,
				sizeof *export->lost);
	export->lost[export->lost_count++] =
		arena_copy(export->call->arena, slice_of(sentence)).ptr;
}

bool export_has_link(const struct export *export, const struct link *link)
{
	return whole_has_end(export->whole, link->from) && whole_has_end(export->whole, link->to);
}

void export_lose_links(struct export *export)
{
	size_t lost = 0;

	for (size_t i = 0; i < export->whole->link_count; i++)
		lost += !export_has_link(export, &export->whole->links[i]);
	if (lost > 0)
		export_lose(export, "not in it: %zu %s, of which an entry is not in it either",
			    lost, lost == 1 ? "link" : "links");
}
