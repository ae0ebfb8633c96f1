#include "mcp/methods.h"

#include "model/category.h"
#include "store/open/store.h"
#include "text/normalize.h"

/* The protocol's own bound. */
#define VALUES_MAX 100

/* What a client has so far, and the values that may become of it. */
struct completion {
	const struct request *request;
	struct json_writer *w;
	struct slice prefix; /* as it was typed; of keys in the form in which they are compared */
	size_t total;
};

static void completion_offer(struct completion *completion, struct slice value,
			     struct slice compared)
{
	struct slice prefix = completion->prefix;

	if (compared.len < prefix.len ||
	    (prefix.len > 0 && memcmp(compared.ptr, prefix.ptr, prefix.len) != 0))
		return;
	if (completion->total++ < VALUES_MAX)
		json_write_string(completion->w, value);
}

/* Keys of a category, or of all; none where there is no store to be had. */
static void completion_offer_keys(struct completion *completion, struct mcp_session *session,
				  int category)
{
	STR_AUTO prefix = STR_INIT;
	struct store *store;
	struct err ignored;
	size_t count;

	if (session_store(session, &store, &ignored) != 0 ||
	    store_refresh(store, session->sys->now_ms(), &ignored) != 0 ||
	    !origin_speaks_unasked(store_origin(store)))
		return;
	normalize_identity(completion->prefix, &prefix);
	completion->prefix = str_slice(&prefix);
	const struct item *items = store_items(store, &count);
	for (size_t i = 0; i < count; i++) {
		bool wanted = category == CATEGORY_ANY || (int)items[i].entry.category == category;

		if (wanted && !items[i].due)
			completion_offer(completion, items[i].entry.key, items[i].identity);
	}
}

/* What may be completed: an argument of a prompt, a part of a resource's name. */
static int completion_offer_all(struct completion *completion, struct mcp_session *session,
				struct slice type, struct slice of, struct slice argument,
				struct failure *failure)
{
	const struct request *request = completion->request;
	/* The category that the client has settled on already, or any. */
	uint32_t context = request_member(request, request->params, "context", JSON_OBJECT);
	uint32_t settled = request_member(request, context, "arguments", JSON_OBJECT);
	STR_AUTO scratch = STR_INIT;

	if (slice_is(type, "ref/prompt") && prompt_takes(of, argument))
		completion_offer_keys(completion, session, CATEGORY_ANY);
	else if (slice_is(type, "ref/resource") && slice_is(argument, "category"))
		for (const char *const *name = category_names; *name; name++)
			completion_offer(completion, slice_of(*name), slice_of(*name));
	else if (slice_is(type, "ref/resource") && slice_is(argument, "key"))
		completion_offer_keys(
			completion, session,
			category_find(request_text(request, settled, "category", &scratch)));
	else
		return failure_set_shown(failure, RPC_INVALID_PARAMS,
					 "There is nothing to complete: ", argument);
	return 0;
}

static int completion_complete(struct mcp_session *session, const struct request *request,
			       struct json_writer *w, struct failure *failure)
{
	struct completion completion = {.request = request, .w = w};
	uint32_t ref = request_member(request, request->params, "ref", JSON_OBJECT);
	uint32_t argument = request_member(request, request->params, "argument", JSON_OBJECT);
	STR_AUTO type_scratch = STR_INIT;
	STR_AUTO of_scratch = STR_INIT;
	STR_AUTO name_scratch = STR_INIT;
	STR_AUTO value_scratch = STR_INIT;
	struct slice type = request_text(request, ref, "type", &type_scratch);
	struct slice of = request_text(request, ref, "name", &of_scratch);
	struct slice name = request_text(request, argument, "name", &name_scratch);

	completion.prefix = request_text(request, argument, "value", &value_scratch);
	if (!type.ptr || !name.ptr || !completion.prefix.ptr)
		return failure_set(failure, RPC_INVALID_PARAMS,
				   "expected ref {type, name or uri} and argument {name, value}");
	json_write_member_object(w, "completion");
	json_write_member_array(w, "values");
	if (completion_offer_all(&completion, session, type, of, name, failure) != 0)
		return -1;
	json_write_end(w);
	json_write_member_int(w, "total", (int64_t)completion.total);
	json_write_member_bool(w, "hasMore", completion.total > VALUES_MAX);
	json_write_end(w);
	return 0;
}

const struct method completion_method = {"completion/complete", ERA_LEGACY | ERA_MODERN, 0,
					 completion_complete};
