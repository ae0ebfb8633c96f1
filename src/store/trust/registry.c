#include "store/trust/registry.h"

#include "base/file.h"
#include "base/mem.h"
#include "json/write.h"
#include "store/trust/state_folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define REGISTRY_NAME "stores.json"
#define REGISTRY_BYTES_MAX ((size_t)4 << 20)

static bool registry_read_entry(struct registry *registry, const struct json *doc, uint32_t node,
				struct registered *out)
{
	struct arena *arena = &registry->arena;
	uint32_t links = json_member(doc, node, "links");
	uint32_t trusted = json_member(doc, node, "trusted");
	struct slice inode = json_member_text(doc, node, "inode", arena);
	char *end = NULL;

	*out = (struct registered){
		.id = {.path = json_member_text(doc, node, "path", arena),
		       .born = json_member_text(doc, node, "born", arena),
		       .root = json_member_text(doc, node, "root", arena),
		       .cloned = json_member_text(doc, node, "cloned", arena)},
		.since = json_member_text(doc, node, "since", arena),
		.config = json_member_text(doc, node, "config", arena),
		.name = json_member_text(doc, node, "name", arena),
	};
	if (trusted != JSON_NONE)
		json_bool(doc, trusted, &out->trusted);
	if (!out->id.path.ptr || !out->name.ptr || !inode.len)
		return false;
	out->id.inode = strtoull(inode.ptr, &end, 10);
	if (links == JSON_NONE || json_type(doc, links) != JSON_OBJECT)
		return *end == '\0';
	out->links = arena_alloc(arena, (doc->nodes[links].count + 1) * sizeof *out->links);
	for (uint32_t n = json_first(doc, links); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO name = STR_INIT;
		STR_AUTO target = STR_INIT;

		out->links[out->link_count++] = (struct recorded_link){
			.file = arena_copy(arena, json_name(doc, n, &name)),
			.target = arena_copy(arena, json_string(doc, n, &target)),
		};
	}
	return *end == '\0';
}

static int registry_cannot_understand(struct err *err)
{
	return err_set(err, ERR_BAD_DATA,
		       "the list of your stores, " REGISTRY_NAME
		       " in the state folder, cannot be parsed: fix it, or move it away and trust "
		       "your stores again");
}

static struct registered *registry_append(struct registry *registry)
{
	registry->list = mem_grow(registry->list, &registry->cap, registry->count + 1,
				  sizeof *registry->list);
	return &registry->list[registry->count++];
}

static int registry_read_list(struct registry *registry, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	JSON_AUTO doc = {0};
	bool found;
	int result = 0;

	if (state_file_read(registry->sys, registry->folder, REGISTRY_NAME, REGISTRY_BYTES_MAX,
			    &text, &found, err) != 0)
		return -1;
	if (!found)
		return 0;
	if (json_parse(&doc, str_slice(&text), &json_file_bounds, &fault) != 0)
		return registry_cannot_understand(err);
	uint32_t stores = json_member(&doc, JSON_ROOT, "stores");
	if (stores == JSON_NONE || json_type(&doc, stores) != JSON_ARRAY)
		result = registry_cannot_understand(err);
	for (uint32_t n = result == 0 ? json_first(&doc, stores) : JSON_NONE;
	     n != JSON_NONE && result == 0; n = json_next(&doc, n)) {
		if (!registry_read_entry(registry, &doc, n, registry_append(registry)))
			result = registry_cannot_understand(err);
	}
	return result;
}

int registry_open(struct registry *out, const struct sys *sys, environment env,
		  const char *work_tree, bool change, struct err *err)
{
	struct registry registry = {.sys = sys, .folder = -1, .lock = -1, .arena = ARENA_INIT};

	if (state_folder_open(sys, env, work_tree, change, &registry.folder, err) != 0)
		return -1;
	if ((change && state_folder_lock(sys, registry.folder, &registry.lock, err) != 0) ||
	    (registry.folder >= 0 && registry_read_list(&registry, err) != 0)) {
		registry_close(&registry);
		return -1;
	}
	*out = registry;
	return 0;
}

char *registry_path(environment env)
{
	struct str path = STR_INIT;
	char *folder = state_folder_path(env);

	if (!folder)
		return NULL;
	str_printf(&path, "%s/" REGISTRY_NAME, folder);
	free(folder);
	return str_detach(&path);
}

struct registered *registry_find(const struct registry *registry, const struct store_id *id,
				 enum registry_match *match)
{
	struct registered *by_path = NULL;

