#include "cli/doctor/findings.h"

#include "base/err.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct finding_row rows[FINDING_KIND_COUNT] = {
#define X(id, name, severity, group, fix, meaning, remedy)                                         \
	{name, SEVERITY_##severity, GROUP_##group, fix, meaning, remedy},
	FINDING_KINDS(X)
#undef X
};

const struct finding_row *finding_row(enum finding_kind kind)
{
	return &rows[kind];
}

__attribute__((format(printf, 1, 0))) static char *format_text(const char *format, va_list args)
{
	char text[ERR_TEXT_MAX];

	vsnprintf(text, sizeof text, format, args);
	return mem_strdup(text);
}

static void add_fact(struct findings *found, struct fact fact)
{
	found->facts = mem_grow(found->facts, &found->fact_cap, found->fact_count + 1,
				sizeof *found->facts);
	found->facts[found->fact_count++] = fact;
}

void findings_fact(struct findings *found, enum finding_group group, const char *label,
		   const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_fact(found, (struct fact){group, false, label, format_text(format, args)});
	va_end(args);
}

void findings_detail(struct findings *found, enum finding_group group, const char *label,
		     const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_fact(found, (struct fact){group, true, label, format_text(format, args)});
	va_end(args);
}

void findings_add(struct findings *found, enum finding_kind kind, const char *remedy,
		  const char *format, ...)
{
	va_list args;

	found->items = mem_grow(found->items, &found->cap, found->count + 1, sizeof *found->items);
	va_start(args, format);
	found->items[found->count++] = (struct finding){
		kind, format_text(format, args),
		mem_strdup(remedy ? remedy : finding_row(kind)->remedy)};
	va_end(args);
}

bool findings_have(const struct findings *found, enum finding_kind kind)
{
	for (size_t i = 0; i < found->count; i++) {
		if (found->items[i].kind == kind)
			return true;
	}
	return false;
}

void findings_release(struct findings *found)
{
	for (size_t i = 0; i < found->fact_count; i++)
		free(found->facts[i].text);
	for (size_t i = 0; i < found->count; i++) {
		free(found->items[i].what);
		free(found->items[i].remedy);
	}
	free(found->facts);
	free(found->items);
	*found = (struct findings){0};
}

int findings_status(const struct findings *found)
{
	enum severity worst = SEVERITY_NOTE;

	for (size_t i = 0; i < found->count; i++) {
		enum severity severity = finding_row(found->items[i].kind)->severity;

		worst = severity > worst ? severity : worst;
	}
	if (worst == SEVERITY_BROKEN)
		return err_exit_status(ERR_BAD_DATA);
	return worst == SEVERITY_TODO;
}
