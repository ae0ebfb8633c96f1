/*
 * A hostile store: something that is no file of ours in the place of each file of a store, under a
 * serving process and the shell.
 *
 * What cannot be done is refused in a sentence that names the file, and at once; what has nothing
 * to do with that file goes on working; what lies behind a link is neither touched nor told of; and
 * when the file is there again everything works, without a restart.
 */
#include "torture/ask.h"
#include "torture/row.h"
#include "torture/sample.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#define SOMEBODY_ELSE 65534
#define FOREIGN_TEXT "{\"zzforeign\":\"zzforeign\"}\n"

enum kind {
	KIND_FIFO,
	KIND_SOCKET,
	KIND_DEVICE,
	KIND_FOLDER,
	KIND_DANGLING,
	KIND_LOOP,
	KIND_FOREIGN,
	KIND_COUNT
};

static const char *const kind_names[KIND_COUNT] = {
	"a FIFO",
	"a socket",
	"a device",
	"a directory",
	"a link to nothing",
	"a link in a ring",
	"a link to somebody else's file",
};

/* What is asked, in this order. "other" is a category that the file is not. */
enum call {
	CALL_GET,
	CALL_LIST,
	CALL_ARCHIVED,
	CALL_SET,
	CALL_REPLACE,
	CALL_DELETE,
	CALL_NOTES,
	CALL_CLEAR,
	CALL_OWN,
	CALL_COUNT
};

#define BIT(call) (1U << (call))
#define CHANGES                                                                                    \
	(BIT(CALL_SET) | BIT(CALL_REPLACE) | BIT(CALL_DELETE) | BIT(CALL_NOTES) |                  \
	 BIT(CALL_CLEAR) | BIT(CALL_OWN))
#define OF_STATE (BIT(CALL_NOTES) | BIT(CALL_CLEAR))
#define TO_ARCHIVE (BIT(CALL_DELETE) | BIT(CALL_CLEAR))
#define ALL (BIT(CALL_COUNT) - 1)

/* What must be refused, by kind; all else must work. */
struct target {
	const char *name; /* MONTH stands for the month's file of the cold archive */
	unsigned refused;
	unsigned kinds; /* that are refused so; the others are cleared away or mean nothing */
	bool told;      /* a list says so */
	bool doctor;    /* doctor names it, for these kinds */
};

#define EACH (BIT(KIND_COUNT) - 1)
#define NOT_FOLDER (EACH & ~BIT(KIND_FOLDER))
static const struct target targets[] = {
	{"preferences.json", BIT(CALL_OWN), EACH, true, true},
	{"connections.json", BIT(CALL_OWN), EACH, true, true},
	{"patterns.json", BIT(CALL_OWN), EACH, true, true},
	{"shortcuts.json", BIT(CALL_OWN), EACH, true, true},
	{"state.json", OF_STATE | BIT(CALL_OWN), EACH, true, true},
	{"archive.json", TO_ARCHIVE, EACH, true, true},
	{"archive.cold", BIT(CALL_ARCHIVED) | BIT(CALL_REPLACE), NOT_FOLDER, false, true},
	{"archive.cold/MONTH", BIT(CALL_ARCHIVED) | BIT(CALL_REPLACE), EACH, false, true},
	{"relations.json", 0, EACH, false, true},
	{"metadata.json", 0, EACH, false, false},
	{"config.json", CHANGES, EACH, true, true},
	{"synonyms.json", 0, EACH, false, false},
	{"usage.jsonl", 0, EACH, true, true},
	{".kota", ALL, EACH, true, true},
	{".gitignore", 0, EACH, false, false},
	{".lock", CHANGES, EACH, false, true},
	{".journal", 0, EACH, false, true},
	{".journal.tmp", TO_ARCHIVE, BIT(KIND_FOLDER), false, true},
	{".pending", 0, EACH, false, false},
	{".state.json.prev", OF_STATE, EACH, false, true},
	{".state.json.tmp", OF_STATE, BIT(KIND_FOLDER), false, true},
	{".archive.json.prev", TO_ARCHIVE, EACH, false, true},
	{".metadata.json.tmp", 0, EACH, false, false},
	{".metadata.json.spare", 0, EACH, false, false},
	{".usage.jsonl.tmp", 0, EACH, false, false},
	{"notes", 0, EACH, false, false},
};

