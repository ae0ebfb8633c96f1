/*
 * Lines of the protocol to a whole session over a store, in both eras: the first byte says whether
 * there was a handshake. An answer is one line, valid JSON of the right shape.
 */
#include "fuzz/fuzz_answer.h"
#include "fuzz/fuzz_store.h"

#include "mcp/dispatch.h"
#include "tools/registry.h"

#define HANDSHAKE                                                                                  \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"                     \
	"\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"                                  \
	"\"clientInfo\":{\"name\":\"cc\",\"version\":\"1.0\"}}}"

static void say(struct mcp_session *session, struct slice line)
{
	STR_AUTO answer = STR_INIT;

	mcp_dispatch_line(session, line, &answer);
	if (answer.len == 0)
		return;
	FUZZ_REQUIRE(!fuzz_is_planted(line), "the planted line has no answer");
	fuzz_check_answer(str_slice(&answer));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice input = fuzz_slice(data, size);
	bool greeted = fuzz_take_byte(&input) & 1;
	struct mcp_session *session;

	fuzz_store_begin();
	fuzz_store_write("preferences.json", slice_of("{\"editor\":\"vim\"}"));
	session = mcp_session_new(fuzz_store_sys(), fuzz_store_environment, fuzz_store_path(),
				  tools_all(), "s-1");
	if (greeted)
		say(session, slice_of(HANDSHAKE));
	for (int lines = 0; lines < 3 && input.len > 0; lines++)
		say(session, fuzz_take_line(&input));
	mcp_session_free(session);
	fuzz_store_check(NULL);
	fuzz_store_end();
	return 0;
}
