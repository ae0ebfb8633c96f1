#include "store/files/confine.h"

void confine_init(struct confine *confine, const struct sys *sys, environment env,
		  void (*enter)(struct confine *confine, struct disk *disk))
{
	*confine = (struct confine){.enter = enter, .sys = sys, .env = env};
}

bool confine_is_shut(const struct confine *confine)
{
	return confine && confine->shut;
}
