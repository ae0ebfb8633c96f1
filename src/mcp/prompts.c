#include "mcp/methods.h"

/* A prompt takes one argument at most. */
struct prompt {
	const char *name;
	const char *title;
	const char *description;
	const char *argument; /* NULL when it takes none; always required */
	const char *argument_description;
	const char *before; /* the text, with the argument in between */
	const char *behind;
};

static const struct prompt prompts[] = {
	{"recall", "Recall from memory", "What is remembered about a subject", "topic",
	 "What to look for", "Look in the memory for what is stored about this: ",
	 "\n\nUse memory_search, and memory_get for single entries. Tell what is there with the "
	 "keys, and say so when there is nothing; do not fill gaps with guesses."},
	{"remember", "Remember this", "Store something for later sessions", "what",
	 "What to remember", "Remember this for later sessions: ",
	 "\n\nLook with memory_search whether it is known already. Then add to that entry with "
	 "memory_update, or store it with memory_set under a key of a few plain words. Say which "
	 "key it has."},
	{"session-summary", "Save where we are", "Keep what was decided and what comes next", NULL,
	 NULL,
	 "Save where this conversation stands with memory_save_conversation_notes: a summary, what "
	 "was decided and why as highlights, and the next steps. Preferences and facts that hold "
	 "beyond it go into entries of their own with memory_set. Then tell me in two sentences "
	 "what was saved.",
	 ""},
};

#define PROMPT_COUNT (sizeof prompts / sizeof *prompts)

static void write_arguments(struct json_writer *w, const struct prompt *prompt)
{
	json_write_member_array(w, "arguments");
	if (prompt->argument) {
		json_write_object(w);
		json_write_member_string(w, "name", slice_of(prompt->argument));
		json_write_member_string(w, "description", slice_of(prompt->argument_description));
		json_write_member_bool(w, "required", true);
		json_write_end(w);
	}
	json_write_end(w);
}

int method_list_prompts(struct mcp_session *session, const struct request *request,
			struct json_writer *w, struct failure *failure)
{
	(void)session;
	if (request_refuse_cursor(request, failure) != 0)
		return -1;
	json_write_member_array(w, "prompts");
	for (size_t i = 0; i < PROMPT_COUNT; i++) {
		json_write_object(w);
		json_write_member_string(w, "name", slice_of(prompts[i].name));
		json_write_member_string(w, "title", slice_of(prompts[i].title));
		json_write_member_string(w, "description", slice_of(prompts[i].description));
		write_arguments(w, &prompts[i]);
		json_write_end(w);
	}
	json_write_end(w);
	if (request->era == ERA_MODERN)
		reply_cache_hints(w);
	return 0;
}

static const struct prompt *prompt_of(struct slice name)
{
	for (size_t i = 0; i < PROMPT_COUNT; i++) {
		if (slice_is(name, prompts[i].name))
			return &prompts[i];
	}
	return NULL;
}

static const struct prompt *find_prompt(const struct request *request, struct failure *failure)
{
	STR_AUTO scratch = STR_INIT;
	struct slice name = request_text(request, request->params, "name", &scratch);
	const struct prompt *found = prompt_of(name);

	if (!name.ptr)
		failure_set(failure, RPC_INVALID_PARAMS,
			    "name: expected the name of a prompt, a string");
	else if (!found)
		failure_set_shown(failure, RPC_INVALID_PARAMS, "Unknown prompt: ", name);
	return found;
}

static int compose(const struct prompt *prompt, const struct request *request, struct str *out,
		   struct failure *failure)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t arguments = request_member(request, request->params, "arguments", JSON_OBJECT);
	struct slice given = slice_of("");

	if (prompt->argument)
		given = request_text(request, arguments, prompt->argument, &scratch);
	if (!given.ptr)
		return failure_set(failure, RPC_INVALID_PARAMS, "%s: expected a string",
				   prompt->argument);
	str_adds(out, prompt->before);
	str_add(out, given);
	str_adds(out, prompt->behind);
	return 0;
}

int method_get_prompt(struct mcp_session *session, const struct request *request,
		      struct json_writer *w, struct failure *failure)
{
	const struct prompt *prompt = find_prompt(request, failure);
	STR_AUTO text = STR_INIT;

	(void)session;
	if (!prompt || compose(prompt, request, &text, failure) != 0)
		return -1;
	json_write_member_string(w, "description", slice_of(prompt->description));
	json_write_member_array(w, "messages");
	json_write_object(w);
	json_write_member_string(w, "role", slice_of("user"));
	json_write_member_object(w, "content");
	json_write_member_string(w, "type", slice_of("text"));
	json_write_member_string(w, "text", str_slice(&text));
	json_write_end(w);
	json_write_end(w);
	json_write_end(w);
	return 0;
}

bool prompt_takes(struct slice name, struct slice argument)
{
	const struct prompt *prompt = prompt_of(name);

	return prompt && prompt->argument && slice_is(argument, prompt->argument);
}
