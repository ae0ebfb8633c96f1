#include "cli/args/command.h"

const struct command *command_find(const struct command *const *commands, struct slice name)
{
	for (; *commands; commands++) {
		if (slice_is(name, (*commands)->name))
			return *commands;
	}
	return NULL;
}
