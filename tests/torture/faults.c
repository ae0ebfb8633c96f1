/*
 * Each file system call of each operation fails: once, and from then on; falls short, is
 * interrupted, or is the last one. Over stores in every condition.
 *
 * Interrupted are the calls that Linux interrupts on a local file system. An error is tried on the
 * calls that can have it, and on all after it.
 */
#include "support/fake_sys.h"
#include "torture/scene.h"
#include "torture/scene_sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIT(call) (1U << FAKE_##call)
#define ALL_CALLS (~0U)
/* Opening what the kernel says of itself: denied for good where it is denied, which is no fault. */
#define OUTSIDE (1U << 31)
#define WRITES (BIT(WRITE) | BIT(PWRITE))
#define TRANSFERS (WRITES | BIT(READ) | BIT(PREAD))
#define NAMES (BIT(OPENAT) | BIT(MKDIRAT) | BIT(RENAMEAT2) | BIT(UNLINKAT))
#define SLOW (TRANSFERS | BIT(OPENAT) | OUTSIDE | BIT(FSYNC) | BIT(FTRUNCATE) | BIT(FLOCK))

/* In short form a third of the conditions is tried, and of so many calls one. A control
 * tries some of all. */
#define ONE_OF 60
#define ONE_OF_PLANTED 15

enum what { FAILS, SHORT, DIES };

struct mode {
	const char *name;
	enum what what;
	int error;
	enum fake_times times;
	unsigned calls;
	bool seen; /* else the operation goes as if nothing were */
};

static const struct mode modes[] = {
	{"EIO", FAILS, EIO, FAKE_ONCE, ALL_CALLS, true},
	{"EIO on", FAILS, EIO, FAKE_ALWAYS, ALL_CALLS, true},
	{"ENOSPC", FAILS, ENOSPC, FAKE_ONCE, WRITES | NAMES | BIT(FSYNC) | BIT(FTRUNCATE), true},
	{"ENOSPC on", FAILS, ENOSPC, FAKE_ALWAYS, WRITES | NAMES | BIT(FSYNC) | BIT(FTRUNCATE),
	 true},
	{"EACCES", FAILS, EACCES, FAKE_ONCE, NAMES | BIT(FSTATAT) | BIT(READLINKAT), true},
	{"EACCES on", FAILS, EACCES, FAKE_ALWAYS, NAMES | BIT(FSTATAT) | BIT(READLINKAT), true},
	{"EMFILE", FAILS, EMFILE, FAKE_ONCE, BIT(OPENAT) | OUTSIDE, true},
	{"EMFILE on", FAILS, EMFILE, FAKE_ALWAYS, BIT(OPENAT) | OUTSIDE, true},
	{"EINTR", FAILS, EINTR, FAKE_ONCE, SLOW, false},
	{"short", SHORT, 1, FAKE_ONCE, TRANSFERS, false},
	{"short on", SHORT, 1, FAKE_ALWAYS, TRANSFERS, false},
	{"death", DIES, 0, FAKE_ONCE, ALL_CALLS, true},
};

#define MODES (sizeof modes / sizeof *modes)
#define DEAD 99

/* Which calls a faultless run makes, in order, each as a bit. */
struct calls {
	unsigned *list;
	size_t count;
};

static unsigned kind_of(const struct fake_event *event)
{
	if (strncmp(event->path, "/proc/", 6) == 0 && event->call == FAKE_OPENAT)
		return OUTSIDE;
	return 1U << event->call;
}

static void note_calls(struct calls *calls, const struct deed *deed, enum start start)
{
	struct answer answer = {.text = STR_INIT};
	const struct fake_event *trace;
	struct scene scene;
	size_t count;

	scene_make(&scene, deed, start);
	fake_sys_quiet(false);
	scene_run(&scene, &answer);
	trace = fake_sys_trace(&count);
	calls->list = calloc(count + 1, sizeof *calls->list);
	calls->count = 0;
	for (size_t i = 0; calls->list && i < count; i++) {
		if (trace[i].call != FAKE_SLEEP_MS)
			calls->list[calls->count++] = kind_of(&trace[i]);
	}
	scene_remove(&scene);
	str_release(&answer.text);
}

static enum fake_call call_of(unsigned kind)
{
	enum fake_call call = FAKE_OPENAT;

	while (kind != OUTSIDE && kind != 1U << call)
		call++;
	return call;
}

