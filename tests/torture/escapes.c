/*
 * Escapes: every byte, C1 controls, bidirectional controls, tags and what has no width, in keys,
 * values, names of files, settings and arguments. Whatever a command says about them, nothing that
 * acts on a terminal or hides there reaches one; what is piped is exact.
 *
 * The program runs with a pseudo-terminal for its output and its errors.
 */
#include "base/utf8.h"
#include "json/write.h"
#include "support/tmpdir.h"
#include "torture/row.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define WORDS_MAX 8

/* So many characters stand together in a payload, fewer in full form; a sentence shows sixty. */
#define TOGETHER 32
#define TOGETHER_FULL 4

/* A file that does not parse is read three times over: in short form few payloads wait for that. */
#define FAULTS_EVERY 9

struct test {
	struct row row;
	struct tmpdir dir;
	const char *program;
	struct str payload; /* as an argument: bytes, valid or not, but no NUL */
	struct str text;    /* the valid part of it, with NUL: what a file can hold */
	struct str quoted;  /* that as JSON, quotes included */
	unsigned payloads;
	unsigned runs;
};

/* ---- running */

static void become(const struct test *test, const char *const *words)
{
	const char *argv[WORDS_MAX + 2] = {"kota"};

	for (size_t i = 0; words[i]; i++)
		argv[i + 1] = words[i];
	if (chdir(test->dir.path) != 0)
		_exit(126);
	execv(test->program, (char *const *)(uintptr_t)argv);
	_exit(127);
}

/* Everything until the other side is closed. */
static void read_all(int fd, struct str *out)
{
	char part[4096];
	ssize_t len;

	while ((len = read(fd, part, sizeof part)) > 0 || (len < 0 && errno == EINTR)) {
		if (len > 0)
			str_add(out, slice_make(part, (size_t)len));
	}
	close(fd);
}

static void open_terminal(int *master, int *slave)
{
	struct winsize size = {.ws_row = 24, .ws_col = 100};
	struct termios raw;

	if (openpty(master, slave, NULL, NULL, &size) != 0)
		row_skip("there are no pseudo-terminals");
	if (tcgetattr(*slave, &raw) != 0)
		row_fatal("tcgetattr");
	cfmakeraw(&raw);
	tcsetattr(*slave, TCSANOW, &raw);
}

/*
 * Runs the program; what it says to the terminal goes to *out. piped NULL: standard output is the
 * terminal too, else a pipe that ends there. input is a file or NULL for none.
 */
static void run(struct test *test, const char *const *words, const char *input, struct str *out,
		struct str *piped)
{
	int ends[2];
	int master;
	int slave;
	pid_t pid;

