/*
 * Links, modes and the store directory itself: what is one's own is followed and kept, what is made
 * is the owner's alone whatever the umask, and a directory that cannot be used is refused in words,
 * while what can be read is.
 */
#include "support/owned.h"
#include "support/tmpdir.h"
#include "torture/ask.h"
#include "torture/row.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOMEBODY_ELSE 65534
#define OWN_TEXT "{\n  \"mine\": \"kept\"\n}\n"

static const char *const categories[] = {"preferences", "connections", "patterns", "shortcuts",
					 "state"};
#define CATEGORIES (sizeof categories / sizeof *categories)

struct scene {
	struct row *row;
	struct tmpdir dir;
	char store[PATH_MAX + 8];
	struct question question;
	unsigned cases;
	unsigned skipped;
	struct answer answer;
};

static void begin(struct scene *scene)
{
	tmpdir_make(&scene->dir);
	snprintf(scene->store, sizeof scene->store, "%s/store", scene->dir.path);
	scene->question = (struct question){.dir = scene->store, .plant = scene->row->plant};
}

static void end(struct scene *scene)
{
	tmpdir_remove(&scene->dir);
}

/* Runs a command of up to three words; its exit status. */
static int run(struct scene *scene, const char *a, const char *b, const char *c)
{
	const char *const words[] = {a, b, c, NULL};

	scene->question.words = words;
	scene->cases++;
	ask(&scene->answer, &scene->question);
	if (scene->answer.hung)
		row_violation(scene->row, "%s hangs", a);
	return scene->answer.status;
}

static const char *text_of(struct scene *scene)
{
	return scene->answer.text.len ? scene->answer.text.ptr : "";
}

static void must(struct scene *scene, bool fine, const char *what)
{
	if (!fine)
		row_violation(scene->row, "%s: %s", what, text_of(scene));
}

static bool set(struct scene *scene, const char *category, const char *key)
{
	STR_AUTO ref = STR_INIT;

	str_printf(&ref, "%s:%s", category, key);
	return run(scene, "set", ref.ptr, "1") == 0;
}

/* Refused with this status, and a sentence that says this. */
static void must_refuse(struct scene *scene, int status, const char *says, const char *what)
{
	if (scene->answer.status != status || !strstr(text_of(scene), says))
		row_violation(scene->row, "%s: status %d, not %d and \"%s\": %s", what,
			      scene->answer.status, status, says, text_of(scene));
}

static mode_t mode_of(const struct scene *scene, const char *name)
{
	struct stat st;

	return fstatat(scene->dir.fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_mode : 0;
}

static void put_link(const struct scene *scene, const char *target, const char *name)
{
	if (symlinkat(target, scene->dir.fd, name) != 0)
		row_fatal(name);
}

static void put_mode(const struct scene *scene, const char *name, mode_t mode)
{
	if (fchmodat(scene->dir.fd, name, mode, 0) != 0)
		row_fatal(name);
}

/* ---- links */

static void check_own_link(struct scene *scene, const char *category)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO target = STR_INIT;
	struct err err;
	char *text;

	begin(scene);
	must(scene, set(scene, "state", "first"), "a first set");
	str_printf(&name, "store/%s.json", category);
	str_printf(&target, "%s/own.json", scene->dir.path);
	tmpdir_write(&scene->dir, "own.json", OWN_TEXT);
	unlinkat(scene->dir.fd, name.ptr, 0);
	put_link(scene, target.ptr, name.ptr);
	must(scene, !set(scene, category, "fresh"), "a set through a link that nobody allowed");
	if (owned_register(scene->store, &err) != 0)
		row_fatal(err.text);
	must(scene, set(scene, category, "fresh"), "a set through a link");
	text = tmpdir_read(&scene->dir, "own.json");
	must(scene, S_ISLNK(mode_of(scene, name.ptr)), "a link stays a link");
	must(scene, text && strstr(text, "\"mine\": \"kept\"") && strstr(text, "fresh"),
	     "the target of a link has the new text");
	free(text);
	end(scene);
}

