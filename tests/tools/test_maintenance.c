/*
 * What must hold of any run of maintenance over any store: random stores, random runs. The seed of
 * a store that fails is printed; MAINTENANCE_SEED=N tries that one alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "ops/entry_stats.h"
#include "store/view/relations.h"
#include "support/toolcall.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS 40
#define SEEDS_WITH_HISTORY 8
#define ENTRIES_MAX 80

/* An entry as it was before. */
struct before {
	char *ref;
	char *value; /* compact */
	char *text;  /* as it stood */
	bool kept;   /* protected */
};

struct world {
	struct teststore *t;
	uint64_t seed;
	uint64_t random;
	struct before entries[ENTRIES_MAX];
	size_t count;
};

static const char *const runs[][2] = {
	{"consolidate", "{'mode':'light','dry_run':%s}"},
	{"consolidate", "{'mode':'deep','salience_threshold':0.5,'dry_run':%s}"},
	{"consolidate", "{'mode':'rem','save':true,'dry_run':%s}"},
	{"consolidate", "{'mode':'rem','save':true,'salience_threshold':1,'dry_run':%s}"},
	{"optimize", "{'strategy':'consolidate_similar','limit':1000,'dry_run':%s}"},
	{"optimize", "{'strategy':'top_accessed','limit':1000,'dry_run':%s}"},
	{"optimize", "{'strategy':'stale_cleanup','limit':1000,'dry_run':%s}"},
	{"gc", "{'dry_run':%s}"},
};

#define RUN_COUNT (sizeof runs / sizeof runs[0])

static size_t pick(struct world *world, size_t count)
{
	world->random ^= world->random << 13;
	world->random ^= world->random >> 7;
	world->random ^= world->random << 17;
	return (size_t)(world->random % count);
}

static const char *const subjects[] = {"Deploys to staging", "The api server", "Priya",
				       "Größe in Zentimetern", "Nightly backups of the database"};
static const char *const verbs[] = {"need a green build",
				    "is kept for 30 days",
				    "is kept for 90 days",
				    "never happen on Fridays",
				    "happen on Fridays",
				    "failed at night, restarted the runner",
				    "failed again until the runner was restarted"};

/* Short texts of few words meet each other often; some are no texts at all. */
static void add_value(struct world *world, struct str *out)
{
	static const char *const others[] = {"7",    "[1,2]", "{'port':1,'host':'here and there'}",
					     "true", "null",  "'yes'",
					     "1e400"};
	static const char *const ends[] = {"", ".", "!", " always", " - maybe"};

	if (pick(world, 6) == 0) {
		str_adds(out, others[pick(world, sizeof others / sizeof others[0])]);
		return;
	}
	str_printf(out, "'%s %s%s'", subjects[pick(world, 5)], verbs[pick(world, 7)],
		   ends[pick(world, 5)]);
}

static void add_entry(struct world *world, struct str *out, size_t number)
{
	static const char *const facts[] = {"",
					    ",'tags':['a','b']",
					    ",'importance':0.9",
					    ",'importance':0.1",
					    ",'pinned':true",
					    ",'source':'cli'",
					    ",'hits':7",
					    ",'hits':12",
					    ",'strength':1.4,'mine':1.0",
					    ",'status':'promoted'"};
	char time[TIMESTAMP_SIZE];

	timestamp_format(TESTSTORE_NOW - (int64_t)pick(world, 89) * MS_PER_DAY, time);
	str_printf(out, "%s'k%zu':", number ? ",\n  " : "{\n  ", number);
	if (pick(world, 8) == 0) {
		add_value(world, out);
		return;
	}
	str_adds(out, "{'value':");
	add_value(world, out);
	str_printf(out, ",'created_at':'%s','last_updated':'%s'%s}", time, time,
		   facts[pick(world, sizeof facts / sizeof facts[0])]);
}

static void write_links(struct world *world, size_t count)
{
	STR_AUTO text = STR_INIT;

	str_addc(&text, '{');
	for (size_t i = 0; i < 8; i++)
		str_printf(&text, "%s'r%zu':{'from':'state:k%zu','to':'patterns:k%zu'}",
			   i ? "," : "", i, pick(world, count), pick(world, count));
	str_addc(&text, '}');
	toolcall_write_file(world->t, "relations.json", text.ptr);
}

static char *text_of(struct slice text)
{
	return mem_strndup(text.ptr, text.len);
}

static char *compact(struct slice text)
{
	STR_AUTO out = STR_INIT;
	struct json_fault fault;
	struct json doc;

	assert_int_equal(json_parse(&doc, text, &json_file_bounds, &fault), 0);
	struct json_writer w = json_writer_to(&out, &json_compact);
	json_write_value(&w, &doc, JSON_ROOT);
	json_release(&doc);
	return text_of(str_slice(&out));
}

