#include "tools/registry.h"

#define ROW(name, offered) &tool_##name,
#define CORE_ROW(name, offered) CORE_ROW_##offered(name)
#define CORE_ROW_CORE(name) &tool_##name,
#define CORE_ROW_REST(name)

static const struct tool *const tools[] = {TOOLS(ROW) NULL};
static const struct tool *const core_tools[] = {TOOLS(CORE_ROW) NULL};

const struct tool *const *tools_all(void)
{
	return tools;
}

const struct tool *const *tools_core(void)
{
	return core_tools;
}
