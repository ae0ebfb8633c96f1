/*
 * People edit a category file while four servers write to it, in every way in which editors save.
 *
 * Each editor owns an entry, a number that it counts up by one a save and then looks for: a save
 * that is not in the file after many more changes is lost. Each server owns an entry, an array to
 * which it appends. An entry that nobody changes has to keep its odd bytes. A save that replaces
 * a newer file than the one its editor has loaded removes on purpose, as far as anybody can tell,
 * what came in between: editors look right before they save, notice when they were still too late,
 * and such saves are counted apart.
 */
#include "json/doc.h"
#include "support/tmpdir.h"
#include "torture/row.h"
#include "torture/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "preferences.json"
#define SERVERS 4
#define APPENDED 60 /* to an array, before it is looked at and begun anew */
#define ODD "\"odd\"   :\t{ \"value\" :1.0e0 ,\"mine\":[ 1,2 ,3 ]\t}"

/* A save that cannot be seen after so many changes and so long is lost. */
#define CHANGES_MAX 60
#define WAIT_MS 3000

/* How a text is saved; also the number of the editor who does it. */
enum style { BY_RENAME, CUT_BY_OPEN, CUT_THEN_WRITE, OVER_THEN_CUT, SLOW, STYLES };

/* What all processes of the test see. */
struct shared {
	atomic_bool stop;
	atomic_uint changes; /* acknowledged */
	atomic_uint refused;
	atomic_uint stale;   /* saves over a newer file */
	atomic_uint checked; /* appends found in the file */
	atomic_uint broken;  /* texts that were saved broken and left alone */
	atomic_uint violations;
	atomic_uint by_rename;
	atomic_uint in_place;
};

/* An editor or the one who drives a server. */
struct worker {
	struct row row;
	struct tmpdir dir;
	struct shared *shared;
	int turn; /* locked by the editor that loads and saves */
	unsigned number;
	enum style style;
	unsigned told; /* violations that the others know of */
};

static bool is_over(struct worker *w)
{
	atomic_fetch_add(&w->shared->violations, w->row.violations - w->told);
	w->told = w->row.violations;
	return atomic_load(&w->shared->stop) ||
	       (w->row.plant && atomic_load(&w->shared->violations) > 0);
}

/* Waits until so many more changes are acknowledged, or for a while. */
static void wait_for_changes(struct worker *w, unsigned count, int most_ms)
{
	unsigned begun = atomic_load(&w->shared->changes);

	for (int ms = 0; ms < most_ms && atomic_load(&w->shared->changes) - begun < count; ms++)
		poll(NULL, 0, 1);
}

/* ---- what the file says */

static bool is_whole(const char *text)
{
	struct json_fault fault;
	struct json doc;
	bool whole = json_parse(&doc, slice_of(text), &json_file_bounds, &fault) == 0;

	if (whole)
		json_release(&doc);
	return whole;
}

/* Where the number of an editor stands in a text, or NULL. */
static char *number_in(char *text, unsigned editor)
{
	char name[32];
	char *at;

	snprintf(name, sizeof name, "\"editor-%u\": ", editor);
	at = strstr(text, name);
	return at ? at + strlen(name) : NULL;
}

/* Reads the open file whole; the caller frees it. */
static char *read_open(int fd)
{
	char *text = calloc(1 << 16, 1);

	if (pread(fd, text, (1 << 16) - 1, 0) < 0)
		row_fatal("pread");
	return text;
}

/* What no editor could go on from: the test ends here, as the entry will not come back. */
static char *give_up(struct worker *w)
{
	row_violation(&w->row, "the entry of editor %u is gone, or the file is torn", w->number);
	is_over(w);
	atomic_store(&w->shared->stop, true);
	return NULL;
}

/* Opens the file and reads it, once it is whole; no other editor is at it meanwhile. */
static char *load(struct worker *w, int flags, int *fd)
{
	int64_t begun_ms = row_clock_us() / 1000;

	while (!is_over(w)) {
		char *text = NULL;

		*fd = openat(w->dir.fd, NAME, flags | O_CLOEXEC);
		if (*fd >= 0)
			text = read_open(*fd);
		if (text && is_whole(text) && number_in(text, w->number)) {
			if (!strstr(text, ODD)) {
				row_violation(&w->row, "the entry that nobody changes changed");
			}
			return text;
		}
		free(text);
		if (*fd >= 0)
			close(*fd);
		if (row_clock_us() / 1000 - begun_ms > WAIT_MS)
			return give_up(w);
		poll(NULL, 0, 1);
	}
	return NULL;
}