/*
 * What nobody may see is planted by its number among the calls of its kind: under load a file may
 * be looked at once more than in the faultless run, and a call that is never interrupted would
 * fail.
 */
static void plant(const struct mode *mode, const struct calls *calls, unsigned nth)
{
	enum fake_call call = call_of(calls->list[nth - 1]);
	unsigned alike = 0;

	for (unsigned i = 0; i < nth; i++)
		alike += call_of(calls->list[i]) == call;
	/* What falls short on and on is the kind of call, from the first on. */
	if (mode->what == SHORT && mode->times == FAKE_ALWAYS) {
		fake_sys_short(call, 1, (size_t)mode->error, FAKE_ALWAYS);
	} else if (mode->what == FAILS && !mode->seen) {
		fake_sys_fail(call, alike, mode->error, mode->times);
	} else if (mode->what == SHORT) {
		fake_sys_short(FAKE_ANY, nth, (size_t)mode->error, FAKE_ONCE);
	} else if (mode->what == DIES) {
		fake_sys_die(FAKE_ANY, nth, DEAD);
	} else {
		fake_sys_fail(FAKE_ANY, nth, mode->error, mode->times);
	}
}

static void run(struct scene *scene, const struct mode *mode, struct answer *answer)
{
	int status;

	if (mode->what != DIES) {
		scene_run(scene, answer);
		return;
	}
	status = fake_sys_in_child(scene_run_in_child, scene);
	answer->kind = status == DEAD ? ANSWER_NONE : (enum answer_kind)status;
}

/* The store of a serving process that died is its parent's, which never did anything. */
static void try_call(struct row *row, const struct expected *expected, const struct mode *mode,
		     const struct calls *calls, unsigned nth)
{
	struct answer answer = {.text = STR_INIT};
	struct scene scene;
	char label[64];

	scene_make(&scene, expected->deed, expected->start);
	plant(mode, calls, nth);
	run(&scene, mode, &answer);
	snprintf(label, sizeof label, "%s at call %u", mode->name, nth);
	if (!mode->seen && !answer_is_same(expected, &answer))
		row_violation(row, "%s, %s, %s is seen: %s", expected->deed->name,
			      start_name(expected->start), label, answer.text.ptr);
	scene_judge(row, expected, &scene, &answer, label);
	scene_remove(&scene);
	str_release(&answer.text);
}

/* Does the mode come to something else at call n than at an earlier one? */
static bool is_new(const struct mode *mode, const struct calls *calls, unsigned n)
{
	if (mode->what != SHORT || mode->times != FAKE_ALWAYS)
		return true;
	for (unsigned i = 0; i < n - 1; i++) {
		if (calls->list[i] == calls->list[n - 1])
			return false;
	}
	return true;
}

static unsigned torture(struct row *row, const struct deed *deed, enum start start, unsigned one_of)
{
	struct expected expected;
	struct calls calls;
	unsigned cases = 0;

	note_calls(&calls, deed, start);
	expected_init(&expected, deed, start);
	for (size_t m = 0; m < MODES; m++) {
		for (unsigned n = 1; n <= calls.count && !row_is_over(row); n++) {
			if (!(modes[m].calls & calls.list[n - 1]) ||
			    !is_new(&modes[m], &calls, n) || row_below(row, one_of))
				continue;
			try_call(row, &expected, &modes[m], &calls, n);
			cases++;
		}
	}
	expected_release(&expected);
	free(calls.list);
	return cases;
}

int main(int argc, char **argv)
{
	const struct deed *deed;
	struct calls calls;
	struct row row;
	size_t count;
	unsigned cases = 0;

	row_init(&row, argc, argv);
	scenes_init(&row);
	deed = deeds(&count);
	/* The first store of all is also the first that the state folder lists. */
	note_calls(&calls, &deed[0], START_EMPTY);
	free(calls.list);
	for (size_t d = 0; d < count; d++) {
		for (int s = 0; s < START_COUNT && !row_is_over(&row); s++) {
			if (row_below(&row, row_times(&row, 3, 1)) == 0)
				cases += torture(&row, &deed[d], (enum start)s,
						 row.plant ? ONE_OF_PLANTED
							   : row_times(&row, ONE_OF, 1));
		}
	}
	fake_sys_release();
	return row_end(&row, "%u faults in %zu operations in %d conditions", cases, count,
		       START_COUNT);
}
