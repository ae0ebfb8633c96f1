#include "store/history/recorded_doc.h"

#include "git/repo_state.h"

void recorded_doc_release(struct recorded_doc *cache)
{
	if (cache->parsed)
		json_release(&cache->doc);
	cache->parsed = false;
	str_release(&cache->text);
}

const struct json *recorded_doc_of(struct recorded_doc *cache, struct repo *repo,
				   const char *file_name)
{
	struct json_fault fault;
	struct object_id head;
	struct object_id blob;
	struct err ignored;

	/* HEAD was checked when the store was locked. */
	repo->recorded_on = true;
	int found = repo_head(repo, &head, &ignored);
	repo->recorded_on = false;
	/* One change may ask for thousands of entries. */
	if (found == 0 && cache->parsed && cache->file_name == file_name &&
	    object_id_equal(&head, &cache->head))
		return &cache->doc;
	if (found != 0 || repo_file_at(repo, &head, file_name, &blob, &ignored) != 0 ||
	    object_id_is_none(&blob))
		return NULL;
	cache->head = head;
	cache->file_name = file_name;
	if (cache->parsed && object_id_equal(&blob, &cache->blob))
		return &cache->doc;
	recorded_doc_release(cache);
	if (repo_blob_read(repo, &blob, &cache->text, &ignored) != 0 ||
	    json_parse(&cache->doc, str_slice(&cache->text), &json_file_bounds, &fault) != 0)
		return NULL;
	cache->blob = blob;
	cache->parsed = true;
	return &cache->doc;
}
