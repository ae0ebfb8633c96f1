#include "cli/render/render_internal.h"

/* What has faded, or would go, each on its line; the sentence that sums it up beside them. */
void render_gc(const struct view *view)
{
	view_add_each(view, "memory_ids",
		      view_is_true(view, "dry_run") ? "would archive" : "archived");
	view_add_text(view->notes, view, "message");
	str_addc(view->notes, '\n');
}

/* A sentence that says it all. */
void render_message(const struct view *view)
{
	view_add_text(view->out, view, "message");
	str_addc(view->out, '\n');
}

/* Each note that is made, or would be, and what could be one and is protected. */
void render_promote(const struct view *view)
{
	const char *verb = view_is_true(view, "dry_run") ? "would promote " : "promoted ";

	for (uint32_t n = view_first_of(view, JSON_ROOT, "candidates"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		bool made = json_member(view->reply, n, "promoted_to") != JSON_NONE;

		view_add_part(view->out, view, n, made ? verb : "left ", "id");
		if (!view_add_part(view->out, view, n, " to ", "promoted_to"))
			view_add_part(view->out, view, n, ": ", "protected");
		str_addc(view->out, '\n');
	}
	view_add_text(view->notes, view, "message");
	str_addc(view->notes, '\n');
}

/* What is in favour, and what could be passed on. */
void render_analyze(const struct view *view)
{
	static const char *const suggestions[] = {"suggested_query", "suggested_key",
						  "suggested_category"};

	view_add_text(view->out, view, "reasoning");
	str_addc(view->out, '\n');
	for (size_t i = 0; i < sizeof suggestions / sizeof *suggestions; i++) {
		if (view_member(view, suggestions[i]) == JSON_NONE)
			continue;
		str_printf(view->out, "%s: ", suggestions[i] + strlen("suggested_"));
		view_add_text(view->out, view, suggestions[i]);
		str_addc(view->out, '\n');
	}
}

/* ---- prime */

/* The text was made visible when it was put together. */
void render_prime(const struct view *view)
{
	STR_AUTO scratch = STR_INIT;

	str_add(view->out, view_text(view, "text", &scratch));
}
