/*
 * What single characters are: the classes of Unicode that texts are compared by.
 */
#ifndef KOTA_TEXT_CHARACTERS_H
#define KOTA_TEXT_CHARACTERS_H

#include "base/str.h"

#include <stdint.h>

/* Kinds from CHARACTER_LOWER on are parts of words. */
enum character_kind {
	CHARACTER_OTHER,
	CHARACTER_SIGN,    /* of mathematics or money: = + < $ */
	CHARACTER_PICTURE, /* emoji and the like */
	CHARACTER_LOWER,
	CHARACTER_UPPER,
	CHARACTER_LETTER, /* of a script without case */
	CHARACTER_NUMBER,
	CHARACTER_MARK /* combines with the character before it */
};

/* The kind of a character; U+FFFD, which stands for what is no UTF-8, is CHARACTER_OTHER. */
enum character_kind character_kind(uint32_t character);

/* The character in lower case. */
uint32_t character_lower(uint32_t character);

#endif