static void remember(struct world *world)
{
	struct arena arena = ARENA_INIT;
	const struct item *items;
	size_t count;

	teststore_refresh(world->t);
	items = store_items(world->t->store, &count);
	assert_in_range(count, 1, ENTRIES_MAX);
	for (size_t i = 0; i < count; i++) {
		struct facts facts;

		facts_read(&facts, &items[i], fake_sys_now());
		world->entries[world->count++] = (struct before){
			.ref = text_of(items[i].ref),
			.value = compact(items[i].entry.value),
			.text = text_of(items[i].entry.text),
			.kept = facts.kept != PROTECTION_NONE,
		};
	}
	arena_release(&arena);
}

static void forget(struct world *world)
{
	for (size_t i = 0; i < world->count; i++) {
		free(world->entries[i].ref);
		free(world->entries[i].value);
		free(world->entries[i].text);
	}
	world->count = 0;
}

static void make_store(struct world *world)
{
	static const char *const files[] = {"preferences.json", "patterns.json", "state.json"};

	toolcall_write_file(world->t, "config.json",
			    "{'limits':{'expiry_days':3650},'decay':{'half_life_days':3}}");
	toolcall_write_file(world->t, "usage.jsonl", "{'since':'2026-01-01T00:00:00.000Z'}\n");
	for (size_t f = 0; f < 3; f++) {
		size_t count = f == 0 ? 4 : 16 + pick(world, 16);
		STR_AUTO text = STR_INIT;

		for (size_t i = 0; i < count; i++)
			add_entry(world, &text, i);
		str_adds(&text, "\n}\n");
		toolcall_write_file(world->t, files[f], text.ptr);
	}
	write_links(world, 16);
	remember(world);
}

/* ---- what must hold */

#define HOLDS(world, condition, ...)                                                               \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			print_error("seed %" PRIu64 ": ", (world)->seed);                          \
			fail_msg(__VA_ARGS__);                                                     \
		}                                                                                  \
	} while (0)

static bool has_value(const char *value, struct slice text)
{
	char *own = compact(text);
	bool same = strcmp(own, value) == 0;

	free(own);
	return same;
}

/* How often the value stands in an entry or a record. */
static size_t count_now(struct world *world, const char *value)
{
	const struct archived *records;
	const struct item *items;
	struct err err;
	size_t found = 0;
	size_t count;

	items = store_items(world->t->store, &count);
	for (size_t i = 0; i < count; i++)
		found += has_value(value, items[i].entry.value);
	assert_int_equal(store_archive_whole(world->t->store, &records, &count, &err), 0);
	for (size_t i = 0; i < count; i++)
		found += has_value(value, records[i].record.entry.value);
	return found;
}

static size_t count_before(const struct world *world, const char *value)
{
	size_t found = 0;

	for (size_t i = 0; i < world->count; i++)
		found += strcmp(world->entries[i].value, value) == 0;
	return found;
}

/* Is the ref active, or in the archive? */
static bool is_known(struct world *world, struct slice ref)
{
	struct ref parts = ref_parse(ref);
	const struct archived *records;
	struct err err;
	size_t count;

	if (store_find_ref(world->t->store, ref))
		return true;
	assert_int_equal(store_archive_whole(world->t->store, &records, &count, &err), 0);
	for (size_t i = 0; i < count; i++) {
		if ((int)records[i].record.category == parts.category &&
		    slice_equal(records[i].record.original_key, parts.key))
			return true;
	}
	return false;
}

static void check_links(struct world *world)
{
	const struct link *links;
	struct err err;
	size_t count;

	assert_int_equal(store_links(world->t->store, &links, &count, &err), 0);
	for (size_t i = 0; i < count; i++)
		HOLDS(world,
		      is_known(world, links[i].relation.from) &&
			      is_known(world, links[i].relation.to),
		      "%.*s -> %.*s leads nowhere", (int)links[i].relation.from.len,
		      links[i].relation.from.ptr, (int)links[i].relation.to.len,
		      links[i].relation.to.ptr);
}

static void check_store(struct world *world, const char *run)
{
	teststore_refresh(world->t);
	for (size_t i = 0; i < world->count; i++) {
		const struct before *entry = &world->entries[i];
		const struct item *item = store_find_ref(world->t->store, slice_of(entry->ref));

		HOLDS(world, count_now(world, entry->value) >= count_before(world, entry->value),
		      "%s: %s of %s is lost", run, entry->value, entry->ref);
		HOLDS(world, !entry->kept || (item && slice_is(item->entry.text, entry->text)),
		      "%s: %s is protected and was changed", run, entry->ref);
	}
	check_links(world);
}

/* The reply without what says whether it was a dry run. */
static void normalise(struct str *reply)
{
	static const char *const cut[] = {"\"dry_run\":true", "\"dry_run\":false",
					  "\"suggestions\":", "\"message\":"};

	for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
		char *at = strstr(reply->ptr, cut[i]);
		size_t end = at ? strcspn(at + strlen(cut[i]), i < 2 ? ",}" : "]}\n") : 0;

		if (!at)
			continue;
		end += strlen(cut[i]);
		memmove(at, at + end, strlen(at + end) + 1);
		reply->len -= end;
	}
}

