#include "secrets/secret_scan_internal.h"

#include <string.h>

/* The shortest text that any rule finds something in: pwd=a1b2c3. */
#define SHORTEST 10

#define RULES_MAX 254
#define NO_RULE 255
#define BUCKETS 1024

/*
 * Which rules two bytes may begin: five bits of each, which are the same for capitals and small
 * letters. Made anew for each text, which costs less than a microsecond.
 */
struct index {
	unsigned char first[BUCKETS];  /* the first rule of each bucket */
	unsigned char next[RULES_MAX]; /* and the next one after each rule */
};

static unsigned int secret_scan_bucket_of(char first, char second)
{
	return ((unsigned int)first & 31U) << 5 | ((unsigned int)second & 31U);
}

const struct rule *secrets_rule(size_t index)
{
	if (index < secrets_rules_count)
		return &secrets_rules[index];
	index -= secrets_rules_count;
	return index < secrets_named_rules_count ? &secrets_named_rules[index] : NULL;
}

static void secret_scan_index_rules(struct index *index)
{
	_Static_assert(RULES_MAX < NO_RULE, "the index has a byte for each rule");
	size_t count = secrets_rules_count + secrets_named_rules_count;

	memset(index->first, NO_RULE, sizeof index->first);
	/* A trigger of one byte ends the list of each bucket that the byte begins. */
	for (size_t i = 0; i < count; i++) {
		const char *trigger = secrets_rule(i)->trigger;

		if (trigger[1])
			continue;
		index->next[i] = index->first[secret_scan_bucket_of(trigger[0], 0)];
		memset(index->first + secret_scan_bucket_of(trigger[0], 0), (int)i, 32);
	}
	for (size_t i = count; i-- > 0;) {
		const char *trigger = secrets_rule(i)->trigger;
		unsigned int bucket = secret_scan_bucket_of(trigger[0], trigger[1]);

		if (!trigger[1])
			continue;
		index->next[i] = index->first[bucket];
		index->first[bucket] = (unsigned char)i;
	}
}

/* The place behind the part at `at`; 0 when something else stands there. */
static size_t secret_scan_part_end(struct scan *scan, size_t at, const struct part *part)
{
	size_t len = secrets_span(scan, at, part->class);
	size_t end = at + len;

	/* Punctuation at the end of a sentence is not part of it. */
	if (len > part->min && scan->text.ptr[end - 1] == '.') {
		len--;
		end--;
	}
	if (len < part->min || len > part->max)
		return 0;
	if (part->after)
		return secrets_begins(scan->text, end, part->after) ? end + strlen(part->after) : 0;
	/* A longer word of another alphabet is something else. */
	if (part->min == part->max && end < scan->text.len && scan->text.ptr[end] != '-' &&
	    secrets_is_in(URL64, scan->text.ptr[end]))
		return 0;
	return end;
}

/* True if what follows the trigger has the parts of the rule, and is no placeholder. */
static bool secret_scan_fits(struct scan *scan, const struct rule *rule, size_t at)
{
	size_t end = at;

	for (size_t i = 0; i < PARTS_MAX && rule->parts[i].max; i++) {
		end = secret_scan_part_end(scan, end, &rule->parts[i]);
		if (end == 0)
			return false;
	}
	struct slice body = secrets_part(scan->text, at, end - at);
	if (rule->flags & WORDS)
		return !secrets_is_repeated(body) && !secrets_has_mark(scan, at, body.len);
	if (((rule->flags & MIXED) && !secrets_is_mixed(body)) ||
	    ((rule->flags & SCRAMBLED) && !secrets_is_scrambled(body)) ||
	    ((rule->flags & UNLESS_LONG) && body.len < 20 && !secrets_is_scrambled(body)) ||
	    ((rule->flags & NOT_HEX) && secrets_count(body, ANY_HEX) == body.len))
		return false;
	return secrets_is_random(scan, at, body.len, rule->parts[0].class);
}

static bool secret_scan_is_at(struct scan *scan, const struct rule *rule, size_t at, bool at_word)
{
	if (!at_word && !(rule->flags & INSIDE))
		return false;
	if (rule->flags & ANYCASE ? !secrets_begins_anycase(scan->text, at, rule->trigger)
				  : !secrets_begins(scan->text, at, rule->trigger))
		return false;
	size_t behind = at + strlen(rule->trigger);
	return rule->is_at ? rule->is_at(scan, at, behind) : secret_scan_fits(scan, rule, behind);
}

/* The first rule of the list that finds something at `at`, warnings only when they are wanted. */
static const struct rule *secret_scan_find_at(struct scan *scan, const struct index *index,
					      unsigned int first, size_t at, bool warnings)
{
	bool at_word = secrets_at_word(scan->text, at);

	for (unsigned int i = first; i != NO_RULE; i = index->next[i]) {
		const struct rule *rule = secrets_rule(i);

		if ((warnings || !(rule->flags & WARNS)) &&
		    secret_scan_is_at(scan, rule, at, at_word))
			return rule;
	}
	return NULL;
}

bool secrets_find(struct slice text, struct secret *out)
{
	struct scan scan = {.text = text};
	struct index index;
	bool found = false;

	if (text.len < SHORTEST)
		return false;
	secret_scan_index_rules(&index);
	for (size_t at = 0; at + 1 < text.len; at++) {
		unsigned int first =
			index.first[secret_scan_bucket_of(text.ptr[at], text.ptr[at + 1])];

		if (first == NO_RULE)
			continue;
		const struct rule *rule = secret_scan_find_at(&scan, &index, first, at, !found);
		if (!rule)
			continue;
		*out = (struct secret){rule->name, !(rule->flags & WARNS)};
		found = true;
		if (out->refuses)
			break;
	}
	return found;
}
