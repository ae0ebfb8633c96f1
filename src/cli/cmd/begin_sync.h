/*
 * A sync that is begun unasked.
 */
#ifndef KOTA_CLI_CMD_BEGIN_SYNC_H
#define KOTA_CLI_CMD_BEGIN_SYNC_H

#include "cli/args/command.h"

/*
 * Starts a sync of the command's store, if that has a remote: in a session of its own, with none of
 * the client's pipes. Nobody waits for it, and it looks itself whether the person wants it. A
 * process that is confined cannot: what it starts would be, too.
 */
void begin_sync(const struct run *run);

#endif
