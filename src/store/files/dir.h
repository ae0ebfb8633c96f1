/*
 * The data directory as files: names, reading, the lock.
 *
 * This folder is the only writer of the data directory. dir.h is its floor: it knows which files
 * there are, reads them safely, creates the directory, and holds the lock. What is in the files is
 * the business of the layers above.
 */
#ifndef KOTA_STORE_FILES_DIR_H
#define KOTA_STORE_FILES_DIR_H

#include "base/err.h"
#include "base/file.h"
#include "json/doc.h"
#include "base/str.h"
#include "base/sys.h"
#include "model/category.h"
#include "store/files/stat_cache.h"
#include "store/trust/origin.h"
#include "store/location/location.h"
#include "store/trust/signer.h"
#include "store/files/write_through.h"

/* Files with entries; the category files come first, in the order of enum category. */
enum store_file { STORE_FILE_ARCHIVE = CATEGORY_COUNT, STORE_FILE_RELATIONS, STORE_FILE_COUNT };

/* "preferences.json" ... ; static storage. */
const char *store_file_name(enum store_file file);

/* The folder of the cold archive, and how its files end. */
#define COLD_FOLDER "archive.cold"
#define COLD_SUFFIX ".jsonl"

/* The file of the lock, and how long a writer waits for others before the store counts as busy. */
#define DISK_LOCK_NAME ".lock"
#define DISK_LOCK_WAIT_MS 5000

/* Number in .kota; a store with a higher one is refused. */
#define STORE_FORMAT 1

/* A boot id with its terminator. */
#define DISK_BOOT_SIZE 40

struct confine;
struct layout;
struct map;
struct witness;

struct disk {
	const struct sys *sys;
	environment env;         /* NULL: nothing is registered, see origin_find() */
	char *path;              /* as the user would name it; owned */
	char *root;              /* open PROJECT_STORE below it without following a link; or NULL */
	struct origin origin;    /* of the open directory */
	struct file_id index_id; /* of the index that the origin was found by */
	struct file_id known_id; /* of the list of the person's own stores then */
	unsigned origins;        /* how often the origin was found out */
	int dirfd;               /* -1 while the directory does not exist */
	int lock_fd;             /* -1 while the lock is not held */
	struct file_id folder;   /* of the open directory, when it was last looked at */
	uint64_t names;          /* goes up whenever names in it may stand for other files */
	bool names_trusted;      /* its times change with the names in it */
	bool names_settled;      /* its stat will tell of the next change of a name */
	struct glance format;    /* at .kota */
	struct file_id format_id; /* of .kota when it was last found right */
	struct str lock_body;     /* what .lock says, while it is held and lock_body_known */
	bool lock_body_known;
	char boot[DISK_BOOT_SIZE]; /* the running kernel's id; empty until asked for */
	struct file_id settled[STORE_FILE_COUNT]; /* displaced files found as we know them */
	struct written written[STORE_FILE_COUNT]; /* for whoever loads them the next time */
	const char *notes_dir;         /* of the settings in force; NULL: not known, the default */
	const struct layout *layouts;  /* wishes, one a file, for the change at hand; NULL: none */
	const struct map *others;      /* refs that it leaves as others wrote them; NULL: none */
	const struct witness *witness; /* told of changes; NULL for nobody; not owned */
	const struct progress *progress; /* of who waits; NULL for nobody; not owned */
	struct confine *confine; /* entered when the folder is opened; NULL: none; not owned */
	struct signer signer;
	struct str remarks; /* sentences for the reply, each with a newline; who asked takes them */
	bool recovered;                  /* what others left was looked at; see apply_recover() */
	bool by_hand;        /* the person has asked for what is not signed to be carried out */
	bool made;           /* by this process, with its folder */
	bool hands_off;      /* only looked at: the lock is not to be had, no use is counted */
	bool sync_later;     /* the directory becomes durable with all files of a change at once */
	bool notes_dir_free; /* the person's own choice: may lead out of the store */
	bool exchange_missing; /* the file system lacks RENAME_EXCHANGE: doctor names the window */
};

/*
 * Opens the directory when it exists; when it does not, dirfd stays -1 and everything reads as
 * absent. Refuses a path that is not a directory and a .kota with a higher format number. *disk
 * owns what it opened: disk_close(). sys must outlive it.
 */
int disk_open(struct disk *disk, const struct sys *sys, const char *path, struct err *err);

/*
 * The same for a store that was looked for: a project's is opened without following a link, and
 * with env (NULL: none) it is found out whether it is the person's own. env must outlive *disk.
 */
int disk_open_at(struct disk *disk, const struct sys *sys, environment env,
		 const struct place *place, struct err *err);

/*
 * The same for a process that confines itself to the store, see store/trust/confine.h: when the folder is
 * open, now or later, and it is known where it comes from, before a file in it is read. confine
 * must outlive *disk; NULL is none.
 */
int disk_open_confined(struct disk *disk, const struct sys *sys, environment env,
		       const struct place *place, struct confine *confine, struct err *err);

/* The longest file that is read: less in a store that came with a repository. */
size_t disk_bytes_max(const struct disk *disk);

/* Releases the lock and the directory. */
void disk_close(struct disk *disk);

/* Opens the directory if somebody made it since; true when it is open. */
bool disk_exists(struct disk *disk);

/*
 * Opens the directory that the path names now: it may have appeared, gone, or been replaced by
 * another (a checkout, a restored backup) since it was opened. Called before every request, so that
 * nothing is ever written into a directory that nobody can find any more, and so that a store that
 * a newer program has converted meanwhile is not misread.
 */
int disk_reopen(struct disk *disk, struct err *err);

/*
 * Makes the directory with its parents (0700 for the store itself), .kota and .gitignore where
 * missing, whatever the umask; an existing directory keeps its mode. A no-op where all is there.
 */
int disk_create(struct disk *disk, struct err *err);

/*
 * May this process change the store? Says why not: read-only, belongs to somebody else, came with a
 * repository and is not trusted.
 */
int disk_writable(struct disk *disk, struct err *err);

/*
 * Did the file change long enough ago for its stat to be believed? Times of files advance in steps
 * of some milliseconds: one that was written just now may be written again without its stat
 * telling. An absent file is.
 */
bool disk_is_settled(const struct disk *disk, const struct file_id *id);

/*
 * Takes the lock, waiting at most wait_ms (0: try once); ERR_BUSY when somebody else holds it.
 * Creates the directory and .lock when missing. The order of locks is: this one, then git's.
 */
int disk_lock(struct disk *disk, int64_t wait_ms, struct err *err);

/* Releases the lock; nothing happens when it is not held. */
void disk_unlock(struct disk *disk);

/*
 * Reads a file of the store whole, refusing what path_open() refuses. Absent is an empty text and
 * id->present false.
 */
int disk_read(struct disk *disk, const char *file_name, struct str *text, struct file_id *id,
	      struct err *err);

/*
 * Reads and scans a file whose root must be an object; a text that does not parse is read again up
 * to three times, 50 ms apart, because an editor may be writing it. An absent or empty (all blank)
 * file is an empty object: then *text is "{}". ERR_BAD_DATA says file:line:column. On success *doc
 * points into *text; release both.
 */
int disk_read_json(struct disk *disk, const char *file_name, struct str *text, struct json *doc,
		   struct file_id *id, struct err *err);

#endif
