/*
 * How a text is searched for secrets. For src/secrets only.
 *
 * secret_scan.c walks over the text once. Where the trigger of a rule stands, the rule looks
 * closer: fixed forms are described by the table in rules.c, all others have a function. Whatever
 * a rule looks at is bounded, or is remembered in struct scan: that keeps the search linear.
 */
#ifndef KOTA_SECRETS_SECRET_SCAN_INTERNAL_H
#define KOTA_SECRETS_SECRET_SCAN_INTERNAL_H

#include "secrets/secret_scan.h"

#include <limits.h>

/* ---- alphabets (plain_text.c) */

enum char_class {
	DIGITS,
	LETTERS,
	HEX,         /* small letters only */
	ANY_HEX,     /* capitals, too */
	UPPER_DIGIT, /* capitals and digits */
	UPPER_DASH,  /* and - */
	ALNUM,       /* letters and digits */
	ALNUM_LINE,  /* and _ */
	ALNUM_DASH,  /* and - */
	URL64,       /* and both: base64 for URLs */
	BASE64,      /* letters, digits, + and / */
	ALL64,       /* both kinds of base64, and = */
	WRAPPED64,   /* the same over several lines, whose ends may be escaped */
	DOT64,       /* URL64, . and = */
	TILDE64,     /* URL64, . and ~ */
	HEADER,      /* what the token of a header is made of: ALL64, . and ~ */
	VALUE,       /* a value without quotes: no blank, no quote, none of , ; & */
	CLASSES
};

bool secrets_is_in(enum char_class class, char c);

static inline bool secrets_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool secrets_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool secrets_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool secrets_is_alnum(char c)
{
	return secrets_is_digit(c) || secrets_is_upper(c) || secrets_is_lower(c);
}

static inline char secrets_lower(char c)
{
	return secrets_is_upper(c) ? (char)(c | 0x20) : c;
}

static inline bool secrets_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ---- the text that is searched, and what is known of it so far */

struct scan {
	struct slice text;
	/* Of each class: the last run of it that was measured. */
	struct {
		size_t from;
		size_t end;
	} runs[CLASSES];
	/* The first sign of a placeholder that begins in from..end; start is end when there is
	 * none.
	 */
	struct {
		size_t from;
		size_t end;
		size_t start;
		size_t stop;
	} mark;
};

/* How many bytes of this class stand at `at`. */
size_t secrets_span(struct scan *scan, size_t at, enum char_class class);

/* True if at..at+len has what people write in place of a secret: xxxxxxxx, 12345678, EXAMPLE. */
bool secrets_has_mark(struct scan *scan, size_t at, size_t len);

/* No placeholder and no words; letters of one case are words, but where no other is allowed. */
bool secrets_is_random(struct scan *scan, size_t at, size_t len, enum char_class class);

/* ---- pieces of a text */

/* How many bytes are of this class. */
size_t secrets_count(struct slice text, enum char_class class);

/* The len bytes at `at`, which are there. */
struct slice secrets_part(struct slice text, size_t at, size_t len);

/* True if the prefix stands at `at`: in this case, or in any. False when at is behind the end. */
bool secrets_begins(struct slice text, size_t at, const char *prefix);
bool secrets_begins_anycase(struct slice text, size_t at, const char *prefix);

/* Position of needle at `from` or later, at most `reach` bytes on; else the end of what is seen. */
size_t secrets_seek(struct slice text, size_t from, const char *needle, size_t reach);

/* True if a word begins at `at`, also behind "%3A" and "\n" as encoded text has them. */
bool secrets_at_word(struct slice text, size_t at);

/* One short piece again and again: deadbeefdeadbeef. */
bool secrets_is_repeated(struct slice text);

/* True if the text has capitals, small letters and digits. */
bool secrets_is_mixed(struct slice text);

/* True if these alternate as they do by chance, and not as in aNameOfSeveralWords2. */
bool secrets_is_scrambled(struct slice text);

/* As secrets_has_mark(), of a text by itself; or one short piece repeated. */
bool secrets_is_placeholder(struct slice text);

/* ---- rules (rules.c) */

#define PARTS_MAX 4

/* A run of one alphabet, and what follows it. */
struct part {
	enum char_class class;
	unsigned short min; /* bytes */
	unsigned short max; /* 0: no such part */
	const char *after;  /* NULL: anything that does not continue the run */
};

enum rule_flags {
	MIXED = 1,         /* has capitals, small letters and digits: long enough for all */
	SCRAMBLED = 2,     /* and they alternate: short, or with a prefix that says little */
	WORDS = 4,         /* may be letters of one case alone */
	NOT_HEX = 8,       /* is no checksum behind a word that looks like the prefix */
	ANYCASE = 16,      /* the trigger counts in any case */
	INSIDE = 32,       /* the trigger may stand within a word */
	WARNS = 64,        /* is worth a warning; all others refuse */
	UNLESS_LONG = 128, /* SCRAMBLED when it is shorter than 20 bytes */
};

struct rule {
	const char *name;
	const char *trigger;
	unsigned int flags;
	/*
	 * Looks closer where the trigger stands at `at` and ends `behind`. NULL: the parts say what
	 * follows the trigger.
	 */
	bool (*is_at)(struct scan *scan, size_t at, size_t behind);
	struct part parts[PARTS_MAX];
};

/* Tokens that have a form (rules.c). */
extern const struct rule secrets_rules[];
extern const size_t secrets_rules_count;

/* Values in a place that is made for a secret: "password = ..." (named_values.c). */
extern const struct rule secrets_named_rules[];
extern const size_t secrets_named_rules_count;

/* The rule `index` of both tables, one after the other; NULL behind the last. */
const struct rule *secrets_rule(size_t index);

#endif
