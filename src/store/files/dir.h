/*
 * The open data directory: what every room of the store works on.
 *
 * Opened, made and locked by dir_lock.h; its files are read through resolve.h. What is in the files
 * is the business of the rooms above.
 */
#ifndef KOTA_STORE_FILES_DIR_H
#define KOTA_STORE_FILES_DIR_H

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "base/sys.h"
#include "json/doc.h"
#include "model/category.h"
#include "store/files/write_through.h"
#include "store/location/location.h"
#include "store/location/store_files.h"
#include "store/trust/origin.h"
#include "store/trust/signer.h"

/* Number in .kota; a store with a higher one is refused. */
#define STORE_FORMAT 1

/* A boot id with its terminator. */
#define DISK_BOOT_SIZE 40

/* Bytes of the first line of .pending. */
#define DISK_PENDING_HEADER 128

/*
 * What a name in the store's folder stands for: looked at for as little as can be.
 *
 * Most requests find nothing changed, and to find that costs more than all the rest of them. A
 * folder whose own times have not changed holds the same names for the same files as before: one
 * that was absent is, and of one that was there it is enough to look at the file itself, which is
 * held by a descriptor that allows nothing else (O_PATH). So each file still is looked at with each
 * request, and one that was edited in place, replaced, made or removed is noticed at once.
 *
 * That is relied upon where it is known of the file system. Links are followed anew each time, and
 * under the lock, where we change names ourselves, every name is looked up.
 */
/* Zeroes are a name that was never looked at. */
struct stat_cache {
	uint64_t names; /* disk->names when the name was looked up; 0: look it up again */
	bool present;
	bool held; /* fd is open on the file, which is no link */
	int fd;
	dev_t dev; /* of the held file */
	ino_t ino;
};

/* Files beside those of entries that a change looks at more than once. */
#define DISK_OTHERS 4

struct named_look {
	bool known;
	bool linked;
	struct file_id id;
};

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
	unsigned cold_writes;    /* goes up whenever this process may have changed a cold file */
	int dirfd;               /* -1 while the directory does not exist */
	int lock_fd;             /* -1 while the lock is not held; else that of lock_file */
	struct kept_file lock_file; /* .lock */
	struct file_id folder;      /* of the open directory, when it was last looked at */
	uint64_t names;             /* goes up whenever names in it may stand for other files */
	bool names_trusted;         /* its times change with the names in it */
	bool names_settled;         /* its stat will tell of the next change of a name */
	struct stat_cache format;   /* at .kota */
	struct file_id format_id;   /* of .kota when it was last found right */
	struct str lock_body;       /* what .lock says, while it is held and lock_body_known */
	bool lock_body_known;
	off_t lock_bytes;            /* of .lock, when the lock was taken */
	struct kept_file derived[2]; /* metadata.json and its spare, see derived_alternate() */
	unsigned derived_turn;       /* which of them is the spare */
	struct kept_file pending;    /* .pending */
	off_t pending_bytes; /* of it; known in the round of looks in which it was looked at */
	uint64_t pending_round;
	struct str pending_lines; /* all that is in it, as long as the lock is held; or nothing */
	char pending_header[DISK_PENDING_HEADER + 1]; /* its first line as we wrote it last */
	ino_t pending_header_of;                      /* ... into this file */
	char boot[DISK_BOOT_SIZE];              /* the running kernel's id; empty until asked for */
	struct file_id looks[STORE_FILE_COUNT]; /* files as seen under this lock, see disk_look() */
	struct named_look others_looked[DISK_OTHERS]; /* the same of other files */
	uint64_t unjournaled_round; /* the round of looks in which no journal was found */
	uint64_t look_rounds; /* goes up with each lock, and whenever all are looked at again */
	struct file_id settled[STORE_FILE_COUNT]; /* displaced files found as we know them */
	size_t had[STORE_FILE_COUNT]; /* entries in the last text of each that could be believed */
	struct write_through written[STORE_FILE_COUNT]; /* for whoever loads them the next time */
	const char *notes_dir;         /* of the settings in force; NULL: not known, the default */
	const struct layout *layouts;  /* wishes, one a file, for the change at hand; NULL: none */
	const struct map *others;      /* refs that it leaves as others wrote them; NULL: none */
	const struct witness *witness; /* told of changes; NULL for nobody; not owned */
	const struct progress *progress; /* of who waits; NULL for nobody; not owned */
	struct confine *confine; /* entered when the folder is opened; NULL: none; not owned */
	struct signer signer;
	struct str remarks; /* sentences for the reply, each with a newline; who asked takes them */
	bool folder_seen;   /* for the lock that is about to be taken: just now */
	bool lock_body_same;           /* .lock is as this process left it the last time */
	bool tidied[STORE_FILE_COUNT]; /* then no exchange has left a temporary file */
	bool looked[STORE_FILE_COUNT];
	bool looks_plain[STORE_FILE_COUNT]; /* looked at, and a regular file, no link */
	bool recovered;      /* what others left was looked at; see apply_recover() */
	bool by_hand;        /* the person has asked for what is not signed to be carried out */
	bool made;           /* by this process, with its folder */
	bool hands_off;      /* only looked at: the lock is not to be had, no use is counted */
	bool sync_later;     /* the directory becomes durable with all files of a change at once */
	bool notes_dir_free; /* the person's own choice: may lead out of the store */
	bool exchange_missing; /* the file system lacks RENAME_EXCHANGE: doctor names the window */
};

/* The longest file that is read: less in a store that came with a repository. */
size_t disk_bytes_max(const struct disk *disk);

/* True if any change after the file clock said asked_ns has another time than this one. */
bool disk_is_old(const struct disk *disk, const struct timespec *changed, int64_t asked_ns);

/*
 * True if the file changed long enough before it was looked at for its stat to tell of whatever is
 * written since, or is absent. File times advance in steps of some milliseconds: a file that was
 * written just then may have been written again and have kept its stat.
 */
bool disk_is_settled(const struct disk *disk, const struct file_id *id);

/*
 * Identity of a file of the store as file_identify() tells it: links followed, absent is success.
 * While the lock is held, of one look: what a person does to the file meanwhile is met when it is
 * replaced, or with the next change.
 */
int disk_look(struct disk *disk, enum store_file file, struct file_id *id, struct err *err);

/*
 * The same of any name in the store, and whether it is a link; .kota, .gitignore, config.json and
 * synonyms.json are looked at once under a lock, too.
 */
int disk_look_at(struct disk *disk, const char *name, struct file_id *id, bool *linked,
		 struct err *err);

/*
 * Says that something cannot be done to a file of the directory, or to the directory itself where
 * the name is "", and why, by errno. Always returns -1.
 */
int disk_cannot(const struct disk *disk, const char *what, const char *name, struct err *err);

/* This file is about to be another, or any of them may be (STORE_FILE_COUNT). */
void disk_look_again(struct disk *disk, enum store_file file);

/*
 * Identity of a file of the store as file_identify() tells it: links followed, absent is success.
 * *cache stays with one name of one disk.
 */
int stat_cache_at(struct stat_cache *cache, struct disk *disk, const char *name, struct file_id *id,
		  struct err *err);

/*
 * True if the folder is on a file system whose folder times are known to change with every name in
 * it. False for network file systems and FUSE.
 */
bool stat_cache_may_trust(int dirfd);

/* Closes what is held; *cache is as never used. */
void stat_cache_release(struct stat_cache *cache, const struct sys *sys);

#endif
