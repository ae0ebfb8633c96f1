#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/pastcall.h"
#include "support/toolcall.h"

#include <stdlib.h>
#include <sys/stat.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define RECORDED(name)                                                                             \
	cmocka_unit_test_setup_teardown(name, toolcall_set_up_with_history, toolcall_tear_down)
#define T0 TOOLCALL_T0

#define AB_ID "rel-e920eb89d837"
#define AB "'from':'state:a','to':'state:b','type':'supports','strength':0.5,'created_at':'" T0 "'"
#define NO_RELATIONS "'relations':[],"

static void set_ab(struct teststore *t)
{
	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_replies(t, "set", "{'key':'b','value':2}", NULL);
}

static void relate_ab(struct teststore *t)
{
	set_ab(t);
	toolcall_replies(t, "relate", "{'from':'a','to':'b','type':'supports','strength':0.5}",
			 NULL);
}

static void links_two_entries(void **state)
{
	set_ab(*state);
	toolcall_replies(*state, "relate",
			 "{'from':'A','to':'state:b','type':'supports','strength':0.5}",
			 "{'success':true,'relation_id':'" AB_ID "'," AB
			 ",'created':true,'message':'Relation created: state:a --[supports]--> "
			 "state:b'}");
	toolcall_file_is(*state, "relations.json",
			 "{\n  '" AB_ID "': {\n    'from': 'state:a',\n    'to': 'state:b',\n"
			 "    'type': 'supports',\n    'strength': 0.5,\n    'created_at': '" T0
			 "'\n  }\n}\n");
	toolcall_reply_has(*state, "search", "{'relations':true}",
			   "'relations':[{'id':'" AB_ID "'," AB "}],");
	toolcall_replies(*state, "get", "{'query':'a'}", NULL);
}

static void a_link_has_strength_one_unless_told(void **state)
{
	set_ab(*state);
	toolcall_reply_has(*state, "relate",
			   "{'from':'a','to':'b','type':'related','metadata':{'why':1.0}}",
			   "'strength':1,'metadata':{'why':1.0},");
}

static void a_second_link_of_the_kind_is_refused(void **state)
{
	relate_ab(*state);
	toolcall_later();
	toolcall_refused(*state, "relate", "{'from':'a','to':'B','type':'supports'}", ERR_EXISTS,
			 "the link state:a --[supports]--> state:b exists already, as " AB_ID
			 " with strength 0.5; remove it first to change it");
	toolcall_reply_has(*state, "relate", "{'from':'b','to':'a','type':'supports'}",
			   "'created':true");
	toolcall_reply_has(*state, "relate", "{'from':'a','to':'b','type':'causes'}",
			   "'created':true");
	toolcall_reply_has(*state, "search", "{'relations':true}", "'total_relations':3");
}

static void what_makes_no_sense_changes_nothing(void **state)
{
	struct teststore *t = *state;

	toolcall_refused_with(t, "relate", "{'from':'a','to':'b','type':'related'}", ERR_NOT_FOUND,
			      "from: \"a\" is not in the store");
	toolcall_refused_with(t, "relate", "{'from':'a','to':'b','type':'related','remove':true}",
			      ERR_NOT_FOUND, "there is no link a --[related]--> b");
	assert_false(tmpdir_has(&t->dir, ".kota"));
	set_ab(t);
	toolcall_refused(t, "relate", "{'from':'a','to':'state:A','type':'related'}", ERR_BAD_VALUE,
			 "to: state:a is where the link begins; give another entry");
	toolcall_refused_with(t, "relate", "{'from':'a','to':'preferences:b','type':'related'}",
			      ERR_NOT_FOUND, "to: \"b\" is not in preferences");
	toolcall_refused(t, "relate", "{'from':'a','to':'b','type':'likes'}", ERR_BAD_VALUE, NULL);
	toolcall_refused(t, "relate", "{'from':'a','to':'b'}", ERR_MISSING_ARGUMENT, NULL);
	toolcall_refused(t, "relate", "{'from':'a','to':'b','type':'related','strength':1.5}",
			 ERR_BAD_VALUE, NULL);
	toolcall_refused(t, "relate", "{'from':'a','to':'b','type':'related','metadata':[1]}",
			 ERR_WRONG_TYPE, NULL);
	toolcall_refused_with(t, "relate",
			      "{'from':'a','to':'b','type':'related','metadata':{'token':"
			      "'ghp"
			      "_0aZ9xKq7LmN2pR5sT8vW1yB4cD6fG3hJ0kQe'}}",
			      ERR_BAD_VALUE, "metadata");
	assert_false(tmpdir_has(&t->dir, "relations.json"));
	tmpdir_write(&t->dir, "relations.json", "{,}");
	toolcall_refused_with(t, "relate", "{'from':'a','to':'b','type':'related'}", ERR_BAD_DATA,
			      "relations.json:1:2: ");
	toolcall_refused_with(t, "mv", "{'key':'a','new':'c'}", ERR_BAD_DATA, "relations.json:1:2");
	toolcall_file_is(t, "relations.json", "{,}");
}

