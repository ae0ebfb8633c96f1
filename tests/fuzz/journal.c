/*
 * A journal of any bytes, found by the next change. Without a first byte "=" the input is the
 * journal; with it, the input is the body, and the digest is put to it. Whatever the journal says,
 * every file of the store parses afterwards. One with its digest that makes no sense stays as it
 * is; what is no journal is set aside as it is, and holds nothing up.
 */
#include "fuzz/fuzz_store.h"

#include "base/map.h"

#include <inttypes.h>

#define PREFERENCES "{\n  \"editor\": \"vim\",\n  \"theme\": {\"value\": \"dark\"}\n}\n"
#define ARCHIVE                                                                                    \
	"{\"state\":[{\"key\":\"task@2026-11-20T10:00:00.000Z\",\"originalKey\":\"task\","         \
	"\"archivedAt\":\"2026-11-20T10:00:00.000Z\",\"reason\":\"evicted\",\"entry\":{"           \
	"\"value\":1}}]}"

static void make_journal(struct slice input, struct str *out)
{
	if (input.len == 0 || input.ptr[0] != '=') {
		str_add(out, input);
		return;
	}
	fuzz_take_byte(&input);
	str_printf(out, "{\"digest\":\"%" PRIx64 "\",\"journal\":", hash64(input));
	str_add(out, input);
	str_adds(out, "}\n");
}

/* What is not carried out is kept for the person. */
static void check_aside(struct slice journal)
{
	struct slice aside = fuzz_store_read(".journal.aside-1");

	if (aside.ptr)
		FUZZ_REQUIRE(slice_equal(aside, journal) && !fuzz_is_planted(journal),
			     "what is set aside is as it was");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	STR_AUTO journal = STR_INIT;
	bool worked;

	make_journal(fuzz_slice(data, size), &journal);
	fuzz_store_begin();
	fuzz_store_write("preferences.json", slice_of(PREFERENCES));
	fuzz_store_write("archive.json", slice_of(ARCHIVE));
	fuzz_store_write(".journal", str_slice(&journal));
	worked = fuzz_store_run("set", slice_of("{\"key\":\"patterns:a\",\"value\":1}"), NULL);
	FUZZ_REQUIRE(worked == (fuzz_store_read(".journal").ptr == NULL),
		     "a journal that is not understood stays, any other is gone");
	check_aside(str_slice(&journal));
	fuzz_store_check(NULL);
	fuzz_store_end();
	return 0;
}
