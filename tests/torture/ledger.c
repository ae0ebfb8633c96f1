#include "torture/ledger.h"

#include "torture/server.h"

#define NOTES_KEY (LEDGER_KEYS - 1)
#define PROBE_KEY (LEDGER_KEYS - 2)

void ledger_init(struct ledger *ledger, unsigned lanes)
{
	ledger->lanes = lanes;
	ledger->used = 0;
	ledger->answers = 0;
	ledger->count = 0;
	memset(ledger->pending, 0, sizeof ledger->pending);
}

bool ledger_has_room(const struct ledger *ledger, unsigned calls)
{
	return ledger->count + calls <= LEDGER_TOKENS;
}

/* Of the keys of a lane every second one is of the category state. */
static bool is_state(unsigned key)
{
	return key % LEDGER_KEYS % 2 == 1;
}

static void add_ref(struct str *out, unsigned key)
{
	str_printf(out, "\"key\":\"%s:k%u\"", is_state(key) ? "state" : "preferences", key);
}

static unsigned new_token(struct ledger *ledger, unsigned key)
{
	ledger->tokens[ledger->count] = (struct token){.key = key, .fate = FATE_ASKED};
	return ledger->count++;
}

static const char *ask_set(struct ledger *ledger, struct pending *p, struct str *arguments)
{
	p->call = CALL_SET;
	p->token = new_token(ledger, p->key);
	str_printf(arguments, "{\"key\":\"k%u\",\"category\":\"%s\",\"value\":[\"t%u\"]}", p->key,
		   is_state(p->key) ? "state" : "preferences", p->token);
	return "memory_set";
}

static const char *ask_update(struct ledger *ledger, struct pending *p, struct str *arguments)
{
	p->call = CALL_UPDATE;
	p->token = new_token(ledger, p->key);
	str_addc(arguments, '{');
	add_ref(arguments, p->key);
	str_printf(arguments, ",\"addition\":\"t%u\"}", p->token);
	return "memory_update";
}

static const char *ask_delete(struct pending *p, struct str *arguments)
{
	p->call = CALL_DELETE;
	str_addc(arguments, '{');
	add_ref(arguments, p->key);
	str_addc(arguments, '}');
	return "memory_delete";
}

static const char *ask_notes(struct ledger *ledger, struct pending *p, unsigned lane,
			     struct str *arguments)
{
	p->call = CALL_NOTES;
	p->key = lane * LEDGER_KEYS + NOTES_KEY;
	p->token = new_token(ledger, p->key);
	str_printf(arguments, "{\"summary\":\"notes\",\"highlights\":[\"t%u\"]}", p->token);
	return "memory_save_conversation_notes";
}

const char *ledger_choose(struct ledger *ledger, struct row *row, unsigned lane,
			  struct str *arguments)
{
	struct pending *p = &ledger->pending[lane];
	unsigned what = row_below(row, 100);

	*p = (struct pending){
		.key = lane * LEDGER_KEYS + row_below(row, PROBE_KEY),
		.asked = ledger->answers,
	};
	ledger->used |= 1u << lane;
	str_clear(arguments);
	if (what < 10 && lane == 0)
		return ask_notes(ledger, p, lane, arguments);
	if (what < 20) {
		p->call = CALL_CLEAR;
		str_adds(arguments, "{}");
		return "memory_clear_state";
	}
	if (what < 35)
		return ask_delete(p, arguments);
	if (what < 55)
		return ask_update(ledger, p, arguments);
	return ask_set(ledger, p, arguments);
}

const char *ledger_probe(struct ledger *ledger, unsigned lane, struct str *arguments)
{
	struct pending *p = &ledger->pending[lane];

	*p = (struct pending){.key = lane * LEDGER_KEYS + PROBE_KEY, .asked = ledger->answers};
	str_clear(arguments);
	return ask_set(ledger, p, arguments);
}

/* What the key held is out of service. */
static void retire_key(struct ledger *ledger, unsigned key, unsigned but)
{
	for (unsigned t = 0; t < ledger->count; t++) {
		struct token *token = &ledger->tokens[t];

		if (t != but && token->key == key && token->fate == FATE_LIVE)
			token->fate = FATE_GONE;
	}
}

/* Did memory_clear_state meet this token, or was it out of service by then? */
static bool is_cleared_by(const struct token *token, const struct pending *p)
{
	return is_state(token->key) && token->fate == FATE_LIVE && token->answered < p->asked;
}

static void retire_cleared(struct ledger *ledger, const struct pending *p)
{
	for (unsigned t = 0; t < ledger->count; t++) {
		if (is_cleared_by(&ledger->tokens[t], p))
			ledger->tokens[t].fate = FATE_GONE;
	}
}

