/*
 * Many processes at once on one store: eight that write, two that add to the same key, two that
 * read, and one that clears the state again and again, while entries are due. Afterwards all that
 * was acknowledged is there, in one place, and no addition is missing.
 */
#include "torture/load.h"

#include "base/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WRITERS 8
#define ADDERS 2
#define READERS 2
#define CLIENTS (WRITERS + ADDERS + READERS + 1)
#define BURST 10
#define DUE 20
#define DUE_DAYS 100
#define COUNTER "connections:counter"

struct crowd {
	struct row *row;
	struct tmpdir dir;
	struct books books;
	struct client clients[CLIENTS];
	size_t additions;
	size_t cleared;
};

/* A file in which entries are that nobody has looked at for long. */
static void write_due_entries(struct crowd *crowd)
{
	STR_AUTO text = STR_INIT;
	char time_text[TIMESTAMP_SIZE];
	char key[32];

	timestamp_format(((int64_t)time(NULL) - DUE_DAYS * 86400) * 1000, time_text);
	for (unsigned i = 0; i < DUE; i++) {
		uint32_t mark;

		snprintf(key, sizeof key, "due %u", i);
		mark = books_note(&crowd->books, DEED_HAND, CATEGORY_PATTERNS, key);
		books_acknowledge(&crowd->books, mark);
		str_printf(&text,
			   "%s\n  \"%s\": {\"value\": \"#%u;\", \"last_updated\": \"%s\", "
			   "\"accessed_at\": \"%s\"}",
			   i ? "," : "{", key, mark, time_text, time_text);
	}
	str_adds(&text, "\n}\n");
	tmpdir_write(&crowd->dir, "patterns.json", text.ptr);
}

static void open_store(struct crowd *crowd)
{
	tmpdir_make(&crowd->dir);
	tmpdir_write(&crowd->dir, "config.json",
		     "{\"limits\":{\"entries_per_category\":100000,\"entry_bytes\":1000000,"
		     "\"total_bytes\":1000000000},\"git\":\"off\"}\n");
	books_init(&crowd->books);
	write_due_entries(crowd);
	for (unsigned i = 0; i < CLIENTS; i++)
		client_start(&crowd->clients[i], crowd->row, &crowd->books, &crowd->dir, i,
			     crowd->row->plant);
}

/* A new key each time. */
static void write_one(struct crowd *crowd, struct client *client, unsigned number)
{
	enum category category = (enum category)row_below(crowd->row, CATEGORY_COUNT);
	char arguments[160];
	char key[32];
	uint32_t mark;

	snprintf(key, sizeof key, "w%u k%u", client->number, number);
	mark = books_note(&crowd->books, DEED_SET, category, key);
	snprintf(arguments, sizeof arguments,
		 "{\"key\":\"%s\",\"category\":\"%s\",\"value\":\"of the crowd #%u;\"}", key,
		 category_name(category), mark);
	client_ask(client, "memory_set", arguments, mark);
}

/* Additions carry no mark: those of two processes have no order. */
static void add_one(struct crowd *crowd, struct client *client)
{
	char arguments[80];

	snprintf(arguments, sizeof arguments, "{\"key\":\"" COUNTER "\",\"addition\":\"+%zu;\"}",
		 ++crowd->additions);
	client_ask(client, "memory_update", arguments, ASKED_NOTHING);
}

static void read_one(const struct crowd *crowd, struct client *client)
{
	char arguments[64];

	if (row_below(crowd->row, 2) == 0) {
		client_ask(client, "memory_list", "{\"category\":\"connections\"}", ASKED_NOTHING);
		return;
	}
	snprintf(arguments, sizeof arguments, "{\"query\":\"w%u k%u\"}",
		 row_below(crowd->row, WRITERS), row_below(crowd->row, 20));
	client_ask(client, "memory_get", arguments, ASKED_NOTHING);
}

