#include "cli/render/template.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* 2026-11-21T09:30:00Z */
#define NOW INT64_C(1795253400000)

/* In replies apostrophes stand for quotes. */
static void check(const char *reply, const char *template, const char *expected)
{
	const struct cli cli = {.out_is_terminal = true};
	STR_AUTO text = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct json_fault fault;
	struct json doc;

	for (; *reply; reply++)
		str_addc(&text, *reply == '\'' ? '"' : *reply);
	if (json_parse(&doc, str_slice(&text), &json_line_bounds, &fault) != 0)
		fail_msg("%s: %s", text.ptr, fault.what);
	template_add(&out, &(struct view){.cli = &cli, .reply = &doc, .now_ms = NOW}, JSON_ROOT,
		     template);
	json_release(&doc);
	assert_string_equal(out.ptr, expected);
}

static void members_are_filled_in(void **state)
{
	(void)state;
	check("{'a':'x\\u001b','b':1.50,'c':{'d':true}}", "{a} {b} {c.d} {none}!",
	      "x\\x1b 1.50 true !");
	check("{'c':{'d':1},'e':2}", "{*c:{@} {d} {/e}}", "c 1 2");
}

static void forms_say_how(void **state)
{
	(void)state;
	check("{'at':'2026-11-20T09:30:00Z','t':'soon'}", "{at:age}|{t:age}|{t:when}",
	      "1 day ago||soon");
	check("{'n':1234567,'m':-12}", "{n:n} {m:n} {m:>5}", "1,234,567 -12   -12");
	check("{'s':'record_added','t':'abc','u':'a\\nb'}", "{s:words} {t:2} {u:json} {u:raw}",
	      "record added ab \"a\\nb\" a\nb");
	check("{'n':1,'m':2000,'l':[1,2]}", "{n|use|uses}, {m:n|use|uses}, {l|one|more}",
	      "1 use, 2,000 uses, 2 more");
}

static void lists_are_joined_or_gone_through(void **state)
{
	(void)state;
	check("{'l':['a','b'],'o':{'x':1,'y':2}}", "{l* + } ({o*, })", "a + b (x 1, y 2)");
	check("{'l':[{'a':1,'m':['x']},{'a':2}]}", "{*l:{a}{*m:({.})};}{*none:x}", "1(x);2;");
	check("{'l':[7,8]}", "{l.0}", "7");
}

static void parts_are_left_out(void **state)
{
	(void)state;
	check("{'a':false,'b':1}", "[a {a}][ b {b}][ c {c}][{c}|none]", "a false b 1none");
	check("{'yes':true,'no':false,'zero':0,'text':'x','empty':[]}",
	      "{?yes:1|2}{?no:1|2}{?zero:1|2}{?empty:1}{?none:1|{?text=x:3|4}}{?text=y:5|6}",
	      "12236");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_filled_in),
		cmocka_unit_test(forms_say_how),
		cmocka_unit_test(lists_are_joined_or_gone_through),
		cmocka_unit_test(parts_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
