/*
 * Readers beside writers of changes that touch several files, some of which are killed on the way:
 * no answer shows half a change. An entry that moves is in one category, never in none or in two;
 * a deleted one is in service or archived, never neither or both; and of three entries that come
 * and go together all are there or none.
 */
#include "support/tmpdir.h"
#include "torture/ask.h"
#include "torture/row.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WRITERS 2
#define READERS 3
#define WORDS_MAX 5
#define TRIO 3

/* What is moved, deleted and restored, cleared and imported again. */
static const char *const commands[][WORDS_MAX] = {
	{"mv", "preferences:pilot", "connections:pilot", NULL},
	{"mv", "connections:pilot", "patterns:pilot", NULL},
	{"mv", "patterns:pilot", "preferences:pilot", NULL},
	{"delete", "shortcuts:ship", NULL},
	{"restore", "shortcuts:ship", NULL},
	{"clear-state", NULL},
	{"import", NULL /* the file */, "--yes", NULL},
};

#define COMMANDS (sizeof commands / sizeof *commands)
#define IMPORT (COMMANDS - 1)

struct readers {
	struct row row;
	struct tmpdir dir;
	struct tmpdir beside;
	char trio[PATH_MAX + 16];
	pid_t writers[WRITERS];
	struct server servers[READERS];
	unsigned reads[4];
};

