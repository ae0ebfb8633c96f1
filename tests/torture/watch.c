#include "torture/watch.h"

#include "torture/row.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The socket over which a program sends what the kernel asks through. */
#define VARIABLE "KOTA_TORTURE_WATCH"

#define IO (1U << WATCH_EIO)
#define SLOW (IO | 1U << WATCH_EINTR)
#define ROOM (1U << WATCH_ENOSPC | 1U << WATCH_ENOSPC_ON)

/* Which argument is a path: the first, or the second, below what the first is open on. */
#define PATH (1U << 30)
#define PATH_AT (1U << 31)

/* The calls, and the errors that each can have; any can be the last. */
static const struct watched {
	int number;
	unsigned errors;
} calls[] = {
	{SYS_openat, SLOW | ROOM | PATH_AT},
	{SYS_openat2, SLOW | PATH_AT},
	{SYS_read, SLOW},
	{SYS_pread64, SLOW},
	{SYS_readv, SLOW},
	{SYS_write, SLOW | ROOM},
	{SYS_pwrite64, SLOW | ROOM},
	{SYS_writev, SLOW | ROOM},
	{SYS_fsync, SLOW | ROOM},
	{SYS_fdatasync, SLOW | ROOM},
	{SYS_ftruncate, SLOW | ROOM},
	{SYS_fallocate, SLOW | ROOM},
	{SYS_mkdirat, IO | ROOM | PATH_AT},
	{SYS_symlinkat, IO | ROOM | PATH},
	{SYS_linkat, IO | ROOM | PATH_AT},
	{SYS_renameat2, IO | ROOM | PATH_AT},
	{SYS_unlinkat, IO | PATH_AT},
	{SYS_fstat, IO},
	{SYS_newfstatat, IO | PATH_AT},
	{SYS_statx, IO | PATH_AT},
	{SYS_readlinkat, IO | PATH_AT},
	{SYS_faccessat, IO | PATH_AT},
	{SYS_fchmod, IO},
	{SYS_fchmodat, IO | PATH_AT},
	{SYS_utimensat, IO | PATH_AT},
	{SYS_getdents64, IO},
	{SYS_flock, 0},
	{SYS_fcntl, 0},
	{SYS_close, 0},
/* What old machines have beside them. */
#ifdef SYS_open
	{SYS_open, SLOW | PATH},
	{SYS_creat, SLOW | ROOM | PATH},
	{SYS_mkdir, IO | ROOM | PATH},
	{SYS_symlink, IO | ROOM | PATH},
	{SYS_link, IO | ROOM | PATH},
	{SYS_rename, IO | ROOM | PATH},
	{SYS_renameat, IO | ROOM | PATH_AT},
	{SYS_unlink, IO | PATH},
	{SYS_rmdir, IO | PATH},
	{SYS_stat, IO | PATH},
	{SYS_lstat, IO | PATH},
	{SYS_readlink, IO | PATH},
	{SYS_access, IO | PATH},
	{SYS_chmod, IO | PATH},
	{SYS_getdents, IO},
#endif
};

#define CALLS (sizeof calls / sizeof *calls)

struct watch_board {
	atomic_bool armed;
	atomic_bool hit;
	enum watch_fault fault;
	unsigned left; /* calls before the one that is meant */
	char what[WATCH_WHAT];
};

const char *watch_fault_name(enum watch_fault fault)
{
	static const char *const names[] = {"killed", "EIO", "EINTR", "ENOSPC", "ENOSPC on"};

	return names[fault];
}

/* ---- the program that is watched */

static int install_filter(void)
{
	struct sock_filter filter[CALLS + 3];
	struct sock_fprog program = {.len = CALLS + 3, .filter = filter};

	filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < CALLS; i++)
		filter[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							     (unsigned)calls[i].number,
							     (unsigned char)(CALLS - i), 0);
	filter[CALLS + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	filter[CALLS + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &program);
}

/* Room for one descriptor beside a message. */
union passing {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

void watch_install(void)
{
	const char *number = getenv(VARIABLE);
	union passing passing = {0};
	char byte = 0;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &passing,
				 .msg_controllen = sizeof passing};
	int listener;

	if (!number)
		return;
	listener = install_filter();
	if (listener < 0)
		abort();
	passing.header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof listener),
					  .cmsg_level = SOL_SOCKET,
					  .cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(&passing.header), &listener, sizeof listener);
	if (sendmsg((int)strtol(number, NULL, 10), &message, 0) != 1)
		abort();
	/* The socket stays open: to close it would be a call that somebody has to answer. */
}

/* ---- the process that answers */

static int receive_listener(int socket)
{
	union passing passing = {0};
	char byte;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &passing,
				 .msg_controllen = sizeof passing};
	int listener;

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1 ||
	    message.msg_controllen < CMSG_LEN(sizeof listener))
		return -1;
	memcpy(&listener, CMSG_DATA(&passing.header), sizeof listener);
	return listener;
}

