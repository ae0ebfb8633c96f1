/* Notes in a change: what change.h says of them. */
#include "base/utf8.h"
#include "store/txn/change_ops_internal.h"
#include "store/txn/note_file.h"
#include "store/view/notes.h"

/* Room for a number and the ending. */
#define STEM_MAX (NOTE_NAME_MAX - 10)

static int check_stem(struct slice stem, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	if (blank_trim(stem).len > 0 && stem.len <= STEM_MAX && stem.ptr[0] != '.' &&
	    !memchr(stem.ptr, '/', stem.len) && !memchr(stem.ptr, '\0', stem.len) &&
	    utf8_valid_prefix(stem) == stem.len)
		return 0;
	return err_set(err, ERR_BAD_VALUE,
		       "\"%s\" is no name for a note: it must have 1 to %d bytes, no \"/\", and no "
		       "dot first",
		       shown(&scratch, stem), STEM_MAX);
}

/* Does an operation of this very change make a note of this name? */
static bool is_promised(const struct change *change, struct slice name)
{
	for (size_t i = 0; i < change->op_count; i++) {
		if (change->ops[i].kind == OP_NOTE_ADD && slice_equal(change->ops[i].key, name))
			return true;
	}
	return false;
}

static int find_name(struct change *change, struct slice stem, struct str *name, struct err *err)
{
	bool taken = true;

	for (int n = 1; taken; n++) {
		if (n > NOTE_NUMBERS_MAX)
			return err_set(err, ERR_EXISTS, "the notes %.*s.md to %s are all there",
				       (int)stem.len, stem.ptr, name->ptr);
		str_clear(name);
		note_file_name(name, stem, n);
		if (note_file_exists(&change->store->disk, str_slice(name), &taken, err) != 0)
			return -1;
		taken = taken || is_promised(change, str_slice(name));
	}
	return 0;
}

int change_note(struct change *change, enum category category, struct slice stem, struct slice text,
		struct slice *file, struct err *err)
{
	struct op op = {.kind = OP_NOTE_ADD, .category = category};
	STR_AUTO name = STR_INIT;

	if (check_stem(stem, err) != 0)
		return -1;
	if (text.len > NOTES_BYTES_MAX)
		return err_set(err, ERR_TOO_LARGE,
			       "the note would have %zu bytes; at most %zu may be", text.len,
			       NOTES_BYTES_MAX);
	if (find_name(change, stem, &name, err) != 0)
		return -1;
	op.key = arena_copy(&change->arena, str_slice(&name));
	op.text = arena_copy(&change->arena, text);
	change_add_op(change, &op);
	*file = op.key;
	return 0;
}
