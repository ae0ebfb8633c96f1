/*
 * The version of the program. Anyone may use it.
 */
#ifndef KOTA_BASE_VERSION_H
#define KOTA_BASE_VERSION_H

/* What stands before the version in the file of the program, as what(1) knows it. */
#define VERSION_MARK "@(#)kota "

/* "1.2.3"; static storage. */
const char *version_text(void);

#endif