static void check_hard_link(struct scene *scene, const char *category)
{
	STR_AUTO name = STR_INIT;
	char *text;
	char *other;

	begin(scene);
	must(scene, set(scene, "state", "first"), "a first set");
	str_printf(&name, "store/%s.json", category);
	tmpdir_write(&scene->dir, "other", OWN_TEXT);
	unlinkat(scene->dir.fd, name.ptr, 0);
	must(scene, linkat(scene->dir.fd, "other", scene->dir.fd, name.ptr, 0) == 0, "link");
	run(scene, "doctor", NULL, NULL);
	must(scene, strstr(text_of(scene), "is a hard link") != NULL, "doctor on a hard link");
	must(scene, set(scene, category, "fresh"), "a set of a hard link");
	other = tmpdir_read(&scene->dir, "other");
	text = tmpdir_read(&scene->dir, name.ptr);
	must(scene, other && strcmp(other, OWN_TEXT) == 0, "the other name keeps its text");
	must(scene, text && strstr(text, "kept") && strstr(text, "fresh"), "the new text is there");
	free(text);
	free(other);
	end(scene);
}

/* ---- modes */

static void check_modes_below(struct scene *scene, const char *name, int mask)
{
	int fd = openat(scene->dir.fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	must(scene, (mode_of(scene, name) & 07777) == 0700, "a directory of mode 0700");
	while (dir && (entry = readdir(dir))) {
		STR_AUTO path = STR_INIT;
		mode_t mode;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		str_printf(&path, "%s/%s", name, entry->d_name);
		mode = mode_of(scene, path.ptr);
		if (S_ISDIR(mode))
			check_modes_below(scene, path.ptr, mask);
		else if ((mode & 07777) != 0600)
			row_violation(scene->row, "umask %04o: %s has the mode %04o",
				      (unsigned)mask, path.ptr, mode & 07777);
	}
	if (dir)
		closedir(dir);
}

/* Everything that is made on the way, under this umask. */
static void check_umask(struct scene *scene, int mask)
{
	begin(scene);
	scene->question.has_mask = true;
	scene->question.mask = mask;
	for (size_t c = 0; c < CATEGORIES; c++)
		must(scene, set(scene, categories[c], "a"), "a set");
	must(scene, set(scene, "state", "a"), "a set that replaces nothing");
	must(scene, run(scene, "set", "state:a", "2") == 0, "a set that replaces");
	must(scene, run(scene, "get", "a", NULL) == 0, "a get");
	must(scene, run(scene, "delete", "patterns:a", NULL) == 0, "a delete");
	must(scene, run(scene, "notes", "b", NULL) == 0, "notes");
	must(scene, run(scene, "clear-state", NULL, NULL) == 0, "clear-state");
	check_modes_below(scene, "store", mask);
	end(scene);
}

/* A mode tighter than ours is the person's choice. */
static void check_tight_mode(struct scene *scene)
{
	begin(scene);
	must(scene, set(scene, "state", "a"), "a set");
	put_mode(scene, "store/state.json", 0400);
	must(scene, set(scene, "state", "b"), "a set of a read-only file");
	must(scene, (mode_of(scene, "store/state.json") & 07777) == 0400, "a tight mode stays");
	end(scene);
}

/* ---- the directory */

static void check_linked_directory(struct scene *scene)
{
	begin(scene);
	mkdirat(scene->dir.fd, "real", 0700);
	put_link(scene, "real", "store");
	must(scene, set(scene, "state", "a"), "a set in a directory that is a link");
	must(scene, tmpdir_has(&scene->dir, "real/state.json") && S_ISLNK(mode_of(scene, "store")),
	     "the link stays and the file is behind it");
	end(scene);
}

static void check_no_directory(struct scene *scene, const char *says)
{
	static const char *const commands[] = {"list",   "get",         "set",
					       "delete", "clear-state", "notes"};

	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		bool words = i > 0 && i != 4;

		run(scene, commands[i], words ? "a" : NULL, i == 2 ? "1" : NULL);
		if (scene->answer.status < 65 || !strstr(text_of(scene), says))
			row_violation(scene->row, "%s, \"%s\" expected: status %d, %s", commands[i],
				      says, scene->answer.status, text_of(scene));
	}
	run(scene, "doctor", NULL, NULL);
	must(scene, scene->answer.status != 0 && strstr(text_of(scene), says), "doctor");
}

static void check_odd_places(struct scene *scene)
{
	begin(scene);
	tmpdir_write(&scene->dir, "store", "no directory");
	check_no_directory(scene, "is not a directory");
	unlinkat(scene->dir.fd, "store", 0);
	put_link(scene, "store", "store");
	check_no_directory(scene, "link");
	end(scene);
}

