/*
 * Making a store one that the person trusts, as `kota trust` does at a terminal, where no test can.
 *
 * For tests only. It is recorded in the state folder that the environment names.
 */
#ifndef KOTA_TESTS_OWNED_H
#define KOTA_TESTS_OWNED_H

#include "base/err.h"

/* Registers the store at path with the links that it has now. */
int owned_register(const char *path, struct err *err);

#endif