/* The text with the editor's number counted up. */
static void edit(struct worker *w, char *text, unsigned number, struct str *out)
{
	char *at = number_in(text, w->number);

	str_add(out, slice_make(text, (size_t)(at - text)));
	str_printf(out, "%u%s", number, at + strspn(at, "0123456789"));
}

/* ---- saving */

static void write_pieces(struct worker *w, int fd, const char *text)
{
	size_t len = strlen(text);

	for (size_t at = 0, piece; at < len; at += piece) {
		piece = 1 + row_below(&w->row, (unsigned)(len - at));
		if (pwrite(fd, text + at, piece, (off_t)at) != (ssize_t)piece)
			row_fatal("pwrite");
		if (w->style == SLOW)
			wait_for_changes(w, 1, 4);
	}
}

static bool save_by_rename(struct worker *w, int loaded, const char *text)
{
	char temp[32];
	struct stat st;
	struct stat named;
	int fd;

	snprintf(temp, sizeof temp, "editor-%u.tmp", w->number);
	fd = openat(w->dir.fd, temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	write_pieces(w, fd, text);
	close(fd);
	if (fstat(loaded, &st) != 0 || fstatat(w->dir.fd, NAME, &named, 0) != 0 ||
	    st.st_ino != named.st_ino) {
		unlinkat(w->dir.fd, temp, 0); /* somebody was faster: load again */
		return false;
	}
	if (renameat(w->dir.fd, temp, w->dir.fd, NAME) != 0)
		row_fatal("rename");
	/* What was replaced has no name left; where it has one, it was displaced before. */
	if (fstat(loaded, &st) == 0 && st.st_nlink > 0)
		atomic_fetch_add(&w->shared->stale, 1);
	return true;
}

static bool save_cut_by_open(struct worker *w, int loaded, const char *text)
{
	struct stat before;
	struct stat after;
	int fd;

	if (fstat(loaded, &before) != 0 || fstatat(w->dir.fd, NAME, &after, 0) != 0 ||
	    before.st_ino != after.st_ino)
		return false;
	fd = openat(w->dir.fd, NAME, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &after) != 0)
		row_fatal("open to save");
	if (after.st_ino != before.st_ino)
		atomic_fetch_add(&w->shared->stale, 1);
	write_pieces(w, fd, text);
	close(fd);
	return true;
}

/* The file is written through the descriptor by which it was read, wherever it is by now. */
static bool save_in_place(struct worker *w, int fd, const char *text)
{
	bool cut = w->style == CUT_THEN_WRITE || (w->style == SLOW && row_below(&w->row, 2) == 0);

	if (w->style == SLOW)
		wait_for_changes(w, 2 + row_below(&w->row, 6), 60);
	if (cut && ftruncate(fd, 0) != 0)
		row_fatal("ftruncate");
	write_pieces(w, fd, text);
	if (ftruncate(fd, (off_t)strlen(text)) != 0)
		row_fatal("ftruncate");
	return true;
}

static bool save(struct worker *w, int fd, const char *text)
{
	bool saved = w->style == BY_RENAME     ? save_by_rename(w, fd, text)
		     : w->style == CUT_BY_OPEN ? save_cut_by_open(w, fd, text)
					       : save_in_place(w, fd, text);

	if (saved)
		atomic_fetch_add(
			w->style == BY_RENAME ? &w->shared->by_rename : &w->shared->in_place, 1);
	return saved;
}

/* ---- editors */

/* Is the number in the file by now? */
static bool is_seen(struct worker *w, unsigned number)
{
	char *text = tmpdir_read(&w->dir, NAME);
	const char *at = text ? number_in(text, w->number) : NULL;
	bool seen = at && strtoul(at, NULL, 10) == number;

	free(text);
	return seen;
}

