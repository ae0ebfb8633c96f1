#include "store/location/place.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>

const struct place_row place_personal_rows[PLACE_PERSONAL_ROWS] = {
	{"XDG_DATA_HOME", "kota_memory"},
	{"HOME", ".local/share/kota_memory"},
};

/* As enum place_own, by the first variable that is set; all have as many rows. */
static const struct place_row *const place_own_rows[] = {
	[PLACE_OWN_STORE] = place_personal_rows,
	[PLACE_OWN_CONFIG] =
		(const struct place_row[PLACE_PERSONAL_ROWS]){
			{"XDG_CONFIG_HOME", "kota-memory/" CONFIG_NAME},
			{"HOME", ".config/kota-memory/" CONFIG_NAME},
		},
	[PLACE_OWN_HOOK_ERRORS] =
		(const struct place_row[PLACE_PERSONAL_ROWS]){
			{"XDG_STATE_HOME", "kota-memory/hook"},
			{"HOME", ".local/state/kota-memory/hook"},
		},
	[PLACE_OWN_EDITS] =
		(const struct place_row[PLACE_PERSONAL_ROWS]){
			{"XDG_STATE_HOME", "kota-memory/edit"},
			{"HOME", ".local/state/kota-memory/edit"},
		},
};

void place_join(struct str *out, const char *folder, const char *below)
{
	size_t len = strlen(folder);

	while (len > 0 && folder[len - 1] == '/')
		len--;
	str_add(out, slice_make(folder, len));
	str_addc(out, '/');
	str_adds(out, below);
}

char *place_row_path(const struct place_row *row, environment env)
{
	const char *value = env(row->variable);
	struct str path = STR_INIT;

	if (!value || value[0] != '/')
		return NULL;
	place_join(&path, value, row->below);
	return str_detach(&path);
}

static char *place_copy_text(const char *text)
{
	return text ? mem_strdup(text) : NULL;
}

void place_copy(struct place *out, const struct place *place)
{
	*out = *place;
	out->path = place_copy_text(place->path);
	out->root = place_copy_text(place->root);
	out->project = place_copy_text(place->project);
}

void place_release(struct place *place)
{
	free(place->path);
	free(place->root);
	free(place->project);
	*place = (struct place){0};
}

char *place_own_path(enum place_own own, environment env)
{
	for (size_t i = 0; i < PLACE_PERSONAL_ROWS; i++) {
		char *path = place_row_path(&place_own_rows[own][i], env);

		if (path)
			return path;
	}
	return NULL;
}
