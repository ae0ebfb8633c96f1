#include "torture/load.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define KEYS_EACH 4
#define PADDING_MAX 240

static const enum category used[] = {CATEGORY_PREFERENCES, CATEGORY_PATTERNS, CATEGORY_STATE};

#define USED_COUNT (sizeof used / sizeof *used)

void client_start(struct client *client, struct row *row, struct books *books,
		  const struct tmpdir *dir, unsigned number, const char *plant)
{
	*client = (struct client){
		.row = row,
		.books = books,
		.dir = dir,
		.plant = plant,
		.number = number,
		.running = true,
	};
	server_start(&client->server, dir->path, plant);
}

/* A text, or an object, that carries the mark. */
static void add_value(struct client *client, struct str *out, uint32_t mark)
{
	unsigned padding = row_below(client->row, PADDING_MAX);

	if (row_below(client->row, 4) == 0) {
		str_printf(out, "{\"m%u\":\"%0*u #%u;\"}", mark, (int)padding, 0U, mark);
		return;
	}
	str_printf(out, "\"%0*u #%u;\"", (int)padding, 0U, mark);
}

bool client_ask(struct client *client, const char *tool, const char *arguments, uint32_t asked)
{
	client->asked[client->asked_count++] = asked;
	return server_send(&client->server, tool, arguments);
}

static bool ask_notes(struct client *client)
{
	STR_AUTO arguments = STR_INIT;
	uint32_t mark = books_note(client->books, DEED_NOTES, CATEGORY_STATE, "conversation_notes");

	str_printf(&arguments, "{\"summary\":\"talk #%u;\",\"highlights\":[\"one\"]}", mark);
	return client_ask(client, "memory_save_conversation_notes", arguments.ptr, mark);
}

static bool ask_change(struct client *client, enum deed_kind kind)
{
	static const char *const tools[] = {
		[DEED_SET] = "memory_set",
		[DEED_UPDATE] = "memory_update",
		[DEED_DELETE] = "memory_delete",
	};
	static const char *const values[] = {
		[DEED_SET] = ",\"value\":",
		[DEED_UPDATE] = ",\"addition\":",
		[DEED_DELETE] = "",
	};
	STR_AUTO arguments = STR_INIT;
	enum category category = used[row_below(client->row, USED_COUNT)];
	char key[32];
	uint32_t mark;

	snprintf(key, sizeof key, "w%u k%u", client->number, row_below(client->row, KEYS_EACH));
	mark = books_note(client->books, kind, category, key);
	str_printf(&arguments, "{\"key\":\"%s:%s\"%s", category_name(category), key, values[kind]);
	if (kind != DEED_DELETE)
		add_value(client, &arguments, mark);
	str_addc(&arguments, '}');
	return client_ask(client, tools[kind], arguments.ptr, mark);
}

static bool ask_something(struct client *client)
{
	unsigned draw = row_below(client->row, 100);

	if (draw < 50)
		return ask_change(client, DEED_SET);
	if (draw < 66)
		return ask_change(client, DEED_UPDATE);
	if (draw < 80)
		return ask_change(client, DEED_DELETE);
	if (draw < 86 && client->number == 0)
		return ask_notes(client);
	if (draw < 92) {
		client->books->cleared = true;
		return client_ask(client, "memory_clear_state", "{}", ASKED_CLEAR);
	}
	return draw < 96 ? client_ask(client, "memory_list", "{}", ASKED_NOTHING)
			 : client_ask(client, "memory_get", "{\"query\":\"k1\"}", ASKED_NOTHING);
}

void client_send(struct client *client, size_t count)
{
	for (size_t i = 0; i < count && client->asked_count < CLIENT_BURST_MAX; i++) {
		if (!ask_something(client))
			return;
	}
}

/* There was nothing to update or to delete: nothing has failed. */
static bool is_not_there(const struct str *reply)
{
	return strstr(reply->ptr, "\\\" is not in ") != NULL;
}

bool client_take(struct client *client)
{
	STR_AUTO reply = STR_INIT;
	uint32_t mark;

	if (client->answered == client->asked_count || !server_receive(&client->server, &reply))
		return false;
	mark = client->asked[client->answered++];
	if (client->standing)
		standing_answer(client->standing, mark, str_slice(&reply));
	if (reply_is_ok(str_slice(&reply))) {
		if (mark != ASKED_NOTHING && mark != ASKED_CLEAR)
			books_acknowledge(client->books, mark);
	} else if (!is_not_there(&reply)) {
		client->failed++;
	}
	return true;
}

bool client_collect(struct client *client)
{
	bool all;

	while (client_take(client))
		;
	all = client->answered == client->asked_count;
	client->asked_count = 0;
	client->answered = 0;
	return all;
}

uint32_t client_kill(struct client *client)
{
	uint32_t under_way = ASKED_NOTHING;

	kill(client->server.pid, SIGKILL);
	while (client_take(client))
		;
	if (client->answered < client->asked_count)
		under_way = client->asked[client->answered];
	client_collect(client);
	server_kill(&client->server);
	client->running = false;
	return under_way;
}

static void touch(struct server *server, struct str *reply, struct row *row)
{
	if (!server_call(server, "memory_set",
			 "{\"key\":\"touch\",\"category\":\"shortcuts\",\"value\":1}", reply) ||
	    !reply_is_ok(str_slice(reply)))
		row_violation(row, "the next change is refused: %s", reply->ptr);
}

void client_touch(struct client *client, struct str *reply)
{
	touch(&client->server, reply, client->row);
}

void client_stop(struct client *client)
{
	int status;

	if (!client->running)
		return;
	status = server_stop(&client->server);
	client->running = false;
	if (status != 0)
		row_violation(client->row, "server %u ended with status %d", client->number,
			      status);
}

void load_configure(const struct tmpdir *dir, bool narrow)
{
	char text[256];

	snprintf(text, sizeof text,
		 "{\"limits\":{\"entries_per_category\":%d,\"total_bytes\":%d},\"git\":\"off\"}\n",
		 LOAD_LIMIT, narrow ? 6000 : 51200);
	tmpdir_write(dir, "config.json", text);
}

void load_touch(const struct tmpdir *dir, struct row *row)
{
	STR_AUTO reply = STR_INIT;
	struct server server;

	server_start(&server, dir->path, NULL);
	touch(&server, &reply, row);
	if (server_stop(&server) != 0)
		row_violation(row, "the next server fails");
}