static const struct watched *find_call(const struct seccomp_data *data)
{
	for (size_t i = 0; i < CALLS; i++) {
		if (calls[i].number == data->nr)
			return &calls[i];
	}
	return NULL;
}

static bool is_counted(const struct watch_board *board, const struct seccomp_data *data)
{
	bool transfer = data->nr == SYS_read || data->nr == SYS_write || data->nr == SYS_readv ||
			data->nr == SYS_writev;
	const struct watched *call = find_call(data);

	if (transfer && data->args[0] <= STDERR_FILENO)
		return false;
	/* Only what makes a file needs room. */
	if (data->nr == SYS_openat && !(data->args[2] & O_CREAT) && 1U << board->fault & ROOM)
		return false;
	return call && (board->fault == WATCH_KILL || call->errors & 1U << board->fault);
}

static void read_path(const struct seccomp_notif *asked, unsigned argument, char out[64])
{
	char memory[64];
	ssize_t got = -1;
	int fd;

	snprintf(memory, sizeof memory, "/proc/%u/mem", asked->pid);
	fd = open(memory, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = pread(fd, out, 63, (off_t)asked->data.args[argument]);
		close(fd);
	}
	out[got < 0 ? 0 : got] = '\0';
}

/* The number of the call and its file: what is open on a descriptor, and what a path says. */
static void describe(struct watch_board *board, const struct seccomp_notif *asked)
{
	const struct watched *call = find_call(&asked->data);
	char link[64];
	char open_on[64] = "";
	char path[64] = "";
	ssize_t got = -1;

	snprintf(link, sizeof link, "/proc/%u/fd/%d", asked->pid, (int)asked->data.args[0]);
	if (!(call->errors & PATH) && (int)asked->data.args[0] >= 0)
		got = readlink(link, open_on, sizeof open_on - 1);
	open_on[got < 0 ? 0 : got] = '\0';
	if (call->errors & (PATH | PATH_AT))
		read_path(asked, call->errors & PATH_AT ? 1U : 0U, path);
	snprintf(board->what, sizeof board->what, "%d of %s %s", asked->data.nr, open_on, path);
}

/* The error that the call gets: 0 for none, and it is carried out. */
static int decide(struct watch_board *board, const struct seccomp_notif *asked)
{
	static const int errors[] = {0, EIO, EINTR, ENOSPC, ENOSPC};

	if (!board->armed || !is_counted(board, &asked->data))
		return 0;
	if (board->left > 0) {
		board->left--;
		return 0;
	}
	describe(board, asked);
	board->hit = true;
	board->armed = board->fault == WATCH_ENOSPC_ON;
	if (board->fault == WATCH_KILL)
		kill((pid_t)asked->pid, SIGKILL);
	return errors[board->fault];
}

/* Until nobody is left who could ask. */
static _Noreturn void answer_all(struct watch_board *board, int listener)
{
	struct pollfd wait = {.fd = listener, .events = POLLIN};

	while (poll(&wait, 1, -1) > 0 && !(wait.revents & POLLHUP)) {
		struct seccomp_notif asked = {0};
		struct seccomp_notif_resp answer = {0};

		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0)
			continue;
		answer.id = asked.id;
		answer.error = -decide(board, &asked);
		if (answer.error == 0)
			answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		/* Who was killed does not wait for it. */
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
	_exit(0);
}

/* ---- the test */

/* A container may forbid it. */
static bool is_allowed(void)
{
	pid_t pid = fork();
	int status = 1;

	if (pid == 0)
		_exit(install_filter() < 0);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

void watch_init(struct watch *watch)
{
	if (!is_allowed())
		row_skip("the kernel lets no process watch the calls of another (seccomp)");
	watch->board = mmap(NULL, sizeof *watch->board, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (watch->board == MAP_FAILED)
		row_fatal("mmap");
}

void watch_begin(struct watch *watch)
{
	static int theirs = -1;
	char number[16];
	int ends[2];

	if (theirs >= 0)
		close(theirs);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		row_fatal("socketpair");
	theirs = ends[1];
	watch->board->armed = false;
	watch->warden = fork();
	if (watch->warden < 0)
		row_fatal("fork");
	if (watch->warden == 0) {
		int listener;

		close(ends[1]);
		listener = receive_listener(ends[0]);
		if (listener < 0)
			_exit(1);
		answer_all(watch->board, listener);
	}
	close(ends[0]);
	snprintf(number, sizeof number, "%d", theirs);
	setenv(VARIABLE, number, 1);
}

void watch_arm(struct watch *watch, enum watch_fault fault, unsigned nth)
{
	struct watch_board *board = watch->board;

	board->fault = fault;
	board->left = nth - 1;
	board->hit = false;
	board->armed = true;
}

bool watch_disarm(struct watch *watch)
{
	watch->board->armed = false;
	return watch->board->hit;
}

const char *watch_what(const struct watch *watch)
{
	return watch->board->what;
}

void watch_end(struct watch *watch)
{
	int status;

	unsetenv(VARIABLE);
	if (waitpid(watch->warden, &status, 0) != watch->warden || status != 0)
		row_fatal("the calls were not watched");
}
