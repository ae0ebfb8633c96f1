/*
 * Arguments of operations: any JSON bound to the parameters of every tool, from a
 * client and from the shell.
 */
#include "fuzz/fuzz.h"

#include "base/err.h"
#include "tools/registry.h"

static void check_refusal(const struct err *err)
{
	FUZZ_REQUIRE(err->code != ERR_NONE && err->code != ERR_INTERNAL, "a refusal has a code");
	fuzz_check_words(err->text);
}

static void bind(const struct tool *tool, bool shell, const struct json *doc)
{
	struct arena arena = {0};
	struct err err;
	void *args = arena_alloc(&arena, tool->args_size + 1);

	err_clear(&err);
	if (tool_bind_json(tool, shell, doc, JSON_ROOT, args, &arena, &err) != 0)
		check_refusal(&err);
	else
		FUZZ_REQUIRE(!fuzz_is_planted(doc->text), "the planted text is not bound");
	FUZZ_REQUIRE(((const char *)args)[tool->args_size] == 0, "binding stays in its struct");
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_fault fault;
	struct json doc;

	if (json_parse(&doc, fuzz_slice(data, size), &json_line_bounds, &fault) != 0)
		return 0;
	for (const struct tool *const *tool = tools_all(); *tool; tool++) {
		bind(*tool, false, &doc);
		bind(*tool, true, &doc);
	}
	json_release(&doc);
	return 0;
}
