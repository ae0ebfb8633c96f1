#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/txn/metadata.h"

#include "base/time.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOW INT64_C(1795249800123) /* 2026-11-21T09:30:00.123+01:00 */

struct fixture {
	struct tmpdir dir;
	struct disk disk;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	setenv("TZ", "CET-1", 1);
	fake_sys_reset(NOW);
	tmpdir_make(&f->dir);
	f->disk = (struct disk){
		.sys = fake_sys(), .path = f->dir.path, .dirfd = f->dir.fd, .lock_fd = -1};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tmpdir_remove(&f->dir);
	fake_sys_release();
	free(f);
	return 0;
}

static const struct metadata sample = {
	.updated_ms = NOW,
	.cleanup_ms = NOW - 1000,
	.counts = {1, 2, 3, 4, 5},
	.bytes = {10, 20, 30, 40, 50},
	.archive_counts = {0, 1, 0, 0, 2},
	.archive_bytes = {0, 100, 0, 0, 200},
};

static void write_metadata(struct fixture *f, const struct metadata *metadata)
{
	struct err err;

	if (metadata_write(&f->disk, metadata, &err) != 0)
		fail_msg("%s", err.text);
}

static void writes_the_documented_form(void **state)
{
	struct fixture *f = *state;
	char *text;

	write_metadata(f, &sample);
	text = tmpdir_read(&f->dir, "metadata.json");
	assert_string_equal(text, "{\n"
				  "  \"version\": 2,\n"
				  "  \"updatedAt\": \"2026-11-21T09:30:00.123+01:00\",\n"
				  "  \"lastCleanup\": \"2026-11-21T09:29:59.123+01:00\",\n"
				  "  \"counts\": {\n"
				  "    \"preferences\": 1,\n"
				  "    \"connections\": 2,\n"
				  "    \"patterns\": 3,\n"
				  "    \"shortcuts\": 4,\n"
				  "    \"state\": 5\n"
				  "  },\n"
				  "  \"bytes\": {\n"
				  "    \"total\": 1185,\n"
				  "    \"metadata\": 735,\n"
				  "    \"categories\": {\n"
				  "      \"preferences\": 10,\n"
				  "      \"connections\": 20,\n"
				  "      \"patterns\": 30,\n"
				  "      \"shortcuts\": 40,\n"
				  "      \"state\": 50\n"
				  "    },\n"
				  "    \"archives\": {\n"
				  "      \"preferences\": 0,\n"
				  "      \"connections\": 100,\n"
				  "      \"patterns\": 0,\n"
				  "      \"shortcuts\": 0,\n"
				  "      \"state\": 200\n"
				  "    }\n"
				  "  },\n"
				  "  \"archives\": {\n"
				  "    \"counts\": {\n"
				  "      \"preferences\": 0,\n"
				  "      \"connections\": 1,\n"
				  "      \"patterns\": 0,\n"
				  "      \"shortcuts\": 0,\n"
				  "      \"state\": 2\n"
				  "    },\n"
				  "    \"total\": 3\n"
				  "  }\n"
				  "}\n");
	assert_int_equal(strlen(text), 735);
	free(text);
	assert_false(tmpdir_has(&f->dir, ".metadata.json.tmp"));
}

static int64_t number(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	assert_non_null(at);
	return strtoll(at + strlen(name), NULL, 10);
}

/* Sizes at which the number of digits of the total changes are met on the way. */
static void states_its_own_size_whatever_the_digits(void **state)
{
	struct fixture *f = *state;
	struct metadata metadata = sample;

	for (int64_t bytes = 8700; bytes < 9200; bytes++) {
		char *text;

		metadata.bytes[0] = bytes;
		write_metadata(f, &metadata);
		text = tmpdir_read(&f->dir, "metadata.json");
		assert_int_equal(number(text, "\"metadata\": "), strlen(text));
		assert_int_equal(number(text, "\"total\": "),
				 bytes + 140 + 300 + (int64_t)strlen(text));
		free(text);
	}
}

static void reads_the_last_cleanup(void **state)
{
	struct fixture *f = *state;
	struct metadata metadata = sample;

	assert_true(metadata_last_cleanup(&f->disk) == TIME_NONE);
	write_metadata(f, &metadata);
	assert_int_equal(metadata_last_cleanup(&f->disk), NOW - 1000);
	metadata.cleanup_ms = TIME_NONE;
	write_metadata(f, &metadata);
	assert_true(metadata_last_cleanup(&f->disk) == TIME_NONE);
}

static void believes_no_odd_file(void **state)
{
	static const char *const texts[] = {
		"",
		"{\"lastCleanup\": \"2026-11-21T09:30:00Z\"",
		"\"2026-11-21T09:30:00Z\"",
		"[\"2026-11-21T09:30:00Z\"]",
		"{\"lastCleanup\": 5}",
		"{\"lastCleanup\": \"yesterday\"}",
	};
	struct fixture *f = *state;
	struct disk absent = f->disk;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		tmpdir_write(&f->dir, "metadata.json", texts[i]);
		assert_true(metadata_last_cleanup(&f->disk) == TIME_NONE);
	}
	tmpdir_write(&f->dir, "metadata.json", "{\"lastCleanup\": \"2026-11-21T08:30:00.123Z\"}");
	assert_int_equal(metadata_last_cleanup(&f->disk), NOW);
	absent.dirfd = -1;
	assert_true(metadata_last_cleanup(&absent) == TIME_NONE);
}

