#include "cli/report/page.h"

/* The arguments of a question, as JSON. */
static void add_arguments(const struct page *page, enum page_question question, struct str *out)
{
	switch (question) {
	case PAGE_PAIRS:
		str_printf(out, "{\"check\":\"duplicates\",\"threshold\":%.17g,\"limit\":%d}",
			   page->settings.cluster_threshold, PAGE_EDGES_MAX);
		return;
	case PAGE_CLUSTERS:
		str_printf(out, "{\"check\":\"clusters\",\"limit\":%d}", PAGE_GROUPS_MAX);
		return;
	case PAGE_PROMOTABLE:
		str_adds(out, "{\"check\":\"promotable\",\"limit\":1}");
		return;
	default:
		str_adds(out, "{}");
	}
}

static void ask(struct page *page, enum page_question question)
{
	const struct tool *tool = tool_find_command(page->tools, slice_of("health"));
	const struct call call = {
		.store = page->store,
		.now_ms = page->now_ms,
		.tool = "memory_health",
		.arena = page->arena,
	};
	STR_AUTO arguments = STR_INIT;
	STR_AUTO reply = STR_INIT;
	struct json_fault fault;
	struct err ignored;
	struct json given;

	add_arguments(page, question, &arguments);
	if (!tool || json_parse(&given, str_slice(&arguments), &json_line_bounds, &fault) != 0)
		return;
	if (tool_run(tool, &call, &given, JSON_ROOT, &reply, &ignored) == 0 &&
	    json_parse(&page->replies[question], arena_copy(page->arena, str_slice(&reply)),
		       &json_file_bounds, &fault) != 0)
		page->replies[question] = (struct json){0};
	json_release(&given);
}

void page_ask_all(struct page *page)
{
	for (int q = 0; q < PAGE_QUESTION_COUNT; q++)
		ask(page, (enum page_question)q);
}

bool page_knows(const struct page *page, enum page_question question)
{
	return page->replies[question].count > 0;
}

static uint32_t member_of(const struct page *page, enum page_question question, uint32_t object,
			  const char *name)
{
	return page_knows(page, question) ? json_member(&page->replies[question], object, name)
					  : JSON_NONE;
}

int64_t page_reply_int(const struct page *page, enum page_question question, uint32_t object,
		       const char *name)
{
	uint32_t node = member_of(page, question, object, name);
	int64_t number;

	return node != JSON_NONE && json_int(&page->replies[question], node, &number) ? number : 0;
}

double page_reply_number(const struct page *page, enum page_question question, uint32_t object,
			 const char *name)
{
	uint32_t node = member_of(page, question, object, name);
	double number;

	return node != JSON_NONE && json_double(&page->replies[question], node, &number) ? number
											 : 0;
}

struct slice page_reply_text(const struct page *page, enum page_question question, uint32_t object,
			     const char *name)
{
	uint32_t node = member_of(page, question, object, name);
	STR_AUTO scratch = STR_INIT;

	if (node == JSON_NONE)
		return slice_of(NULL);
	return arena_copy(page->arena, json_string(&page->replies[question], node, &scratch));
}

uint32_t page_reply_first(const struct page *page, enum page_question question, const char *list)
{
	uint32_t node = member_of(page, question, JSON_ROOT, list);

	return node == JSON_NONE ? JSON_NONE : json_first(&page->replies[question], node);
}
