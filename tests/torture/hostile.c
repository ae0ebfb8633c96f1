/*
 * A hostile store: something that is no file of ours in the place of each file of a store, under a
 * serving process and the shell.
 *
 * What cannot be done is refused in a sentence that names the file, and at once; what has nothing
 * to do with that file goes on working; what lies behind a link is neither touched nor told of; and
 * when the file is there again everything works, without a restart.
 */
#include "support/tmpdir.h"
#include "torture/ask.h"
#include "torture/row.h"

#include <dirent.h>
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
	{".journal", CHANGES, EACH, false, true},
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
#define FILES_MAX 32
struct scene {
	struct row *row;
	struct tmpdir dir; /* holds store and the foreign file */
	char store[PATH_MAX];
	char *files[FILES_MAX][2]; /* name and text of a store that is well */
	size_t file_count;
	char month[16]; /* 2026-11.jsonl */
	unsigned cases;
	unsigned calls;
	const struct target *target;
	enum kind kind;
};

/* ---- the store */

static void in_store(const struct scene *scene, const char *name, struct str *out)
{
	const char *month = strstr(name, "MONTH");

	str_clear(out);
	str_printf(out, "store/%.*s%s", month ? (int)(month - name) : (int)strlen(name), name,
		   month ? scene->month : "");
}

static void take_file(struct scene *scene, const char *name)
{
	STR_AUTO path = STR_INIT;
	char *text;

	in_store(scene, name, &path);
	text = tmpdir_read(&scene->dir, path.ptr);
	if (!text || scene->file_count == FILES_MAX)
		row_fatal(name);
	scene->files[scene->file_count][0] = strdup(path.ptr);
	scene->files[scene->file_count++][1] = text;
}

/* The program makes the store that each case begins with. */
static void make_template(struct scene *scene)
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
	struct answer answer = ANSWER_INIT;
	const struct dirent *entry;
	STR_AUTO cold = STR_INIT;
	DIR *dir;

	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		const char *const words[] = {"set", sets[i][0], sets[i][1], NULL};

		ask(&answer, &(struct question){.dir = scene->store, .words = words});
	}
	ask(&answer,
	    &(struct question){.dir = scene->store,
			       .words = (const char *const[]){"delete", "patterns:old", NULL}});
	if (answer.status != 0)
		row_fatal("the store cannot be made");
	answer_release(&answer);
	str_printf(&cold, "%s/archive.cold", scene->store);
	dir = opendir(cold.ptr);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			snprintf(scene->month, sizeof scene->month, "%.15s", entry->d_name);
	closedir(dir);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		take_file(scene, names[i]);
}

