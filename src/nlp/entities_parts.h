/*
 * Words taken apart: what belongs to a name and what to the sentence around it. For
 * src/nlp/entities.c alone. What is returned is a part of what came in.
 */
#ifndef KOTA_NLP_ENTITIES_PARTS_H
#define KOTA_NLP_ENTITIES_PARTS_H

#include "model/alphabet.h"

/* Without marks at the end, signs at the beginning, and an 's; perhaps empty. */
struct slice name_trim(struct slice word);

/* The text from the beginning of one part to the end of a later one. */
struct slice name_between(struct slice first, struct slice last);

/* A letter of ASCII. */
bool name_is_plain_letter(char c);

/* The host of an address with "://" in it, without who and which door. */
struct slice name_host(struct slice address);

/* The name of the file at the end of a path, without lines of it; the path where there is none. */
struct slice name_file(const struct alphabet *alphabet, struct slice path);

/* Does a colon belong to the word? In `std::vector` and `localhost:8080` only. */
bool name_keeps_colon(struct slice word);

/* Where a word is to be cut: at its first slash or colon; NULL when it has none. */
const char *name_find_cut(struct slice word);

/* Something on both sides of an "@", and a dot behind it. */
bool name_is_mail_address(struct slice word);

#endif
