#include "support/fake_internal.h"

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
	bool no_inodes;
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

void fake_describe_at(char out[PATH_MAX], int dirfd, const char *path)
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

struct fake_event fake_about_at(enum fake_call call, int dirfd, const char *path, int64_t flags)
{
	struct fake_event event = {.call = call, .flags = flags};

	fake_describe_at(event.path, dirfd, path);
	return event;
}

struct fake_event fake_about_fd(enum fake_call call, int fd, int64_t flags)
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
int fake_before(enum fake_call call, size_t *count)
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
int64_t fake_done(struct fake_event *event, int64_t result)
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
bool fake_refused(struct fake_event *event, size_t *count)
{
	int error = fake_before(event->call, count);

	if (!error && event->call == FAKE_RENAMEAT2 && event->flags != 0 && !state.in_hook)
		error = state.rename_flags_error;
	if (!error)
		return false;
	errno = error;
	fake_done(event, -1);
	return true;
}

/* ---- what tests call */

void fake_sys_reset(int64_t now_ms)
{
	state.now_ms = now_ms;
	state.root[0] = '\0';
	state.rule_count = 0;
	state.rename_flags_error = 0;
	state.no_inodes = false;
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

void fake_sys_no_inodes(void)
{
	state.no_inodes = true;
}

bool fake_has_no_inodes(void)
{
	return state.no_inodes;
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
