#include "vt/program_status.h"

#include <string.h>

#include "base/base64.h"
#include "base/utf8.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define BODY_MAX (4096 - (sizeof("\033]7501;\033\\") - 1))
#define KEY_MAX 16

static const char *const states[PROGRAM_STATES] = {
	[PROGRAM_SILENT] = "clear",
	[PROGRAM_IDLE] = "idle",
	[PROGRAM_WORKING] = "working",
	[PROGRAM_BLOCKED] = "blocked",
	[PROGRAM_DONE] = "done",
	[PROGRAM_ERROR] = "error",
};

static const char *const kinds[PROGRAM_KINDS] = {
	[PROGRAM_NO_KIND] = "",
	[PROGRAM_PERMISSION] = "permission",
	[PROGRAM_QUESTION] = "question",
	[PROGRAM_AUTH] = "auth",
};

struct value {
	const char *p;
	size_t len;
};

/* True if v is exactly this word. */
static bool
is(const struct value *v, const char *word)
{
	return v->len == strlen(word) && memcmp(v->p, word, v->len) == 0;
}

/* The index of the word that equals v; n if none does. */
static size_t
find(const struct value *v, const char *const *words, size_t n)
{
	size_t i = 0;

	while (i < n && !is(v, words[i]))
		i++;
	return i;
}

static bool
is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool
is_name_byte(char c)
{
	return is_letter(c) || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '+' ||
	    c == '-';
}

static bool
is_value_byte(char c)
{
	return is_name_byte(c) || c == ',' || c == '/' || c == '=';
}

static bool
is_all(const struct value *v, bool (*test)(char c))
{
	size_t i = 0;

	while (i < v->len && test(v->p[i]))
		i++;
	return i == v->len;
}

/*
 * The values read so far; each function returns false if the report must be
 * dropped.
 */
struct reading {
	struct program_status *out;
	bool stated;
};

static bool
take_state(struct reading *r, const struct value *v)
{
	size_t i = find(v, states, COUNT(states));

	if (i == COUNT(states))
		return false;
	r->out->state = (enum program_state)i;
	r->stated = true;
	return true;
}

static bool
take_kind(struct reading *r, const struct value *v)
{
	size_t i = find(v, kinds, COUNT(kinds));

	r->out->kind = i < COUNT(kinds) ? (enum program_kind)i :
					  PROGRAM_NO_KIND;
	return true;
}

static bool
take_app(struct reading *r, const struct value *v)
{
	if (v->len > PROGRAM_APP_MAX)
		return false;
	if (v->len == 0 || !is_all(v, is_name_byte))
		return true;
	memcpy(r->out->app, v->p, v->len);
	r->out->app[v->len] = '\0';
	return true;
}

static bool
is_control(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp <= 0x9f);
}

static bool
take_text(struct reading *r, const struct value *v)
{
	char text[PROGRAM_TEXT_MAX];
	ssize_t len = base64_decode(v->p, v->len, text, sizeof(text));
	struct utf8 u = { 0 };
	size_t kept = 0;

	for (ssize_t i = 0; i < len; i++) {
		uint32_t cp;
		enum utf8_step step = utf8_step(&u, (uint8_t)text[i], &cp);

		if (step == UTF8_MORE)
			continue;
		if (step != UTF8_DONE || is_control(cp))
			return false;
		if (!utf8_acts(cp))
			kept += utf8_encode(r->out->text + kept, cp);
	}
	r->out->text[kept] = '\0';
	return len >= 0 && u.need == 0;
}

static bool
take_id(struct reading *r, const struct value *v)
{
	(void)r;
	(void)v;
	return false;
}

static const struct {
	const char *key;
	bool (*take)(struct reading *r, const struct value *v);
} takers[] = {
	{ "state", take_state },
	{ "app", take_app },
	{ "kind", take_kind },
	{ "msg", take_text },
	{ "id", take_id },
};

static bool
take_pair(struct reading *r, const char *p, size_t len)
{
	const char *equals = memchr(p, '=', len);
	struct value key = { p, equals != NULL ? (size_t)(equals - p) : len };
	struct value v = { key.p + key.len, 0 };

	if (key.len > KEY_MAX)
		return false;
	if (equals != NULL)
		v = (struct value){ equals + 1, len - key.len - 1 };
	if (equals == NULL || key.len == 0 || !is_all(&key, is_letter) ||
	    !is_all(&v, is_value_byte))
		return true;
	for (size_t i = 0; i < COUNT(takers); i++)
		if (is(&key, takers[i].key))
			return takers[i].take(r, &v);
	return true;
}

bool
program_status_parse(const char *p, size_t len, struct program_status *out)
{
	struct reading r = { .out = out };
	const char *end = p + len;

	*out = (struct program_status){ 0 };
	if (len > BODY_MAX || (len > 0 && p[0] == '?'))
		return false;
	while (p < end) {
		const char *colon = memchr(p, ':', (size_t)(end - p));
		const char *stop = colon != NULL ? colon : end;

		if (!take_pair(&r, p, (size_t)(stop - p)))
			return false;
		p = stop + (colon != NULL);
	}
	if (out->state == PROGRAM_SILENT)
		*out = (struct program_status){ 0 };
	if (out->state != PROGRAM_BLOCKED)
		out->kind = PROGRAM_NO_KIND;
	return r.stated;
}

bool
program_status_same(const struct program_status *a,
    const struct program_status *b)
{
	return a->state == b->state && a->kind == b->kind &&
	    strcmp(a->app, b->app) == 0 && strcmp(a->text, b->text) == 0;
}

const char *
program_state_name(enum program_state s)
{
	return s != PROGRAM_SILENT ? states[s] : NULL;
}

const char *
program_kind_name(enum program_kind k)
{
	return k != PROGRAM_NO_KIND ? kinds[k] : NULL;
}
