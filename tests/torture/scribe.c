#include "torture/scribe.h"

#include "base/mem.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CONFIG "{\"limits\":{\"entries_per_category\":100000,\"total_bytes\":10000000}}\n"

/* Changes that are sent at once; as many sets have their objects in one pack. */
#define BURST 5
#define BURST_SETS 16

void scribe_configure(const char *dir)
{
	STR_AUTO path = STR_INIT;
	FILE *file;

	str_printf(&path, "%s/config.json", dir);
	file = fopen(path.ptr, "we");
	if (!file || fputs(CONFIG, file) < 0 || fclose(file) != 0 || chmod(path.ptr, 0600) != 0)
		row_fatal(path.ptr);
}

void scribe_new_store(const char *folder, unsigned number, char *store, size_t size)
{
	STR_AUTO command = STR_INIT;

	str_printf(&command, "rm -rf '%s'/a*", folder);
	if (system(command.ptr) != 0)
		row_fatal("rm");
	snprintf(store, size, "%s/a%u", folder, number);
	if (mkdir(store, 0700) != 0)
		row_fatal(store);
	scribe_configure(store);
}

void scribe_use_unsynced(const char *fault)
{
	const char *build = getenv("BUILD");
	STR_AUTO path = STR_INIT;
	char *real;

	str_printf(&path, "%s/tests/torture/unsynced", build ? build : ".");
	real = realpath(path.ptr, NULL);
	if (!real)
		row_fatal(path.ptr);
	setenv("KOTA_TORTURE_GIT", fault, 1);
	setenv("KOTA", real, 1);
	free(real);
}

void scribe_start(struct scribe *scribe, const char *dir, unsigned number, const char *plant)
{
	scribe->number = number;
	scribe->running = true;
	server_start(&scribe->server, dir, plant);
}

/* A key is set; half of them are updated then, and half of these deleted. */
static const char *choose(const struct scribe *scribe, struct row *row)
{
	const struct scribe_deed *last = scribe->count ? &scribe->deeds[scribe->count - 1] : NULL;

	if (last && strcmp(last->tool, "memory_delete") != 0 && row_below(row, 2) == 0)
		return strcmp(last->tool, "memory_set") == 0 ? "memory_update" : "memory_delete";
	return "memory_set";
}

static void ask(struct scribe *scribe, const char *tool)
{
	bool set = strcmp(tool, "memory_set") == 0;
	STR_AUTO arguments = STR_INIT;

	scribe->keys += set;
	scribe->deeds = mem_grow(scribe->deeds, &scribe->cap, scribe->count + 1,
				 sizeof *scribe->deeds);
	scribe->deeds[scribe->count++] = (struct scribe_deed){.tool = tool, .key = scribe->keys};
	str_printf(&arguments, "{\"key\":\"%sw%u k%u\"", set ? "" : "state:", scribe->number,
		   scribe->keys);
	if (set)
		str_printf(&arguments, ",\"category\":\"state\",\"value\":%zu", scribe->count);
	else if (strcmp(tool, "memory_update") == 0)
		str_printf(&arguments, ",\"addition\":\"more %zu\"", scribe->count);
	str_addc(&arguments, '}');
	server_send(&scribe->server, tool, arguments.ptr);
}

void scribe_send(struct scribe *scribe, struct row *row)
{
	ask(scribe, choose(scribe, row));
}

void scribe_touch(struct scribe *scribe)
{
	ask(scribe, "memory_set");
}

void scribe_send_burst(struct scribe *scribe, struct row *row)
{
	bool sets = row_below(row, 2) == 0;

	for (int n = 0; n < (sets ? BURST_SETS : BURST); n++) {
		if (sets)
			scribe_touch(scribe);
		else
			scribe_send(scribe, row);
	}
}

bool scribe_take(struct scribe *scribe)
{
	STR_AUTO reply = STR_INIT;

	if (scribe->answered == scribe->count || !server_receive(&scribe->server, &reply))
		return false;
	scribe->deeds[scribe->answered].acknowledged = reply_is_ok(str_slice(&reply));
	/* The disk was gone before the history was durable, and the process was not yet. */
	scribe->deeds[scribe->answered].unrecorded = strstr(reply.ptr, "not in the history yet") !=
						     NULL;
	scribe->deeds[scribe->answered].for_edit = strstr(reply.ptr,
							  "take this change for an edit") != NULL;
	scribe->for_edits += scribe->deeds[scribe->answered].for_edit;
	scribe->acknowledged += scribe->deeds[scribe->answered].acknowledged;
	scribe->answered++;
	return true;
}

void scribe_doubt(struct scribe *scribe, size_t before)
{
	struct scribe_deed *last = &scribe->deeds[scribe->count - 1];

	for (size_t i = 1; last->for_edit && i <= before; i++) {
		last[-(ptrdiff_t)i].for_edit = true;
		scribe->for_edits++;
	}
}

void scribe_kill(struct scribe *scribe)
{
	kill(scribe->server.pid, SIGKILL);
	while (scribe_take(scribe))
		;
	server_kill(&scribe->server);
	scribe->answered = scribe->count;
	scribe->running = false;
}

void scribe_stop(struct scribe *scribe, struct row *row)
{
	while (scribe_take(scribe))
		;
	if (server_stop(&scribe->server) != 0)
		row_violation(row, "server %u does not end well", scribe->number);
	scribe->running = false;
}

static void judge_deed(const struct scribe *scribe, const struct scribe_deed *deed, struct row *row,
		       const struct gitlog *log, size_t *missing)
{
	STR_AUTO name = STR_INIT;
	size_t times;

	str_printf(&name, "%s state:w%u k%u", deed->tool, scribe->number, deed->key);
	times = gitlog_count(log, name.ptr);
	if (missing && deed->acknowledged && times == 0)
		*missing += !deed->unrecorded;
	else if (deed->acknowledged && !deed->for_edit ? times != 1 : times > 1)
		row_violation(row, "%s (%s) is in the history %zu times", name.ptr,
			      deed->acknowledged ? "acknowledged" : "without an answer", times);
}

void scribe_judge(const struct scribe *scribe, struct row *row, const struct gitlog *log,
		  const char *state, size_t *missing)
{
	for (size_t i = 0; i < scribe->count; i++) {
		const struct scribe_deed *deed = &scribe->deeds[i];
		bool last = i + 1 == scribe->count || scribe->deeds[i + 1].key != deed->key;
		STR_AUTO name = STR_INIT;

		if (log)
			judge_deed(scribe, deed, row, log, missing);
		str_printf(&name, "\"w%u k%u\"", scribe->number, deed->key);
		if (deed->acknowledged && last &&
		    (strstr(state, name.ptr) != NULL) != (strcmp(deed->tool, "memory_delete") != 0))
			row_violation(row, "after %s, %s %s", deed->tool, name.ptr,
				      strstr(state, name.ptr) ? "is still there" : "is not there");
	}
}

void scribe_release(struct scribe *scribe)
{
	free(scribe->deeds);
	*scribe = (struct scribe){0};
}
