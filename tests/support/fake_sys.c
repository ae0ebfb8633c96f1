#include "support/fake_sys.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_RULES 16

enum action { FAIL, SHORT, HOOK, DIE };

struct rule {
	enum action action;
	enum fake_call call;
	unsigned nth;
	enum fake_times times;
	unsigned seen;
	int number; /* errno of FAIL, status of DIE */
	size_t bytes;
	void (*hook)(void *arg);
	void *arg;
};

/* The table has no context pointer, so what the fake knows can only be here. */
static struct {
	int64_t now_ms;
	char root[PATH_MAX];
	struct rule rules[MAX_RULES];
	size_t rule_count;
	int rename_flags_error;
	bool in_hook;
	bool quiet;
	size_t hits;
	struct fake_event *trace;
	size_t trace_count;
	size_t trace_cap;
} state;


static void copy_path(char out[PATH_MAX], const char *path)
{
	size_t len = strlen(state.root);

	if (len > 0 && strncmp(path, state.root, len) == 0 && path[len] == '/')
		path += len + 1;
	else if (len > 0 && strcmp(path, state.root) == 0)
		path = ".";
	snprintf(out, PATH_MAX, "%s", path);
}

/* The kernel knows what a descriptor is open on, under its present name. */
static bool path_of_fd(int fd, char out[PATH_MAX])
{
	char link[64];
	ssize_t len;

	if (state.quiet)
		return false;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	len = readlink(link, out, PATH_MAX - 1);
	out[len > 0 ? len : 0] = '\0';
	return len > 0;
}

static void describe_at(char out[PATH_MAX], int dirfd, const char *path)
{
	char whole[PATH_MAX];
	size_t len;

	if (path[0] == '/' || dirfd == AT_FDCWD || !path_of_fd(dirfd, whole)) {
		copy_path(out, path);
		return;
	}
	len = strlen(whole);
	snprintf(whole + len, sizeof whole - len, "/%s", path);
	copy_path(out, whole);
}


static struct fake_event about_at(enum fake_call call, int dirfd, const char *path, int64_t flags)
{
	struct fake_event event = {.call = call, .flags = flags};

	describe_at(event.path, dirfd, path);
	return event;
}

static struct fake_event about_fd(enum fake_call call, int fd, int64_t flags)
{
	struct fake_event event = {.call = call, .flags = flags};
	char whole[PATH_MAX];

	if (path_of_fd(fd, whole))
		copy_path(event.path, whole);
	return event;
}

/* Counts the call and says whether the rule is about it. */
static bool rule_applies(struct rule *rule, enum fake_call call)
{
	if (rule->call != call && (rule->call != FAKE_ANY || call == FAKE_SLEEP_MS))
		return false;
	rule->seen++;
	return rule->seen == rule->nth || (rule->seen > rule->nth && rule->times == FAKE_ALWAYS);
}

static void run_hook(const struct rule *rule)
{
	state.in_hook = true;
	rule->hook(rule->arg);
	state.in_hook = false;
}

/* Applies the rules before a call. Returns the errno with which it is to fail, or 0. */
static int before(enum fake_call call, size_t *count)
{
	int error = 0;

	if (state.in_hook)
		return 0;
	for (size_t i = 0; i < state.rule_count; i++) {
		struct rule *rule = &state.rules[i];

		if (!rule_applies(rule, call))
			continue;
		if (rule->action == HOOK) {
			run_hook(rule);
		} else if (rule->action == DIE) {
			_exit(rule->number);
		} else if (rule->action == FAIL) {
			error = error ? error : rule->number;
			state.hits++;
		} else if (count && *count > rule->bytes) {
			*count = rule->bytes;
			state.hits++;
		}
	}
	return error;
}

/* Notes how the call went; a negative result is a failure. errno stays. */
static int64_t done(struct fake_event *event, int64_t result)
{
	int number = errno;

	if (state.in_hook || state.quiet)
		return result;
	event->result = result;
	event->error = result < 0 ? number : 0;
	state.trace = mem_grow(state.trace, &state.trace_cap, state.trace_count + 1,
			       sizeof *state.trace);
	state.trace[state.trace_count++] = *event;
	errno = number;
	return result;
}

/* Applies the rules before a call, and notes it with its errno when it is to fail. */
static bool refused(struct fake_event *event, size_t *count)
{
	int error = before(event->call, count);

	if (!error && event->call == FAKE_RENAMEAT2 && event->flags != 0 && !state.in_hook)
		error = state.rename_flags_error;
	if (!error)
		return false;
	errno = error;
	done(event, -1);
	return true;
}


static int fake_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	struct fake_event event = about_at(FAKE_OPENAT, dirfd, path, flags);

	if (refused(&event, NULL))
		return -1;
	return (int)done(&event, sys_real()->openat(dirfd, path, flags, mode));
}