static void check_newer_format(struct scene *scene)
{
	begin(scene);
	must(scene, set(scene, "state", "a"), "a set");
	tmpdir_write(&scene->dir, "store/.kota", "kota-memory data directory, format 99\n");
	check_no_directory(scene, "has format 99, this program knows formats up to");
	end(scene);
}

/* Reads work, changes are refused. */
static void check_read_only(struct scene *scene, const char *says, const char *what)
{
	must(scene, run(scene, "get", "a", NULL) == 0, what);
	must(scene, run(scene, "list", NULL, NULL) == 0, what);
	run(scene, "set", "a", "2");
	must_refuse(scene, 73, says, what);
	run(scene, "delete", "a", NULL);
	must_refuse(scene, 73, says, what);
	run(scene, "clear-state", NULL, NULL);
	must_refuse(scene, 73, says, what);
	run(scene, "notes", "b", NULL);
	must_refuse(scene, 73, says, what);
	run(scene, "doctor", NULL, NULL);
	must(scene, scene->answer.status != 0, what);
}

/* Another user of the machine: may not look into ours, and may not write into one that is open. */
static void check_other_user(struct scene *scene)
{
	begin(scene);
	must(scene, set(scene, "state", "a"), "a set");
	scene->question.uid = SOMEBODY_ELSE;
	must(scene, fchmod(scene->dir.fd, 0755) == 0, "chmod");
	run(scene, "version", NULL, NULL);
	if (scene->answer.status != 0) {
		scene->skipped++; /* that user cannot even run the program here */
		end(scene);
		return;
	}
	check_no_directory(scene, "ermission denied");
	put_mode(scene, "store", 0755);
	put_mode(scene, "store/state.json", 0644);
	put_mode(scene, "store/.kota", 0644);
	check_read_only(scene, "belongs to somebody else", "somebody else's store");
	put_mode(scene, "store/state.json", 0600);
	must(scene, run(scene, "list", NULL, NULL) == 0, "a list beside a closed file");
	must(scene, strstr(text_of(scene), "state.json") != NULL, "a closed file is named");
	end(scene);
}

static void check_read_only_mount(struct scene *scene)
{
	begin(scene);
	must(scene, set(scene, "state", "a"), "a set");
	if (mount(scene->store, scene->store, NULL, MS_BIND, NULL) != 0) {
		scene->skipped++;
		end(scene);
		return;
	}
	if (mount(NULL, scene->store, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) != 0)
		row_fatal("remount");
	check_read_only(scene, "can be read but not changed", "a read-only file system");
	umount2(scene->store, MNT_DETACH);
	end(scene);
}

static void check_as_root(struct scene *scene)
{
	bool own_mounts = geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
			  mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;

	if (geteuid() == 0)
		check_other_user(scene);
	else
		scene->skipped++;
	if (own_mounts)
		check_read_only_mount(scene);
	else
		scene->skipped++;
}

int main(int argc, char **argv)
{
	static const int masks[] = {0, 077, 0777};
	struct scene scene = {.answer = ANSWER_INIT};
	STR_AUTO skipped = STR_INIT;
	struct row row;

	row_init(&row, argc, argv);
	scene.row = &row;
	for (size_t i = 0; i < sizeof masks / sizeof *masks && !row_is_over(&row); i++)
		check_umask(&scene, masks[i]);
	for (size_t c = 0; c < CATEGORIES && !row_is_over(&row); c++) {
		if (!row.full && c != row_below(&row, CATEGORIES) && c > 0)
			continue;
		check_own_link(&scene, categories[c]);
		check_hard_link(&scene, categories[c]);
	}
	if (!row_is_over(&row)) {
		check_tight_mode(&scene);
		check_linked_directory(&scene);
		check_odd_places(&scene);
		check_newer_format(&scene);
		check_as_root(&scene);
	}
	answer_release(&scene.answer);
	if (scene.skipped > 0)
		str_printf(&skipped, " (%u parts skipped, which need root)", scene.skipped);
	return row_end(&row, "%u commands on links, modes and odd places%s: %u wrong", scene.cases,
		       skipped.len ? skipped.ptr : "", row.violations);
}
