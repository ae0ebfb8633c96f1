/*
 * Memory that is freed all at once.
 *
 * For what lives exactly as long as a view, a request or a plan. The owner of the struct owns all
 * that was taken from it.
 */
#ifndef KOTA_BASE_ARENA_H
#define KOTA_BASE_ARENA_H

#include "base/str.h"

struct arena_block;

struct arena {
	struct arena_block *blocks;
};

#define ARENA_INIT                                                                                 \
	{                                                                                          \
		0                                                                                  \
	}

/* size bytes, cleared, aligned for any type, until arena_release. */
void *arena_alloc(struct arena *arena, size_t size);

/* A terminated copy of the text; an absent slice stays absent. */
struct slice arena_copy(struct arena *arena, struct slice text);

/* A terminated text made as printf does. */
struct slice arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Frees everything, leaves an empty arena. */
void arena_release(struct arena *arena);

/* Released at the end of the scope: `ARENA_AUTO arena = ARENA_INIT;` */
#define ARENA_AUTO __attribute__((cleanup(arena_release))) struct arena

#endif
