/*
 * What looking after a store has done: maintain, compact; what went out and came in; what becomes
 * one, or could: merge, optimize, consolidate.
 */
#include "base/utf8.h"
#include "cli/render/render_internal.h"

#include <inttypes.h>
#include <string.h>

/* ---- maintain */

/* "archive state:a (its score ...)", a line for each; returns how many. */
static size_t add_actions(const struct view *view, uint32_t object)
{
	size_t count = 0;

	for (uint32_t n = view_first_of(view, object, "actions"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		view_add_part(view->out, view, n, "", "do");
		view_add_part(view->out, view, n, " ", "ref");
		for (uint32_t with = view_first_of(view, n, "with"); with != JSON_NONE;
		     with = json_next(view->reply, with)) {
			STR_AUTO scratch = STR_INIT;

			str_adds(view->out, " + ");
			utf8_add_visible(view->out, json_string(view->reply, with, &scratch),
					 false);
		}
		view_add_part(view->out, view, n, " -> ", "to");
		view_add_part(view->out, view, n, " -> ", "note");
		view_add_part(view->out, view, n, ": ", "because");
		str_addc(view->out, '\n');
		count++;
	}
	return count;
}

static void add_left_out(const struct view *view, const char *list, const char *name)
{
	for (uint32_t n = view_first_of(view, JSON_ROOT, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		str_adds(view->notes, "left out ");
		view_add_part(view->notes, view, n, "", name);
		view_add_part(view->notes, view, n, ": ", "reason");
		str_addc(view->notes, '\n');
	}
}

/* What somebody should look at, beside what was done. */
static void add_counts(const struct view *view, uint32_t step)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct slice skipped = view_text_of(view, step, "skipped", &scratch);

	static const struct {
		const char *name;
		const char *words;
		const char *check;
	} counts[] = {
		{"at_risk_count", "fading", "decay"},
		{"clusters_found", "groups of entries that are alike", "clusters"},
		{"candidate_count", "pairs that are nearly alike", "duplicates"},
	};

	if (skipped.len > 0) {
		str_add(view->notes, json_name(view->reply, step, &name));
		str_adds(view->notes, " is left out: ");
		utf8_add_visible(view->notes, skipped, false);
		str_addc(view->notes, '\n');
	}
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		int64_t number = view_number_of(view, step, counts[i].name);

		if (number > 0)
			str_printf(view->notes, "%s: %" PRId64 ", see kota health %s\n",
				   counts[i].words, number, counts[i].check);
	}
}

void render_maintain(const struct view *view)
{
	size_t count = add_actions(view, JSON_ROOT);

	for (uint32_t n = json_first(view->reply, JSON_ROOT); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		if (json_type(view->reply, n) != JSON_OBJECT)
			continue;
		count += add_actions(view, n);
		add_counts(view, n);
	}
	add_left_out(view, "left_out", "ref");
	if (view_member(view, "skipped") != JSON_NONE) {
		view_add_text(view->notes, view, "skipped");
		view_add_part(view->notes, view, JSON_ROOT, "; next run ", "next_run");
		str_addc(view->notes, '\n');
	} else if (count == 0) {
		str_adds(view->notes, "nothing to do\n");
	} else if (view_is_true(view, "dry_run")) {
		str_adds(view->notes, "Dry run; re-run without --dry-run\n");
	}
}

/* ---- compact */

static void add_sizes(const struct view *view, const char *words, uint32_t object)
{
	str_printf(view->out, "%-13s %10" PRId64 " -> %" PRId64 " bytes\n", words,
		   view_number_of(view, object, "bytes_before"),
		   view_number_of(view, object, "bytes_after"));
}

void render_compact(const struct view *view)
{
	add_sizes(view, "usage.jsonl", view_member(view, "usage"));
	add_sizes(view, "cold archive", view_member(view, "cold"));
	if (view_member(view, "history_left") == JSON_NONE) {
		add_sizes(view, "history", view_member(view, "history"));
		return;
	}
	str_adds(view->notes, "the history is left as it is: ");
	view_add_text(view->notes, view, "history_left");
	str_addc(view->notes, '\n');
}

