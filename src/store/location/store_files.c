#include "store/location/store_files.h"

const char *store_file_name(enum store_file file)
{
	static const char *const names[STORE_FILE_COUNT] = {
#define X(id, name) name ".json",
		CATEGORIES(X)
#undef X
			"archive.json",
		"relations.json",
	};

	return names[file];
}

enum store_file store_file_find(struct slice name)
{
	int file = 0;

	while (file < STORE_FILE_COUNT && !slice_is(name, store_file_name((enum store_file)file)))
		file++;
	return (enum store_file)file;
}
