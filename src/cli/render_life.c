#include "base/utf8.h"
#include "cli/render_internal.h"

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
