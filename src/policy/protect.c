#include "policy/protect.h"

#include "base/time.h"

#define IMPORTANT 0.8
#define WANTED_HITS 10
#define YOUNG_DAYS 30

/* What people and their tools put in on purpose. */
static const char *const protected_sources[] = {"cli", "claude-code-hook",
						"project-initialization"};

static bool is_protected_source(struct slice source)
{
	for (size_t i = 0; i < sizeof protected_sources / sizeof protected_sources[0]; i++) {
		if (slice_is(source, protected_sources[i]))
			return true;
	}
	return false;
}

enum protection protect_reason(const struct protect_facts *facts)
{
	if (facts->pinned)
		return PROTECTION_PINNED;
	if (facts->category == CATEGORY_PREFERENCES)
		return PROTECTION_PREFERENCE;
	if (facts->promoted)
		return PROTECTION_PROMOTED;
	if (facts->importance >= IMPORTANT)
		return PROTECTION_IMPORTANT;
	if (facts->hits >= WANTED_HITS)
		return PROTECTION_WANTED;
	if (facts->age_ms < YOUNG_DAYS * MS_PER_DAY)
		return PROTECTION_YOUNG;
	return is_protected_source(facts->source) ? PROTECTION_SOURCE : PROTECTION_NONE;
}

const char *protection_text(enum protection protection)
{
	static const char *const texts[] = {
#define X(id, why) why,
		PROTECTIONS(X)
#undef X
	};

	return texts[protection];
}
