/*
 * The one error type: a code and one sentence that says what is wrong and what would be right.
 *
 * Functions that can fail take `struct err *err` last, return 0 or -1, and leave their outputs
 * untouched on failure. The library never logs and never exits; who called decides. The caller
 * owns the struct; it holds no memory. err may not be NULL.
 */
#ifndef KOTA_BASE_ERR_H
#define KOTA_BASE_ERR_H

#include <stddef.h>

/* id, slug (its name in text), exit status of the program (what scripts see) */
#define ERR_CODES(X)                                                                               \
	X(NONE, "none", 0)                                                                         \
	X(MISSING_ARGUMENT, "missing_argument", 2)                                                 \
	X(BLANK_ARGUMENT, "blank_argument", 2)                                                     \
	X(WRONG_TYPE, "wrong_type", 2)                                                             \
	X(BAD_VALUE, "bad_value", 2)                                                               \
	X(UNKNOWN_ARGUMENT, "unknown_argument", 2)                                                 \
	X(UNKNOWN_OPERATION, "unknown_operation", 2)                                               \
	X(USAGE, "usage", 2)                                                                       \
	X(NOT_FOUND, "not_found", 1)                                                               \
	X(EXISTS, "exists", 1)                                                                     \
	X(TOO_LARGE, "too_large", 65)                                                              \
	X(STORE_FULL, "store_full", 65)                                                            \
	X(BAD_DATA, "bad_data", 65)                                                                \
	X(BAD_FORMAT, "bad_format", 65)                                                            \
	X(NO_HISTORY, "no_history", 69)                                                            \
	X(UNREACHABLE, "unreachable", 69)                                                          \
	X(INTERNAL, "internal", 70)                                                                \
	X(CANNOT_WRITE, "cannot_write", 73)                                                        \
	X(IO, "io", 74)                                                                            \
	X(BUSY, "busy", 75)

enum err_code {
#define X(id, slug, status) ERR_##id,
	ERR_CODES(X)
#undef X
};

/* Longest sentence, in bytes, with its terminator; longer ones are cut at a character. */
#define ERR_TEXT_MAX 1024

struct err {
	enum err_code code;
	char text[ERR_TEXT_MAX];
};

/*
 * Fills err with a code and a printf-style sentence. Always returns -1, so that a function can
 * `return err_set(...)`. No argument may point into err: that is what err_prefix is for.
 */
int err_set(struct err *err, enum err_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As err_set(), with ": " and the text of errno value `number` at the end. */
int err_set_errno(struct err *err, enum err_code code, int number, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Puts a printf-style text and ": " before the sentence in err. Always returns -1. */
int err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Puts `folder` and "/" before the first occurrence of the name in the sentence, or, if the name is
 * not in it, `folder` and ": " before the whole sentence. Always returns -1.
 */
int err_in_folder(struct err *err, const char *folder, const char *name);

/*
 * The code for errno value `number` from a call that was to change the store: CANNOT_WRITE if the
 * place does not accept it (full, over quota, read-only, not allowed), IO for everything else.
 */
enum err_code err_code_of_write(int number);

/* No error. */
void err_clear(struct err *err);

/* The code's name, as tests and recorded cases spell it; static storage. */
const char *err_slug(enum err_code code);

/* The exit status that the program leaves with for this code. */
int err_exit_status(enum err_code code);

/*
 * Reports progress to a caller who waits.
 *
 * The caller makes a struct progress and hands it down. The code that works calls progress_step()
 * at the beginning of each turn of a loop that may take long, with the number of the turn. A step
 * reads the clock, so a turn should take some microseconds. NULL: nobody waits.
 */

struct progress {
	/* what: a few words, valid for the call; total 0: unknown. */
	void (*step)(void *context, const char *what, size_t done, size_t total);
	void *context;
};

static inline void progress_step(const struct progress *progress, const char *what, size_t done,
				 size_t total)
{
	if (progress)
		progress->step(progress->context, what, done, total);
}

#endif
