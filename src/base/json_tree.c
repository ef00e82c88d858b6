#include "base/json_tree.h"

#include <errno.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"

void
json_tree_guard(void)
{
	json_set_alloc_funcs(xmalloc, free);
}

/* Brackets in strings do not count; that they match, the parser sees. */
static bool
is_shallow(const char *p, size_t len)
{
	unsigned depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < len; i++) {
		if (p[i] == '"')
			quoted = !quoted;
		else if (quoted && p[i] == '\\')
			i++;
		else if (!quoted && (p[i] == '{' || p[i] == '['))
			depth++;
		else if (!quoted && (p[i] == '}' || p[i] == ']') && depth > 0)
			depth--;
		if (depth > JSON_TREE_DEPTH)
			return false;
	}
	return true;
}

static void
explain(const json_error_t *why, struct error *err)
{
	if (json_error_code(why) == json_error_null_character)
		error_set(err, EINVAL,
		    "a string with \\u0000 in it, before byte %d, is none that "
		    "can be typed or looked for; as a key it is C-@",
		    why->position);
	else
		error_set(err, EINVAL, "no JSON: %s at byte %d", why->text,
		    why->position);
}

json_t *
json_tree_read(const char *p, size_t len, struct error *err)
{
	json_error_t why;
	json_t *tree;

	if (len == 0) {
		error_set(err, EINVAL, "no JSON: it is empty");
		return NULL;
	}
	if (!is_shallow(p, len)) {
		error_set(err, EINVAL, "JSON is nested deeper than %d",
		    JSON_TREE_DEPTH);
		return NULL;
	}
	tree = json_loadb(p, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY,
	    &why);
	if (tree == NULL)
		explain(&why, err);
	return tree;
}

json_t *
json_tree_object(const char *p, size_t len, struct error *err)
{
	json_t *tree = json_tree_read(p, len, err);

	if (tree != NULL && !json_is_object(tree)) {
		error_set(err, EINVAL, "no JSON object");
		json_decref(tree);
		return NULL;
	}
	return tree;
}

json_t *
json_tree_text(const char *text)
{
	json_t *v = json_string(text);
	struct utf8 u = { 0 };
	struct buf b;
	char utf8[4];
	uint32_t cp;

	if (v != NULL)
		return v;
	buf_init(&b, SIZE_MAX);
	for (; *text != '\0'; text++) {
		enum utf8_step step = utf8_step(&u, (uint8_t)*text, &cp);

		if (step != UTF8_MORE)
			(void)buf_append(&b, utf8, utf8_encode(utf8, cp));
		if (step == UTF8_BAD_AGAIN)
			text--;
	}
	if (u.need > 0)
		(void)buf_append(&b, utf8, utf8_encode(utf8, UTF8_REPLACEMENT));
	v = json_stringn((const char *)b.data, b.len);
	buf_finish(&b);
	return v;
}

/* Most text is ASCII, which acts on nothing inside of JSON. */
static size_t
plain_len(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && (unsigned char)p[n] < 0x7f)
		n++;
	return n;
}

/* jansson gives whole characters. */
static int
write_part(const char *p, size_t len, void *arg)
{
	struct utf8 u = { 0 };
	struct buf *out = arg;
	uint32_t cp = 0;

	for (size_t i = 0, from = 0; i < len; from = i) {
		i += plain_len(p + i, len - i);
		(void)buf_append(out, p + from, i - from);
		from = i;
		while (
		    i < len && utf8_step(&u, (uint8_t)p[i++], &cp) == UTF8_MORE)
			;
		if (i > from && utf8_acts(cp))
			(void)buf_printf(out, "\\u%04x", (unsigned)cp);
		else
			(void)buf_append(out, p + from, i - from);
	}
	return 0;
}

void
json_tree_write(const json_t *tree, struct buf *out)
{
	json_dump_callback(tree, write_part, out,
	    JSON_COMPACT | JSON_ENCODE_ANY);
}