/* Runs one command, and kills it some microseconds later when kill_us is not 0. */
static void run_command(const struct readers *r, size_t which, unsigned kill_us)
{
	const char *program = server_program(NULL, NULL, 0);
	pid_t child = fork();

	if (child == 0) {
		const char *words[4 + WORDS_MAX] = {program, "--dir", r->dir.path};

		for (size_t i = 0; i < WORDS_MAX; i++)
			words[3 + i] = which == IMPORT && i == 1 ? r->trio : commands[which][i];
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(126);
		execv(program, (char *const *)words);
		_exit(126);
	}
	if (kill_us) {
		int64_t until = row_clock_us() + kill_us;

		while (row_clock_us() < until)
			;
		kill(child, SIGKILL);
	}
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Works until it is killed. Every eighth command is. */
static _Noreturn void write_on(struct readers *r, unsigned number)
{
	setpgid(0, 0);
	r->row.state += number;
	for (;;)
		run_command(r, row_below(&r->row, COMMANDS),
			    row_below(&r->row, 8) ? 0 : 500 + row_below(&r->row, 6000));
}

static unsigned count(struct slice text, const char *what)
{
	const char *at = text.ptr;
	const char *end = text.ptr + text.len;
	unsigned n = 0;

	while (at && (at = memmem(at, (size_t)(end - at), what, strlen(what)))) {
		n++;
		at += strlen(what);
	}
	return n;
}

/* How often each of the three is in the text: before + its letter + after. */
static void count_trio(struct slice text, const char *before, const char *after,
		       unsigned counts[TRIO])
{
	for (int i = 0; i < TRIO; i++) {
		char what[64];

		snprintf(what, sizeof what, "%s%c%s", before, 'a' + i, after);
		counts[i] = count(text, what);
	}
}

static void judge(struct readers *r, const char *how, unsigned pilots, unsigned ships,
		  const unsigned trio[TRIO], struct slice text)
{
	if (pilots == 1 && ships == 1 && trio[0] == trio[1] && trio[1] == trio[2])
		return;
	row_violation(&r->row, "%s: pilot %u times, ship %u times, trio %u %u %u: %.*s", how,
		      pilots, ships, trio[0], trio[1], trio[2],
		      text.len < 600 ? (int)text.len : 600, text.ptr);
}

/* Refs are once in the reply as text, with a quote that is escaped. */
static void read_list(struct readers *r, struct server *server, struct str *reply)
{
	unsigned trio[TRIO];

	if (!server_call(server, "memory_list", "{}", reply)) {
		row_violation(&r->row, "a reader went away");
		return;
	}
	count_trio(str_slice(reply), "state:trio ", "\\\"", trio);
	judge(r, "list", count(str_slice(reply), ":pilot\\\""), 1, trio, str_slice(reply));
	r->reads[0]++;
}

static void read_search(struct readers *r, struct server *server, struct str *reply)
{
	unsigned trio[TRIO];

	if (!server_call(server, "memory_search",
			 "{\"query\":\"vessel\",\"limit\":50,\"scope\":[\"active\",\"archived\"]}",
			 reply)) {
		row_violation(&r->row, "a reader went away");
		return;
	}
	count_trio(str_slice(reply), "\\\"state:trio ", "\\\"", trio);
	/* What was deleted answers no search. */
	judge(r, "search", count(str_slice(reply), ":pilot\\\""), 1, trio, str_slice(reply));
	r->reads[1]++;
}

static void read_export(struct readers *r, struct answer *answer)
{
	const char *const words[] = {"export", "--with-archive", NULL};
	struct slice text;
	unsigned trio[TRIO];

	ask(answer, &(struct question){.dir = r->dir.path, .plant = r->row.plant, .words = words});
	text = str_slice(&answer->text);
	if (answer->status != 0)
		row_violation(&r->row, "export: %s", answer->text.ptr);
	count_trio(text, "\"key\":\"trio ", "\"", trio);
	judge(r, "export", count(text, "\"key\":\"pilot\""),
	      count(text, "\"key\":\"ship\"") + count(text, "\"originalKey\":\"ship\""), trio,
	      text);
	r->reads[2]++;
}

static void read_prime(struct readers *r, struct answer *answer)
{
	const char *const words[] = {"prime", NULL};
	struct slice text;
	unsigned trio[TRIO];

	ask(answer, &(struct question){.dir = r->dir.path, .plant = r->row.plant, .words = words});
	text = str_slice(&answer->text);
	count_trio(text, "trio ", "", trio);
	judge(r, "prime", count(text, "the pilot of a vessel"), 1, trio, text);
	r->reads[3]++;
}

static void read_all(struct readers *r, unsigned reads)
{
	STR_AUTO reply = STR_INIT;
	struct answer answer = ANSWER_INIT;

	for (unsigned i = 0; i < reads && !row_is_over(&r->row); i++) {
		struct server *server = &r->servers[i % READERS];

		if (i % 200 == 0)
			read_export(r, &answer);
		else if (i % 200 == 100)
			read_prime(r, &answer);
		else if (row_below(&r->row, 4) == 0)
			read_search(r, server, &reply);
		else
			read_list(r, server, &reply);
	}
	answer_release(&answer);
}

static void set_up(struct readers *r)
{
	static const char *const entries[][WORDS_MAX] = {
		{"set", "preferences:pilot", "the pilot of a vessel", NULL},
		{"set", "shortcuts:ship", "a vessel", NULL},
	};

	tmpdir_make(&r->dir);
	tmpdir_make(&r->beside);
	tmpdir_write(&r->dir, "config.json", "{\"git\":\"off\"}\n");
	tmpdir_write(&r->beside, "trio.json",
		     "{\"kota_export\":1,\"archive\":false,\"entries\":["
		     "{\"category\":\"state\",\"key\":\"trio a\",\"entry\":{\"value\":\"vessel\"}},"
		     "{\"category\":\"state\",\"key\":\"trio b\",\"entry\":{\"value\":\"vessel\"}},"
		     "{\"category\":\"state\",\"key\":\"trio c\",\"entry\":{\"value\":\"vessel\"}}"
		     "],\"records\":[],\"links\":[]}\n");
	snprintf(r->trio, sizeof r->trio, "%s/trio.json", r->beside.path);
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
		struct answer answer = ANSWER_INIT;

		ask(&answer, &(struct question){.dir = r->dir.path, .words = entries[i]});
		if (answer.status != 0)
			row_fatal(answer.text.ptr);
		answer_release(&answer);
	}
	for (unsigned i = 0; i < READERS; i++)
		server_start(&r->servers[i], r->dir.path, r->row.plant);
	for (unsigned i = 0; i < WRITERS; i++) {
		r->writers[i] = fork();
		if (r->writers[i] == 0)
			write_on(r, i);
		setpgid(r->writers[i], r->writers[i]);
	}
}

static void tear_down(struct readers *r)
{
	for (unsigned i = 0; i < WRITERS; i++) {
		kill(-r->writers[i], SIGKILL);
		waitpid(r->writers[i], NULL, 0);
	}
	for (unsigned i = 0; i < READERS; i++)
		server_stop(&r->servers[i]);
	tmpdir_remove(&r->beside);
	tmpdir_remove(&r->dir);
}

int main(int argc, char **argv)
{
	static struct readers r;

	row_init(&r.row, argc, argv);
	set_up(&r);
	read_all(&r, row_times(&r.row, 2000, 200000));
	tear_down(&r);
	return row_end(&r.row,
		       "%u lists, %u searches, %u exports, %u session starts: %u half changes",
		       r.reads[0], r.reads[1], r.reads[2], r.reads[3], r.row.violations);
}
