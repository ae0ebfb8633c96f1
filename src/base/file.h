/*
 * Reading and writing whole files through the table of system calls.
 *
 * EINTR and short transfers are handled here; callers never see them. Only ENOENT means absent:
 * every other failure is an error, because taking it for absence loses data. File descriptors that
 * a function returns belong to the caller.
 */
#ifndef KOTA_BASE_FILE_H
#define KOTA_BASE_FILE_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"

/* What a stat says of a file's identity: a cached parse is good while this stays the same. */
struct file_id {
	bool present;
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime;
	struct timespec ctime;
	mode_t mode;
	uid_t uid;
	nlink_t nlink;
	uint64_t born_ns; /* when it was made; 0 where that was not asked for, or is not known */
	int64_t asked_ns; /* the file clock before the look; 0 where that is not known */
	bool idle;        /* nobody had it open for writing when it was read; see file_read_use() */
};

/*
 * When the file of this name, or dirfd itself if name is "", was made, in nanoseconds since 1970; 0
 * where the file system does not say, or the file cannot be looked at. Links are not followed.
 */
uint64_t file_born_ns(const struct sys *sys, int dirfd, const char *name);

/* When the text of the file was written last, in nanoseconds since 1970. */
static inline uint64_t file_changed_ns(const struct file_id *id)
{
	return (uint64_t)id->mtime.tv_sec * 1000000000 + (uint64_t)id->mtime.tv_nsec;
}

static inline bool file_id_equal(const struct file_id *a, const struct file_id *b)
{
	return a->present == b->present &&
	       (!a->present ||
		(a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
		 a->mtime.tv_sec == b->mtime.tv_sec && a->mtime.tv_nsec == b->mtime.tv_nsec &&
		 a->ctime.tv_sec == b->ctime.tv_sec && a->ctime.tv_nsec == b->ctime.tv_nsec));
}

/* Copies what matters out of a stat. */
void file_id_from_stat(struct file_id *id, const struct stat *st);

/*
 * Identity of dirfd/name, links followed. Absent is success with present == false; a link to
 * nothing, or one that leads in a circle, is an error (BAD_DATA).
 */
int file_identify(const struct sys *sys, int dirfd, const char *name, struct file_id *id,
		  struct err *err);

/* Identity of an open file, with the time when it was made; -1 with errno. */
int file_identify_open(const struct sys *sys, int fd, struct file_id *id);

/* As file_identify(), and says whether the name is a link. */
int file_identify_link(const struct sys *sys, int dirfd, const char *name, struct file_id *id,
		       bool *linked, struct err *err);

/* A file that is kept open from one use to the next. All zero: no file. */
struct kept_file {
	bool open;
	bool fresh; /* opened by the last call of file_keep() */
	int fd;
	dev_t dev;
	ino_t ino;
};

/*
 * The descriptor of dirfd/name, which stays open in *kept: the same one again as long as the name
 * stands for that file. Only a regular file that has no other name: -1 with EMLINK where it has
 * one, and *st is set then, with EINVAL where it is no regular file, else as open(2). flags are
 * those of open(2), the same with each call.
 */
int file_keep(const struct sys *sys, int dirfd, const char *name, int flags, struct kept_file *kept,
	      struct stat *st);

/* Closes what is kept. */
void file_let_go(const struct sys *sys, struct kept_file *kept);

/* True if any process has the file open for writing. */
enum file_use {
	FILE_USE_UNKNOWN, /* the file system does not say, or the file is somebody else's */
	FILE_USE_IDLE,    /* nobody has */
	FILE_USE_WRITTEN
};

/*
 * Asks for a lease on fd, which must be open for reading alone, and gives it back at once: for
 * that instant whoever opens the file for writing waits.
 */
enum file_use file_use(const struct sys *sys, int fd);

