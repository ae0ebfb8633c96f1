/* Whose journals are believed, which are set aside, and that nobody is held up by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/log/journal.h"

#include "base/map.h"
#include "base/mem.h"
#include "store/files/dir_lock.h"
#include "support/fake_sys.h"
#include "support/forge.h"
#include "support/opstore.h"
#include "support/surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW OPSTORE_NOW

enum trust { SIGNED, UNSIGNED_TOO, BY_HAND, COMMITTED, FOREIGN };

static struct tmpdir dir; /* holds the store */
static char store[PATH_MAX + 16];
static char key_path[PATH_MAX + 32];
static const char *state_home;
static struct disk disk;

static const char *env(const char *name)
{
	return strcmp(name, "XDG_STATE_HOME") == 0 ? state_home : NULL;
}

static void open_store(const char *name, enum trust trust)
{
	struct err err;

	snprintf(store, sizeof store, "%s/%s", dir.path, name);
	assert_int_equal(disk_open(&disk, fake_sys(), store, &err), 0);
	disk.env = env;
	assert_int_equal(disk_lock(&disk, 0, &err), 0);
	disk.origin.personal = trust == UNSIGNED_TOO;
	disk.origin.committed = trust == COMMITTED ? STATE_JOURNAL : 0;
	disk.origin.kind = trust == FOREIGN ? ORIGIN_FOREIGN : ORIGIN_UNREVIEWED;
	disk.by_hand = trust == BY_HAND;
}

/* As another process that finds the store under this name. */
static void reopen(const char *name, enum trust trust)
{
	disk_close(&disk);
	open_store(name, trust);
}

static int set_up(void **unused)
{
	(void)unused;
	fake_sys_reset(NOW);
	tmpdir_make(&dir);
	fake_sys_root(dir.path);
	state_home = surroundings_state_home();
	snprintf(key_path, sizeof key_path, "%s/kota-memory/key", state_home);
	assert_int_equal(mkdirat(dir.fd, "store", 0700), 0);
	open_store("store", SIGNED);
	return 0;
}

static int tear_down(void **unused)
{
	(void)unused;
	fake_sys_release();
	disk_close(&disk);
	tmpdir_remove(&dir);
	return 0;
}

/* A journal of this process about an entry, and with a note about that as well. */
static void commit(bool note)
{
	const struct op ops[] = {
		{OP_NOTE_ADD, CATEGORY_STATE, slice_of("a.md"), slice_of("# a\n"), 0, NOW},
		{OP_PUT, CATEGORY_STATE, slice_of("a"), slice_of("{\"value\":1}"), 0, NOW},
	};
	const struct change_meta meta = {.tool = "memory_set"};
	bool committed;
	struct err err;

	assert_int_equal(
		journal_commit(&disk, ops + !note, 1U + note, &meta, NOW, &committed, &err), 0);
}

static void leave(const char *text)
{
	tmpdir_write(&dir, "store/.journal", text);
}

enum expected { NONE, BELIEVED, ENTRIES, REFUSED };

