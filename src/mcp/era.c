#include "mcp/era.h"

#define MODERN_REVISION "2026-07-28"

/* The latest first. */
#define REVISIONS(X)                                                                               \
	X("2025-11-25", false)                                                                     \
	X("2025-06-18", false)                                                                     \
	X("2025-03-26", true)                                                                      \
	X("2024-11-05", false)

static const struct revision revisions[] = {
#define X(name, batches) {name, batches},
	REVISIONS(X)
#undef X
};

const char *era_names(void)
{
#define X(name, batches) ", " name
	return MODERN_REVISION REVISIONS(X);
#undef X
}

const struct revision *revision_agree(struct slice requested)
{
	for (size_t i = 0; i < sizeof revisions / sizeof revisions[0]; i++) {
		if (slice_is(requested, revisions[i].name))
			return &revisions[i];
	}
	return &revisions[0];
}

void era_write_supported(struct json_writer *w)
{
	json_write_array(w);
	json_write_string(w, slice_of(MODERN_REVISION));
	json_write_end(w);
}

static int era_refuse_version(const struct request *request, uint32_t version,
			      struct failure *failure)
{
	failure_set(failure, RPC_UNSUPPORTED_VERSION,
		    "Unsupported protocol version: expected \"" MODERN_REVISION "\"");
	struct json_writer w = json_writer_to(&failure->data, &json_compact);
	json_write_object(&w);
	json_write_name(&w, slice_of("supported"));
	era_write_supported(&w);
	json_write_member_raw(&w, "requested", json_text(request->doc, version));
	json_write_end(&w);
	return -1;
}

/* A modern request says which revision it speaks and what its sender can do. */
static int era_check_modern(const struct request *request, uint32_t version,
			    struct failure *failure)
{
	STR_AUTO scratch = STR_INIT;

	if (json_type(request->doc, version) != JSON_STRING)
		return failure_set(failure, RPC_INVALID_PARAMS,
				   "_meta " META_VERSION ": expected a string");
	if (!request_member(request, request->meta, META_CAPABILITIES, JSON_OBJECT))
		return failure_set(failure, RPC_INVALID_PARAMS,
				   "_meta " META_CAPABILITIES ": expected an object");
	if (!slice_is(json_string(request->doc, version, &scratch), MODERN_REVISION))
		return era_refuse_version(request, version, failure);
	return 0;
}

int era_choose(struct request *request, unsigned int eras, bool greeted, struct failure *failure)
{
	uint32_t version = JSON_NONE;

	if (request->meta != JSON_NONE)
		version = json_member(request->doc, request->meta, META_VERSION);
	if (version != JSON_NONE) {
		if (era_check_modern(request, version, failure) != 0)
			return -1;
		request->era = ERA_MODERN;
		return 0;
	}
	if (eras == ERA_MODERN)
		return failure_set(failure, RPC_INVALID_PARAMS, "Missing _meta " META_VERSION);
	if (!greeted)
		return failure_set(failure, RPC_INVALID_PARAMS,
				   "Missing _meta " META_VERSION " (or send initialize first)");
	request->era = ERA_LEGACY;
	return 0;
}
