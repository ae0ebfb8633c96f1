/* What looking after a store has done: maintain, compact, migrate. */
#include "base/utf8.h"
#include "cli/render_internal.h"

#include <inttypes.h>

/* A text member of an element, made visible, with something before it; nothing when absent. */
static void add_part(const struct view *view, struct str *out, uint32_t element, const char *before,
		     const char *name)
{
	uint32_t node = json_member(view->reply, element, name);
	STR_AUTO scratch = STR_INIT;

	if (node == JSON_NONE)
		return;
	str_adds(out, before);
	utf8_add_visible(out, json_string(view->reply, node, &scratch), false);
}

static uint32_t first_of(const struct view *view, uint32_t object, const char *name)
{
	uint32_t list = json_member(view->reply, object, name);

	return list == JSON_NONE ? JSON_NONE : json_first(view->reply, list);
}

static int64_t number_of(const struct view *view, uint32_t object, const char *name)
{
	uint32_t node = json_member(view->reply, object, name);
	int64_t number = 0;

	if (node != JSON_NONE)
		json_int(view->reply, node, &number);
	return number;
}

/* ---- maintain */

/* "archive state:a (its score ...)", a line for each; returns how many. */
static size_t add_actions(const struct view *view, uint32_t object)
{
	size_t count = 0;

	for (uint32_t n = first_of(view, object, "actions"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		add_part(view, view->out, n, "", "do");
		add_part(view, view->out, n, " ", "ref");
		for (uint32_t with = first_of(view, n, "with"); with != JSON_NONE;
		     with = json_next(view->reply, with)) {
			STR_AUTO scratch = STR_INIT;

			str_adds(view->out, " + ");
			utf8_add_visible(view->out, json_string(view->reply, with, &scratch),
					 false);
		}
		add_part(view, view->out, n, " -> ", "to");
		add_part(view, view->out, n, " -> ", "note");
		add_part(view, view->out, n, ": ", "because");
		str_addc(view->out, '\n');
		count++;
	}
	return count;
}

static void add_left_out(const struct view *view, const char *list, const char *name)
{
	for (uint32_t n = first_of(view, JSON_ROOT, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		str_adds(view->notes, "left out ");
		add_part(view, view->notes, n, "", name);
		add_part(view, view->notes, n, ": ", "reason");
		str_addc(view->notes, '\n');
	}
}

/* What somebody should look at, beside what was done. */
static void add_counts(const struct view *view, uint32_t step)
{
	static const struct {
		const char *name;
		const char *words;
	} counts[] = {
		{"at_risk_count", "fading, see kota health decay"},
		{"clusters_found", "groups of entries that are alike, see kota health clusters"},
		{"candidate_count", "pairs that are nearly alike, see kota health duplicates"},
	};

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		int64_t number = number_of(view, step, counts[i].name);

		if (number > 0)
			str_printf(view->notes, "%" PRId64 " %s\n", number, counts[i].words);
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
		add_part(view, view->notes, JSON_ROOT, "; next run ", "next_run");
		str_addc(view->notes, '\n');
	} else if (count == 0) {
		str_adds(view->notes, "nothing to do\n");
	} else if (view_is_true(view, "dry_run")) {
		str_adds(view->notes, "nothing of this is done yet\n");
	}
}

/* ---- compact */

static void add_sizes(const struct view *view, const char *words, uint32_t object)
{
	str_printf(view->out, "%-13s %10" PRId64 " -> %" PRId64 " bytes\n", words,
		   number_of(view, object, "bytes_before"), number_of(view, object, "bytes_after"));
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

/* ---- migrate */

void render_migrate(const struct view *view)
{
	str_printf(view->out, "%s %" PRId64 " of %" PRId64 "\n",
		   view_is_true(view, "dry_run") ? "would take over" : "took over",
		   number_of(view, JSON_ROOT, "migrated"), number_of(view, JSON_ROOT, "total"));
	add_left_out(view, "left", "name");
	if (view_member(view, "unread") == JSON_NONE)
		return;
	str_adds(view->notes, "not read: ");
	view_add_list(view->notes, view, "unread");
	str_addc(view->notes, '\n');
}