	open_terminal(&master, &slave);
	if (pipe(ends) != 0 || (pid = fork()) < 0)
		row_fatal("fork");
	if (pid == 0) {
		int in = openat(test->dir.fd, input ? input : "/dev/null", O_RDONLY);

		dup2(in, STDIN_FILENO);
		dup2(piped ? ends[1] : slave, STDOUT_FILENO);
		dup2(slave, STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		close(master);
		close(slave);
		become(test, words);
	}
	close(slave);
	close(ends[1]);
	str_clear(out);
	if (piped) {
		str_clear(piped);
		read_all(ends[0], piped);
	} else {
		close(ends[0]);
	}
	read_all(master, out);
	waitpid(pid, NULL, 0);
	test->runs++;
}

/* ---- looking */

/* Joiners and what chooses the form of a character stay: text and emoji are spelt with them. */
static bool is_bad(uint32_t c)
{
	return (c < 0x20 && c != '\n') || (c >= 0x7f && c <= 0x9f) || c == 0xad || c == 0x61c ||
	       c == 0x180e || c == 0x200b || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	       (c >= 0xfff0 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff);
}

static void check_terminal(struct test *test, const char *const *words, const struct str *said)
{
	struct slice text = str_slice(said);

	if (utf8_valid_prefix(text) != text.len) {
		row_violation(&test->row, "%s %s: byte %02x reaches the terminal", words[0],
			      words[1] ? words[1] : "",
			      (unsigned char)text.ptr[utf8_valid_prefix(text)]);
		return;
	}
	for (size_t at = 0; at < text.len;) {
		uint32_t c;

		/* What takes over a second says how far it is, on a line that is drawn again. */
		if (slice_starts(slice_make(text.ptr + at, text.len - at), "\r\x1b[K")) {
			at += strlen("\r\x1b[K");
			continue;
		}
		c = utf8_next(text, &at);
		if (!is_bad(c) || (c == '\t' && strcmp(words[0], "get") == 0))
			continue;
		row_violation(&test->row, "%s %s: U+%04X reaches the terminal", words[0],
			      words[1] ? words[1] : "", (unsigned)c);
		return;
	}
}

/* A command whose output and errors go to the terminal. */
static void say(struct test *test, const char *input, const char *const *words)
{
	STR_AUTO said = STR_INIT;

	run(test, words, input, &said, NULL);
	if (said.len == 0)
		row_violation(&test->row, "%s says nothing", words[0]);
	check_terminal(test, words, &said);
}

#define SAY(test, ...) say(test, NULL, (const char *const[]){__VA_ARGS__, NULL})

/* What is piped: the text itself, and JSON of the same value. */
static void check_piped(struct test *test, const char *ref)
{
	const char *const plain[] = {"get", "--", ref, NULL};
	const char *const json[] = {"--json", "get", "--", ref, NULL};
	STR_AUTO said = STR_INIT;
	STR_AUTO piped = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	struct json doc;

	run(test, plain, NULL, &said, &piped);
	if (piped.len != test->text.len + 1 ||
	    memcmp(piped.ptr, test->text.ptr, test->text.len) != 0)
		row_violation(&test->row, "get %s: the value is not exact in a pipe", ref);
	check_terminal(test, plain, &said);
	run(test, json, NULL, &said, &piped);
	if (json_parse(&doc, str_slice(&piped), &json_file_bounds, &fault) != 0) {
		row_violation(&test->row, "get --json %s: %s", ref, fault.what);
		return;
	}
	if (!slice_equal(json_string(&doc, json_member(&doc, JSON_ROOT, "value"), &scratch),
			 str_slice(&test->text)))
		row_violation(&test->row, "get --json %s: the value is not exact", ref);
	json_release(&doc);
}

/* ---- the places where it may stand */

static void write_file(struct test *test, const char *name, const char *format)
{
	STR_AUTO text = STR_INIT;

	for (; *format; format++) {
		if (*format == '$')
			str_add(&text, slice_make(test->quoted.ptr + 1, test->quoted.len - 2));
		else
			str_addc(&text, *format == '\'' ? '"' : *format);
	}
	tmpdir_write_slice(&test->dir, name, str_slice(&text));
}

/* A store that somebody filled by hand. */
static void make_store(struct test *test)
{
	write_file(test, "state.json",
		   "{'a$z':{'value':'$','tags':['$']},'A$Z':'$','v':'$','o':{'$':['$']},' $ ':1}");
	write_file(test, "archive.json",
		   "{'state':[{'key':'a$@2026-11-21T10:00:00.000Z','originalKey':'a$','reason':'$',"
		   "'archivedAt':'2026-11-21T10:00:00.000Z','entry':{'value':'$'}}]}");
}

static void try_reading(struct test *test)
{
	const char *payload = test->payload.ptr;
	STR_AUTO key = STR_INIT;

	str_printf(&key, "a%sz", payload);
	SAY(test, "list");
	SAY(test, "list", "--json");
	SAY(test, "archived");
	SAY(test, "archived", "--json");
	SAY(test, "get", "state:v");
	SAY(test, "get", "--json", "state:v");
	SAY(test, "get", "state:o");
	SAY(test, "get", "--", key.ptr);
	SAY(test, "doctor");
	SAY(test, "doctor", "--json");
	check_piped(test, "state:v");
}

static void try_changing(struct test *test)
{
	const char *payload = test->payload.ptr;
	STR_AUTO key = STR_INIT;

	str_printf(&key, "a%sz", payload);
	SAY(test, "set", "--", payload, "1");
	SAY(test, "set", "n", "--tags", "t", "--", payload);
	SAY(test, "set", "n", "1", "--category", key.ptr);
	SAY(test, "set", "n", "1", "--strength", key.ptr);
	SAY(test, "set", "n", "1", "--meta", key.ptr);
	SAY(test, "update", "--", key.ptr, payload);
	SAY(test, "update", "--", "nowhere", payload);
	SAY(test, "notes", "s", "--captured-at", key.ptr);
	SAY(test, "mv", "--", key.ptr, key.ptr);
	SAY(test, "mv", "--", "state:v", payload);
	SAY(test, "delete", "--", key.ptr);
	SAY(test, "delete", "--", key.ptr);
}

static void try_words(struct test *test)
{
	const char *payload = test->payload.ptr;
	STR_AUTO option = STR_INIT;
	STR_AUTO word = STR_INIT;

	str_printf(&option, "--x%s", payload);
	str_printf(&word, "x%s", payload);
	SAY(test, "help", word.ptr);
	SAY(test, word.ptr);
	SAY(test, option.ptr);
	SAY(test, "list", option.ptr);
	SAY(test, "doctor", word.ptr);
}

/* Names of files and folders, and what links say. */
static void try_files(struct test *test)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO month = STR_INIT;

