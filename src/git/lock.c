#include "git/lock.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define LOCK_TEXT "kota-memory"

static bool is_our_link(const struct sys *sys, const char *path)
{
	char text[sizeof LOCK_TEXT + 1];
	ssize_t len = sys->readlinkat(AT_FDCWD, path, text, sizeof text);

	return len == (ssize_t)sizeof LOCK_TEXT - 1 && memcmp(text, LOCK_TEXT, (size_t)len) == 0;
}

static bool is_our_file(const struct sys *sys, const char *path)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	return file_read_own(sys, AT_FDCWD, path, 4096, &text, &id, &ignored) == 0 && id.present &&
	       slice_is(str_slice(&text), LOCK_TEXT "\n");
}

static int make_file(const struct sys *sys, const char *path)
{
	int fd = file_open(sys, AT_FDCWD, path,
			   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct err ignored;
	int result;

	if (fd < 0)
		return -1;
	result = file_write_all(sys, fd, slice_of(LOCK_TEXT "\n"), &ignored);
	file_close(sys, &fd);
	if (result != 0)
		sys->unlinkat(AT_FDCWD, path, 0);
	return result;
}

static int make(const struct sys *sys, const char *path)
{
	if (sys->symlinkat(LOCK_TEXT, AT_FDCWD, path) == 0)
		return 0;
	if (errno == EPERM || errno == ENOSYS || errno == EOPNOTSUPP)
		return make_file(sys, path);
	return -1;
}

int lock_take(const struct sys *sys, const char *path, struct err *err)
{
	int result = make(sys, path);

	if (result != 0 && errno == EEXIST) {
		if (!is_our_link(sys, path) && !is_our_file(sys, path))
			return err_set(err, ERR_BUSY,
				       "another program is at work in the history (%s): what "
				       "changes is recorded when it is done",
				       path);
		sys->unlinkat(AT_FDCWD, path, 0);
		result = make(sys, path);
	}
	if (result != 0)
		return err_set_errno(err, errno == EEXIST ? ERR_BUSY : ERR_NO_HISTORY, errno,
				     "cannot make %s", path);
	return 0;
}

void lock_drop(const struct sys *sys, const char *path)
{
	sys->unlinkat(AT_FDCWD, path, 0);
}
