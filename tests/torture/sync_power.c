/*
 * The power is cut while a store is synced with another machine, at any moment of fetch, merge, put
 * in place and push, with and without the file system's journal flushed. Once the next process has
 * opened the store what was under way is finished or was not begun: each text of either machine is
 * there, nothing that came is taken for a person's edit, the repository is whole, and the next
 * syncs make both stores the same.
 */
#include "support/tmpdir.h"
#include "torture/loopdisk.h"
#include "torture/scribe.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CUTS_A_STORE 10

/* A sync takes as long on an idle machine; how long the last ones took is measured. */
#define FIRST_TAKES_US 200000

/* Long enough for what follows the note. */
#define NOTE_US 20000

struct scene {
	struct row row;
	struct loopdisk disk;
	struct tmpdir home;
	unsigned stores;
	unsigned cuts;
	unsigned ended;      /* syncs that were done before the cut */
	unsigned unfinished; /* a note of what was being put in place was left */
	int64_t takes_us;
	int watch;      /* the folder of the store */
	unsigned texts; /* that have to be in the stores */
};

/* The home of a machine: of the one whose power is cut on the disk. */
static void home_of(const struct scene *scene, char machine, struct str *out)
{
	str_clear(out);
	str_printf(out, "%s/%c%u", machine == 'a' ? scene->disk.path : scene->home.path, machine,
		   scene->stores);
}

/* A shell's words with kota of that machine in $KOTA, and its store. True if they end well. */
static bool run(const struct scene *scene, char machine, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static bool run(const struct scene *scene, char machine, const char *format, ...)
{
	STR_AUTO command = STR_INIT;
	STR_AUTO home = STR_INIT;
	va_list args;

	home_of(scene, machine, &home);
	str_printf(&command,
		   "export HOME='%s' HUB='%s/hub%u.git'; export XDG_STATE_HOME=$HOME/state; "
		   "kota() { \"$KOTA\" --dir \"$HOME/store\" \"$@\"; }; exec >>'%s/said' 2>&1; ",
		   home.ptr, scene->home.path, scene->stores, scene->home.path);
	va_start(args, format);
	str_vprintf(&command, format, args);
	va_end(args);
	return system(command.ptr) == 0;
}

static void begin_store(struct scene *scene)
{
	bool done;

	if (scene->stores > 0)
		done = run(scene, 'a', "rm -rf \"$HOME\"") &&
		       run(scene, 'b', "rm -rf \"$HOME\" \"$HUB\"");
	scene->stores++;
	scene->texts = 0;
	done = run(scene, 'b',
		   "git init -q --bare \"$HUB\" && mkdir -p \"$HOME\" && "
		   "kota set editor nano --category preferences && "
		   "kota sync --remote \"$HUB\"") &&
	       run(scene, 'a',
		   "mkdir -p \"$HOME\" && kota sync --remote \"$HUB\" && sync -f \"$HOME\"");
	if (!done)
		row_fatal("two machines that sync");
}

/* Both change something of their own and something that the other changes, too. */
static void change(struct scene *scene)
{
	unsigned n = ++scene->texts;

	if (!run(scene, 'b',
		 "kota set k%u 'says b%u.' --category state && "
		 "kota set both%u 'both b%u.' --category shortcuts && kota sync",
		 n % 40, n, n % 4, n) ||
	    !run(scene, 'a',
		 "kota set l%u 'says a%u.' --category connections && "
		 "kota set both%u 'both a%u.' --category shortcuts",
		 n % 40, n, n % 4, n))
		row_violation(&scene->row, "store %u, %u: no change can be made", scene->stores, n);
}

/* Ends a process and all that it has started: they have come to us. */
static void end_all(pid_t pid)
{
	STR_AUTO path = STR_INIT;
	int status;
	long child;

	kill(pid, SIGKILL);
	str_printf(&path, "/proc/self/task/%d/children", (int)getpid());
	for (;;) {
		FILE *file = fopen(path.ptr, "re");

		while (file && fscanf(file, "%ld", &child) == 1)
			kill((pid_t)child, SIGKILL);
		if (file)
			fclose(file);
		if (waitpid(-1, &status, 0) < 0 && errno == ECHILD)
			return;
	}
}

/* Waits until the store has the note of what is put in place, or for as long as a sync takes. */
static void wait_for_note(const struct scene *scene, int watch)
{
	int64_t until_us = row_clock_us() + scene->takes_us;
	int64_t left_us;

	while ((left_us = until_us - row_clock_us()) > 0) {
		struct pollfd look = {.fd = watch, .events = POLLIN};
		_Alignas(struct inotify_event) char events[4096];
		ssize_t got;

		if (poll(&look, 1, (int)(left_us / 1000) + 1) <= 0)
			return;
		got = read(watch, events, sizeof events);
		for (ssize_t at = 0; at < got;) {
			const struct inotify_event *event = (const void *)(events + at);

			if (event->len > 0 && strcmp(event->name, ".sync") == 0)
				return;
			at += (ssize_t)(sizeof *event + event->len);
		}
	}
}

/* At any moment of the sync; every other time, and for a control, soon after its note is there. */
static void wait_a_while(struct scene *scene)
{
	bool control = scene->row.plant != NULL;
	bool early = !control && row_below(&scene->row, 2) == 0;
	unsigned us = row_below(&scene->row, early ? (unsigned)scene->takes_us : NOTE_US);
	struct timespec pause = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L};

	if (!early)
		wait_for_note(scene, scene->watch);
	nanosleep(&pause, NULL);
}

