#include "model/settings.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum setting_kind {
	KIND_INT,    /* a whole number from min to max */
	KIND_NUMBER, /* a number from min to max */
	KIND_DAYS,   /* such a number for all categories, or an object of category and number */
	KIND_BOOL,
	KIND_CHOICE, /* one of a list; stored as its position there */
	KIND_PATH    /* from a store's own file only a path that stays inside the store */
};

struct setting {
	const char *name;
	enum setting_kind kind;
	double min;
	double max;
	const char *const *choices;
	/* In struct settings: of an int64_t, double, bool, the enum of a choice, or a path's text;
	   of days, one double for each category. */
	size_t offset;
};

/* In the order of enum git_mode. */
static const char *const git_modes[] = {"own", "off", NULL};
/* In the order of enum decay_model. */
static const char *const decay_models[] = {"power_law", "exponential", "two_component", NULL};
/* In the order of enum secret_mode. */
static const char *const secret_modes[] = {"refuse", "warn", "off", NULL};
/* In the order of enum sync_auto. */
static const char *const sync_autos[] = {"off", "session", NULL};

#define DAYS_MAX 36500
#define COUNT_MAX 1e9
#define BYTES_MAX 1099511627776.0

/* name, name in the environment, kind, min, max, choices, field of struct settings */
#define SETTINGS(X)                                                                                \
	X("limits.entries_per_category", "LIMITS_ENTRIES_PER_CATEGORY", INT, 1, COUNT_MAX, NULL,   \
	  entries_per_category)                                                                    \
	X("limits.entry_bytes", "LIMITS_ENTRY_BYTES", INT, 1, BYTES_MAX, NULL, entry_bytes)        \
	X("limits.total_bytes", "LIMITS_TOTAL_BYTES", INT, 1, BYTES_MAX, NULL, total_bytes)        \
	X("limits.expiry_days", "LIMITS_EXPIRY_DAYS", INT, 1, DAYS_MAX, NULL, expiry_days)         \
	X("git", "GIT", CHOICE, 0, 0, git_modes, git)                                              \
	X("decay.model", "DECAY_MODEL", CHOICE, 0, 0, decay_models, decay_model)                   \
	X("decay.half_life_days", "DECAY_HALF_LIFE_DAYS", DAYS, 1e-3, DAYS_MAX, NULL,              \
	  half_life_days)                                                                          \
	X("decay.lambda", "DECAY_LAMBDA", NUMBER, 1e-12, 1, NULL, lambda)                          \
	X("decay.beta", "DECAY_BETA", NUMBER, 0, 10, NULL, beta)                                   \
	X("forget_threshold", "FORGET_THRESHOLD", NUMBER, 0, 100, NULL, forget_threshold)          \
	X("promote_threshold", "PROMOTE_THRESHOLD", NUMBER, 0, 100, NULL, promote_threshold)       \
	X("promote_uses", "PROMOTE_USES", INT, 1, COUNT_MAX, NULL, promote_uses)                   \
	X("promote_days", "PROMOTE_DAYS", INT, 1, DAYS_MAX, NULL, promote_days)                    \
	X("cluster_threshold", "CLUSTER_THRESHOLD", NUMBER, 0, 1, NULL, cluster_threshold)         \
	X("cluster_min", "CLUSTER_MIN", INT, 2, COUNT_MAX, NULL, cluster_min)                      \
	X("cluster_max", "CLUSTER_MAX", INT, 2, COUNT_MAX, NULL, cluster_max)                      \
	X("reinforce", "REINFORCE", BOOL, 0, 0, NULL, reinforce)                                   \
	X("enrich", "ENRICH", BOOL, 0, 0, NULL, enrich)                                            \
	X("notes_dir", "NOTES_DIR", PATH, 0, 0, NULL, notes_dir)                                   \
	X("secrets", "SECRETS", CHOICE, 0, 0, secret_modes, secrets)                               \
	X("sync.auto", "SYNC_AUTO", CHOICE, 0, 0, sync_autos, sync_auto)                           \
	X("maintain_interval_s", "MAINTAIN_INTERVAL_S", INT, 1, COUNT_MAX, NULL,                   \
	  maintain_interval_s)

