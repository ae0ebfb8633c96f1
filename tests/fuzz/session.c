/*
 * A whole session: bytes as they come from a client, through the framing and the protocol to a
 * store, until the input ends. The first byte says how they arrive. Where much is read at once, a
 * NUL byte stands for a MiB of the byte after it, once in an input: longer than a line may be. A
 * newline stays one; a million blank lines take a sanitizer too long.
 *
 * Each answer is a line of the right shape, and each request that can be read has one with its id,
 * in the order of the requests.
 */
#include "fuzz/fuzz_answer.h"
#include "fuzz/fuzz_store.h"

#include "mcp/serve.h"
#include "tools/registry.h"

#include <errno.h>

#define IN_FD 2000001
#define OUT_FD 2000002
#define LONG ((1 << 20) + 10)

#define HANDSHAKE                                                                                  \
	"{\"jsonrpc\":\"2.0\",\"id\":\"hello\",\"method\":\"initialize\",\"params\":{"             \
	"\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"                                  \
	"\"clientInfo\":{\"name\":\"cc\",\"version\":\"1.0\"}}}\n"

enum {
	GREETS = 1,
	INTERRUPTED = 2, /* every other call */
	CHUNKS = 4 | 8,
	LITTLE = 8, /* is read at once */
	SHORT_WRITES = 16,
	CORE = 32,
};

/* The wire; the table has no place for a context. */
static struct {
	struct sys table;
	uint8_t manner;
	size_t chunk;
	bool interrupted;
	struct slice in;
	struct str out;
} wire;

static bool interrupts(void)
{
	wire.interrupted = (wire.manner & INTERRUPTED) && !wire.interrupted;
	if (wire.interrupted)
		errno = EINTR;
	return wire.interrupted;
}

static ssize_t wire_read(int fd, void *buf, size_t count)
{
	if (fd != IN_FD)
		return fuzz_store_sys()->read(fd, buf, count);
	if (interrupts())
		return -1;
	if (count > wire.chunk)
		count = wire.chunk;
	if (count > wire.in.len)
		count = wire.in.len;
	if (count > 0)
		memcpy(buf, wire.in.ptr, count);
	wire.in = slice_make(wire.in.ptr + count, wire.in.len - count);
	return (ssize_t)count;
}

static ssize_t wire_write(int fd, const void *buf, size_t count)
{
	if (fd != OUT_FD)
		return fuzz_store_sys()->write(fd, buf, count);
	if (interrupts())
		return -1;
	if ((wire.manner & SHORT_WRITES) && count > 100)
		count = 100;
	str_add(&wire.out, slice_make(buf, count));
	return (ssize_t)count;
}

/* The handshake, and the input with what a NUL byte stands for. */
static void make_input(struct slice input, struct str *out)
{
	bool grows = input.len > 1 && !(wire.manner & LITTLE);
	const char *nul = grows ? memchr(input.ptr, '\0', input.len - 1) : NULL;
	size_t before = nul ? (size_t)(nul - input.ptr) : input.len;

	if (wire.manner & GREETS)
		str_adds(out, HANDSHAKE);
	str_add(out, slice_make(input.ptr, before));
	if (!nul)
		return;
	if (nul[1] == '\n') {
		str_add(out, slice_make(nul, input.len - before));
		return;
	}
	str_reserve(out, LONG);
	memset(out->ptr + out->len, nul[1], LONG);
	out->len += LONG;
	out->ptr[out->len] = '\0';
	str_add(out, slice_make(nul + 2, input.len - before - 2));
}

static void serve(struct slice input)
{
	static const size_t chunks[] = {65536, 4096, 100, 7};
	struct mcp_session *session;
	struct err err;

	wire.table = *fuzz_store_sys();
	wire.table.read = wire_read;
	wire.table.write = wire_write;
	wire.chunk = chunks[(wire.manner & CHUNKS) / 4];
	wire.interrupted = false;
	wire.in = input;
	session = mcp_session_new(&wire.table, fuzz_store_environment, fuzz_store_path(),
				  wire.manner & CORE ? tools_core() : tools_all(), "s-1");
	FUZZ_REQUIRE(mcp_serve(session, IN_FD, OUT_FD, &err) == 0, "a session ends well");
	mcp_session_free(session);
}

static bool is_string(const struct json *doc, uint32_t node, const char *text)
{
	STR_AUTO scratch = STR_INIT;

	if (node == JSON_NONE || json_type(doc, node) != JSON_STRING)
		return false;
	return !text || slice_is(json_string(doc, node, &scratch), text);
}

/* The id of a message that has to be answered; absent for any other. */
static struct slice id_of_request(const struct json *doc)
{
	uint32_t id = json_member(doc, JSON_ROOT, "id");

	if (json_type(doc, JSON_ROOT) != JSON_OBJECT || id == JSON_NONE ||
	    (json_type(doc, id) != JSON_STRING && json_type(doc, id) != JSON_NUMBER) ||
	    !is_string(doc, json_member(doc, JSON_ROOT, "jsonrpc"), "2.0") ||
	    !is_string(doc, json_member(doc, JSON_ROOT, "method"), NULL))
		return slice_of(NULL);
	return json_text(doc, id);
}

/* Takes answers off up to the one with this id. */
static bool take_answer(struct slice *answers, struct slice id)
{
	bool found = false;

	while (!found && answers->len > 0) {
		struct slice answer = fuzz_take_line(answers);
		struct json_fault fault;
		struct json doc;
		uint32_t node;

		if (json_parse(&doc, answer, &json_file_bounds, &fault) != 0)
			continue;
		node = json_type(&doc, JSON_ROOT) == JSON_OBJECT
			       ? json_member(&doc, JSON_ROOT, "id")
			       : JSON_NONE;
		found = node != JSON_NONE && slice_equal(json_text(&doc, node), id);
		json_release(&doc);
	}
	return found;
}

static void check_requests(struct slice input, struct slice answers)
{
	while (input.len > 0) {
		struct slice line = fuzz_take_line(&input);
		struct json_fault fault;
		struct json doc;
		struct slice id;

		if (json_parse(&doc, line, &json_line_bounds, &fault) != 0)
			continue;
		id = id_of_request(&doc);
		if (id.ptr)
			FUZZ_REQUIRE(take_answer(&answers, id), "each request has its answer");
		json_release(&doc);
	}
}

static void check_answers(struct slice answers)
{
	FUZZ_REQUIRE(answers.len == 0 || answers.ptr[answers.len - 1] == '\n',
		     "an answer is written whole");
	while (answers.len > 0)
		fuzz_check_answer(fuzz_take_line(&answers));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice bytes = fuzz_slice(data, size);
	STR_AUTO input = STR_INIT;

	wire.manner = fuzz_take_byte(&bytes);
	make_input(bytes, &input);
	str_init(&wire.out);
	fuzz_store_begin();
	fuzz_store_write("preferences.json", slice_of("{\"editor\":\"vim\"}"));
	serve(str_slice(&input));
	if (fuzz_is_planted(str_slice(&input)))
		str_clear(&wire.out);
	check_answers(str_slice(&wire.out));
	check_requests(str_slice(&input), str_slice(&wire.out));
	str_release(&wire.out);
	fuzz_store_check(NULL);
	fuzz_store_end();
	return 0;
}
