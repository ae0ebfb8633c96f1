/*
 * The table of operations: a row and a file for each. The protocol (src/mcp) and the shell
 * (src/cli) take the table from here, the files of this folder the words that they share.
 *
 * To add an operation, see "Adding an operation" in docs/internals/hacking.md.
 */
#ifndef KOTA_TOOLS_REGISTRY_H
#define KOTA_TOOLS_REGISTRY_H

#include "tool/tool.h"

/* All operations that work on a store, in the order in which clients list them; ended by NULL. */
const struct tool *const *tools_all(void);

/*
 * The few that store and find memories, and show what has changed: for clients that should be
 * offered no more than these.
 */
const struct tool *const *tools_core(void);

/*
 * The operations, in the order in which clients list them. CORE: clients that are offered only the
 * few that keep and find memories are offered it; what is left out looks after what is stored,
 * which can be done from the shell.
 */
#define TOOLS(X)                                                                                   \
	X(set, CORE)                                                                               \
	X(get, CORE)                                                                               \
	X(update, CORE)                                                                            \
	X(list, CORE)                                                                              \
	X(list_archived, CORE)                                                                     \
	X(delete, CORE)                                                                            \
	X(clear_state, CORE)                                                                       \
	X(save_conversation_notes, CORE)                                                           \
	X(search, CORE)                                                                            \
	X(analyze, REST)                                                                           \
	X(history, CORE)                                                                           \
	X(diff, REST)                                                                              \
	X(blame, REST)                                                                             \
	X(show, REST)                                                                              \
	X(mv, REST)                                                                                \
	X(prime, REST)                                                                             \
	X(revert, REST)                                                                            \
	X(conflicts, REST)                                                                         \
	X(undo, REST)                                                                              \
	X(compact, REST)                                                                           \
	X(export, REST)                                                                            \
	X(import, REST)                                                                            \
	X(migrate, REST)                                                                           \
	X(maintain, REST)                                                                          \
	X(stats, REST)                                                                             \
	X(restore, CORE)                                                                           \
	X(gc, REST)                                                                                \
	X(relate, REST)                                                                            \
	X(promote, REST)                                                                           \
	X(health, REST)                                                                            \
	X(reinforce, REST)                                                                         \
	X(optimize, REST)                                                                          \
	X(consolidate, REST)                                                                       \
	X(merge, REST)

/* Each is defined in its own file. */
#define X(name, offered) extern const struct tool tool_##name;
TOOLS(X)
#undef X

/* Parts of reply schemas. */
#define SCHEMA_STRING "{\"type\":\"string\"}"
#define SCHEMA_BOOLEAN "{\"type\":\"boolean\"}"
#define SCHEMA_INTEGER "{\"type\":\"integer\"}"
#define SCHEMA_NUMBER "{\"type\":\"number\"}"
/* Any value: a choice of types, as all clients take it. */
#define SCHEMA_VALUE                                                                               \
	"{\"anyOf\":[" SCHEMA_STRING "," SCHEMA_NUMBER "," SCHEMA_BOOLEAN                          \
	",{\"type\":\"object\"},{\"type\":\"array\"},{\"type\":\"null\"}]}"
#define SCHEMA_STRINGS "{\"type\":\"array\",\"items\":" SCHEMA_STRING "}"
#define SCHEMA_WARNINGS "\"warnings\":" SCHEMA_STRINGS
#define SCHEMA_EVICTED "\"evicted\":" SCHEMA_STRINGS
/* What hints_write() writes. */
#define SCHEMA_SIMILAR                                                                             \
	"\"similar\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"          \
	"\"ref\":" SCHEMA_STRING ",\"value\":" SCHEMA_STRING                                       \
	",\"says\":{\"type\":\"string\",\"enum\":[\"same\",\"other\",\"related\"]}}}}"

/* What common_write_entry() writes. */
#define SCHEMA_ENTRY                                                                               \
	"\"key\":" SCHEMA_STRING ",\"category\":" SCHEMA_STRING ",\"created_at\":" SCHEMA_STRING   \
	",\"last_updated\":" SCHEMA_STRING
#define SCHEMA_ENTRY_NAMES "\"key\",\"category\",\"created_at\",\"last_updated\""

/* The headings under which the shell's help lists operations and commands, in this order. */
#define SECTION_MEMORIES "Memories"
#define SECTION_CHANGES "History and undo"
#define SECTION_UPKEEP "Maintenance"
#define SECTION_OTHERS "Import and export"

#endif