static const struct setting table[] = {
#define X(name, env, kind, min, max, choices, field)                                               \
	{name, KIND_##kind, min, max, choices, offsetof(struct settings, field)},
	SETTINGS(X)
#undef X
};

static const char *const names[] = {
#define X(name, env, kind, min, max, choices, field) name,
	SETTINGS(X)
#undef X
		NULL};

/* In the order of the table. */
const char *const settings_env_names[] = {
#define X(name, env, kind, min, max, choices, field) env,
	SETTINGS(X)
#undef X
		NULL};

#define SETTING_COUNT (sizeof table / sizeof *table)

/* No name of a setting is longer. */
#define NAME_MAX_BYTES 63

#define X(name, env, kind, min, max, choices, field)                                               \
	_Static_assert(sizeof(name) <= NAME_MAX_BYTES + 1, "a name fits a row of distance()");
SETTINGS(X)
#undef X

_Static_assert(sizeof(enum git_mode) == sizeof(unsigned int) &&
		       sizeof(enum secret_mode) == sizeof(unsigned int) &&
		       sizeof(enum decay_model) == sizeof(unsigned int),
	       "assign() stores every choice as an unsigned int");
_Static_assert(SETTING_COUNT <= 64, "struct reading marks settings in 64 bits");

/* A value as somebody gave it: of a document, or the text of an environment variable. */
struct given {
	const struct json *doc; /* NULL when the text is no JSON */
	uint32_t node;
	struct slice text;  /* the text given, decoded; absent when it is no text */
	struct slice shown; /* what an error shows */
	enum settings_origin origin;
};

void settings_init(struct settings *settings)
{
	*settings = (struct settings){
		.entries_per_category = 100,
		.entry_bytes = 4096,
		.total_bytes = 51200,
		.expiry_days = 90,
		.git = GIT_MODE_UNSET,
		.secrets = SECRETS_REFUSE,
		.decay_model = DECAY_POWER_LAW,
		.lambda = 2.673e-6,
		.beta = 0.6,
		.forget_threshold = 0.05,
		.promote_threshold = 0.65,
		.promote_uses = 5,
		.promote_days = 14,
		.cluster_threshold = 0.83,
		.cluster_min = 2,
		.cluster_max = 12,
		.reinforce = true,
		.enrich = false,
		.maintain_interval_s = 3600,
		.notes_dir = "notes",
	};
}

static bool settings_is_same(const struct setting *setting, const struct settings *a,
			     const struct settings *b)
{
	const char *left = (const char *)a + setting->offset;
	const char *right = (const char *)b + setting->offset;

	switch (setting->kind) {
	case KIND_INT:
		return memcmp(left, right, sizeof(int64_t)) == 0;
	case KIND_NUMBER:
		return memcmp(left, right, sizeof(double)) == 0;
	case KIND_DAYS:
		return memcmp(left, right, CATEGORY_COUNT * sizeof(double)) == 0;
	case KIND_BOOL:
		return memcmp(left, right, sizeof(bool)) == 0;
	case KIND_CHOICE:
		return memcmp(left, right, sizeof(unsigned int)) == 0;
	case KIND_PATH:
		return strcmp(left, right) == 0;
	}
	return true;
}

void settings_compare(const struct settings *a, const struct settings *b,
		      void (*visit)(void *context, const char *name), void *context)
{
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		if (!settings_is_same(&table[i], a, b))
			visit(context, table[i].name);
	}
}

/* Appends what a setting takes: `"own" or "off"`. */
static void settings_add_expected(struct str *out, const struct setting *setting)
{
	switch (setting->kind) {
	case KIND_INT:
		str_printf(out, "a whole number from %.15g to %.15g", setting->min, setting->max);
		break;
	case KIND_NUMBER:
		str_printf(out, "a number from %.15g to %.15g", setting->min, setting->max);
		break;
	case KIND_DAYS:
		str_printf(out, "a number from %.15g to %.15g, or an object of such numbers by ",
			   setting->min, setting->max);
		str_adds(out, "category, each once");
		break;
	case KIND_BOOL:
		str_adds(out, "true or false");
		break;
	case KIND_PATH:
		str_adds(out, "the path of a folder");
		break;
	case KIND_CHOICE:
		for (size_t i = 0; setting->choices[i]; i++) {
			if (i)
				str_adds(out, setting->choices[i + 1] ? ", " : " or ");
			str_printf(out, "\"%s\"", setting->choices[i]);
		}
		break;
	}
}

static int settings_refuse(const struct setting *setting, const struct given *given,
			   struct err *err)
{
	STR_AUTO expected = STR_INIT;
	STR_AUTO scratch = STR_INIT;

