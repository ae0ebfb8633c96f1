/*
 * Writing a store out: the formats, and what the writer of each (write_*.c) shares with the others.
 *
 * A writer says what its format has no place for, so that nobody takes the result for a full copy.
 * A new format: its writer, its name and its row in export.c.
 */
#ifndef KOTA_OPS_TRANSFER_EXPORT_H
#define KOTA_OPS_TRANSFER_EXPORT_H

#include "ops/transfer/whole_store.h"

/* The version of the export format, and the member that a document or its first line begins with.
 */
#define EXPORT_VERSION_NAME "kota_export"
#define EXPORT_VERSION 1

enum export_format { EXPORT_JSON, EXPORT_JSONL, EXPORT_MCP, EXPORT_MARKDOWN, EXPORT_FORMAT_COUNT };

/* As enum export_format; ended by NULL. */
extern const char *const export_format_names[EXPORT_FORMAT_COUNT + 1];

struct export
{
	const struct call *call;
	const struct whole *whole;
	struct str *out;
	size_t entries; /* written; likewise below */
	size_t records;
	size_t links;
	const char **lost; /* sentences; in the call's arena */
	size_t lost_count;
	size_t lost_cap;
};

/* Appends the store to export->out in this format, counts what is written and what is left out. */
void export_write(struct export *export, enum export_format format);

/*
 * Adds a sentence about what the export leaves out, if anything: "not in it", what stands before
 * the number, the number, the word for one or many, and what stands behind.
 */
void export_lose(struct export *export, const char *before, size_t count, const char *one,
		 const char *many, const char *behind);

/* How a format is written. */
struct export_writer {
	void (*write)(struct export *export);
};

/* Rows of write_*.c, for the table in export.c. */
extern const struct export_writer export_writer_graph;
extern const struct export_writer export_writer_json;
extern const struct export_writer export_writer_lines;
extern const struct export_writer export_writer_markdown;

#endif
