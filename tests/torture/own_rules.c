/*
 * Edits by hand that are valid JSON and break our own rules: over a limit, keys that are equal
 * after normalisation, no times or none that can be read, and every way in which a text can look
 * unlike ours. Then every operation runs over such a file: what it does not touch keeps its bytes,
 * new text fits in, nothing is lost, and the answer is what the rules say.
 */
#include "json/doc.h"
#include "torture/ask.h"
#include "torture/row.h"

#include "support/tmpdir.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "state.json"
#define BOM "\xEF\xBB\xBF"
#define MEMBERS_MAX 104
#define ENTRIES_MAX 100
#define LARGE 5000 /* bytes of an entry over the limit of 4096 */
#define STAMP "\"2026-01-02T03:04:05.678+05:30\""

/* A member of the file; its value has a token that no other one has. */
struct member {
	char key[24];
	char token[32];
	bool oversize;
	struct str text; /* as it stands in the file */
};

/* How a person has written the file. */
static const struct shape {
	const char *name;
	const char *head; /* to the first member */
	const char *between;
	const char *tail;    /* from the last one */
	const char *newline; /* inside of an entry */
	unsigned count;
	unsigned pad; /* bytes that each value has besides */
	bool oversize;
	bool equal_keys;
} shapes[] = {
#define OURS "{\n  ", ",\n  ", "\n}\n", "\n"
	{"two spaces", OURS, 6, 0, false, false},
	{"a byte order mark", BOM "{\n  ", ",\n  ", "\n}\n", "\n", 6, 0, false, false},
	{"lines that end in CR LF", "{\r\n  ", ",\r\n  ", "\r\n}\r\n", "\r\n", 6, 0, false, false},
	{"tabs", "{\n\t", ",\n\t", "\n}\n", "\n", 6, 0, false, false},
	{"no blanks at all", "{", ",", "}", "", 6, 0, false, false},
	{"no blanks but a newline", "{", ",", "}\n", "", 6, 0, false, false},
	{"no final newline", "{\n  ", ",\n  ", "\n}", "\n", 6, 0, false, false},
	{"commas in front", "\n\n{ ", "\n, ", " }\n\n\n", "\n", 6, 0, false, false},
	{"everything at once", BOM " {\r\n\r\n\t\t", " ,\r\n\r\n\t\t", "\r\n\t}", "\r\n", 7, 0,
	 true, true},
	{"equal keys", OURS, 6, 0, false, true},
	{"too large an entry", OURS, 6, 0, true, false},
	{"too many entries", OURS, 103, 0, false, false},
	{"too many bytes", OURS, 16, 3900, false, false},
};

#define SHAPE_COUNT (sizeof shapes / sizeof *shapes)

enum kind { READS, ADDS, CHANGES, GROWS, SHRINKS, REMOVES, CLEARS };

/* @ is a member of the file; # are so many bytes of text that an entry gets too large. */
static const struct operation {
	enum kind kind;
	const char *tool; /* or a command of the shell, with its arguments */
	const char *arguments;
	const char *more;
} operations[] = {
	{READS, "memory_get", "{\"query\":\"state:@\"}", NULL},
	{READS, "memory_list", "{}", NULL},
	{READS, "memory_list_archived", "{}", NULL},
	{READS, "doctor", NULL, NULL},
	{ADDS, "memory_set", "{\"key\":\"state:fresh\",\"value\":1}", NULL},
	{ADDS, "memory_save_conversation_notes", "{\"summary\":\"said\"}", NULL},
	{CHANGES, "memory_set", "{\"key\":\"state:@\",\"value\":[2]}", NULL},
	{CHANGES, "memory_set", "{\"key\":\"state:@\",\"value\":1,\"tags\":[\"a\"]}", NULL},
	{GROWS, "memory_update", "{\"key\":\"state:@\",\"addition\":\"said later\"}", NULL},
	{SHRINKS, "memory_set", "{\"key\":\"state:@\",\"value\":\"#\"}", NULL},
	{REMOVES, "memory_delete", "{\"key\":\"state:@\"}", NULL},
	{CHANGES, "mv", "state:@", "state:moved"},
	{CLEARS, "memory_clear_state", "{}", NULL},
};

#define OPERATION_COUNT (sizeof operations / sizeof *operations)

