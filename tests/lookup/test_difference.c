#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lookup/lookup.h"

#define STORED_MAX 4

/* Asks a store of these keys, the last of them NULL; all values say the same. */
static struct lookup *index_of(const char *const keys[STORED_MAX], const char *value)
{
	struct lookup *index = lookup_new(NULL, 0);

	for (size_t i = 0; i < STORED_MAX && keys[i]; i++)
		lookup_add(index, &(struct lookup_item){.key = slice_of(keys[i]),
							.ref = slice_of(keys[i]),
							.value = slice_of(value)});
	return index;
}

/* One key is stored, another is asked for. differs: "asked stored", or NULL for an answer. */
static void check(const char *key, const char *query, const char *asked, const char *stored)
{
	struct lookup *index = index_of((const char *const[STORED_MAX]){key}, "\"entry one\"");
	struct lookup_answer answer;

	lookup_find(index, slice_of(query), LOOKUP_ANY_SCOPE, &answer);
	if (answer.found == (asked != NULL))
		fail_msg("%s for %s: %s", key, query, answer.found ? "answered" : "not answered");
	if (asked) {
		assert_int_equal(answer.also_count, 1);
		if (!slice_is(answer.also[0].asked, asked) ||
		    !slice_is(answer.also[0].stored, stored))
			fail_msg("%s for %s: %.*s, %.*s", key, query, (int)answer.also[0].asked.len,
				 answer.also[0].asked.ptr, (int)answer.also[0].stored.len,
				 answer.also[0].stored.ptr);
	}
	lookup_free(index);
}

static void another_word_of_the_language_is_another_thing(void **state)
{
	(void)state;
	check("payer_account", "payee_account", "payee", "payer");
	check("max_connections", "min_connections", "min", "max");
	check("install_path", "uninstall_path", "uninstall", "install");
	check("form_height", "what is the farm height?", "farm", "form");
	check("from_address", "form_address", "form", "from");
	check("north_gate_code", "northern gate code", NULL, NULL);
	check("license_holder", "licensee_holder", "licensee", "license");
	check("route_table", "router_table", "router", "route");
	check("check", "checker", "checker", "check");
	check("getUserById", "getOrderById", "order", "user");
	check("prenatal_class", "postnatal_class", "postnatal", "prenatal");
	check("hypertension_plan", "hypotension_plan", "hypotension", "hypertension");
	check("ingress_rule", "egress_rule", "egress", "ingress");
	check("appellant_brief", "appellee_brief", "appellee", "appellant");
	check("left_knee", "what about the right knee?", "right", "left");
	check("visit_leo", "visit_mia", "mia", "leo");
	check("parseHTTPResponse", "parseHTTPRequest", "request", "response");
}

static void another_form_of_a_word_is_the_same_thing(void **state)
{
	(void)state;
	check("boiler_service", "when is the boiler serviced?", NULL, NULL);
	check("nut_allergy", "which nuts am I allergic to?", NULL, NULL);
	check("sunil", "Sunils Firma", NULL, NULL);
	check("sunil", "was ist Sunils Firma?", NULL, NULL);
	check("sunil_lamp", "Sunils Firma", "firma", "lamp");
	/* who does it, where a question asks for that */
	check("billing_owner", "who owns billing?", NULL, NULL);
	check("piano_teacher", "who teaches the piano?", NULL, NULL);
	check("drone_operator", "who operates the drone?", NULL, NULL);
	/* what only ends like a name of who does it */
	check("color_token", "coloring token", NULL, NULL);
	check("filter_setup", "filtering setup", NULL, NULL);
	check("release_managers", "who manages the release?", NULL, NULL);
	check("billing_owner", "what owns billing?", "owns", "owner");
	check("piano_teacher", "who tunes the piano?", "tunes", "teacher");
}

static void another_spelling_and_a_short_name_are_the_same_word(void **state)
{
	(void)state;
	check("harbour_master", "harbor master", NULL, NULL);
	check("spot_color", "what is the spot colour?", NULL, NULL);
	check("tyre_pressure", "tire pressure", NULL, NULL);
	check("repo_url", "repository url", NULL, NULL);
	check("environment_file", "env file", NULL, NULL);
	check("cfg_path", "what is the configuration path?", NULL, NULL);
	check("mgr_phone", "manager phone", NULL, NULL);
	check("env_file", "envelope file", "envelope", "env");
}

static void counterparts_are_other_things(void **state)
{
	(void)state;
	check("prod_bucket", "preprod_bucket", "preprod", "prod");
	check("vat_rate_de", "vat_rate_dk", "dk", "de");
	check("http_listener", "https_listener", "https", "http");
	check("mysql_settings", "psql_settings", "psql", "mysql");
	check("ssh_config_laptop", "ssh_config_desktop", "desktop", "laptop");
}

