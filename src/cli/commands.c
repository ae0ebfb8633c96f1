#include "cli/commands.h"

const struct command *const commands_all[] = {
	&command_setup,
	&command_serve,
	&command_init,
	&command_where,
	&command_edit,
	&command_doctor,
	&command_trust,
	&command_report,
	&command_purge,
	&command_sync,
	&command_hook,
	&command_resolve,
	&command_merge_driver,
	&command_complete,
	&command_help,
	&command_version,
	NULL,
};
