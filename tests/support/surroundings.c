#include "support/surroundings.h"

#include <string.h>

#define HISTORY "KOTA_MEMORY_GIT"

const char *surroundings_plain(const char *name)
{
	return strcmp(name, HISTORY) == 0 ? "off" : NULL;
}

const char *surroundings_with_history(const char *name)
{
	return strcmp(name, HISTORY) == 0 ? "own" : NULL;
}
