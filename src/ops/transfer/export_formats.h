/*
 * The table of export formats.
 *
 * A new format: its writer (write_*.c, prototype in export.h), its name and its row here.
 */
#ifndef KOTA_OPS_TRANSFER_EXPORT_FORMATS_H
#define KOTA_OPS_TRANSFER_EXPORT_FORMATS_H

#include "ops/transfer/export.h"

enum export_format { EXPORT_JSON, EXPORT_JSONL, EXPORT_MCP, EXPORT_MARKDOWN, EXPORT_FORMAT_COUNT };

/* As enum export_format; ended by NULL. */
extern const char *const export_format_names[EXPORT_FORMAT_COUNT + 1];

/* Appends the store to export->out in this format, counts what is written and what is left out. */
void export_write(struct export *export, enum export_format format);

#endif
