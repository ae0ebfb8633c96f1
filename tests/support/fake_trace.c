/* The ways of looking at a trace; what is recorded and how is in fake_sys.c. */
#include "support/fake_sys.h"

static const char *const names[] = {
#define X(id, name) name,
	FAKE_CALLS(X)
#undef X
};

size_t fake_sys_count(enum fake_call call)
{
	size_t count = 0;

	for (size_t at = 0; (at = fake_sys_at(call, NULL, at)) != SIZE_MAX; at++)
		count++;
	return count;
}

size_t fake_sys_at(enum fake_call call, const char *path, size_t from)
{
	size_t count;
	const struct fake_event *trace = fake_sys_trace(&count);

	for (size_t i = from; i < count; i++) {
		const struct fake_event *event = &trace[i];

		if (call != FAKE_ANY && event->call != call)
			continue;
		if (!path || strcmp(event->path, path) == 0 ||
		    (event->to[0] != '\0' && strcmp(event->to, path) == 0))
			return i;
	}
	return SIZE_MAX;
}

void fake_sys_print(struct str *out)
{
	size_t count;
	const struct fake_event *trace = fake_sys_trace(&count);

	for (size_t i = 0; i < count; i++) {
		const struct fake_event *event = &trace[i];

		str_printf(out, "%s%s%s%s%s", names[event->call], event->path[0] ? " " : "",
			   event->path, event->to[0] ? " " : "", event->to);
		if (event->error)
			str_printf(out, ": %s", strerror(event->error));
		str_addc(out, '\n');
	}
}