	for (size_t i = 0; i < registry->count; i++) {
		struct registered *entry = &registry->list[i];

		if (entry->id.inode == id->inode && id->born.len > 0 &&
		    slice_equal(entry->id.born, id->born)) {
			*match = REGISTRY_SAME_FOLDER;
			return entry;
		}
		if (slice_equal(entry->id.path, id->path))
			by_path = entry;
	}
	*match = by_path ? REGISTRY_SAME_PATH : REGISTRY_NONE;
	return by_path;
}

/* Names what is kept of a store beside the list: never the same twice. */
static struct slice registry_new_name(struct registry *registry)
{
	unsigned char bytes[16] = {0};
	char text[2 * sizeof bytes + 1];

	(void)!registry->sys->getrandom(bytes, sizeof bytes, 0);
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return arena_copy(&registry->arena, slice_of(text));
}

static struct slice registry_copy(struct registry *registry, struct slice text)
{
	return arena_copy(&registry->arena, text.ptr ? text : slice_of(""));
}

struct registered *registry_add(struct registry *registry, const struct store_id *id)
{
	enum registry_match match;
	struct registered *entry = registry_find(registry, id, &match);

	if (match == REGISTRY_SAME_PATH)
		*entry = (struct registered){.name = registry_new_name(registry)};
	if (!entry) {
		entry = registry_append(registry);
		*entry = (struct registered){.name = registry_new_name(registry)};
	}
	entry->id = (struct store_id){
		.path = registry_copy(registry, id->path),
		.inode = id->inode,
		.born = registry_copy(registry, id->born),
		.root = registry_copy(registry, id->root),
		.cloned = registry_copy(registry, id->cloned),
	};
	return entry;
}

void registry_remove(struct registry *registry, struct registered *entry)
{
	size_t at = (size_t)(entry - registry->list);

	memmove(entry, entry + 1, (registry->count - at - 1) * sizeof *entry);
	registry->count--;
}

void registry_set_link(struct registry *registry, struct registered *entry, const char *file,
		       const char *target)
{
	struct recorded_link *links = entry->links;
	struct slice where = arena_copy(&registry->arena, slice_of(target));

	for (size_t i = 0; i < entry->link_count; i++) {
		if (slice_is(links[i].file, file)) {
			links[i].target = where;
			return;
		}
	}
	entry->links = arena_alloc(&registry->arena, (entry->link_count + 1) * sizeof *links);
	if (entry->link_count)
		memcpy(entry->links, links, entry->link_count * sizeof *links);
	entry->links[entry->link_count++] = (struct recorded_link){
		.file = arena_copy(&registry->arena, slice_of(file)), .target = where};
}

static void registry_write_entry(struct json_writer *w, const struct registered *entry)
{
	char inode[24];

	snprintf(inode, sizeof inode, "%" PRIu64, entry->id.inode);
	json_write_object(w);
	json_write_member_string(w, "path", entry->id.path);
	/* As a string: many readers of JSON cannot keep 64 bits in a number. */
	json_write_member_string(w, "inode", slice_of(inode));
	json_write_member_string(w, "born", entry->id.born);
	json_write_member_string(w, "root", entry->id.root);
	json_write_member_string(w, "cloned", entry->id.cloned);
	json_write_member_bool(w, "trusted", entry->trusted);
	json_write_member_string(w, "since", entry->since);
	json_write_member_string(w, "config", entry->config);
	json_write_member_string(w, "name", entry->name);
	json_write_name(w, slice_of("links"));
	json_write_object(w);
	for (size_t i = 0; i < entry->link_count; i++) {
		json_write_name(w, entry->links[i].file);
		json_write_string(w, entry->links[i].target);
	}
	json_write_end(w);
	json_write_end(w);
}

int registry_save(struct registry *registry, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_pretty);

	json_write_object(&w);
	json_write_name(&w, slice_of("stores"));
	json_write_array(&w);
	for (size_t i = 0; i < registry->count; i++)
		registry_write_entry(&w, &registry->list[i]);
	json_write_end(&w);
	json_write_end(&w);
	str_addc(&text, '\n');
	return file_replace(registry->sys, registry->folder, REGISTRY_NAME, str_slice(&text), 0600,
			    FILE_DURABLE, NULL, err);
}

void registry_close(struct registry *registry)
{
	state_folder_unlock(registry->sys, &registry->lock);
	file_close(registry->sys, &registry->folder);
	free(registry->list);
	registry->list = NULL;
	registry->count = registry->cap = 0;
	arena_release(&registry->arena);
}
