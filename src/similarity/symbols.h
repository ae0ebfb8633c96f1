/*
 * What a text says without words: numbers as they are written, codes, signs, emoji.
 *
 * Normalising a text loses that -5 is not 5, "<" not ">", and a tick not a cross.
 */
#ifndef KOTA_SIMILARITY_SYMBOLS_H
#define KOTA_SIMILARITY_SYMBOLS_H

#include "base/slice.h"

/*
 * Have both texts the same numbers, signs (mathematics, currencies, per cent) and, in words of six
 * and more letters and digits, the same capitals, all in the same order? Emoji count where both
 * have some, or where one is a verdict.
 */
bool marks_agree(struct slice a, struct slice b);

#endif
