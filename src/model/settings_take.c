#include "model/settings.h"

#include <string.h>

static int64_t lower(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t higher(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * The limits by which something is archived: others may raise them in a store that nobody reviewed,
 * where the person may have many entries, and change none of them where the person saw them.
 */
static void take_limits(struct settings *settings, const struct settings *before,
			const struct settings *wish, bool raise)
{
	settings->entries_per_category = raise ? higher(before->entries_per_category,
							wish->entries_per_category)
					       : before->entries_per_category;
	settings->total_bytes = raise ? higher(before->total_bytes, wish->total_bytes)
				      : before->total_bytes;
	settings->expiry_days = raise ? higher(before->expiry_days, wish->expiry_days)
				      : before->expiry_days;
	settings->entry_bytes = raise ? higher(before->entry_bytes, wish->entry_bytes)
				      : lower(before->entry_bytes, wish->entry_bytes);
}

void settings_take(struct settings *settings, const struct settings *wish,
		   enum settings_trust trust)
{
	const struct settings before = *settings;

	if (trust != SETTINGS_UNREVIEWED)
		*settings = *wish;
	settings->secrets = before.secrets < wish->secrets ? before.secrets : wish->secrets;
	if (trust != SETTINGS_NAMED) {
		take_limits(settings, &before, wish, trust == SETTINGS_UNREVIEWED);
		settings->git = wish->git == GIT_MODE_OFF ? GIT_MODE_OFF : before.git;
	}
	/* A folder elsewhere is the person's choice alone. */
	if (before.notes_dir_free) {
		settings->notes_dir_free = true;
		memcpy(settings->notes_dir, before.notes_dir, sizeof settings->notes_dir);
	}
}
