/*
 * A store that somebody else has made, out of bytes, and a person who looks at it: list, get,
 * doctor, report. Nothing hangs or crashes, what a person is told is fit for a terminal, and
 * nothing outside of the store and of our own state folder changes.
 *
 * The first byte says what is there to begin with, and how the store is found. Then each line is a
 * thing in the store: a letter for what it is, one for its name ('0' is the first of names[]), and
 * the rest is what it holds or leads to. \x01 stands for the folder of it all, and \x1f for a
 * newline.
 */
#include "fuzz/fuzz.h"

#include "base/map.h"
#include "cli/run.h"
#include "fuzz/fuzz_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* 2026-11-21T08:30:00.000Z */
#define NOW INT64_C(1795249800000)
#define PROJECT "project"
#define STORE PROJECT "/data/kota_memory"
#define OUTSIDE "zzoutside"
#define LARGE_BYTES (3 << 20)
#define THINGS_MAX 24

enum {
	WITH_HISTORY = 1, /* a repository of its own, as the program makes it */
	WITH_ENTRIES = 2,
	BY_PROJECT = 4, /* found in the project's folder; else named by KOTA_MEMORY_DIR */
	GIT_OFF = 8,
	GIT_OWN = 16,
};

static const char *const names[] = {
	"preferences.json",
	"connections.json",
	"patterns.json",
	"shortcuts.json",
	"state.json",
	"archive.json",
	"relations.json",
	"metadata.json",
	"config.json",
	"synonyms.json",
	"usage.jsonl",
	".kota",
	".lock",
	".journal",
	".pending",
	".preferences.json.prev",
	".state.json.prev",
	".state.json.tmp",
	"archive.cold",
	"archive.cold/2026-11.jsonl",
	"notes",
	"notes/n.md",
	".gitignore",
	".gitattributes",
	".git",
	".git/HEAD",
	".git/config",
	".git/index",
	".git/commondir",
	".git/packed-refs",
	".git/refs",
	".git/refs/heads/main",
	".git/logs/HEAD",
	".git/info/exclude",
	".git/objects",
	".git/objects/info/alternates",
	".git/objects/pack/pack-1.idx",
	".git/shallow",
	".held",
	"",
	"../../.git",
	"../../.git/HEAD",
	"../../.git/config",
	"../../.git/index",
	"../../.git/info/exclude",
	"../../.gitignore",
};

static struct {
	uint8_t manner;
	char root[PATH_MAX];
	char home[PATH_MAX + 8];
	char project[PATH_MAX + 16];
	char store[PATH_MAX + 32];
} at;

static const char *environment_of_person(const char *name)
{
	if (strcmp(name, "HOME") == 0)
		return at.home;
	if (strcmp(name, at.manner & BY_PROJECT ? "CLAUDE_PROJECT_DIR" : "KOTA_MEMORY_DIR") == 0)
		return at.manner & BY_PROJECT ? at.project : at.store;
	if (strcmp(name, "KOTA_MEMORY_GIT") != 0)
		return NULL;
	return at.manner & GIT_OFF ? "off" : at.manner & GIT_OWN ? "own" : NULL;
}

/* ---- what a person does */

struct said {
	char *out;
	char *err;
	size_t out_len;
	size_t err_len;
};

static void check_lines(struct slice text)
{
	while (text.len > 0) {
		struct slice line = fuzz_take_line(&text);
		char *words = strndup(line.ptr, line.len);

		if (line.len > 0)
			fuzz_check_words(words);
		free(words);
	}
}

/* All that is in the files outside begins like this. */
static void check_told(struct slice text)
{
	FUZZ_REQUIRE(text.len == 0 || !memmem(text.ptr, text.len, OUTSIDE, strlen(OUTSIDE)),
		     "nothing outside is told");
}

/* Runs `kota` with these words, ended by NULL, and says what it said; the caller frees that. */
static void run(struct said *said, char **argv)
{
	struct cli cli = {.sys = fuzz_folder_sys(), .env = environment_of_person, .columns = 80};
	int argc = 0;
	int status;

	while (argv[argc])
		argc++;
	*said = (struct said){0};
	cli.in = fopen("/dev/null", "r");
	cli.out = open_memstream(&said->out, &said->out_len);
	cli.err = open_memstream(&said->err, &said->err_len);
	status = cli_main(&cli, argc, argv);
	fclose(cli.in);
	fclose(cli.out);
	fclose(cli.err);
	FUZZ_REQUIRE(status >= 0 && status <= 75 && status != 70 && status != 71,
		     "a command ends with a status of its own");
	check_lines(slice_make(said->err, said->err_len));
	check_told(slice_make(said->out, said->out_len));
	check_told(slice_make(said->err, said->err_len));
}

