#include "base/landlock.h"

#include "base/file.h"

#include <errno.h>

/*
 * Names and values of the kernel's linux/landlock.h, which may be older here than the kernel that
 * the program runs on, or missing.
 */
#define FS_EXECUTE (UINT64_C(1) << 0)
#define FS_WRITE_FILE (UINT64_C(1) << 1)
#define FS_READ_FILE (UINT64_C(1) << 2)
#define FS_READ_DIR (UINT64_C(1) << 3)
#define FS_REMOVE_DIR (UINT64_C(1) << 4)
#define FS_REMOVE_FILE (UINT64_C(1) << 5)
#define FS_MAKE_CHAR (UINT64_C(1) << 6)
#define FS_MAKE_DIR (UINT64_C(1) << 7)
#define FS_MAKE_REG (UINT64_C(1) << 8)
#define FS_MAKE_SOCK (UINT64_C(1) << 9)
#define FS_MAKE_FIFO (UINT64_C(1) << 10)
#define FS_MAKE_BLOCK (UINT64_C(1) << 11)
#define FS_MAKE_SYM (UINT64_C(1) << 12)
#define FS_REFER (UINT64_C(1) << 13)
#define FS_TRUNCATE (UINT64_C(1) << 14)
#define FS_IOCTL_DEV (UINT64_C(1) << 15)

#define NET_BIND_TCP (UINT64_C(1) << 0)
#define NET_CONNECT_TCP (UINT64_C(1) << 1)

#define SCOPE_ABSTRACT_UNIX_SOCKET (UINT64_C(1) << 0)
#define SCOPE_SIGNAL (UINT64_C(1) << 1)

#define RULE_PATH_BENEATH 1

/* The versions from which on the kernel knows a right. */
#define ABI_TRUNCATE 3
#define ABI_NET 4
#define ABI_IOCTL_DEV 5
#define ABI_SCOPE 6

struct ruleset {
	uint64_t files;
	uint64_t net;
	uint64_t scoped;
};

struct path_beneath {
	uint64_t allowed;
	int32_t parent_fd;
} __attribute__((packed));

/* What is about files themselves: other rights in a rule for a file are an error. */
#define OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

#define TO_READ (FS_READ_FILE | FS_READ_DIR)
#define TO_CHANGE (TO_READ | FS_WRITE_FILE | FS_TRUNCATE | FS_MAKE_REG | FS_REMOVE_FILE)
/* Whatever somebody put in the place of a file may have to be renamed: that counts as making it. */
#define TO_ALL                                                                                     \
	(TO_CHANGE | FS_MAKE_DIR | FS_REMOVE_DIR | FS_MAKE_SYM | FS_MAKE_CHAR | FS_MAKE_SOCK |     \
	 FS_MAKE_FIFO | FS_MAKE_BLOCK | FS_REFER)

int landlock_abi(const struct sys *sys, int *number)
{
	int abi = sys->landlock_version();

	if (number)
		*number = abi < 0 ? errno : 0;
	return abi < 0 ? 0 : abi;
}

static uint64_t landlock_handled_files(int abi)
{
	uint64_t all = FS_EXECUTE | TO_ALL | FS_IOCTL_DEV;

	if (abi < ABI_TRUNCATE)
		all &= ~FS_TRUNCATE;
	if (abi < ABI_IOCTL_DEV)
		all &= ~FS_IOCTL_DEV;
	return all;
}

int landlock_begin(struct landlock *out, const struct sys *sys, int abi, struct err *err)
{
	const struct ruleset set = {
		.files = landlock_handled_files(abi),
		.net = abi >= ABI_NET ? NET_BIND_TCP | NET_CONNECT_TCP : 0,
		.scoped = abi >= ABI_SCOPE ? SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL : 0,
	};
	/* A kernel that does not know the later members takes them as long as they are zero. */
	int fd = sys->landlock_create_ruleset(&set, sizeof set);

	if (fd < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot create landlock rules");
	*out = (struct landlock){sys, fd, set.files};
	return 0;
}

int landlock_allow(struct landlock *rules, int fd, enum landlock_rights rights, struct err *err)
{
	static const uint64_t meanings[] = {
		[LANDLOCK_READ] = TO_READ, [LANDLOCK_CHANGE] = TO_CHANGE, [LANDLOCK_ALL] = TO_ALL};
	struct path_beneath rule = {meanings[rights] & rules->handled, fd};
	int result = rules->sys->landlock_add_rule(rules->fd, RULE_PATH_BENEATH, &rule);

	/* The kernel's way of saying that it is no folder. Asking first would take longer. */
	if (result != 0 && errno == EINVAL) {
		rule.allowed &= OF_FILES;
		result = rules->sys->landlock_add_rule(rules->fd, RULE_PATH_BENEATH, &rule);
	}
	if (result != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot add a landlock rule");
	return 0;
}

int landlock_enforce(struct landlock *rules, struct err *err)
{
	if (rules->sys->landlock_restrict_self(rules->fd) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot apply the landlock rules");
	return 0;
}

void landlock_release(struct landlock *rules)
{
	file_close(rules->sys, &rules->fd);
}