	settings_add_expected(&expected, setting);
	return err_set(err, ERR_BAD_VALUE, "the setting \"%s\" must be %s, not %s", setting->name,
		       expected.ptr, shown(&scratch, given->shown));
}

static bool settings_in_range(const struct setting *setting, double number)
{
	return number >= setting->min && number <= setting->max;
}

/* True if this path could lead out of its folder. */
static bool settings_path_escapes(struct slice path)
{
	size_t start = 0;

	if (path.ptr[0] == '/')
		return true;
	for (size_t i = 0; i <= path.len; i++) {
		if (i < path.len && path.ptr[i] != '/')
			continue;
		if (slice_is(slice_make(path.ptr + start, i - start), ".."))
			return true;
		start = i + 1;
	}
	return false;
}

static int settings_check_path(const struct setting *setting, const struct given *given,
			       struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	if (!given->text.ptr || blank_trim(given->text).len == 0 ||
	    given->text.len >= NOTES_DIR_SIZE || memchr(given->text.ptr, '\0', given->text.len))
		return settings_refuse(setting, given, err);
	if (given->origin == SETTINGS_PERSON || !settings_path_escapes(given->text))
		return 0;
	return err_set(err, ERR_BAD_VALUE,
		       "the setting \"%s\" must be a path inside the store, not %s: a folder "
		       "elsewhere can only be chosen in your own settings, not in a store's",
		       setting->name, shown(&scratch, given->shown));
}

/* Reads an object of category and days: one at least; those that it leaves out are by kind. */
static bool settings_read_days(const struct setting *setting, const struct given *given,
			       double *days)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t m = json_first(given->doc, given->node); m != JSON_NONE;
	     m = json_next(given->doc, m)) {
		int category = category_find(json_name(given->doc, m, &scratch));
		double number;

		if (category == CATEGORY_ANY || days[category] > 0 ||
		    !json_double(given->doc, m, &number) || !settings_in_range(setting, number))
			return false;
		days[category] = number;
	}
	return json_first(given->doc, given->node) != JSON_NONE;
}

static int settings_assign_days(struct settings *settings, const struct setting *setting,
				const struct given *given, struct err *err)
{
	double days[CATEGORY_COUNT] = {0};
	double number;
	bool fits = false;

	if (given->doc && json_type(given->doc, given->node) == JSON_OBJECT) {
		fits = settings_read_days(setting, given, days);
	} else if (given->doc && json_double(given->doc, given->node, &number)) {
		fits = settings_in_range(setting, number);
		for (size_t i = 0; i < CATEGORY_COUNT; i++)
			days[i] = number;
	}
	if (!fits)
		return settings_refuse(setting, given, err);
	memcpy((char *)settings + setting->offset, days, sizeof days);
	return 0;
}

/* Checks a value; *out or *number is then what is to be stored, for kinds that are one number. */
static int settings_check(const struct setting *setting, const struct given *given, int64_t *out,
			  double *number, struct err *err)
{
	bool truth = false;
	bool fits = false;

	*out = 0;
	switch (setting->kind) {
	case KIND_INT:
		fits = given->doc && json_int(given->doc, given->node, out) &&
		       settings_in_range(setting, (double)*out);
		break;
	case KIND_NUMBER:
		fits = given->doc && json_double(given->doc, given->node, number) &&
		       settings_in_range(setting, *number);
		break;
	case KIND_BOOL:
		fits = given->doc && json_bool(given->doc, given->node, &truth);
		*out = truth;
		break;
	case KIND_CHOICE:
		*out = given->text.ptr ? slice_index(given->text, setting->choices) : -1;
		fits = *out >= 0;
		break;
	case KIND_PATH:
		return settings_check_path(setting, given, err);
	case KIND_DAYS:
		break;
	}
	return fits ? 0 : settings_refuse(setting, given, err);
}

