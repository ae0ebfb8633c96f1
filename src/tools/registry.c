#include "tools/registry.h"

static const struct tool *const table[] = {
	&tool_set,
	&tool_get,
	&tool_update,
	&tool_list,
	&tool_list_archived,
	&tool_delete,
	&tool_clear_state,
	&tool_save_conversation_notes,
	&tool_search,
	&tool_analyze,
	&tool_history,
	&tool_diff,
	&tool_blame,
	&tool_show,
	&tool_mv,
	&tool_prime,
	&tool_revert,
	&tool_undo,
	&tool_compact,
	&tool_export,
	&tool_import,
	&tool_migrate,
	&tool_maintain,
	&tool_stats,
	&tool_restore,
	&tool_gc,
	&tool_relate,
	&tool_promote,
	&tool_health,
	&tool_reinforce,
	&tool_optimize,
	&tool_consolidate,
	&tool_merge,
	NULL,
};

const struct tool *const *tools_all(void)
{
	return table;
}

/* What is left out looks after what is stored: that can be done from the shell. */
static const struct tool *const core[] = {
	&tool_set,
	&tool_get,
	&tool_update,
	&tool_list,
	&tool_list_archived,
	&tool_delete,
	&tool_clear_state,
	&tool_save_conversation_notes,
	&tool_search,
	&tool_history,
	NULL,
};

const struct tool *const *tools_core(void)
{
	return core;
}
