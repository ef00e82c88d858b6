#include "op/type.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op/activity.h"
#include "op/arguments.h"
#include "op/format.h"

/* Codes of two rows appear twice here. */
static const char failure_codes[] =
#define FAILURE(name, code, ...) code " "
#include "op/failures.def"
    ;

static const char profile_names[] =
#define PROFILE(name, ...) name " "
#include "op/profile.def"
    ;

const struct type type_table[] = {
#define OBJECT(name, fields, text) { #name, TYPE_OBJECT, fields, text },
#define ONE_OF(name, fields, text) { #name, TYPE_ONE_OF, fields, text },
#define CHOICE(name, words, text) { #name, TYPE_CHOICE, words, text },
#define ALIAS(name, type, text) { #name, TYPE_ALIAS, type, text },
#include "op/types.def"
};

size_t
type_count(void)
{
	return sizeof(type_table) / sizeof(*type_table);
}

const struct type *
type_find(const char *name)
{
	for (size_t i = 0; i < type_count(); i++)
		if (strcmp(type_table[i].name, name) == 0)
			return &type_table[i];
	return NULL;
}

bool
type_is_object(const struct type *t)
{
	return t->kind == TYPE_OBJECT || t->kind == TYPE_ONE_OF;
}

/* --------------------------------------------------------------- parsing */

static void
copy_word(char *out, size_t size, const char *p, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(out, p, len);
	out[len] = '\0';
}

/* "@home@admin", up to a blank. */
static void
read_marks(const char *p, struct type_field *out)
{
	out->home = false;
	out->permission[0] = '\0';
	while (*p == '@') {
		size_t len = strcspn(++p, "@ ");

		if (len == 4 && memcmp(p, "home", len) == 0)
			out->home = true;
		else
			copy_word(out->permission, sizeof(out->permission), p,
			    len);
		p += len;
	}
}

int
type_next_field(const char **at, struct type_field *out)
{
	const char *word = *at + strspn(*at, " ");
	size_t len = strcspn(word, " "), name = strcspn(word, ": ");
	size_t end = strcspn(word, "@ ");

	if (len == 0)
		return 0;
	*at = word + len;
	read_marks(word + end, out);
	out->optional = word[end - 1] == '?';
	copy_word(out->name, sizeof(out->name), word, name);
	if (out->optional)
		end--;
	copy_word(out->type, sizeof(out->type), word + name + 1,
	    end > name ? end - name - 1 : 0);
	return 1;
}

bool
type_find_field(const char *fields, const char *name, struct type_field *out)
{
	while (type_next_field(&fields, out))
		if (strcmp(out->name, name) == 0)
			return true;
	return false;
}

/* Parse "[2-2000]" or "[1-]" at *p and move past it; without it, any. */
static struct type_range
take_range(const char **p)
{
	struct type_range r = { 0, UINT64_MAX };
	char *rest;

	if ((*p)[0] != '[' || (*p)[1] == ']')
		return r;
	r.least = strtoull(*p + 1, &rest, 10);
	if (rest[1] != ']')
		r.most = strtoull(rest + 1, &rest, 10);
	else
		rest++;
	*p = rest + 1;
	return r;
}

int
type_next_term(const char **at, struct type_term *out)
{
	const char *p = *at + strspn(*at, "|");
	size_t len = strcspn(p, "|[{@");

	if (len == 0)
		return 0;
	memset(out, 0, sizeof(*out));
	copy_word(out->name, sizeof(out->name), p, len);
	p += len;
	if (*p == '@') {
		len = strcspn(++p, "|");
		copy_word(out->permission, sizeof(out->permission), p, len);
		p += len;
	}
	out->range = take_range(&p);
	for (; strncmp(p, "[]", 2) == 0; p += 2)
		out->arrays++;
	out->items = take_range(&p);
	out->map = strncmp(p, "{}", 2) == 0;
	*at = p + (out->map ? 2 : 0);
	return 1;
}

bool
type_is(const char *type, const char *name)
{
	struct type_term t;

	return type_next_term(&type, &t) && *type == '\0' && t.arrays == 0 &&
	    !t.map && strcmp(t.name, name) == 0;
}

static bool
is_repeated(const char *words, const char *word, size_t len)
{
	for (const char *p = words; p < word; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (n == len && memcmp(p, word, len) == 0)
			return true;
		p += n;
	}
	return false;
}

int
type_next_word(const char *words, const char **at, char *out, size_t size)
{
	const char *p = *at;
	size_t len = strcspn(p, " ");

	while (len > 0 && is_repeated(words, p, len)) {
		p += len + strspn(p + len, " ");
		len = strcspn(p, " ");
	}
	copy_word(out, size, p, len);
	*at = p + len + strspn(p + len, " ");
	return len > 0;
}