static int fake_close(int fd)
{
	struct fake_event event = about_fd(FAKE_CLOSE, fd, 0);
	bool fails = refused(&event, NULL);
	int number = errno;
	int result = sys_real()->close(fd);

	if (!fails)
		return (int)done(&event, result);
	errno = number;
	return -1;
}

static ssize_t fake_read(int fd, void *buf, size_t count)
{
	struct fake_event event = about_fd(FAKE_READ, fd, 0);

	return refused(&event, &count) ? -1 : done(&event, sys_real()->read(fd, buf, count));
}

static ssize_t fake_write(int fd, const void *buf, size_t count)
{
	struct fake_event event = about_fd(FAKE_WRITE, fd, 0);

	return refused(&event, &count) ? -1 : done(&event, sys_real()->write(fd, buf, count));
}

static ssize_t fake_pread(int fd, void *buf, size_t count, off_t offset)
{
	struct fake_event event = about_fd(FAKE_PREAD, fd, 0);

	return refused(&event, &count) ? -1
				       : done(&event, sys_real()->pread(fd, buf, count, offset));
}

static ssize_t fake_pwrite(int fd, const void *buf, size_t count, off_t offset)
{
	struct fake_event event = about_fd(FAKE_PWRITE, fd, 0);

	return refused(&event, &count) ? -1
				       : done(&event, sys_real()->pwrite(fd, buf, count, offset));
}

static int fake_fsync(int fd)
{
	struct fake_event event = about_fd(FAKE_FSYNC, fd, 0);

	return (int)(refused(&event, NULL) ? -1 : done(&event, sys_real()->fsync(fd)));
}

static int fake_ftruncate(int fd, off_t length)
{
	struct fake_event event = about_fd(FAKE_FTRUNCATE, fd, length);

	return (int)(refused(&event, NULL) ? -1 : done(&event, sys_real()->ftruncate(fd, length)));
}

static int fake_fchmod(int fd, mode_t mode)
{
	struct fake_event event = about_fd(FAKE_FCHMOD, fd, mode);

	return (int)(refused(&event, NULL) ? -1 : done(&event, sys_real()->fchmod(fd, mode)));
}

static int fake_fstat(int fd, struct stat *out)
{
	struct fake_event event = about_fd(FAKE_FSTAT, fd, 0);

	return (int)(refused(&event, NULL) ? -1 : done(&event, sys_real()->fstat(fd, out)));
}

static int fake_fstatat(int dirfd, const char *path, struct stat *out, int flags)
{
	struct fake_event event = about_at(FAKE_FSTATAT, dirfd, path, flags);

	if (refused(&event, NULL))
		return -1;
	return (int)done(&event, sys_real()->fstatat(dirfd, path, out, flags));
}

static int fake_mkdirat(int dirfd, const char *path, mode_t mode)
{
	struct fake_event event = about_at(FAKE_MKDIRAT, dirfd, path, mode);

	if (refused(&event, NULL))
		return -1;
	return (int)done(&event, sys_real()->mkdirat(dirfd, path, mode));
}

static int fake_unlinkat(int dirfd, const char *path, int flags)
{
	struct fake_event event = about_at(FAKE_UNLINKAT, dirfd, path, flags);

	if (refused(&event, NULL))
		return -1;
	return (int)done(&event, sys_real()->unlinkat(dirfd, path, flags));
}

static int fake_renameat2(int from_dirfd, const char *from, int to_dirfd, const char *to,
			  unsigned int flags)
{
	struct fake_event event = about_at(FAKE_RENAMEAT2, from_dirfd, from, flags);

	describe_at(event.to, to_dirfd, to);
	if (refused(&event, NULL))
		return -1;
	return (int)done(&event, sys_real()->renameat2(from_dirfd, from, to_dirfd, to, flags));
}

static int fake_symlinkat(const char *target, int dirfd, const char *path)
{
	struct fake_event event = about_at(FAKE_SYMLINKAT, dirfd, path, 0);

	if (refused(&event, NULL))
		return -1;
	return (int)done(&event, sys_real()->symlinkat(target, dirfd, path));
}

static ssize_t fake_readlinkat(int dirfd, const char *path, char *buf, size_t size)
{
	struct fake_event event = about_at(FAKE_READLINKAT, dirfd, path, 0);

	return refused(&event, NULL) ? -1
				     : done(&event, sys_real()->readlinkat(dirfd, path, buf, size));
}

static int fake_flock(int fd, int operation)
{
	struct fake_event event = about_fd(FAKE_FLOCK, fd, operation);

	return (int)(refused(&event, NULL) ? -1 : done(&event, sys_real()->flock(fd, operation)));
}

static int fake_lease(int fd, int kind)
{
	struct fake_event event = about_fd(FAKE_LEASE, fd, kind);

	return (int)(refused(&event, NULL) ? -1 : done(&event, sys_real()->lease(fd, kind)));
}