/* One operation on one file. */
struct trial {
	struct row *row;
	struct tmpdir dir;
	const struct shape *shape;
	const struct operation *op;
	struct member members[MEMBERS_MAX];
	unsigned count;
	unsigned target;
	struct str before;
	struct str after;
	struct str kept; /* the archives */
	struct str reply;
};

static void complain(const struct trial *t, const char *what, const char *about)
{
	row_violation(t->row, "%s, %s of %s: %s %s: %.300s", t->shape->name, t->op->tool,
		      t->members[t->target].key, what, about, t->reply.ptr ? t->reply.ptr : "");
}

/* ---- the file */

/* Entries as people write them: bare ones, without times, with such as nobody can read. */
static void write_member(struct trial *t, unsigned i)
{
	const char *nl = t->shape->newline;
	struct member *m = &t->members[i];
	struct str pad = STR_INIT;
	unsigned size = m->oversize ? LARGE : t->shape->pad;

	for (unsigned n = 0; n < size; n++)
		str_addc(&pad, 'x');
	if (!pad.len)
		str_addc(&pad, 'x');
	str_clear(&m->text);
	switch (i % 4) {
	case 0:
		str_printf(&m->text, "\"%s\" :\"%s%s\"", m->key, m->token, pad.ptr);
		break;
	case 1:
		str_printf(&m->text,
			   "\"%s\": { \"value\" :[ 1.0e0,\"%s\" ,\"%s\"] ,%s\"mine\":\t-0}", m->key,
			   m->token, pad.ptr, nl);
		break;
	case 2:
		str_printf(&m->text,
			   "\"%s\":{\"created_at\":\"yesterday\",\"value\":{\"%s\":\"%s\"}}",
			   m->key, m->token, pad.ptr);
		break;
	default:
		str_printf(&m->text,
			   "\"%s\": {%s\"value\": \"%s%s\", \"created_at\": " STAMP
			   ",%s\"last_updated\": " STAMP "%s}",
			   m->key, nl, m->token, pad.ptr, nl, nl);
	}
	str_release(&pad);
}

static void write_file(struct trial *t)
{
	static const char *const equal[] = {"Main Editor", "main_editor", "main--editor"};

	t->count = t->shape->count;
	str_clear(&t->before);
	str_adds(&t->before, t->shape->head);
	for (unsigned i = 0; i < t->count; i++) {
		struct member *m = &t->members[i];

		snprintf(m->token, sizeof m->token, "token%u;", i);
		if (t->shape->equal_keys && i < 3)
			snprintf(m->key, sizeof m->key, "%s", equal[i]);
		else
			snprintf(m->key, sizeof m->key, "key%u", i);
		m->oversize = t->shape->oversize && i == t->count - 2;
		write_member(t, i);
		if (i > 0)
			str_adds(&t->before, t->shape->between);
		str_add(&t->before, str_slice(&m->text));
	}
	str_adds(&t->before, t->shape->tail);
	tmpdir_write_slice(&t->dir, FILE_NAME, str_slice(&t->before));
}

static void add_file(const struct tmpdir *dir, const char *name, struct str *out)
{
	char *text = tmpdir_read(dir, name);

	if (text)
		str_adds(out, text);
	free(text);
}

