/*
 * Writing a store out in one of several forms. For src/tools/export*.c only.
 *
 * Each form says of itself what it has no place for, so that nobody takes it for a whole copy.
 */
#ifndef KOTA_TOOLS_EXPORT_H
#define KOTA_TOOLS_EXPORT_H

#include "ops/transfer/whole_store.h"

/* Which form of exports this is: the member that a document or a first line begins with. */
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

/* Says what is not in it. */
void export_lose(struct export *export, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Which links of the store go along: those with both ends in the export. */
bool export_has_link(const struct export *export, const struct link *link);

/* Counts those that do not, and says so. */
void export_lose_links(struct export *export);

/* The forms. */
void export_json(struct export *export);
void export_lines(struct export *export);
void export_graph(struct export *export);
void export_markdown(struct export *export);

#endif