	str_printf(&name, "d%s", test->payload.ptr);
	for (size_t i = 0; i < name.len; i++) {
		if (name.ptr[i] == '/')
			name.ptr[i] = '_';
	}
	tmpdir_write(&test->dir, name.ptr, "");
	SAY(test, "list", "--dir", name.ptr);
	SAY(test, "init", "--dir", name.ptr);
	SAY(test, "doctor", "--dir", name.ptr);
	SAY(test, "set", "a", "1", "--dir", name.ptr);
	unlinkat(test->dir.fd, name.ptr, 0);
	SAY(test, "init", "--dir", name.ptr);
	SAY(test, "doctor", "--dir", name.ptr);
	str_printf(&month, "archive.cold/%s.jsonl", name.ptr);
	mkdirat(test->dir.fd, "archive.cold", 0700);
	tmpdir_write(&test->dir, month.ptr, "nonsense\n");
	if (symlinkat(name.ptr, test->dir.fd, "patterns.json") != 0)
		row_fatal("symlink");
	SAY(test, "doctor");
	SAY(test, "list");
	unlinkat(test->dir.fd, "patterns.json", 0);
	unlinkat(test->dir.fd, month.ptr, 0);
}

static void try_faults(struct test *test)
{
	if (!test->row.full && test->payloads % FAULTS_EVERY != 0)
		return;
	write_file(test, "config.json", "{'$':1}");
	SAY(test, "set", "n", "1");
	SAY(test, "doctor");
	write_file(test, "config.json", "{'git':'$'}");
	SAY(test, "set", "n", "1");
	unlinkat(test->dir.fd, "config.json", 0);
	setenv("KOTA_MEMORY_GIT", test->payload.ptr, 1);
	SAY(test, "set", "n", "1");
	SAY(test, "doctor");
	unsetenv("KOTA_MEMORY_GIT");
	/* Bytes that are no JSON, where the scanner stops. */
	tmpdir_write(&test->dir, "shortcuts.json", test->payload.ptr);
	SAY(test, "list");
	SAY(test, "doctor");
	write_file(test, "shortcuts.json", "{'a$':1,'a$':2}");
	SAY(test, "doctor");
	unlinkat(test->dir.fd, "shortcuts.json", 0);
}

/* A client of this name, that asks for what is not there: nothing of it on standard error. */
static void try_serving(struct test *test)
{
	const char *const words[] = {"serve", NULL};
	STR_AUTO said = STR_INIT;
	STR_AUTO piped = STR_INIT;

	write_file(test, "in",
		   "{'jsonrpc':'2.0','id':1,'method':'initialize','params':{'protocolVersion':"
		   "'2025-11-25','capabilities':{},'clientInfo':{'name':'$','version':'$'}}}\n"
		   "{'jsonrpc':'2.0','id':2,'method':'tools/call','params':{'name':'memory_get',"
		   "'arguments':{'query':'$'}}}\n"
		   "{'jsonrpc':'2.0','id':3,'method':'$','params':{'name':'$'}}\n"
		   "{'jsonrpc':'2.0','id':4,'method':'tools/call','params':{'name':'$'}}\n");
	run(test, words, "in", &said, &piped);
	check_terminal(test, words, &said);
	/* JSON has no raw control characters. */
	for (size_t i = 0; i < piped.len; i++) {
		if ((unsigned char)piped.ptr[i] < 0x20 && piped.ptr[i] != '\n')
			row_violation(&test->row, "serve: byte %02x in a reply", piped.ptr[i]);
	}
	unlinkat(test->dir.fd, "in", 0);
}

