/*
 * Taking what one store holds over into another, by kota export and kota import.
 *
 * For tests only. What fails here ends the test by cmocka's assertions.
 */
#ifndef KOTA_TESTS_CARRY_H
#define KOTA_TESTS_CARRY_H

#include "support/toolcall.h"

/* Writes an export of the store, archive and all, into a file of it; the caller frees its text. */
char *carry_export(struct teststore *t, const char *format, const char *file);

/*
 * The reply to an import of a file that lies in the directory of `at` ("" is the directory itself),
 * with more arguments; the caller releases it.
 */
struct str carry_import(struct teststore *t, const struct teststore *at, const char *file,
			const char *more);

/* The same, which must reply with this part, apostrophes for quotes. */
void carry_import_has(struct teststore *t, const struct teststore *at, const char *file,
		      const char *more, const char *part);

#endif