static void ask_one(struct crowd *crowd, unsigned i, unsigned number)
{
	struct client *client = &crowd->clients[i];

	if (i < WRITERS) {
		write_one(crowd, client, number);
	} else if (i < WRITERS + ADDERS) {
		if (number % 4 == 0)
			add_one(crowd, client);
	} else if (i < WRITERS + ADDERS + READERS) {
		if (number % 4 == 0)
			read_one(crowd, client);
	} else if (number % BURST == 0 && row_below(crowd->row, 3) == 0) {
		crowd->books.cleared = true;
		crowd->cleared++;
		client_ask(client, "memory_clear_state", "{}", ASKED_CLEAR);
	}
}

static void play(struct crowd *crowd, unsigned writes)
{
	for (unsigned done = 0; done < writes; done += BURST) {
		for (unsigned i = 0; i < CLIENTS; i++) {
			for (unsigned n = 0; n < BURST; n++)
				ask_one(crowd, i, done + n);
		}
		for (unsigned i = 0; i < CLIENTS; i++) {
			if (!client_collect(&crowd->clients[i]))
				row_violation(crowd->row, "server %u went away", i);
		}
	}
}

/* All of them are there, each once; and nothing else is. */
static void check_additions(const struct crowd *crowd, const struct files *files)
{
	const struct found *counter = NULL;
	size_t marks = 0;

	for (size_t i = 0; i < files->count; i++) {
		if (files->list[i].place == PLACE_ACTIVE && slice_is(files->list[i].key, "counter"))
			counter = &files->list[i];
	}
	if (!counter) {
		row_violation(crowd->row, "the key that was added to is gone");
		return;
	}
	for (size_t i = 1; i <= crowd->additions; i++) {
		char wanted[32];
		int len = snprintf(wanted, sizeof wanted, "+%zu;", i);

		if (!memmem(counter->value.ptr, counter->value.len, wanted, (size_t)len))
			row_violation(crowd->row, "addition %zu is lost", i);
	}
	for (size_t i = 0; i < counter->value.len; i++)
		marks += counter->value.ptr[i] == '+';
	if (marks > crowd->additions)
		row_violation(crowd->row, "%zu additions of %zu", marks, crowd->additions);
}

static void judge(struct crowd *crowd)
{
	struct files files;

	load_touch(&crowd->dir, crowd->row);
	files_read(&files, &crowd->dir, crowd->row);
	files_check_metadata(&files, &crowd->dir, crowd->row);
	books_judge(&crowd->books, &files, crowd->row);
	check_additions(crowd, &files);
	for (size_t i = 0; i < files.count; i++) {
		uint32_t mark = files.list[i].mark;

		if (files.list[i].place == PLACE_ACTIVE && mark && mark <= DUE)
			row_violation(crowd->row, "%s has not expired", files.list[i].key.ptr);
	}
	files_release(&files);
}

int main(int argc, char **argv)
{
	struct row row;
	struct crowd crowd = {.row = &row};
	STR_AUTO reply = STR_INIT;
	size_t failed = 0;

	row_init(&row, argc, argv);
	open_store(&crowd);
	if (!server_call(&crowd.clients[0].server, "memory_set",
			 "{\"key\":\"" COUNTER "\",\"value\":\"begin\"}", &reply))
		row_fatal("no answer");
	play(&crowd, row.full ? 1000 : row.plant ? 60 : 20);
	for (unsigned i = 0; i < CLIENTS; i++) {
		failed += crowd.clients[i].failed;
		client_stop(&crowd.clients[i]);
	}
	if (failed)
		row_violation(&row, "%zu operations were refused", failed);
	judge(&crowd);
	tmpdir_remove(&crowd.dir);
	row_end(&row,
		"%d processes, %zu acknowledged writes and %zu additions to one key, the state "
		"cleared %zu times: %u lost, doubled or refused",
		CLIENTS, crowd.books.acknowledged - DUE, crowd.additions, crowd.cleared,
		row.violations);
	books_release(&crowd.books);
	return row.violations > 0;
}
