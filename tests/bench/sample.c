#include "bench/sample.h"

#include "json/write.h"
#include "model/category.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* Entries that the default limits allow. */
#define DEFAULT_ENTRIES 500

static const char *const subjects[] = {"billing", "deploy", "editor",  "garden", "hiring",
				       "kitchen", "laptop", "meeting", "office", "parser",
				       "quarter", "report", "server",  "travel", "website",
				       "budget",  "camera", "dentist", "engine", "festival"};
static const char *const aspects[] = {"owner",  "deadline", "password hint", "address",    "color",
				      "vendor", "schedule", "backup",        "language",   "phone",
				      "theme",  "window",   "contract",      "repository", "format",
				      "region", "version",  "reviewer",      "invoice",    "route",
				      "limit",  "holiday",  "printer",       "account",    "title"};
static const char *const syllables[] = {"ba", "do", "fi", "gu", "ka", "lo", "mi",
					"nu", "pe", "ra", "so", "ti", "va"};

/* A word of so many syllables for each number below 13 to that power. */
static void add_word(struct str *out, size_t number, int length)
{
	for (int i = 0; i < length; i++) {
		str_adds(out, syllables[number % COUNT(syllables)]);
		number /= COUNT(syllables);
	}
}

void sample_key(struct str *out, size_t n)
{
	size_t pairs = COUNT(subjects) * COUNT(aspects);

	str_printf(out, "%s %s", subjects[n % COUNT(subjects)],
		   aspects[n / COUNT(subjects) % COUNT(aspects)]);
	if (n >= pairs) {
		str_addc(out, ' ');
		add_word(out, n / pairs * 7 % 169, 2);
		if (n / pairs >= 169)
			str_adds(out, " again");
	}
}

void sample_typo(struct str *out, size_t n)
{
	size_t from = out->len;
	size_t at = from + 2;
	char letter;

	sample_key(out, n);
	if (out->ptr[at] == out->ptr[at + 1])
		at++;
	letter = out->ptr[at];
	out->ptr[at] = out->ptr[at + 1];
	out->ptr[at + 1] = letter;
}

void sample_name(struct str *out, size_t n)
{
	/* The second part keeps names apart of which the first one is nearly the same. */
	if (n >= DEFAULT_ENTRIES)
		add_word(out, n * 94121 % 371293, 5);
	add_word(out, n * 941 % 2197, 3);
}

/* Text of many words, some of them often: the k-th of entry n. */
static void add_filler(struct str *out, size_t n, size_t k)
{
	size_t chance = (n * 2654435761u + k * 40503u) >> 7;

	str_addc(out, ' ');
	if (chance % 3 == 0)
		str_adds(out, subjects[chance / 3 % COUNT(subjects)]);
	else if (chance % 3 == 1)
		str_adds(out, aspects[chance / 3 % COUNT(aspects)]);
	else
		add_word(out, chance / 3 % 28561, 4);
}

void sample_value(struct str *out, size_t n, size_t bytes)
{
	size_t from = out->len;

	str_adds(out, "ask ");
	sample_name(out, n);
	str_adds(out, " about it before the end of the month, not by mail");
	for (size_t k = 0; out->len - from < bytes; k++)
		add_filler(out, n, k);
}

/* Entries as a person may write them, so that as many as may be fit into as many bytes as may be.
 */
static void write_category(const struct tmpdir *dir, size_t category, size_t entries,
			   size_t value_bytes)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO text = STR_INIT;
	STR_AUTO key = STR_INIT;
	STR_AUTO value = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_pretty);

	json_write_object(&w);
	for (size_t n = category * entries; n < (category + 1) * entries; n++) {
		str_clear(&key);
		str_clear(&value);
		sample_key(&key, n);
		sample_value(&value, n, value_bytes);
		json_write_member_string(&w, key.ptr, str_slice(&value));
	}
	json_write_end(&w);
	str_printf(&name, "%s.json", category_name((enum category)category));
	tmpdir_write_slice(dir, name.ptr, str_slice(&text));
}

void sample_write(const struct tmpdir *dir, size_t entries, size_t value_bytes)
{
	static const char limits[] = "{\"limits\":{\"entries_per_category\":1000000,"
				     "\"total_bytes\":1000000000}}\n";

	if (entries > DEFAULT_ENTRIES)
		tmpdir_write_slice(dir, "config.json", slice_of(limits));
	for (size_t c = 0; c < CATEGORY_COUNT; c++)
		write_category(dir, c, entries / CATEGORY_COUNT, value_bytes);
}