static void sync_and_cut(struct scene *scene)
{
	STR_AUTO store = STR_INIT;
	pid_t pid;

	home_of(scene, 'a', &store);
	str_adds(&store, "/store");
	scene->watch = inotify_init1(IN_CLOEXEC);
	if (scene->watch < 0 || inotify_add_watch(scene->watch, store.ptr, IN_MOVED_TO) < 0)
		row_fatal("inotify");
	pid = fork();
	if (pid < 0)
		row_fatal("fork");
	if (pid == 0)
		_exit(run(scene, 'a', "exec \"$KOTA\" --dir \"$HOME/store\" sync") ? 0 : 1);
	wait_a_while(scene);
	if (scene->row.plant || row_below(&scene->row, 2) == 0)
		loopdisk_cut(&scene->disk);
	else
		loopdisk_cut_flushed(&scene->disk);
	close(scene->watch);
	if (waitpid(pid, NULL, WNOHANG) == pid)
		scene->ended++;
	end_all(pid);
	scene->cuts++;
	loopdisk_unmount(&scene->disk);
	loopdisk_boot(&scene->disk);
}

/* What is said of the newest texts, and of those that the archive keeps. */
static bool has(const struct scene *scene, char machine, char who, unsigned n)
{
	return run(scene, machine, "grep -rqF --exclude-dir=.git '%c%u.' \"$HOME/store\"", who, n);
}

static void judge(struct scene *scene)
{
	struct row *row = &scene->row;
	unsigned n = scene->texts;
	STR_AUTO store = STR_INIT;

	if (run(scene, 'a', "test -e \"$HOME/store/.sync\""))
		scene->unfinished++;
	if (!run(scene, 'a', "kota set after%u 'after it' --category patterns", n % 40))
		row_violation(row, "store %u, %u: no change can be made after the cut",
			      scene->stores, n);
	if (!run(scene, 'a', "kota sync") || !run(scene, 'b', "kota sync"))
		row_violation(row, "store %u, %u: no sync after the cut", scene->stores, n);
	if (!run(scene, 'b',
		 "for f in state connections shortcuts patterns archive; do "
		 "cmp \"$HOME/store/$f.json\" '%s/a%u/store/'$f.json || exit 1; done",
		 scene->disk.path, scene->stores))
		row_violation(row, "store %u, %u: the stores are not the same", scene->stores, n);
	if (!has(scene, 'a', 'a', n) || !has(scene, 'a', 'b', n))
		row_violation(row, "store %u, %u: a text is lost", scene->stores, n);
	if (!run(scene, 'a',
		 "test -z \"$(git -C \"$HOME/store\" log --format=%%s | grep -E "
		 "'^(edit|recovered)')\""))
		row_violation(row, "store %u, %u: what came is taken for an edit", scene->stores,
			      n);
	if (run(scene, 'a', "test -e \"$HOME/store/.sync\""))
		row_violation(row, "store %u, %u: .sync is left", scene->stores, n);
	home_of(scene, 'a', &store);
	str_adds(&store, "/store");
	gitlog_check(row, store.ptr);
}

static void measure(struct scene *scene)
{
	int64_t begun;

	change(scene);
	begun = row_clock_us();
	if (!run(scene, 'a', "kota sync"))
		row_fatal("a sync");
	scene->takes_us = row_clock_us() - begun;
	if (!run(scene, 'b', "kota sync"))
		row_fatal("a sync");
}

int main(int argc, char **argv)
{
	static struct scene scene = {.takes_us = FIRST_TAKES_US};
	unsigned cuts;

	row_init(&scene.row, argc, argv);
	cuts = row_times(&scene.row, 3, 200);
	loopdisk_make(&scene.disk);
	loopdisk_boot(&scene.disk);
	tmpdir_make(&scene.home);
	gitlog_prepare(scene.home.path);
	unsetenv("KOTA_MEMORY_GIT");
	scribe_use_unsynced(scene.row.plant ? scene.row.plant : "");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	while (scene.cuts < cuts && !row_is_over(&scene.row)) {
		if (scene.cuts % CUTS_A_STORE == 0) {
			begin_store(&scene);
			measure(&scene);
		}
		change(&scene);
		sync_and_cut(&scene);
		judge(&scene);
	}
	loopdisk_unmount(&scene.disk);
	loopdisk_mount(&scene.disk);
	loopdisk_remove(&scene.disk);
	tmpdir_remove(&scene.home);
	return row_end(&scene.row,
		       "%u power cuts, %u of them after the sync, %u with a note left: %u times "
		       "something was lost, or a repository unreadable",
		       scene.cuts, scene.ended, scene.unfinished, scene.row.violations);
}
