#include "torture/killing.h"

#include "base/time.h"
#include "torture/load.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS_A_STORE 40
#define BURST 5
#define DUE_DAYS 100
#define CLIENTS_MAX 4
#define CREWS 4

struct killing {
	struct row *row;
	unsigned count; /* of clients */
	struct client clients[CLIENTS_MAX];
	struct tmpdir dir;
	struct books books;
	struct standing standing;
	bool open;            /* there is a store */
	unsigned rounds_left; /* in it */
	int64_t change_us;    /* how long an operation takes, about */
	unsigned due;         /* entries written by hand so that they are due */
	size_t stores;
	struct killing_figures figures;
};

static void open_store(struct killing *killing)
{
	bool narrow = killing->stores++ % 2 == 1;

	tmpdir_make(&killing->dir);
	load_configure(&killing->dir, narrow);
	books_init(&killing->books);
	standing_init(&killing->standing, &killing->books, LOAD_LIMIT, narrow);
	killing->rounds_left = ROUNDS_A_STORE;
	killing->open = true;
	killing->due = 0;
}

static void close_store(struct killing *killing)
{
	if (!killing->open)
		return;
	for (unsigned i = 0; i < killing->count; i++)
		client_stop(&killing->clients[i]);
	killing->figures.acknowledged += killing->books.acknowledged;
	standing_release(&killing->standing);
	books_release(&killing->books);
	if (getenv("TORTURE_KEEP"))
		printf("kept: %s\n", killing->dir.path);
	else
		tmpdir_remove(&killing->dir);
	killing->open = false;
}

static void start_missing(struct killing *killing)
{
	for (unsigned i = 0; i < killing->count; i++) {
		struct client *client = &killing->clients[i];

		if (client->running)
			continue;
		client_start(client, killing->row, &killing->books, &killing->dir, i,
			     killing->row->plant);
		if (killing->count == 1)
			client->standing = &killing->standing;
	}
}

/* Puts an entry that nobody has looked at for long into a file, as a person's editor would. */
static void write_due_entry(struct killing *killing)
{
	char *text = tmpdir_read(&killing->dir, "patterns.json");
	STR_AUTO fresh = STR_INIT;
	STR_AUTO from = STR_INIT;
	STR_AUTO to = STR_INIT;
	char time_text[TIMESTAMP_SIZE];
	char key[32];
	uint32_t mark;

	if (text && text[0] == '{' && strchr(text, ':')) {
		snprintf(key, sizeof key, "due %u", killing->due++);
		mark = books_note(&killing->books, DEED_HAND, CATEGORY_PATTERNS, key);
		books_acknowledge(&killing->books, mark);
		timestamp_format(((int64_t)time(NULL) - DUE_DAYS * 86400) * 1000, time_text);
		str_printf(&fresh,
			   "{\n  \"%s\": {\"value\": \"old #%u;\", \"last_updated\": \"%s\", "
			   "\"accessed_at\": \"%s\"},",
			   key, mark, time_text, time_text);
		str_adds(&fresh, text + 1);
		tmpdir_write(&killing->dir, "by-hand.json", fresh.ptr);
		str_printf(&from, "%s/by-hand.json", killing->dir.path);
		str_printf(&to, "%s/patterns.json", killing->dir.path);
		if (rename(from.ptr, to.ptr) != 0)
			row_fatal("rename");
	}
	free(text);
}

static void wait_us(unsigned us)
{
	const struct timespec pause = {us / 1000000, (long)(us % 1000000) * 1000};

	nanosleep(&pause, NULL);
}

/* Takes in some answers, and learns from them how long a change takes. */
static void await_answers(struct killing *killing, struct client *client, unsigned answers)
{
	int64_t last_us = 0;

	while (answers-- > 0 && client_take(client)) {
		int64_t us = row_clock_us();

		if (last_us)
			killing->change_us += (us - last_us - killing->change_us) / 8;
		last_us = us;
	}
}

/* All work; some answers are awaited, and then a while that falls into the next change. */
static void work(struct killing *killing)
{
	struct client *watched = &killing->clients[row_below(killing->row, killing->count)];
	unsigned answers = row_below(killing->row, BURST - 1);

	for (unsigned i = 0; i < killing->count; i++)
		client_send(&killing->clients[i], BURST);
	await_answers(killing, watched, answers);
	wait_us(row_below(killing->row, (unsigned)(2 * killing->change_us)));
}

