#include "base/version.h"

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0.1.0"
#endif

/* With its mark, so that the version of a program can be read without running it. */
static const char marked[] = VERSION_MARK PACKAGE_VERSION;

const char *version_text(void)
{
	return marked + strlen(VERSION_MARK);
}
