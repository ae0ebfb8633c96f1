/*
 * Runs behaviour tests that are plain files: what a client says, and what it must hear.
 *
 *	session FILE...
 *
 * Each file is a conversation with a store of which the folder alone is there, empty. Lines are:
 *
 *	# ...             a comment; so is a blank line
 *	tz ZONE           the zone of the host from here on; UTC at first
 *	@ TIME            sets the clock, which stands still otherwise
 *	> LINE            sends a line
 *	< JSON            the answer to it (see support/json_match.h for wildcards; "<store>" in it
 *	                  is the path of the store); without such a line there must be no answer
 *	~                 the server is stopped and started again
 *	history           likewise, and from here on there is a history
 *	absent            the folder of the store goes, which must be empty
 *	! file NAME       the lines that follow, each behind a tab, become this file of the store,
 * as if somebody had edited it; without lines the file is removed = file NAME       the file must
 * consist of exactly the lines that follow; without lines it must not exist
 *
 * Of every answer with structured content the text beside it must be the same JSON.
 *
 * Prints one line a file and leaves with 1 when a file failed.
 */
#include "mcp/dispatch.h"
#include "support/fake_sys.h"
#include "support/json_match.h"
#include "support/surroundings.h"
#include "support/tmpdir.h"
#include "tools/registry.h"

#include "base/time.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The clock before the first "@": 2026-11-21T08:00:00Z. */
#define START_MS INT64_C(1795248000000)

#define STORE_NAME "store"

struct run {
	const char *file;
	unsigned int line;
	struct slice rest; /* of the file */
	struct tmpdir dir;
	struct str store; /* its path */
	environment env;
	struct mcp_session *session;
	struct str answer; /* to the last line sent, until it is looked at */
	unsigned int exchanges;
	bool failed;
};

static void complain(struct run *run, const char *what, const char *detail)
{
	fprintf(stderr, "%s:%u: %s%s\n", run->file, run->line, what, detail);
	run->failed = true;
}

static void start(struct run *run)
{
	str_init(&run->store);
	str_printf(&run->store, "%s/" STORE_NAME, run->dir.path);
	run->session = mcp_session_new(fake_sys(), run->env, run->store.ptr, tools_all(), "test");
}

static void stop(struct run *run)
{
	mcp_session_free(run->session);
	str_release(&run->store);
}

/* Takes the next line of the file, without its newline. */
static bool next_line(struct run *run, struct slice *line)
{
	const char *newline;

	if (run->rest.len == 0)
		return false;
	newline = memchr(run->rest.ptr, '\n', run->rest.len);
	line->ptr = run->rest.ptr;
	line->len = newline ? (size_t)(newline - line->ptr) : run->rest.len;
	run->rest.ptr += line->len + (newline ? 1 : 0);
	run->rest.len -= line->len + (newline ? 1 : 0);
	run->line++;
	return true;
}

/* Takes the lines that begin with a tab; false when there is none. */
static bool take_block(struct run *run, struct str *out)
{
	struct slice line;

	str_clear(out);
	while (run->rest.len > 0 && run->rest.ptr[0] == '\t' && next_line(run, &line)) {
		str_add(out, slice_make(line.ptr + 1, line.len - 1));
		str_addc(out, '\n');
	}
	return out->len > 0;
}

static void check_no_answer(struct run *run)
{
	if (run->answer.len > 0)
		complain(run, "an answer came before this line that nobody expected:\n\t",
			 run->answer.ptr);
	str_clear(&run->answer);
}

/* Text and structured content must say the same. */
static void check_both_forms(struct run *run, const struct json *doc)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO where = STR_INIT;
	uint32_t result = json_member(doc, JSON_ROOT, "result");
	uint32_t structured = result ? json_member(doc, result, "structuredContent") : JSON_NONE;
	struct json_fault fault;
	struct json text;
	uint32_t first;

	if (structured == JSON_NONE)
		return;
	first = json_first(doc, json_member(doc, result, "content"));
	if (json_parse(&text, json_string(doc, json_member(doc, first, "text"), &scratch),
		       &json_line_bounds, &fault) != 0) {
		complain(run, "the text of the answer is not JSON: ", fault.what);
		return;
	}
	if (!json_match(doc, structured, &text, JSON_ROOT, &where))
		complain(run, "the text is not the structured content: ", where.ptr);
	json_release(&text);
}

static void compare(struct run *run, const struct json *expected)
{
	STR_AUTO where = STR_INIT;
	struct json_fault fault;
	struct json doc;

	if (json_parse(&doc, str_slice(&run->answer), &json_file_bounds, &fault) != 0) {
		complain(run, "no answer, or not JSON: ", run->answer.ptr);
		return;
	}
	str_adds(&where, "answer");
	if (!json_match(expected, JSON_ROOT, &doc, JSON_ROOT, &where)) {
		complain(run, "", where.ptr);
		fprintf(stderr, "\twhole answer: %s\n", run->answer.ptr);
	}
	if (json_type(&doc, JSON_ROOT) == JSON_OBJECT)
		check_both_forms(run, &doc);
	json_release(&doc);
}

static void do_send(struct run *run, struct slice text)
{
	check_no_answer(run);
	run->exchanges++;
	mcp_dispatch_line(run->session, text, &run->answer);
}

/* The text with the path of the store put in where it is meant. */
static void put_path(struct run *run, struct slice text, struct str *out)
{
	const char *word = "<store>";
	const char *found;

	while ((found = memmem(text.ptr, text.len, word, strlen(word)))) {
		size_t len = (size_t)(found - text.ptr);

		str_add(out, slice_make(text.ptr, len));
		str_add(out, str_slice(&run->store));
		text.ptr += len + strlen(word);
		text.len -= len + strlen(word);
	}
	str_add(out, text);
}

