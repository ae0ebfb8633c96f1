#include "torture/sample.h"

#include "torture/ask.h"
#include "torture/row.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "store/archive.cold"

void sample_path(const struct sample *sample, const char *name, struct str *out)
{
	const char *month = strstr(name, "MONTH");

	str_clear(out);
	str_printf(out, "store/%.*s%s", month ? (int)(month - name) : (int)strlen(name), name,
		   month ? sample->month : "");
}

static void take_file(struct sample *sample, const char *name)
{
	STR_AUTO path = STR_INIT;
	char *text;

	sample_path(sample, name, &path);
	text = tmpdir_read(&sample->dir, path.ptr);
	if (!text || sample->count == SAMPLE_FILES_MAX)
		row_fatal(name);
	sample->files[sample->count].path = strdup(path.ptr);
	sample->files[sample->count++].text = text;
}

static void run(const struct sample *sample, const char *a, const char *b, const char *c)
{
	const char *const words[] = {a, b, c, NULL};
	struct answer answer = ANSWER_INIT;

	ask(&answer, &(struct question){.dir = sample->store, .words = words});
	if (answer.status != 0)
		row_fatal("the store cannot be made");
	answer_release(&answer);
}

static void find_month(struct sample *sample)
{
	const struct dirent *entry;
	STR_AUTO cold = STR_INIT;
	DIR *dir;

	str_printf(&cold, "%s/%s", sample->dir.path, FOLDER);
	dir = opendir(cold.ptr);
	if (!dir)
		row_fatal(cold.ptr);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			snprintf(sample->month, sizeof sample->month, "%.15s", entry->d_name);
	closedir(dir);
}

void sample_make(struct sample *sample)
{
	static const char *const sets[][2] = {
		{"preferences:editor", "vim"}, {"connections:ana", "lead"},
		{"patterns:tea", "green"},     {"shortcuts:brb", "be right back"},
		{"state:task", "one"},         {"state:task", "two"},
		{"patterns:old", "gone"},
	};
	static const char *const names[] = {
		"preferences.json",
		"connections.json",
		"patterns.json",
		"shortcuts.json",
		"state.json",
		"archive.json",
		"metadata.json",
		"usage.jsonl",
		".kota",
		".gitignore",
		".lock",
		"archive.cold/MONTH",
	};

	*sample = (struct sample){.count = 0};
	tmpdir_make(&sample->dir);
	snprintf(sample->store, sizeof sample->store, "%s/store", sample->dir.path);
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		run(sample, "set", sets[i][0], sets[i][1]);
	run(sample, "delete", "patterns:old", NULL);
	find_month(sample);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		take_file(sample, names[i]);
}

static void remove_store(const struct sample *sample)
{
	struct tmpdir store = {.fd = -1};

	snprintf(store.path, sizeof store.path, "%.*s", PATH_MAX - 1, sample->store);
	store.fd = open(store.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (store.fd >= 0)
		tmpdir_remove(&store);
}

void sample_lay_out(const struct sample *sample)
{
	remove_store(sample);
	mkdirat(sample->dir.fd, "store", 0700);
	mkdirat(sample->dir.fd, FOLDER, 0700);
	for (size_t i = 0; i < sample->count; i++)
		tmpdir_write(&sample->dir, sample->files[i].path, sample->files[i].text);
}

void sample_restore(const struct sample *sample, const char *path)
{
	if (strcmp(path, FOLDER) == 0)
		mkdirat(sample->dir.fd, path, 0700);
	for (size_t i = 0; i < sample->count; i++)
		if (strcmp(sample->files[i].path, path) == 0)
			tmpdir_write(&sample->dir, path, sample->files[i].text);
}

void sample_release(struct sample *sample)
{
	for (size_t i = 0; i < sample->count; i++) {
		free(sample->files[i].path);
		free(sample->files[i].text);
	}
	tmpdir_remove(&sample->dir);
}
