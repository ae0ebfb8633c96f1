#include "cli/cmd/hook_session.h"

#include "base/file.h"
#include "json/write.h"
#include "store/trust/state_folder.h"

#define NAME "prompted.json"
#define BYTES_MAX ((size_t)1 << 20)

/* More sessions than anybody has open; and when one is over for certain. */
#define SESSIONS_MAX 40
#define SESSION_DAYS 30

/* So many refs of a session are kept, the last ones. */
#define TOLD_MAX 500

/* A client's id is a few dozen characters. */
#define ID_BYTES_MAX 128

static int hook_session_open(const struct sys *sys, environment env, const struct store *store,
			     int *folder, struct err *err)
{
	return state_folder_open(sys, env, store_origin(store)->root, true, folder, err);
}

/* The list as it stands; an empty object where there is none that can be understood. */
static int hook_session_load(struct json *doc, const struct sys *sys, int folder, struct str *text,
			     struct err *err)
{
	struct json_fault fault;
	bool found;

	if (state_file_read(sys, folder, NAME, BYTES_MAX, text, &found, err) != 0) {
		if (state_error_passes(err))
			return -1;
		str_clear(text);
	}
	if (text->len > 0 && json_parse(doc, str_slice(text), &json_file_bounds, &fault) == 0) {
		if (json_type(doc, JSON_ROOT) == JSON_OBJECT)
			return 0;
		json_release(doc);
	}
	str_clear(text);
	str_adds(text, "{}");
	if (json_parse(doc, str_slice(text), &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_INTERNAL, "%s", fault.what);
	return 0;
}

static int64_t hook_session_time(const struct json *doc, uint32_t node)
{
	uint32_t at = json_type(doc, node) == JSON_OBJECT ? json_member(doc, node, "at")
							  : JSON_NONE;
	int64_t ms = TIME_NONE;
	STR_AUTO text = STR_INIT;

	if (at != JSON_NONE && json_type(doc, at) == JSON_STRING)
		timestamp_parse(json_string(doc, at, &text), true, &ms);
	return ms;
}

static uint32_t hook_session_find(const struct json *doc, struct slice id)
{
	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO name = STR_INIT;

		if (slice_equal(json_name(doc, n, &name), id))
			return n;
	}
	return JSON_NONE;
}

static void hook_session_take(struct hook_session *out, const struct json *doc, uint32_t node,
			      struct arena *arena)
{
	uint32_t told = json_type(doc, node) == JSON_OBJECT ? json_member(doc, node, "told")
							    : JSON_NONE;

	out->last_ms = hook_session_time(doc, node);
	if (told == JSON_NONE || json_type(doc, told) != JSON_ARRAY)
		return;
	out->told = arena_alloc(arena, (doc->nodes[told].count + 1) * sizeof *out->told);
	for (uint32_t n = json_first(doc, told); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO ref = STR_INIT;

		if (json_type(doc, n) == JSON_STRING)
			out->told[out->told_count++] = arena_copy(arena, json_string(doc, n, &ref));
	}
}

int hook_session_read(struct hook_session *out, const struct sys *sys, environment env,
		      const struct store *store, struct slice id, struct arena *arena,
		      struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct json doc;
	uint32_t node;
	int folder;
	int result;

	*out = (struct hook_session){.id = id, .last_ms = TIME_NONE};
	if (id.len > ID_BYTES_MAX)
		return err_set(err, ERR_BAD_VALUE, "the client's name for the session is too long");
	if (hook_session_open(sys, env, store, &folder, err) != 0)
		return -1;
	result = hook_session_load(&doc, sys, folder, &text, err);
	file_close(sys, &folder);
	if (result != 0)
		return -1;
	node = hook_session_find(&doc, id);
	if (node != JSON_NONE)
		hook_session_take(out, &doc, node, arena);
	json_release(&doc);
	return 0;
}

bool hook_session_knows(const struct hook_session *session, struct slice ref)
{
	for (size_t i = 0; i < session->told_count; i++) {
		if (slice_equal(session->told[i], ref))
			return true;
	}
	return false;
}

/*
 * Which sessions stay: the last ones, and none that is over. Of those of one moment the ones that
 * were written last, so that no clock, however coarse, lets the list grow.
 */
static bool hook_session_stays(const struct json *doc, uint32_t node, int64_t now_ms)
{
	int64_t at_ms = hook_session_time(doc, node);
	size_t later = 0;

	if (at_ms == TIME_NONE || now_ms - at_ms > SESSION_DAYS * MS_PER_DAY)
		return false;
	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		int64_t other_ms = hook_session_time(doc, n);

		later += other_ms > at_ms || (other_ms == at_ms && n > node);
	}
	return later + 1 < SESSIONS_MAX;
}

static void hook_session_write_others(struct json_writer *w, const struct json *doc,
				      struct slice id, int64_t now_ms)
{
	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO name = STR_INIT;

		if (slice_equal(json_name(doc, n, &name), id) ||
		    !hook_session_stays(doc, n, now_ms))
			continue;
		json_write_name(w, json_name(doc, n, &name));
		json_write_value(w, doc, n);
	}
}

static void hook_session_write_own(struct json_writer *w, const struct hook_session *session,
				   const struct item *const *items, size_t count, bool anew,
				   int64_t now_ms)
{
	size_t before = anew || count > TOLD_MAX ? 0 : session->told_count;
	size_t first = before + count > TOLD_MAX ? before + count - TOLD_MAX : 0;
	char at[TIMESTAMP_SIZE];

	timestamp_format(now_ms, at);
	json_write_name(w, session->id);
	json_write_object(w);
	json_write_member_string(w, "at", slice_of(at));
	json_write_member_array(w, "told");
	for (size_t i = first; i < before; i++)
		json_write_string(w, session->told[i]);
	for (size_t i = 0; i < count; i++)
		json_write_string(w, items[i]->ref);
	json_write_end(w);
	json_write_end(w);
}

int hook_session_add(const struct hook_session *session, const struct sys *sys, environment env,
		     const struct store *store, const struct item *const *items, size_t count,
		     bool anew, int64_t now_ms, struct err *err)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct json_writer w;
	struct json doc;
	int lock = -1;
	int folder;
	int result;

	if (hook_session_open(sys, env, store, &folder, err) != 0)
		return -1;
	result = state_folder_lock(sys, folder, &lock, err);
	if (result == 0)
		result = hook_session_load(&doc, sys, folder, &text, err);
	if (result == 0) {
		json_writer_init(&w, &out, &json_compact);
		json_write_object(&w);
		hook_session_write_others(&w, &doc, session->id, now_ms);
		hook_session_write_own(&w, session, items, count, anew, now_ms);
		json_write_end(&w);
		str_addc(&out, '\n');
		result = file_replace(sys, folder, NAME, str_slice(&out), 0600, 0, NULL, err);
		json_release(&doc);
	}
	state_folder_unlock(sys, &lock);
	file_close(sys, &folder);
	return result;
}
