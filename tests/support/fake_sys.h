/*
 * A table of system calls that obeys the test.
 *
 *	fake_sys_reset(NOW);                          clock set, no rules, empty trace
 *	fake_sys_root(dir.path);                      the trace shows names below it
 *	fake_sys_fail(FAKE_FSYNC, 2, EIO, FAKE_ONCE); the second fsync from here on fails
 *	... the code under test, with fake_sys() ...
 *	assert_true(fake_sys_at(FAKE_FSYNC, "a.tmp", 0) < fake_sys_at(FAKE_RENAMEAT2, "a", 0));
 *	fake_sys_release();                           at the end of the test
 *
 * For tests only. Calls do the real thing unless a rule says otherwise; the clock is the test's
 * own and sleeping moves it on. There is one state for the whole program, because the table has no
 * place for a context: tests are single-threaded and begin with fake_sys_reset(). A forked child
 * has a copy of the state.
 *
 * A rule is for one kind of call or for all, and for the n-th such call, from 1, counted from the
 * moment the rule was made. FAKE_ANY counts every call that can fail, that is all but sleep_ms and
 * now_ms. Several rules may be in force; of those that apply to a call hooks run first, then the
 * first failure wins. A call that fails by a rule does nothing, but for close and closedir, which
 * close first, as Linux does.
 *
 * To make each call fail in turn:
 *
 *	for (unsigned n = 1;; n++) {
 *		fake_sys_reset(NOW);
 *		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
 *		result = ...;
 *		if (fake_sys_hits() == 0)
 *			break;
 *		... look at the result and at the files ...
 *	}
 *
 * To die at each call in turn: fake_sys_die() and fake_sys_in_child(), until that returns what the
 * body returned. EINTR with FAKE_ALWAYS never ends where the program rightly tries again.
 */
#ifndef KOTA_TESTS_FAKE_SYS_H
#define KOTA_TESTS_FAKE_SYS_H

#include "base/str.h"
#include "base/sys.h"

#include <limits.h>

#define FAKE_CALLS(X)                                                                              \
	X(OPENAT, "openat")                                                                        \
	X(OPENAT2, "openat2")                                                                      \
	X(CLOSE, "close")                                                                          \
	X(READ, "read")                                                                            \
	X(WRITE, "write")                                                                          \
	X(PREAD, "pread")                                                                          \
	X(PWRITE, "pwrite")                                                                        \
	X(FSYNC, "fsync")                                                                          \
	X(FTRUNCATE, "ftruncate")                                                                  \
	X(FCHMOD, "fchmod")                                                                        \
	X(FSTAT, "fstat")                                                                          \
	X(FSTATAT, "fstatat")                                                                      \
	X(STATX, "statx")                                                                          \
	X(MKDIRAT, "mkdirat")                                                                      \
	X(UNLINKAT, "unlinkat")                                                                    \
	X(FSTATVFS, "fstatvfs")                                                                    \
	X(RENAMEAT2, "renameat2")                                                                  \
	X(SYMLINKAT, "symlinkat")                                                                  \
	X(READLINKAT, "readlinkat")                                                                \
	X(REALPATH, "realpath")                                                                    \
	X(FLOCK, "flock")                                                                          \
	X(LOCK_BYTES, "lock_bytes")                                                                \
	X(LEASE, "lease")                                                                          \
	X(FDOPENDIR, "fdopendir")                                                                  \
	X(READDIR, "readdir")                                                                      \
	X(CLOSEDIR, "closedir")                                                                    \
	X(GETRANDOM, "getrandom")                                                                  \
	X(LANDLOCK, "landlock_version")                                                            \
	X(SLEEP_MS, "sleep_ms")

/* The version of landlock that the table has, whatever the kernel's is. */
#define FAKE_LANDLOCK_ABI 6

enum fake_call {
#define X(id, name) FAKE_##id,
	FAKE_CALLS(X)
#undef X
		FAKE_ANY
};

