/*
 * What has become of a person's edit, in a few lines. For this folder only.
 */
#ifndef KOTA_CLI_EDIT_EDITED_H
#define KOTA_CLI_EDIT_EDITED_H

#include "cli/command.h"
#include "store/txn/replace_file.h"

/* Tells what was changed, what of others was merged, and what is over a limit now. */
int edited_tell(struct run *run, struct store *store, const struct revision *revision,
		const struct revise_report *report, struct err *err);

#endif
