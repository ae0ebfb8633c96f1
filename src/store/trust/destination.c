#include "store/trust/destination.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "json/doc.h"
#include "json/write.h"
#include "store/trust/state_folder.h"

#include <stdlib.h>

#define FILE_NAME "projects.json"
#define FILE_BYTES_MAX ((size_t)1 << 18)

/* The projects that are kept; then the one that was entered first is dropped. */
#define PROJECTS_MAX 200

/* Two paths of any length that a kernel takes, escaped, fit many times over. */
#define TEXT_BYTES_MAX (FILE_BYTES_MAX / 2)

/* The file as it was read; what is no object counts as empty. */
struct known {
	struct str text;
	struct json doc;
	bool parsed;
};

static int destination_read_known(struct known *known, const struct sys *sys, int dirfd,
				  struct err *err)
{
	struct json_fault fault;
	bool found;

	*known = (struct known){.text = STR_INIT};
	if (state_file_read(sys, dirfd, FILE_NAME, FILE_BYTES_MAX, &known->text, &found, err) != 0)
		return -1;
	known->parsed = found && json_parse(&known->doc, str_slice(&known->text), &json_file_bounds,
					    &fault) == 0;
	return 0;
}

static void destination_release_known(struct known *known)
{
	if (known->parsed)
		json_release(&known->doc);
	str_release(&known->text);
	known->parsed = false;
}

/* The first member, or JSON_NONE. */
static uint32_t destination_first_known(const struct known *known)
{
	return known->parsed && json_type(&known->doc, JSON_ROOT) == JSON_OBJECT
		       ? json_first(&known->doc, JSON_ROOT)
		       : JSON_NONE;
}

/* Where the project's last memory went; emptied where that is not known. */
static void destination_look_up(const struct known *known, const char *project, struct str *out)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t node = destination_first_known(known) == JSON_NONE
				? JSON_NONE
				: json_member(&known->doc, JSON_ROOT, project);

	str_clear(out);
	if (node != JSON_NONE && json_type(&known->doc, node) == JSON_STRING)
		str_add(out, json_string(&known->doc, node, &scratch));
}

/* True if the member at node belongs to another project. */
static bool destination_is_other(const struct known *known, uint32_t node, const char *project)
{
	STR_AUTO name = STR_INIT;

	return !slice_is(json_name(&known->doc, node, &name), project);
}

/* How many of the other projects, the oldest, have to go, so that this one fits. */
static size_t destination_count_surplus(const struct known *known, const char *project)
{
	size_t count = 1;

	for (uint32_t n = destination_first_known(known); n != JSON_NONE;
	     n = json_next(&known->doc, n))
		count += destination_is_other(known, n, project);
	if (known->text.len > TEXT_BYTES_MAX)
		return count / 2;
	return count > PROJECTS_MAX ? count - PROJECTS_MAX : 0;
}

/* The file with the project at its end. */
static void destination_write_known(const struct known *known, const char *project,
				    const char *store, struct str *out)
{
	size_t surplus = destination_count_surplus(known, project);
	struct json_writer w = json_writer_to(out, &json_pretty);

	json_write_object(&w);
	for (uint32_t n = destination_first_known(known); n != JSON_NONE;
	     n = json_next(&known->doc, n)) {
		STR_AUTO name = STR_INIT;

		if (!destination_is_other(known, n, project))
			continue;
		if (surplus > 0) {
			surplus--;
			continue;
		}
		json_write_name(&w, json_name(&known->doc, n, &name));
		json_write_raw(&w, json_text(&known->doc, n));
	}
	json_write_member_string(&w, project, slice_of(store));
	json_write_end(&w);
	str_addc(out, '\n');
}

/* Nearly always nothing has changed, and no lock is needed to see that. */
static int destination_note_in(const struct sys *sys, int dirfd, const char *project,
			       const char *store, struct str *before, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct known known;
	int result = destination_read_known(&known, sys, dirfd, err);
	int lock;

	destination_look_up(&known, project, before);
	destination_release_known(&known);
	if (result != 0 || slice_is(str_slice(before), store))
		return result;
	if (state_folder_lock(sys, dirfd, &lock, err) != 0)
		return -1;
	/* What is read under the lock is what is written on. */
	result = destination_read_known(&known, sys, dirfd, err);
	if (result == 0) {
		destination_look_up(&known, project, before);
		destination_write_known(&known, project, store, &text);
		result = file_replace(sys, dirfd, FILE_NAME, str_slice(&text), 0600, FILE_DURABLE,
				      NULL, err);
	}
	destination_release_known(&known);
	state_folder_unlock(sys, &lock);
	return result;
}

static bool destination_is_text(const char *path)
{
	return utf8_valid_prefix(slice_of(path)) == strlen(path);
}

void destination_release(struct destination *last, const struct sys *sys)
{
	file_close(sys, &last->dirfd);
	free(last->store);
	*last = (struct destination){.dirfd = -1};
}

static bool destination_is_noted(const struct destination *last, const struct sys *sys,
				 const char *store)
{
	struct file_id id;
	struct err ignored;

	return last->dirfd >= 0 && strcmp(last->store, store) == 0 &&
	       file_identify(sys, last->dirfd, FILE_NAME, &id, &ignored) == 0 && id.present &&
	       file_id_equal(&id, &last->id);
}

void destination_note(struct destination *last, const struct sys *sys, environment env,
		      const char *project, const char *store, struct str *before)
{
	struct file_id id;
	struct err ignored;
	int dirfd = -1;

	str_clear(before);
	if (destination_is_noted(last, sys, store))
		return;
	destination_release(last, sys);
	/* Other paths cannot be written as JSON without loss. */
	if (!destination_is_text(project) || !destination_is_text(store))
		return;
	if (state_folder_open(sys, env, project, true, &dirfd, &ignored) != 0)
		return;
	/* Before reading, so that a write in between is noticed the next time. */
	if (file_identify(sys, dirfd, FILE_NAME, &id, &ignored) != 0)
		id = (struct file_id){.present = false};
	/* If it could not be saved, the same would be reported every time. */
	if (destination_note_in(sys, dirfd, project, store, before, &ignored) != 0) {
		str_clear(before);
	} else if (slice_is(str_slice(before), store)) {
		str_clear(before);
		*last = (struct destination){dirfd, id, mem_strdup(store)};
		dirfd = -1;
	}
	file_close(sys, &dirfd);
}
