/*
 * The text that was put in place of a file a moment ago, with its parse: for the view, which would
 * else read and parse at once what was printed and parsed to be checked.
 *
 * It waits in struct disk until the file is loaded the next time. That is when a stat tells whether
 * it still is the file of that name; such a file is too young for its stat to be believed further.
 */
#ifndef KOTA_STORE_FILES_WRITE_THROUGH_H
#define KOTA_STORE_FILES_WRITE_THROUGH_H

#include "base/file.h"
#include "json/doc.h"

struct write_through {
	bool known;
	ino_t ino; /* of the file that holds the text */
	struct str text;
	struct json doc; /* points into text */
};

/* Takes text and document over; both are empty afterwards. Forgets what was noted before. */
void write_through_note(struct write_through *written, ino_t ino, struct str *text,
			struct json *doc);

/*
 * Hands the text and its document to the caller when the file is still the one that was written.
 * Forgets them in any case.
 */
bool write_through_take(struct write_through *written, const struct file_id *id, struct str *text,
			struct json *doc);

/* Frees what nobody took. */
void write_through_forget(struct write_through *written);

#endif
