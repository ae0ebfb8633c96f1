/*
 * What every answer of the server has to be. For fuzz targets only.
 */
#ifndef KOTA_TESTS_FUZZ_ANSWER_H
#define KOTA_TESTS_FUZZ_ANSWER_H

#include "fuzz/fuzz.h"

/* The answer (without its newline) is one line of JSON: a message of the protocol, or several. */
void fuzz_check_answer(struct slice answer);

#endif
