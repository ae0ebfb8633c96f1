/*
 * Each allocation of each operation fails once, also those of the libraries: the process says that
 * it is out of memory and ends with status 71, and what is on disk is old or new. Or it goes on,
 * with the same answer as ever or with a refusal that says why.
 *
 * The allocator of this program stands before that of the C library. The plant
 * unchecked-allocation hands out memory that is not there instead of NULL, which is what a program
 * that does not look makes of it. The zone of the clock is read before: without memory the C
 * library takes UTC, which is another way of writing the same times.
 */
#include "mcp/dispatch.h"
#include "support/fake_sys.h"
#include "support/surroundings.h"
#include "tools/registry.h"
#include "torture/scene.h"
#include "torture/scene_sys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* gcc says by macros that a sanitizer has the allocator, clang by features. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || !defined(__GLIBC__)
#define SKIPPED 1
#else
#define SKIPPED 0
#endif

#define STATUS_OUT_OF_MEMORY 71
#define SAYS "kota: out of memory\n"

/* Of so many allocations one is tried in short form. */
#define ONE_OF 50

/* A child that hangs is ended after so many seconds. */
#define PATIENCE_S 10

/* ---- the allocator */

static struct {
	bool counting;
	size_t seen;
	size_t fails;  /* the number of the one that fails, 0 for none */
	void *nowhere; /* with the plant: what is handed out then */
} heap;

#if !SKIPPED
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);

static bool denied(void)
{
	return heap.counting && ++heap.seen == heap.fails;
}

static void *nothing(void)
{
	errno = ENOMEM;
	return heap.nowhere;
}

void *malloc(size_t size)
{
	return denied() ? nothing() : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return denied() ? nothing() : __libc_calloc(count, size);
}

void *realloc(void *ptr, size_t size)
{
	return denied() ? nothing() : __libc_realloc(ptr, size);
}
#endif

/* ---- one run */

/* What a child tells, in memory that both have. */
struct told {
	bool ended; /* it came to its end */
	size_t seen;
	enum answer_kind kind;
	char text[1 << 16];
};

static struct told *told;

/* The operation as a line of the protocol. */
static void run_session(struct scene *scene, struct answer *answer)
{
	STR_AUTO line = STR_INIT;
	struct mcp_session *session;
	const struct tool *tool = tool_find_command(tools_all(), slice_of(scene->deed->command));

	str_printf(&line,
		   "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'%s',"
		   "'arguments':%s,'_meta':{'io.modelcontextprotocol/protocolVersion':"
		   "'2026-07-28','io.modelcontextprotocol/clientCapabilities':{}}}}",
		   tool->name, scene->deed->arguments);
	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] == '\'')
			line.ptr[i] = '"';
	}
	session = mcp_session_new(scene_sys(), surroundings_plain, scene->dir.path, tools_all(),
				  NULL);
	mcp_dispatch_line(session, str_slice(&line), &answer->text);
	mcp_session_free(session);
	if (strstr(answer->text.ptr, "\"isError\":false"))
		answer->kind = ANSWER_ACKNOWLEDGED;
	else
		answer->kind = strstr(answer->text.ptr, "the outcome is not certain")
				       ? ANSWER_UNCERTAIN
				       : ANSWER_REFUSED;
}

static _Noreturn void be_child(struct scene *scene, bool session, size_t fails, int said)
{
	struct answer answer = {.text = STR_INIT};

	dup2(said, STDERR_FILENO);
	prctl(PR_SET_DUMPABLE, 0);
	alarm(PATIENCE_S);
	heap.fails = fails;
	heap.seen = 0;
	heap.counting = true;
	if (session)
		run_session(scene, &answer);
	else
		scene_run(scene, &answer);
	heap.counting = false;
	told->seen = heap.seen;
	told->kind = answer.kind;
	snprintf(told->text, sizeof told->text, "%s", answer.text.ptr);
	told->ended = true;
	_exit(0);
}

/* Runs the child; its wait status, and what it says on standard error. */
static int run_child(struct scene *scene, bool session, size_t fails, char said[256])
{
	int ends[2];
	int status = 0;
	ssize_t got;
	pid_t child;

	told->ended = false;
	if (pipe(ends) != 0)
		row_fatal("pipe");
	child = fork();
	if (child < 0)
		row_fatal("fork");
	if (child == 0)
		be_child(scene, session, fails, ends[1]);
	close(ends[1]);
	waitpid(child, &status, 0);
	got = read(ends[0], said, 255);
	said[got > 0 ? got : 0] = '\0';
	close(ends[0]);
	return status;
}

