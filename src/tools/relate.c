#include "base/utf8.h"
#include "ops/related.h"
#include "ops/secret_check.h"
#include "tools/registry.h"

struct relate_args {
	struct slice from;
	struct slice to;
	int type;
	struct arg_json strength;
	struct arg_json metadata;
	int remove;
	int allow_secret; /* for screen_arguments() alone */
};

static const char *const relate_types[] = {
#define X(id, name) name,
	RELATION_TOLD_TYPES(X)
#undef X
		NULL,
};

static const struct param params[] = {
	{PARAM(TEXT, relate_args, from),
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING |
		  PARAM_PLAIN,
	 .help = "ref"},
	{PARAM(TEXT, relate_args, to),
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING |
		  PARAM_PLAIN,
	 .help = "ref"},
	{PARAM(CHOICE, relate_args, type), .flags = PARAM_REQUIRED | PARAM_POSITIONAL | PARAM_PLAIN,
	 .choices = relate_types, .help = "how"},
	{PARAM(NUMBER, relate_args, strength), .flags = PARAM_OPEN_RANGE, .min = 0, .max = 1,
	 .help = "0 to 1", .fallback = "1"},
	{PARAM(OBJECT, relate_args, metadata), .help = "kept with it"},
	{PARAM(BOOL, relate_args, remove), .flags = PARAM_PLAIN, .help = "remove the link"},
	SCREEN_PARAM(relate_args),
};

/* state:a --[supports]--> state:b */
static void relate_add_sentence(struct str *out, const struct link *link)
{
	STR_AUTO scratch = STR_INIT;

	str_adds(out, shown(&scratch, link->from));
	str_printf(out, " --[%s]--> ", relation_type_names[link->relation.type]);
	str_adds(out, shown(&scratch, link->to));
}

static void relate_write_reply(const struct call *call, const struct link *link, const char *what,
			       struct json_writer *w, const struct change_result *result)
{
	STR_AUTO message = STR_INIT;

	str_printf(&message, "Relation %s: ", what);
	relate_add_sentence(&message, link);
	json_write_object(w);
	json_write_member_bool(w, "success", true);
	related_write_link(w, call, "relation_id", link);
	json_write_member_bool(w, what, true);
	json_write_member_string(w, "message", str_slice(&message));
	common_end_change(w, call, result);
}

/* The link of this kind between two refs, as store_links() gives them; NULL when there is none. */
static int relate_find_link(const struct call *call, struct slice from, struct slice to, int type,
			    const struct link **out, struct err *err)
{
	const struct link *links;
	size_t count;

	*out = NULL;
	if (store_links(call->store, &links, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count && !*out; i++) {
		if ((int)links[i].relation.type == type && slice_equal(links[i].from, from) &&
		    slice_equal(links[i].to, to))
			*out = &links[i];
	}
	return 0;
}

/* ---- making one */

static int relate_make(const struct call *call, const struct relate_args *args,
		       struct json_writer *w, struct err *err)
{
	struct link link = {.shown = true};
	struct relation *relation = &link.relation;
	struct change_result result;
	const struct link *there;
	STR_AUTO sentence = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	const struct item *to;
	EDIT_AUTO edit = {0};

	if (common_edit_begin(&edit, call, "from", args->from, err) != 0)
		return -1;
	to = common_find(call, edit.change, "to", args->to, err);
	if (!to)
		return -1;
	/* Both ends, as the store spells them. */
	link.from = arena_copy(call->arena, edit.item->ref);
	link.to = arena_copy(call->arena, to->ref);
	if (to == edit.item)
		return err_set(err, ERR_BAD_VALUE,
			       "to: %s is where the link begins; give another entry",
			       shown(&scratch, link.to));
	if (relate_find_link(call, link.from, link.to, args->type, &there, err) != 0)
		return -1;
	if (there) {
		relate_add_sentence(&sentence, there);
		return err_set(err, ERR_EXISTS,
			       "the link %s exists already, as %s with strength %g; remove it "
			       "first to change it",
			       sentence.ptr, shown(&scratch, there->relation.id),
			       there->relation.strength);
	}
	*relation = (struct relation){
		.from = link.from,
		.to = link.to,
		.type = (enum relation_type)args->type,
		.strength = RELATION_STRENGTH,
		.metadata = common_json(call, args->metadata),
		.created_ms = call->now_ms,
	};
	if (args->strength.doc)
		json_double(args->strength.doc, args->strength.node, &relation->strength);
	if (change_relate(edit.change, relation, &relation->id, err) != 0 ||
	    change_commit(edit.change, &result, err) != 0)
		return -1;
	relate_write_reply(call, &link, "created", w, &result);
	return 0;
}

/* ---- taking one away */

/* The ref that a link whose entry is away is known by. */
static struct slice relate_end_of(const struct call *call, struct slice text)
{
	const struct ref ref = ref_parse(text);
	const struct item *item = store_find(call->store, ref.category, ref.key);

	if (item)
		return arena_copy(call->arena, item->ref);
	return ref.category == CATEGORY_ANY
		       ? text
		       : common_ref(call->arena, (enum category)ref.category, ref.key);
}

static int relate_find_asked(const struct call *call, const struct relate_args *args,
			     struct link *out, struct err *err)
{
	struct link asked = {
		.relation.type = (enum relation_type)args->type,
		.from = relate_end_of(call, args->from),
		.to = relate_end_of(call, args->to),
	};
	const struct link *found;
	STR_AUTO link = STR_INIT;

	if (relate_find_link(call, asked.from, asked.to, args->type, &found, err) != 0)
		return -1;
	if (found) {
		*out = *found;
		return 0;
	}
	relate_add_sentence(&link, &asked);
	return err_set(err, ERR_NOT_FOUND,
		       "there is no link %s; memory_search with relations shows the existing ones",
		       link.ptr);
}

static int relate_take_away(const struct call *call, const struct relate_args *args,
			    struct json_writer *w, struct err *err)
{
	struct change_result result;
	CHANGE_AUTO change = NULL;
	struct link link = {0};

	/* A refused call must not create a store. Under the lock the link may be gone. */
	if (common_refresh(call, err) != 0 || relate_find_asked(call, args, &link, err) != 0 ||
	    common_change_begin(&change, call, err) != 0 ||
	    relate_find_asked(call, args, &link, err) != 0)
		return -1;
	link.relation.id = arena_copy(call->arena, link.relation.id);
	link.relation.metadata = arena_copy(call->arena, link.relation.metadata);
	link.from = arena_copy(call->arena, link.from);
	link.to = arena_copy(call->arena, link.to);
	if (change_unrelate(change, link.relation.id, err) != 0 ||
	    change_commit(change, &result, err) != 0)
		return -1;
	relate_write_reply(call, &link, "removed", w, &result);
	return 0;
}

static int relate_handle(const struct call *call, const void *arguments, struct json_writer *w,
			 struct err *err)
{
	const struct relate_args *args = arguments;

	return args->remove == 1 ? relate_take_away(call, args, w, err)
				 : relate_make(call, args, w, err);
}

const struct tool tool_relate = {
	.name = "memory_relate",
	.command = "relate",
	.title = "Link two memories",
	.section = SECTION_UPKEEP,
	.summary = "Link two refs, or remove the link.",
	TOOL_TAKES(params, relate_args),
	.screen = screen_arguments,
	.run = relate_handle,
};
