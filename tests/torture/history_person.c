/*
 * A person stages and commits with the git program, other files and files of the store, while four
 * processes change the store: no staging and no commit is lost, none is swept into a commit of the
 * program, and each change is in the history once.
 */
#include "support/tmpdir.h"
#include "torture/scribe.h"

#include <stdio.h>
#include <stdlib.h>

#define SCRIBES 4
#define TRIES 500

struct person {
	struct row row;
	struct tmpdir dir;
	struct tmpdir home;
	struct scribe scribes[SCRIBES];
	size_t turned_away; /* times at which git found the repository in use */
	unsigned done;
};

/* As a person does: again while the repository is in use. */
static void insist(struct person *person, const char *words)
{
	STR_AUTO out = STR_INIT;

	for (int i = 0; i < TRIES; i++) {
		if (gitlog_git(person->dir.path, words, &out) == 0)
			return;
		if (!strstr(out.ptr, ".lock") && !strstr(out.ptr, "cannot lock"))
			break;
		person->turned_away++;
	}
	row_violation(&person->row, "git %s: %s", words, out.ptr);
}

/* An own file, and every second time an entry by hand as well. */
static void edit(struct person *person, unsigned turn)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO from = STR_INIT;
	STR_AUTO to = STR_INIT;

	str_printf(&name, "mine-%u.txt", turn);
	tmpdir_write(&person->dir, name.ptr, name.ptr);
	if (turn % 4 < 2)
		return;
	str_clear(&name);
	str_printf(&name, "{\"by hand\": {\"value\": %u}}\n", turn);
	tmpdir_write(&person->home, "shortcuts.json", name.ptr);
	str_printf(&from, "%s/shortcuts.json", person->home.path);
	str_printf(&to, "%s/shortcuts.json", person->dir.path);
	if (rename(from.ptr, to.ptr) != 0)
		row_fatal("rename");
}

static void take_turn(struct person *person, unsigned turn)
{
	STR_AUTO add = STR_INIT;
	STR_AUTO commit = STR_INIT;

	edit(person, turn);
	str_printf(&add, "add mine-%u.txt%s", turn, turn % 4 == 2 ? " shortcuts.json" : "");
	insist(person, add.ptr);
	str_printf(&commit, "commit -q %s -m 'turn %u'", turn % 4 == 3 ? "-a" : "", turn);
	if (turn % 4 > 0)
		insist(person, commit.ptr);
	person->done++;
	str_clear(&add);
	str_printf(&add, "ls-files --error-unmatch mine-%u.txt", turn ? turn - 1 : 0);
	if (gitlog_git(person->dir.path, add.ptr, NULL) != 0)
		row_violation(&person->row, "mine-%u.txt was staged and is lost", turn - 1);
}

static void work(struct person *person, unsigned turns)
{
	for (unsigned i = 0; i < SCRIBES; i++)
		scribe_start(&person->scribes[i], person->dir.path, i, person->row.plant);
	for (unsigned turn = 0; turn < turns && !row_is_over(&person->row); turn++) {
		for (unsigned i = 0; i < SCRIBES; i++) {
			scribe_send(&person->scribes[i], &person->row);
			scribe_send(&person->scribes[i], &person->row);
		}
		take_turn(person, turn);
		for (unsigned i = 0; i < SCRIBES; i++) {
			while (person->scribes[i].answered + 1 < person->scribes[i].count &&
			       scribe_take(&person->scribes[i]))
				;
		}
	}
	for (unsigned i = 0; i < SCRIBES; i++)
		scribe_stop(&person->scribes[i], &person->row);
}

/* Whatever git had in its hands meanwhile is recorded with the next change. */
static void touch(struct person *person)
{
	scribe_start(&person->scribes[0], person->dir.path, 0, person->row.plant);
	scribe_touch(&person->scribes[0]);
	scribe_stop(&person->scribes[0], &person->row);
}

static void judge_turns(struct person *person)
{
	STR_AUTO files = STR_INIT;
	STR_AUTO subjects = STR_INIT;
	STR_AUTO swept = STR_INIT;

	gitlog_git(person->dir.path, "ls-tree -r --name-only HEAD", &files);
	gitlog_git(person->dir.path, "log --format=%s.", &subjects);
	gitlog_git(person->dir.path, "log --author=kota-memory --format=%s -- 'mine-*'", &swept);
	if (swept.len > 0)
		row_violation(&person->row, "commits of the program have files of the person: %s",
			      swept.ptr);
	for (unsigned turn = 0; turn < person->done; turn++) {
		STR_AUTO text = STR_INIT;

		str_printf(&text, "mine-%u.txt", turn);
		if (!strstr(files.ptr, text.ptr))
			row_violation(&person->row, "%s was staged and is lost", text.ptr);
		str_clear(&text);
		str_printf(&text, "turn %u.", turn);
		if (turn % 4 > 0 && !strstr(subjects.ptr, text.ptr))
			row_violation(&person->row, "the commit of turn %u is lost", turn);
	}
}

static void judge(struct person *person, size_t *changes)
{
	char *state = tmpdir_read(&person->dir, "state.json");
	struct gitlog log;

	gitlog_read(&log, &person->row, person->dir.path);
	for (unsigned i = 0; i < SCRIBES; i++)
		scribe_judge(&person->scribes[i], &person->row, &log, state ? state : "", NULL);
	judge_turns(person);
	gitlog_check(&person->row, person->dir.path);
	*changes = log.ours;
	gitlog_release(&log);
	free(state);
}

int main(int argc, char **argv)
{
	static struct person person;
	size_t changes = 0;

	row_init(&person.row, argc, argv);
	tmpdir_make(&person.dir);
	tmpdir_make(&person.home);
	gitlog_prepare(person.home.path);
	tmpdir_write(&person.home, ".gitconfig", "[user]\nname = Ada\nemail = ada@example.org\n");
	scribe_configure(person.dir.path);
	touch(&person);
	/* Ends with a commit of all. */
	work(&person, row_times(&person.row, 12, 120));
	touch(&person);
	judge(&person, &changes);
	for (unsigned i = 0; i < SCRIBES; i++)
		scribe_release(&person.scribes[i]);
	if (getenv("TORTURE_KEEP"))
		printf("kept: %s\n", person.dir.path);
	else
		tmpdir_remove(&person.dir);
	tmpdir_remove(&person.home);
	return row_end(&person.row,
		       "%u turns of a person (%zu times in vain), %zu changes: %u lost",
		       person.done, person.turned_away, changes, person.row.violations);
}