/* ---- judging */

struct series {
	struct row *row;
	struct expected expected;
	bool session;
	size_t allocations; /* of a run in which none fails */
	enum answer_kind kind;
	char *text; /* its answer */
};

static void measure(struct series *series)
{
	struct scene scene;
	char said[256];

	scene_make(&scene, series->expected.deed, series->expected.start);
	run_child(&scene, series->session, 0, said);
	if (!told->ended)
		row_fatal(said);
	series->allocations = told->seen;
	series->kind = told->kind;
	series->text = strdup(told->text);
	scene_remove(&scene);
}

static void blame(const struct series *series, size_t fails, int status, const char *said)
{
	const char *how = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit";

	row_violation(series->row, "%s, %s, allocation %zu%s: %s %d, says \"%s\", answers %s",
		      series->expected.deed->name, start_name(series->expected.start), fails,
		      series->session ? " of the session" : "", how,
		      WIFEXITED(status) ? WEXITSTATUS(status) : 0, said,
		      told->ended ? told->text : "nothing");
}

/* Does it tell the truth? Warnings are of no interest. */
static bool is_honest(const struct series *series)
{
	if (strstr(told->text, strerror(ENOMEM)))
		return true;
	return told->kind == series->kind &&
	       (told->kind != ANSWER_ACKNOWLEDGED || strcmp(told->text, series->text) == 0);
}

static void try_one(const struct series *series, size_t fails)
{
	const struct expected *expected = &series->expected;
	struct answer answer = {.kind = ANSWER_NONE, .text = STR_INIT};
	struct scene scene;
	char label[64];
	char said[256];
	int status;

	scene_make(&scene, expected->deed, expected->start);
	status = run_child(&scene, series->session, fails, said);
	if (told->ended ? !is_honest(series)
			: !WIFEXITED(status) || WEXITSTATUS(status) != STATUS_OUT_OF_MEMORY ||
				  strcmp(said, SAYS) != 0)
		blame(series, fails, status, said);
	if (told->ended)
		answer.kind = told->kind;
	if (told->ended)
		str_adds(&answer.text, told->kind == ANSWER_ACKNOWLEDGED ? expected->answer.text.ptr
									 : told->text);
	snprintf(label, sizeof label, "allocation %zu", fails);
	scene_judge(series->row, expected, &scene, &answer, label);
	scene_remove(&scene);
	str_release(&answer.text);
}

static unsigned torture(struct row *row, const struct deed *deed, enum start start, bool session,
			unsigned one_of)
{
	struct series series = {.row = row, .session = session};
	unsigned cases = 0;

	expected_init(&series.expected, deed, start);
	measure(&series);
	for (size_t n = 1; n <= series.allocations && !row_is_over(row); n++) {
		if (row_below(row, one_of) != 0)
			continue;
		try_one(&series, n);
		cases++;
	}
	expected_release(&series.expected);
	free(series.text);
	return cases;
}

static void prepare(struct row *row)
{
	void *page = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || told == MAP_FAILED)
		row_fatal("mmap");
	if (row->plant && strcmp(row->plant, "unchecked-allocation") == 0)
		heap.nowhere = page;
}

int main(int argc, char **argv)
{
	static const enum start starts[] = {START_CLEAN, START_JOURNAL, START_EXCHANGED,
					    START_EMPTY};
	const struct deed *deed;
	struct row row;
	size_t count;
	unsigned cases = 0;

	row_init(&row, argc, argv);
	if (SKIPPED)
		row_skip("the allocator belongs to a sanitizer, or to another C library");
	scenes_init(&row);
	prepare(&row);
	deed = deeds(&count);
	for (size_t d = 0; d < count; d++) {
		bool offered = strcmp(deed[d].command, "mv") != 0;

		for (size_t s = 0; s < sizeof starts / sizeof *starts && !row_is_over(&row); s++)
			cases += torture(&row, &deed[d], starts[s], offered && s % 2 == 0,
					 row_times(&row, ONE_OF, 1));
	}
	fake_sys_release();
	return row_end(&row, "%u allocations of %zu operations failed", cases, count);
}
