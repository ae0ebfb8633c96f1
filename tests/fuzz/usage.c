/*
 * usage.jsonl: any lines. What they add up to, printed as a compacted file, adds up to the same
 * and prints the same.
 */
#include "fuzz/fuzz.h"

#include "store/log/usage_facts.h"

static void print(const struct usage_facts *facts, struct str *out)
{
	if (facts->epoch.since_ms != TIME_NONE)
		usage_line_since(out, &facts->epoch);
	for (size_t i = 0; i < facts->count; i++) {
		if (!usage_known_empty(&facts->list[i]))
			usage_line_known(out, &facts->list[i]);
	}
}

static void check(const struct usage_known *known)
{
	FUZZ_REQUIRE(known->fact.hits >= 0, "hits are counted from 0");
	FUZZ_REQUIRE(known->fact.ref.len > 0, "a ref is not empty");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct usage_facts facts;
	struct usage_facts again;
	STR_AUTO once = STR_INIT;
	STR_AUTO twice = STR_INIT;

	usage_facts_init(&facts);
	usage_facts_init(&again);
	usage_facts_take(&facts, fuzz_slice(data, size));
	for (size_t i = 0; i < facts.count; i++)
		check(&facts.list[i]);
	print(&facts, &once);
	usage_facts_take(&again, str_slice(&once));
	if (fuzz_is_planted(str_slice(&once)))
		usage_line_add(&twice, USAGE_HIT, slice_of("planted"), 0, 0, false);
	print(&again, &twice);
	FUZZ_REQUIRE(slice_equal(str_slice(&once), str_slice(&twice)),
		     "compacted lines say the same");
	usage_facts_release(&facts);
	usage_facts_release(&again);
	return 0;
}
