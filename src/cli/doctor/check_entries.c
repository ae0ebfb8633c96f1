#include "base/map.h"
#include "base/time.h"
#include "base/utf8.h"
#include "cli/doctor/check.h"
#include "merge/merge_conflict.h"
#include "model/archive_record.h"
#include "policy/retention.h"
#include "secrets/secret_scan.h"
#include "store/files/file_names.h"
#include "store/files/note_folder.h"
#include "store/files/resolve.h"
#include "store/items/notes.h"
#include "store/log/cold.h"
#include "text/normalize.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

/* An entry that nobody uses until then goes to the archive. */
#define SOON_MS (7 * MS_PER_DAY)

static void check_take_time(struct checkup *checkup, int64_t ms)
{
	if (ms == TIME_NONE)
		return;
	if (ms > checkup->now_ms)
		checkup->later_count++;
	if (ms > checkup->newest_ms)
		checkup->newest_ms = ms;
}

/* When it was last active, as the store reckons. */
static int64_t check_active_ms(const struct checkup *checkup, const struct entry *entry)
{
	const struct usage_epoch epoch = usage_epoch(checkup->usage);
	struct activity activity = {entry->updated_ms, entry->accessed_ms, TIME_NONE};
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, entry->category, entry->key);
	const struct usage_fact *fact = usage_find(checkup->usage, str_slice(&ref));
	activity.accessed_ms = time_later(activity.accessed_ms, entry->used_ms);
	if (fact) {
		activity.seen_ms = fact->seen_ms;
		activity.accessed_ms = time_later(activity.accessed_ms, fact->last_ms);
		activity.accessed_ms = time_later(activity.accessed_ms, fact->used_ms);
		activity.accessed_ms = time_later(activity.accessed_ms, fact->shown_ms);
	}
	activity.seen_ms = time_later(activity.seen_ms,
				      shared_use_ms(&checkup->shared_use, str_slice(&ref)));
	return retention_active_ms(&activity, &epoch, checkup->now_ms);
}

static void check_expiry(struct checkup *checkup, const struct entry *entry)
{
	bool shared = !shared_use_may_judge(&checkup->shared_use, &checkup->disk.origin,
					    checkup->now_ms);
	int64_t later_ms = checkup->now_ms + (shared ? 0 : SOON_MS);

	if (!usage_is_known(checkup->usage) ||
	    !retention_expired(check_active_ms(checkup, entry), retention_spares(entry),
			       &checkup->settings, later_ms))
		return;
	if (checkup->expiring++ >= CHECKUP_EXPIRING_NAMED)
		return;
	if (checkup->expiring > 1)
		str_adds(&checkup->expiring_refs, ", ");
	checkup_add_ref(&checkup->expiring_refs, category_name(entry->category), entry->key);
}

static void check_size(struct checkup *checkup, const struct entry *entry)
{
	int64_t size = (int64_t)entry_stored_size(entry);
	STR_AUTO ref = STR_INIT;

	if (size <= checkup->settings.entry_bytes)
		return;
	checkup_add_ref(&ref, category_name(entry->category), entry->key);
	findings_add(checkup->found, FINDING_ENTRY_TOO_LARGE, NULL,
		     "%s has %" PRId64 " bytes, the limit is %" PRId64, ref.ptr, size,
		     checkup->settings.entry_bytes);
}

void checkup_add_word(struct str *out, struct slice text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789/._-:";
	bool quoted = text.len == 0;

	for (size_t i = 0; i < text.len && !quoted; i++)
		quoted = !memchr(plain, text.ptr[i], sizeof plain - 1);
	if (!quoted) {
		str_add(out, text);
		return;
	}
	str_addc(out, '\'');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\'')
			str_adds(out, "'\\'");
		str_addc(out, text.ptr[i]);
	}
	str_addc(out, '\'');
}

/* Says when another entry of the category has the same identity; remembers this one. */
static void check_same_key(struct checkup *checkup, const struct entry *entry, struct arena *arena,
			   struct map *seen)
{
	STR_AUTO identity = STR_INIT;
	STR_AUTO ref = STR_INIT;

	normalize_key(entry->key, &identity);
	if (!map_get(seen, str_slice(&identity), NULL)) {
		map_put(seen, arena_copy(arena, str_slice(&identity)), 1);
		return;
	}
	checkup_add_ref(&ref, category_name(entry->category), entry->key);
	findings_add(checkup->found, FINDING_SAME_KEY, NULL,
		     "%s is the same key as one before it in another spelling", ref.ptr);
}