static void call(struct world *world, size_t run, const char *dry, struct str *reply)
{
	STR_AUTO arguments = STR_INIT;
	const char *form = runs[run][1];
	const char *gap = strstr(form, "%s");

	str_add(&arguments, slice_make(form, (size_t)(gap - form)));
	str_adds(&arguments, dry);
	str_adds(&arguments, gap + 2);
	toolcall_reply(world->t, runs[run][0], arguments.ptr, reply);
	normalise(reply);
}

static void read_files(struct world *world, struct str *out)
{
	static const char *const files[] = {"preferences.json", "connections.json", "patterns.json",
					    "shortcuts.json",   "state.json",       "archive.json",
					    "relations.json"};

	str_clear(out);
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		char *text = tmpdir_has(&world->t->dir, files[i])
				     ? tmpdir_read(&world->t->dir, files[i])
				     : NULL;

		str_printf(out, "== %s\n", files[i]);
		str_adds(out, text ? text : "");
		free(text);
	}
}

/* Groups that are found become one, without a dry run of the same form. */
static void merge_found(struct world *world)
{
	toolcall_reply_has(world->t, "merge",
			   "{'auto_detect':true,'cohesion_threshold':0.3,'mode':'apply'}",
			   "'success':true");
	check_store(world, "merge");
}

/* Did it change anything? */
static bool run_once(struct world *world, size_t run)
{
	STR_AUTO dry = STR_INIT;
	STR_AUTO real = STR_INIT;
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	bool changed;

	toolcall_later();
	read_files(world, &before);
	call(world, run, "true", &dry);
	read_files(world, &after);
	HOLDS(world, strcmp(before.ptr, after.ptr) == 0, "%s: a dry run wrote", runs[run][1]);
	call(world, run, "false", &real);
	read_files(world, &after);
	changed = strcmp(before.ptr, after.ptr) != 0;
	HOLDS(world, strcmp(dry.ptr, real.ptr) == 0, "%s: the dry run said\n%s\nthe real one\n%s",
	      runs[run][1], dry.ptr, real.ptr);
	check_store(world, runs[run][1]);
	read_files(world, &before);
	toolcall_later();
	str_clear(&real);
	call(world, run, "false", &real);
	read_files(world, &after);
	HOLDS(world, strcmp(before.ptr, after.ptr) == 0, "%s: twice is not once:\n%s", runs[run][1],
	      real.ptr);
	return changed;
}

static void open_world(struct world *world, uint64_t seed, int (*set_up)(void **state))
{
	void *state = NULL;

	*world = (struct world){.seed = seed, .random = seed * 0x9E3779B97F4A7C15u + 1};
	assert_int_equal(set_up(&state), 0);
	world->t = state;
	make_store(world);
}

static void close_world(struct world *world)
{
	void *state = world->t;

	forget(world);
	toolcall_tear_down(&state);
}

static uint64_t only_seed(void)
{
	const char *text = getenv("MAINTENANCE_SEED");

	return text ? strtoull(text, NULL, 10) : 0;
}

static void nothing_is_lost_and_what_is_protected_stays(void **state)
{
	uint64_t only = only_seed();
	size_t changes = 0;

	(void)state;
	for (uint64_t seed = only ? only : 1; seed <= (only ? only : SEEDS); seed++) {
		struct world world;

		open_world(&world, seed, toolcall_set_up);
		for (int i = 0; i < 3; i++)
			changes += run_once(&world, pick(&world, RUN_COUNT));
		merge_found(&world);
		close_world(&world);
	}
	/* Stores in which nothing is to be done would prove nothing. */
	assert_true(only || changes >= SEEDS);
}

static void undo_brings_all_back(void **state)
{
	uint64_t only = only_seed();
	size_t undone = 0;

	(void)state;
	for (uint64_t seed = only ? only : 1; seed <= (only ? only : SEEDS_WITH_HISTORY); seed++) {
		STR_AUTO before = STR_INIT;
		STR_AUTO after = STR_INIT;
		STR_AUTO reply = STR_INIT;
		struct world world;
		size_t run;

		open_world(&world, seed, toolcall_set_up_with_history);
		run = pick(&world, RUN_COUNT);
		/* A change of the person's own, so that what is there is in the history. */
		toolcall_try(world.t, "set", "{'key':'preferences:begin','value':'one two'}");
		toolcall_try(world.t, "delete", "{'key':'preferences:begin'}");
		read_files(&world, &before);
		call(&world, run, "false", &reply);
		read_files(&world, &after);
		if (strcmp(before.ptr, after.ptr) != 0) {
			undone++;
			toolcall_try(world.t, "undo", "{}");
			read_files(&world, &after);
			HOLDS(&world, strcmp(before.ptr, after.ptr) == 0,
			      "%s: after the undo\n%s\nwhich was\n%s", runs[run][1], after.ptr,
			      before.ptr);
		}
		close_world(&world);
	}
	assert_true(only || undone >= SEEDS_WITH_HISTORY / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost_and_what_is_protected_stays),
		cmocka_unit_test(undo_brings_all_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
