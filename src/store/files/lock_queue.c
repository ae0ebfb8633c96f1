#include "store/files/lock_queue.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>

#define QUEUE_NAME ".lock.queue"

/* A process that finds its byte taken tries the next: so often, which no crowd comes to. */
#define PLACE_TRIES 1000

static int lock_queue_open(const struct sys *sys, int dirfd, int flags)
{
	struct stat st;
	int fd = file_open(sys, dirfd, QUEUE_NAME,
			   O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600);

	if (fd >= 0 && (sys->fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)))
		file_close(sys, &fd);
	return fd;
}

/*
 * True if a byte from `from` on is locked, within `length` bytes (0: to the end). *place is one of
 * them. What cannot be asked counts as not locked.
 */
static bool lock_queue_is_locked(const struct sys *sys, int fd, off_t from, off_t length,
				 off_t *place)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = from, .l_len = length};

	if (sys->lock_bytes(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
		return false;
	*place = lock.l_start;
	return true;
}

bool lock_queue_is_busy(const struct sys *sys, int dirfd)
{
	int fd = lock_queue_open(sys, dirfd, 0);
	off_t place;
	bool busy = fd >= 0 && lock_queue_is_locked(sys, fd, 0, 0, &place);

	file_close(sys, &fd);
	return busy;
}

void lock_queue_join(struct lock_queue *queue, const struct sys *sys, int dirfd)
{
	*queue = (struct lock_queue){.sys = sys, .fd = lock_queue_open(sys, dirfd, O_CREAT)};
	for (int i = 0; queue->fd >= 0 && i < PLACE_TRIES; i++) {
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
		off_t taken;

		if (lock_queue_is_locked(sys, queue->fd, queue->place, 0, &taken)) {
			queue->place = taken + 1;
			continue;
		}
		lock.l_start = queue->place;
		if (sys->lock_bytes(queue->fd, F_OFD_SETLK, &lock) == 0)
			return;
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			break;
	}
	file_close(sys, &queue->fd);
}

bool lock_queue_is_first(const struct lock_queue *queue)
{
	off_t place;

	return queue->fd < 0 || queue->place == 0 ||
	       !lock_queue_is_locked(queue->sys, queue->fd, 0, queue->place, &place);
}

void lock_queue_leave(struct lock_queue *queue)
{
	file_close(queue->sys, &queue->fd); /* which unlocks the byte */
}
