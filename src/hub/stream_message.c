#include "hub/stream_message.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/json_field.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "vt/key.h"
#include "vt/mouse.h"
#include "wire/frame.h"
#include "wire/hello.h"

#define HISTORY_DEFAULT (1u << 20)
#define CREDIT_MAX (1ull << 40)

static const char *const types[STREAM_TYPES] = {
	[STREAM_HELLO] = "hello",
	[STREAM_PING] = "ping",
	[STREAM_SUBSCRIBE] = "subscribe",
	[STREAM_UNSUBSCRIBE] = "unsubscribe",
	[STREAM_CREDIT] = "credit",
	[STREAM_INPUT] = "input",
	[STREAM_RESIZE] = "resize",
	[STREAM_VISIBLE] = "visible",
	[STREAM_CALL] = "call",
	[STREAM_CANCEL] = "cancel",
};

static const char *const wants[] = { "output", "screen", "thumbnail", "events",
	"home" };
static const char *const replays[] = { "screen", "raw", "none" };
static const char *const behinds[] = { "screen", "lossless" };
static const char *const accesses[] = { "readonly", "readwrite" };
static const char *const kinds[] = { NULL, "text", "key", "paste", "bytes",
	"mouse", "focus" };
static const char *const key_events[] = { "press", "repeat", "release" };
static const char *const actions[] = { "press", "release", "move", "scroll" };
static const char *const buttons[] = { "none", "left", "middle", "right",
	"wheel-up", "wheel-down", "wheel-left", "wheel-right", "back",
	"forward" };

static_assert(sizeof(wants) / sizeof(*wants) == STREAM_WANTS, "a name each");

