/*
 * A store of two category files and the changes that tests make to it.
 *
 * For tests only, with the table of fake_sys.h. One change touches a single file, the other two
 * category files, archive.json and the cold archive; the texts before and after are known, so that
 * a test can say at any time whether the store is old, new, or neither.
 */
#ifndef KOTA_TESTS_OPSTORE_H
#define KOTA_TESTS_OPSTORE_H

#include "store/txn/apply.h"
#include "support/tmpdir.h"

#define OPSTORE_NOW INT64_C(1795000000000)

#define OLD_PREFERENCES "{\n  \"editor\": \"vim\",\n  \"theme\": {\"value\": \"dark\"}\n}\n"
#define NEW_PREFERENCES                                                                            \
	"{\n  \"editor\": {\"value\": \"emacs\"},\n  \"theme\": {\"value\": \"dark\"}\n}\n"
#define OLD_STATE "{\n  \"task\": \"build\",\n  \"mood\": \"good\"\n}\n"
#define NEW_STATE "{\n  \"mood\": \"good\"\n}\n"
#define RECORD                                                                                     \
	"{\"key\":\"task@2026-11-21T10:00:00.000Z\",\"originalKey\":\"task\","                     \
	"\"archivedAt\":\"2026-11-21T10:00:00.000Z\",\"reason\":\"evicted\","                      \
	"\"entry\":{\"value\":\"build\"}}"
#define NEW_ARCHIVE                                                                                \
	"{\n  \"state\": [\n    {\n      \"key\": \"task@2026-11-21T10:00:00.000Z\",\n"            \
	"      \"originalKey\": \"task\",\n      \"archivedAt\": \"2026-11-21T10:00:00.000Z\",\n"  \
	"      \"reason\": \"evicted\",\n      \"entry\": {\n        \"value\": \"build\"\n      " \
	"}\n"                                                                                      \
	"    }\n  ]\n}\n"
#define COLD_LINE                                                                                  \
	"{\"category\":\"state\",\"key\":\"old@2026-11-01T10:00:00.000Z\","                        \
	"\"originalKey\":\"old\",\"archivedAt\":\"2026-11-01T10:00:00.000Z\","                     \
	"\"reason\":\"evicted\",\"entry\":{\"value\":1}}"

/* Fills ops[] with the operations of a change and returns their number. */
typedef size_t (*opstore_ops)(struct op ops[4]);

/* One file: preferences:editor becomes emacs. */
size_t opstore_single(struct op ops[4]);

/* The same, and state:task goes to the archive, and an old record to the cold archive. */
size_t opstore_several(struct op ops[4]);

struct opstore {
	struct tmpdir dir;
	opstore_ops ops;
};

enum opstore_state { OPSTORE_OLD, OPSTORE_NEW, OPSTORE_NEITHER };

/* Makes the store with the old texts; ops is the change that opstore_state() goes by. */
void opstore_make(struct opstore *store, opstore_ops ops);

/* Opens, locks, recovers, changes (unless ops is NULL) and closes, as a process of its own would.
 */
int opstore_change(const struct opstore *store, opstore_ops ops, struct err *err);

/* The same, where a failure ends the test. */
void opstore_run(const struct opstore *store, opstore_ops ops);

/* The same, where the test ends unless it fails with a sentence that says this. */
void opstore_check_fails(const struct opstore *store, opstore_ops ops, const char *says);

/* The store's own change as a body for fake_sys_in_child(): 0 when acknowledged, else 1. */
int opstore_change_in_child(void *store);

/* Compares the files with the texts before and after. */
enum opstore_state opstore_state(const struct opstore *store);

/* Ends the test unless the file holds this text. */
void opstore_check(const struct opstore *store, const char *name, const char *text);

/* The text of this month's cold file, "" when there is none; the caller frees it. */
char *opstore_cold(const struct opstore *store);

/* Ends the test unless part is in the cold file. */
void opstore_check_cold(const struct opstore *store, const char *part);

/* Ends the test when something half done, or something that nobody understands, is left. */
void opstore_check_tidy(const struct opstore *store);

#endif