static void takes_a_link_away(void **state)
{
	relate_ab(*state);
	toolcall_refused_with(*state, "relate",
			      "{'from':'a','to':'b','type':'causes','remove':true}", ERR_NOT_FOUND,
			      "there is no link state:a --[causes]--> state:b");
	toolcall_replies(*state, "relate", "{'from':'a','to':'b','type':'supports','remove':true}",
			 "{'success':true,'relation_id':'" AB_ID "'," AB
			 ",'removed':true,'message':'Relation removed: state:a --[supports]--> "
			 "state:b'}");
	toolcall_file_is(*state, "relations.json", "{}\n");
}

/* Also when there is nothing left at the end of it. */
static void takes_away_a_link_whose_entry_is_gone(void **state)
{
	toolcall_write_file(*state, "relations.json",
			    "{'x':{'from':'state:a','to':'state:b','mine':1}}");
	toolcall_reply_has(*state, "relate",
			   "{'from':'state:a','to':'state:b','type':'related','remove':true}",
			   "'relation_id':'x'");
	toolcall_file_is(*state, "relations.json", "{}");
}

static void assert_hidden(struct teststore *t)
{
	toolcall_reply_has(t, "search", "{'relations':true}",
			   NO_RELATIONS "'stats':{'total_memories':1,'total_relations':0");
}

static void assert_shown(struct teststore *t, const char *part)
{
	toolcall_reply_has(t, "search", "{'relations':true}", part);
}

static void links_hide_and_come_back_with_their_entry(void **state)
{
	relate_ab(*state);
	toolcall_replies(*state, "delete", "{'key':'a'}", NULL);
	assert_hidden(*state);
	toolcall_replies(*state, "restore", "{'key':'a'}", NULL);
	assert_shown(*state, AB);
	toolcall_replies(*state, "clear-state", "{}", NULL);
	toolcall_reply_has(*state, "search", "{'relations':true}", "'total_relations':0");
	toolcall_replies(*state, "restore", "{'key':'a'}", NULL);
	assert_hidden(*state);
	toolcall_replies(*state, "restore", "{'key':'b'}", NULL);
	assert_shown(*state, AB);
}

static void links_follow_another_name(void **state)
{
	relate_ab(*state);
	toolcall_replies(*state, "mv", "{'key':'a','new':'patterns:c'}", NULL);
	assert_shown(*state, "'relations':[{'id':'" AB_ID "','from':'patterns:c','to':'state:b'");
	toolcall_replies(*state, "mv", "{'key':'b','new':'B'}", NULL);
	assert_shown(*state, "'from':'patterns:c','to':'state:B'");
}

static void opened_entries_say_what_they_are_linked_with(void **state)
{
	relate_ab(*state);
	toolcall_reply_has(*state, "search", "{'refs':['a'],'relations':true}",
			   "'relations':{'outgoing':[{'id':'" AB_ID
			   "','to':'state:b','type':'supports','strength':0.5}],'incoming':[]}");
	toolcall_reply_has(*state, "search", "{'refs':['b'],'relations':true}",
			   "'relations':{'outgoing':[],'incoming':[{'id':'" AB_ID
			   "','from':'state:a','type':'supports','strength':0.5}]}");
}

