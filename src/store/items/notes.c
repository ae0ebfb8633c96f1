#include "store/items/notes.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "model/note.h"
#include "store/files/confine.h"
#include "store/files/dir_lock.h"
#include "store/files/file_names.h"
#include "store/files/note_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SUFFIX ".md"

/* What a note is called in refs, wherever its folder is. */
#define REF_PREFIX "notes/"

static bool notes_is_name(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > strlen(SUFFIX) &&
	       strcmp(name + len - strlen(SUFFIX), SUFFIX) == 0;
}

/* ---- a note */

/* The next line of a text without its end; false when there is none. */
static bool notes_next_line(struct slice *rest, struct slice *line)
{
	if (!slice_line(rest, line))
		return false;
	if (line->len && line->ptr[line->len - 1] == '\r')
		line->len--;
	return true;
}

static struct slice notes_without(struct slice text, size_t start)
{
	return blank_trim(slice_make(text.ptr + start, text.len - start));
}

static struct slice notes_unquoted(struct slice text)
{
	if (text.len >= 2 && (text.ptr[0] == '"' || text.ptr[0] == '\'') &&
	    text.ptr[text.len - 1] == text.ptr[0])
		return slice_make(text.ptr + 1, text.len - 2);
	return text;
}

static void notes_add_tag(struct str *tags, struct slice tag)
{
	tag = notes_unquoted(blank_trim(tag));
	if (tag.len && tag.ptr[0] == '#')
		tag = notes_without(tag, 1);
	if (!tag.len)
		return;
	str_add(tags, tag);
	str_addc(tags, '\n');
}

/* "[a, b]" or "a, b" */
static void notes_add_tags(struct str *tags, struct slice list)
{
	if (list.len >= 2 && list.ptr[0] == '[' && list.ptr[list.len - 1] == ']')
		list = slice_make(list.ptr + 1, list.len - 2);
	while (list.len) {
		const char *comma = memchr(list.ptr, ',', list.len);
		size_t len = comma ? (size_t)(comma - list.ptr) : list.len;

		notes_add_tag(tags, slice_make(list.ptr, len));
		list = slice_make(list.ptr + len + (comma != NULL),
				  list.len - len - (comma != NULL));
	}
}

/* Reads what YAML front matter says of title and tags; returns the text behind it. */
static struct slice notes_read_front(struct notes *notes, struct note *note, struct slice text)
{
	STR_AUTO tags = STR_INIT;
	struct slice rest = text;
	struct slice line;
	bool in_tags = false;

	if (!notes_next_line(&rest, &line) || !slice_is(line, "---"))
		return text;
	while (notes_next_line(&rest, &line)) {
		if (slice_is(line, "---") || slice_is(line, "...")) {
			note->tags = arena_copy(&notes->arena, str_slice(&tags));
			return rest;
		}
		if (slice_starts(line, "title:"))
			note->title = notes_unquoted(notes_without(line, strlen("title:")));
		else if (slice_starts(line, "tags:"))
			notes_add_tags(&tags, notes_without(line, strlen("tags:")));
		else if (in_tags && slice_starts(blank_trim(line), "- "))
			notes_add_tag(&tags, notes_without(blank_trim(line), 2));
		in_tags = slice_starts(line, "tags:") ||
			  (in_tags && slice_starts(blank_trim(line), "- "));
	}
	note->title = slice_of(NULL);
	return text;
}

static void notes_read_note(struct notes *notes, const char *name, struct slice raw,
			    struct note *note)
{
	STR_AUTO ref = STR_INIT;
	struct slice text = arena_copy(&notes->arena, raw);
	struct slice line;

	str_printf(&ref, REF_PREFIX "%s", name);
	note->ref = arena_copy(&notes->arena, str_slice(&ref));
	if (note_ref(text, &ref))
		note->of = arena_copy(&notes->arena, str_slice(&ref));
	note->text = blank_trim(notes_read_front(notes, note, text));
	struct slice rest = note->text;
	while (!note->title.len && notes_next_line(&rest, &line)) {
		if (slice_starts(line, "# "))
			note->title = notes_without(line, 2);
	}
	if (!note->title.len)
		note->title = slice_make(note->ref.ptr + strlen(REF_PREFIX),
					 note->ref.len - strlen(REF_PREFIX SUFFIX));
}

static bool notes_is_utf8(struct slice text)
{
	return utf8_valid_prefix(text) == text.len;
}

static void notes_add_text(struct notes *notes, const char *name, struct slice text,
			   const struct file_id *id, bool settled)
{
	struct note note = {.id = *id, .settled = settled};

	notes_read_note(notes, name, text, &note);
	*MEM_ADD(notes->list, notes->count, notes->cap) = note;
}

/* True if the file of this text is about to be removed. */
static bool notes_is_leaving(const struct notes_source *source, const char *name, struct slice text)
{
	for (size_t i = 0; i < source->op_count; i++) {
		const struct op *op = &source->ops[i];

		if (op->kind == OP_NOTE_REMOVE && slice_is(op->key, name) &&
		    slice_equal(op->text, text))
			return true;
	}
	return false;
}