static uint32_t kill_client(struct killing *killing, unsigned which)
{
	uint32_t under_way = client_kill(&killing->clients[which]);

	killing->figures.kills++;
	killing->figures.under_way += under_way != ASKED_NOTHING;
	return under_way;
}

/* All of them, or one while the others go on. Returns what was under way where there is one. */
static uint32_t kill_some(struct killing *killing)
{
	unsigned victim = row_below(killing->row, killing->count);
	uint32_t under_way = ASKED_NOTHING;

	if (killing->count == 1)
		return kill_client(killing, 0);
	if (row_below(killing->row, 2) == 0) {
		for (unsigned i = 0; i < killing->count; i++)
			kill(killing->clients[i].server.pid, SIGKILL);
		for (unsigned i = 0; i < killing->count; i++)
			kill_client(killing, i);
		return under_way;
	}
	kill_client(killing, victim);
	for (unsigned i = 0; i < killing->count; i++) {
		if (i != victim && !client_collect(&killing->clients[i]))
			row_violation(killing->row, "server %u went away by itself", i);
	}
	return under_way;
}

/* What a kill leaves parses, whatever else waits to be finished. */
static void look(struct killing *killing)
{
	struct files files;

	files_read(&files, &killing->dir, killing->row);
	killing->figures.journals += files.journal;
	files_release(&files);
}

static void judge(struct killing *killing, uint32_t under_way)
{
	struct client *client = &killing->clients[row_below(killing->row, killing->count)];
	STR_AUTO reply = STR_INIT;
	struct files files;

	client_touch(client, &reply);
	files_read(&files, &killing->dir, killing->row);
	if (files.journal)
		row_violation(killing->row, "the journal is still there");
	files_check_metadata(&files, &killing->dir, killing->row);
	if (killing->count == 1)
		standing_judge(&killing->standing, under_way, str_slice(&reply), &files,
			       killing->row);
	books_judge(&killing->books, &files, killing->row);
	files_release(&files);
}

static void play_round(struct killing *killing)
{
	uint32_t under_way;

	if (!killing->open)
		open_store(killing);
	start_missing(killing);
	work(killing);
	under_way = kill_some(killing);
	look(killing);
	start_missing(killing);
	judge(killing, under_way);
	if (row_below(killing->row, 4) == 0)
		write_due_entry(killing);
	if (--killing->rounds_left == 0)
		close_store(killing);
}

/* What one crew does, in a process of its own. */
static void work_as_crew(const struct row *row, unsigned crew, unsigned clients, unsigned kills,
			 struct killing_figures *out, const volatile bool *over)
{
	struct row own = *row;
	struct killing killing = {.row = &own, .count = clients, .change_us = 1000};

	own.state = row_random(&own) + crew;
	while (killing.figures.kills < kills && !row_is_over(&own) && !*over)
		play_round(&killing);
	close_store(&killing);
	killing.figures.violations = own.violations;
	*out = killing.figures;
}

static void add(struct killing_figures *sum, const struct killing_figures *figures)
{
	sum->kills += figures->kills;
	sum->under_way += figures->under_way;
	sum->journals += figures->journals;
	sum->acknowledged += figures->acknowledged;
	sum->violations += figures->violations;
}

/* What the crews share. */
struct board {
	volatile bool over;
	struct killing_figures figures[CREWS];
};

static void wait_for_crews(struct row *row, struct board *board)
{
	int status;

	while (wait(&status) > 0) {
		if (status != 0)
			row_violation(row, "a crew ended with status %d", status);
		for (unsigned i = 0; i < CREWS; i++)
			board->over = board->over ||
				      (row->plant && board->figures[i].violations > 0);
	}
}

void killing_run(struct row *row, unsigned clients, unsigned kills, struct killing_figures *figures)
{
	struct board *board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (board == MAP_FAILED)
		row_fatal("mmap");
	for (unsigned i = 0; i < CREWS; i++) {
		pid_t pid = fork();

		if (pid < 0)
			row_fatal("fork");
		if (pid == 0) {
			work_as_crew(row, i, clients, (kills + CREWS - 1) / CREWS,
				     &board->figures[i], &board->over);
			_exit(0);
		}
	}
	wait_for_crews(row, board);
	*figures = (struct killing_figures){0};
	for (unsigned i = 0; i < CREWS; i++)
		add(figures, &board->figures[i]);
	row->violations += figures->violations;
	munmap(board, sizeof *board);
}
