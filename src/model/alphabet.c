#include "model/alphabet.h"

#include "base/utf8.h"

struct alphabet alphabet_open(void)
{
	struct alphabet alphabet = {newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), 0};

	if (alphabet.locale)
		alphabet.mark = wctype_l("combining", alphabet.locale);
	return alphabet;
}

void alphabet_close(const struct alphabet *alphabet)
{
	if (alphabet->locale)
		freelocale(alphabet->locale);
}

bool alphabet_is_letter(const struct alphabet *alphabet, uint32_t c)
{
	if (c < 0x80)
		return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
	if (c == UTF8_REPLACEMENT)
		return false;
	return !alphabet->locale || iswalnum_l((wint_t)c, alphabet->locale);
}

bool alphabet_is_mark(const struct alphabet *alphabet, uint32_t c)
{
	return c >= 0x80 && alphabet->mark &&
	       iswctype_l((wint_t)c, alphabet->mark, alphabet->locale);
}

bool alphabet_is_upper(const struct alphabet *alphabet, uint32_t c)
{
	if (c < 0x80)
		return c >= 'A' && c <= 'Z';
	return alphabet->locale && iswupper_l((wint_t)c, alphabet->locale);
}

uint32_t alphabet_lower(const struct alphabet *alphabet, uint32_t c)
{
	if (c < 0x80)
		return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
	return alphabet->locale ? (uint32_t)towlower_l((wint_t)c, alphabet->locale) : c;
}

void alphabet_fold(const struct alphabet *alphabet, struct slice text, struct str *out)
{
	str_clear(out);
	for (size_t at = 0; at < text.len;) {
		uint32_t c = utf8_next(text, &at);

		utf8_add(out, c == TYPOGRAPHIC_APOSTROPHE ? '\'' : alphabet_lower(alphabet, c));
	}
}
