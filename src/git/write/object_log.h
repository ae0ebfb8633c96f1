/*
 * What recordings have written and not made durable: .git/kota-objects.
 *
 * A recording makes three objects, an index and a branch, each a file with a folder of its own. To
 * make all of them durable would take ten waits for the disk; the log takes one. Before the branch
 * moves, a record is written to the log: the bytes of the objects' loose files, the changes of the
 * index, and the two ends of the branch's move. The files themselves are there at once, so that git
 * sees them, and the kernel writes them later. When the log is long enough, object_log_flush() puts
 * the objects into a pack, makes the rest durable and begins a new log. After a power cut
 * object_log_begin() writes again what the disk has lost.
 *
 * The file has its full size from the beginning, so a record overwrites bytes that exist. A number
 * in its head says which records are current; the others are old. Only in repositories that kota
 * made. For src/git only; the store's lock must be held.
 */
#ifndef KOTA_GIT_WRITE_OBJECT_LOG_H
#define KOTA_GIT_WRITE_OBJECT_LOG_H

#include "git/write/log_record.h"

/*
 * Appends a record and makes it durable. ERR_NO_HISTORY if there is no log, or no room left in
 * it: then the caller makes the files durable one by one.
 */
int object_log_append(struct repo *repo, const struct logged_recording *recording, struct err *err);

/*
 * Begins to use the log. boot is the id of this boot of the machine; if it is "" or "-", not known,
 * nothing is logged. Records that another boot wrote are carried out again, and *mended says so.
 * After a failure this is tried again the next time.
 */
int object_log_begin(struct repo *repo, const char *boot, bool *mended, struct err *err);

/* True if there is a log of another boot. Needs no lock; may be wrong while another process writes.
 */
bool object_log_is_old(const struct sys *sys, int dirfd, const char *boot);

/*
 * True if there is a log with a broken record in the middle, which object_log_begin() has set
 * aside: it fails until object_log_carry_out() is done. A torn last record is none: it was never
 * acknowledged. Needs no lock.
 */
bool object_log_is_broken(const struct sys *sys, int dirfd);

/* Carries out the records of such a log that are whole, for who was asked to by the person; the log
 * stays as kota-objects.unreadable. Nothing where there is none. */
int object_log_carry_out(struct repo *repo, struct err *err);

/* True if the log is long enough to be flushed, or if there are many loose objects. */
bool object_log_is_due(struct repo *repo);

/* How many recordings a log of another boot has that git does not see; changes nothing. */
size_t object_log_missing(struct repo *repo, const char *boot);

/* Packs the loose objects, makes durable all that the log describes, and begins a new log. */
int object_log_flush(struct repo *repo, struct err *err);

/*
 * The same when nothing is asked for: then what is there need not wait for the next change. A few
 * objects are not worth a pack, in which the text of each file would stand as a whole: they are
 * made durable where they are, and stay. After object_log_begin().
 */
int object_log_rest(struct repo *repo, struct err *err);

/*
 * As object_log_flush() before something is to be destroyed: nothing that was logged is left in the
 * file, nor in one of another boot.
 */
int object_log_wipe(struct repo *repo, struct err *err);

void object_log_close(struct repo *repo);

#endif
