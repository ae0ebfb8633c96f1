#include "base/arena.h"

#include "base/mem.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdlib.h>

/* The first one is small: many arenas hold a few words, and a block is cleared as a whole. */
#define BLOCK_FIRST ((size_t)1024)
#define BLOCK_SIZE ((size_t)8192)

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size;
	alignas(max_align_t) unsigned char bytes[];
};

static struct arena_block *arena_new_block(size_t size)
{
	struct arena_block *block = mem_zalloc(1, mem_sum(sizeof *block, size));

	block->size = size;
	return block;
}

/* What is large gets a block of its own, behind the one that is being filled. */
static void *arena_alloc_large(struct arena *arena, size_t size)
{
	struct arena_block *block = arena_new_block(size);

	block->used = size;
	if (arena->blocks) {
		block->next = arena->blocks->next;
		arena->blocks->next = block;
	} else {
		arena->blocks = block;
	}
	return block->bytes;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	const size_t step = alignof(max_align_t);
	size_t rounded = mem_sum(size ? size : 1, step - 1) / step * step;
	struct arena_block *block = arena->blocks;
	void *bytes;

	if (rounded > BLOCK_SIZE / 4)
		return arena_alloc_large(arena, rounded);
	if (!block || rounded > block->size - block->used) {
		block = arena_new_block(arena->blocks || rounded > BLOCK_FIRST ? BLOCK_SIZE
									       : BLOCK_FIRST);
		block->next = arena->blocks;
		arena->blocks = block;
	}
	bytes = block->bytes + block->used;
	block->used += rounded;
	return bytes;
}

struct slice arena_copy(struct arena *arena, struct slice text)
{
	if (!text.ptr)
		return text;
	char *copy = arena_alloc(arena, mem_sum(text.len, 1));
	memcpy(copy, text.ptr, text.len);
	return slice_make(copy, text.len);
}

struct slice arena_printf(struct arena *arena, const char *format, ...)
{
	STR_AUTO text = STR_INIT;
	va_list args;

	va_start(args, format);
	str_vprintf(&text, format, args);
	va_end(args);
	return arena_copy(arena, str_slice(&text));
}

void arena_release(struct arena *arena)
{
	struct arena_block *block = arena->blocks;

	while (block) {
		struct arena_block *next = block->next;

		free(block);
		block = next;
	}
	arena->blocks = NULL;
}
