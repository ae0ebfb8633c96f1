#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

_Noreturn void mem_exhausted(void)
{
	static const char message[] = "kota: out of memory\n";
	ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);

	(void)ignored;
	_exit(MEM_EXIT_STATUS);
}

size_t mem_sum(size_t a, size_t b)
{
	if (a > SIZE_MAX - b)
		mem_exhausted();
	return a + b;
}

void *mem_alloc(size_t size)
{
	void *ptr = malloc(size ? size : 1);

	if (!ptr)
		mem_exhausted();
	return ptr;
}

void *mem_zalloc(size_t count, size_t size)
{
	void *ptr = calloc(count ? count : 1, size ? size : 1);

	if (!ptr)
		mem_exhausted();
	return ptr;
}

void *mem_realloc(void *ptr, size_t count, size_t size)
{
	size_t bytes = count * size;

	if (size && count > SIZE_MAX / size)
		mem_exhausted();
	ptr = realloc(ptr, bytes ? bytes : 1);
	if (!ptr)
		mem_exhausted();
	return ptr;
}

void *mem_grow(void *ptr, size_t *cap, size_t need, size_t size)
{
	size_t wanted = *cap < 8 ? 8 : *cap;

	if (ptr && need <= *cap)
		return ptr;
	while (wanted < need) {
		if (wanted > SIZE_MAX / 2)
			mem_exhausted();
		wanted *= 2;
	}
	ptr = mem_realloc(ptr, wanted, size);
	*cap = wanted;
	return ptr;
}

void *mem_grow_cleared(void *ptr, size_t *cap, size_t need, size_t size)
{
	size_t before = *cap;
	char *grown = mem_grow(ptr, cap, need, size);

	if (*cap > before)
		memset(grown + before * size, 0, (*cap - before) * size);
	return grown;
}

void mem_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

char *mem_strndup(const char *text, size_t len)
{
	char *copy = mem_alloc(mem_sum(len, 1));

	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

char *mem_strdup(const char *text)
{
	return mem_strndup(text, strlen(text));
}
