#include "policy/salience.h"

#include "base/time.h"

/* What fades to nothing after this time, whatever the limits in force. */
#define FADING_DAYS 90.0

/* An entry of this size gets nothing for being short. */
#define LARGE_BYTES 4096.0

/* More hits than this make no difference. */
#define HITS_ENOUGH 20.0

static double salience_clamp(double value)
{
	if (value < 0)
		return 0;
	return value > 1 ? 1 : value;
}

double salience_score(const struct salience_facts *facts)
{
	double recent = salience_clamp(1 - facts->age_days / FADING_DAYS);
	double brief = salience_clamp(1 - (double)facts->bytes / LARGE_BYTES);
	double wanted = 0.6 * salience_clamp((double)facts->hits / HITS_ENOUGH) +
			0.4 * salience_clamp(1 - facts->idle_days / FADING_DAYS);

	return 0.35 * recent + 0.20 * brief + 0.30 * wanted +
	       0.15 * salience_clamp(facts->importance);
}

#define IMPORTANT 0.8
#define WANTED_HITS 10
#define YOUNG_DAYS 30

/* What people and their tools put in on purpose. */
static const char *const protected_sources[] = {"cli", "claude-code-hook",
						"project-initialization"};

enum protection protect_reason(const struct entry *entry, int64_t hits, int64_t age_ms)
{
	if (entry->pinned)
		return PROTECTION_PINNED;
	if (entry->category == CATEGORY_PREFERENCES)
		return PROTECTION_PREFERENCE;
	if (entry->promoted)
		return PROTECTION_PROMOTED;
	if (entry->importance >= IMPORTANT)
		return PROTECTION_IMPORTANT;
	if (hits >= WANTED_HITS)
		return PROTECTION_WANTED;
	if (age_ms < YOUNG_DAYS * MS_PER_DAY)
		return PROTECTION_YOUNG;
	for (size_t i = 0; i < sizeof protected_sources / sizeof protected_sources[0]; i++)
		if (slice_is(entry->source, protected_sources[i]))
			return PROTECTION_SOURCE;
	return PROTECTION_NONE;
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
