#include "merge/merge_docs.h"

#include "base/mem.h"

#include <stdlib.h>

struct versions merge_docs_roots(const struct merge_docs *docs, struct arena *arena)
{
	struct part *bases = arena_alloc(arena, docs->count * sizeof *bases);

	for (size_t i = 0; i < docs->count; i++)
		bases[i] = part_root(&docs->bases[i]);
	return (struct versions){bases, docs->count, part_root(&docs->a), part_root(&docs->b),
				 docs->favored};
}

struct merge_conflict *merge_report_add(struct merge_report *report)
{
	struct merge_conflict *conflict = MEM_ADD(report->conflicts, report->count, report->cap);

	*conflict = (struct merge_conflict){0};
	return conflict;
}

void merge_report_release(struct merge_report *report)
{
	free(report->conflicts);
	arena_release(&report->arena);
	*report = (struct merge_report){0};
}