static void numbers_and_letters_tell_apart(void **state)
{
	(void)state;
	check("gate_code_1a", "gate_code_1b", "1b", "1a");
	check("config_v1", "config_v1.1", "1", "v1");
	check("server_a", "server_b", "b", "a");
	check("v2.14.3", "2.14.3", NULL, NULL);
	check("v3.9.2", "v3.2.9", "2", "9");
	check("scan_5.3.2026", "scan 2026-3-5", NULL, NULL);
	check("scale_2_1_2", "scale 2 1 2", NULL, NULL);
	check("RFC-0042", "RFC 42", NULL, NULL);
	check("abcdefx", "abcdefz", NULL, NULL);
}

static void a_slip_is_an_answer(void **state)
{
	(void)state;
	check("payer_account", "payer_acount", NULL, NULL);
	check("payer_account", "paeyr account", NULL, NULL);
	check("business_hours", "bussiness hours", NULL, NULL);
	check("release_owner", "relase ownner", NULL, NULL);
	check("frame_rate", "frame rait", NULL, NULL);
	check("frame_rate", "frame bait", "bait", "rate");
	check("server_status", "statuss server", NULL, NULL);
	check("demo_daten", "demodaten", NULL, NULL);
	check("ratelimit", "rate limit", NULL, NULL);
	check("storage_files", "storing files", NULL, NULL);
	check("coach_timestep", "coach time step", NULL, NULL);
	check("passport_expiry", "when does the passport expire?", NULL, NULL);
	check("bag_weight", "what does the bag weigh?", NULL, NULL);
	check("article_12_summary", "what does article 12 say?", NULL, NULL);
	check("a94f1c07be2d", "a94f1c07", NULL, NULL);
}

static void who_types_a_rare_word_may_have_meant_a_common_one(void **state)
{
	(void)state;
	check("stage_files", "shag files", NULL, NULL);
	check("house_style", "house stile", NULL, NULL);
	check("shag_carpet", "stage carpet", "stage", "shag");
	check("mail_folder", "mall folder", "mall", "mail");
	check("goal_list", "gal list", NULL, NULL);
}

static void a_word_that_no_list_has_is_a_slip_of_what_it_resembles(void **state)
{
	(void)state;
	check("import_numpy", "import scipy", "scipy", "numpy");
	check("shadow_map.cpp", "shadow_map.hlsl", "hlsl", "cpp");
	check("uid_range", "gid_range", "gid", "uid");
	check("notification_volume", "notif volume", NULL, NULL);
}

static void more_or_less_of_the_same_is_an_answer(void **state)
{
	(void)state;
	check("customer_invoice_address", "customer address", NULL, NULL);
	check("invoice", "customer invoice", NULL, NULL);
}

/* The answer's own word that it says nothing about; NULL where it accounts for all. */
static void check_extra(const char *key, const char *query, const char *extra)
{
	struct lookup *index = index_of((const char *const[STORED_MAX]){key}, "\"entry one\"");
	struct lookup_answer answer;

	lookup_find(index, slice_of(query), LOOKUP_ANY_SCOPE, &answer);
	assert_true(answer.found);
	if (answer.also_count != (extra != NULL))
		fail_msg("%s for %s: %zu named", key, query, answer.also_count);
	if (extra && (!slice_is(answer.also[0].asked, extra) || answer.also[0].stored.len ||
		      answer.also[0].item != answer.item))
		fail_msg("%s for %s: %.*s", key, query, (int)answer.also[0].asked.len,
			 answer.also[0].asked.ptr);
	lookup_free(index);
}

static void what_the_answer_says_nothing_about_is_named(void **state)
{
	(void)state;
	check_extra("invoice", "customer invoice", "customer");
	check_extra("react_version", "native react version", "native");
	check_extra("react_version", "what is the react version?", NULL);
	check_extra("react_version", "react version of the entry", NULL);
	check_extra("react_version", "react versoin", NULL);
	check_extra("react_version", "prefered react version", NULL);
	check_extra("react_version", "preferred react version", NULL);
	check_extra("customer_invoice_address", "customer address", NULL);
}

static void other_languages_go_by_the_store_and_one_edit(void **state)
{
	(void)state;
	check("пароль_склада", "пароль_склвда", NULL, NULL);
	check("ключ_тестовый", "ключ_боевой", "боевой", "тестовый");
	check("默认编辑器", "默认浏览器", "浏", "编");
	check("默认编辑器", "默认编缉器", NULL, NULL);
	check("会议室_三楼", "会议室_五楼", "五", "三");
	check("vuelo_ida", "¿cuál es el vuelo de vuelta?", "vuelta", "ida");
}