static void look_for(struct worker *w, unsigned number, unsigned stale)
{
	unsigned begun = atomic_load(&w->shared->changes);
	int64_t begun_ms = row_clock_us() / 1000;

	while (!is_seen(w, number) && !is_over(w)) {
		if (row_clock_us() / 1000 - begun_ms > WAIT_MS &&
		    atomic_load(&w->shared->changes) - begun > CHANGES_MAX) {
			if (atomic_load(&w->shared->stale) != stale)
				return;
			row_violation(&w->row, "save %u of editor %u is lost", number, w->number);
			return;
		}
		poll(NULL, 0, 1);
	}
}

static void edit_once(struct worker *w)
{
	unsigned stale = atomic_load(&w->shared->stale);
	unsigned number;
	STR_AUTO out = STR_INIT;
	bool saved;
	char *text;
	int fd;

	flock(w->turn, LOCK_EX);
	text = load(w, w->style > CUT_BY_OPEN ? O_RDWR : O_RDONLY, &fd);
	if (!text) {
		flock(w->turn, LOCK_UN);
		return;
	}
	number = 1 + (unsigned)strtoul(number_in(text, w->number), NULL, 10);
	edit(w, text, number, &out);
	saved = save(w, fd, out.ptr);
	close(fd);
	flock(w->turn, LOCK_UN);
	free(text);
	if (saved)
		look_for(w, number, stale);
}

/* Saves a text with a fault, sees that nobody touches it, and mends it. */
static void break_once(struct worker *w)
{
	STR_AUTO broken = STR_INIT;
	char *text;
	char *now;
	int fd;

	flock(w->turn, LOCK_EX);
	text = load(w, O_RDONLY, &fd);
	if (text) {
		str_printf(&broken, "%s, oops", text);
		if (save_by_rename(w, fd, broken.ptr)) {
			wait_for_changes(w, 2, 8);
			now = tmpdir_read(&w->dir, NAME);
			if (!now || strcmp(now, broken.ptr) != 0)
				row_violation(&w->row, "a file that does not parse is overwritten");
			free(now);
			atomic_fetch_add(&w->shared->broken, 1);
			close(fd);
			fd = openat(w->dir.fd, NAME, O_WRONLY | O_TRUNC | O_CLOEXEC);
			write_pieces(w, fd, text);
		}
		close(fd);
	}
	free(text);
	flock(w->turn, LOCK_UN);
}

static void run_editor(struct worker *w)
{
	for (unsigned n = 1; !is_over(w); n++) {
		if (w->style == BY_RENAME && n % 20 == 0)
			break_once(w);
		else
			edit_once(w);
		/* People leave others some time. */
		wait_for_changes(w, w->style == SLOW ? 12 : 1 + w->style, 100);
	}
}

/* ---- servers */

/* Are the numbers 1 to count all in the server's array, once everything is merged? */
static bool all_there(struct worker *w, unsigned count, const bool *acknowledged, unsigned *missing)
{
	char *text = tmpdir_read(&w->dir, NAME);
	char name[32];
	char *at = NULL;

	snprintf(name, sizeof name, "\"server-%u\"", w->number);
	if (text && is_whole(text))
		at = strstr(text, name);
	for (*missing = 1; at && *missing <= count; (*missing)++) {
		char number[16];
		char *end = strchr(at, ']');
		char *found;

		snprintf(number, sizeof number, "%u", 1000 + *missing);
		found = strstr(at, number);
		if (acknowledged[*missing] && (!found || !end || found > end))
			break;
	}
	free(text);
	return at && *missing > count;
}

static void check_array(struct worker *w, const bool *acknowledged, unsigned stale)
{
	int64_t begun_ms = row_clock_us() / 1000;
	unsigned missing;

	while (!all_there(w, APPENDED, acknowledged, &missing)) {
		if (atomic_load(&w->shared->stale) != stale)
			return;
		if (row_clock_us() / 1000 - begun_ms > WAIT_MS) {
			row_violation(&w->row, "append %u of server %u is lost", missing,
				      w->number);
			return;
		}
		poll(NULL, 0, 1);
	}
	for (unsigned i = 1; i <= APPENDED; i++)
		atomic_fetch_add(&w->shared->checked, acknowledged[i]);
}

