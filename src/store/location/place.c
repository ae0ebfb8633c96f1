#include "store/location/place.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>

const struct place_row place_personal_rows[PLACE_PERSONAL_ROWS] = {
	{"XDG_DATA_HOME", "kota_memory"},
	{"HOME", ".local/share/kota_memory"},
};

static const struct place_row configs[] = {
	{"XDG_CONFIG_HOME", "kota-memory/" CONFIG_NAME},
	{"HOME", ".config/kota-memory/" CONFIG_NAME},
};

static const struct place_row mishaps[] = {
	{"XDG_STATE_HOME", "kota-memory/hook"},
	{"HOME", ".local/state/kota-memory/hook"},
};

static const struct place_row edits[] = {
	{"XDG_STATE_HOME", "kota-memory/edit"},
	{"HOME", ".local/state/kota-memory/edit"},
};

char *place_join(const char *dir, const char *below)
{
	struct str path = STR_INIT;
	size_t len = strlen(dir);

	while (len > 0 && dir[len - 1] == '/')
		len--;
	str_add(&path, slice_make(dir, len));
	str_addc(&path, '/');
	str_adds(&path, below);
	return str_detach(&path);
}

char *place_row_path(const struct place_row *row, environment env)
{
	const char *value = env(row->variable);

	return value && value[0] == '/' ? place_join(value, row->below) : NULL;
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

static char *place_first_path(const struct place_row *rows, size_t count, environment env)
{
	for (size_t i = 0; i < count; i++) {
		char *path = place_row_path(&rows[i], env);

		if (path)
			return path;
	}
	return NULL;
}

char *place_personal(environment env)
{
	return place_first_path(place_personal_rows, PLACE_PERSONAL_ROWS, env);
}

char *place_personal_config(environment env)
{
	return place_first_path(configs, sizeof configs / sizeof *configs, env);
}

char *place_mishap(environment env)
{
	return place_first_path(mishaps, sizeof mishaps / sizeof *mishaps, env);
}

char *place_edits(environment env)
{
	return place_first_path(edits, sizeof edits / sizeof *edits, env);
}
