#include "op/items.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/number.h"
#include "op/type.h"
#include "vt/key.h"
#include "vt/key_encode.h"
#include "vt/mouse.h"
#include "vt/paste.h"

#define CHECK_MAX (16u << 20)
#define PLACE_MAX 9999

/* An input item: its value is parsed and its bytes are appended. */
struct item {
	const json_t *value;
	const struct items_for *to;
	struct buf *out;
	struct error *err;
};

typedef int item_fn(const struct item *it);

/* ------------------------------------------------------------ text and keys */

static int
put_text(const struct item *it)
{
	return buf_append(it->out, json_string_value(it->value),
	    json_string_length(it->value));
}

static int
put_paste(const struct item *it)
{
	return paste_encode(json_string_value(it->value),
	    json_string_length(it->value), &it->to->modes, it->out);
}

static int
put_key(const struct item *it, const json_t *name)
{
	struct key k;
	int rc;

	if (!json_is_string(name))
		return error_set(it->err, EINVAL,
		    "'keys' must be names of keys, as in "
		    "[\"C-c\",\"Enter\"]");
	rc = key_parse(json_string_value(name), &k, it->err);
	return rc < 0 ? rc : key_encode(&k, &it->to->modes, it->out);
}

static int
put_keys(const struct item *it)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < json_array_size(it->value); i++)
		rc = put_key(it, json_array_get(it->value, i));
	return rc;
}

/* -------------------------------------------------------------------- bytes */

static int
put_hex(const struct item *it)
{
	const char *s = json_string_value(it->value);
	int rc = 0;

	while (rc == 0 && *(s += strspn(s, " ")) != '\0') {
		int high = hex_digit(s[0]),
		    low = high < 0 ? -1 : hex_digit(s[1]);

		if (low < 0)
			return error_set(it->err, EINVAL,
			    "'hex' must be pairs of hexadecimal "
			    "digits, as in 1b 5b 41, not %.20s",
			    s);
		rc = buf_putc(it->out, (char)(high << 4 | low));
		s += 2;
	}
	return rc;
}

/* -------------------------------------------------------------------- mouse */

static const struct gesture {
	const char *name;
	size_t n; /* of events */
	enum mouse_type types[2];
	enum mouse_button button; /* MOUSE_NONE: the named one */
} gestures[] = {
	{ "press", 1, { MOUSE_PRESS }, MOUSE_NONE },
	{ "release", 1, { MOUSE_RELEASE }, MOUSE_NONE },
	{ "click", 2, { MOUSE_PRESS, MOUSE_RELEASE }, MOUSE_NONE },
	{ "drag", 1, { MOUSE_MOVE }, MOUSE_NONE },
	{ "scroll-up", 1, { MOUSE_SCROLL }, MOUSE_WHEEL_UP },
	{ "scroll-down", 1, { MOUSE_SCROLL }, MOUSE_WHEEL_DOWN },
};

static const struct gesture *
find_gesture(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(gestures) / sizeof(*gestures); i++) {
		if (strlen(gestures[i].name) == len &&
		    strncmp(gestures[i].name, name, len) == 0)
			return &gestures[i];
	}
	return NULL;
}

static bool
find_button(const char *name, enum mouse_button *out)
{
	static const char *const names[] = { [MOUSE_LEFT] = "left",
		[MOUSE_MIDDLE] = "middle",
		[MOUSE_RIGHT] = "right" };

	for (size_t i = MOUSE_LEFT; i <= MOUSE_RIGHT; i++) {
		if (strcmp(names[i], name) == 0) {
			*out = (enum mouse_button)i;
			return true;
		}
	}
	return false;
}

