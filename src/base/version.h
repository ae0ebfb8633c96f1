/*
 * The version of the program. Anyone may use it.
 */
#ifndef KOTA_BASE_VERSION_H
#define KOTA_BASE_VERSION_H

/* "1.2.3"; static storage. */
const char *version_text(void);

#endif
