#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/usagefile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int usagefile_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	setenv("TZ", "UTC0", 1);
	fake_sys_reset(NOW);
	tmpdir_make(&f->dir);
	f->disk = (struct disk){
		.sys = fake_sys(), .path = f->dir.path, .dirfd = f->dir.fd, .lock_fd = -1};
	f->usage = usage_new(&f->disk);
	*state = f;
	return 0;
}

int usagefile_teardown(void **state)
{
	struct fixture *f = *state;

	usage_free(f->usage);
	usage_free(NULL);
	origin_release(&f->disk.origin); /* which disk_reopen() finds */
	tmpdir_remove(&f->dir);
	fake_sys_release();
	free(f);
	return 0;
}

void refresh(struct fixture *f)
{
	struct err err;

	if (usage_refresh(f->usage, &err) != 0)
		fail_msg("%s", err.text);
}

void put_file(struct fixture *f, const char *text)
{
	tmpdir_write(&f->dir, "usage.jsonl", text);
	refresh(f);
}

void append_text(struct fixture *f, const char *text)
{
	int fd = openat(f->dir.fd, "usage.jsonl", O_WRONLY | O_APPEND | O_CREAT, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

void assert_file(struct fixture *f, const char *expected)
{
	char *text = tmpdir_read(&f->dir, "usage.jsonl");

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

const struct usage_fact *find(struct fixture *f, const char *ref)
{
	return usage_find(f->usage, slice_of(ref));
}

int64_t hits(struct fixture *f, const char *ref)
{
	const struct usage_fact *fact = find(f, ref);

	return fact ? fact->hits : 0;
}

void hit(struct fixture *f, const char *ref)
{
	usage_count(f->usage, USAGE_HIT, &(struct slice){ref, strlen(ref)}, 1, NOW);
}
