#include "base/json_field.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"

/* Members are moved by memcpy: the table knows their sizes, not their types. */
static uint64_t
load_uint(const void *p, size_t size)
{
	uint8_t v8;
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (size) {
	case 1:
		memcpy(&v8, p, 1);
		return v8;
	case 2:
		memcpy(&v16, p, 2);
		return v16;
	case 4:
		memcpy(&v32, p, 4);
		return v32;
	default:
		assert(size == 8);
		memcpy(&v64, p, 8);
		return v64;
	}
}

static void
store_uint(void *p, size_t size, uint64_t v)
{
	uint8_t v8 = (uint8_t)v;
	uint16_t v16 = (uint16_t)v;
	uint32_t v32 = (uint32_t)v;

	switch (size) {
	case 1:
		memcpy(p, &v8, 1);
		break;
	case 2:
		memcpy(p, &v16, 2);
		break;
	case 4:
		memcpy(p, &v32, 4);
		break;
	default:
		assert(size == 8);
		memcpy(p, &v, 8);
		break;
	}
}

static int64_t
load_int(const void *p, size_t size)
{
	uint64_t v = load_uint(p, size);

	return size == 4 ? (int32_t)(uint32_t)v : (int64_t)v;
}

int
json_name_find(const char *what, const char *const *names, size_t n,
    const char *s, struct error *err)
{
	char all[160];
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		if (names[i] != NULL && strcmp(names[i], s) == 0)
			return (int)i;
	all[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const char *comma = len == 0 ? "" : i + 1 < n ? ", " : " or ";

		if (names[i] == NULL ||
		    len + strlen(comma) + strlen(names[i]) >= sizeof(all))
			continue;
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s",
		    comma, names[i]);
	}
	return error_set(err, EINVAL, "%s must be %s", what, all);
}

static int
read_uint(const struct json_field *f, const json_t *v, void *member,
    struct error *err)
{
	json_int_t n = json_integer_value(v);

	if (!json_is_integer(v) || n < 0 || (uint64_t)n > f->max)
		return error_set(err, EINVAL,
		    "%s must be a whole number from 0 to %" PRIu64, f->key,
		    f->max);
	store_uint(member, f->size, (uint64_t)n);
	return 0;
}

static int
read_int(const struct json_field *f, const json_t *v, void *member,
    struct error *err)
{
	json_int_t n = json_integer_value(v);

	if (!json_is_integer(v) || (f->size == 4 && n != (int32_t)n))
		return error_set(err, EINVAL, "%s must be a whole number%s",
		    f->key, f->size == 4 ? " of 32 bits" : "");
	store_uint(member, f->size, (uint64_t)n);
	return 0;
}

static int
read_bool(const struct json_field *f, const json_t *v, void *member,
    struct error *err)
{
	if (!json_is_boolean(v))
		return error_set(err, EINVAL, "%s must be true or false",
		    f->key);
	*(bool *)member = json_is_true(v) == (f->kind == JSON_FIELD_BOOL);
	return 0;
}

static int
read_name(const struct json_field *f, const json_t *v, void *member,
    struct error *err)
{
	const char *s = json_is_string(v) ? json_string_value(v) : "";
	int i = json_name_find(f->key, f->names, f->max, s, err);

	if (i < 0)
		return i;
	store_uint(member, f->size, (uint64_t)i);
	return 0;
}

/* How much of s fits into room bytes without half a character at the end. */
static size_t
cut(const char *s, size_t len, size_t room)
{
	if (len <= room)
		return len;
	while (room > 0 && ((unsigned char)s[room] & 0xc0) == 0x80)
		room--;
	return room;
}

static int
read_text(const struct json_field *f, const json_t *v, void *member,
    struct error *err)
{
	size_t len = json_string_length(v);

	if (!json_is_string(v))
		return error_set(err, EINVAL, "%s must be a string", f->key);
	if (f->kind == JSON_FIELD_TEXT && len >= f->size)
		return error_set(err, EINVAL, "%s is longer than %zu bytes",
		    f->key, f->size - 1);
	len = cut(json_string_value(v), len, f->size - 1);
	memset(member, 0, f->size);
	memcpy(member, json_string_value(v), len);
	return 0;
}

static int
read_string(const struct json_field *f, const json_t *v, void *member,
    struct error *err)
{
	char **s = member;

	if (!json_is_string(v))
		return error_set(err, EINVAL, "%s must be a string", f->key);
	if (json_string_length(v) > f->max)
		return error_set(err, EINVAL,
		    "%s is longer than %" PRIu64 " bytes", f->key, f->max);
	free(*s);
	*s = xstrdup(json_string_value(v));
	return 0;
}

typedef int read_fn(const struct json_field *f, const json_t *v, void *member,
    struct error *err);

static read_fn *const readers[] = {
	[JSON_FIELD_UINT] = read_uint,
	[JSON_FIELD_INT] = read_int,
	[JSON_FIELD_BOOL] = read_bool,
	[JSON_FIELD_NOT] = read_bool,
	[JSON_FIELD_NAME] = read_name,
	[JSON_FIELD_TEXT] = read_text,
	[JSON_FIELD_CUT] = read_text,
	[JSON_FIELD_STRING] = read_string,
};

int
json_fields_read(const struct json_field *fields, const json_t *object,
    void *into, struct error *err)
{
	for (const struct json_field *f = fields; f->key != NULL; f++) {
		const json_t *v = json_object_get(object, f->key);
		int rc;

		if (v == NULL || json_is_null(v))
			continue;
		rc = readers[f->kind](f, v, (char *)into + f->offset, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static void
write_string(const char *s, struct json_out *j)
{
	if (s == NULL)
		json_out_null(j);
	else
		json_out_text(j, s);
}

static void
write_name(const struct json_field *f, const void *member, struct json_out *j)
{
	uint64_t i = load_uint(member, f->size);

	assert(i < f->max);
	write_string(f->names[i], j);
}

static void
write_value(const struct json_field *f, const void *member, struct json_out *j)
{
	switch (f->kind) {
	case JSON_FIELD_UINT:
		json_out_number(j, load_uint(member, f->size));
		break;
	case JSON_FIELD_INT:
		json_out_int(j, load_int(member, f->size));
		break;
	case JSON_FIELD_BOOL:
	case JSON_FIELD_NOT:
		json_out_bool(j,
		    *(const bool *)member == (f->kind == JSON_FIELD_BOOL));
		break;
	case JSON_FIELD_NAME:
		write_name(f, member, j);
		break;
	case JSON_FIELD_TEXT:
	case JSON_FIELD_CUT:
		json_out_string(j, member, strnlen(member, f->size));
		break;
	case JSON_FIELD_STRING:
		write_string(*(char *const *)member, j);
		break;
	}
}

static bool
is_default(const struct json_field *f, const char *from, const char *defaults)
{
	const char *a = from + f->offset, *b = defaults + f->offset;

	if (f->kind == JSON_FIELD_TEXT || f->kind == JSON_FIELD_CUT)
		return strncmp(a, b, f->size) == 0;
	return memcmp(a, b, f->size) == 0;
}

void
json_fields_write(const struct json_field *fields, const void *from,
    const void *defaults, struct json_out *j)
{
	for (const struct json_field *f = fields; f->key != NULL; f++) {
		if (defaults != NULL && is_default(f, from, defaults))
			continue;
		json_out_key(j, f->key);
		write_value(f, (const char *)from + f->offset, j);
	}
}