static void forget(struct said *said)
{
	free(said->out);
	free(said->err);
}

static void look(char *word, char *second)
{
	char *argv[] = {(char[]){"kota"}, word, second, NULL};
	struct said said;

	run(&said, argv);
	FUZZ_REQUIRE(!fuzz_is_planted(slice_make(said.out, said.out_len)),
		     "the planted text is not told");
	forget(&said);
}

/* The first change makes the repository. */
static void make_history(void)
{
	char *argv[] = {(char[]){"kota"}, (char[]){"set"}, (char[]){"preferences:shell"},
			(char[]){"zsh"}, NULL};
	struct said said;

	run(&said, argv);
	forget(&said);
}

/* ---- what is there */

/* The text with what its stand-ins stand for. */
static void expand(struct slice text, struct str *out)
{
	str_clear(out);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\x01')
			str_adds(out, at.root);
		else
			str_addc(out, text.ptr[i] == '\x1f' ? '\n' : text.ptr[i]);
	}
}

/* Makes the folders of a path, where nothing else is in their place. */
static void make_folders(const char *path)
{
	char part[PATH_MAX];

	for (const char *end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
		snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
		mkdirat(fuzz_folder()->fd, part, 0700);
	}
}

static void remove_tree(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *found;

	while (dir && (found = readdir(dir))) {
		if (strcmp(found->d_name, ".") != 0 && strcmp(found->d_name, "..") != 0)
			remove_tree(fd, found->d_name);
	}
	if (dir)
		closedir(dir);
	unlinkat(dirfd, name, dir ? AT_REMOVEDIR : 0);
}

/* As the program does it: an attacker knows the digest. */
static void sign(struct str *body)
{
	STR_AUTO journal = STR_INIT;

	str_printf(&journal, "{\"digest\":\"%" PRIx64 "\",\"journal\":", hash64(str_slice(body)));
	str_add(&journal, str_slice(body));
	str_adds(&journal, "}\n");
	str_clear(body);
	str_add(body, str_slice(&journal));
}

static bool write_file(int dirfd, const char *name, struct slice bytes, off_t size)
{
	int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool written;

	if (fd < 0)
		return false;
	written = write(fd, bytes.ptr, bytes.len) == (ssize_t)bytes.len &&
		  (size == 0 || ftruncate(fd, size) == 0);
	close(fd);
	return written;
}

static bool make_socket(int dirfd, const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool bound;

	snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%.60s", dirfd, name);
	bound = bind(fd, (const struct sockaddr *)&address, sizeof address) == 0;
	close(fd);
	return bound;
}

/* Puts a thing into a folder; false when there can be none, as a link to nowhere at all. */
static bool put(char kind, int dirfd, const char *name, struct str *text)
{
	switch (kind) {
	case 'd':
		return mkdirat(dirfd, name, 0700) == 0;
	case 'j':
		sign(text);
		return write_file(dirfd, name, str_slice(text), 0);
	case 'l':
		return symlinkat(text->ptr, dirfd, name) == 0;
	case 'p':
		return mkfifoat(dirfd, name, 0600) == 0;
	case 's':
		return make_socket(dirfd, name);
	case 'b':
		return write_file(dirfd, name, str_slice(text), LARGE_BYTES);
	case 'x':
		return write_file(dirfd, name, str_slice(text), 0) &&
		       fchmodat(dirfd, name, 0, 0) == 0;
	case '-':
		return true;
	default:
		return write_file(dirfd, name, str_slice(text), 0);
	}
}

/*
 * Opens the folder that a name of the store is in. A thing put before it may be a link that leads
 * out; whoever made this store was not here, so nothing is put behind one.
 */
