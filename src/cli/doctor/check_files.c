#include "cli/doctor/check.h"

#include "policy/retention.h"

#include <fcntl.h>
#include <inttypes.h>

/* ", a link to TARGET" where the name is a symbolic link. */
static void describe_link(const struct disk *disk, const char *name, struct str *out)
{
	char target[256];
	struct stat st;
	ssize_t len;

	if (disk->sys->fstatat(disk->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISLNK(st.st_mode))
		return;
	len = disk->sys->readlinkat(disk->dirfd, name, target, sizeof target);
	str_adds(out, ", a link to ");
	str_add(out, slice_make(target, len > 0 ? (size_t)len : 0));
}

/* What makes the file special: a link, or more than one name. */
static void describe_kind(struct checkup *checkup, const char *name, const struct file_id *id,
			  struct str *out)
{
	describe_link(&checkup->disk, name, out);
	if (id->nlink <= 1)
		return;
	str_adds(out, ", a hard link");
	findings_add(checkup->found, FINDING_HARD_LINK, NULL,
		     "%s is a hard link: the file has %ju names", name, (uintmax_t)id->nlink);
}

static void take_file(struct checkup *checkup, enum store_file file, const struct json *doc,
		      const struct file_id *id)
{
	STR_AUTO summary = STR_INIT;
	const char *name = store_file_name(file);

	str_printf(&summary, "ok, %jd bytes", (intmax_t)id->size);
	if (file <= STORE_FILE_ARCHIVE)
		checkup->total_bytes += id->size;
	if (file < STORE_FILE_ARCHIVE)
		checkup->sums.bytes[file] = id->size;
	if (file < STORE_FILE_ARCHIVE)
		checkup_entries(checkup, (enum category)file, doc, &summary);
	else if (file == STORE_FILE_ARCHIVE)
		checkup_records(checkup, doc, &summary);
	else
		checkup_relations(checkup, doc, &summary);
	describe_kind(checkup, name, id, &summary);
	findings_fact(checkup->found, GROUP_FILES, name, "%s", summary.ptr);
}

static void check_file(struct checkup *checkup, enum store_file file)
{
	const char *name = store_file_name(file);
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct json doc;
	struct err err;

	if (disk_read_json(&checkup->disk, name, &text, &doc, &id, &err) != 0) {
		checkup->broken++;
		if (checkup_refused_link(checkup, name)) {
			findings_fact(checkup->found, GROUP_FILES, name, "a link, not followed");
			return;
		}
		findings_fact(checkup->found, GROUP_FILES, name, "broken");
		findings_add(checkup->found, FINDING_FILE_BROKEN, NULL, "%s", err.text);
		return;
	}
	if (id.present)
		take_file(checkup, file, &doc, &id);
	else
		findings_detail(checkup->found, GROUP_FILES, name, "absent");
	json_release(&doc);
}

/* Optional and written by hand; the store goes on without one that is broken. */
static void check_synonyms(struct checkup *checkup)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct json doc;
	struct err err;

	if (disk_read_json(&checkup->disk, "synonyms.json", &text, &doc, &id, &err) != 0) {
		findings_add(checkup->found, FINDING_SYNONYMS_BROKEN, NULL, "%s", err.text);
		return;
	}
	findings_detail(checkup->found, GROUP_FILES, "synonyms.json", "%s",
			id.present ? "ok" : "absent");
	json_release(&doc);
}

void checkup_files(struct checkup *checkup)
{
	int64_t limit = checkup->settings.total_bytes;

	for (int f = 0; f < STORE_FILE_COUNT; f++)
		check_file(checkup, (enum store_file)f);
	checkup_tell_others(checkup);
	findings_fact(checkup->found, GROUP_FILES, "size", "%" PRId64 " of %" PRId64 " bytes",
		      checkup->total_bytes, limit);
	if (checkup->total_bytes > limit)
		findings_add(checkup->found, FINDING_OVER_TOTAL, NULL,
			     "the files have %" PRId64 " bytes, the limit is %" PRId64,
			     checkup->total_bytes, limit);
	if (checkup->pinned_bytes > hygiene_pin_limit(limit))
		findings_add(checkup->found, FINDING_OVER_PINNED, NULL,
			     "%" PRId64 " bytes are pinned, more than half of the limit of "
			     "%" PRId64,
			     checkup->pinned_bytes, limit);
	check_synonyms(checkup);
}

void checkup_metadata(struct checkup *checkup)
{
	static const char *const words[] = {
		[METADATA_ABSENT] = "absent",
		[METADATA_FINE] = "ok",
		[METADATA_STALE] = "does not agree",
		[METADATA_BLOCKED] = "not a file",
	};
	enum metadata_state state = metadata_compare(&checkup->disk, &checkup->sums);

	findings_detail(checkup->found, GROUP_FILES, "metadata.json", "%s",
			checkup->broken && state == METADATA_STALE ? "not compared" : words[state]);
	if (state == METADATA_BLOCKED)
		findings_add(checkup->found, FINDING_METADATA_BLOCKED, NULL,
			     "metadata.json is a directory");
	else if (state == METADATA_STALE && !checkup->broken)
		findings_add(checkup->found, FINDING_METADATA_STALE, NULL,
			     "metadata.json does not say what is in the files");
}
