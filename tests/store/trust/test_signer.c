#include "store/trust/signer.h"

#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEY ".local/state/kota-memory/key"
#define PROCESSES 8

static struct tmpdir dir;
static struct signer signer;

static const char *env(const char *name)
{
	return strcmp(name, "HOME") == 0 ? dir.path : NULL;
}

static int set_up(void **unused)
{
	(void)unused;
	tmpdir_make(&dir);
	fake_sys_reset(1000);
	fake_sys_root(dir.path);
	signer = (struct signer){0};
	return 0;
}

static int tear_down(void **unused)
{
	(void)unused;
	fake_sys_release();
	tmpdir_remove(&dir);
	return 0;
}

static void test_made_once(void **unused)
{
	struct signer other = {0};
	unsigned char tag[HMAC_BYTES];
	struct stat st;

	(void)unused;
	assert_int_equal(signer_ask(&signer, fake_sys(), env, NULL, false), SIGNER_ABSENT);
	assert_false(tmpdir_has(&dir, ".local"));
	assert_int_equal(signer_ask(&signer, fake_sys(), env, NULL, true), SIGNER_READY);
	assert_int_equal(fstatat(dir.fd, KEY, &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(st.st_size, 32);
	assert_true(fake_sys_at(FAKE_FSYNC, ".local/state/kota-memory/.key.tmp", 0) != SIZE_MAX);
	/* Never read again. */
	fake_sys_clear_trace();
	assert_int_equal(signer_ask(&signer, fake_sys(), env, NULL, true), SIGNER_READY);
	assert_int_equal(fake_sys_count(FAKE_ANY), 0);
	assert_int_equal(signer_ask(&other, fake_sys(), env, NULL, false), SIGNER_READY);
	assert_memory_equal(signer.key, other.key, sizeof other.key);
	signer_sign(&signer, slice_of("text"), tag);
	assert_true(signer_verify(&other, slice_of("text"), tag));
	assert_false(signer_verify(&other, slice_of("texT"), tag));
	signer_forget(&other);
	assert_false(signer_verify(&other, slice_of("text"), tag));
}

/* Another person, another key. */
static void test_keys_differ(void **unused)
{
	struct signer other = {0};
	unsigned char tag[HMAC_BYTES];

	(void)unused;
	signer_ask(&signer, fake_sys(), env, NULL, true);
	signer_sign(&signer, slice_of("text"), tag);
	assert_int_equal(unlinkat(dir.fd, KEY, 0), 0);
	signer_ask(&other, fake_sys(), env, NULL, true);
	assert_memory_not_equal(signer.key, other.key, sizeof other.key);
	assert_false(signer_verify(&other, slice_of("text"), tag));
}

static void assert_refused(const char *why)
{
	signer = (struct signer){0};
	assert_int_equal(signer_ask(&signer, fake_sys(), env, NULL, true), SIGNER_CANNOT);
	if (!strstr(signer.why.text, why))
		fail_msg("%s", signer.why.text);
}

static void test_key_of_others(void **unused)
{
	(void)unused;
	assert_int_equal(signer_ask(&signer, fake_sys(), env, NULL, true), SIGNER_READY);
	assert_int_equal(fchmodat(dir.fd, KEY, 0640, 0), 0);
	assert_refused("key can be read by others: remove it");
	assert_int_equal(fchmodat(dir.fd, KEY, 0604, 0), 0);
	assert_refused("key can be read by others: remove it");
	assert_int_equal(fchmodat(dir.fd, KEY, 0600, 0), 0);
	if (geteuid() == 0) {
		assert_int_equal(fchownat(dir.fd, KEY, 12345, 0, 0), 0);
		assert_refused("key belongs to another user (12345)");
		assert_int_equal(fchownat(dir.fd, KEY, 0, 0, 0), 0);
	}
	tmpdir_write(&dir, KEY, "short");
	assert_refused("key has 5 bytes instead of 32");
	tmpdir_write(&dir, KEY, "this one is longer than 32 bytes are.");
	assert_refused("key");
	tmpdir_write(&dir, "known", "thirty-two bytes that one knows.");
	assert_int_equal(unlinkat(dir.fd, KEY, 0), 0);
	assert_int_equal(symlinkat("../../../known", dir.fd, KEY), 0);
	assert_refused("key is a link");
}

static void test_no_folder(void **unused)
{
	unsigned char tag[HMAC_BYTES];

	(void)unused;
	assert_int_equal(fchmod(dir.fd, 0777), 0);
	assert_refused("can be written by others");
	signer = (struct signer){0};
	assert_int_equal(signer_ask(&signer, fake_sys(), NULL, NULL, true), SIGNER_CANNOT);
	/* What no key is would sign like one. */
	signer_sign(&signer, slice_of("text"), tag);
	assert_false(signer_verify(&signer, slice_of("text"), tag));
}

/* Whatever call fails, there is no key or a whole one, and nothing signs with half of one. */
static void test_each_call_fails(void **unused)
{
	unsigned n;

	(void)unused;
	for (n = 1;; n++) {
		struct stat st;
		enum signer_state state;

		fake_sys_reset(1000);
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		signer = (struct signer){0};
		state = signer_ask(&signer, fake_sys(), env, NULL, true);
		if (fake_sys_hits() == 0)
			break;
		if (fstatat(dir.fd, KEY, &st, 0) == 0)
			assert_int_equal(st.st_size, 32);
		else
			assert_int_equal(state, SIGNER_FAILED);
		/* It passes: nobody goes on without a key for that. */
		assert_true(state == SIGNER_READY || state == SIGNER_FAILED);
		fake_sys_reset(1000);
		assert_int_equal(signer_ask(&signer, fake_sys(), env, NULL, true), SIGNER_READY);
		unlinkat(dir.fd, KEY, 0);
	}
	assert_true(n > 20);
}

static const char *env_of_both(const char *name)
{
	static char state[PATH_MAX + 8];

	snprintf(state, sizeof state, "%s/state", dir.path);
	return strcmp(name, "XDG_STATE_HOME") == 0 ? state : env(name);
}

/* What is looked for in the one folder is not looked for in the other because the first fails. */
static void test_no_other_key(void **unused)
{
	struct signer known = {0};
	unsigned n;

	(void)unused;
	assert_int_equal(signer_ask(&known, fake_sys(), env, NULL, true), SIGNER_READY);
	known = (struct signer){0};
	assert_int_equal(signer_ask(&known, fake_sys(), env_of_both, NULL, true), SIGNER_READY);
	for (n = 1;; n++) {
		enum signer_state state;

		fake_sys_reset(1000);
		fake_sys_fail(FAKE_ANY, n, n % 2 ? EIO : EMFILE, FAKE_ONCE);
		signer = (struct signer){0};
		state = signer_ask(&signer, fake_sys(), env_of_both, NULL, true);
		if (fake_sys_hits() == 0)
			break;
		assert_true(state == SIGNER_READY || state == SIGNER_FAILED);
		if (state == SIGNER_READY)
			assert_memory_equal(signer.key, known.key, sizeof known.key);
	}
	assert_true(n > 8);
}

/* No space, a lock that is held: it passes. Not allowed, or read-only: there can be no key. */
static void test_what_passes(void **unused)
{
	static const struct {
		enum fake_call call;
		int error;
		enum signer_state state;
	} cases[] = {
		{FAKE_WRITE, ENOSPC, SIGNER_FAILED},      {FAKE_MKDIRAT, EDQUOT, SIGNER_FAILED},
		{FAKE_FLOCK, EWOULDBLOCK, SIGNER_FAILED}, {FAKE_OPENAT, ENFILE, SIGNER_FAILED},
		{FAKE_MKDIRAT, EROFS, SIGNER_CANNOT},     {FAKE_MKDIRAT, EACCES, SIGNER_CANNOT},
		{FAKE_OPENAT, EACCES, SIGNER_CANNOT},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		STR_AUTO remove = STR_INIT;

		str_printf(&remove, "rm -rf '%s/.local'", dir.path);
		assert_int_equal(system(remove.ptr), 0);
		fake_sys_reset(1000);
		fake_sys_fail(cases[i].call, 1, cases[i].error, FAKE_ALWAYS);
		signer = (struct signer){0};
		assert_int_equal(signer_ask(&signer, fake_sys(), env, NULL, true), cases[i].state);
	}
	fake_sys_reset(1000);
	assert_int_equal(signer_ask(&signer, fake_sys(), env, NULL, true), SIGNER_READY);
	/* A key that the user may not read stays one. */
	fake_sys_fail(FAKE_OPENAT, 3, EACCES, FAKE_ONCE);
	signer = (struct signer){0};
	assert_int_equal(signer_ask(&signer, fake_sys(), env, NULL, true), SIGNER_CANNOT);
	assert_non_null(strstr(signer.why.text, "cannot open key"));
}

static int ask(int out)
{
	struct signer mine = {0};

	if (signer_ask(&mine, sys_real(), env, NULL, true) != SIGNER_READY)
		return 1;
	return write(out, mine.key, sizeof mine.key) == sizeof mine.key ? 0 : 1;
}

/* All at once where there is none: all have the same. */
static void test_processes_agree(void **unused)
{
	unsigned char keys[PROCESSES][HMAC_BYTES];
	int ends[2];

	(void)unused;
	assert_int_equal(pipe(ends), 0);
	for (int i = 0; i < PROCESSES; i++) {
		if (fork() == 0)
			_exit(ask(ends[1]));
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(read(ends[0], keys, sizeof keys), sizeof keys);
	for (int i = 1; i < PROCESSES; i++)
		assert_memory_equal(keys[0], keys[i], sizeof keys[i]);
	close(ends[0]);
	close(ends[1]);
}

#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(test_made_once),   UNIT(test_keys_differ),     UNIT(test_key_of_others),
		UNIT(test_no_folder),   UNIT(test_each_call_fails), UNIT(test_no_other_key),
		UNIT(test_what_passes), UNIT(test_processes_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
