#include "base/file_swap.h"

#include "base/file.h"

#include <errno.h>
#include <linux/fs.h>

#define SWAP_BYTES_MAX ((size_t)1 << 30)

struct swap {
	const struct sys *sys;
	int dirfd;
	const char *name;
	struct str twin; /* the other name: of what comes, then of what came out */
	struct slice before;
	struct slice after;
};

static int swap_refuse(const struct swap *swap, struct err *err)
{
	return err_set(err, ERR_BUSY, "%s was changed by another program meanwhile", swap->name);
}

static int swap_fail(const struct swap *swap, const char *what, struct err *err)
{
	return err_set_errno(err, err_code_of_write(errno), errno, "cannot %s %s", what,
			     swap->name);
}

/* True if the file of this name has the text. An unreadable file counts as different. */
static bool swap_has(const struct swap *swap, const char *name, struct slice text)
{
	STR_AUTO now = STR_INIT;
	struct file_id id;
	struct err ignored;

	if (file_read_own(swap->sys, swap->dirfd, name, SWAP_BYTES_MAX, &now, &id, &ignored) != 0)
		return false;
	return id.present ? text.ptr && slice_equal(str_slice(&now), text) : !text.ptr;
}

/* One rename: names change places, or one of them is free. */
static int swap_rename(const struct swap *swap)
{
	const char *from = swap->after.ptr ? swap->twin.ptr : swap->name;
	const char *to = swap->after.ptr ? swap->name : swap->twin.ptr;
	bool both = swap->after.ptr && swap->before.ptr;
	int result = swap->sys->renameat2(swap->dirfd, from, swap->dirfd, to,
					  both ? RENAME_EXCHANGE : RENAME_NOREPLACE);

	if (result == 0 || (errno != EINVAL && errno != ENOSYS))
		return result;
	/* Without an exchange, an edit made in this instant would be lost. */
	if (!swap_has(swap, swap->name, swap->before)) {
		errno = EEXIST;
		return -1;
	}
	return swap->sys->renameat2(swap->dirfd, from, swap->dirfd, to, 0);
}

/* What somebody saved in this very instant has its name again; ours goes. */
static int swap_put_back(const struct swap *swap, struct err *err)
{
	unsigned int flags = swap->after.ptr ? RENAME_EXCHANGE : RENAME_NOREPLACE;

	if (swap->sys->renameat2(swap->dirfd, swap->twin.ptr, swap->dirfd, swap->name, flags) != 0)
		return err_set_errno(err, err_code_of_write(errno), errno,
				     "%s was changed by another program meanwhile, and what it "
				     "saved is in %s: it cannot be put back",
				     swap->name, swap->twin.ptr);
	if (swap->after.ptr && swap_has(swap, swap->twin.ptr, swap->after))
		swap->sys->unlinkat(swap->dirfd, swap->twin.ptr, 0);
	return swap_refuse(swap, err);
}

static int swap_do(const struct swap *swap, mode_t mode, int flags, struct err *err)
{
	struct stat st;

	if (!swap_has(swap, swap->name, swap->before))
		return swap_refuse(swap, err);
	if (swap->after.ptr && file_write_new(swap->sys, swap->dirfd, swap->twin.ptr, swap->after,
					      mode, flags, err) != 0)
		return -1;
	if (swap_rename(swap) != 0) {
		if (errno == EEXIST || errno == ENOENT)
			swap_refuse(swap, err);
		else
			swap_fail(swap, "replace", err);
		if (swap->after.ptr)
			swap->sys->unlinkat(swap->dirfd, swap->twin.ptr, 0);
		return -1;
	}
	/* Nothing came out where nothing was, or where a plain rename had to do. */
	if (swap->before.ptr &&
	    swap->sys->fstatat(swap->dirfd, swap->twin.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (!swap_has(swap, swap->twin.ptr, swap->before))
			return swap_put_back(swap, err);
		swap->sys->unlinkat(swap->dirfd, swap->twin.ptr, 0);
	}
	return file_fsync(swap->sys, swap->dirfd) == 0 ? 0 : swap_fail(swap, "make durable", err);
}

int file_swap(const struct sys *sys, int dirfd, const char *name, struct slice before,
	      struct slice after, mode_t mode, int flags, struct err *err)
{
	struct swap swap = {sys, dirfd, name, STR_INIT, before, after};
	uint32_t chance = 0;

	if (!before.ptr && !after.ptr)
		return 0;
	(void)!sys->getrandom(&chance, sizeof chance, 0);
	str_printf(&swap.twin, ".%s.%08lx", name, (unsigned long)chance);
	int result = swap_do(&swap, mode, flags, err);
	str_release(&swap.twin);
	return result;
}
