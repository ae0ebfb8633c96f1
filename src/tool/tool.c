#include "tool/tool.h"

#include <assert.h>

const struct tool *tool_find(const struct tool *const *tools, struct slice name)
{
	for (; *tools; tools++) {
		if (slice_is(name, (*tools)->name))
			return *tools;
	}
	return NULL;
}

const struct tool *tool_find_command(const struct tool *const *tools, struct slice command)
{
	for (; *tools; tools++) {
		if (slice_is(command, (*tools)->command))
			return *tools;
	}
	return NULL;
}

int tool_run(const struct tool *tool, const struct call *call, const struct json *doc,
	     uint32_t arguments, struct str *out, struct err *err)
{
	void *args = arena_alloc(call->arena, tool->args_size + 1);
	STR_AUTO warning = STR_INIT;
	struct call with_warning = *call;
	size_t before = out->len;

	with_warning.warning = &warning;
	if ((tool->screen && doc && tool->screen(tool, &with_warning, doc, arguments, err) != 0) ||
	    tool_bind_json(tool, call->shell, doc, arguments, args, call->arena, err) != 0)
		return -1;
	struct json_writer w = json_writer_to(out, &json_compact);
	if (tool->run(&with_warning, args, &w, err) != 0) {
		str_truncate(out, before);
		return -1;
	}
	assert(w.depth == 0);
	return 0;
}
