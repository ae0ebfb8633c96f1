#include "store/trust/origin.h"

#include "base/file.h"
#include "store/files/dir_lock.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct tmpdir dir;
static char state_home[PATH_MAX + 8];
static char data_home[PATH_MAX + 8];
static const char *sudo_uid;

static const char *lookup(const char *name)
{
	if (strcmp(name, "XDG_STATE_HOME") == 0)
		return state_home;
	if (strcmp(name, "XDG_DATA_HOME") == 0)
		return data_home;
	return strcmp(name, "SUDO_UID") == 0 ? sudo_uid : NULL;
}

static bool runs(const char *script)
{
	STR_AUTO command = STR_INIT;

	str_printf(&command,
		   "exec >/dev/null 2>&1; set -e; cd %s; "
		   "export HOME=%s GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@a "
		   "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@a\n%s",
		   dir.path, dir.path, script);
	return system(command.ptr) == 0;
}

static void sh(const char *script)
{
	if (!runs(script))
		fail_msg("%s", script);
}

static int setup(void **state)
{
	(void)state;
	tmpdir_make(&dir);
	snprintf(state_home, sizeof state_home, "%s/state", dir.path);
	snprintf(data_home, sizeof data_home, "%s/own", dir.path);
	sudo_uid = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tmpdir_remove(&dir);
	return 0;
}

