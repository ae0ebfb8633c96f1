/*
 * What a store has to say, as a plain model in memory: the eight operations with their limits, as
 * the design describes them and without a line of the store's own code.
 *
 *	oracle_init(&oracle, LIMIT, EXPIRY_DAYS);
 *	oracle.now_ms = ...;
 *	oracle_set(&oracle, CATEGORY_ANY, "k1", &value, -1, &reply);
 *	... compare *reply with the store's reply, and oracle.memos with its files ...
 *
 * For tests/torture/model.c. Replies are the JSON text of the tool; an empty one says that the
 * operation has to be refused. Of values there are strings of words, numbers, arrays of them, and
 * objects of numbers.
 */
#ifndef KOTA_TORTURE_ORACLE_H
#define KOTA_TORTURE_ORACLE_H

#include "base/str.h"
#include "model/category.h"

#include <stdint.h>

#define ORACLE_TEXT 512
#define ORACLE_MEMBERS 6
#define ORACLE_MEMOS 64
#define ORACLE_RECORDS 4096

enum kind { KIND_STRING, KIND_NUMBER, KIND_ARRAY, KIND_OBJECT };

struct value {
	enum kind kind;
	char text[ORACLE_TEXT]; /* compact JSON; of an array without its brackets */
	char names[ORACLE_MEMBERS];
	int numbers[ORACLE_MEMBERS];
	int members;
};

struct memo {
	enum category category;
	char key[40];
	char value[ORACLE_TEXT];
	struct value parts;
	int64_t created_ms;
	int64_t updated_ms;
	int64_t active_ms;
	bool pinned;
	bool pin_given; /* it stands in the entry, be it true or false */
};

struct record_memo {
	enum category category;
	char key[40];
	char value[ORACLE_TEXT];
	const char *reason;
	int64_t at_ms;
};

struct oracle {
	int limit;
	int64_t expiry_ms;
	int64_t now_ms;
	struct memo memos[ORACLE_MEMOS]; /* by category, and then in the order of the file */
	int count;
	struct record_memo *records;
	int record_count;
	size_t undo; /* lines that are kept to undo a change */
};

void oracle_init(struct oracle *oracle, int limit, int expiry_days);
void oracle_release(struct oracle *oracle);

/* The compact text of a value. */
void oracle_value(const struct value *value, char out[ORACLE_TEXT]);

/* What is due goes. Each operation below does this first. */
void oracle_expire(struct oracle *oracle);

/* pinned: 1, 0, or -1 where it is left out. */
void oracle_set(struct oracle *oracle, int category, const char *key, const struct value *value,
		int pinned, struct str *reply);
void oracle_update(struct oracle *oracle, int category, const char *key,
		   const struct value *addition, struct str *reply);
void oracle_delete(struct oracle *oracle, int category, const char *key, struct str *reply);
void oracle_clear_state(struct oracle *oracle, struct str *reply);
void oracle_notes(struct oracle *oracle, const char *summary, struct str *reply);
void oracle_list(struct oracle *oracle, struct str *reply);
void oracle_list_archived(struct oracle *oracle, struct str *reply);

/* The entry, after a hit; NULL when there is none. */
const struct memo *oracle_get(struct oracle *oracle, enum category category, const char *key);

#endif
