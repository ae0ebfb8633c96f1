/*
 * Stores of any size to measure with, and what is asked of them.
 *
 * Entry n has a key of two or three words of its own, and a value with a word that no other value
 * has. Everything is computed from n: two runs measure the same store.
 */
#ifndef KOTA_TESTS_BENCH_SAMPLE_H
#define KOTA_TESTS_BENCH_SAMPLE_H

#include "base/str.h"
#include "support/tmpdir.h"

/* Names are as different as this many entries need. */
#define SAMPLE_MAX 100000

/* Appends the key of entry n, and the key with two letters of its first word swapped. */
void sample_key(struct str *out, size_t n);
void sample_typo(struct str *out, size_t n);

/* Appends the word that is in the value of entry n alone. */
void sample_name(struct str *out, size_t n);

/* Appends a value of about so many bytes, a short sentence at least. */
void sample_value(struct str *out, size_t n, size_t bytes);

/*
 * Fills a folder with the category files of so many entries, in equal parts, and above the default
 * size with a config.json that raises the limits.
 */
void sample_write(const struct tmpdir *dir, size_t entries, size_t value_bytes);

#endif
