#include "torture/oracle.h"

#include "base/time.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define DAY_MS INT64_C(86400000)

void oracle_init(struct oracle *oracle, int limit, int expiry_days)
{
	*oracle = (struct oracle){.limit = limit, .expiry_ms = expiry_days * DAY_MS};
	oracle->records = calloc(ORACLE_RECORDS, sizeof *oracle->records);
	if (!oracle->records)
		abort();
}

void oracle_release(struct oracle *oracle)
{
	free(oracle->records);
}

void oracle_value(const struct value *value, char out[ORACLE_TEXT])
{
	int at = 0;

	if (value->kind == KIND_ARRAY) {
		snprintf(out, ORACLE_TEXT, "[%.*s]", ORACLE_TEXT - 3, value->text);
		return;
	}
	if (value->kind != KIND_OBJECT) {
		snprintf(out, ORACLE_TEXT, "%s", value->text);
		return;
	}
	for (int i = 0; i < value->members; i++)
		at += snprintf(out + at, (size_t)(ORACLE_TEXT - at), "%c\"%c\":%d", i ? ',' : '{',
			       value->names[i], value->numbers[i]);
	snprintf(out + at, (size_t)(ORACLE_TEXT - at), "%s", value->members ? "}" : "{}");
}

/* Letters and digits in lower case, what is between them one blank. */
static void identity_of(const char *key, char out[40])
{
	int at = 0;

	for (; *key; key++) {
		if (isalnum((unsigned char)*key))
			out[at++] = (char)tolower((unsigned char)*key);
		else if (at > 0 && out[at - 1] != ' ')
			out[at++] = ' ';
	}
	out[at] = '\0';
}

static bool is_same_key(const char *a, const char *b)
{
	char x[40];
	char y[40];

	identity_of(a, x);
	identity_of(b, y);
	return strcmp(x, y) == 0;
}

static struct memo *find(struct oracle *oracle, int category, const char *key)
{
	for (int i = 0; i < oracle->count; i++) {
		struct memo *memo = &oracle->memos[i];

		if ((category == CATEGORY_ANY || (int)memo->category == category) &&
		    is_same_key(memo->key, key))
			return memo;
	}
	return NULL;
}

static void take_out(struct oracle *oracle, struct memo *memo)
{
	int at = (int)(memo - oracle->memos);

	memmove(memo, memo + 1, (size_t)(oracle->count - at - 1) * sizeof *memo);
	oracle->count--;
}

static void record(struct oracle *oracle, const struct memo *memo, const char *reason)
{
	struct record_memo *out = &oracle->records[oracle->record_count++];

	*out = (struct record_memo){
		.category = memo->category,
		.reason = reason,
		.at_ms = oracle->now_ms,
	};
	memcpy(out->key, memo->key, sizeof out->key);
	memcpy(out->value, memo->value, sizeof out->value);
}

static void archive(struct oracle *oracle, struct memo *memo, const char *reason)
{
	record(oracle, memo, reason);
	take_out(oracle, memo);
}

void oracle_expire(struct oracle *oracle)
{
	for (int i = 0; i < oracle->count; i++) {
		struct memo *memo = &oracle->memos[i];

		if (!memo->pinned && oracle->now_ms - memo->active_ms >= oracle->expiry_ms)
			archive(oracle, &oracle->memos[i--], "expiry");
	}
}

static int count_in(const struct oracle *oracle, enum category category, bool pinned)
{
	int count = 0;

	for (int i = 0; i < oracle->count; i++)
		count += oracle->memos[i].category == category &&
			 (!pinned || oracle->memos[i].pinned);
	return count;
}

static void add_ref(struct str *out, enum category category, const char *key)
{
	str_printf(out, "\"%s:%s\"", category_name(category), key);
}

static void add_time(struct str *out, const char *name, int64_t ms)
{
	char text[TIMESTAMP_SIZE];

	timestamp_format(ms, text);
	str_printf(out, ",\"%s\":\"%s\"", name, text);
}

static void begin_reply(struct str *reply, const struct memo *memo)
{
	str_printf(reply, "{\"key\":\"%s\",\"category\":\"%s\"", memo->key,
		   category_name(memo->category));
	add_time(reply, "created_at", memo->created_ms);
	add_time(reply, "last_updated", memo->updated_ms);
}

/* Before a new entry comes: the one that was active least recently goes. */
static void make_room(struct oracle *oracle, enum category category, struct str *evicted)
{
	struct memo *oldest = NULL;

	if (count_in(oracle, category, false) < oracle->limit)
		return;
	for (int i = 0; i < oracle->count; i++) {
		struct memo *memo = &oracle->memos[i];

		if (memo->category == category && !memo->pinned &&
		    (!oldest || memo->active_ms < oldest->active_ms))
			oldest = memo;
	}
	str_adds(evicted, ",\"evicted\":[");
	add_ref(evicted, category, oldest->key);
	str_addc(evicted, ']');
	archive(oracle, oldest, "evicted");
}