static void try_payload(struct test *test)
{
	static void (*const tries[])(struct test *) = {try_reading, try_words,   try_files,
						       try_faults,  try_serving, try_changing};

	str_clear(&test->quoted);
	struct json_writer w = json_writer_to(&test->quoted, &json_compact);
	json_write_string(&w, str_slice(&test->text));
	tmpdir_make(&test->dir);
	make_store(test);
	setenv("KOTA_MEMORY_DIR", test->dir.path, 1);
	for (size_t i = 0; i < sizeof tries / sizeof *tries && !row_is_over(&test->row); i++)
		tries[i](test);
	tmpdir_remove(&test->dir);
	test->payloads++;
	str_clear(&test->payload);
	str_clear(&test->text);
}

/* ---- what is tried */

static const struct {
	uint32_t first;
	uint32_t last;
} characters[] = {
	{0x00, 0x20},       {0x7f, 0xa0},       {0xad, 0xad},     {0x61c, 0x61c},
	{0x180e, 0x180e},   {0x200b, 0x200f},   {0x2028, 0x202e}, {0x2060, 0x206f},
	{0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xfff9, 0xfffb}, {0xe0000, 0xe0002},
	{0xe0020, 0xe007f}, {0xe0100, 0xe0102}, {0xfffe, 0xffff}, {0x1f468, 0x1f469},
};

static void flush_when(struct test *test, unsigned *held, bool now)
{
	if (*held > 0 && (now || *held >= (test->row.full ? TOGETHER_FULL : TOGETHER))) {
		try_payload(test);
		*held = 0;
	}
}

/* Single bytes are no text from 0x80 on: they come as arguments alone. */
static void try_bytes(struct test *test)
{
	unsigned held = 0;

	for (unsigned byte = 1; byte < 256 && !row_is_over(&test->row); byte++) {
		str_addc(&test->payload, (char)byte);
		if (byte < 0x80)
			str_addc(&test->text, (char)byte);
		held++;
		flush_when(test, &held, byte == 0x7f || byte == 255);
	}
}

static void try_characters(struct test *test)
{
	unsigned held = 0;

	for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
		for (uint32_t c = characters[i].first; c <= characters[i].last; c++) {
			if (row_is_over(&test->row))
				return;
			if (c > 0)
				utf8_add(&test->payload, c);
			utf8_add(&test->text, c);
			held++;
			flush_when(test, &held, c == 0);
		}
	}
	flush_when(test, &held, true);
}

/* Sequences that a terminal obeys. */
static void try_sequences(struct test *test)
{
	static const char *const sequences[] = {
		"\x1b[2J\x1b[H",
		"\x1b]0;title\x07",
		"\x1b]52;c;aGk=\x1b\\",
		"\x1b[6n",
		"\x1bP1$r\x1b\\",
		"\xc2\x9b"
		"2J\xc2\x9d"
		"0;x\x07",
		"a\rb\bc",
		"\x1b[31m",
	};

	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
		if (row_is_over(&test->row))
			return;
		str_adds(&test->payload, sequences[i]);
		str_adds(&test->text, sequences[i]);
		if (i % 4 == 3 || test->row.full)
			try_payload(test);
	}
}

static const char *program_of(const struct row *row, struct str *path)
{
	const char *build = getenv("BUILD");

	if (!row->plant)
		return getenv("KOTA") ? getenv("KOTA") : "./kota";
	str_printf(path, "%s/tests/torture/raw_output", build ? build : ".");
	return path->ptr;
}

int main(int argc, char **argv)
{
	struct test test = {.payload = STR_INIT, .text = STR_INIT, .quoted = STR_INIT};
	STR_AUTO path = STR_INIT;
	char program[PATH_MAX];

	row_init(&test.row, argc, argv);
	if (!realpath(program_of(&test.row, &path), program))
		row_fatal("the program");
	test.program = program;
	setenv("NO_COLOR", "1", 1);
	setenv("TERM", "xterm", 1);
	try_sequences(&test);
	try_bytes(&test);
	try_characters(&test);
	str_release(&test.payload);
	str_release(&test.text);
	str_release(&test.quoted);
	return row_end(&test.row,
		       "%u texts of bytes, controls, bidi, tags and sequences, %u commands on a "
		       "terminal: nothing raw reached it, pipes exact",
		       test.payloads, test.runs);
}
