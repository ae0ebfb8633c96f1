/*
 * libgit2, loaded when a history is first needed.
 *
 * Linking it would cost every start some milliseconds, and a machine without it could not run the
 * program at all. So its functions are looked up by name in a table that has their exact types.
 * For src/git only. The table is the caller's; lib_close() gives back what lib_open() took.
 */
#ifndef KOTA_GIT_LIBGIT2_H
#define KOTA_GIT_LIBGIT2_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"

#include <git2.h>
#include <git2/sys/odb_backend.h>
#include <stdbool.h>
#include <string.h>

/*
 * The name of an object in a repository: 20 bytes. All zero: no object.
 *
 * For everybody who deals with history; the rest of src/git is behind repo.h and walk.h, and that
 * of src/git/write behind commit.h and pack.h. A plain value.
 */

#define OBJECT_ID_BYTES 20

/* Digits in hexadecimal, without a terminator. */
#define OBJECT_ID_DIGITS 40

struct object_id {
	unsigned char bytes[OBJECT_ID_BYTES];
};

static inline bool object_id_equal(const struct object_id *a, const struct object_id *b)
{
	return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static inline bool object_id_is_none(const struct object_id *id)
{
	static const struct object_id none = {{0}};

	return object_id_equal(id, &none);
}

/* Writes the digits and a terminator. */
void object_id_text(const struct object_id *id, char out[OBJECT_ID_DIGITS + 1]);

/* The id of exactly OBJECT_ID_DIGITS digits; false for anything else. */
bool object_id_parse(struct slice text, struct object_id *out);

/* Names without git_ before them. */
/* clang-format off */
#define LIB_FUNCTIONS(X)                                                                           \
	X(libgit2_init) X(libgit2_shutdown) X(libgit2_opts) X(libgit2_version)                     \
	X(error_last) X(buf_dispose) X(repository_open_ext) X(repository_init_ext)                 \
	X(repository_init_options_init) X(repository_free) X(repository_path)                      \
	X(repository_commondir) X(repository_workdir) X(repository_is_bare)                        \
	X(repository_state) X(repository_odb) X(repository_config_snapshot)                        \
	X(ignore_path_is_ignored) X(config_free) X(config_get_string) X(odb_free)                  \
	X(odb_hash) X(odb_exists) X(odb_refresh) X(odb_write) X(odb_foreach) X(odb_read)           \
	X(odb_object_data) X(odb_object_size) X(odb_object_type) X(odb_object_free)                \
	X(reference_lookup) X(reference_symbolic_target) X(reference_name_to_id)                   \
	X(reference_create) X(reference_free) X(reference_foreach_name)                            \
	X(reference_name_is_valid) X(reflog_delete)                                                \
	X(remote_list) X(strarray_dispose) X(commit_lookup) X(commit_free) X(commit_tree)          \
	X(commit_tree_id) X(commit_id) X(commit_parentcount) X(commit_parent_id)                   \
	X(commit_author) X(commit_committer) X(commit_message) X(commit_raw_header)                \
	X(commit_create) X(tree_lookup) X(tree_free) X(tree_entry_bypath)                          \
	X(tree_entry_free) X(tree_entry_id) X(tree_entry_type) X(tree_entry_name) X(tree_entry_filemode)                  \
	X(tree_walk) X(tree_create_updated) X(treebuilder_insert) X(treebuilder_new)               \
	X(treebuilder_write) X(treebuilder_free) X(signature_new) X(signature_free)                \
	X(index_open) X(index_free) X(index_read_tree) X(index_write) X(index_add)                 \
	X(index_remove) X(index_get_bypath) X(index_entrycount) X(index_get_byindex)               \
	X(revwalk_new) X(revwalk_free) X(revwalk_push) X(revwalk_hide) X(revwalk_sorting) X(revwalk_next)          \
	X(revparse_single) X(object_free) X(object_id) X(object_peel)          \
	X(merge_bases) X(oidarray_dispose) X(graph_descendant_of) X(odb_read_header)                   \
	X(odb_new) X(odb_add_backend) X(odb_backend_data_alloc) X(odb_exists_ext)                  \
	X(repository_wrap_odb) X(blob_create_from_buffer) X(odb_backend_pack)
/* clang-format on */

#define LIBRARY_NAME "libgit2.so." LIBGIT2_SOVERSION

struct lib {
	void *handle;
	/* compress2() of the zlib that the library uses itself; NULL where it hides it. */
	int (*compress)(unsigned char *to, unsigned long *len, const unsigned char *from,
			unsigned long from_len, int level);
#define X(name) __typeof__(git_##name) *(name);
	LIB_FUNCTIONS(X)
#undef X
};

/* Loads and starts the library, with every write made durable. ERR_NO_HISTORY without it. */
int lib_open(struct lib *out, struct err *err);

/*
 * The library opens and makes no repository when it cannot read the person's settings. git replaces
 * their file with each change of one, and the new file is closed to a process that has confined
 * itself: then it goes on without them, until the library is loaded anew.
 */
void lib_leave_out_closed(const struct lib *lib, const struct sys *sys);

void lib_close(struct lib *lib);

/* "cannot WHAT: " and the library's own words, ERR_NO_HISTORY. Always returns -1. */
int lib_error(const struct lib *lib, struct err *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Its name of an object, and ours. */
static inline git_oid lib_oid(const struct object_id *id)
{
	git_oid out = {{0}};

	memcpy(out.id, id->bytes, sizeof out.id);
	return out;
}

static inline struct object_id lib_id(const git_oid *oid)
{
	struct object_id out = {{0}};

	memcpy(out.bytes, oid->id, sizeof out.bytes);
	return out;
}

#endif