/* ---- export, import, migrate */

static void note_each(const struct view *view, const char *list)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t n = view_first_of(view, JSON_ROOT, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		utf8_add_visible(view->notes, json_string(view->reply, n, &scratch), false);
		str_addc(view->notes, '\n');
	}
}

/* On a terminal nothing acts, or hides; JSON stays what it says. */
static void show_export(const struct view *view, struct slice text, bool is_json)
{
	struct slice line;

	while (slice_line(&text, &line)) {
		if (is_json)
			utf8_add_visible_json(view->out, line);
		else
			utf8_add_visible(view->out, line, true);
		str_addc(view->out, '\n');
	}
}

/* What was written is for other programs: but for a terminal it goes out as it is. */
void render_export(const struct view *view)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO format = STR_INIT;
	struct slice text = view_text(view, "text", &scratch);

	if (view->cli->out_is_terminal)
		show_export(view, text, !slice_is(view_text(view, "format", &format), "markdown"));
	else
		str_add(view->out, text);
	note_each(view, "missing");
	note_each(view, "lost");
}

/* "3 archive records" */
static void add_number(const struct view *view, const char *name, const char *words)
{
	int64_t count = view_number_of(view, JSON_ROOT, name);

	if (count > 0)
		str_printf(view->out, "%s %" PRId64 " %s%s\n",
			   view_is_true(view, "dry_run") ? "would add" : "added", count, words,
			   count == 1 ? "" : "s");
}

/* So many of what is left are named one by one. */
#define LEFT_NAMED 20

