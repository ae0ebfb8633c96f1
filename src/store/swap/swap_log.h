/*
 * What .lock says about the last replacement of each file.
 *
 * Before a file is replaced, a line in the body of .lock notes what will be displaced: an editor
 * that still has the displaced file open may write to it later, and a kill may fall between the
 * exchange and the look at what came out. The line is written under the lock and not fsynced: it
 * survives kill -9, not a power cut, and therefore carries the boot that it was written in.
 *
 * Whoever copies or restores a store takes such notes along with files that they are not about. A
 * second line therefore says which inodes the first one means, and since when there are such. What
 * they do not match is no displaced file of ours, whatever its name. Version 0.1.0 reads and writes
 * the first line alone.
 */
#ifndef KOTA_STORE_SWAP_SWAP_LOG_H
#define KOTA_STORE_SWAP_SWAP_LOG_H

#include "store/files/member_digests.h"

/* A displaced text as we knew it. */
struct known {
	uint64_t digest; /* text_digest() */
	struct digests units;
};

/*
 * Displaced files that somebody may still write to are held apart, in slots from 1. Each has a line
 * of its own under held_name(), of which only prev and was count.
 */
#define HELD_MAX 16
#define HELD_MASK (((UINT32_C(1) << HELD_MAX) - 1) << 1)
#define HELD_NAME_SIZE 32

/* A file that was seen: its inode, when that was made, and when its text was written last. */
struct inode {
	uint64_t ino;        /* 0: there is none */
	uint64_t born_ns;    /* 0: the file system does not say */
	uint64_t changed_ns; /* 0: no matter */
};

struct swap_log {
	bool found;
	bool this_boot;    /* else the line may be older than the files */
	uint64_t dev;      /* of all three files; 0: it is not known which inodes are meant */
	struct inode temp; /* the new text's file, first under the temporary name */
	struct inode file; /* what is displaced by it */
	uint64_t new_digest;
	uint64_t merged;   /* digest of an edited displaced text that the new one takes in; 0 */
	struct inode prev; /* the displaced file before: still there, no exchange */
	struct known was;  /* ... and what it holds */
	uint32_t held;     /* bit n: slot n may be in use once the exchange is done */
	unsigned hold; /* slot that the displaced file before then goes to; 0: it goes for good */
	struct known now; /* what the displaced file holds once the exchange is done */
};

#define INTENT_INIT                                                                                \
	{                                                                                          \
		0                                                                                  \
	}

/* hash64, but all blank texts are one: they mean the same and may come and go while an editor
 * saves. */
uint64_t text_digest(struct slice text);

/* Copies `from` into *out, whose units are empty before. */
void known_copy(struct known *out, const struct known *from);

/*
 * Learns the running kernel's id into disk->boot; "-" when it does not say, which is never the same
 * as another.
 */
int swap_log_boot(struct disk *disk, struct err *err);

/* The name under which a slot of a file is noted. */
void held_name(char out[HELD_NAME_SIZE], const char *file_name, unsigned slot);

/* Reads the last line about a file into *out, which is empty before. The lock must be held. */
int swap_log_read(struct swap_log *out, struct disk *disk, const char *file_name, struct err *err);

/* The slots of a file in which something may be held, also when the line is of another boot. */
int swap_log_held(uint32_t *out, struct disk *disk, const char *file_name, struct err *err);

/*
 * True if this is the very file that a note of *intent means, and its text is not older, as that of
 * a restored backup is. In another boot its birth time must agree: device numbers and free inodes
 * are reused.
 */
bool swap_log_means(const struct swap_log *intent, const struct inode *noted, uint64_t dev,
		    const struct inode *seen);

/* Writes a line; it is of this boot whatever intent says. The lock must be held. */
int swap_log_write(const struct swap_log *intent, struct disk *disk, const char *file_name,
		   struct err *err);

/* Frees the units, leaves an empty intent. */
void swap_log_release(struct swap_log *intent);

#endif
