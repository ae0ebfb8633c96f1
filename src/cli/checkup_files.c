#include "cli/checkup.h"

#include <fcntl.h>
#include <inttypes.h>

static const char remedy_broken[] =
	"Mend it in an editor; until then its entries are left out and it is not written to.";

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
	findings_add(
		checkup->found, SEVERITY_TODO,
		"The next change gives this name a file of its own, and the others keep the old "
		"text: replace the hard link by a symbolic link if they are to follow.",
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
		checkup_entries(checkup, (enum category)file, doc, &summary);
	else if (file == STORE_FILE_ARCHIVE)
		checkup_records(checkup, doc, &summary);
	else
		checkup_relations(checkup, doc, &summary);
	describe_kind(checkup, name, id, &summary);
	findings_fact(checkup->found, name, "%s", summary.ptr);
}

static void check_file(struct checkup *checkup, enum store_file file)
{
	const char *name = store_file_name(file);
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct json doc;
	struct err err;

	if (disk_read_json(&checkup->disk, name, &text, &doc, &id, &err) != 0) {
		findings_fact(checkup->found, name, "broken");
		findings_add(checkup->found, SEVERITY_BROKEN, remedy_broken, "%s", err.text);
		return;
	}
	if (id.present)
		take_file(checkup, file, &doc, &id);
	else
		findings_fact(checkup->found, name, "absent");
	json_release(&doc);
}

void checkup_files(struct checkup *checkup)
{
	int64_t limit = checkup->settings.total_bytes;

	for (int f = 0; f < STORE_FILE_COUNT; f++)
		check_file(checkup, (enum store_file)f);
	findings_fact(checkup->found, "size", "%" PRId64 " of %" PRId64 " bytes",
		      checkup->total_bytes, limit);
	if (checkup->total_bytes > limit)
		findings_add(
			checkup->found, SEVERITY_TODO,
			"The next change moves old archive records to the cold archive; delete "
			"what is not needed, or raise limits.total_bytes in config.json.",
			"the files have %" PRId64 " bytes, the limit is %" PRId64,
			checkup->total_bytes, limit);
}
