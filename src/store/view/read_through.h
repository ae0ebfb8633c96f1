/*
 * Reading through the journal: what a committed change makes of files that it has not reached yet.
 *
 * A change of several files counts from the moment its journal stands (log/journal.h), but its
 * files are exchanged one after the other, and a process may be killed in between. A reader that
 * meets a journal does its operations on the texts that it has read, as a redo would; on a file
 * that has them already they do nothing. So it sees the whole change, and writes nothing.
 *
 * Notes are files of their own: who reads them asks for the operations.
 */
#ifndef KOTA_STORE_VIEW_READ_THROUGH_H
#define KOTA_STORE_VIEW_READ_THROUGH_H

#include "store/log/cold.h"
#include "store/view/state.h"

/*
 * Looks whether the journal is another than before, or gone. If so, reads it, lets the files that
 * the old or the new one concerns be read again, and returns true. A journal that is not believed
 * is none.
 */
bool read_through_look(struct store *store);

/* True if there is a committed change that some of its files may lack. */
bool read_through_waits(const struct store *store);

/* Does the operations that concern the file, which has just been read, on its text and document. */
void read_through_apply(struct store *store, enum store_file file);

/* The operations of the journal, *count of them; NULL when nothing waits. */
const struct op *read_through_ops(const struct store *store, size_t *count);

/*
 * Visits the lines that a committed change has yet to append to the cold archive, each with the
 * number of its operation. A line that does not parse is passed over.
 */
void read_through_cold(const struct store *store, cold_line_visitor visit, void *context);

/* Frees what was read. */
void read_through_release(struct store *store);

#endif