static void check(enum expected expected, const char *why)
{
	struct journal journal;
	struct err err;

	if (journal_read(&journal, &disk, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(journal.found, expected == BELIEVED || expected == ENTRIES);
	assert_int_equal(journal.entries_only, expected == ENTRIES);
	assert_int_equal(journal.refused, expected == REFUSED);
	if (why)
		assert_true(slice_is(journal.why, why));
	journal_release(&journal);
}

#define FOREIGN_KEY "is not signed with your key"
#define ELSEWHERE "was written in another store"
#define NO_SEAL "is not signed"

static void test_own(void **unused)
{
	(void)unused;
	commit(false);
	check(BELIEVED, NULL);
	for (int trust = SIGNED; trust <= BY_HAND; trust++) {
		reopen("store", (enum trust)trust);
		check(BELIEVED, NULL);
	}
	reopen("store", COMMITTED);
	check(REFUSED, "came with a repository");
	reopen("store", FOREIGN);
	check(NONE, NULL);
	assert_true(tmpdir_has(&dir, "store/.journal"));
}

static void copy_journal(const char *from, const char *to)
{
	char *text = tmpdir_read(&dir, from);

	assert_non_null(text);
	tmpdir_write(&dir, to, text);
	free(text);
}

static bool knows_birth_times(void)
{
	struct statx st;

	return statx(dir.fd, "", AT_EMPTY_PATH, STATX_BTIME, &st) == 0 &&
	       (st.stx_mask & STATX_BTIME);
}

/* By its path, or as the folder that it was. */
static void test_where_it_was_written(void **unused)
{
	(void)unused;
	commit(false);
	if (knows_birth_times()) {
		assert_int_equal(renameat(dir.fd, "store", dir.fd, "moved"), 0);
		reopen("moved", SIGNED);
		check(BELIEVED, NULL);
		assert_int_equal(renameat(dir.fd, "moved", dir.fd, "store"), 0);
	}
	/* A copy beside it: another folder at another path. */
	assert_int_equal(mkdirat(dir.fd, "copy", 0700), 0);
	copy_journal("store/.journal", "copy/.journal");
	reopen("copy", SIGNED);
	check(REFUSED, ELSEWHERE);
	/* A restored backup: another folder at the same path. */
	assert_int_equal(renameat(dir.fd, "store", dir.fd, "lost"), 0);
	assert_int_equal(renameat(dir.fd, "copy", dir.fd, "store"), 0);
	reopen("store", SIGNED);
	check(BELIEVED, NULL);
	/* A link to the store has its path. */
	assert_int_equal(symlinkat("store", dir.fd, "link"), 0);
	reopen("link", SIGNED);
	check(BELIEVED, NULL);
}

/* Without a birth time an inode says nothing: it is given to the next folder. */
static void test_no_birth_time(void **unused)
{
	(void)unused;
	fake_sys_fail(FAKE_STATX, 1, ENOSYS, FAKE_ALWAYS);
	commit(false);
	check(BELIEVED, NULL);
	assert_int_equal(renameat(dir.fd, "store", dir.fd, "moved"), 0);
	reopen("moved", SIGNED);
	check(REFUSED, ELSEWHERE);
	fake_sys_reset(NOW);
	reopen("moved", SIGNED);
	check(REFUSED, ELSEWHERE);
}

/* Also where the path is not UTF-8, as that of a store may be. */
static void test_odd_path(void **unused)
{
	(void)unused;
	assert_int_equal(renameat(dir.fd, "store", dir.fd, "sto\xff%re"), 0);
	reopen("sto\xff%re", SIGNED);
	commit(false);
	check(BELIEVED, NULL);
}

static void test_other_key(void **unused)
{
	(void)unused;
	commit(false);
	assert_int_equal(unlink(key_path), 0);
	for (int trust = SIGNED; trust <= BY_HAND; trust++) {
		reopen("store", (enum trust)trust);
		check(REFUSED, FOREIGN_KEY);
	}
}

/* A digest can be made by anybody, a signature cannot. */
static void test_every_change_is_noticed(void **unused)
{
	char *text;
	char *body;
	size_t len;

	(void)unused;
	commit(false);
	text = tmpdir_read(&dir, "store/.journal");
	body = strstr(text, "\"journal\":") + strlen("\"journal\":");
	len = strlen(body) - strlen("}\n");
	for (size_t i = 0; i < len; i++) {
		STR_AUTO changed = STR_INIT;
		char kept = body[i];
		struct journal journal;
		struct err err;

		body[i] ^= 1;
		str_printf(&changed, "{\"digest\":\"%llx\",%.*s%s",
			   (unsigned long long)hash64(slice_make(body, len)),
			   (int)(body - text - (ptrdiff_t)strcspn(text, ",") - 1),
			   text + strcspn(text, ",") + 1, body);
		body[i] = kept;
		tmpdir_write_slice(&dir, "store/.journal", str_slice(&changed));
		assert_int_equal(journal_read(&journal, &disk, &err), 0);
		assert_true(journal.refused);
		journal_release(&journal);
	}
	free(text);
}

static void test_unsigned(void **unused)
{
	STR_AUTO body = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct journal journal;
	struct err err;

	(void)unused;
	forge_body(&body, "put", "state", "a", "1");
	forge_unsigned(&text, body.ptr);
	leave(text.ptr);
	check(REFUSED, NO_SEAL);
	assert_int_equal(journal_read(&journal, &disk, &err), 0);
	assert_true(journal.only_unsigned);
	assert_int_equal(journal.count, 1);
	journal_release(&journal);
	reopen("store", UNSIGNED_TOO);
	check(BELIEVED, NULL);
	reopen("store", BY_HAND);
	check(BELIEVED, NULL);
	reopen("store", FOREIGN);
	check(NONE, NULL);
}

/* What somebody else wrote never gets into the person's own folder of notes. */
static void test_unsigned_notes(void **unused)
{
	STR_AUTO body = STR_INIT;
	STR_AUTO text = STR_INIT;

	(void)unused;
	forge_body(&body, "note_add", "state", "a.md", "# a\n");
	forge_unsigned(&text, body.ptr);
	leave(text.ptr);
	reopen("store", BY_HAND);
	check(BELIEVED, NULL);
	disk.notes_dir_free = true;
	check(REFUSED, "is not signed and is about notes outside the store");
}

static void test_odd_signatures(void **unused)
{
	static const char *const macs[] = {"1", "null", "\"\"", "\"00\"", "[]"};
	STR_AUTO body = STR_INIT;

	(void)unused;
	forge_body(&body, "put", "state", "a", "1");
	for (size_t i = 0; i < sizeof macs / sizeof *macs; i++) {
		STR_AUTO text = STR_INIT;

		str_printf(&text, "{\"digest\":\"%llx\",\"mac\":%s,\"journal\":%s}",
			   (unsigned long long)hash64(str_slice(&body)), macs[i], body.ptr);
		leave(text.ptr);
		check(REFUSED, FOREIGN_KEY);
	}
}

/* Signed, but of no store: of a program that forgot it, or of none. */
static void test_signed_without_a_place(void **unused)
{
	static const char *const places[] = {"", ",\"store\":1", ",\"store\":{}",
					     ",\"store\":{\"path\":\"\"}"};

	(void)unused;
	commit(false);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		STR_AUTO body = STR_INIT;
		STR_AUTO text = STR_INIT;

		str_printf(&body, "{\"format\":1,\"at\":1,\"ops\":[]%s}", places[i]);
		forge_signed(&text, body.ptr, state_home);
		leave(text.ptr);
		check(REFUSED, ELSEWHERE);
	}
}

/* The next folder may get the same inode: only the birth time tells it from the one before. */
static void test_same_inode(void **unused)
{
	static const char *const births[] = {"", ",\"born\":\"1.000000000\"", ",\"born\":\"\""};
	struct stat st;

	(void)unused;
	commit(false);
	assert_int_equal(fstatat(dir.fd, "store", &st, 0), 0);
	for (size_t i = 0; i < sizeof births / sizeof *births; i++) {
		STR_AUTO body = STR_INIT;
		STR_AUTO text = STR_INIT;

		str_printf(&body,
			   "{\"format\":1,\"at\":1,\"ops\":[],\"store\":{\"path\":\"/other\","
			   "\"inode\":\"%ju\"%s}}",
			   (uintmax_t)st.st_ino, births[i]);
		forge_signed(&text, body.ptr, state_home);
		leave(text.ptr);
		check(REFUSED, ELSEWHERE);
	}
}

/* Writes no signature, and says so once; carries out what is about entries. */
static void test_no_key(void **unused)
{
	char *text;

	(void)unused;
	commit(false);
	assert_int_equal(disk.remarks.len, 0);
	state_home = "/proc/none";
	reopen("store", SIGNED);
	check(ENTRIES, NULL);
	commit(false);
	text = tmpdir_read(&dir, "store/.journal");
	assert_null(strstr(text, "\"mac\""));
	assert_null(strstr(text, "\"store\""));
	free(text);
	if (!strstr(disk.remarks.ptr, "changes of several files are not signed (there is no"))
		fail_msg("%s", disk.remarks.ptr);
	str_clear(&disk.remarks);
	commit(false);
	assert_int_equal(disk.remarks.len, 0);
	check(ENTRIES, NULL);
	reopen("store", UNSIGNED_TOO);
	check(BELIEVED, NULL);
	/* Who has a key does not believe it. */
	state_home = surroundings_state_home();
	reopen("store", SIGNED);
	check(REFUSED, NO_SEAL);
}

/* A failure that passes is no lack of a key: nothing is written unsigned, and nothing refused. */
static void test_key_that_fails_for_a_moment(void **unused)
{
	const struct op op = {OP_PUT, CATEGORY_STATE, slice_of("a"), slice_of("1"), 0, NOW};
	const struct change_meta meta = {.tool = "memory_set"};
	struct journal journal;
	bool committed;
	struct err err;

	(void)unused;
	commit(false);
	assert_int_equal(journal_remove(&disk, &err), 0);
	reopen("store", SIGNED);
	fake_sys_fail(FAKE_OPENAT, 1, EIO, FAKE_ONCE);
	assert_int_equal(journal_commit(&disk, &op, 1, &meta, NOW, &committed, &err), -1);
	assert_int_equal(fake_sys_hits(), 1);
	assert_false(committed);
	assert_non_null(strstr(err.text, "Input/output error"));
	assert_false(tmpdir_has(&dir, "store/.journal"));
	assert_int_equal(disk.remarks.len, 0);
	commit(false);
	reopen("store", SIGNED);
	/* The first is that of the journal. */
	fake_sys_fail(FAKE_OPENAT, 2, EIO, FAKE_ONCE);
	assert_int_equal(journal_take(&journal, &disk, &err), -1);
	assert_true(tmpdir_has(&dir, "store/.journal"));
	check(BELIEVED, NULL);
}

/* Nor is it another store because nobody can say which this is. */
static void test_store_that_cannot_be_seen(void **unused)
{
	struct journal journal;
	struct err err;

	(void)unused;
	commit(false);
	reopen("store", SIGNED);
	fake_sys_fail(FAKE_STATX, 1, EIO, FAKE_ONCE);
	assert_int_equal(journal_take(&journal, &disk, &err), -1);
	assert_true(tmpdir_has(&dir, "store/.journal"));
	check(BELIEVED, NULL);
}

/* Only while the lock is held may somebody who looks make what is missing. */
static void test_looking_makes_no_key(void **unused)
{
	(void)unused;
	commit(false);
	assert_int_equal(unlink(key_path), 0);
	reopen("store", SIGNED);
	disk_unlock(&disk);
	check(REFUSED, FOREIGN_KEY);
	assert_int_equal(access(key_path, F_OK), -1);
}

static void take(void)
{
	struct journal journal;
	struct err err;

	if (journal_take(&journal, &disk, &err) != 0)
		fail_msg("%s", err.text);
	assert_false(journal.found);
	assert_false(journal.refused);
	journal_release(&journal);
}

static void test_set_aside(void **unused)
{
	(void)unused;
	leave("first");
	tmpdir_write(&dir, "store/.journal.aside-2", "a person's");
	take();
	assert_false(tmpdir_has(&dir, "store/.journal"));
	if (!strstr(disk.remarks.ptr, "/store/.journal is damaged (1:1: "))
		fail_msg("%s", disk.remarks.ptr);
	assert_non_null(strstr(disk.remarks.ptr, "set aside as .journal.aside-1 and not carried"));
	leave("second");
	take();
	/* Where names cannot be given so that they replace nothing. */
	fake_sys_no_rename_flags(EINVAL);
	leave("third");
	take();
	assert_int_equal(journal_next_aside(&disk, 0), 1);
	assert_int_equal(journal_next_aside(&disk, 3), 4);
	assert_int_equal(journal_next_aside(&disk, 4), 0);
	for (int n = 1; n <= 4; n++) {
		static const char *const texts[] = {"first", "a person's", "second", "third"};
		char name[64];
		char *text;

		snprintf(name, sizeof name, "store/.journal.aside-%d", n);
		text = tmpdir_read(&dir, name);
		assert_string_equal(text, texts[n - 1]);
		free(text);
	}
	/* A folder, a link: what has the name gets another one. */
	assert_int_equal(symlinkat("elsewhere", dir.fd, "store/.journal"), 0);
	take();
	assert_true(tmpdir_has(&dir, "store/.journal.aside-5"));
	assert_int_equal(mkdirat(dir.fd, "store/.journal", 0700), 0);
	take();
	assert_true(tmpdir_has(&dir, "store/.journal.aside-6"));
}

static void test_cannot_be_set_aside(void **unused)
{
	struct journal journal;
	struct err err;

	(void)unused;
	leave("no journal");
	fake_sys_fail(FAKE_RENAMEAT2, 1, EROFS, FAKE_ALWAYS);
	assert_int_equal(journal_take(&journal, &disk, &err), -1);
	assert_true(tmpdir_has(&dir, "store/.journal"));
	assert_non_null(strstr(err.text, "cannot set aside"));
	fake_sys_reset(NOW);
	for (int n = 1; n <= 1000; n++) {
		char name[64];

		snprintf(name, sizeof name, "store/.journal.aside-%d", n);
		assert_int_equal(symlinkat("x", dir.fd, name), 0);
	}
	assert_int_equal(journal_take(&journal, &disk, &err), -1);
	assert_non_null(strstr(err.text, "look at them and remove them"));
}

#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(test_own),
		UNIT(test_where_it_was_written),
		UNIT(test_no_birth_time),
		UNIT(test_odd_path),
		UNIT(test_other_key),
		UNIT(test_every_change_is_noticed),
		UNIT(test_unsigned),
		UNIT(test_unsigned_notes),
		UNIT(test_odd_signatures),
		UNIT(test_signed_without_a_place),
		UNIT(test_same_inode),
		UNIT(test_no_key),
		UNIT(test_key_that_fails_for_a_moment),
		UNIT(test_store_that_cannot_be_seen),
		UNIT(test_looking_makes_no_key),
		UNIT(test_set_aside),
		UNIT(test_cannot_be_set_aside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