static int settings_assign(struct settings *settings, const struct setting *setting,
			   const struct given *given, struct err *err)
{
	int64_t value;
	double number = 0;

	if (setting->kind == KIND_DAYS)
		return settings_assign_days(settings, setting, given, err);
	if (settings_check(setting, given, &value, &number, err))
		return -1;
	char *place = (char *)settings + setting->offset;
	if (setting->kind == KIND_CHOICE) {
		unsigned int choice = (unsigned int)value;

		memcpy(place, &choice, sizeof choice);
	} else if (setting->kind == KIND_NUMBER) {
		memcpy(place, &number, sizeof number);
	} else if (setting->kind == KIND_BOOL) {
		bool truth = value != 0;

		memcpy(place, &truth, sizeof truth);
	} else if (setting->kind == KIND_PATH) {
		if (given->text.len > 0)
			memcpy(place, given->text.ptr, given->text.len);
		place[given->text.len] = '\0';
		settings->notes_dir_free = given->origin == SETTINGS_PERSON;
	} else {
		memcpy(place, &value, sizeof value);
	}
	return 0;
}

/* Position of name in a list ended by NULL, or SETTING_COUNT. */
static size_t settings_find(const char *const *list, struct slice name)
{
	size_t i = 0;

	while (list[i] && !slice_is(name, list[i]))
		i++;
	return i;
}

/* Bytes to insert, delete or replace to make one name of the other. */
static size_t settings_distance(struct slice name, struct slice known)
{
	size_t row[NAME_MAX_BYTES + 1];

	for (size_t j = 0; j <= known.len; j++)
		row[j] = j;
	for (size_t i = 0; i < name.len; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < known.len; j++) {
			size_t best = diagonal + (name.ptr[i] != known.ptr[j]);

			diagonal = row[j + 1];
			best = row[j] + 1 < best ? row[j] + 1 : best;
			row[j + 1] = diagonal + 1 < best ? diagonal + 1 : best;
		}
	}
	return row[known.len];
}

/* As settings_distance(), where the group or the rest of a known name alone counts too. */
static size_t settings_distance_to_part(struct slice name, struct slice known)
{
	const char *dot = memchr(known.ptr, '.', known.len);
	size_t least = settings_distance(name, known);

	if (!dot)
		return least;
	size_t group_len = (size_t)(dot - known.ptr);
	size_t cost = settings_distance(name, slice_make(known.ptr, group_len));
	least = cost < least ? cost : least;
	cost = settings_distance(name, slice_make(dot + 1, known.len - group_len - 1));
	return cost < least ? cost : least;
}

/* The name of a list that is most like this one. */
static const char *settings_nearest(const char *const *list, struct slice name)
{
	struct slice cut = utf8_cut(name, SHOWN_CHARACTERS);
	const char *best = list[0];
	size_t least = SIZE_MAX;

	for (size_t i = 0; list[i]; i++) {
		size_t cost = settings_distance_to_part(cut, slice_of(list[i]));

		if (cost >= least)
			continue;
		least = cost;
		best = list[i];
	}
	return best;
}

static int settings_unknown(const char *const *list, struct slice name, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	return err_set(err, ERR_BAD_VALUE, "there is no setting \"%s\"; the nearest one is \"%s\"",
		       shown(&scratch, name), settings_nearest(list, name));
}

/* True if this is the part before the dot of some setting ("limits"). */
static bool settings_is_group(struct slice name)
{
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		if (strlen(names[i]) > name.len && names[i][name.len] == '.' &&
		    slice_equal(slice_make(names[i], name.len), name))
			return true;
	}
	return false;
}

/* A document that is being applied. */
struct reading {
	struct settings settings;
	const struct json *doc;
	enum settings_origin origin;
	uint64_t seen; /* a bit for each setting that was given already */
	uint32_t fault_node;
	struct err *err;
};

static int settings_read_setting(struct reading *r, size_t i, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;
	struct given given = {
		.doc = r->doc,
		.node = node,
		.shown = json_text(r->doc, node),
		.origin = r->origin,
	};

	if (r->seen & (UINT64_C(1) << i))
		return err_set(r->err, ERR_BAD_VALUE,
			       "the setting \"%s\" must be given once, not twice", names[i]);
	r->seen |= UINT64_C(1) << i;
	if (json_type(r->doc, node) == JSON_STRING)
		given.text = json_string(r->doc, node, &scratch);
	return settings_assign(&r->settings, &table[i], &given, r->err);
}

static int settings_read_members(struct reading *r, struct slice prefix, uint32_t object);

static int settings_read_group(struct reading *r, struct slice group, uint32_t node)
{
	STR_AUTO prefix = STR_INIT;

	if (json_type(r->doc, node) != JSON_OBJECT)
		return err_set(r->err, ERR_BAD_VALUE,
			       "the setting \"%.*s\" must be an object of settings", (int)group.len,
			       group.ptr);
	str_add(&prefix, group);
	str_addc(&prefix, '.');
	return settings_read_members(r, str_slice(&prefix), node);
}