/* Listed with its links an entry is told in full, page by page. */
static void the_graph_has_all_of_an_entry(void **state)
{
	relate_ab(*state);
	toolcall_replies(*state, "set", "{'key':'c','value':3,'entities':['Go'],'strength':1.5}",
			 NULL);
	toolcall_replies(*state, "reinforce", "{'refs':['c']}", NULL);
	toolcall_reply_has(
		*state, "search", "{'relations':true,'page':3,'page_size':1,'limit':100}",
		"'uses':1,'age_days':0,'review_priority':0,'entities':['Go'],'strength':1.5,"
		"'created_at':'" T0 "','last_active':'" T0 "','last_used':'" T0 "'");
	toolcall_reply_has(*state, "search",
			   "{'relations':true,'page':3,'page_size':1,'limit':100}",
			   NO_RELATIONS "'stats':{'total_memories':3,'total_relations':1,");
	toolcall_reply_has(*state, "search", "{'relations':true,'scope':['active','archived']}",
			   "'status_filter':'active,archived'}");
}

static void undo_takes_links_back(void **state)
{
	relate_ab(*state);
	toolcall_reply_has(*state, "undo", "{}",
			   "'relations':['" AB_ID "'],'unlinked':['" AB_ID "']");
	toolcall_file_is(*state, "relations.json", "{}\n");
	toolcall_reply_has(*state, "undo", "{}", "'relations':['" AB_ID "']");
	assert_shown(*state, AB);
	toolcall_replies(*state, "delete", "{'key':'a'}", NULL);
	assert_hidden(*state);
	toolcall_replies(*state, "undo", "{}", NULL);
	assert_shown(*state, AB);
}

static void undo_of_another_name_takes_links_along(void **state)
{
	struct teststore *t = *state;
	char *before;

	relate_ab(t);
	before = tmpdir_read(&t->dir, "relations.json");
	toolcall_replies(t, "mv", "{'key':'a','new':'c'}", NULL);
	assert_shown(t, "'from':'state:c'");
	toolcall_replies(t, "undo", "{}", NULL);
	assert_shown(t, AB);
	tmpdir_write(&t->dir, "before", before);
	free(before);
	before = tmpdir_read(&t->dir, "relations.json");
	tmpdir_write(&t->dir, "after", before);
	toolcall_file_is(t, "before", before);
	free(before);
}

/* A link that a person has changed since is theirs. */
static void undo_leaves_what_a_person_changed(void **state)
{
	relate_ab(*state);
	toolcall_write_file(*state, "relations.json",
			    "{'" AB_ID "':{'from':'state:a','to':'state:b','mine':1}}");
	toolcall_replies(*state, "set", "{'key':'c','value':1}", NULL);
	pastcall_refused(*state, "undo", "{'change':'%s'}", 2, ERR_EXISTS,
			 "the link " AB_ID " was changed since; ");
	pastcall_replies(*state, "undo", "{'change':'%s','force':true}", 2,
			 "'relations':['" AB_ID "']");
	toolcall_file_is(*state, "relations.json", "{}");
}

static void a_change_by_hand_is_taken_back(void **state)
{
	relate_ab(*state);
	toolcall_write_file(*state, "relations.json", "{'x':{'from':'a','to':'b'},'y':{'n':1}}");
	toolcall_reply_has(*state, "undo", "{}", "'relations':['" AB_ID "','x','y']");
	assert_shown(*state, AB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(links_two_entries),
		TEST(a_link_has_strength_one_unless_told),
		TEST(a_second_link_of_the_kind_is_refused),
		TEST(what_makes_no_sense_changes_nothing),
		TEST(takes_a_link_away),
		TEST(takes_away_a_link_whose_entry_is_gone),
		TEST(links_hide_and_come_back_with_their_entry),
		TEST(links_follow_another_name),
		TEST(opened_entries_say_what_they_are_linked_with),
		TEST(the_graph_has_all_of_an_entry),
		RECORDED(undo_takes_links_back),
		RECORDED(undo_of_another_name_takes_links_along),
		RECORDED(undo_leaves_what_a_person_changed),
		RECORDED(a_change_by_hand_is_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