/* WHAT ROW,COL [BUTTON]. */
static const struct gesture *
parse_mouse(const char *s, struct mouse_event *ev)
{
	size_t len = strcspn(s, " ");
	const struct gesture *g = find_gesture(s, len);
	uint64_t row, col;

	s += len;
	if (g == NULL || *s++ != ' ' || !number_take(&s, PLACE_MAX, &row) ||
	    *s++ != ',' || !number_take(&s, PLACE_MAX, &col))
		return NULL;
	ev->row = (uint32_t)row;
	ev->col = (uint32_t)col;
	if (!find_button(*s == ' ' ? s + 1 : "left", &ev->button) ||
	    (*s != ' ' && *s != '\0'))
		return NULL;
	if (g->button != MOUSE_NONE)
		ev->button = g->button;
	return g;
}

static int
put_mouse(const struct item *it)
{
	const struct items_for *to = it->to;
	struct mouse_event ev = { 0 };
	const struct gesture *g = parse_mouse(json_string_value(it->value),
	    &ev);
	size_t before = it->out->len;
	int rc = 0;

	if (g == NULL)
		return error_set(it->err, EINVAL,
		    "'mouse' must be press, release, click, "
		    "drag, scroll-up or scroll-down, then ROW,COL, as in "
		    "'click 3,4' or 'click 3,4 right', not '%.40s'",
		    json_string_value(it->value));
	if (to->rows > 0 && (ev.row >= to->rows || ev.col >= to->cols))
		return error_set(it->err, EINVAL,
		    "'mouse' at %u,%u is not on the screen: rows "
		    "are 0 to %u and columns 0 to %u",
		    ev.row, ev.col, to->rows - 1, to->cols - 1);
	if (to->modes.mouse_format == MOUSE_SGR_PIXELS)
		return error_set(it->err, EINVAL,
		    "'mouse': the program wants positions in pixels, which "
		    "only a real terminal knows; use keys");
	for (size_t i = 0; rc == 0 && i < g->n; i++) {
		ev.type = g->types[i];
		rc = mouse_encode(&ev, &to->modes, it->out);
	}
	if (rc == 0 && it->out->len == before)
		return error_set(it->err, EINVAL,
		    "'mouse': the program has not enabled this mouse action; "
		    "use keys");
	return rc;
}

/* -------------------------------------------------------------------- items */

static const struct {
	const char *key;
	item_fn *put;
} kinds[] = {
	{ "text", put_text },
	{ "keys", put_keys },
	{ "paste", put_paste },
	{ "hex", put_hex },
	{ "mouse", put_mouse },
};

/* True if the value is of the kind that types.def gives it. */
static bool
is_of_kind(const struct item *it, const char *key)
{
	char words[TYPE_WORDS_SIZE];
	struct type_field f;

	if (!type_find_field(type_find("input_item")->body, key, &f))
		return false;
	if (type_is_kind(f.type, it->value))
		return true;
	type_words(f.type, words);
	error_set(it->err, EINVAL, "'%s' must be %s", key, words);
	return false;
}

static int
put_item(const json_t *object, struct item *it)
{
	char words[TYPE_WORDS_SIZE];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		it->value = json_object_get(object, kinds[i].key);
		if (it->value == NULL || json_object_size(object) != 1)
			continue;
		return is_of_kind(it, kinds[i].key) ? kinds[i].put(it) :
						      -EINVAL;
	}
	type_words("input_item", words);
	return error_set(it->err, EINVAL, "each of 'input' must be %s", words);
}

int
items_encode(const json_t *items, const struct items_for *to, struct buf *out,
    struct error *err)
{
	struct item it = { .to = to, .out = out, .err = err };

	for (size_t i = 0; i < json_array_size(items); i++) {
		int rc = put_item(json_array_get(items, i), &it);

		if (rc == -ENOBUFS)
			return error_set(err, ENOBUFS,
			    "'input' is longer than %zu bytes", out->max);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int
items_check(const json_t *items, struct error *err)
{
	/* A program that has enabled everything. */
	const struct items_for any = {
		.modes = { .mouse = MOUSE_ANY, .mouse_format = MOUSE_SGR },
	};
	struct buf scratch;
	int rc;

	buf_init(&scratch, CHECK_MAX);
	rc = items_encode(items, &any, &scratch, err);
	buf_finish(&scratch);
	return rc;
}