static void notes_add_file(struct notes *notes, struct disk *disk, int folder, const char *name,
			   const struct notes_source *source)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	if (notes->count == NOTES_MAX || !notes_is_utf8(slice_of(name)) ||
	    file_read_own(disk->sys, folder, name, NOTES_BYTES_MAX, &text, &id, &ignored) != 0 ||
	    !id.present || !notes_is_utf8(str_slice(&text)))
		notes->left_out++;
	else if (!notes_is_leaving(source, name, str_slice(&text)))
		notes_add_text(notes, name, str_slice(&text), &id, disk_is_settled(disk, &id));
}

/* Adds those that are about to be made; a file that is there by that name stays. */
static void notes_add_coming(struct notes *notes, const struct names *names,
			     const struct notes_source *source)
{
	const struct file_id none = {.present = false};

	for (size_t i = 0; i < source->op_count; i++) {
		const struct op *op = &source->ops[i];
		STR_AUTO name = STR_INIT;
		bool there = false;

		str_add(&name, op->key);
		for (size_t n = 0; n < names->count; n++)
			there = there || strcmp(names->list[n], name.ptr) == 0;
		if (op->kind == OP_NOTE_ADD && !there && notes->count < NOTES_MAX)
			notes_add_text(notes, name.ptr, op->text, &none, false);
	}
}

/* ---- all of them */

static bool notes_is_same_note(const struct note *note, struct disk *disk, int folder,
			       const char *name)
{
	struct file_id id = {0};
	struct err ignored;

	return note->settled &&
	       slice_is(slice_make(note->ref.ptr + strlen(REF_PREFIX),
				   note->ref.len - strlen(REF_PREFIX)),
			name) &&
	       file_identify(disk->sys, folder, name, &id, &ignored) == 0 &&
	       file_id_equal(&id, &note->id);
}

/* True if these are the files that were read, unchanged. */
static bool notes_are_same(const struct notes *notes, struct disk *disk, int folder,
			   const struct names *names)
{
	if (notes->left_out || notes->count != names->count)
		return false;
	for (size_t i = 0; i < names->count; i++) {
		if (!notes_is_same_note(&notes->list[i], disk, folder, names->list[i]))
			return false;
	}
	return true;
}

static void notes_forget(struct notes *notes)
{
	arena_release(&notes->arena);
	notes->count = 0;
	notes->left_out = 0;
	notes->through = false;
}

static bool notes_are_about_to_change(const struct notes_source *source)
{
	for (size_t i = 0; i < source->op_count; i++) {
		if (source->ops[i].kind == OP_NOTE_ADD || source->ops[i].kind == OP_NOTE_REMOVE)
			return true;
	}
	return false;
}

/* folder is -1 where there is none. */
static int notes_read_folder(struct notes *notes, struct disk *disk, int folder,
			     const struct notes_source *source, bool same_dir, bool *changed)
{
	NAMES_AUTO names = {0};
	bool through = notes_are_about_to_change(source);
	int number = folder < 0 ? 0 : names_read(disk->sys, folder, notes_is_name, &names);

	if (number == 0 && (through || notes->through ||
			    !(same_dir && notes_are_same(notes, disk, folder, &names)))) {
		*changed = through || notes->count > 0 || names.count > 0;
		notes_forget(notes);
		for (size_t i = 0; i < names.count; i++)
			notes_add_file(notes, disk, folder, names.list[i], source);
		notes_add_coming(notes, &names, source);
		notes->through = through;
	}
	return number;
}

int notes_refresh(struct notes *notes, struct disk *disk, const struct notes_source *source,
		  bool *changed, struct err *err)
{
	const char *dir = source->dir;
	bool same_dir = notes->dir && strcmp(notes->dir, dir) == 0;
	/* Most stores have no notes: one look says so, where opening takes several. */
	bool missing = disk->dirfd < 0 || (!strchr(dir, '/') && disk_lacks(disk, dir));
	int folder = missing ? -1 : note_folder_open(disk, dir, source->free_choice, false);
	int number = missing ? ENOENT : errno;

	*changed = false;
	if (!same_dir) {
		free(notes->dir);
		notes->dir = mem_strdup(dir);
	}
	if (folder >= 0 || number == ENOENT) {
		number = notes_read_folder(notes, disk, folder, source, same_dir, changed);
		file_close(disk->sys, &folder);
		if (number == 0)
			return 0;
	}
	*changed = notes->count > 0;
	notes_forget(notes);
	if (number == EACCES && confine_is_shut(disk->confine))
		return err_set(err, ERR_IO, "the folder of notes %s " CONFINE_KEEPS, dir);
	return err_set_errno(err, ERR_IO, number, "cannot read the notes in %s", dir);
}

void notes_release(struct notes *notes)
{
	notes_forget(notes);
	free(notes->list);
	free(notes->dir);
	*notes = (struct notes){0};
}
