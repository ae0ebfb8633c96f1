/*
 * Which files a store has, and their names.
 */
#ifndef KOTA_STORE_LOCATION_STORE_FILES_H
#define KOTA_STORE_LOCATION_STORE_FILES_H

#include "model/category.h"

/* Files with entries; the category files come first, in the order of enum category. */
enum store_file { STORE_FILE_ARCHIVE = CATEGORY_COUNT, STORE_FILE_RELATIONS, STORE_FILE_COUNT };

/* "preferences.json" ... ; static storage. */
const char *store_file_name(enum store_file file);

/* The file that has this name, or STORE_FILE_COUNT. */
enum store_file store_file_find(struct slice name);

/* The folder of the cold archive, and how its files end. */
#define COLD_FOLDER "archive.cold"
#define COLD_SUFFIX ".jsonl"

/* What says that a folder is a store, and of which format. */
#define MARK_FORMAT_NAME ".kota"

#endif
