/*
 * The table of operations: one row a tool, one file a tool.
 *
 * Adding an operation: its file here, its row in registry.c, its test, its line in the Makefile, and
 * the generated pages. Who may include this: the protocol (src/mcp) and the shell (src/cli).
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

#endif
