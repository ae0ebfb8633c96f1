/*
 * The cold archive: archive.cold/YYYY-MM.jsonl, append-only, one record a line.
 *
 * Months are of the host's zone. Every append is fsynced, the directory too when the file is new;
 * a last line without newline is cut before the next append unless it is whole (a person's editor
 * may have left the newline out). A record stands once, so that a change can be redone after a
 * crash: a line that is the same as one in the last MiB of its file is not added again. Further up
 * nobody looks, because a redo comes soon after the change; who reads must bear a line twice. A
 * line may be taken back by a later one, see undo_marks.h: it is not visited then.
 *
 * The folder must be a directory and each file a regular file; both must be one's own for writing,
 * and links are not followed, so that nothing outside the store is ever cut or added to.
 */
#ifndef KOTA_STORE_LOG_COLD_H
#define KOTA_STORE_LOG_COLD_H

#include "store/files/dir.h"

/*
 * Appends one record (a line of JSON without newline, as record_compose_cold() makes it) to the
 * month of at_ms; several, separated by newlines, cost no more. All or none. The lock must be held.
 */
int cold_append(struct disk *disk, int64_t at_ms, struct slice lines, struct err *err);

/*
 * Checks that lines could be appended to the month of at_ms. Changes nothing. For the
 * moment before a change is committed, which must not fail over this afterwards.
 */
int cold_check(struct disk *disk, int64_t at_ms, struct err *err);

/* Appends the path of the month's file in the store: "archive.cold/2026-11.jsonl". */
void cold_path(struct str *out, int64_t at_ms);

/* True if two times belong to the same file. */
bool cold_same_month(int64_t a_ms, int64_t b_ms);

/* True if a file of this name in the folder is a month of the cold archive. */
bool cold_is_file_name(const char *name);

/* Called for each line that parses, oldest file first; a non-zero result ends the walk. */
typedef int (*cold_visitor)(void *context, const struct json *doc);

/*
 * Walks all records. A line that does not parse is skipped and counted in *bad (NULL allowed)
 * together with "file:line" of the first in *first_bad (NULL allowed, cleared first).
 */
int cold_walk(struct disk *disk, cold_visitor visit, void *context, size_t *bad,
	      struct str *first_bad, struct err *err);

/* A month of the cold archive: its file, as it was when the folder was read. */
struct cold_month {
	char *name;
	struct file_id id;
};

/*
 * The months that there are, oldest first; each name and the list are the caller's to free. None
 * where there is no cold archive.
 */
int cold_months(struct disk *disk, struct cold_month **out, size_t *count, struct err *err);

/* Called for each record of a month: its document, and where its line begins in the file. */
typedef int (*cold_line_visitor)(void *context, const struct json *doc, size_t offset);

/* As cold_walk(), through one month. *id is what was read: a line may come in the meantime. */
int cold_walk_month(struct disk *disk, const char *name, cold_line_visitor visit, void *context,
		    struct file_id *id, size_t *bad, struct str *first_bad, struct err *err);

/*
 * Reads so many bytes of a month again, into *out (emptied first): a line that cold_walk_month()
 * has shown. Less comes where the file was cut.
 */
int cold_read_line(struct disk *disk, const char *name, size_t offset, size_t len, struct str *out,
		   struct err *err);

#endif
