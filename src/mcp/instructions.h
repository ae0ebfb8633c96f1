/*
 * The text that a model reads before it has seen any tool.
 */
#ifndef KOTA_MCP_INSTRUCTIONS_H
#define KOTA_MCP_INSTRUCTIONS_H

/* Under 2,000 characters, the most important first. */
extern const char mcp_instructions[];

#endif