static void read_files(struct trial *t)
{
	int fd = openat(t->dir.fd, "archive.cold", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *cold = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	str_clear(&t->after);
	str_clear(&t->kept);
	add_file(&t->dir, FILE_NAME, &t->after);
	add_file(&t->dir, "archive.json", &t->kept);
	while (cold && (entry = readdir(cold))) {
		char name[300];

		snprintf(name, sizeof name, "archive.cold/%s", entry->d_name);
		if (entry->d_name[0] != '.')
			add_file(&t->dir, name, &t->kept);
	}
	if (cold)
		closedir(cold);
}

/* ---- what has to be */

static const char *find(const struct str *text, struct slice part)
{
	return text->len ? memmem(text->ptr, text->len, part.ptr, part.len) : NULL;
}

static bool has(const struct str *text, const char *part)
{
	return find(text, slice_of(part)) != NULL;
}

static bool ends_with(const struct str *text, const char *end)
{
	size_t len = strlen(end);

	return text->len >= len && memcmp(text->ptr + text->len - len, end, len) == 0;
}

/* The new text looks like the one that the person wrote. */
static void check_looks(const struct trial *t)
{
	bool lines = strchr(t->shape->between, '\n');
	bool returns = strchr(t->shape->between, '\r');
	const char *brace = strchr(t->shape->tail, '}');
	STR_AUTO fresh = STR_INIT;

	if (strncmp(t->shape->head, BOM, 3) == 0 && strncmp(t->after.ptr, BOM, 3) != 0)
		complain(t, "no byte order mark in", FILE_NAME);
	for (const char *at = t->after.ptr; returns && (at = strchr(at, '\n')); at++)
		if (at[-1] != '\r') {
			complain(t, "a line that ends in LF alone in", FILE_NAME);
			break;
		}
	if (!lines && strchr(t->after.ptr, '\n') && !ends_with(&t->after, "}\n"))
		complain(t, "a new line in", FILE_NAME);
	if (!ends_with(&t->after, t->op->kind == CLEARS ? brace : t->shape->tail))
		complain(t, "another end of", FILE_NAME);
	str_printf(&fresh, "%s\"fresh\"", t->shape->between);
	if (has(&t->after, "\"fresh\"") && !has(&t->after, fresh.ptr) &&
	    t->shape->between[0] == ',')
		complain(t, "another indentation of the new entry in", FILE_NAME);
}

static bool may_be_touched(const struct trial *t, unsigned i)
{
	return t->op->kind == CLEARS ||
	       (i == t->target && (t->op->kind == CHANGES || t->op->kind == GROWS ||
				   t->op->kind == SHRINKS || t->op->kind == REMOVES));
}

/* Every member that was not to be touched is there with its bytes, or had to make room in words. */
static unsigned check_members(const struct trial *t)
{
	const char *last = NULL;
	unsigned evicted = 0;

	for (unsigned i = 0; i < t->count; i++) {
		const struct member *m = &t->members[i];
		const char *at = find(&t->after, str_slice(&m->text));
		STR_AUTO ref = STR_INIT;

		str_printf(&ref, "\"state:%s", m->key);
		if (!has(&t->after, m->token) && !has(&t->kept, m->token))
			complain(t, "the value is nowhere any more of", m->key);
		if (!at && !may_be_touched(t, i)) {
			evicted++;
			if (!has(&t->reply, ref.ptr + 1))
				complain(t, "changed, and nothing says so:", m->key);
			last = NULL;
		} else if (at && last &&
			   (at < last ||
			    memcmp(last, t->shape->between, strlen(t->shape->between)) != 0 ||
			    last + strlen(t->shape->between) != at)) {
			complain(t, "other bytes before", m->key);
		}
		last = at ? at + m->text.len : NULL;
	}
	return evicted;
}

static bool parses(const struct trial *t)
{
	struct json_fault fault;
	struct json doc;
	bool fine = json_parse(&doc, str_slice(&t->after), &json_file_bounds, &fault) == 0;

	if (fine)
		json_release(&doc);
	return fine;
}

static bool same(const struct trial *t)
{
	return slice_equal(str_slice(&t->before), str_slice(&t->after));
}

/* May the operation be done at all? What is too large may stay so and shrink, and not grow. */
static bool is_allowed(const struct trial *t)
{
	const struct member *m = &t->members[t->target];

	if (t->op->kind == GROWS)
		return !m->oversize;
	return t->op->kind != SHRINKS || m->oversize;
}

/* How many have to make room: one for one that comes, where there are too many of them. */
static bool is_right_number(const struct trial *t, unsigned evicted)
{
	if (t->shape->pad) /* by bytes: one, for what makes the file larger, also a longer name */
		return evicted <= (t->op->kind != REMOVES);
	return evicted == (t->op->kind == ADDS && t->count >= ENTRIES_MAX);
}

static void judge(struct trial *t, bool ok)
{
	read_files(t);
	if (!parses(t))
		complain(t, "does not parse any more:", FILE_NAME);
	if (ok != is_allowed(t))
		complain(t, ok ? "is done, though over" : "is refused, though within", "the limit");
	if (!ok || t->op->kind == READS) {
		if (!same(t))
			complain(t, "nothing was to be changed in", FILE_NAME);
		return;
	}
	if (same(t))
		complain(t, "nothing was changed in", FILE_NAME);
	check_looks(t);
	if (!is_right_number(t, check_members(t)))
		complain(t, "too many or too few had to make room in", FILE_NAME);
}

/* ---- asking */

static void arguments_of(const struct trial *t, const char *text, struct str *out)
{
	for (; *text; text++) {
		if (*text == '@')
			str_adds(out, t->members[t->target].key);
		else if (*text != '#')
			str_addc(out, *text);
		for (int i = 0; *text == '#' && i < LARGE - 100; i++)
			str_addc(out, 'y');
	}
}

static bool ask_shell(struct trial *t)
{
	STR_AUTO first = STR_INIT;
	const char *words[] = {t->op->tool, NULL, t->op->more, NULL};
	struct answer answer = ANSWER_INIT;
	bool ok;

	if (t->op->arguments) {
		arguments_of(t, t->op->arguments, &first);
		words[1] = first.ptr;
	}
	ask(&answer,
	    &(struct question){.dir = t->dir.path, .plant = t->row->plant, .words = words});
	ok = answer.status == 0 || (t->op->kind == READS && answer.status == 1);
	str_add(&t->reply, str_slice(&answer.text));
	answer_release(&answer);
	return ok;
}

static bool ask_tool(struct trial *t, struct server *server)
{
	STR_AUTO arguments = STR_INIT;
	bool hung;

	arguments_of(t, t->op->arguments, &arguments);
	return ask_server(server, t->op->tool, arguments.ptr, &t->reply, &hung) &&
	       reply_is_ok(str_slice(&t->reply));
}

/* Each spelling that stands in the file is its own entry, any other one means the first. */
static void check_answer(const struct trial *t)
{
	const struct member *m = &t->members[t->target];

	if (strcmp(t->op->tool, "memory_get") == 0 &&
	    (!has(&t->reply, m->token) || !has(&t->reply, "last_updated")))
		complain(t, "the answer is not about", m->key);
	if (strcmp(t->op->tool, "memory_list") == 0 && !has(&t->reply, m->key))
		complain(t, "the list is without", m->key);
}

static void check_other_spelling(struct trial *t, struct server *server)
{
	bool hung;

	if (!t->shape->equal_keys || t->op->kind != READS)
		return;
	ask_server(server, "memory_get", "{\"query\":\"state:MAIN  EDITOR\"}", &t->reply, &hung);
	if (!has(&t->reply, t->members[0].token))
		complain(t, "another spelling is not the first of", "equal keys");
}

static void try(struct trial *t)
{
	struct server server;
	bool ok;

	tmpdir_make(&t->dir);
	str_clear(&t->reply);
	write_file(t);
	if (strncmp(t->op->tool, "memory_", 7) == 0) {
		server_start(&server, t->dir.path, t->row->plant);
		ok = ask_tool(t, &server);
		if (ok)
			check_answer(t);
		check_other_spelling(t, &server);
		server_kill(&server);
	} else {
		ok = ask_shell(t);
	}
	judge(t, ok);
	tmpdir_remove(&t->dir);
}

int main(int argc, char **argv)
{
	struct trial *t = calloc(1, sizeof *t);
	unsigned trials = 0;
	struct row row;

	row_init(&row, argc, argv);
	setenv("KOTA_MEMORY_GIT", "off",
	       1); /* what is replaced is looked for in the cold archive */
	t->row = &row;
	for (size_t s = 0; s < SHAPE_COUNT; s++) {
		for (size_t o = 0; o < OPERATION_COUNT && !row_is_over(&row); o++) {
			unsigned most = row_times(&row, 1, 8);

			if (!row.full && !row.plant && row_below(&row, 2) == 0)
				continue;
			for (unsigned i = 0; i < most && !row_is_over(&row); i++, trials++) {
				t->shape = &shapes[s];
				t->op = &operations[o];
				t->target = most > shapes[s].count
						    ? i % shapes[s].count
						    : row_below(&row, shapes[s].count);
				try(t);
			}
		}
	}
	for (unsigned i = 0; i < MEMBERS_MAX; i++)
		str_release(&t->members[i].text);
	str_release(&t->before);
	str_release(&t->after);
	str_release(&t->kept);
	str_release(&t->reply);
	free(t);
	return row_end(&row, "%u operations on files that break our rules: nothing lost or touched",
		       trials);
}