/* The tools make no such key, but open one that was written by hand. */
static void entries_check_blank(struct checkup *checkup, const struct entry *entry)
{
	const char *category = category_name(entry->category);
	STR_AUTO remedy = STR_INIT;
	STR_AUTO ref = STR_INIT;

	if (!blank_only(entry->key))
		return;
	ref_add(&ref, entry->category, entry->key);
	str_adds(&remedy, "Give it a name: kota mv ");
	checkup_add_word(&remedy, str_slice(&ref));
	str_adds(&remedy, " NAME");
	findings_add(checkup->found, FINDING_BLANK_KEY, remedy.ptr,
		     "%s has an entry with a blank key", category);
}

/* Notes the entry if others changed it since the store was trusted; check_files.c names those. */
static void entries_note_others(struct checkup *checkup, const struct entry *entry)
{
	const struct reviewed_entry asked = {entry->category, entry->key, entry->text};

	if (!reviewed_is_others(&checkup->reviewed, &asked) ||
	    checkup->others_count++ >= CHECKUP_OTHERS_NAMED)
		return;
	if (checkup->others_count > 1)
		str_adds(&checkup->others_refs, ", ");
	checkup_add_ref(&checkup->others_refs, category_name(entry->category), entry->key);
}

void checkup_entries(struct checkup *checkup, enum category category, const struct json *doc,
		     struct str *summary)
{
	ARENA_AUTO arena = ARENA_INIT;
	MAP_AUTO seen = MAP_INIT;
	int64_t limit = checkup->settings.entries_per_category;
	int64_t count = doc->nodes[JSON_ROOT].count;
	int64_t pinned = 0;

	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		struct entry entry;

		entry_read(&entry, category, doc, n, &arena);
		check_take_time(checkup, entry.created_ms);
		check_take_time(checkup, entry.updated_ms);
		check_take_time(checkup, entry.accessed_ms);
		if (entry.pinned) {
			pinned++;
			checkup->pinned_bytes += (int64_t)entry.text.len;
		}
		check_expiry(checkup, &entry);
		entries_note_others(checkup, &entry);
		checkup_promoted(checkup, doc, n, &entry);
		entries_check_blank(checkup, &entry);
		check_size(checkup, &entry);
		check_same_key(checkup, &entry, &arena, &seen);
		checkup_secrets(checkup, store_file_name((enum store_file)category),
				category_name(category), entry.key, doc, n);
	}
	str_printf(summary, ", %" PRId64 " of %" PRId64 " entries", count, limit);
	if (pinned > 0)
		str_printf(summary, ", %" PRId64 " pinned", pinned);
	if (count > limit)
		findings_add(checkup->found, FINDING_OVER_ENTRIES, NULL,
			     "%s has %" PRId64 " entries, the limit is %" PRId64,
			     category_name(category), count, limit);
	if (pinned > retention_pin_limit(limit))
		findings_add(checkup->found, FINDING_OVER_PINNED, NULL,
			     "%" PRId64 " entries of %s are pinned, more than half of the limit of "
			     "%" PRId64,
			     pinned, category_name(category), limit);
	checkup->sums.counts[category] = count;
}

/* Counts the records of one category's list; *bad those that are none. */
static size_t check_count_records(struct checkup *checkup, enum category category,
				  const struct json *doc, uint32_t list, size_t *bad)
{
	ARENA_AUTO arena = ARENA_INIT;
	size_t count = 0;

	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
		struct record record;

		if (record_read(&record, category, doc, n, &arena)) {
			check_take_time(checkup, record.archived_ms);
			checkup_secrets(checkup, store_file_name(STORE_FILE_ARCHIVE),
					category_name(category), record.key, doc, n);
			checkup->sums.archive_counts[category]++;
			checkup->sums.archive_bytes[category] += (int64_t)record.text.len;
			count++;
		} else {
			++*bad;
		}
	}
	return count;
}

/* Texts that lost a merge, while the entries still have what won it. */
static void check_conflicts(struct checkup *checkup, enum category category, const struct json *doc,
			    uint32_t list)
{
	ARENA_AUTO arena = ARENA_INIT;
	STR_AUTO refs = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;
	JSON_AUTO file = {0};

	if (disk_read_json(&checkup->disk, store_file_name((enum store_file)category), &text, &file,
			   &id, &ignored) != 0)
		return;
	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
		struct record record;

		if (!record_read(&record, category, doc, n, &arena) ||
		    !slice_is(record.reason, reason_name(REASON_CONFLICT)))
			continue;
		uint32_t entry = json_member_slice(&file, JSON_ROOT, record.original_key);
		if (entry == JSON_NONE || !conflict_is_open(record.text, json_text(&file, entry)))
			continue;
		if (refs.len > 0)
			str_adds(&refs, ", ");
		checkup_add_ref(&refs, category_name(category), record.original_key);
	}
	if (refs.len > 0)
		findings_add(checkup->found, FINDING_CONFLICT, NULL, "changed on both sides: %s",
			     refs.ptr);
}