static int settings_read_member(struct reading *r, struct slice prefix, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO name = STR_INIT;

	str_add(&name, prefix);
	str_add(&name, json_name(r->doc, node, &scratch));
	size_t i = settings_find(names, str_slice(&name));
	r->fault_node = node;
	if (i < SETTING_COUNT)
		return settings_read_setting(r, i, node);
	if (settings_is_group(str_slice(&name)))
		return settings_read_group(r, str_slice(&name), node);
	if (r->origin == SETTINGS_SYNCED)
		return 0;
	return settings_unknown(names, str_slice(&name), r->err);
}

/* The members of the document or, with the group's name and a dot as prefix, of a group. */
static int settings_read_members(struct reading *r, struct slice prefix, uint32_t object)
{
	for (uint32_t m = json_first(r->doc, object); m != JSON_NONE; m = json_next(r->doc, m)) {
		if (settings_read_member(r, prefix, m))
			return -1;
	}
	return 0;
}

int settings_apply(struct settings *settings, const struct json *doc, enum settings_origin origin,
		   uint32_t *fault_node, struct err *err)
{
	struct reading r = {.settings = *settings, .doc = doc, .origin = origin, .err = err};
	int result;

	if (json_type(doc, JSON_ROOT) != JSON_OBJECT)
		result = err_set(
			err, ERR_BAD_VALUE,
			"the settings must be one JSON object, such as {\"git\": \"off\"}");
	else
		result = settings_read_members(&r, slice_of(""), JSON_ROOT);
	if (result != 0) {
		err->code = ERR_BAD_DATA;
		*fault_node = r.fault_node;
		return -1;
	}
	/* A synced store must not decide when this machine goes online. */
	if (origin != SETTINGS_PERSON)
		r.settings.sync_auto = settings->sync_auto;
	*settings = r.settings;
	return 0;
}

int settings_apply_env(struct settings *settings, const char *name, const char *value,
		       struct err *err)
{
	struct given given = {
		.text = slice_of(value), .shown = slice_of(value), .origin = SETTINGS_PERSON};
	size_t i = settings_find(settings_env_names, slice_of(name));
	struct json_fault fault;
	struct json doc;

	if (i == SETTING_COUNT)
		return settings_unknown(settings_env_names, slice_of(name), err);
	if (!value || !value[0])
		return 0;
	if (json_parse(&doc, given.text, &json_line_bounds, &fault) == 0)
		given.doc = &doc;
	int rc = settings_assign(settings, &table[i], &given, err);
	if (given.doc)
		json_release(&doc);
	return rc;
}

static int64_t settings_higher(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * The limits by which something is archived: others may raise them in a store that nobody reviewed,
 * where the person may have many entries, and change none of them where the person saw them.
 */
static void settings_take_limits(struct settings *settings, const struct settings *before,
				 const struct settings *wish, bool raise)
{
	settings->entries_per_category = raise ? settings_higher(before->entries_per_category,
								 wish->entries_per_category)
					       : before->entries_per_category;
	settings->total_bytes = raise ? settings_higher(before->total_bytes, wish->total_bytes)
				      : before->total_bytes;
	settings->expiry_days = raise ? settings_higher(before->expiry_days, wish->expiry_days)
				      : before->expiry_days;
	/* The higher of the two, or else the lower. */
	settings->entry_bytes = (wish->entry_bytes > before->entry_bytes) == raise
					? wish->entry_bytes
					: before->entry_bytes;
}

void settings_take(struct settings *settings, const struct settings *wish,
		   enum settings_trust trust)
{
	const struct settings before = *settings;

	if (trust != SETTINGS_UNREVIEWED)
		*settings = *wish;
	settings->secrets = before.secrets < wish->secrets ? before.secrets : wish->secrets;
	if (trust != SETTINGS_NAMED) {
		settings_take_limits(settings, &before, wish, trust == SETTINGS_UNREVIEWED);
		settings->git = wish->git == GIT_MODE_OFF ? GIT_MODE_OFF : before.git;
	}
	/* Only the person may choose a folder outside the store. */
	if (before.notes_dir_free) {
		settings->notes_dir_free = true;
		memcpy(settings->notes_dir, before.notes_dir, sizeof settings->notes_dir);
	}
}
