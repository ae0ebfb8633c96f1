#include "mcp/session.h"

#include "base/mem.h"
#include "store/open/store.h"
#include "store/txn/change.h"
#include "store/txn/group.h"

#include <stdlib.h>

struct mcp_session *mcp_session_new(const struct sys *sys, environment env, const char *path,
				    const struct tool *const *tools, const char *session_id)
{
	PLACE_AUTO place = {.path = path ? mem_strdup(path) : NULL, .kind = PLACE_NAMED};

	return mcp_session_new_at(sys, env, &place, tools, session_id);
}

struct mcp_session *mcp_session_new_at(const struct sys *sys, environment env,
				       const struct place *place, const struct tool *const *tools,
				       const char *session_id)
{
	struct mcp_session *session = mem_zalloc(1, sizeof *session);

	*session = (struct mcp_session){
		.sys = sys,
		.env = env,
		.tools = tools,
		.id = session_id ? mem_strdup(session_id) : NULL,
		.client = CLIENT_INIT,
	};
	place_copy(&session->place, place);
	return session;
}

void mcp_session_free(struct mcp_session *session)
{
	if (!session)
		return;
	store_close(session->store);
	client_release(&session->client);
	place_release(&session->place);
	free(session->id);
	free(session);
}

int session_store(struct mcp_session *session, struct store **out, struct err *err)
{
	if (!session->place.path &&
	    place_find(&session->place, session->sys, session->env, NULL, err) != 0)
		return -1;
	if (!session->store && store_open_confined(&session->store, session->sys, session->env,
						   &session->place, session->confine, err) != 0)
		return -1;
	*out = session->store;
	return 0;
}

void mcp_session_confine(struct mcp_session *session, struct confine *confine)
{
	struct store *store;
	struct err ignored;

	session->confine = confine;
	/* The call that needs the store reports what is wrong with it. */
	if (confine)
		session_store(session, &store, &ignored);
}

void session_admit(struct mcp_session *session, bool admit)
{
	if (session->store)
		group_admit(session->store, admit);
}

void session_settle(struct mcp_session *session)
{
	struct err ignored;

	if (session->store)
		change_flush(session->store, &ignored);
}