#define NEEDS_GIT()                                                                                \
	do {                                                                                       \
		if (!runs("git --version")) {                                                      \
			print_message("skipped: needs git (package git)\n");                       \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

/* An upstream repository with a store in it. */
static void make_upstream(void)
{
	sh("git init -q up; mkdir -p up/data/kota_memory; cd up; "
	   "echo '{\"a\":\"b\"}' >data/kota_memory/state.json; git add -A; git commit -qm one");
}

static int open_folder(const char *name)
{
	int fd = openat(dir.fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		fail_msg("cannot open %s", name);
	return fd;
}

static struct origin find(const char *name)
{
	struct origin origin;
	int fd = open_folder(name);
	struct err err;

	if (origin_find(&origin, sys_real(), lookup, fd, name, false, &err) != 0)
		fail_msg("%s", err.text);
	close(fd);
	return origin;
}

static enum origin_kind kind_of(const char *name)
{
	struct origin origin = find(name);
	enum origin_kind kind = origin.kind;

	origin_release(&origin);
	return kind;
}

static void trust(const char *name)
{
	struct origin origin = find(name);
	int fd = open_folder(name);
	struct err err;

	if (origin_register(&origin, sys_real(), lookup, fd, true, &err) != 0)
		fail_msg("%s", err.text);
	origin_release(&origin);
	close(fd);
}

#define CLONE "c/data/kota_memory"

static void test_the_persons_own_place(void **state)
{
	(void)state;
	sh("mkdir -p own/kota_memory");
	assert_int_equal(kind_of("own/kota_memory"), ORIGIN_OWN);
}

/* Made by hand, by the original handler, or by an earlier version. */
static void test_a_folder_without_a_repository_is_not_reviewed(void **state)
{
	struct origin origin;

	(void)state;
	sh("mkdir -p p/data/kota_memory; echo '{}' >p/data/kota_memory/state.json");
	origin = find("p/data/kota_memory");
	assert_int_equal(origin.kind, ORIGIN_UNREVIEWED);
	assert_false(origin.surrounded);
	assert_false(origin_speaks_unasked(&origin));
	assert_true(origin_may_change(&origin));
	assert_false(origin_settles(&origin));
	/* A path that somebody typed is not one that was found. */
	origin.named = true;
	assert_true(origin_speaks_unasked(&origin));
	assert_false(origin_links_lead_out(&origin));
	origin_release(&origin);
}

static void test_a_project_that_does_not_track_it_is_not_reviewed(void **state)
{
	struct origin origin;

	(void)state;
	NEEDS_GIT();
	sh("git init -q p; mkdir -p p/data/kota_memory; touch p/README p/data/kota_memory/x; "
	   "cd p; git add README; git commit -qm one");
	origin = find("p/data/kota_memory");
	assert_int_equal(origin.kind, ORIGIN_UNREVIEWED);
	assert_true(origin.surrounded);
	assert_true(origin_speaks_unasked(&origin));
	origin_release(&origin);
}

static void test_what_came_with_a_repository_is_foreign(void **state)
{
	struct origin origin;

	(void)state;
	NEEDS_GIT();
	make_upstream();
	sh("git clone -q up c");
	origin = find(CLONE);
	assert_int_equal(origin.kind, ORIGIN_FOREIGN);
	assert_false(origin_may_change(&origin));
	assert_false(origin_speaks_unasked(&origin));
	assert_false(origin_believes(&origin, STATE_USAGE));
	origin_release(&origin);
}

static void test_naming_a_foreign_store_lets_it_be_changed_and_no_more(void **state)
{
	struct origin origin;
	struct err err;
	int fd;

	(void)state;
	NEEDS_GIT();
	make_upstream();
	sh("git clone -q up c");
	fd = open_folder(CLONE);
	assert_int_equal(origin_find(&origin, sys_real(), lookup, fd, CLONE, true, &err), 0);
	close(fd);
	assert_int_equal(origin.kind, ORIGIN_FOREIGN);
	assert_true(origin_may_change(&origin));
	assert_false(origin_links_lead_out(&origin));
	assert_false(origin_believes(&origin, STATE_GIT));
	origin_release(&origin);
	assert_int_equal(kind_of(CLONE), ORIGIN_FOREIGN);
}

static void test_trust_survives_a_move_and_covers_nothing_that_git_names(void **state)
{
	struct origin origin;

	(void)state;
	NEEDS_GIT();
	make_upstream();
	sh("cd up; touch data/kota_memory/usage.jsonl data/kota_memory/.journal "
	   "data/kota_memory/.state.json.prev; git add -A; git commit -qm two; cd ..; "
	   "git clone -q up c");
	trust(CLONE);
	origin = find(CLONE);
	assert_int_equal(origin.kind, ORIGIN_OWN);
	assert_true(origin.tracked);
	assert_false(origin_links_lead_out(&origin));
	assert_false(origin_settles(&origin));
	assert_false(origin_believes(&origin, STATE_USAGE));
	assert_false(origin_believes(&origin, STATE_JOURNAL));
	assert_false(origin_believes(&origin, STATE_DISPLACED));
	assert_true(origin_believes(&origin, STATE_PENDING));
	origin_release(&origin);
	sh("mv c moved");
	assert_int_equal(kind_of("moved/data/kota_memory"), ORIGIN_OWN);
}

/* ext4 gives the same inode again: only the birth time and the time of the clone differ. */
static void test_another_clone_is_never_trusted(void **state)
{
	(void)state;
	NEEDS_GIT();
	make_upstream();
	sh("git clone -q up c");
	trust(CLONE);
	for (int i = 0; i < 20; i++) {
		sh("rm -rf c; git clone -q up c");
		assert_int_equal(kind_of(CLONE), ORIGIN_FOREIGN);
		sh("rm -rf c d; git clone -q up d");
		assert_int_equal(kind_of("d/data/kota_memory"), ORIGIN_FOREIGN);
	}
}

/* A backup, a container with the same folders, a home copied to a new machine. */
static void test_a_restored_copy_at_its_place_is_still_trusted(void **state)
{
	(void)state;
	NEEDS_GIT();
	make_upstream();
	sh("git clone -q up c");
	trust(CLONE);
	sh("cp -a c copy; rm -rf c; cp -a copy c");
	assert_int_equal(kind_of(CLONE), ORIGIN_OWN);
	assert_int_equal(kind_of("copy/data/kota_memory"), ORIGIN_FOREIGN);
	sh("tar cf c.tar c; rm -rf c; tar xf c.tar");
	assert_int_equal(kind_of(CLONE), ORIGIN_OWN);
}

static void test_trust_can_be_taken_back(void **state)
{
	struct origin origin;
	struct err err;
	bool was;
	int fd;

	(void)state;
	NEEDS_GIT();
	make_upstream();
	sh("git clone -q up c");
	trust(CLONE);
	origin = find(CLONE);
	fd = open_folder(CLONE);
	assert_int_equal(origin_unregister(&origin, sys_real(), lookup, fd, &was, &err), 0);
	assert_true(was);
	assert_int_equal(origin_unregister(&origin, sys_real(), lookup, fd, &was, &err), 0);
	assert_false(was);
	close(fd);
	origin_release(&origin);
	assert_int_equal(kind_of(CLONE), ORIGIN_FOREIGN);
}

static void test_a_submodule_is_foreign(void **state)
{
	(void)state;
	NEEDS_GIT();
	sh("git init -q m; echo '{}' >m/state.json; cd m; git add -A; git commit -qm one; cd ..; "
	   "git init -q up; mkdir up/data; cd up; "
	   "git -c protocol.file.allow=always submodule --quiet add ../m data/kota_memory; "
	   "git commit -qm one; cd ..; "
	   "git -c protocol.file.allow=always clone -q --recursive up c");
	assert_int_equal(kind_of(CLONE), ORIGIN_FOREIGN);
}

static void test_an_index_that_cannot_be_read_names_everything(void **state)
{
	struct origin origin;

	(void)state;
	sh("mkdir -p p/.git p/data/kota_memory; echo no index >p/.git/index; "
	   "echo '{}' >p/data/kota_memory/state.json");
	origin = find("p/data/kota_memory");
	assert_int_equal(origin.kind, ORIGIN_FOREIGN);
	assert_false(origin_believes(&origin, STATE_PENDING));
	origin_release(&origin);
	sh("rm p/.git/index; mkfifo p/.git/index");
	assert_int_equal(kind_of("p/data/kota_memory"), ORIGIN_FOREIGN);
}

static void test_a_file_of_another_user_makes_the_store_foreign(void **state)
{
	struct origin origin;

	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: only root can give a file away\n");
		skip();
	}
	sh("mkdir -p p/data/kota_memory; echo '{}' >p/data/kota_memory/state.json; "
	   "chown 1234 p/data/kota_memory/state.json");
	origin = find("p/data/kota_memory");
	assert_int_equal(origin.kind, ORIGIN_FOREIGN);
	assert_true(origin.other_owner);
	origin_release(&origin);
	sudo_uid = "1234";
	assert_int_equal(kind_of("p/data/kota_memory"), ORIGIN_UNREVIEWED);
	sh("chown 1234 p/data/kota_memory");
	assert_int_equal(kind_of("p/data/kota_memory"), ORIGIN_UNREVIEWED);
	sudo_uid = "12345";
	assert_int_equal(kind_of("p/data/kota_memory"), ORIGIN_FOREIGN);
}

static bool may_follow(const char *name, const char *file, const char *target)
{
	struct origin origin = find(name);
	int fd = open_folder(name);
	bool may = origin_may_follow(&origin, sys_real(), lookup, fd, file, target);

	origin_release(&origin);
	close(fd);
	return may;
}

static void test_links_lead_where_they_were_first_seen_to_lead(void **state)
{
	(void)state;
	sh("mkdir -p own/kota_memory");
	assert_true(may_follow("own/kota_memory", "state.json", "/dotfiles/state.json"));
	assert_true(may_follow("own/kota_memory", "state.json", "/dotfiles/state.json"));
	assert_false(may_follow("own/kota_memory", "state.json", "/elsewhere/state.json"));
	assert_true(may_follow("own/kota_memory", "patterns.json", "/elsewhere/state.json"));
}

static void test_links_of_a_store_that_is_not_reviewed_stay_inside(void **state)
{
	STR_AUTO inside = STR_INIT;

	(void)state;
	sh("mkdir -p p/data/kota_memory; echo '{}' >p/data/kota_memory/state.json");
	str_printf(&inside, "%s/p/data/kota_memory/other.json", dir.path);
	assert_true(may_follow("p/data/kota_memory", "state.json", inside.ptr));
	str_clear(&inside);
	str_printf(&inside, "%s/p/data/kota_memory2/other.json", dir.path);
	assert_false(may_follow("p/data/kota_memory", "state.json", inside.ptr));
	assert_false(may_follow("p/data/kota_memory", "state.json", "/x"));
}

static void test_trust_records_the_links_that_it_sees(void **state)
{
	STR_AUTO target = STR_INIT;

	(void)state;
	sh("mkdir -p p/data/kota_memory; echo '{}' >real.json; "
	   "ln -s ../../../real.json p/data/kota_memory/state.json");
	trust("p/data/kota_memory");
	str_printf(&target, "%s/real.json", dir.path);
	assert_true(may_follow("p/data/kota_memory", "state.json", target.ptr));
	assert_false(may_follow("p/data/kota_memory", "state.json", "/x"));
	assert_false(may_follow("p/data/kota_memory", "patterns.json", target.ptr));
}

static int failing_fstat(int fd, struct stat *out)
{
	(void)fd;
	(void)out;
	errno = EIO;
	return -1;
}

static int failing_fstatat(int dirfd, const char *path, struct stat *out, int flags)
{
	(void)dirfd;
	(void)path;
	(void)out;
	(void)flags;
	errno = EIO;
	return -1;
}

/* An owner who cannot be seen is not another one: the server would hold the store for foreign. */
static void test_owner_that_cannot_be_seen(void **state)
{
	struct sys folder = *sys_real();
	struct sys files = *sys_real();
	const struct sys *const tables[] = {&folder, &files};
	struct origin origin;
	struct err err;

	(void)state;
	folder.fstat = failing_fstat;
	files.fstatat = failing_fstatat;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		assert_int_equal(
			origin_find(&origin, tables[i], lookup, dir.fd, dir.path, false, &err), -1);
		assert_int_equal(err.code, ERR_IO);
	}
}

/* Nor is a store that nobody registered one whose register cannot be read for the moment. */
static void test_register_that_cannot_be_read(void **state)
{
	unsigned n;
	int fd;

	(void)state;
	sh("mkdir -p own p/data/kota_memory; echo '{}' >p/data/kota_memory/state.json");
	trust("p/data/kota_memory");
	fd = open_folder("p/data/kota_memory");
	for (n = 1;; n++) {
		struct origin origin;
		struct err err;
		int result;

		fake_sys_reset(1000);
		fake_sys_fail(FAKE_ANY, n, n % 2 ? EIO : EMFILE, FAKE_ONCE);
		result = origin_find(&origin, fake_sys(), lookup, fd, "p/data/kota_memory", false,
				     &err);
		if (result == 0) {
			assert_int_equal(origin.kind, ORIGIN_OWN);
			assert_true(origin.trusted);
			origin_release(&origin);
		}
		if (fake_sys_hits() == 0)
			break;
	}
	assert_true(n > 20);
	close(fd);
	fake_sys_release();
	/* One that is not the person's alone to write says nothing. */
	sh("chmod go+w state/kota-memory");
	assert_int_equal(kind_of("p/data/kota_memory"), ORIGIN_UNREVIEWED);
}

/* A folder with somebody's entries in it is not taken for a new one when they cannot be seen. */
static void test_entries_that_cannot_be_seen(void **state)
{
	size_t hits = 1;

	(void)state;
	for (unsigned n = 1; hits > 0; n++) {
		char path[PATH_MAX + 32];
		struct place place = {.path = path, .kind = PLACE_PROJECT};
		struct disk disk;
		struct err err;

		sh("rm -rf p; mkdir -p p/data/kota_memory; echo '{}' "
		   ">p/data/kota_memory/state.json");
		snprintf(path, sizeof path, "%s/p/data/kota_memory", dir.path);
		fake_sys_reset(1000);
		assert_int_equal(disk_open_at(&disk, fake_sys(), lookup, &place, &err), 0);
		fake_sys_fail(FAKE_FSTATAT, n, EIO, FAKE_ONCE);
		if (disk_lock(&disk, 0, &err) == 0)
			disk_unlock(&disk);
		hits = fake_sys_hits();
		disk_close(&disk);
		assert_int_equal(kind_of("p/data/kota_memory"), ORIGIN_UNREVIEWED);
	}
	fake_sys_release();
}

static void test_personal_place_that_cannot_be_seen(void **state)
{
	unsigned n;
	int fd;

	(void)state;
	sh("mkdir -p own/kota_memory");
	fd = open_folder("own/kota_memory");
	for (n = 1;; n++) {
		struct origin origin;
		struct err err;

		fake_sys_reset(1000);
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		if (origin_find(&origin, fake_sys(), lookup, fd, "own/kota_memory", false, &err) ==
		    0) {
			assert_true(origin.personal);
			origin_release(&origin);
		}
		if (fake_sys_hits() == 0)
			break;
	}
	close(fd);
	fake_sys_release();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_the_persons_own_place),
		TEST(test_a_folder_without_a_repository_is_not_reviewed),
		TEST(test_a_project_that_does_not_track_it_is_not_reviewed),
		TEST(test_what_came_with_a_repository_is_foreign),
		TEST(test_naming_a_foreign_store_lets_it_be_changed_and_no_more),
		TEST(test_trust_survives_a_move_and_covers_nothing_that_git_names),
		TEST(test_another_clone_is_never_trusted),
		TEST(test_a_restored_copy_at_its_place_is_still_trusted),
		TEST(test_trust_can_be_taken_back),
		TEST(test_a_submodule_is_foreign),
		TEST(test_an_index_that_cannot_be_read_names_everything),
		TEST(test_a_file_of_another_user_makes_the_store_foreign),
		TEST(test_links_lead_where_they_were_first_seen_to_lead),
		TEST(test_links_of_a_store_that_is_not_reviewed_stay_inside),
		TEST(test_trust_records_the_links_that_it_sees),
		TEST(test_owner_that_cannot_be_seen),
		TEST(test_register_that_cannot_be_read),
		TEST(test_entries_that_cannot_be_seen),
		TEST(test_personal_place_that_cannot_be_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
