/*
 * Memory that is always there: these functions never return NULL.
 *
 * When the machine has none left, one handler prints a message and ends the process at once: every
 * durable step of the store is atomic, so that running out of memory is one more crash point, not a
 * special case in a thousand callers. It does not abort, because a core file would hold what people
 * have told. What they return is released with free().
 */
#ifndef KOTA_BASE_MEM_H
#define KOTA_BASE_MEM_H

#include <stddef.h>

/* Status with which the process ends then: EX_OSERR of sysexits.h. */
#define MEM_EXIT_STATUS 71

/* Ends the process: for what a library answers when it has got no memory. */
_Noreturn void mem_exhausted(void);

/* a + b, for sizes; a sum that does not fit counts as out of memory. */
size_t mem_sum(size_t a, size_t b);

/* size bytes, not cleared. */
void *mem_alloc(size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1)));

/* count * size bytes, cleared; the product is checked. */
void *mem_zalloc(size_t count, size_t size)
	__attribute__((malloc, returns_nonnull, alloc_size(1, 2)));

/* As realloc; the product count * size is checked. */
void *mem_realloc(void *ptr, size_t count, size_t size)
	__attribute__((returns_nonnull, alloc_size(2, 3)));

/*
 * Makes room for at least `need` elements of `size` bytes in an array that has room for *cap;
 * when it has to grow, it at least doubles. Returns the array, perhaps moved, and updates *cap.
 * NULL with *cap 0 is an array that does not exist yet.
 */
void *mem_grow(void *ptr, size_t *cap, size_t need, size_t size) __attribute__((returns_nonnull));

/* One more element at the end of such an array, which is counted: where it is. */
#define MEM_ADD(list, count, cap)                                                                  \
	((list) = mem_grow((list), &(cap), (count) + 1, sizeof *(list)), &(list)[(count)++])

/* As mem_grow; what it adds to the array is cleared. */
void *mem_grow_cleared(void *ptr, size_t *cap, size_t need, size_t size)
	__attribute__((returns_nonnull));

/* Gives back to the system what is free, where the C library can: nothing else changes. */
void mem_trim(void);

/* A terminated copy of len bytes. */
char *mem_strndup(const char *text, size_t len) __attribute__((malloc, returns_nonnull));

/* A terminated copy of a terminated string. */
char *mem_strdup(const char *text) __attribute__((malloc, returns_nonnull));

#endif
