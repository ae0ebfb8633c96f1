/*
 * What store/seek.h keeps from one search to the next. For src/store only.
 */
#ifndef KOTA_STORE_SEEKER_H
#define KOTA_STORE_SEEKER_H

struct seeker;

/* The files are others than before. NULL is none. */
void seeker_forget(struct seeker *seeker);

/* NULL is none. */
void seeker_free(struct seeker *seeker);

#endif
