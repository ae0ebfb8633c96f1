#include "store/files/lock_queue.h"

#include "store/files/dir_lock.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#define NOW INT64_C(1795249800000)
#define CROWD 40

static void each_has_its_turn(void **state)
{
	struct lock_queue queue[CROWD];
	struct tmpdir dir;

	(void)state;
	tmpdir_make(&dir);
	assert_false(lock_queue_is_busy(sys_real(), dir.fd));
	assert_false(tmpdir_has(&dir, ".lock.queue"));
	for (int i = 0; i < CROWD; i++) {
		lock_queue_join(&queue[i], sys_real(), dir.fd);
		assert_int_equal(lock_queue_is_first(&queue[i]), i == 0);
		assert_true(lock_queue_is_busy(sys_real(), dir.fd));
	}
	/* Somebody in the middle is killed. */
	lock_queue_leave(&queue[CROWD / 2]);
	for (int i = 0; i < CROWD; i++) {
		if (i == CROWD / 2)
			continue;
		for (int k = i + 1; k < CROWD; k++)
			assert_false(k != CROWD / 2 && lock_queue_is_first(&queue[k]));
		assert_true(lock_queue_is_first(&queue[i]));
		lock_queue_leave(&queue[i]);
	}
	assert_false(lock_queue_is_busy(sys_real(), dir.fd));
	tmpdir_remove(&dir);
}

static void without_a_file_there_is_no_order(void **state)
{
	struct lock_queue queue;
	struct tmpdir dir;

	(void)state;
	tmpdir_make(&dir);
	assert_int_equal(mkfifoat(dir.fd, ".lock.queue", 0600), 0);
	lock_queue_join(&queue, sys_real(), dir.fd);
	assert_true(lock_queue_is_first(&queue));
	assert_false(lock_queue_is_busy(sys_real(), dir.fd));
	lock_queue_leave(&queue);
	assert_int_equal(unlinkat(dir.fd, ".lock.queue", 0), 0);
	fake_sys_reset(NOW);
	fake_sys_fail(FAKE_LOCK_BYTES, 1, ENOLCK, FAKE_ALWAYS);
	lock_queue_join(&queue, fake_sys(), dir.fd);
	assert_true(lock_queue_is_first(&queue));
	lock_queue_leave(&queue);
	fake_sys_release();
	tmpdir_remove(&dir);
}

/* The lock is free, and somebody came before. */
static void nobody_jumps_the_queue(void **state)
{
	struct lock_queue first;
	struct disk disk;
	struct tmpdir dir;
	struct err err;

	(void)state;
	fake_sys_reset(NOW);
	tmpdir_make(&dir);
	assert_int_equal(disk_open(&disk, fake_sys(), dir.path, &err), 0);
	assert_int_equal(disk_lock(&disk, 0, &err), 0);
	disk_unlock(&disk);
	lock_queue_join(&first, sys_real(), dir.fd);
	assert_int_equal(disk_lock(&disk, 0, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_int_equal(disk_lock(&disk, DISK_LOCK_WAIT_MS, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	lock_queue_leave(&first);
	assert_int_equal(disk_lock(&disk, 0, &err), 0);
	disk_close(&disk);
	fake_sys_release();
	tmpdir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_its_turn),
		cmocka_unit_test(without_a_file_there_is_no_order),
		cmocka_unit_test(nobody_jumps_the_queue),
	};

	return cmocka_run_group_tests_name("lock_queue", tests, NULL, NULL);
}