void checkup_records(struct checkup *checkup, const struct json *doc, struct str *summary)
{
	size_t count = 0;
	size_t bad = 0;

	for (int c = 0; c < CATEGORY_COUNT; c++) {
		const char *category = category_name((enum category)c);
		uint32_t list = json_member(doc, JSON_ROOT, category);

		if (list == JSON_NONE)
			continue;
		if (json_type(doc, list) == JSON_ARRAY)
			check_conflicts(checkup, (enum category)c, doc, list);
		if (json_type(doc, list) == JSON_ARRAY)
			count += check_count_records(checkup, (enum category)c, doc, list, &bad);
		else
			bad++;
	}
	str_printf(summary, ", %zu %s", count, count == 1 ? "record" : "records");
	if (bad > 0)
		findings_add(checkup->found, FINDING_BAD_RECORDS, NULL,
			     "%s has %zu %s that cannot be read as a record",
			     store_file_name(STORE_FILE_ARCHIVE), bad,
			     bad == 1 ? "member" : "members");
}

/* What the cold archive holds. */
struct tally {
	struct checkup *checkup;
	size_t records;
	size_t months;
	int64_t last_ms; /* of the record before */
};

/* A line that is a record has its category and its key as texts. */
static void check_line(struct checkup *checkup, const struct json *doc)
{
	STR_AUTO category = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	uint32_t key = json_member(doc, JSON_ROOT, "key");

	/* What is kept to undo a change is called by its own name. */
	for (size_t i = 0; i < 2 && key == JSON_NONE; i++)
		key = json_member(doc, JSON_ROOT, i ? "link" : "record");
	if (key == JSON_NONE)
		return;
	str_add(&category, json_string(doc, json_member(doc, JSON_ROOT, "category"), &scratch));
	checkup_secrets(checkup, COLD_FOLDER, category.ptr, json_string(doc, key, &scratch), doc,
			JSON_ROOT);
}

/* The months come one after the other. */
static int entries_take_line(void *context, const struct json *doc)
{
	struct tally *tally = context;
	int64_t ms = entry_time(doc, json_member(doc, JSON_ROOT, "archivedAt"));

	check_line(tally->checkup, doc);
	tally->records++;
	if (ms == TIME_NONE)
		return 0;
	if (tally->last_ms == TIME_NONE || !cold_same_month(tally->last_ms, ms))
		tally->months++;
	tally->last_ms = ms;
	check_take_time(tally->checkup, ms);
	return 0;
}

/* The cold archive. */
static void entries_check_cold(struct checkup *checkup)
{
	struct tally tally = {.checkup = checkup, .last_ms = TIME_NONE};
	STR_AUTO first_bad = STR_INIT;
	struct err err;
	size_t bad = 0;

	if (cold_walk(&checkup->disk, entries_take_line, &tally, &bad, &first_bad, &err) != 0 ||
	    cold_check(&checkup->disk, checkup->now_ms, &err) != 0) {
		findings_fact(checkup->found, GROUP_FILES, COLD_FOLDER, "broken");
		findings_add(checkup->found, FINDING_COLD_BROKEN, NULL, "%s", err.text);
		return;
	}
	findings_detail(checkup->found, GROUP_FILES, COLD_FOLDER, "%zu %s of %zu %s", tally.records,
			tally.records == 1 ? "record" : "records", tally.months,
			tally.months == 1 ? "month" : "months");
	if (bad > 0)
		findings_add(checkup->found, FINDING_COLD_LINES, NULL, "%s: %zu %s cannot be read",
			     first_bad.ptr, bad, bad == 1 ? "line" : "lines");
}

void checkup_add_key(struct str *out, struct slice key)
{
	struct secret secret;

	if (key.ptr && secrets_find(key, &secret) && secret.refuses)
		str_adds(out, "(a key that is a secret)");
	else
		str_add(out, key);
}

void checkup_add_ref(struct str *out, const char *category, struct slice key)
{
	str_printf(out, "%s:", category);
	checkup_add_key(out, key);
}

/* In the value or in the key: a secret that is refused before one that is only warned of. */
static bool entries_find(const struct json *doc, uint32_t node, struct slice key,
			 struct secret *out)
{
	struct secret of_key;
	bool in_value = secrets_find_json(doc, node, key, out);

	if ((in_value && out->refuses) || !key.ptr || !secrets_find(key, &of_key))
		return in_value;
	if (!in_value || of_key.refuses)
		*out = of_key;
	return true;
}

static void entries_look(struct checkup *checkup, const char *file, struct slice name,
			 struct slice key, const struct json *doc, uint32_t node)
{
	struct secret secret;

