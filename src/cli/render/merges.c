/* What becomes one, or could: merge, optimize, consolidate. */
#include "base/utf8.h"
#include "cli/render/render_internal.h"

#include <inttypes.h>
#include <string.h>

/* "a + b", of a list in the element; false when there is none. */
static bool add_refs(const struct view *view, uint32_t element, const char *name)
{
	uint32_t first = view_first_of(view, element, name);

	for (uint32_t n = first; n != JSON_NONE; n = json_next(view->reply, n)) {
		STR_AUTO scratch = STR_INIT;

		str_adds(view->out, n == first ? "" : " + ");
		utf8_add_visible(view->out, json_string(view->reply, n, &scratch), false);
	}
	return first != JSON_NONE;
}

#define REVIEW "review"

/* "would merge a + b -> a: why"; what somebody has to look at leads nowhere yet. */
static void add_line(const struct view *view, uint32_t element, const char *verb, const char *refs)
{
	str_printf(view->out, "%s ", verb);
	add_refs(view, element, refs);
	if (strcmp(verb, REVIEW) != 0)
		view_add_part(view->out, view, element, " -> ", "new_memory_id");
	view_add_part(view->out, view, element, ": ", "reason");
	str_addc(view->out, '\n');
}

static void add_lines(const struct view *view, const char *list, const char *verb, const char *refs)
{
	for (uint32_t n = view_first_of(view, JSON_ROOT, list); n != JSON_NONE;
	     n = json_next(view->reply, n))
		add_line(view, n, verb, refs);
}

static void add_left_out(const struct view *view)
{
	for (uint32_t n = view_first_of(view, JSON_ROOT, "left_out"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		view_add_part(view->notes, view, n, "left out ", "ref");
		view_add_part(view->notes, view, n, ": ", "reason");
		str_addc(view->notes, '\n');
	}
}

/* ---- merge */

static void add_conflicts(const struct view *view, uint32_t element)
{
	for (uint32_t n = view_first_of(view, element, "conflicts"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		str_adds(view->out, "  contradict each other: ");
		add_refs(view, n, "refs");
		view_add_part(view->out, view, n, ": ", "reason");
		str_addc(view->out, '\n');
	}
}

static void add_preview(const struct view *view, uint32_t element)
{
	STR_AUTO scratch = STR_INIT;
	struct slice action = view_text_of(view, element, "action", &scratch);

	add_line(view, element, slice_is(action, "merge") ? "would merge" : REVIEW, "refs");
	view_add_part(view->out, view, element, "  ", "merged_content_preview");
	if (json_member(view->reply, element, "merged_content_preview") != JSON_NONE)
		str_addc(view->out, '\n');
	add_conflicts(view, element);
}

void render_merge(const struct view *view)
{
	STR_AUTO scratch = STR_INIT;
	bool preview = slice_is(view_text(view, "mode", &scratch), "preview");

	for (uint32_t n = view_first_of(view, JSON_ROOT, "previews"); n != JSON_NONE;
	     n = json_next(view->reply, n))
		add_preview(view, n);
	add_lines(view, "merges", "merged", "source_ids");
	add_lines(view, "candidates", REVIEW, "refs");
	add_conflicts(view, JSON_ROOT);
	add_left_out(view);
	if (view_member(view, "message") != JSON_NONE) {
		view_add_text(view->notes, view, "message");
		str_addc(view->notes, '\n');
	} else if (preview) {
		str_adds(view->notes, view_first_of(view, JSON_ROOT, "previews") == JSON_NONE
					      ? "nothing is alike enough\n"
					      : "nothing of this is done yet\n");
	}
}

/* ---- optimize */

static const char *verb_of(const struct view *view, struct slice action)
{
	bool dry_run = view_is_true(view, "dry_run");

	if (slice_is(action, "merge"))
		return dry_run ? "would merge" : "merged";
	if (slice_is(action, "archive"))
		return dry_run ? "would archive" : "archived";
	return REVIEW;
}

void render_optimize(const struct view *view)
{
	uint32_t results = view_member(view, "results");
	STR_AUTO scratch = STR_INIT;
	uint32_t first = results == JSON_NONE ? JSON_NONE
					      : view_first_of(view, results, "actions_taken");

	for (uint32_t n = first; n != JSON_NONE; n = json_next(view->reply, n))
		add_line(view, n, verb_of(view, view_text_of(view, n, "action", &scratch)),
			 "memory_ids");
	add_left_out(view);
	if (first == JSON_NONE)
		str_adds(view->notes, "nothing to do\n");
	for (uint32_t n = view_first_of(view, JSON_ROOT, "suggestions"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		utf8_add_visible(view->notes, json_string(view->reply, n, &scratch), false);
		str_addc(view->notes, '\n');
	}
}

/* ---- consolidate */

static void add_patterns(const struct view *view)
{
	const char *verb = view_is_true(view, "dry_run") ? "would save " : "saved ";

	for (uint32_t n = view_first_of(view, JSON_ROOT, "new_patterns"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		view_add_part(view->out, view, n, verb, "pattern_id");
		view_add_part(view->out, view, n, ": ", "description");
		str_addc(view->out, '\n');
	}
}

static void add_count(const struct view *view, const char *name, const char *words)
{
	str_printf(view->notes, "%" PRId64 " %s", view_number_of(view, JSON_ROOT, name), words);
}

void render_consolidate(const struct view *view)
{
	bool dry_run = view_is_true(view, "dry_run");
	uint32_t drift = view_member(view, "drift");

	add_lines(view, "merged", dry_run ? "would merge" : "merged", "memory_ids");
	view_add_each(view, "pruned", dry_run ? "would archive" : "archived");
	add_patterns(view);
	add_lines(view, "candidates", REVIEW, "memory_ids");
	add_left_out(view);
	add_count(view, "merged_count", "merged, ");
	add_count(view, "pruned_count", "archived, ");
	add_count(view, "relations_created", "linked; ");
	add_count(view, "final_memory_count", dry_run ? "would remain" : "remain");
	if (drift != JSON_NONE)
		view_add_part(view->notes, view, drift, "; drift: ", "level");
	str_adds(view->notes, dry_run ? "; nothing of this is done yet\n" : "\n");
}