static void acknowledge(struct ledger *ledger, const struct pending *p)
{
	struct token *token = &ledger->tokens[p->token];

	if (p->call == CALL_CLEAR) {
		retire_cleared(ledger, p);
		return;
	}
	if (p->call != CALL_UPDATE)
		retire_key(ledger, p->key, p->token);
	if (p->call != CALL_DELETE) {
		token->fate = FATE_LIVE;
		token->answered = ledger->answers;
	}
}

static bool writes_token(const struct pending *p)
{
	return p->call == CALL_SET || p->call == CALL_UPDATE || p->call == CALL_NOTES;
}

/* Ends the pending call of a lane, as made or as not made. */
static void settle(struct ledger *ledger, unsigned lane, bool made)
{
	struct pending *p = &ledger->pending[lane];

	if (made)
		acknowledge(ledger, p);
	else if (writes_token(p))
		ledger->tokens[p->token].fate = FATE_REFUSED;
	p->call = CALL_NONE;
}

void ledger_answer(struct ledger *ledger, struct row *row, unsigned lane, struct slice reply)
{
	const struct pending *p = &ledger->pending[lane];
	bool ok = reply_is_ok(reply);

	/* What is evicted or cleared meanwhile can be neither updated nor deleted. */
	if (!ok && p->call != CALL_UPDATE && p->call != CALL_DELETE)
		row_violation(row, "k%u is refused: %.*s", p->key, (int)reply.len, reply.ptr);
	ledger->answers++;
	ledger->acknowledged += ok;
	settle(ledger, lane, ok);
}

/* ---- judging */

/* Is nothing of the key in service any more? */
static bool key_is_gone(const struct ledger *ledger, unsigned key)
{
	for (unsigned t = 0; t < ledger->count; t++) {
		const struct token *token = &ledger->tokens[t];

		if (token->key == key && token->fate == FATE_LIVE && token->active > 0)
			return false;
	}
	return true;
}

/* memory_clear_state without an answer: all that it met, or nothing of it. */
static bool clear_was_made(const struct ledger *ledger, struct row *row, const struct pending *p)
{
	unsigned stayed = 0;
	unsigned left = 0;

	for (unsigned t = 0; t < ledger->count; t++) {
		const struct token *token = &ledger->tokens[t];

		if (!is_cleared_by(token, p))
			continue;
		stayed += token->active > 0;
		left += token->cleared > 0 && !token->was_archived;
	}
	/* Of several lanes another one may have cleared what was there before. */
	if (stayed > 0 && left > 0 && (ledger->used & (ledger->used - 1)) == 0)
		row_violation(row, "state is half cleared: %u stayed, %u are archived", stayed,
			      left);
	return stayed == 0;
}

static void settle_pending(struct ledger *ledger, struct row *row)
{
	for (unsigned lane = 0; lane < ledger->lanes; lane++) {
		const struct pending *p = &ledger->pending[lane];
		bool made = false;

		if (p->call == CALL_CLEAR)
			made = clear_was_made(ledger, row, p);
		else if (p->call == CALL_DELETE)
			made = key_is_gone(ledger, p->key);
		else if (p->call != CALL_NONE)
			made = ledger->tokens[p->token].active + ledger->tokens[p->token].archived +
				       ledger->tokens[p->token].undo >
			       0;
		settle(ledger, lane, made);
	}
}

static const char *fault_of(const struct token *token)
{
	unsigned kept = token->active + token->archived;

	if (token->active > 1 || token->archived > 1 || kept > 1)
		return "is doubled";
	if (token->fate == FATE_REFUSED && kept + token->undo > 0)
		return "was refused and is there";
	if (token->fate == FATE_LIVE && kept == 0)
		return "is missing";
	if (token->fate == FATE_GONE && token->active > 0)
		return "is back";
	if (token->fate == FATE_GONE && kept + token->undo == 0)
		return "is missing from the archive";
	return NULL;
}

static void judge_tokens(const struct ledger *ledger, struct row *row)
{
	for (unsigned t = 0; t < ledger->count; t++) {
		const struct token *token = &ledger->tokens[t];
		const char *fault = fault_of(token);

		if (fault)
			row_violation(row, "t%u of k%u %s: %u active, %u archived, %u to undo", t,
				      token->key, fault, token->active, token->archived,
				      token->undo);
	}
}

void ledger_judge(struct ledger *ledger, struct row *row, const char *dir)
{
	ledger_tally(ledger, row, dir);
	settle_pending(ledger, row);
	judge_tokens(ledger, row);
	ledger->used = 0;
}
