/*
 * Writing a store out: what an export is made of, for the writers of each format (write_*.c) and
 * for the table of them (export_formats.h).
 *
 * A writer says what its format has no place for, so that nobody takes the result for a full copy.
 */
#ifndef KOTA_OPS_TRANSFER_EXPORT_H
#define KOTA_OPS_TRANSFER_EXPORT_H

#include "ops/transfer/whole_store.h"

/* The version of the export format, and the member that a document or its first line begins with.
 */
#define EXPORT_VERSION_NAME "kota_export"
#define EXPORT_VERSION 1

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

/* Adds a sentence about what the export leaves out. */
void export_lose(struct export *export, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The writers. */
void export_json(struct export *export);
void export_lines(struct export *export);
void export_graph(struct export *export);
void export_markdown(struct export *export);

#endif