static bool call(struct worker *w, struct server *server, const char *tool, const char *arguments)
{
	STR_AUTO reply = STR_INIT;

	if (!server_call(server, tool, arguments, &reply))
		row_fatal("a server is gone");
	if (!reply_is_ok(str_slice(&reply))) {
		atomic_fetch_add(&w->shared->refused, 1);
		return false;
	}
	atomic_fetch_add(&w->shared->changes, 1);
	return true;
}

static void run_server(struct worker *w)
{
	struct server server;
	char arguments[128];

	server_start(&server, w->dir.path, w->row.plant);
	while (!is_over(w)) {
		bool acknowledged[APPENDED + 1] = {false};
		unsigned stale = atomic_load(&w->shared->stale);

		snprintf(arguments, sizeof arguments,
			 "{\"key\":\"server-%u\",\"value\":[],\"category\":\"preferences\"}",
			 w->number);
		while (!is_over(w) && !call(w, &server, "memory_set", arguments))
			poll(NULL, 0, 1);
		for (unsigned i = 1; i <= APPENDED && !is_over(w); i++) {
			snprintf(arguments, sizeof arguments,
				 "{\"key\":\"preferences:server-%u\",\"addition\":[%u]}", w->number,
				 1000 + i);
			acknowledged[i] = call(w, &server, "memory_update", arguments);
			if (!acknowledged[i])
				poll(NULL, 0, 1);
		}
		check_array(w, acknowledged, stale);
	}
	server_stop(&server);
}

/* ---- the test */

static pid_t start(struct worker *w, void (*run)(struct worker *), unsigned number)
{
	char path[PATH_MAX + 16];
	pid_t pid = fork();

	if (pid < 0)
		row_fatal("fork");
	if (pid > 0)
		return pid;
	w->number = number;
	w->row.state += number * 7919U;
	snprintf(path, sizeof path, "%s/turn", w->dir.path);
	w->turn = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	run(w);
	is_over(w);
	exit(0);
}

static void begin_store(const struct worker *w)
{
	STR_AUTO text = STR_INIT;

	str_adds(&text, "{\n  " ODD);
	for (unsigned i = 0; i < STYLES; i++)
		str_printf(&text, ",\n  \"editor-%u\": 0", i);
	str_adds(&text, "\n}\n");
	tmpdir_write(&w->dir, NAME, text.ptr);
}

int main(int argc, char **argv)
{
	struct worker w = {.turn = -1};
	pid_t children[SERVERS + STYLES];
	struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned wanted;
	int status;

	row_init(&w.row, argc, argv);
	if (shared == MAP_FAILED)
		row_fatal("mmap");
	wanted = row_times(&w.row, 25, 2000);
	w.shared = shared;
	tmpdir_make(&w.dir);
	begin_store(&w);
	for (unsigned i = 0; i < SERVERS; i++)
		children[i] = start(&w, run_server, i);
	for (unsigned i = 0; i < STYLES; i++) {
		w.style = (enum style)i;
		children[SERVERS + i] = start(&w, run_editor, i);
	}
	while (!is_over(&w) && (atomic_load(&shared->by_rename) < wanted ||
				atomic_load(&shared->in_place) < wanted))
		poll(NULL, 0, 5);
	atomic_store(&shared->stop, true);
	for (unsigned i = 0; i < SERVERS + STYLES; i++)
		if (waitpid(children[i], &status, 0) < 0 || status != 0)
			row_violation(&w.row, "worker %u came to a bad end", i);
	w.row.violations += atomic_load(&shared->violations);
	tmpdir_remove(&w.dir);
	return row_end(&w.row,
		       "%u edits by rename, %u in place, %u broken ones, beside %u changes of four "
		       "servers (%u refused): %u appends found again, %u saves over newer files",
		       atomic_load(&shared->by_rename), atomic_load(&shared->in_place),
		       atomic_load(&shared->broken), atomic_load(&shared->changes),
		       atomic_load(&shared->refused), atomic_load(&shared->checked),
		       atomic_load(&shared->stale));
}
