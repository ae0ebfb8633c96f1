#include "store/files/reviewed.h"

#include "base/hmac.h"
#include "json/doc.h"
#include "json/write.h"
#include "model/operation.h"
#include "store/files/dir.h"
#include "store/trust/state_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define SUFFIX ".reviewed"

/* Half of an HMAC-SHA-256 is enough to tell entries apart. */
#define TAG_DIGITS 32
#define LINE_BYTES (TAG_DIGITS + 1)

/* A quarter of a million changes; trusting the store again begins the file anew. */
#define BYTES_MAX ((size_t)8 << 20)

/* How often the file may be replaced under a line that is being added. */
#define TRIES 5

/* ---- tags */

/*
 * Appends the entry in one layout, so that the tag says what the entry says and not how it is laid
 * out. A bare value is the entry that has it: archiving writes it so.
 */
static void reviewed_add_plain(struct str *out, struct slice text)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0) {
		str_add(out, text);
		return;
	}
	bool bare = json_type(&doc, JSON_ROOT) != JSON_OBJECT ||
		    json_member(&doc, JSON_ROOT, "value") == JSON_NONE;
	struct json_writer w = json_writer_to(out, &json_compact);
	if (bare) {
		json_write_object(&w);
		json_write_name(&w, slice_of("value"));
	}
	json_write_value(&w, &doc, JSON_ROOT);
	if (bare)
		json_write_end(&w);
}

static void reviewed_add_tag(struct str *out, struct slice name, const struct reviewed_entry *entry)
{
	unsigned char tag[HMAC_BYTES];
	STR_AUTO signed_text = STR_INIT;
	size_t before = out->len;

	str_printf(&signed_text, "%s:", category_name(entry->category));
	str_add(&signed_text, entry->key);
	str_addc(&signed_text, '\0');
	reviewed_add_plain(&signed_text, entry->text);
	hmac_sha256(name, str_slice(&signed_text), tag);
	hmac_print(out, tag);
	str_truncate(out, before + TAG_DIGITS);
}

/* ---- the set of them */

static bool reviewed_is_kept(const struct origin *origin)
{
	return origin->kind == ORIGIN_OWN && !origin->personal && origin->surrounded &&
	       origin->name.len > 0;
}

static void reviewed_file_name(struct str *out, struct slice name)
{
	str_clear(out);
	str_add(out, name);
	str_adds(out, SUFFIX);
}

static void reviewed_forget_tags(struct reviewed *reviewed)
{
	map_release(&reviewed->tags);
	str_release(&reviewed->text);
	reviewed->id = (struct file_id){.present = false};
	reviewed->known = false;
}

void reviewed_release(struct reviewed *reviewed)
{
	reviewed_forget_tags(reviewed);
	str_release(&reviewed->name);
	*reviewed = (struct reviewed){0};
}

/* Reads the file unless it is as it was. One that cannot be read knows no entry. */
static void reviewed_read_tags(struct reviewed *reviewed, const struct sys *sys, int folder)
{
	STR_AUTO name = STR_INIT;
	struct slice line;
	struct err ignored;
	struct file_id id;
	bool found;

	reviewed_file_name(&name, str_slice(&reviewed->name));
	if (reviewed->known && file_identify(sys, folder, name.ptr, &id, &ignored) == 0 &&
	    file_id_equal(&id, &reviewed->id))
		return;
	reviewed_forget_tags(reviewed);
	if (file_identify(sys, folder, name.ptr, &reviewed->id, &ignored) == 0 &&
	    !reviewed->id.present)
		return;
	reviewed->known = true;
	if (state_file_read(sys, folder, name.ptr, BYTES_MAX, &reviewed->text, &found, &ignored) !=
	    0)
		return;
	struct slice rest = str_slice(&reviewed->text);
	while (slice_line(&rest, &line)) {
		/* The rest of a line that was cut short is no tag. */
		if (line.len == TAG_DIGITS)
			map_put(&reviewed->tags, line, 0);
	}
}

void reviewed_refresh(struct reviewed *reviewed, const struct disk *disk)
{
	const struct origin *origin = &disk->origin;
	struct err ignored;
	int folder = -1;

	reviewed->applies = reviewed_is_kept(origin) && origin->tracked;
	if (!reviewed->applies)
		return;
	if (!slice_equal(str_slice(&reviewed->name), origin->name)) {
		reviewed_forget_tags(reviewed);
		str_clear(&reviewed->name);
		str_add(&reviewed->name, origin->name);
	}
	if (state_folder_open(disk->sys, disk->env, origin->root, false, &folder, &ignored) != 0 ||
	    folder < 0)
		return;
	reviewed_read_tags(reviewed, disk->sys, folder);
	file_close(disk->sys, &folder);
}

