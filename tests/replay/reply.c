#include "replay/reply.h"

#include "base/time.h"
#include "replay/golden.h"

/* An expected field and what the reply has of that name: JSON_NONE when nothing. */
struct field {
	const struct json *want;
	uint32_t want_node;
	const struct json *reply;
	uint32_t node;
};

static bool same_value(const struct field *f)
{
	return f->node != JSON_NONE && golden_equal(f->want, f->want_node, f->reply, f->node);
}

static bool same_instant_text(struct slice a, struct slice b)
{
	int64_t left;
	int64_t right;

	return timestamp_parse(a, true, &left) && timestamp_parse(b, true, &right) && left == right;
}

static bool same_time(const struct field *f)
{
	STR_AUTO left = STR_INIT;
	STR_AUTO right = STR_INIT;

	return f->node != JSON_NONE && json_type(f->reply, f->node) == JSON_STRING &&
	       same_instant_text(json_string(f->want, f->want_node, &left),
				 json_string(f->reply, f->node, &right));
}

/* The reply says category and key apart. */
static bool same_ref(const struct field *f)
{
	uint32_t category = json_member(f->reply, JSON_ROOT, "category");
	uint32_t key = json_member(f->reply, JSON_ROOT, "key");
	STR_AUTO scratch = STR_INIT;
	STR_AUTO ref = STR_INIT;

	if (category == JSON_NONE || key == JSON_NONE)
		return false;
	str_add(&ref, json_string(f->reply, category, &scratch));
	str_addc(&ref, ':');
	str_add(&ref, json_string(f->reply, key, &scratch));
	return slice_equal(json_string(f->want, f->want_node, &scratch), str_slice(&ref));
}

/* What stands before the last "@", "@" included; all of the text when there is none. */
static struct slice before_time(struct slice ref)
{
	const char *at = memrchr(ref.ptr, '@', ref.len);

	return at ? slice_make(ref.ptr, (size_t)(at + 1 - ref.ptr)) : ref;
}

/* Refs are the same text, or category:key@time with times that are the same instant. */
static bool same_listed(const struct json *want, uint32_t a, const struct json *got, uint32_t b)
{
	STR_AUTO left = STR_INIT;
	STR_AUTO right = STR_INIT;
	struct slice x = json_string(want, a, &left);
	struct slice y = json_string(got, b, &right);
	size_t head;

	if (!x.ptr || !y.ptr)
		return false;
	head = before_time(x).len;
	return slice_equal(x, y) || (slice_equal(before_time(x), before_time(y)) &&
				     same_instant_text(slice_make(x.ptr + head, x.len - head),
						       slice_make(y.ptr + head, y.len - head)));
}

static bool same_refs(const struct field *f)
{
	uint32_t b;

	if (f->node == JSON_NONE || json_type(f->reply, f->node) != JSON_ARRAY ||
	    f->want->nodes[f->want_node].count != f->reply->nodes[f->node].count)
		return false;
	b = json_first(f->reply, f->node);
	for (uint32_t a = json_first(f->want, f->want_node); a != JSON_NONE;
	     a = json_next(f->want, a)) {
		if (!same_listed(f->want, a, f->reply, b))
			return false;
		b = json_next(f->reply, b);
	}
	return true;
}

/* How often the text at node is in an array of another document. */
static size_t count_in(const struct json *doc, uint32_t array, const struct json *other,
		       uint32_t node)
{
	size_t count = 0;

	for (uint32_t m = json_first(doc, array); m != JSON_NONE; m = json_next(doc, m))
		count += json_equal(doc, m, other, node);
	return count;
}

/* `archived` is whether a found entry is archived, or the keys that clear_state archived. */
static bool same_archived(const struct field *f)
{
	if (f->node == JSON_NONE || json_type(f->want, f->want_node) != JSON_ARRAY)
		return same_value(f);
	if (json_type(f->reply, f->node) != JSON_ARRAY ||
	    f->want->nodes[f->want_node].count != f->reply->nodes[f->node].count)
		return false;
	for (uint32_t m = json_first(f->want, f->want_node); m != JSON_NONE;
	     m = json_next(f->want, m)) {
		if (count_in(f->reply, f->node, f->want, m) !=
		    count_in(f->want, f->want_node, f->want, m))
			return false;
	}
	return true;
}

/* Fields that are compared in a way of their own. */
static const struct {
	const char *name;
	bool (*same)(const struct field *f);
} fields[] = {
	{"archived", same_archived}, {"archivedAt", same_time},   {"capturedAt", same_time},
	{"created_at", same_time},   {"last_updated", same_time}, {"ref", same_ref},
	{"refs", same_refs},
};

static bool same_field(const struct field *f, struct slice name)
{
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		if (slice_is(name, fields[i].name))
			return fields[i].same(f);
	}
	return same_value(f);
}

static bool fields_agree(const struct json *doc, uint32_t expect, const struct json *reply,
			 struct str *why)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t m = json_first(doc, expect); m != JSON_NONE; m = json_next(doc, m)) {
		struct slice name = json_name(doc, m, &scratch);
		struct field f = {doc, m, reply, json_member_slice(reply, JSON_ROOT, name)};

		if (same_field(&f, name))
			continue;
		golden_show(why, name);
		str_adds(why, ": expected ");
		golden_show(why, json_text(doc, m));
		str_adds(why, ", got ");
		golden_show(why, json_text(reply, f.node));
		return false;
	}
	return true;
}

bool reply_agrees(const struct json *doc, uint32_t expect, struct slice reply, struct str *why)
{
	struct json_fault fault;
	struct json got;
	bool agree;

	if (json_type(doc, expect) != JSON_OBJECT ||
	    json_parse(&got, reply, &json_file_bounds, &fault) != 0) {
		str_adds(why, "expected an object, got ");
		golden_show(why, reply);
		return false;
	}
	agree = fields_agree(doc, expect, &got, why);
	json_release(&got);
	return agree;
}
