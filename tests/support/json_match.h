/*
 * Comparing JSON with what a test expects of it, where some of it cannot be known beforehand.
 *
 * For tests only. A string in the expected value may stand for more than itself: "<any>" for any
 * value, "<number>" for any number, "<text>" for any string, "<time>" for a string that is a time
 * with an offset.
 */
#ifndef KOTA_TESTS_JSON_MATCH_H
#define KOTA_TESTS_JSON_MATCH_H

#include "json/doc.h"

/*
 * Is the value at node what is expected? The members of an object may be in any order, none may be
 * missing and none may be over. When not, *where gets the place and the difference in words.
 */
bool json_match(const struct json *expected, uint32_t expected_node, const struct json *doc,
		uint32_t node, struct str *where);

#endif