static void do_expect(struct run *run, struct slice text)
{
	STR_AUTO line = STR_INIT;
	struct json_fault fault;
	struct json expected;

	put_path(run, text, &line);
	if (json_parse(&expected, str_slice(&line), &json_file_bounds, &fault) != 0) {
		complain(run, "what is expected is not JSON: ", fault.what);
		return;
	}
	compare(run, &expected);
	json_release(&expected);
	str_clear(&run->answer);
}

static void do_zone(struct run *run, struct slice text)
{
	char name[64];

	(void)run;
	snprintf(name, sizeof name, "%.*s", (int)text.len, text.ptr);
	setenv("TZ", name, 1);
	tzset();
}

static void do_clock(struct run *run, struct slice text)
{
	int64_t ms;

	if (timestamp_parse(text, true, &ms))
		fake_sys_set_now(ms);
	else
		complain(run, "not a time with an offset", "");
}

static void do_restart(struct run *run, struct slice text)
{
	(void)text;
	stop(run);
	start(run);
}

static void do_absent(struct run *run, struct slice text)
{
	(void)text;
	if (rmdir(run->store.ptr) != 0)
		complain(run, "the folder of the store is not empty: ", run->store.ptr);
}

/* Nothing of git's settings of this machine may show. */
static void do_history(struct run *run, struct slice text)
{
	setenv("HOME", run->dir.path, 1);
	setenv("XDG_CONFIG_HOME", run->dir.path, 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	run->env = surroundings_with_history;
	do_restart(run, text);
}

static void do_edit(struct run *run, struct slice text)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO content = STR_INIT;

	str_adds(&name, STORE_NAME "/");
	str_add(&name, text);
	if (!tmpdir_has(&run->dir, STORE_NAME))
		mkdirat(run->dir.fd, STORE_NAME, 0700);
	if (take_block(run, &content))
		tmpdir_write_slice(&run->dir, name.ptr, str_slice(&content));
	else
		unlinkat(run->dir.fd, name.ptr, 0);
}

/* Says which line is the first that differs. */
static void report_difference(struct run *run, struct slice name, const char *expected,
			      const char *got)
{
	unsigned int line = 1;

	for (size_t i = 0; expected[i] && expected[i] == got[i]; i++)
		line += expected[i] == '\n';
	complain(run, "the file is another: ", "");
	fprintf(stderr, "%.*s, line %u\n--- expected\n%s--- found\n%s---\n", (int)name.len,
		name.ptr, line, expected, got);
}

static void do_file(struct run *run, struct slice text)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO content = STR_INIT;
	bool expected = take_block(run, &content);
	char *got;

	str_adds(&name, STORE_NAME "/");
	str_add(&name, text);
	got = tmpdir_read(&run->dir, name.ptr);
	if (!got && expected)
		complain(run, "there is no file ", name.ptr);
	else if (got && strcmp(content.ptr, got) != 0)
		report_difference(run, text, content.ptr, got);
	free(got);
}

static const struct {
	const char *begin;
	void (*run)(struct run *run, struct slice text);
	bool looks_at_answer;
} steps[] = {
	{"> ", do_send, false},      {"< ", do_expect, true},        {"tz ", do_zone, false},
	{"@ ", do_clock, false},     {"~", do_restart, false},       {"! file ", do_edit, false},
	{"= file ", do_file, false}, {"history", do_history, false}, {"absent", do_absent, false},
};

static void step(struct run *run, struct slice line)
{
	if (line.len == 0 || line.ptr[0] == '#')
		return;
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		size_t len = strlen(steps[i].begin);

		if (line.len < len || memcmp(line.ptr, steps[i].begin, len) != 0)
			continue;
		if (!steps[i].looks_at_answer)
			check_no_answer(run);
		steps[i].run(run, slice_make(line.ptr + len, line.len - len));
		return;
	}
	complain(run, "a line of no known kind", "");
}

/* The whole file, terminated; the caller frees it. */
static char *load(const char *path)
{
	struct str text = STR_INIT;
	FILE *file = fopen(path, "re");
	int c;

	if (!file) {
		perror(path);
		exit(1);
	}
	while ((c = getc(file)) != EOF)
		str_addc(&text, (char)c);
	fclose(file);
	return str_detach(&text);
}

static bool run_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct run run = {.file = slash ? slash + 1 : path, .answer = STR_INIT};
	char *text = load(path);
	struct slice line;

	run.rest = slice_of(text);
	do_zone(&run, slice_of("UTC"));
	fake_sys_reset(START_MS);
	tmpdir_make(&run.dir);
	mkdirat(run.dir.fd, STORE_NAME, 0700);
	run.env = surroundings_plain;
	start(&run);
	while (next_line(&run, &line))
		step(&run, line);
	check_no_answer(&run);
	stop(&run);
	tmpdir_remove(&run.dir);
	str_release(&run.answer);
	free(text);
	printf("%s %s: %u lines sent\n", run.failed ? "FAILED" : "ok", run.file, run.exchanges);
	return !run.failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc < 2) {
		fputs("usage: session FILE...\n", stderr);
		return 2;
	}
	for (int i = 1; i < argc; i++)
		failed += !run_file(argv[i]);
	fake_sys_release();
	printf("%d passed, %d failed\n", argc - 1 - failed, failed);
	return failed ? 1 : 0;
}
