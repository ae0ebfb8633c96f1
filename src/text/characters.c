#include "text/characters.h"

#include <utf8proc.h>

#define REPLACEMENT 0xFFFD

enum character_kind character_kind(uint32_t character)
{
	switch (utf8proc_category((utf8proc_int32_t)character)) {
	case UTF8PROC_CATEGORY_LL:
		return CHARACTER_LOWER;
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LT:
		return CHARACTER_UPPER;
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
		return CHARACTER_LETTER;
	case UTF8PROC_CATEGORY_ND:
	case UTF8PROC_CATEGORY_NL:
	case UTF8PROC_CATEGORY_NO:
		return CHARACTER_NUMBER;
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ME:
		return CHARACTER_MARK;
	case UTF8PROC_CATEGORY_SM:
	case UTF8PROC_CATEGORY_SC:
		return CHARACTER_SIGN;
	case UTF8PROC_CATEGORY_SO:
		return character == REPLACEMENT ? CHARACTER_OTHER : CHARACTER_PICTURE;
	default:
		return CHARACTER_OTHER;
	}
}

uint32_t character_lower(uint32_t character)
{
	return (uint32_t)utf8proc_tolower((utf8proc_int32_t)character);
}
