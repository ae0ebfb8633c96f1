#include "support/surroundings.h"

#include "support/tmpdir.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HISTORY "KOTA_MEMORY_GIT"

/* The person's folder of state: one for the whole program, as a person has one. */
static struct tmpdir home;
static pid_t made_by;

/* Not in a child, which has a copy of this. */
static void remove_home(void)
{
	if (made_by == getpid())
		tmpdir_remove(&home);
}

const char *surroundings_state_home(void)
{
	if (made_by == 0) {
		tmpdir_make(&home);
		made_by = getpid();
		atexit(remove_home);
	}
	return home.path;
}

static const char *look_up(const char *name, const char *history)
{
	if (strcmp(name, HISTORY) == 0)
		return history;
	return strcmp(name, "XDG_STATE_HOME") == 0 ? surroundings_state_home() : NULL;
}

const char *surroundings_plain(const char *name)
{
	return look_up(name, "off");
}

const char *surroundings_with_history(const char *name)
{
	return look_up(name, "own");
}