/* ----------------------------------------------------------------- words */

/*
 * The words for one and several values of each kind, and the unit of its range.
 */
static const struct {
	const char *name, *one, *several, *unit;
} words[] = {
	{ "string", "a string", "strings", " bytes" },
	{ "number", "a whole number", "whole numbers", NULL },
	{ "int", "a whole number, which may be negative", "whole numbers",
	    NULL },
	{ "real", "a number", "numbers", NULL },
	{ "duration", "a duration, as in \"5s\", or milliseconds", "durations",
	    NULL },
	{ "array", "an array", "arrays", " items" },
	{ "object", "an object", "objects", "" },
	{ "bool", "true or false", "true or false", "" },
	{ "any", "anything", "anything", "" },
	{ "null", "null", "null", "" },
};

#define WORDS (sizeof(words) / sizeof(*words))

__attribute__((format(printf, 2, 3))) static void
add(char out[TYPE_WORDS_SIZE], const char *fmt, ...)
{
	size_t len = strlen(out);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out + len, TYPE_WORDS_SIZE - len, fmt, ap);
	va_end(ap);
}

/* `unit` NULL: the range is that of the value, not the length. */
static void
add_range(char out[TYPE_WORDS_SIZE], const struct type_range *r,
    const char *unit)
{
	if (r->most != UINT64_MAX && r->least == r->most)
		add(out, " of %" PRIu64 "%s", r->most, unit);
	else if (r->most != UINT64_MAX)
		add(out, " %s %" PRIu64 " to %" PRIu64 "%s",
		    unit == NULL ? "from" : "of", r->least, r->most,
		    unit == NULL ? "" : unit);
	else if (r->least > 0 && unit == NULL)
		add(out, " from %" PRIu64, r->least);
	else if (r->least > 0)
		add(out, ", not empty");
}

static void
add_choice(char out[TYPE_WORDS_SIZE], const char *choice)
{
	char word[TYPE_NAME_SIZE];
	const char *at = choice;

	for (int n = 0; type_next_word(choice, &at, word, sizeof(word)); n++)
		add(out, "%s%s", n > 0 ? ", " : "one of ", word);
}

static void
add_one_of(char out[TYPE_WORDS_SIZE], const char *fields)
{
	struct type_field f;

	for (int n = 0; type_next_field(&fields, &f);)
		if (!f.optional)
			add(out, "%s%s", n++ > 0 ? ", " : " with one of ",
			    f.name);
}

static void add_type(char out[TYPE_WORDS_SIZE], const char *type);

static void
add_named(char out[TYPE_WORDS_SIZE], const struct type *t, bool several)
{
	if (type_is_object(t))
		add(out, "%s", several ? "objects" : "an object");
	if (t->kind == TYPE_ONE_OF)
		add_one_of(out, t->body);
	else if (t->kind == TYPE_OBJECT)
		add(out, " (%s)", t->name);
	else if (several)
		add(out, "%s", t->name);
	else if (t->kind == TYPE_CHOICE)
		add_choice(out, t->body);
	else
		add_type(out, t->body);
}

static void
add_value(char out[TYPE_WORDS_SIZE], const struct type_term *t, bool several)
{
	const struct type *named = type_find(t->name);
	size_t i = 0;

	while (i + 1 < WORDS && strcmp(words[i].name, t->name) != 0)
		i++;
	if (named != NULL) {
		add_named(out, named, several);
		return;
	}
	add(out, "%s", several ? words[i].several : words[i].one);
	add_range(out, &t->range, words[i].unit);
}

void
type_term_words(const struct type_term *t, char out[TYPE_WORDS_SIZE])
{
	if (t->arrays > 0)
		add(out, "an array of ");
	if (t->arrays > 0 && t->items.most != UINT64_MAX)
		add(out, "%" PRIu64 " to %" PRIu64 " ", t->items.least,
		    t->items.most);
	for (unsigned i = 1; i < t->arrays; i++)
		add(out, "arrays of ");
	if (t->map)
		add(out, "an object of ");
	add_value(out, t, t->arrays > 0 || t->map);
	if (t->items.least > 0 && t->items.most == UINT64_MAX)
		add(out, ", not empty");
}

static void
add_type(char out[TYPE_WORDS_SIZE], const char *type)
{
	struct type_term t;

	for (int n = 0; type_next_term(&type, &t); n++) {
		if (n > 0)
			add(out, " or ");
		type_term_words(&t, out);
	}
}

void
type_words(const char *type, char out[TYPE_WORDS_SIZE])
{
	out[0] = '\0';
	add_type(out, type);
}