static struct memo *insert(struct oracle *oracle, enum category category, const char *key)
{
	int at = 0;

	while (at < oracle->count && oracle->memos[at].category <= category)
		at++;
	memmove(&oracle->memos[at + 1], &oracle->memos[at],
		(size_t)(oracle->count - at) * sizeof *oracle->memos);
	oracle->count++;
	oracle->memos[at] = (struct memo){.category = category, .created_ms = oracle->now_ms};
	snprintf(oracle->memos[at].key, sizeof oracle->memos[at].key, "%s", key);
	return &oracle->memos[at];
}

static enum category infer(const char *key)
{
	char identity[40];

	identity_of(key, identity);
	return strstr(identity, "pref")    ? CATEGORY_PREFERENCES
	       : strstr(identity, "habit") ? CATEGORY_PATTERNS
					   : CATEGORY_STATE;
}

static void give(struct oracle *oracle, struct memo *memo, const struct value *value)
{
	memo->parts = *value;
	oracle_value(value, memo->value);
	memo->updated_ms = oracle->now_ms;
	memo->active_ms = oracle->now_ms;
}

void oracle_set(struct oracle *oracle, int category, const char *key, const struct value *value,
		int pinned, struct str *reply)
{
	STR_AUTO replaced = STR_INIT;
	STR_AUTO evicted = STR_INIT;
	struct memo *memo;
	char text[ORACLE_TEXT];
	enum category in;
	bool pins;

	oracle_expire(oracle);
	memo = find(oracle, category, key);
	in = memo                       ? memo->category
	     : category == CATEGORY_ANY ? infer(key)
					: (enum category)category;
	pins = pinned >= 0 ? pinned : memo && memo->pinned;
	if (pins && count_in(oracle, in, true) - (memo && memo->pinned) + 1 > oracle->limit / 2)
		return;
	oracle_value(value, text);
	if (memo && (strcmp(memo->value, text) != 0 ||
		     (pinned >= 0 && (!memo->pin_given || memo->pinned != pins))))
		oracle->undo++;
	if (memo && (strcmp(memo->key, key) != 0 || strcmp(memo->value, text) != 0))
		str_printf(&replaced, ",\"replaced\":%s", memo->value);
	if (!memo) {
		make_room(oracle, in, &evicted);
		memo = insert(oracle, in, key);
	}
	memo->pinned = pins;
	memo->pin_given = memo->pin_given || pinned >= 0;
	give(oracle, memo, value);
	begin_reply(reply, memo);
	str_printf(reply, "%s%s}", replaced.ptr, evicted.ptr);
}

static void extend_array(struct value *into, const struct value *addition)
{
	char text[ORACLE_TEXT];
	size_t len = strlen(into->text);

	if (addition->kind == KIND_ARRAY)
		snprintf(text, sizeof text, "%s", addition->text);
	else
		oracle_value(addition, text);
	if (*text)
		snprintf(into->text + len, sizeof into->text - len, "%s%s", len ? "," : "", text);
}

static void extend_object(struct value *into, const struct value *addition)
{
	for (int i = 0; i < addition->members; i++) {
		int at = 0;

		while (at < into->members && into->names[at] != addition->names[i])
			at++;
		into->members += at == into->members;
		into->names[at] = addition->names[i];
		into->numbers[at] = addition->numbers[i];
	}
}

/* Words in quotes; what is contained already is not added. */
static void extend_string(struct value *into, const struct value *addition)
{
	char more[ORACLE_TEXT];
	size_t len = strlen(into->text);

	snprintf(more, sizeof more, "%.*s", (int)strlen(addition->text) - 2, addition->text + 1);
	if (strstr(into->text, more))
		return;
	snprintf(into->text + len - 1, sizeof into->text - len + 1, " %s\"", more);
}

