#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *slug;
	int status;
} codes[] = {
#define X(id, slug, status) {slug, status},
	ERR_CODES(X)
#undef X
};

/* Length in bytes of the UTF-8 character that begins with this byte. */
static size_t err_character_length(unsigned char lead)
{
	if (lead < 0xC0)
		return 1;
	if (lead < 0xE0)
		return 2;
	return lead < 0xF0 ? 3 : 4;
}

/* A sentence cut in the middle of a character would not be UTF-8 any more. */
static void err_cut_at_character(char *text)
{
	size_t len = strlen(text);
	size_t start = len;

	if (len < ERR_TEXT_MAX - 1)
		return;
	do
		start--;
	while (start > 0 && ((unsigned char)text[start] & 0xC0) == 0x80);
	if (len - start < err_character_length((unsigned char)text[start]))
		text[start] = '\0';
}

__attribute__((format(printf, 2, 0))) static void err_set_text(struct err *err, const char *format,
							       va_list args)
{
	vsnprintf(err->text, sizeof err->text, format, args);
	err_cut_at_character(err->text);
}

int err_set(struct err *err, enum err_code code, const char *format, ...)
{
	va_list args;

	err->code = code;
	va_start(args, format);
	err_set_text(err, format, args);
	va_end(args);
	return -1;
}

int err_set_errno(struct err *err, enum err_code code, int number, const char *format, ...)
{
	va_list args;

	err->code = code;
	va_start(args, format);
	err_set_text(err, format, args);
	va_end(args);
	size_t len = strlen(err->text);
	snprintf(err->text + len, sizeof err->text - len, ": %s", strerror(number));
	err_cut_at_character(err->text);
	return -1;
}

int err_prefix(struct err *err, const char *format, ...)
{
	char old[ERR_TEXT_MAX];
	va_list args;

	memcpy(old, err->text, sizeof old);
	va_start(args, format);
	err_set_text(err, format, args);
	va_end(args);
	size_t len = strlen(err->text);
	snprintf(err->text + len, sizeof err->text - len, ": %s", old);
	err_cut_at_character(err->text);
	return -1;
}

int err_in_folder(struct err *err, const char *folder, const char *name)
{
	struct err old = *err;
	const char *at = strstr(old.text, name);

	if (!at)
		return err_prefix(err, "%s", folder);
	return err_set(err, old.code, "%.*s%s/%s", (int)(at - old.text), old.text, folder, at);
}

enum err_code err_code_of_write(int number)
{
	switch (number) {
	case ENOSPC:
	case EDQUOT:
	case EACCES:
	case EPERM:
	case EROFS:
	case EFBIG:
		return ERR_CANNOT_WRITE;
	default:
		return ERR_IO;
	}
}

void err_clear(struct err *err)
{
	err->code = ERR_NONE;
	err->text[0] = '\0';
}

const char *err_slug(enum err_code code)
{
	return codes[code].slug;
}

int err_exit_status(enum err_code code)
{
	return codes[code].status;
}