#define TARGET_COUNT (sizeof targets / sizeof *targets)
struct scene {
	struct row *row;
	struct sample sample; /* with the foreign file beside the store */
	unsigned cases;
	unsigned calls;
	int64_t slowest_us; /* answer; a second is long */
	const struct target *target;
	enum kind kind;
};

/* ---- what is put there */

static bool make_socket(const struct scene *scene, const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool made;

	/* An absolute path may be too long for a socket. */
	snprintf(name.sun_path, sizeof name.sun_path, "/proc/self/fd/%d/%.70s",
		 scene->sample.dir.fd, path);
	made = bind(fd, (const struct sockaddr *)&name, sizeof name) == 0;
	close(fd);
	return made;
}

static bool is_folder(const char *path)
{
	return strstr(path, "/archive.cold") && !strstr(path, "/archive.cold/");
}

static void make_foreign(struct scene *scene)
{
	tmpdir_write(&scene->sample.dir, "foreign", FOREIGN_TEXT);
	mkdirat(scene->sample.dir.fd, "foreign.d", 0755);
	if (fchmodat(scene->sample.dir.fd, "foreign", 0644, 0) != 0)
		row_fatal("chmod");
	if (geteuid() == 0 &&
	    (fchownat(scene->sample.dir.fd, "foreign", SOMEBODY_ELSE, SOMEBODY_ELSE, 0) ||
	     fchownat(scene->sample.dir.fd, "foreign.d", SOMEBODY_ELSE, SOMEBODY_ELSE, 0)))
		row_fatal("chown");
}

static bool link_to_foreign(const struct scene *scene, const char *path)
{
	STR_AUTO target = STR_INIT;

	if (geteuid() != 0)
		str_adds(&target, is_folder(path) ? "/etc" : "/etc/passwd");
	else
		str_printf(&target, "%s/foreign%s", scene->sample.dir.path,
			   is_folder(path) ? ".d" : "");
	return symlinkat(target.ptr, scene->sample.dir.fd, path) == 0;
}

static void clear(const struct scene *scene, const char *path)
{
	STR_AUTO inside = STR_INIT;

	str_printf(&inside, "%s/%s", path, scene->sample.month);
	unlinkat(scene->sample.dir.fd, inside.ptr, 0);
	if (unlinkat(scene->sample.dir.fd, path, 0) != 0)
		unlinkat(scene->sample.dir.fd, path, AT_REMOVEDIR);
}

/* Puts it there; false where this user cannot make one. */
static bool put(struct scene *scene, const char *path)
{
	int fd = scene->sample.dir.fd;

	clear(scene, path);
	switch (scene->kind) {
	case KIND_FIFO:
		return mkfifoat(fd, path, 0600) == 0;
	case KIND_SOCKET:
		return make_socket(scene, path);
	case KIND_DEVICE:
		return mknodat(fd, path, S_IFCHR | 0600, makedev(1, 7)) == 0;
	case KIND_FOLDER:
		return mkdirat(fd, path, 0700) == 0;
	case KIND_DANGLING:
		return symlinkat("nothing/here", fd, path) == 0;
	case KIND_LOOP:
		return symlinkat(strrchr(path, '/') + 1, fd, path) == 0;
	case KIND_FOREIGN:
		return link_to_foreign(scene, path);
	default:
		return false;
	}
}

