/*
 * A file of the store where it really is: its directory, opened, and its name there.
 *
 * For the files of src/store that read and replace, and for doctor. The struct is owned by the
 * caller and released with path_release(). Siblings of the file (displaced and temporary ones) are
 * read with the same functions.
 */
#ifndef KOTA_STORE_FILES_RESOLVE_H
#define KOTA_STORE_FILES_RESOLVE_H

#include "store/files/dir.h"

struct path {
	struct disk *disk;
	const char *file_name; /* as the store names it, for messages; not owned */
	int dirfd;             /* the store's own, or the one that a link leads to */
	bool linked;           /* then dirfd is ours to close */
	char *name;
};

/*
 * Finds the directory that really holds a file of the store, and its name there: a link to an own
 * regular file is followed, so that the link stays when the file is replaced. Refuses dangling
 * links, links to other people's files, FIFOs, devices and directories without blocking. A file
 * that does not exist yet is fine. On failure there is nothing to release.
 */
int path_open(struct path *path, struct disk *disk, const char *file_name, struct err *err);

/*
 * True if this file of the store is a link that is not followed because of where it leads. If no
 * link may lead out of the store, nothing outside is looked at.
 */
bool path_link_is_refused(struct disk *disk, const char *file_name);

/* Closes the directory where it is not the store's own, and frees the name. */
void path_release(struct path *path);

/* Released at the end of the scope: `PATH_AUTO path = {0};` */
#define PATH_AUTO __attribute__((cleanup(path_release))) struct path

/*
 * Reads a whole file of the directory; if it is absent, the text is empty and id->present false.
 * Refuses links: path_open() has followed them, and siblings are never links.
 */
int path_read(const struct path *path, const char *name, struct str *text, struct file_id *id,
	      struct err *err);

/* As path_read(); see file_read_use(). */
int path_read_use(const struct path *path, const char *name, struct str *text,
		  const struct file_id *known, struct file_id *id, enum file_use *use,
		  struct err *err);

/* How a file may be built: an entry may not be so deep that archive.json could not take it. */
struct json_bounds path_bounds(const char *file_name);

/*
 * Scans a text whose root must be an object. ERR_BAD_DATA says file:line:column, and names a
 * conflict that a merge has left. On success the caller releases *doc, which points into text.
 */
int path_parse(const struct path *path, struct slice text, struct json *doc, struct err *err);

/* How many entries, records or links a parsed file of the store has. */
size_t path_count(enum store_file file, const struct json *doc);

/*
 * Refuses an empty file of which disk->had says that there were entries in it: -1. Any other is
 * fine. path is that of the file itself, not of a sibling.
 */
int path_check_emptied(const struct path *path, struct slice text, const struct file_id *id,
		       struct err *err);

/* Prefixes the file's path to a sentence that begins with LINE:COLUMN. Always returns -1. */
int path_blame(const struct disk *disk, const char *file_name, struct err *err);

/*
 * As disk_read_json() for a file of the directory, but *text is what was read: for an absent or
 * blank one *doc is json_empty_object(), which is how a new file begins. A blank one that is not to
 * be believed is refused: path_check_emptied().
 *
 * at_rest is for callers that replace the file next: while somebody has it open for writing, it is
 * read again, as if it did not parse. ERR_BUSY if it is empty and still open after that.
 */
int path_read_json(const struct path *path, const char *name, bool at_rest, struct str *text,
		   struct json *doc, struct file_id *id, struct err *err);

/* True if the text has only blanks and perhaps a byte order mark. */
bool text_is_blank(struct slice text);

/*
 * Reads a file of the store whole, refusing what path_open() refuses. Absent is an empty text and
 * id->present false.
 */
int disk_read(struct disk *disk, const char *file_name, struct str *text, struct file_id *id,
	      struct err *err);

/*
 * Reads and scans a file whose root must be an object; a text that does not parse is read again up
 * to three times, 50 ms apart, because an editor may be writing it. An absent or empty (all blank)
 * file is an empty object: then *text is "{}". ERR_BAD_DATA says file:line:column, or that the file
 * was emptied. On success *doc points into *text; release both.
 */
int disk_read_json(struct disk *disk, const char *file_name, struct str *text, struct json *doc,
		   struct file_id *id, struct err *err);

#endif