static DIR *fake_fdopendir(int fd)
{
	struct fake_event event = about_fd(FAKE_FDOPENDIR, fd, 0);
	DIR *dir;

	if (refused(&event, NULL))
		return NULL;
	dir = sys_real()->fdopendir(fd);
	done(&event, dir ? 1 : -1);
	return dir;
}

/* NULL is the end of the directory unless errno says otherwise. */
static struct dirent *fake_readdir(DIR *dir)
{
	struct fake_event event = about_fd(FAKE_READDIR, dirfd(dir), 0);
	int number = errno;
	struct dirent *found;

	if (refused(&event, NULL))
		return NULL;
	errno = 0;
	found = sys_real()->readdir(dir);
	done(&event, found ? 1 : errno ? -1 : 0);
	errno = errno ? errno : number;
	return found;
}

static int fake_closedir(DIR *dir)
{
	struct fake_event event = about_fd(FAKE_CLOSEDIR, dirfd(dir), 0);
	bool fails = refused(&event, NULL);
	int number = errno;
	int result = sys_real()->closedir(dir);

	if (!fails)
		return (int)done(&event, result);
	errno = number;
	return -1;
}

static void fake_sleep_ms(int64_t ms)
{
	struct fake_event event = {.call = FAKE_SLEEP_MS, .flags = ms};

	before(FAKE_SLEEP_MS, NULL);
	if (ms > 0)
		state.now_ms += ms;
	done(&event, 0);
}

static const struct sys table = {
	.openat = fake_openat,
	.close = fake_close,
	.read = fake_read,
	.write = fake_write,
	.pread = fake_pread,
	.pwrite = fake_pwrite,
	.fsync = fake_fsync,
	.ftruncate = fake_ftruncate,
	.fchmod = fake_fchmod,
	.fstat = fake_fstat,
	.fstatat = fake_fstatat,
	.mkdirat = fake_mkdirat,
	.unlinkat = fake_unlinkat,
	.renameat2 = fake_renameat2,
	.symlinkat = fake_symlinkat,
	.readlinkat = fake_readlinkat,
	.flock = fake_flock,
	.lease = fake_lease,
	.fdopendir = fake_fdopendir,
	.readdir = fake_readdir,
	.closedir = fake_closedir,
	.sleep_ms = fake_sleep_ms,
	.now_ms = fake_sys_now,
};

/* ---- what tests call */

const struct sys *fake_sys(void)
{
	return &table;
}

void fake_sys_reset(int64_t now_ms)
{
	state.now_ms = now_ms;
	state.root[0] = '\0';
	state.rule_count = 0;
	state.rename_flags_error = 0;
	state.in_hook = false;
	state.quiet = false;
	state.hits = 0;
	state.trace_count = 0;
}

void fake_sys_quiet(bool on)
{
	state.quiet = on;
}

void fake_sys_release(void)
{
	fake_sys_reset(0);
	free(state.trace);
	state.trace = NULL;
	state.trace_cap = 0;
}

void fake_sys_root(const char *path)
{
	snprintf(state.root, sizeof state.root, "%s", path);
}

void fake_sys_set_now(int64_t now_ms)
{
	state.now_ms = now_ms;
}

int64_t fake_sys_now(void)
{
	return state.now_ms;
}

static void add_rule(struct rule rule)
{
	if (state.rule_count == MAX_RULES || rule.nth == 0) {
		fprintf(stderr, "fake_sys: more than %d rules, or a rule for call 0\n", MAX_RULES);
		abort();
	}
	state.rules[state.rule_count++] = rule;
}

void fake_sys_fail(enum fake_call call, unsigned nth, int error, enum fake_times times)
{
	add_rule((struct rule){
		.action = FAIL, .call = call, .nth = nth, .times = times, .number = error});
}

void fake_sys_short(enum fake_call call, unsigned nth, size_t bytes, enum fake_times times)
{
	add_rule((struct rule){
		.action = SHORT, .call = call, .nth = nth, .times = times, .bytes = bytes});
}

void fake_sys_before(enum fake_call call, unsigned nth, void (*hook)(void *arg), void *arg)
{
	add_rule((struct rule){.action = HOOK, .call = call, .nth = nth, .hook = hook, .arg = arg});
}

void fake_sys_die(enum fake_call call, unsigned nth, int status)
{
	add_rule((struct rule){.action = DIE, .call = call, .nth = nth, .number = status});
}

void fake_sys_no_rename_flags(int error)
{
	state.rename_flags_error = error;
}

size_t fake_sys_hits(void)
{
	return state.hits;
}

const struct fake_event *fake_sys_trace(size_t *count)
{
	*count = state.trace_count;
	return state.trace;
}

void fake_sys_clear_trace(void)
{
	state.trace_count = 0;
}
