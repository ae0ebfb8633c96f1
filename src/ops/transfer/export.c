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
