/*
 * What number texts are worth. A number is taken apart into its significant digits, the power of
 * ten of the last of them, and the text of its exponent, so that nothing is rounded and an exponent
 * may be of any size.
 */
#include "json/doc_internal.h"

#include <math.h>
#include <stdlib.h>

/* Exponents beyond this are as good as endless beside the longest text. */
#define EXPONENT_LIMIT ((int64_t)1 << 40)

struct decimal {
	bool negative;
	struct slice digits; /* from the first to the last that is not 0, the point may be inside */
	int64_t scale;       /* power of ten of the last of them, before the exponent */
	bool exponent_negative;
	struct slice exponent; /* digits; empty when there is none */
};

static bool number_is_significant(char c)
{
	return c >= '1' && c <= '9';
}

/* Takes a valid number text apart; zero has no digits, no sign and no exponent. */
static struct decimal number_take_apart(struct slice text)
{
	struct decimal d = {.negative = text.ptr[0] == '-'};
	const char *first = text.ptr + d.negative;
	const char *end = text.ptr + text.len;
	const char *last = first;

	while (last < end && *last != 'e' && *last != 'E')
		last++;
	if (last < end) {
		const char *exponent = last + 1;

		d.exponent_negative = *exponent == '-';
		exponent += *exponent == '-' || *exponent == '+';
		d.exponent = slice_make(exponent, (size_t)(end - exponent));
	}
	const char *point = memchr(first, '.', (size_t)(last - first));
	if (!point)
		point = last;
	while (first < last && !number_is_significant(*first))
		first++;
	if (first == last)
		return (struct decimal){0};
	do
		last--;
	while (!number_is_significant(*last));
	d.digits = slice_make(first, (size_t)(last - first) + 1);
	d.scale = last < point ? point - last - 1 : point - last;
	return d;
}

/* The exponent, cut to EXPONENT_LIMIT. */
static int64_t number_exponent_value(const struct decimal *d)
{
	int64_t value = 0;

	for (size_t i = 0; i < d->exponent.len && value < EXPONENT_LIMIT; i++)
		value = value * 10 + (d->exponent.ptr[i] - '0');
	return d->exponent_negative ? -value : value;
}

/* value * 10^power of the digits; no more than 19 digits in all, which 64 bits always hold. */
static uint64_t number_magnitude(const struct decimal *d, int64_t power)
{
	uint64_t value = 0;

	for (size_t i = 0; i < d->digits.len; i++) {
		if (d->digits.ptr[i] != '.')
			value = value * 10 + (uint64_t)(d->digits.ptr[i] - '0');
	}
	while (power-- > 0)
		value *= 10;
	return value;
}

bool json_int(const struct json *doc, uint32_t node, int64_t *out)
{
	int64_t digits;

	if (json_type(doc, node) != JSON_NUMBER)
		return false;
	struct decimal d = number_take_apart(json_text(doc, node));
	digits = (int64_t)d.digits.len;
	if (digits > 1 && memchr(d.digits.ptr, '.', d.digits.len))
		digits--;
	int64_t power = d.scale + number_exponent_value(&d);
	if (power < 0 || digits + power > 19)
		return false;
	uint64_t value = number_magnitude(&d, power);
	if (value > (uint64_t)INT64_MAX + d.negative)
		return false;
	if (d.negative)
		*out = -(int64_t)(value - 1) - 1;
	else
		*out = (int64_t)value;
	return true;
}

bool json_double(const struct json *doc, uint32_t node, double *out)
{
	STR_AUTO text = STR_INIT;

	if (json_type(doc, node) != JSON_NUMBER)
		return false;
	str_add(&text, json_text(doc, node)); /* strtod() wants it terminated */
	double value = strtod(text.ptr, NULL);
	if (!isfinite(value))
		return false;
	*out = value;
	return true;
}

static bool number_same_digits(const struct decimal *a, const struct decimal *b)
{
	size_t i = 0;
	size_t k = 0;

	while (i < a->digits.len && k < b->digits.len) {
		if (a->digits.ptr[i] == '.')
			i++;
		if (b->digits.ptr[k] == '.')
			k++;
		if (a->digits.ptr[i++] != b->digits.ptr[k++])
			return false;
	}
	return i == a->digits.len && k == b->digits.len;
}

/* Digit of the exponent at a place counted from the right, with the exponent's sign. */
static int64_t number_exponent_digit(const struct decimal *d, size_t place)
{
	int64_t digit = 0;

	if (place < d->exponent.len)
		digit = d->exponent.ptr[d->exponent.len - 1 - place] - '0';
	return d->exponent_negative ? -digit : digit;
}

/*
 * True if exponent a - exponent b == wanted. Compares digit by digit from the left, since they may
 * be long.
 */
static bool number_exponents_differ_by(const struct decimal *a, const struct decimal *b,
				       int64_t wanted)
{
	size_t places = a->exponent.len > b->exponent.len ? a->exponent.len : b->exponent.len;
	int64_t difference = 0;

	while (places-- > 0) {
		difference *= 10;
		difference += number_exponent_digit(a, places) - number_exponent_digit(b, places);
		/* So far out of range, no further digit brings it back. */
		if (difference > EXPONENT_LIMIT || difference < -EXPONENT_LIMIT)
			return false;
	}
	return difference == wanted;
}

bool json_number_equal(struct slice a, struct slice b)
{
	if (slice_equal(a, b))
		return true;
	struct decimal x = number_take_apart(a);
	struct decimal y = number_take_apart(b);
	return x.negative == y.negative && number_same_digits(&x, &y) &&
	       number_exponents_differ_by(&x, &y, y.scale - x.scale);
}