static mode_t kind_at(const struct scene *scene, const char *path)
{
	struct stat st;

	return fstatat(scene->sample.dir.fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0
		       ? st.st_mode & S_IFMT
		       : 0;
}

static void check_foreign(struct scene *scene)
{
	char *text = tmpdir_read(&scene->sample.dir, "foreign");
	struct stat st;

	if (!text || strcmp(text, FOREIGN_TEXT) != 0 ||
	    fstatat(scene->sample.dir.fd, "foreign", &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    (st.st_mode & 07777) != 0644 || (geteuid() == 0 && st.st_uid != SOMEBODY_ELSE))
		row_violation(scene->row, "%s for %s: the foreign file was touched",
			      kind_names[scene->kind], scene->target->name);
	free(text);
}

/* ---- what is asked */

/* The arguments; @ stands for the key of an entry, or for a new one of the file itself. */
static const struct {
	const char *tool;
	const char *arguments;
} calls[CALL_COUNT] = {
	{"memory_get", "{\"query\":\"@\"}"},
	{"memory_list", "{}"},
	{"memory_list_archived", "{}"},
	{"memory_set", "{\"key\":\"@fresh\",\"value\":1}"},
	{"memory_set", "{\"key\":\"@\",\"value\":2}"},
	{"memory_delete", "{\"key\":\"@\"}"},
	{"memory_save_conversation_notes", "{\"summary\":\"said\"}"},
	{"memory_clear_state", "{}"},
	{"memory_set", "{\"key\":\"@\",\"value\":3}"},
};

static void arguments_of(const struct scene *scene, enum call call, struct str *out)
{
	const char *name = scene->target->name;
	const char *key = strncmp(name, "connections", 11) == 0 ? "patterns:tea"
								: "connections:ana";
	const char *own = name[0] == '.' ? "shortcuts." : name;
	const char *at = strchr(calls[call].arguments, '@');

	str_clear(out);
	if (!at) {
		str_adds(out, calls[call].arguments);
		return;
	}
	str_add(out, slice_make(calls[call].arguments, (size_t)(at - calls[call].arguments)));
	if (call == CALL_OWN)
		str_printf(out, "%.*s:own", (int)strcspn(own, "."), own);
	else
		str_adds(out, key);
	str_adds(out, at + 1);
}

/* How a message names the file. */
static const char *spoken(const struct scene *scene)
{
	const char *slash = strrchr(scene->target->name, '/');

	if (strcmp(scene->target->name, ".journal.tmp") == 0)
		return ".journal";
	return slash ? scene->sample.month : scene->target->name;
}

static bool is_refused(const struct scene *scene, enum call call)
{
	return (scene->target->kinds & BIT(scene->kind)) && (scene->target->refused & BIT(call));
}

static void check_reply(struct scene *scene, enum call call, const char *tool, struct slice reply)
{
	const char *kind = kind_names[scene->kind];
	const char *name = scene->target->name;
	bool refused = is_refused(scene, call);

	if (reply_is_ok(reply) == refused)
		row_violation(scene->row, "%s for %s: %s %s: %.*s", kind, name, tool,
			      refused ? "is not refused" : "is refused", (int)reply.len, reply.ptr);
	else if ((refused || (call == CALL_LIST && scene->target->told)) &&
		 !answer_says(reply, spoken(scene)))
		row_violation(scene->row, "%s for %s: %s does not name it: %.*s", kind, name, tool,
			      (int)reply.len, reply.ptr);
	if (answer_says(reply, "zzforeign"))
		row_violation(scene->row, "%s for %s: %s tells what is in it", kind, name, tool);
}

static void note_time(struct scene *scene, int64_t begun_us)
{
	int64_t took_us = row_clock_us() - begun_us;

	if (took_us > scene->slowest_us)
		scene->slowest_us = took_us;
}

/* One call; false when there is no server any more. */
static bool call_tool(struct scene *scene, struct server *server, enum call call, bool mended)
{
	STR_AUTO arguments = STR_INIT;
	STR_AUTO reply = STR_INIT;
	const char *tool = calls[call].tool;
	int64_t begun_us = row_clock_us();
	bool hung;

	arguments_of(scene, call, &arguments);
	scene->calls++;
	if (!ask_server(server, tool, arguments.ptr, &reply, &hung)) {
		row_violation(scene->row, "%s for %s: %s %s", kind_names[scene->kind],
			      scene->target->name, tool, hung ? "hangs" : "ends the server");
		return false;
	}
	note_time(scene, begun_us);
	if (!mended)
		check_reply(scene, call, tool, str_slice(&reply));
	else if (!reply_is_ok(str_slice(&reply)))
		row_violation(scene->row, "%s for %s: %s is refused when it is gone: %s",
			      kind_names[scene->kind], scene->target->name, tool, reply.ptr);
	return true;
}

static void ask_doctor(struct scene *scene)
{
	const char *const words[] = {"doctor", NULL};
	struct answer answer = ANSWER_INIT;
	int64_t begun_us = row_clock_us();
	bool named;

	ask(&answer,
	    &(struct question){scene->sample.store, scene->row->plant, words, 0, false, 0});
	note_time(scene, begun_us);
	scene->calls++;
	named = answer.status != 0 && answer_says(str_slice(&answer.text), spoken(scene));
	if (answer.hung)
		row_violation(scene->row, "%s for %s: doctor hangs", kind_names[scene->kind],
			      scene->target->name);
	else if (scene->target->doctor && (scene->target->kinds & BIT(scene->kind)) && !named)
		row_violation(scene->row, "%s for %s: doctor does not name it: %s",
			      kind_names[scene->kind], scene->target->name, answer.text.ptr);
	answer_release(&answer);
}

static void run_case(struct scene *scene)
{
	STR_AUTO path = STR_INIT;
	struct server server;
	mode_t before;
	bool alive;

	sample_lay_out(&scene->sample);
	sample_path(&scene->sample, scene->target->name, &path);
	server_start(&server, scene->sample.store, scene->row->plant);
	/* It has read the store before this happens. */
	alive = call_tool(scene, &server, CALL_LIST, true);
	if (!put(scene, path.ptr)) {
		server_kill(&server);
		return;
	}
	scene->cases++;
	before = kind_at(scene, path.ptr);
	ask_doctor(scene);
	for (int call = 0; alive && call < CALL_COUNT; call++)
		alive = call_tool(scene, &server, (enum call)call, false);
	check_foreign(scene);
	if (is_refused(scene, CALL_CLEAR) && kind_at(scene, path.ptr) != before)
		row_violation(scene->row, "%s for %s was replaced", kind_names[scene->kind],
			      scene->target->name);
	clear(scene, path.ptr);
	sample_restore(&scene->sample, path.ptr);
	for (int call = CALL_GET; alive && call <= CALL_SET; call++)
		alive = call_tool(scene, &server, (enum call)call, true);
	server_kill(&server);
}

int main(int argc, char **argv)
{
	struct scene on_stack = {0};
	struct scene *scene = &on_stack;
	struct row row;

	row_init(&row, argc, argv);
	scene->row = &row;
	sample_make(&scene->sample);
	make_foreign(scene);
	for (size_t i = 0; i < TARGET_COUNT; i++) {
		unsigned only = row_below(&row, KIND_COUNT);

		scene->target = &targets[i];
		for (int kind = 0; kind < KIND_COUNT && !row_is_over(&row); kind++) {
			scene->kind = (enum kind)kind;
			if (row.full || row.plant || (unsigned)kind == only)
				run_case(scene);
		}
	}
	sample_release(&scene->sample);
	return row_end(&row,
		       "%u hostile files, %u calls, the slowest answered in %.3f s%s: %u hung, "
		       "wrong or told",
		       scene->cases, scene->calls, (double)scene->slowest_us / 1e6,
		       geteuid() == 0 ? "" : " (no devices: not root)", row.violations);
}
