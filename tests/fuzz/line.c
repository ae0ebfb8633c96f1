/*
 * Lines of the protocol to a whole session over a store, in both eras: the first byte says whether
 * there was a handshake. An answer is one line, valid JSON of the right shape.
 */
#include "fuzz/fuzz_store.h"

#include "mcp/serve.h"
#include "tools/tools.h"

#define HANDSHAKE                                                                                  \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"                     \
	"\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"                                  \
	"\"clientInfo\":{\"name\":\"cc\",\"version\":\"1.0\"}}}"

static void check_message(const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t version = json_member(doc, node, "jsonrpc");
	uint32_t result = json_member(doc, node, "result");
	uint32_t error = json_member(doc, node, "error");

	FUZZ_REQUIRE(version && slice_is(json_string(doc, version, &scratch), "2.0"),
		     "an answer names its protocol");
	FUZZ_REQUIRE((result != JSON_NONE) != (error != JSON_NONE),
		     "an answer is a result or an error");
	FUZZ_REQUIRE(!result || json_member(doc, node, "id"), "a result has an id");
	if (error)
		FUZZ_REQUIRE(json_member(doc, error, "code") && json_member(doc, error, "message"),
			     "an error has a code and a message");
}

static void check_answer(struct slice line, struct slice answer)
{
	struct json_fault fault;
	struct json doc;

	if (answer.len == 0)
		return;
	FUZZ_REQUIRE(!fuzz_is_planted(line), "the planted line has no answer");
	FUZZ_REQUIRE(!memchr(answer.ptr, '\n', answer.len) && !memchr(answer.ptr, '\r', answer.len),
		     "an answer is one line");
	FUZZ_REQUIRE(json_parse(&doc, answer, &json_file_bounds, &fault) == 0, "an answer is JSON");
	if (json_type(&doc, JSON_ROOT) == JSON_ARRAY) {
		for (uint32_t m = json_first(&doc, JSON_ROOT); m != JSON_NONE;
		     m = json_next(&doc, m))
			check_message(&doc, m);
	} else {
		check_message(&doc, JSON_ROOT);
	}
	json_release(&doc);
}

static void say(struct mcp_session *session, struct slice line)
{
	STR_AUTO answer = STR_INIT;

	mcp_session_line(session, line, &answer);
	check_answer(line, str_slice(&answer));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice input = fuzz_slice(data, size);
	bool greeted = fuzz_take_byte(&input) & 1;
	struct mcp_session *session;

	fuzz_store_begin();
	fuzz_store_write("preferences.json", slice_of("{\"editor\":\"vim\"}"));
	session = mcp_session_new(memory_sys(), fuzz_store_environment, FUZZ_STORE, tools_all(),
				  "s-1");
	if (greeted)
		say(session, slice_of(HANDSHAKE));
	for (int lines = 0; lines < 3 && input.len > 0; lines++)
		say(session, fuzz_take_line(&input));
	mcp_session_free(session);
	fuzz_store_check(NULL);
	fuzz_store_end();
	return 0;
}