void oracle_update(struct oracle *oracle, int category, const char *key,
		   const struct value *addition, struct str *reply)
{
	struct memo *memo;
	struct value merged;
	char text[ORACLE_TEXT];
	bool displaced = false;

	oracle_expire(oracle);
	memo = find(oracle, category, key);
	if (!memo)
		return;
	merged = memo->parts;
	if (merged.kind == KIND_ARRAY)
		extend_array(&merged, addition);
	else if (merged.kind == KIND_OBJECT && addition->kind == KIND_OBJECT)
		extend_object(&merged, addition);
	else if (merged.kind == KIND_STRING && addition->kind == KIND_STRING)
		extend_string(&merged, addition);
	else {
		displaced = merged.kind == KIND_OBJECT;
		merged = *addition;
	}
	oracle_value(&merged, text);
	if (strcmp(text, memo->value) == 0) {
		memo->active_ms = oracle->now_ms;
		begin_reply(reply, memo);
		str_printf(reply, ",\"value\":%s,\"changed\":false}", memo->value);
		return;
	}
	if (displaced)
		record(oracle, memo, "replaced");
	oracle->undo += !displaced;
	give(oracle, memo, &merged);
	begin_reply(reply, memo);
	str_printf(reply, ",\"value\":%s", memo->value);
	if (displaced) {
		char time[TIMESTAMP_SIZE];

		timestamp_format(oracle->now_ms, time);
		str_printf(reply, ",\"archived\":\"%s:%s@%s\"", category_name(memo->category),
			   memo->key, time);
	}
	str_addc(reply, '}');
}

void oracle_delete(struct oracle *oracle, int category, const char *key, struct str *reply)
{
	struct memo *memo;

	oracle_expire(oracle);
	memo = find(oracle, category, key);
	if (!memo)
		return;
	begin_reply(reply, memo);
	str_adds(reply, ",\"deleted\":true}");
	archive(oracle, memo, "deleted");
}

void oracle_clear_state(struct oracle *oracle, struct str *reply)
{
	const char *comma = "";

	oracle_expire(oracle);
	str_printf(reply, "{\"cleared\":%s,\"archived\":[",
		   count_in(oracle, CATEGORY_STATE, false) ? "true" : "false");
	for (int i = 0; i < oracle->count; i++) {
		if (oracle->memos[i].category != CATEGORY_STATE)
			continue;
		str_printf(reply, "%s\"%s\"", comma, oracle->memos[i].key);
		comma = ",";
		archive(oracle, &oracle->memos[i--], "state_clear");
	}
	str_addc(reply, ']');
	if (*comma)
		add_time(reply, "archivedAt", oracle->now_ms);
	str_addc(reply, '}');
}

void oracle_notes(struct oracle *oracle, const char *summary, struct str *reply)
{
	STR_AUTO tail = STR_INIT;
	struct value value = {.kind = KIND_OBJECT};
	struct memo *memo;
	char time[TIMESTAMP_SIZE];

	oracle_expire(oracle);
	memo = find(oracle, CATEGORY_STATE, "conversation_notes");
	timestamp_format(oracle->now_ms, time);
	/* The reply leaves out the record of the previous ones: its time is that of these. */
	if (memo) {
		record(oracle, memo, "replaced");
	} else {
		make_room(oracle, CATEGORY_STATE, &tail);
		memo = insert(oracle, CATEGORY_STATE, "conversation_notes");
	}
	give(oracle, memo, &value);
	snprintf(memo->value, sizeof memo->value, "{\"summary\":\"%s\",\"savedAt\":\"%s\"}",
		 summary, time);
	begin_reply(reply, memo);
	str_printf(reply, "%s}", tail.ptr);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Takes over the texts. */
static void write_refs(char **texts, int count, struct str *reply)
{
	qsort(texts, (size_t)count, sizeof *texts, compare_texts);
	str_adds(reply, "{\"refs\":[");
	for (int i = 0; i < count; i++) {
		str_printf(reply, "%s\"%s\"", i ? "," : "", texts[i]);
		free(texts[i]);
	}
	str_adds(reply, "]}");
}

void oracle_list(struct oracle *oracle, struct str *reply)
{
	char *texts[ORACLE_MEMOS];

	oracle_expire(oracle);
	for (int i = 0; i < oracle->count; i++) {
		struct str ref = STR_INIT;

		ref_add(&ref, oracle->memos[i].category, slice_of(oracle->memos[i].key));
		texts[i] = str_detach(&ref);
	}
	write_refs(texts, oracle->count, reply);
}

void oracle_list_archived(struct oracle *oracle, struct str *reply)
{
	static char *texts[ORACLE_RECORDS];

	oracle_expire(oracle);
	for (int i = 0; i < oracle->record_count; i++) {
		const struct record_memo *record = &oracle->records[i];
		char time[TIMESTAMP_SIZE];
		struct str ref = STR_INIT;

		ref_add(&ref, record->category, slice_of(record->key));
		timestamp_format(record->at_ms, time);
		str_printf(&ref, "@%s", time);
		texts[i] = str_detach(&ref);
	}
	write_refs(texts, oracle->record_count, reply);
}

const struct memo *oracle_get(struct oracle *oracle, enum category category, const char *key)
{
	struct memo *memo;

	oracle_expire(oracle);
	memo = find(oracle, (int)category, key);
	if (memo)
		memo->active_ms = oracle->now_ms;
	return memo;
}