	if (checkup->settings.secrets == SECRETS_OFF || !entries_find(doc, node, key, &secret))
		return;
	findings_add(checkup->found, secret.refuses ? FINDING_SECRET : FINDING_PASSWORD, NULL,
		     "%s: %s holds a secret (%s)", file, name.ptr, secret.rule);
}

void checkup_secrets(struct checkup *checkup, const char *file, const char *category,
		     struct slice key, const struct json *doc, uint32_t node)
{
	STR_AUTO ref = STR_INIT;

	checkup_add_ref(&ref, category, key);
	entries_look(checkup, file, str_slice(&ref), key, doc, node);
}

void checkup_link_secrets(struct checkup *checkup, struct slice id, const struct json *doc,
			  uint32_t node)
{
	STR_AUTO name = STR_INIT;

	str_adds(&name, "the link ");
	checkup_add_key(&name, id);
	entries_look(checkup, store_file_name(STORE_FILE_RELATIONS), str_slice(&name), id, doc,
		     node);
}

/* What doctor says of notes: those that entries were promoted to, and their folder. */

#define ENDING ".md"

/* In the store, or in the folder that the person chose; others may have named any place. */
static bool check_is_place_of_ours(const struct checkup *checkup, const char *path)
{
	size_t len = strlen(checkup->settings.notes_dir);

	return strncmp(path, checkup->settings.notes_dir, len) == 0 && path[len] == '/' &&
	       !strstr(path, "..");
}

void checkup_promoted(struct checkup *checkup, const struct json *doc, uint32_t node,
		      const struct entry *entry)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO path = STR_INIT;
	STR_AUTO ref = STR_INIT;
	uint32_t member = entry->bare ? JSON_NONE : json_member(doc, node, "promoted_to");
	struct stat st;

	/* A link may lead anywhere; in such a store do not even stat it. */
	if (checkup->disk.origin.kind == ORIGIN_FOREIGN)
		return;
	if (member == JSON_NONE || json_type(doc, member) != JSON_STRING)
		return;
	str_add(&path, json_string(doc, member, &scratch));
	if (path.len == 0 || strlen(path.ptr) != path.len ||
	    !check_is_place_of_ours(checkup, path.ptr))
		return;
	if (checkup->disk.sys->fstatat(checkup->disk.dirfd, path.ptr, &st, 0) == 0 ||
	    errno != ENOENT)
		return;
	checkup_add_ref(&ref, category_name(entry->category), entry->key);
	findings_add(checkup->found, FINDING_NOTE_MISSING, NULL,
		     "%s was promoted to %s, which is not there", ref.ptr, path.ptr);
}

static bool check_is_note(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > strlen(ENDING) &&
	       strcmp(name + len - strlen(ENDING), ENDING) == 0;
}

/* A search passes it over. */
static bool check_is_passed_over(const struct disk *disk, int folder, const char *name)
{
	struct stat st;

	return disk->sys->fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (!S_ISREG(st.st_mode) || (size_t)st.st_size > NOTES_BYTES_MAX);
}

static void check_names(struct checkup *checkup, int folder)
{
	const char *dir = checkup->settings.notes_dir;
	NAMES_AUTO names = {0};
	size_t over = 0;
	int number = names_read(checkup->disk.sys, folder, check_is_note, &names);

	for (size_t i = 0; i < names.count; i++)
		over += check_is_passed_over(&checkup->disk, folder, names.list[i]);
	findings_detail(checkup->found, GROUP_FILES, "notes", "%zu in %s", names.count, dir);
	if (number != 0)
		findings_add(checkup->found, FINDING_NOTES_CLOSED, NULL, "%s cannot be read: %s",
			     dir, strerror(number));
	if (over > 0)
		findings_add(checkup->found, FINDING_NOTES_CLOSED, NULL, "%s: %zu %s passed over",
			     dir, over, over == 1 ? "note is" : "notes are");
}

/* The folder of notes. */
static void entries_check_notes(struct checkup *checkup)
{
	const char *dir = checkup->settings.notes_dir;
	int folder = note_folder_open(&checkup->disk, dir, checkup->settings.notes_dir_free, false);

	if (folder < 0 && errno == ENOENT)
		findings_detail(checkup->found, GROUP_FILES, "notes", "none");
	else if (folder < 0)
		findings_add(checkup->found, FINDING_NOTES_CLOSED, NULL, "%s cannot be opened: %s",
			     dir, strerror(errno));
	else
		check_names(checkup, folder);
	file_close(checkup->disk.sys, &folder);
}

const struct check check_cold = {entries_check_cold, true};
const struct check check_notes = {entries_check_notes, false};