/*
 * Reads dirfd/name into *out without ever blocking on a FIFO or device: anything that is not a
 * regular file, or longer than max bytes, is an error, and so is a link to nothing. Absent is
 * success with id->present == false and an empty text. A file that changes while it is read is
 * read again, a few times. Messages name the file by `name`. *out is emptied first and is empty
 * after a failure, *id is then untouched.
 *
 * Codes: BAD_DATA (not a regular file, link to nothing), TOO_LARGE, BUSY (does not stop changing),
 * IO (all else).
 */
int file_read(const struct sys *sys, int dirfd, const char *name, size_t max, struct str *out,
	      struct file_id *id, struct err *err);

/* As file_read(), but a link is refused (BAD_DATA), wherever it leads. */
int file_read_own(const struct sys *sys, int dirfd, const char *name, size_t max, struct str *out,
		  struct file_id *id, struct err *err);

/*
 * As file_read_own(), and says in *use (NULL: not asked) who had the file open when the reading
 * began: what nobody had open, and nobody can open any more, is read as it will be for ever. A
 * file that nobody has open and that is still the one in `known` (NULL: none) is not read: *out
 * stays empty.
 */
int file_read_use(const struct sys *sys, int dirfd, const char *name, size_t max, struct str *out,
		  const struct file_id *known, struct file_id *id, enum file_use *use,
		  struct err *err);

/*
 * Reads into *out, emptied first, from the offset `from` on: until there are `most` bytes or the
 * file ends, but no further call is made once there are `least`. -1 with errno; *out is then what
 * came before.
 */
int file_pread(const struct sys *sys, int fd, off_t from, size_t least, size_t most,
	       struct str *out);

/* Writes all of text at this offset; -1 with errno. */
int file_pwrite_all(const struct sys *sys, int fd, struct slice text, off_t offset);

/* Writes all of text to fd, where it stands. CANNOT_WRITE names no file: see err_prefix(). */
int file_write_all(const struct sys *sys, int fd, struct slice text, struct err *err);

/* How a file is written: in flags of the two functions below. */
#define FILE_SYNCED 1  /* with an fsync of the file: its name is the caller's to make durable */
#define FILE_DURABLE 5 /* with an fsync of the file, and of the folder after a rename */
#define FILE_UMASK 2   /* the umask takes rights off the mode */

/*
 * Creates dirfd/name with this text; fails with errno EEXIST if the name exists. Nothing of it is
 * left after a failure. Messages name the file by `name`; codes as of err_code_of_write().
 */
int file_write_new(const struct sys *sys, int dirfd, const char *name, struct slice text,
		   mode_t mode, int flags, struct err *err);

/*
 * Makes dirfd/name this text, whole or not at all: a file .NAME.tmp (NAME.tmp for a name with a dot
 * first) and a rename. What a killed process left under that name is removed, a link in the file's
 * place is replaced itself. *placed (NULL: not asked) becomes true once the text has the name: an
 * error after that says that it may not be durable.
 */
int file_replace(const struct sys *sys, int dirfd, const char *name, struct slice text, mode_t mode,
		 int flags, bool *placed, struct err *err);

/*
 * Gives dirfd/from a name that nothing has; errno is EEXIST where something has. On a file system
 * that cannot do both at once the caller's lock has to keep others away.
 */
int file_rename_free(const struct sys *sys, int dirfd, const char *from, const char *to);

/* Opens dirfd/name for writing, which must not be there; the umask takes rights off the mode. */
int file_create(const struct sys *sys, int dirfd, const char *name, mode_t mode);

/* As the calls of the same name, retried on EINTR; close is never retried. */
int file_open(const struct sys *sys, int dirfd, const char *name, int flags, mode_t mode);
int file_fsync(const struct sys *sys, int fd);

/*
 * Makes the folders (0700) on the way to a path as far as they are missing; best effort: who opens
 * what is to be in them sees. path is changed and put right again.
 */
void file_make_folders(const struct sys *sys, char *path);

/* Sets *out to DIR/NAME; to the name alone where it is absolute. */
void path_join(struct str *out, const char *dir, const char *name);

/* Closes *fd unless it is negative, and sets it to -1. errno stays, so that it can be reported. */
void file_close(const struct sys *sys, int *fd);

#endif