#define FIELD(member, kind, limit) \
	JSON_FIELD(struct stream_message, member, #member, kind, limit)
#define NAMES(member, key, names) \
	JSON_FIELD_NAMES(struct stream_message, member, key, names)
#define END \
	{ \
		NULL, 0, 0, 0, 0, NULL \
	}

static const struct json_field head_fields[] = {
	FIELD(id, UINT, STREAM_ID_MAX),
	FIELD(sub, UINT, UINT32_MAX),
	END,
};

static const struct json_field hello_fields[] = {
	FIELD(key, TEXT, 0),
	END,
};

static const struct json_field subscribe_fields[] = {
	NAMES(want, "want", wants),
	FIELD(session, TEXT, 0),
	NAMES(replay, "replay", replays),
	FIELD(from, UINT, INT64_MAX),
	FIELD(cursor, TEXT, 0),
	FIELD(history, UINT, UINT32_MAX),
	NAMES(behind, "behind", behinds),
	FIELD(rate, UINT, UINT32_MAX),
	FIELD(credit, UINT, CREDIT_MAX),
	NAMES(readwrite, "access", accesses),
	FIELD(cols, UINT, 2000),
	FIELD(rows, UINT, 2000),
	FIELD(visible, BOOL, 0),
	FIELD(steal, BOOL, 0),
	FIELD(who, UINT, INT64_MAX),
	FIELD(interval, UINT, 60000),
	FIELD(cells, BOOL, 0),
	END,
};

static const struct json_field credit_fields[] = {
	FIELD(bytes, UINT, CREDIT_MAX),
	END,
};

static const struct json_field input_fields[] = {
	NAMES(kind, "kind", kinds),
	FIELD(secret, BOOL, 0),
	NAMES(event, "event", key_events),
	NAMES(action, "action", actions),
	NAMES(button, "button", buttons),
	FIELD(mods, UINT, UINT8_MAX),
	FIELD(row, UINT, UINT32_MAX),
	FIELD(col, UINT, UINT32_MAX),
	FIELD(px, UINT, UINT32_MAX),
	FIELD(py, UINT, UINT32_MAX),
	FIELD(focused, BOOL, 0),
	JSON_FIELD(struct stream_message, once, "key_once", TEXT, 0),
	END,
};

static const struct json_field resize_fields[] = {
	FIELD(cols, UINT, 2000),
	FIELD(rows, UINT, 2000),
	END,
};

static const struct json_field visible_fields[] = {
	FIELD(visible, BOOL, 0),
	END,
};

static const struct json_field call_fields[] = {
	FIELD(op, TEXT, 0),
	END,
};

static const struct json_field cancel_fields[] = {
	FIELD(call, UINT, STREAM_ID_MAX),
	END,
};

static const struct json_field none_fields[] = { END };

static const struct json_field *const fields[STREAM_TYPES] = {
	[STREAM_UNKNOWN] = none_fields,
	[STREAM_HELLO] = hello_fields,
	[STREAM_PING] = none_fields,
	[STREAM_SUBSCRIBE] = subscribe_fields,
	[STREAM_UNSUBSCRIBE] = none_fields,
	[STREAM_CREDIT] = credit_fields,
	[STREAM_INPUT] = input_fields,
	[STREAM_RESIZE] = resize_fields,
	[STREAM_VISIBLE] = visible_fields,
	[STREAM_CALL] = call_fields,
	[STREAM_CANCEL] = cancel_fields,
};

static enum stream_type
find_type(const char *name)
{
	for (unsigned i = 1; name != NULL && i < STREAM_TYPES; i++) {
		if (strcmp(types[i], name) == 0)
			return i;
	}
	return STREAM_UNKNOWN;
}

/* ----------------------------------------------------------------- checks */

static bool
has(const struct stream_message *m, const char *field)
{
	const json_t *v = json_object_get(m->tree, field);

	return v != NULL && !json_is_null(v);
}

static int
need(const char *what, struct error *err)
{
	return error_set(err, EINVAL, "%s is missing", what);
}

static int
check_size(const struct stream_message *m, bool always, struct error *err)
{
	if (!always && m->cols == 0 && m->rows == 0)
		return 0;
	if (m->cols < 2 || m->rows < 1)
		return error_set(err, EINVAL,
		    "cols must be from 2 to 2000, and rows from 1 to 2000");
	return 0;
}

static int
check_subscribe(struct stream_message *m, struct error *err)
{
	m->has_from = has(m, "from");
	m->has_credit = has(m, "credit");
	m->has_cells = has(m, "cells");
	m->has_replay = has(m, "replay");
	if (m->has_from && !m->has_replay)
		m->replay = HELLO_NONE;
	if (!has(m, "want"))
		return need("want", err);
	if ((m->want != STREAM_HOME) != (m->session[0] != '\0'))
		return m->want == STREAM_HOME ?
		    error_set(err, EINVAL, "home has no session") :
		    need("session", err);
	if (m->rate > 0 && m->rate < 1024)
		return error_set(err, EINVAL, "rate must be at least 1024");
	if (m->interval > 0 && m->interval < 16)
		return error_set(err, EINVAL,
		    "interval must be from 16 to 60000");
	return check_size(m, false, err);
}

static int
check_input(struct stream_message *m, struct error *err)
{
	return has(m, "kind") ? 0 : need("kind", err);
}

static int
check_resize(struct stream_message *m, struct error *err)
{
	return check_size(m, true, err);
}

static int
check_call(struct stream_message *m, struct error *err)
{
	const json_t *args = json_object_get(m->tree, "args");

	if (m->op[0] == '\0')
		return need("op", err);
	if (args != NULL && !json_is_object(args))
		return error_set(err, EINVAL, "args must be an object");
	return 0;
}

static int (*const checks[STREAM_TYPES])(struct stream_message *m,
    struct error *err) = {
	[STREAM_SUBSCRIBE] = check_subscribe,
	[STREAM_INPUT] = check_input,
	[STREAM_RESIZE] = check_resize,
	[STREAM_CALL] = check_call,
};

static bool
needs_sub(enum stream_type type)
{
	switch (type) {
	case STREAM_SUBSCRIBE:
	case STREAM_UNSUBSCRIBE:
	case STREAM_CREDIT:
	case STREAM_INPUT:
	case STREAM_RESIZE:
	case STREAM_VISIBLE:
		return true;
	default:
		return false;
	}
}

int
stream_message_read(struct stream_message *m, const void *p, size_t len,
    struct error *err)
{
	int rc;

	*m = (struct stream_message){ .visible = true,
		.history = HISTORY_DEFAULT };
	m->tree = json_tree_object(p, len, err);
	if (m->tree == NULL)
		return -EPROTO;
	m->type = find_type(
	    json_string_value(json_object_get(m->tree, "type")));
	rc = json_fields_read(head_fields, m->tree, m, err);
	if (rc < 0)
		return rc;
	if (m->type == STREAM_UNKNOWN)
		return error_set(err, EINVAL, "the type is unknown");
	if (needs_sub(m->type) && m->sub == 0)
		return need("sub", err);
	rc = json_fields_read(fields[m->type], m->tree, m, err);
	if (rc == 0 && checks[m->type] != NULL)
		rc = checks[m->type](m, err);
	return rc;
}

int
stream_message_read_binary(struct stream_message *m, const void *p, size_t len,
    struct error *err)
{
	const uint8_t *head = p;

	*m = (struct stream_message){ .type = STREAM_INPUT };
	if (len < STREAM_HEAD || head[0] != STREAM_KIND_INPUT)
		return error_set(err, EPROTO, "no message that is known");
	m->kind = head[1];
	m->sub = get_u32be(head + 4);
	m->id = get_u64be(head + 8);
	m->p = head + STREAM_HEAD;
	m->len = len - STREAM_HEAD;
	if (m->id > STREAM_ID_MAX) {
		m->id = 0;
		return error_set(err, EINVAL, "id is at most 2^53");
	}
	if (m->sub == 0)
		return need("sub", err);
	if (m->kind != INPUT_TEXT && m->kind != INPUT_PASTE &&
	    m->kind != INPUT_BYTES)
		return error_set(err, EINVAL,
		    "a binary input is a text, a paste or bytes");
	return 0;
}

void
stream_message_finish(struct stream_message *m)
{
	json_decref(m->tree);
	m->tree = NULL;
}

/* ------------------------------------------------------------------ input */

/* A string of the message, or NULL and err. */
static const char *
string_of(const struct stream_message *m, const char *name, size_t *len,
    struct error *err)
{
	const json_t *v = json_object_get(m->tree, name);

	if (!json_is_string(v)) {
		need(name, err);
		return NULL;
	}
	*len = json_string_length(v);
	return json_string_value(v);
}

static int
put_bytes(const struct stream_message *m, const void *p, size_t len,
    struct buf *frame, struct error *err)
{
	const struct frame_input in = { .kind = m->kind,
		.flags = m->secret ? INPUT_SECRET : 0,
		.p = p,
		.len = len };

	if (m->kind != INPUT_BYTES && !utf8_valid(p, len))
		return error_set(err, EINVAL, "the text is not UTF-8");
	if (len > FRAME_MAX_CLIENT - FRAME_INPUT_PREFIX ||
	    frame_put_input(frame, &in) < 0)
		return error_set(err, EINVAL, "the input is too long");
	return 0;
}

static int
put_string(const struct stream_message *m, struct buf *frame, struct error *err)
{
	size_t len;
	const char *s = string_of(m, "text", &len, err);

	return s != NULL ? put_bytes(m, s, len, frame, err) : -EINVAL;
}

/* The bytes of the field base64, the caller's; or NULL and err. */
static uint8_t *
decode(const struct stream_message *m, size_t *len, struct error *err)
{
	size_t n;
	const char *s = string_of(m, "base64", &n, err);
	uint8_t *out;
	ssize_t got;

	if (s == NULL)
		return NULL;
	out = xmalloc(n + 1);
	got = base64_decode(s, n, out, n + 1);
	if (got < 0) {
		error_set(err, EINVAL, "base64 is wrong");
		free(out);
		return NULL;
	}
	*len = (size_t)got;
	return out;
}

static int
put_base64(const struct stream_message *m, struct buf *frame, struct error *err)
{
	size_t len;
	auto_free uint8_t *bytes = decode(m, &len, err);

	return bytes != NULL ? put_bytes(m, bytes, len, frame, err) : -EINVAL;
}

static int
put_key(const struct stream_message *m, struct buf *frame, struct error *err)
{
	size_t len;
	const char *name = string_of(m, "key", &len, err);
	struct key key;
	int rc = name != NULL ? key_parse(name, &key, err) : -EINVAL;

	if (rc < 0)
		return rc;
	key.event = m->event;
	return frame_put_key(frame, 0, &key) < 0 ?
	    error_set(err, EINVAL, "the key is too long") :
	    0;
}

static int
put_mouse(const struct stream_message *m, struct buf *frame, struct error *err)
{
	const struct mouse_event ev = { .type = m->action,
		.button = m->button,
		.mods = m->mods,
		.row = m->row,
		.col = m->col,
		.px = m->px,
		.py = m->py };

	(void)err;
	return frame_put_mouse(frame, 0, &ev);
}

static int
put_focus(const struct stream_message *m, struct buf *frame, struct error *err)
{
	const uint8_t in = m->focused;

	return put_bytes(m, &in, 1, frame, err);
}

int
stream_message_frame(const struct stream_message *m, struct buf *frame,
    struct error *err)
{
	static int (*const putters[])(const struct stream_message *m,
	    struct buf *frame, struct error *err) = {
		[INPUT_TEXT] = put_string,
		[INPUT_KEY] = put_key,
		[INPUT_PASTE] = put_string,
		[INPUT_BYTES] = put_base64,
		[INPUT_MOUSE] = put_mouse,
		[INPUT_FOCUS] = put_focus,
	};

	return m->tree == NULL ? put_bytes(m, m->p, m->len, frame, err) :
				 putters[m->kind](m, frame, err);
}

static json_t *
hex_of(const struct stream_message *m, struct error *err)
{
	static const char digits[] = "0123456789abcdef";
	size_t len;
	auto_free uint8_t *bytes = decode(m, &len, err);
	auto_free char *hex = NULL;

	if (bytes == NULL)
		return NULL;
	hex = xmalloc(2 * len + 1);
	for (size_t i = 0; i < len; i++) {
		hex[2 * i] = digits[bytes[i] >> 4];
		hex[2 * i + 1] = digits[bytes[i] & 15];
	}
	return json_stringn(hex, 2 * len);
}

json_t *
stream_message_items(const struct stream_message *m, struct error *err)
{
	const json_t *text = json_object_get(m->tree, "text");
	const json_t *key = json_object_get(m->tree, "key");

	switch (m->kind) {
	case INPUT_TEXT:
	case INPUT_PASTE:
		if (!json_is_string(text))
			break;
		return json_pack("[{s:O}]",
		    m->kind == INPUT_TEXT ? "text" : "paste", text);
	case INPUT_KEY:
		if (!json_is_string(key))
			break;
		return json_pack("[{s:[O]}]", "keys", key);
	case INPUT_BYTES: {
		json_t *hex = hex_of(m, err);

		return hex != NULL ? json_pack("[{s:o}]", "hex", hex) : NULL;
	}
	default:
		error_set(err, EINVAL,
		    "key_once is for text, key, paste and "
		    "bytes");
		return NULL;
	}
	need(m->kind == INPUT_KEY ? "key" : "text", err);
	return NULL;
}

/* ----------------------------------------------------------- binary heads */

static void
put_head(uint8_t *head, enum stream_kind kind, uint32_t sub, uint64_t offset)
{
	memset(head, 0, 4);
	head[0] = (uint8_t)kind;
	put_u32be(head + 4, sub);
	put_u64be(head + 8, offset);
}

void
stream_head_output(uint8_t head[STREAM_HEAD], uint32_t sub, uint64_t offset)
{
	put_head(head, STREAM_KIND_OUTPUT, sub, offset);
}

void
stream_head_picture(uint8_t head[STREAM_PICTURE_HEAD], uint32_t sub,
    const struct frame_screen *screen)
{
	put_head(head, STREAM_KIND_PICTURE, sub, screen->offset);
	put_u64be(head + STREAM_HEAD, screen->seq);
	put_u16be(head + STREAM_HEAD + 8, screen->cols);
	put_u16be(head + STREAM_HEAD + 10, screen->rows);
}

/* ------------------------------------------------------------------- text */

/* The bytes of a control character at p; 0: it is none. */
static size_t
control_at(const uint8_t *p, size_t len)
{
	if (p[0] < 0x20 || p[0] == 0x7f)
		return 1;
	return len > 1 && p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0 ? 2 : 0;
}

static void
clean_string(json_t *value)
{
	const uint8_t *p = (const uint8_t *)json_string_value(value);
	size_t len = json_string_length(value), kept = 0, n = 0, skip;
	auto_free char *out = NULL;

	while (n < len && control_at(p + n, len - n) == 0)
		n++;
	if (n == len)
		return;
	out = xmalloc(len + 1);
	for (n = 0; n < len;) {
		skip = control_at(p + n, len - n);
		n += skip;
		if (skip == 0)
			out[kept++] = (char)p[n++];
	}
	json_string_setn(value, out, kept);
}

void
stream_clean(json_t *value)
{
	const char *key;
	json_t *v;
	size_t i;

	if (json_is_string(value))
		clean_string(value);
	json_object_foreach(value, key, v) stream_clean(v);
	json_array_foreach(value, i, v) stream_clean(v);
}
