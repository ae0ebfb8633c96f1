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

/* A text member of an element, made visible; false when there is none. */
static bool add_part(const struct view *view, uint32_t element, const char *before,
		     const char *name)
{
	uint32_t node = json_member(view->reply, element, name);
	STR_AUTO scratch = STR_INIT;

	if (node == JSON_NONE)
		return false;
	str_adds(view->out, before);
	utf8_add_visible(view->out, json_string(view->reply, node, &scratch), false);
	return true;
}

/* Each note that is made, or would be, and what could be one and is protected. */
void render_promote(const struct view *view)
{
	const char *verb = view_is_true(view, "dry_run") ? "would promote " : "promoted ";
	uint32_t list = view_member(view, "candidates");

	for (uint32_t n = list == JSON_NONE ? JSON_NONE : json_first(view->reply, list);
	     n != JSON_NONE; n = json_next(view->reply, n)) {
		bool made = json_member(view->reply, n, "promoted_to") != JSON_NONE;

		add_part(view, n, made ? verb : "left ", "id");
		if (!add_part(view, n, " to ", "promoted_to"))
			add_part(view, n, ": ", "protected");
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
