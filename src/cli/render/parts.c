#include "cli/render/render_internal.h"

#include "json/write.h"
#include "base/time.h"
#include "base/utf8.h"

uint32_t view_member(const struct view *view, const char *name)
{
	return json_member(view->reply, JSON_ROOT, name);
}

struct slice view_text(const struct view *view, const char *name, struct str *scratch)
{
	uint32_t node = view_member(view, name);

	if (node == JSON_NONE)
		return slice_of(NULL);
	return json_string(view->reply, node, scratch);
}

struct slice view_text_of(const struct view *view, uint32_t object, const char *name,
			  struct str *scratch)
{
	uint32_t node = json_member(view->reply, object, name);

	if (node == JSON_NONE)
		return slice_of("");
	if (json_type(view->reply, node) == JSON_STRING)
		return json_string(view->reply, node, scratch);
	return json_text(view->reply, node);
}

int64_t view_number_of(const struct view *view, uint32_t object, const char *name)
{
	uint32_t node = json_member(view->reply, object, name);
	int64_t number = 0;

	if (node != JSON_NONE)
		json_int(view->reply, node, &number);
	return number;
}

uint32_t view_first_of(const struct view *view, uint32_t object, const char *name)
{
	uint32_t list = json_member(view->reply, object, name);

	return list == JSON_NONE ? JSON_NONE : json_first(view->reply, list);
}

bool view_is_true(const struct view *view, const char *name)
{
	uint32_t node = view_member(view, name);
	bool value = false;

	return node != JSON_NONE && json_bool(view->reply, node, &value) && value;
}

void view_add_text(struct str *out, const struct view *view, const char *name)
{
	STR_AUTO scratch = STR_INIT;

	utf8_add_visible(out, view_text(view, name, &scratch), false);
}

void view_add_list(struct str *out, const struct view *view, const char *name)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t list = view_member(view, name);

	if (list == JSON_NONE)
		return;
	for (uint32_t n = json_first(view->reply, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		if (n != json_first(view->reply, list))
			str_adds(out, ", ");
		utf8_add_visible(out, json_string(view->reply, n, &scratch), false);
	}
}

void view_add_age(struct str *out, const struct view *view, const char *name)
{
	STR_AUTO scratch = STR_INIT;
	char age[TIMESTAMP_SIZE];
	int64_t ms;

	if (!timestamp_parse(view_text(view, name, &scratch), false, &ms))
		return;
	timestamp_age(ms, view->now_ms, age);
	str_adds(out, age);
}

void view_add_json(struct str *out, const struct view *view, uint32_t node)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w;

	json_writer_init(&w, &text, &json_pretty);
	json_write_value(&w, view->reply, node);
	paint_add_json(out, view->cli, str_slice(&text));
	str_addc(out, '\n');
}

bool view_add_part(struct str *out, const struct view *view, uint32_t element, const char *before,
		   const char *name)
{
	uint32_t node = json_member(view->reply, element, name);
	STR_AUTO scratch = STR_INIT;

	if (node == JSON_NONE)
		return false;
	str_adds(out, before);
	utf8_add_visible(out, json_string(view->reply, node, &scratch), false);
	return true;
}

size_t view_add_each(const struct view *view, const char *name, const char *verb)
{
	uint32_t list = view_member(view, name);
	STR_AUTO scratch = STR_INIT;
	size_t count = 0;

	if (list == JSON_NONE)
		return 0;
	for (uint32_t n = json_first(view->reply, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		str_printf(view->out, "%s ", verb);
		utf8_add_visible(view->out, json_string(view->reply, n, &scratch), false);
		str_addc(view->out, '\n');
		count++;
	}
	return count;
}