bool reviewed_is_others(const struct reviewed *reviewed, const struct reviewed_entry *entry)
{
	STR_AUTO tag = STR_INIT;

	if (!reviewed->applies || !reviewed->known)
		return false;
	reviewed_add_tag(&tag, str_slice(&reviewed->name), entry);
	return !map_get(&reviewed->tags, str_slice(&tag), NULL);
}

/* ---- writing */

/* All lines for the new file. */
static void reviewed_compose(struct str *out, const struct reviewed *before, struct slice name,
			     const struct reviewed_entry *shown, size_t shown_count,
			     const struct reviewed_entry *now, size_t now_count)
{
	for (size_t i = 0; i < shown_count; i++) {
		reviewed_add_tag(out, name, &shown[i]);
		str_addc(out, '\n');
	}
	for (size_t i = 0; before->known && i < now_count; i++) {
		if (!reviewed_is_others(before, &now[i])) {
			reviewed_add_tag(out, name, &now[i]);
			str_addc(out, '\n');
		}
	}
}

int reviewed_begin(const struct disk *disk, const struct reviewed_entry *shown, size_t shown_count,
		   const struct reviewed_entry *now, size_t now_count, struct err *err)
{
	struct reviewed before = {0};
	STR_AUTO lines = STR_INIT;
	STR_AUTO name = STR_INIT;
	int folder = -1;
	int lock = -1;

	if (!reviewed_is_kept(&disk->origin))
		return 0;
	str_adds(&lines, "");
	reviewed_refresh(&before, disk);
	reviewed_compose(&lines, &before, disk->origin.name, shown, shown_count, now, now_count);
	reviewed_release(&before);
	if (state_folder_open(disk->sys, disk->env, disk->origin.root, true, &folder, err) != 0)
		return -1;
	reviewed_file_name(&name, disk->origin.name);
	int result = state_folder_lock(disk->sys, folder, &lock, err);
	if (result == 0)
		result = file_replace(disk->sys, folder, name.ptr, str_slice(&lines), 0600,
				      FILE_DURABLE, NULL, err);
	state_folder_unlock(disk->sys, &lock);
	file_close(disk->sys, &folder);
	return result;
}

/* Adds the lines to the file that has the name now; false when it was replaced meanwhile. */
static bool reviewed_append(const struct sys *sys, int folder, const char *name, struct slice lines)
{
	int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = file_open(sys, folder, name, flags, 0);
	struct stat st;
	struct stat now;
	struct err ignored;
	bool current = true;

	if (fd >= 0 && sys->fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (size_t)st.st_size + lines.len <= BYTES_MAX) {
		(void)!file_write_all(sys, fd, lines, &ignored);
		current = sys->fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) != 0 ||
			  now.st_ino == st.st_ino;
	}
	file_close(sys, &fd);
	return current;
}

/* Upkeep that leaves the value as it is does not make it the person's. */
static bool reviewed_stays_of_others(const struct disk *disk, const struct reviewed_entry *entry)
{
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, entry->category, entry->key);
	return disk->others && map_get(disk->others, str_slice(&ref), NULL);
}

void reviewed_note(const struct disk *disk, const struct op *ops, size_t count)
{
	STR_AUTO lines = STR_INIT;
	STR_AUTO name = STR_INIT;
	struct err ignored;
	int folder = -1;

	if (!reviewed_is_kept(&disk->origin))
		return;
	/* Half a line may be there, of a write that met a full disk. */
	str_addc(&lines, '\n');
	for (size_t i = 0; i < count; i++) {
		const struct reviewed_entry entry = {ops[i].category, ops[i].key, ops[i].text};

		if (ops[i].kind != OP_PUT || reviewed_stays_of_others(disk, &entry))
			continue;
		reviewed_add_tag(&lines, disk->origin.name, &entry);
		str_addc(&lines, '\n');
	}
	if (lines.len <= 1 ||
	    state_folder_open(disk->sys, disk->env, disk->origin.root, false, &folder, &ignored) !=
		    0 ||
	    folder < 0)
		return;
	reviewed_file_name(&name, disk->origin.name);
	for (int tries = 0; tries < TRIES; tries++) {
		if (reviewed_append(disk->sys, folder, name.ptr, str_slice(&lines)))
			break;
	}
	file_close(disk->sys, &folder);
}

void reviewed_forget(const struct disk *disk, struct slice name)
{
	STR_AUTO file = STR_INIT;
	struct err ignored;
	int folder = -1;

	if (name.len == 0 ||
	    state_folder_open(disk->sys, disk->env, disk->origin.root, false, &folder, &ignored) !=
		    0 ||
	    folder < 0)
		return;
	reviewed_file_name(&file, name);
	disk->sys->unlinkat(folder, file.ptr, 0);
	file_close(disk->sys, &folder);
}