enum fake_times {
	FAKE_ONCE,
	FAKE_ALWAYS /* the n-th and all after it */
};

/* One call as it went. now_ms is not traced. */
struct fake_event {
	enum fake_call call;
	char path[PATH_MAX]; /* what it was about, below the root when one is set; "" if unknown */
	char to[PATH_MAX];   /* the new name of renameat2, else "" */
	int64_t flags;       /* of openat, openat2, fstatat, statx, unlinkat, renameat2, getrandom;
				operation of flock; kind of lease; mode of fchmod and mkdirat;
				length of ftruncate; ms of sleep_ms */
	int64_t result;      /* 1 for a pointer, 0 for NULL, -1 for a failure */
	int error;           /* errno when the call failed, else 0 */
};

/* The table; static storage. */
const struct sys *fake_sys(void);

/* Sets the clock, drops all rules, the trace and the root. */
void fake_sys_reset(int64_t now_ms);

/* As fake_sys_reset, and frees what the trace took. */
void fake_sys_release(void);

/* Paths in the trace lose this beginning; the directory itself is ".". Absolute, without links. */
void fake_sys_root(const char *path);

/* Whether calls are left out of the trace, until the next reset: it takes most of the time. */
void fake_sys_quiet(bool on);

/* The clock. It moves by fake_sys_set_now() and by sleep_ms alone. */
void fake_sys_set_now(int64_t now_ms);
int64_t fake_sys_now(void);

/* The n-th such call fails with errno `error`. */
void fake_sys_fail(enum fake_call call, unsigned nth, int error, enum fake_times times);

/*
 * The n-th read, write, pread or pwrite moves at most `bytes` bytes. With 0 a read is at the end
 * of the file, and a write takes nothing.
 */
void fake_sys_short(enum fake_call call, unsigned nth, size_t bytes, enum fake_times times);

/*
 * Runs hook(arg) right before the n-th such call, once. Calls that the hook makes through the
 * table do the real thing: no rule counts them and the trace does not show them.
 */
void fake_sys_before(enum fake_call call, unsigned nth, void (*hook)(void *arg), void *arg);

/* The process ends by _exit(status) right before the n-th such call, as if it had been killed. */
void fake_sys_die(enum fake_call call, unsigned nth, int status);

/* renameat2 with any flag fails with this errno (EINVAL, ENOSYS) as on a file system without it. */
void fake_sys_no_rename_flags(int error);

/* From now on no inodes are left. */
void fake_sys_no_inodes(void);

/*
 * Runs body(arg) in a forked child and returns the child's exit status: what body returned (0 to
 * 255), or what fake_sys_die() said. Aborts when the child was ended by a signal. body must not
 * use cmocka's assertions, which would go on with the parent's tests in the child.
 */
int fake_sys_in_child(int (*body)(void *arg), void *arg);

/* How often a rule made a call fail or fall short since the last reset. Hooks do not count. */
size_t fake_sys_hits(void);

/* The calls since the last reset, in order; valid until the next call through the table. */
const struct fake_event *fake_sys_trace(size_t *count);

/* Empties the trace; rules and clock stay. */
void fake_sys_clear_trace(void);

/* How many calls of this kind, or of all for FAKE_ANY, are in the trace. */
size_t fake_sys_count(enum fake_call call);

/*
 * Position in the trace, at `from` or later, of a call of this kind (FAKE_ANY for all) on this
 * path, as the trace shows it, or with this new name; a NULL path stands for all. SIZE_MAX when
 * there is none. Failed calls count too.
 */
size_t fake_sys_at(enum fake_call call, const char *path, size_t from);

/*
 * Appends the trace, a call a line, for comparing and for looking at: "fsync a.tmp",
 * "renameat2 a.tmp a", "openat b: No such file or directory".
 */
void fake_sys_print(struct str *out);

#endif
