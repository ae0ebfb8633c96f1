#include "json/write.h"
#include "store/purge/purge_internal.h"

#include <errno.h>

#define MARK_NAME ".purge"
#define MARK_MAX ((size_t)1 << 20)

static void mark_add_earlier(struct purge_set *set, const struct json *doc, uint32_t node)
{
	uint32_t until = json_member(doc, node, "until");
	uint32_t recorded = json_member(doc, node, "recorded");
	STR_AUTO scratch = STR_INIT;
	struct purge_key *key;
	struct ref ref;

	if (json_member(doc, node, "ref") == JSON_NONE)
		return;
	ref = ref_parse(json_string(doc, json_member(doc, node, "ref"), &scratch));
	if (ref.category == CATEGORY_ANY || ref.key.len == 0)
		return;
	key = &set->keys[purge_set_add(set, (enum category)ref.category, ref.key)];
	if (until != JSON_NONE)
		json_int(doc, until, &key->until_ms);
	if (recorded != JSON_NONE)
		json_bool(doc, recorded, &key->recorded);
}

static bool mark_begin_set(struct purge_set *out, struct slice text)
{
	struct ref ref = ref_parse(text);
	struct purge_key wanted;

	if (ref.category == CATEGORY_ANY || ref.key.len == 0)
		return false;
	purge_key_init(&wanted, (enum category)ref.category, ref.key);
	purge_set_init(out, &wanted);
	purge_key_release(&wanted);
	return true;
}

/* A mark of before is the ref alone. */
static bool mark_read_mark(struct purge_set *out, struct slice text)
{
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	struct json doc;
	uint32_t earlier;
	uint32_t ref;
	bool found;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return mark_begin_set(out, text);
	ref = json_member(&doc, JSON_ROOT, "ref");
	earlier = json_member(&doc, JSON_ROOT, "earlier");
	found = ref != JSON_NONE && mark_begin_set(out, json_string(&doc, ref, &scratch));
	for (uint32_t n = found && earlier != JSON_NONE ? json_first(&doc, earlier) : JSON_NONE;
	     n != JSON_NONE; n = json_next(&doc, n))
		mark_add_earlier(out, &doc, n);
	json_release(&doc);
	return found;
}

int purge_mark_read(struct disk *disk, struct purge_set *out, bool *found, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;

	*found = false;
	if (file_read_own(disk->sys, disk->dirfd, MARK_NAME, MARK_MAX, &text, &id, err) != 0)
		return err_prefix(err, "%s/" MARK_NAME, disk->path);
	if (text.len > 0 && text.ptr[text.len - 1] == '\n')
		str_truncate(&text, text.len - 1);
	*found = mark_read_mark(out, str_slice(&text));
	return 0;
}

int purge_mark_write(struct purging *purging, struct err *err)
{
	const struct purge_set *set = purging->set;
	STR_AUTO text = STR_INIT;
	struct json_writer w;

	json_writer_init(&w, &text, &json_compact);
	json_write_object(&w);
	json_write_member_string(&w, "ref", str_slice(&set->keys[0].ref));
	json_write_name(&w, slice_of("earlier"));
	json_write_array(&w);
	for (size_t i = 1; i < set->count; i++) {
		json_write_object(&w);
		json_write_member_string(&w, "ref", str_slice(&set->keys[i].ref));
		json_write_member_int(&w, "until", set->keys[i].until_ms);
		json_write_member_bool(&w, "recorded", set->keys[i].recorded);
		json_write_end(&w);
	}
	json_write_end(&w);
	json_write_end(&w);
	str_addc(&text, '\n');
	return purge_replace(purging, purging->disk->dirfd, "", MARK_NAME, str_slice(&text), err);
}

int purge_mark_remove(struct purging *purging, struct err *err)
{
	struct disk *disk = purging->disk;

	if ((disk->sys->unlinkat(disk->dirfd, MARK_NAME, 0) != 0 && errno != ENOENT) ||
	    file_fsync(disk->sys, disk->dirfd) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot remove %s/" MARK_NAME, disk->path);
	return 0;
}
