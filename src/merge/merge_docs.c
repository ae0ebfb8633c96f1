#include "merge/merge_docs.h"

#include "base/mem.h"

#include <stdlib.h>

static bool docs_is_blank(struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (!strchr(" \t\r\n", text.ptr[i]) || text.ptr[i] == '\0')
			return false;
	}
	return true;
}

static int docs_parse(struct canon *out, struct slice text, const char *whose, struct err *err)
{
	struct json_fault fault;

	if (canon_parse(out, docs_is_blank(text) ? slice_of("{}\n") : text, &fault) != 0)
		return err_set(err, ERR_BAD_DATA, "%s:%u:%u: %s", whose, fault.line, fault.column,
			       fault.what);
	if (!part_is(part_root(out), JSON_OBJECT)) {
		canon_release(out);
		return err_set(err, ERR_BAD_DATA, "%s:1:1: the file must be an object, in { and }",
			       whose);
	}
	return 0;
}

/* An empty file where there were entries is a slip: {} says that all are to go. */
static int docs_check_side(const struct merge_texts *texts, struct slice side, const char *whose,
			   struct err *err)
{
	for (size_t i = 0; side.ptr && docs_is_blank(side) && i < texts->base_count; i++) {
		if (!docs_is_blank(texts->bases[i]))
			return err_set(err, ERR_BAD_DATA,
				       "%s:1:1: the file is empty; {} is one without entries",
				       whose);
	}
	return 0;
}

int merge_docs_open(struct merge_docs *out, const struct merge_texts *texts, struct err *err)
{
	struct merge_docs docs = {.count = texts->base_count};
	int result;

	if (docs_check_side(texts, texts->ours, "ours", err) != 0 ||
	    docs_check_side(texts, texts->theirs, "theirs", err) != 0)
		return -1;
	docs.bases = mem_zalloc(texts->base_count, sizeof *docs.bases);
	result = docs_parse(&docs.a, texts->ours, "ours", err);
	if (result == 0)
		result = docs_parse(&docs.b, texts->theirs, "theirs", err);
	for (size_t i = 0; result == 0 && i < texts->base_count; i++)
		result = docs_parse(&docs.bases[i], texts->bases[i], "the base", err);
	if (result != 0) {
		merge_docs_release(&docs);
		return -1;
	}
	*out = docs;
	return 0;
}

void merge_docs_release(struct merge_docs *docs)
{
	for (size_t i = 0; i < docs->count; i++)
		canon_release(&docs->bases[i]);
	free(docs->bases);
	canon_release(&docs->a);
	canon_release(&docs->b);
	*docs = (struct merge_docs){0};
}

struct versions merge_docs_roots(const struct merge_docs *docs, struct arena *arena)
{
	struct part *bases = arena_alloc(arena, docs->count * sizeof *bases);

	for (size_t i = 0; i < docs->count; i++)
		bases[i] = part_root(&docs->bases[i]);
	return (struct versions){bases, docs->count, part_root(&docs->a), part_root(&docs->b)};
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
