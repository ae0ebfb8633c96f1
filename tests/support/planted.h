/*
 * Tables of system calls with a fault planted in them, as a careless program would have it: the
 * positive controls of the torture tests, which have to fail with each of these.
 *
 *	no-fsync        fsync does nothing
 *	no-lock         flock does nothing
 *	no-queue        those that wait for the lock have no order
 *	no-journal      several files are written one after the other with nothing to finish from
 *	journal-unseen  a reader does not know what waits in the journal
 *	plain-rename    the file is renamed over, whatever came in meanwhile
 *	follow-links    links are followed wherever they lead, and opening waits
 *	wide-open       new files and directories get the mode that the umask leaves
 *	broken-is-empty a file that does not parse is taken for an empty one
 *	no-pending      what the history has to know of a change is not noted
 *	no-git-lock     the repository is written to without its locks
 *	gc-within       git gc --prune=now runs between the objects of a commit and the branch
 *	no-gc-lock      the same, and nothing holds it off
 *	in-place        the file is overwritten in its place, in two halves
 *	tidy-lines      each line ends in LF alone, whatever the person has chosen
 *	hoard           what is read is never forgotten
 *	random:N        each call fails with a chance of N in a million
 *	unchecked:N     the same for calls that change something, and nobody looks at the failure
 *
 * For tests only. The program tests/torture/planted is kota with the table that KOTA_PLANT names.
 */
#ifndef KOTA_TESTS_PLANTED_H
#define KOTA_TESTS_PLANTED_H

#include "base/sys.h"

/* The table with this fault; NULL when there is none of that name. Static storage, one at a time.
 */
const struct sys *planted_sys_of(const char *fault);

/* The table that KOTA_PLANT names; aborts with a sentence when it names none. */
const struct sys *planted_sys(void);

#endif