static void replaces_a_link_and_follows_none(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	char *text;

	tmpdir_write(&f->dir, "other", "{\"lastCleanup\": \"2026-11-21T08:30:00.123Z\"}");
	assert_int_equal(symlinkat("other", f->dir.fd, "metadata.json"), 0);
	assert_true(metadata_last_cleanup(&f->disk) == TIME_NONE);
	write_metadata(f, &sample);
	assert_int_equal(fstatat(f->dir.fd, "metadata.json", &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISREG(st.st_mode));
	text = tmpdir_read(&f->dir, "other");
	assert_string_equal(text, "{\"lastCleanup\": \"2026-11-21T08:30:00.123Z\"}");
	free(text);
}

static void does_not_block_on_a_fifo(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkfifoat(f->dir.fd, "metadata.json", 0600), 0);
	assert_true(metadata_last_cleanup(&f->disk) == TIME_NONE);
	write_metadata(f, &sample);
	assert_int_equal(metadata_last_cleanup(&f->disk), NOW - 1000);
}

static mode_t mode_of(struct fixture *f)
{
	struct stat st;

	assert_int_equal(fstatat(f->dir.fd, "metadata.json", &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 07777;
}

static void is_private_and_stays_tighter(void **state)
{
	struct fixture *f = *state;
	mode_t umask_before = umask(0777);

	write_metadata(f, &sample);
	umask(umask_before);
	assert_int_equal(mode_of(f), 0600);
	assert_int_equal(fchmodat(f->dir.fd, "metadata.json", 0644, 0), 0);
	write_metadata(f, &sample);
	assert_int_equal(mode_of(f), 0600);
	assert_int_equal(fchmodat(f->dir.fd, "metadata.json", 0400, 0), 0);
	write_metadata(f, &sample);
	assert_int_equal(mode_of(f), 0400);
}

static void does_not_fsync_and_takes_over_a_stale_temporary(void **state)
{
	struct fixture *f = *state;

	tmpdir_write(&f->dir, ".metadata.json.tmp", "half");
	write_metadata(f, &sample);
	assert_false(tmpdir_has(&f->dir, ".metadata.json.tmp"));
	assert_int_equal(fake_sys_count(FAKE_FSYNC), 0);
	assert_int_equal(metadata_last_cleanup(&f->disk), NOW - 1000);
}

/* Whatever call fails: the old file or the new one, no temporary one, and a sentence. */
static void fails_whole(void **state)
{
	struct fixture *f = *state;
	struct metadata metadata = sample;
	unsigned n;

	write_metadata(f, &sample);
	metadata.cleanup_ms = NOW;
	for (n = 1;; n++) {
		struct err err = {0};
		int result;

		fake_sys_reset(NOW);
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		result = metadata_write(&f->disk, &metadata, &err);
		if (fake_sys_hits() == 0)
			break;
		fake_sys_reset(NOW);
		if (result != 0) {
			assert_int_equal(err.code, ERR_CANNOT_WRITE);
			assert_non_null(strstr(err.text, "metadata.json"));
			assert_int_equal(metadata_last_cleanup(&f->disk), NOW - 1000);
		} else {
			assert_int_equal(metadata_last_cleanup(&f->disk), NOW);
			write_metadata(f, &sample);
		}
		assert_int_equal(tmpdir_count(&f->dir),
				 tmpdir_has(&f->dir, ".metadata.json.spare") ? 2 : 1);
	}
	assert_true(n > 5);
}

/* Two files take turns: nothing is made and nothing removed once both are there. */
static void two_files_take_turns(void **state)
{
	struct fixture *f = *state;

	write_metadata(f, &sample);
	write_metadata(f, &sample);
	fake_sys_reset(NOW);
	write_metadata(f, &sample);
	assert_int_equal(fake_sys_count(FAKE_UNLINKAT), 0);
	assert_int_equal(fake_sys_count(FAKE_RENAMEAT2), 1);
	assert_int_equal(tmpdir_count(&f->dir), 2);
	assert_int_equal(metadata_last_cleanup(&f->disk), NOW - 1000);
}

/* A spare that leads elsewhere is not written to. */
static void a_spare_of_somebody_else_is_not_written(void **state)
{
	struct fixture *f = *state;
	char *text;

	write_metadata(f, &sample);
	unlinkat(f->dir.fd, ".metadata.json.spare", 0);
	tmpdir_write(&f->dir, "mine", "precious");
	assert_int_equal(symlinkat("mine", f->dir.fd, ".metadata.json.spare"), 0);
	write_metadata(f, &sample);
	unlinkat(f->dir.fd, ".metadata.json.spare", 0);
	assert_int_equal(linkat(f->dir.fd, "mine", f->dir.fd, ".metadata.json.spare", 0), 0);
	write_metadata(f, &sample);
	text = tmpdir_read(&f->dir, "mine");
	assert_string_equal(text, "precious");
	free(text);
	assert_int_equal(metadata_last_cleanup(&f->disk), NOW - 1000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(writes_the_documented_form),
		TEST(two_files_take_turns),
		TEST(a_spare_of_somebody_else_is_not_written),
		TEST(states_its_own_size_whatever_the_digits),
		TEST(reads_the_last_cleanup),
		TEST(believes_no_odd_file),
		TEST(replaces_a_link_and_follows_none),
		TEST(does_not_block_on_a_fifo),
		TEST(is_private_and_stays_tighter),
		TEST(does_not_fsync_and_takes_over_a_stale_temporary),
		TEST(fails_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