static void remove_tree(struct scene *scene)
{
	struct tmpdir store;

	/* tmpdir_remove() removes whatever is there and closes the descriptor. */
	snprintf(store.path, sizeof store.path, "%s", scene->store);
	store.fd = open(scene->store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (store.fd >= 0)
		tmpdir_remove(&store);
}

static void lay_out(struct scene *scene)
{
	remove_tree(scene);
	mkdirat(scene->dir.fd, "store", 0700);
	mkdirat(scene->dir.fd, "store/archive.cold", 0700);
	for (size_t i = 0; i < scene->file_count; i++)
		tmpdir_write(&scene->dir, scene->files[i][0], scene->files[i][1]);
}

/* ---- what is put there */

static bool make_socket(const struct scene *scene, const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool made;

	/* An absolute path may be too long for a socket. */
	snprintf(name.sun_path, sizeof name.sun_path, "/proc/self/fd/%d/%.70s", scene->dir.fd,
		 path);
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
	tmpdir_write(&scene->dir, "foreign", FOREIGN_TEXT);
	mkdirat(scene->dir.fd, "foreign.d", 0755);
	if (fchmodat(scene->dir.fd, "foreign", 0644, 0) != 0)
		row_fatal("chmod");
	if (geteuid() == 0 &&
	    (fchownat(scene->dir.fd, "foreign", SOMEBODY_ELSE, SOMEBODY_ELSE, 0) ||
	     fchownat(scene->dir.fd, "foreign.d", SOMEBODY_ELSE, SOMEBODY_ELSE, 0)))
		row_fatal("chown");
}

static bool link_to_foreign(const struct scene *scene, const char *path)
{
	STR_AUTO target = STR_INIT;

	if (geteuid() != 0)
		str_adds(&target, is_folder(path) ? "/etc" : "/etc/passwd");
	else
		str_printf(&target, "%s/foreign%s", scene->dir.path, is_folder(path) ? ".d" : "");
	return symlinkat(target.ptr, scene->dir.fd, path) == 0;
}

static void clear(const struct scene *scene, const char *path)
{
	STR_AUTO inside = STR_INIT;

	str_printf(&inside, "%s/%s", path, scene->month);
	unlinkat(scene->dir.fd, inside.ptr, 0);
	if (unlinkat(scene->dir.fd, path, 0) != 0)
		unlinkat(scene->dir.fd, path, AT_REMOVEDIR);
}

/* Puts it there; false where this user cannot make one. */
static bool put(struct scene *scene, const char *path)
{
	int fd = scene->dir.fd;

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

	return fstatat(scene->dir.fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_mode & S_IFMT
									   : 0;
}

static void check_foreign(struct scene *scene)
{
	char *text = tmpdir_read(&scene->dir, "foreign");
	struct stat st;

	if (!text || strcmp(text, FOREIGN_TEXT) != 0 ||
	    fstatat(scene->dir.fd, "foreign", &st, AT_SYMLINK_NOFOLLOW) != 0 ||
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
	return slash ? scene->month : scene->target->name;
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

/* One call; false when there is no server any more. */
static bool call_tool(struct scene *scene, struct server *server, enum call call, bool mended)
{
	STR_AUTO arguments = STR_INIT;
	STR_AUTO reply = STR_INIT;
	const char *tool = calls[call].tool;
	bool hung;

	arguments_of(scene, call, &arguments);
	scene->calls++;
	if (!ask_server(server, tool, arguments.ptr, &reply, &hung)) {
		row_violation(scene->row, "%s for %s: %s %s", kind_names[scene->kind],
			      scene->target->name, tool, hung ? "hangs" : "ends the server");
		return false;
	}
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
	bool named;

	ask(&answer, &(struct question){scene->store, scene->row->plant, words, 0, false, 0});
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

/* The file as it was, or nothing where there was none. */
static void mend(struct scene *scene, const char *path)
{
	clear(scene, path);
	if (is_folder(path))
		mkdirat(scene->dir.fd, path, 0700);
	for (size_t i = 0; i < scene->file_count; i++)
		if (strcmp(scene->files[i][0], path) == 0)
			tmpdir_write(&scene->dir, path, scene->files[i][1]);
}

static void run_case(struct scene *scene)
{
	STR_AUTO path = STR_INIT;
	struct server server;
	mode_t before;
	bool alive;

	lay_out(scene);
	in_store(scene, scene->target->name, &path);
	server_start(&server, scene->store, scene->row->plant);
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
	mend(scene, path.ptr);
	for (int call = CALL_GET; alive && call <= CALL_SET; call++)
		alive = call_tool(scene, &server, (enum call)call, true);
	server_kill(&server);
}

int main(int argc, char **argv)
{
	struct scene *scene = calloc(1, sizeof *scene);
	struct row row;

	row_init(&row, argc, argv);
	scene->row = &row;
	tmpdir_make(&scene->dir);
	snprintf(scene->store, sizeof scene->store, "%s/store", scene->dir.path);
	make_template(scene);
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
	remove_tree(scene);
	tmpdir_remove(&scene->dir);
	return row_end(&row, "%u hostile files, %u calls%s: %u hung, wrong or told", scene->cases,
		       scene->calls, geteuid() == 0 ? "" : " (no devices: not root)",
		       row.violations);
}
