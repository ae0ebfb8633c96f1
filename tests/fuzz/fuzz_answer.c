#include "fuzz/fuzz_answer.h"

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

void fuzz_check_answer(struct slice answer)
{
	struct json_fault fault;
	struct json doc;

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