static int open_parent(const char *path, const char **last)
{
	const char *slash = strrchr(path, '/');
	char part[PATH_MAX];
	int fd = dup(fuzz_folder()->fd);

	*last = slash + 1;
	while (fd >= 0 && path < *last) {
		size_t len = strcspn(path, "/");
		int inner;

		snprintf(part, sizeof part, "%.*s", (int)len, path);
		inner = openat(fd, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(fd);
		fd = inner;
		path += len + 1;
	}
	return fd;
}

static const char *name_of(uint8_t letter)
{
	return names[(uint8_t)(letter - '0') % (sizeof names / sizeof *names)];
}

static void put_line(struct slice line)
{
	char kind = (char)fuzz_take_byte(&line);
	const char *name = name_of(fuzz_take_byte(&line));
	STR_AUTO text = STR_INIT;
	char path[128];
	const char *last;
	int dirfd;

	snprintf(path, sizeof path, *name ? STORE "/%s" : STORE "%s", name);
	if (strncmp(name, "../../", 6) == 0)
		snprintf(path, sizeof path, PROJECT "/%s", name + 6);
	/* Who names a link means what it leads to. */
	if (!*name && !(at.manner & BY_PROJECT))
		return;
	expand(line, &text);
	make_folders(path);
	dirfd = open_parent(path, &last);
	if (dirfd < 0)
		return;
	remove_tree(dirfd, last);
	put(kind, dirfd, last, &text);
	close(dirfd);
}

/* Some entries, one of which is due to expire with the first look. */
static void write_entries(void)
{
	fuzz_folder_write(STORE "/preferences.json",
			  slice_of("{\n  \"editor\": \"vim\",\n  \"theme\": "
				   "{\"value\": \"dark\"}\n}\n"));
	fuzz_folder_write(STORE "/state.json",
			  slice_of("{\"task\":{\"value\":\"build\",\"last_updated\":"
				   "\"2020-01-01T00:00:00.000Z\"}}"));
	fuzz_folder_write(STORE "/usage.jsonl",
			  slice_of("{\"since\":\"2020-01-01T00:00:00.000Z\"}\n"));
}

static void make_store(struct slice input)
{
	mkdirat(fuzz_folder()->fd, "outside", 0700);
	mkdirat(fuzz_folder()->fd, "outside/folder", 0700);
	fuzz_folder_write("outside/entries.json",
			  slice_of("{\"" OUTSIDE "-key\":\"" OUTSIDE "\"}\n"));
	fuzz_folder_write("outside/token", slice_of(OUTSIDE "-token\n"));
	fuzz_folder_write("outside/folder/preferences.json",
			  slice_of("{\"" OUTSIDE "\":\"" OUTSIDE "\"}\n"));
	fuzz_folder_write(STORE "/.kota", slice_of("kota-memory data directory, format 1\n"));
	if (at.manner & WITH_ENTRIES)
		write_entries();
	if (at.manner & WITH_HISTORY)
		make_history();
	for (int i = 0; i < THINGS_MAX && input.len > 0; i++)
		put_line(fuzz_take_line(&input));
}

/* ---- what must not change */

static void describe(struct str *out, int dirfd, const char *name, unsigned depth);

static void describe_folder(struct str *out, int dirfd, const char *name, unsigned depth)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *found;

	while (dir && (found = readdir(dir))) {
		if (found->d_name[0] != '.')
			describe(out, fd, found->d_name, depth + 1);
	}
	if (dir)
		closedir(dir);
}

static void describe(struct str *out, int dirfd, const char *name, unsigned depth)
{
	struct stat st;
	char bytes[256];
	ssize_t got;
	int fd;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	str_printf(out, "%u %s %o %lld %lld\n", depth, name, (unsigned)st.st_mode,
		   (long long)st.st_size, S_ISDIR(st.st_mode) ? 0LL : (long long)st.st_mtim.tv_sec);
	if (S_ISDIR(st.st_mode)) {
		describe_folder(out, dirfd, name, depth);
	} else if (S_ISREG(st.st_mode)) {
		fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		got = read(fd, bytes, sizeof bytes);
		str_add(out, slice_make(bytes, got > 0 ? (size_t)got : 0));
		close(fd);
	}
}

static void describe_outside(struct str *out)
{
	str_clear(out);
	describe(out, fuzz_folder()->fd, "outside", 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice input = fuzz_slice(data, size);
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;

	setenv("TZ", "UTC0", 1);
	tzset();
	fuzz_folder_begin(NOW);
	at.manner = fuzz_take_byte(&input);
	snprintf(at.root, sizeof at.root, "%s", fuzz_folder()->path);
	snprintf(at.home, sizeof at.home, "%s/home", at.root);
	snprintf(at.project, sizeof at.project, "%s/" PROJECT, at.root);
	snprintf(at.store, sizeof at.store, "%s/" STORE, at.root);
	make_store(input);
	describe_outside(&before);
	look((char[]){"list"}, NULL);
	look((char[]){"get"}, (char[]){"editor"});
	look((char[]){"doctor"}, NULL);
	look((char[]){"report"}, NULL);
	describe_outside(&after);
	FUZZ_REQUIRE(slice_equal(str_slice(&before), str_slice(&after)), "nothing outside changes");
	FUZZ_REQUIRE(fuzz_folder_open_count() == 0, "what was opened is closed");
	fuzz_folder_end();
	return 0;
}