/* What is there already needs no line of its own. */
static void note_left(const struct view *view)
{
	STR_AUTO scratch = STR_INIT;
	size_t count = 0;

	for (uint32_t n = view_first_of(view, JSON_ROOT, "left"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		struct slice fate = view_text_of(view, n, "fate", &scratch);

		if (slice_is(fate, "there") || ++count > LEFT_NAMED)
			continue;
		str_adds(view->notes, slice_is(fate, "conflict") ? "kept ours: " : "refused: ");
		view_add_part(view->notes, view, n, "", "name");
		view_add_part(view->notes, view, n, ": ", "reason");
		str_addc(view->notes, '\n');
	}
	if (count > LEFT_NAMED)
		str_printf(view->notes, "and %zu more, which --json names\n", count - LEFT_NAMED);
}

static void note_unread(const struct view *view)
{
	if (view_member(view, "unread") == JSON_NONE)
		return;
	str_adds(view->notes, "not read: ");
	view_add_list(view->notes, view, "unread");
	str_addc(view->notes, '\n');
}

/* ": 2 there already, 1 refused" */
static void add_fates(const struct view *view)
{
	static const struct {
		const char *name;
		const char *words;
	} fates[] = {{"there", "there already"},
		     {"conflicts", "with another value here"},
		     {"refused", "refused"}};
	const char *before = ": ";

	for (size_t i = 0; i < sizeof fates / sizeof *fates; i++) {
		int64_t count = view_number_of(view, JSON_ROOT, fates[i].name);

		if (count == 0)
			continue;
		str_printf(view->out, "%s%" PRId64 " %s", before, count, fates[i].words);
		before = ", ";
	}
}

void render_import(const struct view *view)
{
	bool dry = view_is_true(view, "dry_run");

	view_add_each(view, "added", dry ? "would add" : "added");
	view_add_each(view, "replaced", dry ? "would replace" : "replaced");
	add_number(view, "records", "archive record");
	add_number(view, "links", "link");
	note_left(view);
	note_unread(view);
	str_printf(view->out, "%s %" PRId64 " of %" PRId64, dry ? "would take" : "took",
		   view_number_of(view, JSON_ROOT, "migrated"),
		   view_number_of(view, JSON_ROOT, "total"));
	add_fates(view);
	str_addc(view->out, '\n');
	if (dry && view_number_of(view, JSON_ROOT, "migrated") > 0)
		str_adds(view->notes, "Dry run; re-run with --yes\n");
	if (dry && view_number_of(view, JSON_ROOT, "conflicts") > 0)
		str_adds(view->notes, "what is here stays; --replace takes the other value, and "
				      "archives the one that is here\n");
}

void render_migrate(const struct view *view)
{
	str_printf(view->out, "%s %" PRId64 " of %" PRId64 "\n",
		   view_is_true(view, "dry_run") ? "would take over" : "took over",
		   view_number_of(view, JSON_ROOT, "migrated"),
		   view_number_of(view, JSON_ROOT, "total"));
	add_left_out(view, "left", "name");
	note_unread(view);
}

/* What becomes one, or could: merge, optimize, consolidate. */

/* "a + b", of a list in the element; false when there is none. */
static bool render_maintain_add_refs(const struct view *view, uint32_t element, const char *name)
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
static void render_maintain_add_line(const struct view *view, uint32_t element, const char *verb,
				     const char *refs)
{
	str_printf(view->out, "%s ", verb);
	render_maintain_add_refs(view, element, refs);
	if (strcmp(verb, REVIEW) != 0)
		view_add_part(view->out, view, element, " -> ", "new_memory_id");
	view_add_part(view->out, view, element, ": ", "reason");
	str_addc(view->out, '\n');
}

static void render_maintain_add_lines(const struct view *view, const char *list, const char *verb,
				      const char *refs)
{
	for (uint32_t n = view_first_of(view, JSON_ROOT, list); n != JSON_NONE;
	     n = json_next(view->reply, n))
		render_maintain_add_line(view, n, verb, refs);
}

/* ---- merge */

static void add_conflicts(const struct view *view, uint32_t element)
{
	for (uint32_t n = view_first_of(view, element, "conflicts"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		str_adds(view->out, "  contradict each other: ");
		render_maintain_add_refs(view, n, "refs");
		view_add_part(view->out, view, n, ": ", "reason");
		str_addc(view->out, '\n');
	}
}

static void add_preview(const struct view *view, uint32_t element)
{
	STR_AUTO scratch = STR_INIT;
	struct slice action = view_text_of(view, element, "action", &scratch);

	render_maintain_add_line(view, element, slice_is(action, "merge") ? "would merge" : REVIEW,
				 "refs");
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
	render_maintain_add_lines(view, "merges", "merged", "source_ids");
	render_maintain_add_lines(view, "candidates", REVIEW, "refs");
	add_conflicts(view, JSON_ROOT);
	add_left_out(view, "left_out", "ref");
	if (view_member(view, "message") != JSON_NONE) {
		view_add_text(view->notes, view, "message");
		str_addc(view->notes, '\n');
	} else if (preview) {
		str_adds(view->notes, view_first_of(view, JSON_ROOT, "previews") == JSON_NONE
					      ? "nothing is similar enough\n"
					      : "Dry run; re-run with --mode apply\n");
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
		render_maintain_add_line(view, n,
					 verb_of(view, view_text_of(view, n, "action", &scratch)),
					 "memory_ids");
	add_left_out(view, "left_out", "ref");
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

	render_maintain_add_lines(view, "merged", dry_run ? "would merge" : "merged", "memory_ids");
	view_add_each(view, "pruned", dry_run ? "would archive" : "archived");
	add_patterns(view);
	render_maintain_add_lines(view, "candidates", REVIEW, "memory_ids");
	add_left_out(view, "left_out", "ref");
	add_count(view, "merged_count", "merged, ");
	add_count(view, "pruned_count", "archived, ");
	add_count(view, "relations_created", "linked; ");
	add_count(view, "final_memory_count", dry_run ? "would remain" : "remain");
	if (drift != JSON_NONE)
		view_add_part(view->notes, view, drift, "; drift: ", "level");
	str_adds(view->notes, dry_run ? "; dry run, re-run with --no-dry-run\n" : "\n");
}
