/*
 * The table of operations: one row a tool, one file a tool.
 *
 * Adding an operation: its file here, its row in registry.c, its test, its line in the Makefile,
 * and the generated pages. Who may include this: the protocol (src/mcp) and the shell (src/cli).
 */
#ifndef KOTA_TOOLS_REGISTRY_H
#define KOTA_TOOLS_REGISTRY_H

#include "tool/tool.h"

/* All operations that work on a store, in the order in which clients list them; ended by NULL. */
const struct tool *const *tools_all(void);

/*
 * The few that keep and find memories, and say what has changed: for clients that are to be offered
 * no more than that.
 */
const struct tool *const *tools_core(void);

/* The rows of the table, each defined in its own file. */
extern const struct tool tool_set;
extern const struct tool tool_get;
extern const struct tool tool_update;
extern const struct tool tool_list;
extern const struct tool tool_list_archived;
extern const struct tool tool_delete;
extern const struct tool tool_clear_state;
extern const struct tool tool_save_conversation_notes;
extern const struct tool tool_search;
extern const struct tool tool_analyze;
extern const struct tool tool_history;
extern const struct tool tool_consolidate;
extern const struct tool tool_merge;
extern const struct tool tool_optimize;
extern const struct tool tool_diff;
extern const struct tool tool_blame;
extern const struct tool tool_show;
extern const struct tool tool_mv;
extern const struct tool tool_prime;
extern const struct tool tool_revert;
extern const struct tool tool_undo;
extern const struct tool tool_compact;
extern const struct tool tool_export;
extern const struct tool tool_import;
extern const struct tool tool_migrate;
extern const struct tool tool_maintain;
extern const struct tool tool_stats;
extern const struct tool tool_restore;
extern const struct tool tool_gc;
extern const struct tool tool_relate;
extern const struct tool tool_promote;
extern const struct tool tool_health;
extern const struct tool tool_reinforce;

/* Parts of reply schemas. */
#define SCHEMA_STRING "{\"type\":\"string\"}"
#define SCHEMA_BOOLEAN "{\"type\":\"boolean\"}"
#define SCHEMA_INTEGER "{\"type\":\"integer\"}"
#define SCHEMA_NUMBER "{\"type\":\"number\"}"
#define SCHEMA_STRINGS "{\"type\":\"array\",\"items\":" SCHEMA_STRING "}"
#define SCHEMA_WARNINGS "\"warnings\":" SCHEMA_STRINGS
#define SCHEMA_EVICTED "\"evicted\":" SCHEMA_STRINGS

/* What common_write_entry() writes. */
#define SCHEMA_ENTRY                                                                               \
	"\"key\":" SCHEMA_STRING ",\"category\":" SCHEMA_STRING ",\"created_at\":" SCHEMA_STRING   \
	",\"last_updated\":" SCHEMA_STRING
#define SCHEMA_ENTRY_NAMES "\"key\",\"category\",\"created_at\",\"last_updated\""

/* The headings under which the shell's help lists operations and commands, in this order. */
#define SECTION_MEMORIES "Memories"
#define SECTION_CHANGES "What changed, and back"
#define SECTION_UPKEEP "Looking after them"
#define SECTION_OTHERS "Other memories"

#endif