static void a_word_of_another_entry_is_another_word(void **state)
{
	static const char *const keys[STORED_MAX] = {"zorbin_port", "zorbix_name"};
	struct lookup *index = index_of(keys, "1");
	struct lookup_answer answer;

	(void)state;
	lookup_find(index, slice_of("zorbix_port"), LOOKUP_ANY_SCOPE, &answer);
	assert_false(answer.found);
	assert_true(slice_is(answer.also[0].asked, "zorbix"));
	lookup_remove(index, 1);
	lookup_find(index, slice_of("zorbix_port"), LOOKUP_ANY_SCOPE, &answer);
	assert_true(answer.found);
	lookup_free(index);
}

static void what_the_value_says_is_not_asked_of_the_key(void **state)
{
	const char *const keys[STORED_MAX] = {"billing_team"};
	struct lookup *index = index_of(keys, "\"four people in Porto, led by Rui\"");
	struct lookup_answer answer;

	(void)state;
	lookup_find(index, slice_of("billing porto"), LOOKUP_ANY_SCOPE, &answer);
	assert_true(answer.found);
	lookup_free(index);
}

/* The value has a number; does the key answer the query? */
static void check_number(const char *value, const char *query, const char *asked)
{
	const char *const keys[STORED_MAX] = {"washing_machine"};
	struct lookup *index = index_of(keys, value);
	struct lookup_answer answer;

	lookup_find(index, slice_of(query), LOOKUP_ANY_SCOPE, &answer);
	if (answer.found == (asked != NULL))
		fail_msg("%s: %s", query, answer.found ? "answered" : "not answered");
	if (asked)
		assert_true(slice_is(answer.also[0].asked, asked));
	lookup_free(index);
}

static void another_number_of_the_series_is_another_thing(void **state)
{
	const char *value = "\"error E18 is the pump filter, see part 40; 5kg a load\"";

	(void)state;
	check_number(value, "error E18 on the washing machine", NULL);
	check_number(value, "error E21 on the washing machine", "e21");
	check_number(value, "part 41 of the washing machine", "41");
	check_number(value, "part 40 of the washing machine", NULL);
	/* of other things, or a measure */
	check_number(value, "washing machine of flat B12", NULL);
	check_number(value, "can the washing machine take 8kg", NULL);
}

static void of_both_the_one_that_is_asked_for_answers(void **state)
{
	static const char *const keys[STORED_MAX] = {"form_layout", "from_layout", "payer_name",
						     "payee_name"};
	static const char *const questions[][2] = {
		{"what is the from layout?", "from_layout"},
		{"what is the form layout?", "form_layout"},
		{"payee name", "payee_name"},
		{"payer nmae", "payer_name"},
	};
	struct lookup *index = index_of(keys, "1");

	(void)state;
	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
		struct lookup_answer answer;

		lookup_find(index, slice_of(questions[i][0]), LOOKUP_ANY_SCOPE, &answer);
		assert_true(answer.found);
		assert_string_equal(keys[answer.item], questions[i][1]);
	}
	lookup_free(index);
}

static void what_another_way_found_is_held_against_the_query_too(void **state)
{
	static const char *const keys[STORED_MAX] = {"payer_account"};
	struct lookup *index = index_of(keys, "1");
	struct lookup_answer answer;

	(void)state;
	lookup_find(index, slice_of("payee_account"), LOOKUP_ANY_SCOPE, &answer);
	lookup_take(index, slice_of("payee_account"), 0, 0.7, &answer);
	assert_false(answer.found);
	assert_int_equal(answer.also_count, 1);
	lookup_find(index, slice_of("something else"), LOOKUP_ANY_SCOPE, &answer);
	lookup_take(index, slice_of("something of the payer"), 0, 0.7, &answer);
	assert_true(answer.found);
	assert_int_equal(answer.match, LOOKUP_WORDS);
	lookup_free(index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_word_of_the_language_is_another_thing),
		cmocka_unit_test(another_form_of_a_word_is_the_same_thing),
		cmocka_unit_test(another_number_of_the_series_is_another_thing),
		cmocka_unit_test(another_spelling_and_a_short_name_are_the_same_word),
		cmocka_unit_test(counterparts_are_other_things),
		cmocka_unit_test(numbers_and_letters_tell_apart),
		cmocka_unit_test(a_slip_is_an_answer),
		cmocka_unit_test(who_types_a_rare_word_may_have_meant_a_common_one),
		cmocka_unit_test(a_word_that_no_list_has_is_a_slip_of_what_it_resembles),
		cmocka_unit_test(more_or_less_of_the_same_is_an_answer),
		cmocka_unit_test(what_the_answer_says_nothing_about_is_named),
		cmocka_unit_test(other_languages_go_by_the_store_and_one_edit),
		cmocka_unit_test(a_word_of_another_entry_is_another_word),
		cmocka_unit_test(what_the_value_says_is_not_asked_of_the_key),
		cmocka_unit_test(of_both_the_one_that_is_asked_for_answers),
		cmocka_unit_test(what_another_way_found_is_held_against_the_query_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
